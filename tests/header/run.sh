#!/usr/bin/env bash
# zerocast.h compiles alone, without a warning, as C11, C17, C++17 and C++20, with every compiler that is here, and means
# the same to programs with short enumerations.
#
#   run.sh
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
warnings=(-Wall -Wextra -pedantic-errors -Wconversion -Wshadow -Wundef -Werror -fsyntax-only)
compiled=0

compile() { # COMPILER LANGUAGE STANDARD
    command -v "$1" >/dev/null || return 0
    echo "$1 -std=$3"
    for enums in -fno-short-enums -fshort-enums; do
        "$1" -x "$2" "-std=$3" "${warnings[@]}" $enums -I "$here/../../include" "$here/alone.c"
    done
    compiled=$((compiled + 1))
}

for standard in c11 c17; do
    compile gcc c $standard
    compile clang c $standard
done
for standard in c++17 c++20; do
    compile g++ c++ $standard
    compile clang++ c++ $standard
done
[ "$compiled" -ge 4 ] || { echo "neither gcc and g++ nor clang and clang++ were found" >&2; exit 1; }
