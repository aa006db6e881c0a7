#!/usr/bin/env bash
# The allocator of programs that are linked with the library, or load it, in every way: which it is, and that it is asked.
# It is jemalloc only where that is the process's own, and memory goes back to what it came from in every mixture.
#
#   allocators.sh LIBDIR WORK_FOLDER        after run.sh has built the CMake project; PKG_CONFIG_PATH is set
set -euo pipefail

libdir=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
program="$here/allocator.c"
read -ra flags < <(pkg-config --cflags zerocast)
read -ra shared < <(pkg-config --libs zerocast)
read -ra static < <(pkg-config --static --libs zerocast)
read -ra whole < <(pkg-config --static --libs zerocast)
static=("${static[@]/#-lzerocast/$libdir/libzerocast.a}")
failed=0

expect() { # ALLOCATOR NAME COMMAND...
    local wanted=$1 name=$2 printed
    shift 2
    printed=$("$@" 2>&1) || true
    if [ "$printed" != "$wanted" ]; then
        echo "allocator of $name: '$printed', not $wanted" >&2
        failed=1
    fi
    echo "allocator of $name: $printed"
}

build() { # NAME ARGUMENT...
    local name=$1
    shift
    "$cc" "${flags[@]}" -o "$work/$name" "$program" "$@"
}

build plain "${shared[@]}" "-Wl,-rpath,$libdir"
expect system "a shared library" "$work/plain"
build plain_static "${static[@]}"
expect system "a static library" "$work/plain_static"
build no_pie -fno-pie -no-pie -Wl,--gc-sections "${static[@]}"
expect system "a static library in a program that stands still" "$work/no_pie"
build whole -static "${whole[@]}" 2>"$work/whole.log"
expect system "a program without shared libraries" "$work/whole"
expect system "find_package, shared, --as-needed" "$work/cmake/allocator_shared"
expect system "find_package, static" "$work/cmake/allocator_static"
build loads -DLOADS -ldl
expect system "a library that is loaded" "$work/loads" "$libdir/libzerocast.so"

# jemalloc, where the package was built with it.
jemalloc=()
if pkg-config --exists zerocast-jemalloc; then
    read -ra jemalloc < <(pkg-config --libs zerocast-jemalloc)
    read -ra jemalloc_static < <(pkg-config --static --libs zerocast-jemalloc)
    read -ra jemalloc_whole < <(pkg-config --static --libs zerocast-jemalloc)
    jemalloc_static=("${jemalloc_static[@]/#-lzerocast/$libdir/libzerocast.a}")
    build j_needed -Wl,--as-needed "${jemalloc[@]}" "-Wl,-rpath,$libdir"
    expect jemalloc "a shared library, jemalloc, --as-needed" "$work/j_needed"
    build j_pie -fPIE -pie "${jemalloc_static[@]}"
    expect jemalloc "a static library in a PIE, jemalloc" "$work/j_pie"
    build j_no_pie -fno-pie -no-pie -Wl,--gc-sections "${jemalloc_static[@]}"
    expect jemalloc "a static library in a program that stands still, jemalloc" "$work/j_no_pie"
    build j_whole -static "${jemalloc_whole[@]}" 2>"$work/whole.log"
    expect jemalloc "a program without shared libraries, jemalloc" "$work/j_whole"
    expect jemalloc "find_package, shared, --as-needed, jemalloc" "$work/cmake/jemalloc_shared"
    expect jemalloc "find_package, static, jemalloc" "$work/cmake/jemalloc_static"
fi

# A malloc() of somebody else's: a sanitizer's, one in the program, and preloaded ones, each with and without jemalloc.
for brought in "" jemalloc; do
    line=("${shared[@]}" "-Wl,-rpath,$libdir")
    if [ -n "$brought" ]; then
        [ ${#jemalloc[@]} -gt 0 ] || continue
        line=("${jemalloc[@]}" "-Wl,-rpath,$libdir")
    fi
    name=${brought:+, jemalloc linked}
    for sanitizer in address thread; do
        build "$sanitizer$brought" "-fsanitize=$sanitizer" "${line[@]}" 2>/dev/null || continue
        # ThreadSanitizer does not see the atomics of a library that was built without it. Of gcc 12 it cannot place its
        # shadow where addresses are randomised over more than 28 bits.
        run=(env TSAN_OPTIONS=report_bugs=0 "$work/$sanitizer$brought")
        if [ $sanitizer = thread ] && setarch -R true 2>/dev/null; then
            run=(setarch -R "${run[@]}")
        fi
        expect system "-fsanitize=$sanitizer$name" "${run[@]}"
    done
    for kind in FULL MINIMAL; do
        build "own$kind$brought" -D$kind -rdynamic "$here/foreign_malloc.c" "${line[@]}"
        expect system "a malloc() of the program, $kind$name" "$work/own$kind$brought"
        "$cc" -shared -fPIC -O1 -fno-builtin -D$kind -o "$work/malloc$kind.so" "$here/foreign_malloc.c"
        build "bare$brought" "${line[@]}"
        expect system "LD_PRELOAD of a malloc(), $kind$name" env LD_PRELOAD="$work/malloc$kind.so" "$work/bare$brought"
        expect system "LD_PRELOAD of a malloc(), $kind, loaded" env LD_PRELOAD="$work/malloc$kind.so" "$work/loads" \
            "$libdir/libzerocast.so"
    done
done
for kind in FULL MINIMAL; do
    if build "whole$kind" -static -D$kind "$here/foreign_malloc.c" "${whole[@]}" 2>"$work/whole.log"; then
        expect system "a program without shared libraries and its own malloc(), $kind" "$work/whole$kind"
    fi
done
if command -v valgrind >/dev/null; then
    for name in plain ${jemalloc[0]:+j_needed}; do
        expect system "$name under valgrind" valgrind --quiet --error-exitcode=1 "$work/$name"
    done
fi

# One that gives out parts of what the next one gives, which is jemalloc's.
if [ ${#jemalloc[@]} -gt 0 ]; then
    "$cc" -shared -fPIC -O1 -fno-builtin -DFORWARDS -o "$work/mallocFORWARDS.so" "$here/foreign_malloc.c" -ldl
    build j_wraps -static -DWRAPS -Wl,--wrap=malloc,--wrap=free "${jemalloc_whole[@]}" 2>"$work/whole.log"
    expect jemalloc "a program without shared libraries whose malloc() asks jemalloc" "$work/j_wraps"
    expect jemalloc "LD_PRELOAD of a malloc() that asks jemalloc" env LD_PRELOAD="$work/mallocFORWARDS.so" "$work/j_needed"
fi

preloaded=$(ldconfig -p | sed -n 's/.*libjemalloc\.so\.2 .*=> //p' | head -1)
if [ -n "$preloaded" ]; then
    expect jemalloc "LD_PRELOAD, linked" env LD_PRELOAD="$preloaded" "$work/plain"
    expect jemalloc "LD_PRELOAD, static library" env LD_PRELOAD="$preloaded" "$work/plain_static"
    expect jemalloc "LD_PRELOAD, loaded" env LD_PRELOAD="$preloaded" "$work/loads" "$libdir/libzerocast.so"
    # Loaded beside the C library's malloc(), for which its static TLS needs room.
    expect system "jemalloc that is loaded, too" env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=8192 "$work/loads" \
        "$preloaded" "$libdir/libzerocast.so"
fi
exit $failed
