# The library, made of its rooms.
#
# zerocast_room(ROOM file...) compiles the sources of a room, once, into the objects zerocast_ROOM. The rooms are named
# in layering order, so a test that links the rooms up to its own cannot lean on a later one.
find_package(Threads REQUIRED)

set(ZEROCAST_ROOMS views runtime materialize expressions)

# Finds a library that files are read by, whose imported target is PACKAGE::PACKAGE: *_FOUND tells one that the program links.
# One for another machine than the compiler's is none. Whatever is missing, the library says so.
macro(zerocast_find package header call found)
    set(${found} OFF)
    find_package(${package})
    if(${package}_FOUND)
        include(CheckCSourceCompiles)
        set(CMAKE_REQUIRED_LIBRARIES ${package}::${package})
        check_c_source_compiles("#include <${header}>\nint main(void) { return ${call} != 0; }" ZEROCAST_${package}_LINKS)
        unset(CMAKE_REQUIRED_LIBRARIES)
        set(${found} ${ZEROCAST_${package}_LINKS})
    endif()
endmacro()

# Members of .npz files may be deflated, and all have a check sum.
set(ZEROCAST_ZLIB_FOUND OFF)
if(ZEROCAST_ZLIB)
    zerocast_find(ZLIB zlib.h "crc32_z(0, 0, 0)" ZEROCAST_ZLIB_FOUND)
    if(NOT ZEROCAST_ZLIB_FOUND)
        message(STATUS "zlib was not found (Debian: zlib1g-dev): .npz files are neither inflated nor written")
    endif()
endif()

set(ZEROCAST_PNG_FOUND OFF)
if(ZEROCAST_PNG)
    zerocast_find(PNG png.h "png_access_version_number()" ZEROCAST_PNG_FOUND)
    if(NOT ZEROCAST_PNG_FOUND)
        message(STATUS "libpng was not found (Debian: libpng-dev): .png files are neither read nor written")
    endif()
endif()

function(zerocast_room room)
    # The header is listed so that the target has a source before the room has any.
    add_library(zerocast_${room} OBJECT ${PROJECT_SOURCE_DIR}/include/zerocast.h ${ARGN})
    set_target_properties(zerocast_${room} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
                                                      LINKER_LANGUAGE C UNITY_BUILD OFF)
    target_link_libraries(zerocast_${room} PRIVATE zerocast_flags)
endfunction()

# The names of a table's rows, MACRO(name), in their order. CMake runs again when the table changes.
function(zerocast_rows table macro names)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${table})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${table} rows REGEX "^${macro}\\(")
    list(TRANSFORM rows REPLACE "^${macro}\\((.*)\\)$" "\\1")
    set(${names} ${rows} PARENT_SCOPE)
endfunction()

# The sources of strategies, of materialize/: those that contract are in tile/contractions/, others in tile/strategies/.
function(zerocast_strategy_sources out)
    set(sources ${ARGN})
    list(TRANSFORM sources REPLACE "^contract_" "contractions/contract_")
    list(TRANSFORM sources REPLACE "^([^/]+)$" "strategies/\\1")
    list(TRANSFORM sources REPLACE "(.+)" "tile/\\1.c")
    set(${out} ${sources} PARENT_SCOPE)
endfunction()

# The kernels of an instruction set: each source, below the names of its arch_*.h, with its flags (kernels.c.in). What
# takes longest to compile comes first, so that no processor waits at the end.
set(ZEROCAST_KERNEL_SOURCES elements/functions.c elements/logsumexp.c elements/floats.c elements/complex.c elements/integers.c elements/integers_small.c
    elements/narrow.c elements/move.c elements/layout.c elements/bool.c contract/contract.c tables/table.c)
function(zerocast_kernels isa arch)
    set(sources ${ZEROCAST_KERNEL_SOURCES})
    if(NOT arch STREQUAL "arch_none.h")
        list(APPEND sources elements/chain.c contract/groups.c contract/tiles.c sort/sort.c)
    endif()
    foreach(file ${sources})
        get_filename_component(name ${file} NAME)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/kernels/${isa}_${name})
        configure_file(kernels/kernels.c.in ${source} @ONLY)
        target_sources(zerocast_materialize PRIVATE ${source})
        set(options ${ZEROCAST_KERNEL_FLAGS})
        if(file MATCHES "^elements/(integers|complex|bool)")
            list(APPEND options ${ZEROCAST_VECTORS_ALONE})
        endif()
        if(file STREQUAL "elements/functions.c" AND NOT arch STREQUAL "arch_none.h")
            list(APPEND options ${ZEROCAST_INTERLEAVED})
        endif()
        if(file STREQUAL "elements/move.c")
            list(APPEND options ${ZEROCAST_ALIGNED})
        endif()
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${options} ${ARGN})
    endforeach()
