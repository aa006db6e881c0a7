# Rules of `cmake --install`: the headers, the libraries, the command, zerocast.pc, and the CMake package with
# zerocast::zerocast, zerocast::zerocast_static and the component jemalloc. The installed tree may be moved as a whole.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/zerocast)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES include/zerocast.h include/zerocast.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ${ZEROCAST_LIBRARIES} EXPORT zerocastTargets)
if(TARGET zerocast_jemalloc)
    install(TARGETS zerocast_jemalloc EXPORT zerocastTargets)
endif()
if(TARGET zerocast_command)
    install(TARGETS zerocast_command)
endif()

install(EXPORT zerocastTargets NAMESPACE zerocast:: DESTINATION ${package_dir})
configure_package_config_file(cmake/zerocastConfig.cmake.in ${PROJECT_BINARY_DIR}/zerocastConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zerocastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zerocastConfig.cmake ${PROJECT_BINARY_DIR}/zerocastConfigVersion.cmake
        DESTINATION ${package_dir})

# The files of pkg-config name their prefix relative to themselves. What a static link needs is written out, -lm behind what
# needs it: pkg-config puts the libraries of Requires.private behind those of Libs.private.
list(JOIN ZEROCAST_JEMALLOC_LINK " " jemalloc_link)
file(RELATIVE_PATH prefix_from_pkgconfig /${pkgconfig_dir} /)
set(private_libs "-lpthread -lm")
if(ZEROCAST_ZLIB_FOUND OR ZEROCAST_PNG_FOUND)
    set(private_libs "-lz ${private_libs}")
endif()
if(ZEROCAST_PNG_FOUND)
    set(private_libs "-lpng ${private_libs}")
endif()
set(static_libs)
if(zerocast_type STREQUAL "STATIC_LIBRARY")
    set(static_libs " ${private_libs}")
endif()
set(packages zerocast)
if(TARGET zerocast_jemalloc)
    list(APPEND packages zerocast-jemalloc)
endif()
foreach(package ${packages})
    configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_dir})
endforeach()
