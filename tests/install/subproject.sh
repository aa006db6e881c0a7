#!/usr/bin/env bash
# The library as a part of another build, which has hostile flags: its results have the bits of the build at hand, its
# names are its own, it is of the sort that BUILD_SHARED_LIBS says, and is installed only if that is wanted.
#
#   subproject.sh BUILD_FOLDER WORK_FOLDER        BUILD_FOLDER: the build at hand
set -euo pipefail

build=$(realpath "$1")
work=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

fail() {
    echo "subproject: $*" >&2
    exit 1
}

configure() { # FOLDER OPTION...: the kernels of one instruction set, since it takes minutes to compile all of them
    local folder=$work/$1
    shift
    cmake -G Ninja -S "$here/parent" -B "$folder" -DZEROCAST="$root" -DZEROCAST_PORTABLE_KERNELS=ON "$@" \
        >"$folder.log" 2>&1 || fail "$(cat "$folder.log")"
}

rm -rf "$work"
mkdir -p "$work"

for sort in "ON SHARED" "OFF STATIC"; do
    read -r is_shared type <<<"$sort"
    configure "$type" -DBUILD_SHARED_LIBS="$is_shared" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-Ofast \
        -DZEROCAST_KERNEL_OPTIMISATION=-O1 -DZEROCAST_TOOLS=OFF -DZEROCAST_INSTALL=OFF
    grep -q "zerocast::zerocast is a ${type}_LIBRARY" "$work/$type.log" ||
        fail "BUILD_SHARED_LIBS=$is_shared: $(grep 'zerocast::zerocast is' "$work/$type.log")"
done

cmake --build "$work/SHARED" --parallel "$(nproc)" >"$work/build.log" 2>&1 || fail "$(tail -30 "$work/build.log")"
cmake --install "$work/SHARED" --prefix "$work/installed" >/dev/null
installed=$(cd "$work/installed" && find . -type f -o -type l)
[ "$installed" = ./bin/numbers ] || fail "with ZEROCAST_INSTALL=OFF was installed: $installed"

library=$(find "$work/SHARED" -name libzerocast.so)
! objdump -d --section=.text "$library" | grep -B2 -A8 'or .*0x8040' | grep -q ldmxcsr ||
    fail "loading the library makes the process flush subnormals to zero"

"${CC:-cc}" -o "$work/numbers" "$here/numbers.c" -I"$root" -I"$root/include" -L"$build" -lzerocast -lm "-Wl,-rpath,$build"
"$work/numbers" >"$work/wanted"
"$work/SHARED/numbers" >"$work/printed"
grep -q ': none' "$work/wanted" && fail "there are results missing: $(grep ': none' "$work/wanted")"
diff "$work/wanted" "$work/printed" >"$work/differences" ||
    fail "flags of the other project changed results: $(cat "$work/differences")"
echo "subproject: $(wc -l <"$work/wanted") results have the same bits"
