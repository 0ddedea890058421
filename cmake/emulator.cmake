# The device `emulator`: src/gpu/*.cu as C++ by the host compiler, over the runtime in src/simt (C). The objects are joined
# into one file, which CMake then takes for nobody's C++.
file(GLOB NF_SIMT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/simt/*.c ${PROJECT_SOURCE_DIR}/src/simt/*.S)
if(NOT NF_RACE)
  list(FILTER NF_SIMT_SOURCES EXCLUDE REGEX "/race[^/]*\\.c$")
endif()
# AddressSanitizer's stacks of frames that have returned are mapped anew for every fiber, which makes launches 50 times slower:
# code that runs on fibers goes without them.
set(NF_FIBER_FLAGS)
if(NF_SANITIZE STREQUAL "address")
  set(NF_FIBER_FLAGS "$<IF:$<C_COMPILER_ID:GNU>,--param=asan-use-after-return=0,-fsanitize-address-use-after-return=never>")
endif()
add_library(nf_simt OBJECT ${NF_SIMT_SOURCES})
add_library(nf_emulator OBJECT ${NF_GPU_SOURCES})
set_source_files_properties(${NF_GPU_SOURCES} PROPERTIES LANGUAGE CXX)
foreach(target nf_simt nf_emulator)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
  target_include_directories(${target} PRIVATE src include)
  target_compile_options(${target} PRIVATE ${NF_FIBER_FLAGS})
endforeach()
target_compile_options(nf_emulator PRIVATE ${NF_GPU_CXX_FLAGS} ${NF_GPU_WARNINGS})
if(NF_RACE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "NF_RACE needs g++: clang cannot tell volatile accesses apart")
  endif()
  # instrumented like ThreadSanitizer's programs, but linked with race*.c instead of its library
  target_compile_options(nf_emulator PRIVATE -fsanitize=thread --param=tsan-distinguish-volatile=1)
  target_compile_definitions(nf_emulator PRIVATE SIMT_RACE=1)
  target_compile_definitions(nf_simt PRIVATE SIMT_RACE=1)
endif()

set(output ${PROJECT_BINARY_DIR}/emulator.o)
add_custom_command(OUTPUT ${output} DEPENDS nf_emulator $<TARGET_OBJECTS:nf_emulator> COMMAND_EXPAND_LISTS VERBATIM
  COMMAND ${CMAKE_LINKER} -r -o ${output} $<TARGET_OBJECTS:nf_emulator>
  COMMENT "Joining the objects of the emulator")
set_source_files_properties(${output} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_custom_target(nf_emulator_joined DEPENDS ${output})
list(APPEND NF_DEVICE_OBJECTS $<TARGET_OBJECTS:nf_simt> ${output})
list(APPEND NF_DEVICE_DEFINITIONS NF_HAS_EMULATOR=1)
