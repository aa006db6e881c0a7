#!/usr/bin/env bash
# Installs a build into a staging folder, moves that folder, and builds and runs programs against what is there:
# with pkg-config (shared, static) and with CMake's find_package (C, static, C++). Then each way to link and load an
# allocator (allocators.sh).
#
#   run.sh BUILD_FOLDER WORK_FOLDER
set -euo pipefail

build=$(realpath "$1")
work=$2
here=$(cd "$(dirname "$0")" && pwd)

fail() {
    echo "install test: $*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/staged" >/dev/null
mv "$work/staged" "$work/moved"
prefix=$(realpath "$work/moved")
libdir=$(dirname "$(find "$prefix" -name libzerocast.a)")
version=$(sed -n 's/^#define ZC_VERSION_[A-Z]* //p' "$prefix/include/zerocast.h" | paste -sd.)
expected="zerocast $version: 1000000000000 elements"

soname=$(readelf -d "$libdir/libzerocast.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "libzerocast.so.${version%.*}" ] || fail "the SONAME is '$soname'"
[ -e "$libdir/$soname" ] || fail "$soname was not installed"

check() { # NAME COMMAND...: the command prints what every consumer prints
    local name=$1 printed
    shift
    printed=$("$@") || fail "$name: exit code $?"
    [ "$printed" = "$expected" ] || fail "$name printed '$printed'"
    echo "$name: $printed"
}

export PKG_CONFIG_PATH="$libdir/pkgconfig"
[ "$(pkg-config --modversion zerocast)" = "$version" ] || fail "zerocast.pc states another version"
# shellcheck disable=SC2046 # pkg-config prints words
${CC:-cc} -o "$work/shared" "$here/consumer.c" $(pkg-config --cflags --libs zerocast) "-Wl,-rpath,$libdir"
check "pkg-config, shared" "$work/shared"
# shellcheck disable=SC2046
${CC:-cc} -o "$work/static" "$here/consumer.c" $(pkg-config --cflags zerocast) "$libdir/libzerocast.a" \
    $(pkg-config --static --libs zerocast | sed 's/-lzerocast//')
check "pkg-config, static" "$work/static"

# The line as pkg-config prints it, -lm last: of static libraries, the linker looks only into those that come later.
line=$(pkg-config --static --libs zerocast)
case "$line" in *-lm | *"-lm ") ;; *) fail "-lm does not come last: $line" ;; esac
# shellcheck disable=SC2046,SC2086
${CC:-cc} -static -o "$work/whole" "$here/consumer.c" $(pkg-config --static --cflags zerocast) $line \
    2>"$work/static.log" ||
    fail "the static line does not link: $(cat "$work/static.log")"
check "pkg-config, wholly static" "$work/whole"

cmake -G Ninja -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" 2>&1 ||
    fail "find_package: $(cat "$work/cmake.log")"
cmake --build "$work/cmake" >"$work/cmake.log" 2>&1 || fail "find_package: $(cat "$work/cmake.log")"
for consumer in consumer_c consumer_static consumer_cpp; do
    check "find_package, $consumer" "$work/cmake/$consumer"
done

"$here/allocators.sh" "$libdir" "$work" || fail "allocators"

if [ -e "$build/zerocast" ]; then
    printed=$("$prefix/bin/zerocast" --version) || fail "the installed command does not run"
    case $printed in *"$version"*) ;; *) fail "zerocast --version printed '$printed'" ;; esac
    echo "command: $printed"
fi
