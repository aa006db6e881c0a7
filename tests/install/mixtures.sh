#!/usr/bin/env bash
# The library in the builds and processes of embedders, one line per mixture:
#
#   memory     sanitizers, Valgrind, a preloaded malloc(), dlopen(), static programs and musl: memory goes back to what it
#              came from, nothing is left, values are right (mixture.c)
#   floats     the environments of hosts, on one to seven threads: the same bits, and the host's settings as they were
#   parents    as a part of other projects, with flags, settings and targets of their own: the same bits, names of ours alone
#   builds     the oldest CMake and gcc
#
#   mixtures.sh [PART...]        default: all of them; what they build stays in build/mixtures
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$PWD
here=$root/tests/install
work=$root/build/mixtures
failed=0
mkdir -p "$work"
[ $# -gt 0 ] || set -- memory floats parents builds

say() { # VERDICT NAME [REASON]
    printf -- '-- %-8s %s%s\n' "$1" "$2" "${3:+: $3}"
    [ "$1" != FAILED ] || failed=1
}

has() { # NAME COMMAND...: all of them are there, or the mixture is skipped
    local name=$1 command
    shift
    for command in "$@"; do
        command -v "$command" >/dev/null && continue
        say skipped "$name" "no $command"
        return 1
    done
}

# The programs of a mixture write into one log, of which the end is shown where it fails.
fails() { # NAME
    say FAILED "$1" "see $work/$1.log"
    tail -n 12 "$work/$1.log" | cut -c 1-300
}

library() { # NAME COMPILER OPTION...: the library in build/mixtures/NAME, kernels of one instruction set, hardly optimised
    local name=$1 compiler=$2
    shift 2
    "${CMAKE:-cmake}" -G Ninja -B "$work/$name" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DZEROCAST_PORTABLE_KERNELS=ON -DZEROCAST_KERNEL_OPTIMISATION=-O1 \
        -DZEROCAST_TESTS=OFF -DZEROCAST_TOOLS=OFF -DZEROCAST_EXAMPLES=OFF "$@" >"$work/$name.log" 2>&1 &&
        cmake --build "$work/$name" --parallel "$(nproc)" >>"$work/$name.log" 2>&1
}

warnings=(-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g "-I$root" "-I$root/include")

program() { # LOG OUTPUT COMPILER ARGUMENT...: mixture.c, or what the arguments name
    local log=$work/$1.log output=$work/$2 compiler=$3
    shift 3
    "$compiler" "${warnings[@]}" -o "$output" "$@" >>"$log" 2>&1
}

runs() { # ALLOCATOR NAME COMMAND...: prints the name of that allocator, and nothing else
    local wanted=$1 name=$2 printed
    shift 2
    echo "$*" >>"$work/$name.log"
    printed=$("$@" 2>&1) || true
    echo "$printed" >>"$work/$name.log"
    [ "$(sort -u <<<"$printed")" = "$wanted" ]
}

mixture() { # NAME FUNCTION: which fails or passes
    : >"$work/$1.log"
    if "$2" "$1"; then say passed "$1"; else fails "$1"; fi
}

# ---- Memory ----

installed() { # the library as it is installed, by gcc, with jemalloc where that is
    local allocator=system
    ! pkg-config --exists jemalloc || allocator=jemalloc
    library gcc gcc -DZEROCAST_ALLOCATOR=$allocator -DZEROCAST_WERROR=ON || {
        fails gcc
        return 1
    }
    rm -rf "$work/prefix"
    cmake --install "$work/gcc" --prefix "$work/prefix" >/dev/null
    libdir=$(dirname "$(find "$work/prefix" -name libzerocast.a)")
    export PKG_CONFIG_PATH=$libdir/pkgconfig
    read -ra shared <<<"$(pkg-config --libs zerocast) -Wl,-rpath,$libdir -lpthread"
    read -ra static <<<"$(pkg-config --static --libs zerocast)"
    static=("${static[@]/#-lzerocast/$libdir/libzerocast.a}")
    jemalloc=$(ldconfig -p | sed -n 's/.*libjemalloc\.so\.2 .*=> //p' | head -1)
}

plain() {
    program "$1" shared gcc "$here/mixture.c" "${shared[@]}" && runs system "$1" "$work/shared" 10 &&
        program "$1" static gcc "$here/mixture.c" "${static[@]}" && runs system "$1" "$work/static" 10
}

wholly_static() {
    program "$1" whole gcc -static "$here/mixture.c" "${static[@]}" && runs system "$1" "$work/whole" 10
}

with_jemalloc() {
    local flags
    read -ra flags <<<"$(pkg-config --libs zerocast-jemalloc) -Wl,-rpath,$libdir -lpthread"
    program "$1" jemalloc gcc "$here/mixture.c" "${flags[@]}" && runs jemalloc "$1" "$work/jemalloc" 10 &&
        runs jemalloc "$1" env LD_PRELOAD="$jemalloc" "$work/shared" 10 &&
        runs jemalloc "$1" env LD_PRELOAD="$jemalloc" "$work/static" 10
}

# ThreadSanitizer does not see the atomics of a library that was built without it. Of gcc 12 it cannot place its shadow
# where addresses are randomised over more than 28 bits.
in_order=()
! setarch -R true 2>/dev/null || in_order=(setarch -R)

sanitized() { # LOG COMPILER SANITIZER
    program "$1" "$2-$3" "$2" "-fsanitize=$3" "$here/mixture.c" "${shared[@]}" &&
        runs system "$1" env TSAN_OPTIONS=report_bugs=0 "${in_order[@]}" "$work/$2-$3"
}

instrumented() { # LOG COMPILER SANITIZER: the library, too; zlib and libpng are not
    library "$1" "$2" -DBUILD_SHARED_LIBS=OFF -DZEROCAST_INSTALL=OFF "-DCMAKE_C_FLAGS=-fsanitize=$3" -DZEROCAST_ZLIB=OFF \
        -DZEROCAST_PNG=OFF -DZEROCAST_ALLOCATOR=system &&
        program "$1" "$1-program" "$2" "-fsanitize=$3" "$here/mixture.c" "$work/$1/libzerocast.a" -lm -lpthread &&
        runs system "$1" "${in_order[@]}" "$work/$1-program"
}

gcc_address() { sanitized "$1" gcc address; }
gcc_thread() { sanitized "$1" gcc thread; }
clang_address() { sanitized "$1" clang-19 address; }
clang_thread() { sanitized "$1" clang-19 thread; }
whole_gcc_thread() { instrumented "$1" gcc thread; }
whole_clang_thread() { instrumented "$1" clang-19 thread; }
whole_clang_memory() { instrumented "$1" clang-19 memory; }
whole_clang_address() { instrumented "$1" clang-19 address,undefined; }

under_valgrind() {
    runs system "$1" valgrind --quiet --leak-check=full --show-leak-kinds=all --error-exitcode=9 "$work/shared"
}

foreign() { # of the host, preloaded and in the program
    local kind
    for kind in FULL MINIMAL; do
        gcc -shared -fPIC -O1 -fno-builtin -D$kind -o "$work/malloc$kind.so" "$here/foreign_malloc.c" &&
            runs system "$1" env LD_PRELOAD="$work/malloc$kind.so" "$work/shared" 10 &&
            program "$1" own gcc -D$kind -fno-builtin -rdynamic "$here/mixture.c" "$here/foreign_malloc.c" "${shared[@]}" &&
            runs system "$1" "$work/own" 10 || return 1
    done
}

# Loads it without jemalloc, and with jemalloc beside it, for which its static TLS needs room.
loaded() {
    local flags kind
    program "$1" loader gcc "$here/loader.c" -ldl -lpthread &&
        program "$1" module.so gcc -DPLUGIN -shared -fPIC "$here/mixture.c" "${shared[@]}" || return 1
    for kind in local global; do
        runs system "$1" "$work/loader" $kind 10 "$work/module.so" || return 1
        [ -z "$jemalloc" ] || runs system "$1" env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=8192 "$work/loader" $kind 10 \
            "$jemalloc" "$work/module.so" || return 1
    done
    for kind in FULL MINIMAL; do
        runs system "$1" env LD_PRELOAD="$work/malloc$kind.so" "$work/loader" local 10 "$work/module.so" || return 1
    done
}

with_musl() { # without zlib and libpng, which Debian has for its own C library alone
    library "$1" musl-gcc -DZEROCAST_ALLOCATOR=system -DZEROCAST_ZLIB=OFF -DZEROCAST_PNG=OFF -DZEROCAST_WERROR=ON &&
        program "$1" musl-shared musl-gcc "$here/mixture.c" "-L$work/$1" -lzerocast "-Wl,-rpath,$work/$1" &&
        runs system "$1" "$work/musl-shared" 10 &&
        program "$1" musl-static musl-gcc -static "$here/mixture.c" "$work/$1/libzerocast.a" &&
        runs system "$1" "$work/musl-static" 10
}

memory() {
    mixture shared-and-static plain
    mixture wholly-static wholly_static
    if [ -n "$jemalloc" ] && pkg-config --exists zerocast-jemalloc; then
        mixture jemalloc with_jemalloc
    else
        say skipped jemalloc "it is not installed"
    fi
    mixture foreign-malloc foreign
    mixture dlopen loaded
    ! has valgrind valgrind || mixture valgrind under_valgrind
    mixture gcc-address gcc_address
    mixture gcc-thread gcc_thread
    mixture all-gcc-thread whole_gcc_thread
    if has clang-19-sanitizers clang-19; then
        mixture clang-address clang_address
        mixture clang-thread clang_thread
        mixture all-clang-address whole_clang_address
        mixture all-clang-thread whole_clang_thread
        mixture all-clang-memory whole_clang_memory
    fi
    ! has musl musl-gcc || mixture musl with_musl
}

# ---- Floats ----

numbers() { # OUTPUT COMPILER ARGUMENT...: numbers.c, whose own constants stay as they are
    local output=$1 compiler=$2
    shift 2
    program floats "$output" "$compiler" "$here/numbers.c" "$@" "${shared[@]}" -lm
}

same_numbers() { # LOG PROGRAM ARGUMENT...: as those of one thread in the default environment
    local log=$work/$1.log
    shift
    if ! "$@" >"$work/printed" 2>>"$log" || ! diff "$work/wanted" "$work/printed" >>"$log"; then
        echo "$*: other results" >>"$log"
        return 1
    fi
}

of_hosts() {
    local host threads
    for host in {0..9}; do
        for threads in {1..7}; do
            same_numbers "$1" "$work/numbers" "$threads" "$host" || return 1
        done
    done
}

# Programs whose start sets the processor to flush subnormals.
of_fast_programs() {
    local compiler threads
    for compiler in gcc clang-19; do
        command -v $compiler >/dev/null || continue
        numbers fast $compiler -O3 -ffast-math -fno-finite-math-only || return 1
        for threads in 1 2 5; do
            same_numbers "$1" "$work/fast" $threads || return 1
        done
    done
}

wanted_numbers() {
    : >"$work/floats.log"
    numbers numbers gcc && "$work/numbers" 1 0 >"$work/wanted" && ! grep -E "none|another environment" "$work/wanted"
}

floats() {
    mixture ten-environments of_hosts
    mixture fast-programs of_fast_programs
}

# ---- Parents ----

parent() { # LOG COMPILER C++ FLAGS OPTION...: shared and static, and nothing of ours installed
    local log=$work/$1.log folder=$work/$1 compiler=$2 with=$3 flags=$4 program
    shift 4
    rm -rf "$folder/installed"
    cmake -G Ninja -S "$here/parent" -B "$folder" -DZEROCAST="$root" -DZEROCAST_PORTABLE_KERNELS=ON \
        -DZEROCAST_KERNEL_OPTIMISATION=-O1 -DZEROCAST_TOOLS=OFF -DZEROCAST_INSTALL=OFF -DBUILD_SHARED_LIBS=ON \
        -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$with" -DPARENT_FLAGS="$flags" "$@" >>"$log" 2>&1 &&
        cmake --build "$folder" --parallel "$(nproc)" >>"$log" 2>&1 &&
        cmake --install "$folder" --prefix "$folder/installed" >>"$log" 2>&1 || return 1
    for program in numbers numbers_static; do
        same_numbers "${folder##*/}" "$folder/$program" 1 && same_numbers "${folder##*/}" "$folder/$program" 3 || return 1
    done
    [ "$(cd "$folder/installed" && find . -type f -o -type l)" = ./bin/numbers ]
}

arithmetic="-ffast-math;-fsingle-precision-constant;-frounding-math;-fcx-limited-range;-fcx-fortran-rules"
arithmetic+=";-funsafe-math-optimizations;-fno-signed-zeros;-freciprocal-math;-fno-trapping-math;-mrecip;-ftrapv"
arithmetic+=";-fdenormal-fp-math=positive-zero;-fapprox-func;-ffp-contract=fast"

fast_gcc() {
    parent "$1" gcc g++ "$arithmetic" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-Ofast
}

fast_clang() {
    parent "$1" clang-19 clang++-19 "$arithmetic" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O3 -ftrapv"
}

# No type of build, another standard, flags that change types, names and when code is made.
odd_gcc() {
    parent "$1" gcc g++ "-flto=auto;-fvisibility=internal;-funsigned-char;-fshort-enums;-fno-signed-zeros;-fipa-pta" \
        -DCMAKE_BUILD_TYPE= -DCMAKE_C_STANDARD=11 -DCMAKE_C_EXTENSIONS=OFF -DCMAKE_EXE_LINKER_FLAGS=-flto=auto
}

# Each flag alone: none is left in force beside ours, and one that we cannot take back is refused.
alone() {
    local compiler
    for compiler in gcc gcc-11 clang-14 clang-19; do
        command -v $compiler >/dev/null || continue
        python3 "$here/flags.py" $compiler >>"$work/$1.log" 2>&1 || return 1
    done
    ! gcc -fsyntax-only -mfpmath=387 -I"$root" -x c "$root/math/floats/float_bits.h" 2>>"$work/$1.log"
}

parents() {
    mixture flags-alone alone
    mixture parent-gcc-fast fast_gcc
    ! has parent-clang-fast clang-19 clang++-19 || mixture parent-clang-fast fast_clang
    mixture parent-gcc-odd odd_gcc
}

# ---- Builds ----

oldest() { # CMake 3.22 with gcc 11: the library, the command, and tests of views and of random graphs
    "$work/cmake-3.22/bin/cmake" -G Ninja -B "$work/$1" -DCMAKE_C_COMPILER=gcc-11 -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DZEROCAST_KERNEL_OPTIMISATION=-O0 -DZEROCAST_WERROR=ON -DZEROCAST_ALLOCATOR=system \
        -DZEROCAST_TEST_PLAIN=ON -DZEROCAST_EXAMPLES=OFF >>"$work/$1.log" 2>&1 &&
        cmake --build "$work/$1" --target product test_views test_diff --parallel "$(nproc)" >>"$work/$1.log" 2>&1 &&
        "$work/$1/tests/test_views" >>"$work/$1.log" 2>&1 && "$work/$1/tests/test_diff" >>"$work/$1.log" 2>&1 &&
        [ "$("$work/$1/zerocast" eval '1 + 2')" = 3 ]
}

builds() {
    has cmake-3.22-gcc-11 gcc-11 || return 0
    if [ ! -x "$work/cmake-3.22/bin/cmake" ] && ! { python3 -m venv "$work/cmake-3.22" &&
        "$work/cmake-3.22/bin/pip" install --quiet 'cmake==3.22.*'; } >"$work/pip.log" 2>&1; then
        say skipped cmake-3.22-gcc-11 "PyPI is not reached"
        return 0
    fi
    mixture cmake-3.22-gcc-11 oldest
}

if [ "$*" = builds ] || installed; then
    [ "$*" = builds ] || wanted_numbers || say FAILED floats "see $work/wanted"
    for part in "$@"; do
        "$part"
    done
fi
exit $failed
