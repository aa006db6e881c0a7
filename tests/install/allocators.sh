#!/usr/bin/env bash
# The allocator of programs that are linked with the library, or load it, in every way: which it is, and that it is asked.
# Where the library was installed for the system's allocator alone, jemalloc is there by LD_PRELOAD only.
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
static=("${static[@]/#-lzerocast/$libdir/libzerocast.a}")
brought=system
case " ${shared[*]} " in *-ljemalloc*) brought=jemalloc ;; esac
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

build as_needed -Wl,--as-needed "${shared[@]}" "-Wl,-rpath,$libdir"
expect $brought "a shared library, --as-needed" "$work/as_needed"
build plain_static "${static[@]}"
expect $brought "a static library" "$work/plain_static"
build pie -fPIE -pie "${static[@]}"
expect $brought "a static library in a PIE" "$work/pie"
build no_pie -fno-pie -no-pie -Wl,--gc-sections "${static[@]}"
expect $brought "a static library in a program that stands still" "$work/no_pie"
build whole -static "${static[@]}" 2>"$work/whole.log"
expect $brought "a program without shared libraries" "$work/whole"
expect $brought "find_package, shared, --as-needed" "$work/cmake/allocator_shared"
expect $brought "find_package, static" "$work/cmake/allocator_static"

build bare -L"$libdir" -lzerocast "-Wl,-rpath,$libdir"
expect system "a program that does not name jemalloc" "$work/bare"
build bare_static "$libdir/libzerocast.a" -lpthread -lm
expect system "a static one that does not" "$work/bare_static"
build loads -DLOADS -ldl
expect system "a library that is loaded" "$work/loads" "$libdir/libzerocast.so"

jemalloc=$(ldconfig -p | sed -n 's/.*libjemalloc\.so\.2 .*=> //p' | head -1)
if [ -n "$jemalloc" ]; then
    expect jemalloc "LD_PRELOAD, linked" env LD_PRELOAD="$jemalloc" "$work/bare"
    expect jemalloc "LD_PRELOAD, static library" env LD_PRELOAD="$jemalloc" "$work/bare_static"
    expect jemalloc "LD_PRELOAD, loaded" env LD_PRELOAD="$jemalloc" "$work/loads" "$libdir/libzerocast.so"
fi
exit $failed
