#!/usr/bin/env bash
# Compares the binary interface with that of the release before: abidiff of both shared libraries, seen through the
# public header. Under the same SONAME nothing may be gone or changed; under another one the changes are only listed.
#
#   abi.sh [OLD_REVISION]        default: the newest tag that the commit at hand comes after
set -euo pipefail
cd "$(dirname "$0")/../.."

old=${1:-$(git describe --tags --abbrev=0 HEAD^ 2>/dev/null || true)}
if [ -z "$old" ]; then
    echo "abi: nothing to compare with, there is no tag yet"
    exit 0
fi
work=$PWD/build/abi
rm -rf "$work"
mkdir -p "$work/old/source"
git archive "$old" | tar -x -C "$work/old/source"

build() { # SOURCE FOLDER: a library with the types of its functions; the kernels of one instruction set will do
    cmake -G Ninja -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Debug -DZEROCAST_ALLOCATOR=system -DZEROCAST_PORTABLE_KERNELS=ON \
        -DZEROCAST_TESTS=OFF -DZEROCAST_TOOLS=OFF -DZEROCAST_EXAMPLES=OFF >"$2.log" 2>&1 &&
        cmake --build "$2" --target zerocast --parallel "$(nproc)" >>"$2.log" 2>&1 || {
        cat "$2.log" >&2
        exit 1
    }
}

soname() { # FOLDER
    readelf -d "$1/libzerocast.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'
}

compare() { # OPTION...: 0, or 4 where they differ; 8 is a difference that surely breaks programs
    local status=0
    abidiff "$@" --headers-dir1 "$work/old/source/include" --headers-dir2 include "$work/old/build/libzerocast.so" \
        "$work/new/libzerocast.so" || status=$?
    if [ $((status & 3)) != 0 ]; then
        echo "abi: abidiff failed" >&2
        exit 1
    fi
    return $status
}

build "$work/old/source" "$work/old/build"
build . "$work/new"
before=$(soname "$work/old/build") after=$(soname "$work/new")
echo "abi: $before of $old, $after now"
compare && echo "abi: the same interface"
if [ "$before" = "$after" ] && ! compare --no-added-syms >/dev/null; then
    echo "abi: programs built against $old may break, and the SONAME is the same" >&2
    exit 1
fi
