# The GPU code, src/gpu/*.cu, compiled twice: by nvcc into the device `gpu`, by the host's C++ compiler into `emulator`.
#
# Sets NF_DEVICE_OBJECTS and NF_DEVICE_LIBRARIES for the two libraries, NF_DEVICE_DEFINITIONS for the registry, and appends
# the C parts to NF_SOURCES. Both flavours reach the libraries as finished object files: programs are then linked as C
# programs, since this C++ needs no library of its own at run time.
set(NF_DEVICE_OBJECTS)
set(NF_DEVICE_LIBRARIES)
set(NF_DEVICE_DEFINITIONS)
file(GLOB NF_GPU_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/gpu/*.cu)
file(GLOB NF_GPU_HOST_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/gpu/*.c)
set(NF_GPU_CXX_FLAGS -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffp-contract=off)
# C++ asks for every member of a designated initialiser, C does not; g++ does not know nvcc's pragmas
set(NF_GPU_WARNINGS -Wall -Wextra -Wshadow -Wno-unknown-pragmas -Wno-missing-field-initializers)
if(NF_WERROR)
  list(APPEND NF_GPU_WARNINGS -Werror)
endif()

# ---- gpu -----------------------------------------------------------------------------------------------------------------
set(NF_NVCC)
if(NOT NF_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit 12.0 QUIET)
  if(CUDAToolkit_FOUND AND TARGET CUDA::cudart_static AND CUDAToolkit_NVCC_EXECUTABLE)
    set(NF_NVCC ${CUDAToolkit_NVCC_EXECUTABLE})
    message(STATUS "Device `gpu`: CUDA ${CUDAToolkit_VERSION}, ${NF_NVCC}")
  elseif(NF_CUDA STREQUAL "ON")
    message(FATAL_ERROR "NF_CUDA is ON and there is no CUDA toolkit of version 12.0 or later; put nvcc on the PATH or set CUDAToolkit_ROOT")
  endif()
endif()
if(NF_NVCC)
  include(cmake/nvcc.cmake)
else()
  message(STATUS "Device `gpu`: not in this build (no CUDA toolkit, or NF_CUDA=OFF)")
endif()

# ---- emulator ------------------------------------------------------------------------------------------------------------
if(NF_EMULATOR AND EXISTS ${PROJECT_SOURCE_DIR}/src/simt/emu.h)
  include(cmake/emulator.cmake)
else()
  message(STATUS "Device `emulator`: not in this build")
endif()

if(NF_DEVICE_OBJECTS)
  list(APPEND NF_SOURCES ${NF_GPU_HOST_SOURCES})
endif()
