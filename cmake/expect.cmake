# Runs PROGRAM and compares its standard output with the file EXPECTED, exactly.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE got RESULT_VARIABLE status)
file(READ ${EXPECTED} want)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "status ${status}")
endif()
if(NOT got STREQUAL want)
  message(FATAL_ERROR "printed:\n${got}\nexpected:\n${want}")
endif()
