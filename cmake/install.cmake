# What `make install` puts where: header, both libraries, pkg-config file, CMake package; cli/ adds command, man page and
# completion, and does so in its own list file.
include(CMakePackageConfigHelpers)
set(NF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/nearfar)

install(FILES include/nearfar.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS nearfar EXPORT nearfarTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS nearfar_static EXPORT nearfarStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT nearfarTargets NAMESPACE Nearfar:: DESTINATION ${NF_PACKAGE_DIR})
install(EXPORT nearfarStaticTargets NAMESPACE Nearfar:: DESTINATION ${NF_PACKAGE_DIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/nearfarConfig.cmake.in nearfarConfig.cmake INSTALL_DESTINATION ${NF_PACKAGE_DIR})
write_basic_package_version_file(nearfarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nearfarConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/nearfarConfigVersion.cmake
        DESTINATION ${NF_PACKAGE_DIR})

# pkg-config: paths relative to the prefix where the layout allows it, so that the file can be moved with the tree.
foreach(dir INCLUDEDIR LIBDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(NF_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(NF_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
set(NF_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH NF_PC_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
  set(NF_PC_PREFIX "\${pcfiledir}/${NF_PC_PREFIX}")
endif()
list(JOIN OpenMP_C_FLAGS " " NF_PC_OPENMP)
set(NF_PC_DEVICES)
if(NF_NVCC)
  set(NF_PC_DEVICES "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()
configure_file(cmake/nearfar.pc.in nearfar.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nearfar.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
