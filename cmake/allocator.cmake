# Which allocator programs bring along. The library takes jemalloc where the program has it and else the system's, so its
# objects are the same. Ours bring the one that ZEROCAST_ALLOCATOR names; the system's is for sanitizers, which must see
# every allocation, and for libraries that are loaded into a running process, where Debian's jemalloc cannot be.
#
# zerocast_jemalloc (installed as zerocast::jemalloc, and zerocast-jemalloc.pc) is what a program links that brings jemalloc
# along. The library's references are weak, so the linker has to be told that mallocx is needed, for a static jemalloc,
# and that --as-needed does not mean a shared one.
set(ZEROCAST_JEMALLOC_LINK)
if(ZEROCAST_ALLOCATOR STREQUAL "jemalloc")
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(JEMALLOC IMPORTED_TARGET jemalloc)
    if(NOT JEMALLOC_FOUND)
        message(
            FATAL_ERROR
                "jemalloc was not found. Install it (Debian: apt install libjemalloc-dev pkg-config), or configure with "
                "-DZEROCAST_ALLOCATOR=system.")
    endif()
    list(JOIN JEMALLOC_LDFLAGS "," flags)
    set(ZEROCAST_JEMALLOC_LINK -Wl,-u,mallocx,--push-state,--no-as-needed,${flags},--pop-state)
    add_library(zerocast_jemalloc INTERFACE)
    add_library(zerocast::jemalloc ALIAS zerocast_jemalloc)
    set_target_properties(zerocast_jemalloc PROPERTIES EXPORT_NAME jemalloc)
    target_link_libraries(zerocast_jemalloc INTERFACE ${ZEROCAST_JEMALLOC_LINK})
elseif(NOT ZEROCAST_ALLOCATOR STREQUAL "system")
    message(FATAL_ERROR "ZEROCAST_ALLOCATOR is \"${ZEROCAST_ALLOCATOR}\"; it takes jemalloc or system.")
endif()

# Libraries that programs of this build link beside ours.
add_library(zerocast_allocator INTERFACE)
if(TARGET zerocast_jemalloc)
    target_link_libraries(zerocast_allocator INTERFACE zerocast_jemalloc)
endif()
