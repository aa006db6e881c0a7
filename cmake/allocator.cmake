# Which allocator programs bring along: ours, and those that find the library by zerocast.pc or find_package. The library
# takes jemalloc where the program has it and else the system's, so its objects are the same. The system's is for
# sanitizers, which must see every allocation, and for libraries that are loaded into a running process, where Debian's
# jemalloc cannot be.
#
# ZEROCAST_JEMALLOC_LINK is what a program is linked with. The library's references are weak, so the linker has to be told
# that mallocx is needed, for a static jemalloc, and that --as-needed does not mean a shared one.
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
elseif(NOT ZEROCAST_ALLOCATOR STREQUAL "system")
    message(FATAL_ERROR "ZEROCAST_ALLOCATOR is \"${ZEROCAST_ALLOCATOR}\"; it takes jemalloc or system.")
endif()
