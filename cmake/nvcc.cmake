# The device `gpu`: each src/gpu/*.cu by nvcc. Kernels that launch kernels need relocatable device code and a device link;
# this is confined to src/gpu/*_child.cu, so that all others are optimised as whole programs. nvcc is called here rather than
# through CMake's CUDA language, whose newest standards and linking depend on CMake's own version.
set(NF_CUDA_ARCHITECTURES 90 CACHE STRING "chips to make code for, as 75;80;90; PTX is added for the last")
set(NF_CUDA_FLAGS -O3 -std=c++20 --expt-relaxed-constexpr -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include
  -Xcompiler=-fPIC -Xcompiler=-fvisibility=hidden)
foreach(flag ${NF_GPU_CXX_FLAGS} ${NF_GPU_WARNINGS})
  list(APPEND NF_CUDA_FLAGS -Xcompiler=${flag})
endforeach()
if(NF_WERROR)
  list(APPEND NF_CUDA_FLAGS -Werror=all-warnings)
endif()
if(NF_TESTS)
  list(APPEND NF_CUDA_FLAGS -lineinfo) # for compute-sanitizer and profilers; two thirds more of the library's size
endif()
execute_process(COMMAND ${NF_NVCC} --help OUTPUT_VARIABLE help ERROR_QUIET)
if(help MATCHES "compress-mode") # code is unpacked when a kernel is first used
  list(APPEND NF_CUDA_FLAGS --compress-mode=size)
endif()
set(NF_CUDA_CODES)
foreach(chip ${NF_CUDA_ARCHITECTURES})
  list(APPEND NF_CUDA_CODES -gencode=arch=compute_${chip},code=sm_${chip})
  set(NF_CUDA_PTX -gencode=arch=compute_${chip},code=compute_${chip})
endforeach()
set(NF_NVCC_COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${NF_NVCC} -ccbin ${CMAKE_CXX_COMPILER})

# nf_cuda_object(SOURCE OUTPUT FLAGS...): the rule that makes one object file
function(nf_cuda_object source output)
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  add_custom_command(OUTPUT ${output} DEPENDS ${source} DEPFILE ${output}.d VERBATIM
    COMMAND ${NF_NVCC_COMMAND} ${NF_CUDA_FLAGS} ${NF_CUDA_CODES} ${NF_CUDA_PTX} ${ARGN} -MD -MF ${output}.d -MT ${output}
            -c ${source} -o ${output}
    COMMENT "Building CUDA object ${name}")
  set_source_files_properties(${output} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()

set(NF_CUDA_OBJECTS)
set(NF_CUDA_CHILDREN)
foreach(source ${NF_GPU_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  set(output ${PROJECT_BINARY_DIR}/gpu/${name}.o)
  if(name MATCHES "_child$")
    nf_cuda_object(${source} ${output} -rdc=true)
    list(APPEND NF_CUDA_CHILDREN ${output})
  else()
    nf_cuda_object(${source} ${output})
  endif()
  list(APPEND NF_CUDA_OBJECTS ${output})
endforeach()
if(NF_CUDA_CHILDREN)
  set(output ${PROJECT_BINARY_DIR}/gpu/device_link.o)
  add_custom_command(OUTPUT ${output} DEPENDS ${NF_CUDA_CHILDREN} VERBATIM
    COMMAND ${NF_NVCC} -ccbin ${CMAKE_CXX_COMPILER} -dlink ${NF_CUDA_CODES} -Xcompiler=-fPIC ${NF_CUDA_CHILDREN} -lcudadevrt -o ${output}
    COMMENT "Linking device code")
  set_source_files_properties(${output} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  list(APPEND NF_CUDA_OBJECTS ${output})
  # The host's half of CUDA's device runtime asks for libstdc++'s guards of static variables: it gets our own (guard.c).
  find_library(NF_CUDADEVRT cudadevrt HINTS ${CUDAToolkit_LIBRARY_DIR} REQUIRED)
  set(output ${PROJECT_BINARY_DIR}/gpu/cuda_device_runtime.o)
  add_custom_command(OUTPUT ${output} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/gpu VERBATIM
    COMMAND ${CMAKE_AR} x ${NF_CUDADEVRT} cuda_device_runtime.o
    COMMAND ${CMAKE_OBJCOPY} --redefine-sym __cxa_guard_acquire=nf__guard_acquire
            --redefine-sym __cxa_guard_release=nf__guard_release ${output}
    COMMENT "Taking CUDA's device runtime")
  set_source_files_properties(${output} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  list(APPEND NF_CUDA_OBJECTS ${output})
endif()
add_custom_target(nf_gpu DEPENDS ${NF_CUDA_OBJECTS})
list(APPEND NF_DEVICE_OBJECTS ${NF_CUDA_OBJECTS})
list(APPEND NF_DEVICE_LIBRARIES CUDA::cudart_static)
list(APPEND NF_DEVICE_DEFINITIONS NF_HAS_GPU=1)
