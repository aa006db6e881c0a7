#!/usr/bin/env bash
# The library, the command, the tests of views, and the random graphs against an eager oracle by every compiler that is
# installed: without a warning, and passing. The last is a 32-bit machine, by a clang that has integers of 128 bits there.
# Compilers that are not installed are named.
#
#   compilers.sh [--quick]       with kernels as they are written, not optimised, which take most of the time, without gcc,
#                                which compiles everything else, and without the clang between the oldest and the newest
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
kernels=-O3
versions="14 16 19"
if [ "${1:-}" = --quick ]; then
    kernels=-O0
    versions="14 19"
fi

check() { # NAME COMPILER CMAKE_OPTION...
    local build=build/compilers/$1 name=$1 compiler=$2 views graphs
    shift 2
    if ! command -v "$compiler" >/dev/null; then
        echo "-- $name: not installed"
        return 0
    fi
    mkdir -p "$build"
    if cmake -G Ninja -B "$build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 \
        -DZEROCAST_WERROR=ON -DZEROCAST_KERNEL_OPTIMISATION=$kernels -DZEROCAST_ALLOCATOR=system -DZEROCAST_TEST_PLAIN=ON \
        -DZEROCAST_EXAMPLES=OFF "$@" >"$build/log" 2>&1 &&
        cmake --build "$build" --target product test_views test_diff --parallel "$(nproc)" >>"$build/log" 2>&1 &&
        views=$("$build/tests/test_views" 2>>"$build/log" | tail -n 1) &&
        graphs=$("$build/tests/test_diff" 2>>"$build/log" | tail -n 1); then
        echo "-- $name: no warning; views: $views; graphs: $graphs"
    else
        failed=1
        echo "-- $name: FAILED, see $build/log"
        grep -hE "error|does not hold" "$build/log" | head -20 || true
    fi
}

[ "$kernels" = -O0 ] || check gcc gcc
for version in $versions; do
    check clang-$version clang-$version
done
check clang-19-32-bit clang-19 -DCMAKE_C_FLAGS=-m32
exit $failed
