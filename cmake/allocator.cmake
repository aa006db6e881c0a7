# The default allocator. jemalloc serves data from an arena of its own; the system's is for sanitizers, which must see
# every allocation, and for libraries that are loaded into a running process, where Debian's jemalloc cannot be.
if(ZEROCAST_ALLOCATOR STREQUAL "jemalloc")
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(JEMALLOC IMPORTED_TARGET jemalloc)
    if(NOT JEMALLOC_FOUND)
        message(
            FATAL_ERROR
                "jemalloc was not found. Install it (Debian: apt install libjemalloc-dev pkg-config), or configure with "
                "-DZEROCAST_ALLOCATOR=system.")
    endif()
elseif(NOT ZEROCAST_ALLOCATOR STREQUAL "system")
    message(FATAL_ERROR "ZEROCAST_ALLOCATOR is \"${ZEROCAST_ALLOCATOR}\"; it takes jemalloc or system.")
endif()
