#!/usr/bin/env bash
# One hash over the bits of 20,000 expressions, which is the same whatever computes them: every table of kernels of this
# machine, and the reference executor. Exit code 1 where it is not.
#
#   run.sh [--machines] [EXPRESSIONS]
#
# --machines: also as clang compiles it, for a 32-bit x86 with SSE2, and, in emulation, for aarch64, which has fused
# multiply-adds, and s390x, whose bytes lie the other way round. Each compiler's build is in build/digest.
set -euo pipefail
cd "$(dirname "$0")/../.."

machines=false
if [ "${1:-}" = --machines ]; then
    machines=true
    shift
fi
scale=$((${1:-20000} / 200)) # a test of scale 1 has 200 expressions
first='' failed=0

digest() { # NAME COMMAND...
    local name=$1 line
    shift
    line=$(ZC_TEST_SCALE=$scale "$@" 2>&1 | tee "build/digest/$name.log" | grep '^digest of' || true)
    if [ -z "$line" ]; then
        echo "-- $name: FAILED, see build/digest/$name.log"
        failed=1
        return
    fi
    echo "-- $name: ${line#digest of }"
    first=${first:-${line##* }}
    if [ "${line##* }" != "$first" ]; then
        echo "-- $name: is not $first"
        failed=1
    fi
}

build() { # NAME CMAKE_OPTION...
    local build=build/digest/$1
    shift
    mkdir -p "$build"
    cmake -G Ninja -B "$build" -DCMAKE_BUILD_TYPE=Release -DZEROCAST_KERNEL_OPTIMISATION=-O2 -DZEROCAST_ALLOCATOR=system \
        -DZEROCAST_TEST_PLAIN=ON -DZEROCAST_EXAMPLES=OFF -DZEROCAST_TOOLS=OFF "$@" >"$build/log" 2>&1 &&
        cmake --build "$build" --target test_digest --parallel "$(nproc)" >>"$build/log" 2>&1 && return 0
    echo "-- ${build##*/}: FAILED, see $build/log"
    failed=1
    return 1
}

cross() { # TRIPLE [EMULATOR]
    local machine=${1%%-*}
    if build "$machine" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" -DCMAKE_C_COMPILER="$1-gcc"; then
        local program=build/digest/$machine/tests/test_digest loader=/usr/$1/lib/ld-linux.so.2
        # A machine that runs 32-bit x86 itself needs no emulator, which takes a hundred times as long.
        if [ -x "$loader" ] && "$loader" --verify "$program" 2>/dev/null; then
            digest "$machine" "$loader" --library-path "/usr/$1/lib" "$program"
        else
            digest "$machine" "${2:-qemu-$machine}" -L "/usr/$1" "$program"
        fi
    fi
}

mkdir -p build/digest
digest release build/release/tests/test_digest
if $machines; then
    if build clang -DCMAKE_C_COMPILER=clang; then
        digest clang build/digest/clang/tests/test_digest
    fi
    cross i686-linux-gnu qemu-i386
    cross aarch64-linux-gnu
    cross s390x-linux-gnu
fi
[ $failed = 1 ] || echo "the same digest everywhere: $first"
exit $failed