endfunction()

set(library_objects)
foreach(room ${ZEROCAST_ROOMS})
    add_subdirectory(${room})
    list(APPEND library_objects $<TARGET_OBJECTS:zerocast_${room}>)
endforeach()
list(APPEND library_objects $<TARGET_OBJECTS:zerocast_language>)

# Libraries that the objects need at link time, for whoever links them.
add_library(zerocast_needs INTERFACE)
target_link_libraries(zerocast_needs INTERFACE Threads::Threads m)
# By their paths: a project that this is a part of has no ZLIB::ZLIB and PNG::PNG.
set(packages_installed)
if(ZEROCAST_ZLIB_FOUND)
    target_link_libraries(zerocast_needs INTERFACE ${ZLIB_LIBRARIES})
    list(APPEND packages_installed $<INSTALL_INTERFACE:ZLIB::ZLIB>)
endif()
if(ZEROCAST_PNG_FOUND)
    target_link_libraries(zerocast_needs INTERFACE ${PNG_LIBRARIES})
    list(APPEND packages_installed $<INSTALL_INTERFACE:PNG::PNG>)
endif()

# zerocast::zerocast is what BUILD_SHARED_LIBS says, and the shared library where it says nothing: then both are made, and
# zerocast::zerocast_static is the other one. ZEROCAST_LIBRARIES are those that are made without being asked for.
if(NOT DEFINED BUILD_SHARED_LIBS)
    set(ZEROCAST_LIBRARIES zerocast zerocast_static)
    add_library(zerocast SHARED ${library_objects})
    add_library(zerocast_static STATIC ${library_objects})
    add_library(zerocast::zerocast_static ALIAS zerocast_static)
elseif(BUILD_SHARED_LIBS)
    set(ZEROCAST_LIBRARIES zerocast)
    add_library(zerocast SHARED ${library_objects})
    add_library(zerocast_static STATIC EXCLUDE_FROM_ALL ${library_objects})
    add_library(zerocast::zerocast_static ALIAS zerocast_static)
else()
    set(ZEROCAST_LIBRARIES zerocast)
    add_library(zerocast STATIC ${library_objects})
    add_library(zerocast_static ALIAS zerocast)
    add_library(zerocast::zerocast_static ALIAS zerocast)
endif()
add_library(zerocast::zerocast ALIAS zerocast)
get_target_property(zerocast_type zerocast TYPE)
foreach(library zerocast zerocast_static)
    get_target_property(aliased ${library} ALIASED_TARGET)
    if(aliased)
        continue()
    endif()
    set_target_properties(${library} PROPERTIES OUTPUT_NAME zerocast LINKER_LANGUAGE C
                                                LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                                                ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
        target_link_libraries(${library} INTERFACE $<BUILD_INTERFACE:zerocast_needs> $<INSTALL_INTERFACE:Threads::Threads>
                                                   $<INSTALL_INTERFACE:m> ${packages_installed})
    endif()
endforeach()
if(zerocast_type STREQUAL "SHARED_LIBRARY")
    # Before 1.0 every minor version may change the binary interface, so the SONAME carries it.
    set_target_properties(zerocast PROPERTIES VERSION ${PROJECT_VERSION}
                                              SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    # A missing symbol is an error now, not at load time; clang leaves a sanitizer's own symbols to the program.
    if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
        target_link_options(zerocast PRIVATE -Wl,--no-undefined)
    endif()
    # The library calls its own functions directly, not through the table in which a program may replace them. Nor does
    # loading it change how the process computes, as linking for -Ofast does.
    target_link_options(zerocast PRIVATE -Wl,-Bsymbolic-functions
                        "SHELL:-O2 -fno-fast-math -fno-unsafe-math-optimizations")
    target_link_libraries(zerocast PRIVATE $<BUILD_INTERFACE:zerocast_needs>)
endif()
