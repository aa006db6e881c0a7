#!/usr/bin/env bash
# zerocast.hpp: complete beside zerocast.h, without a warning as C++17 and C++20 by every compiler that is here, with exceptions and
# without, in two translation units; its program gives what loops and C give; and what would be a mistake does not compile.
#
#   run.sh LIBRARY
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
library=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-I "$here/../../include" -Wall -Wextra -pedantic -Wconversion -Wshadow -Werror)
passed=0

# Compiles the files that need no second look by every compiler: once with exceptions, once without, by another one.
compile_shared() { # MODE COMPILER OPTION...
    [ ! -e "$work/spans.$1.o" ] || return 0
    for name in indices spans second; do
        "${@:2}" "${options[@]}" -c "$here/$name.cpp" -o "$work/$name.$1.o"
    done
}

build_and_run() { # COMPILER OPTION...
    command -v "$1" >/dev/null || return 0
    echo "$*"
    local mode=throws other=$1
    if [ "${*: -1}" = -fno-exceptions ]; then
        mode=records
        other=$(command -v clang++ || echo "$1")
    fi
    compile_shared $mode "$other" "${@:2}"
    "$@" "${options[@]}" -Wno-parentheses "$here/values.cpp" "$work"/*.$mode.o "$library" -Wl,-rpath,"$(dirname "$library")" -o "$work/values"
    (cd "$work" && ./values) # writes files
    passed=$((passed + 1))
}

# A mistake is refused, and the same with what was meant is not.
refuse() { # MISTAKE MEANT
    for statement in "$1" "$2"; do
        cat >"$work/mistake.cpp" <<EOF
#include "zerocast.hpp"
namespace zc = zerocast;
void f(zc::context &ctx, zc::tensor x, zc::tensor y);
void f(zc::context &ctx, zc::tensor x, zc::tensor y)
{
    $statement;
    (void)ctx, (void)x, (void)y;
}
EOF
        local status=0
        "$cxx" -std=c++17 -fsyntax-only "${options[@]}" "$work/mistake.cpp" 2>"$work/said" || status=$?
        if [ "$statement" = "$1" ] && [ "$status" = 0 ]; then
            echo "compiles: $1" >&2
            exit 1
        elif [ "$statement" = "$2" ] && [ "$status" != 0 ]; then
            echo "does not compile: $2" >&2
            cat "$work/said" >&2
            exit 1
        fi
    done
    passed=$((passed + 1))
}

python3 "$here/complete.py"
for compiler in g++ clang++; do
    for standard in c++17 c++20; do
        build_and_run $compiler -std=$standard
    done
    build_and_run $compiler -std=c++17 -fno-exceptions
done
cxx=$(command -v g++ || command -v clang++) || { echo "neither g++ nor clang++ was found" >&2; exit 1; }
refuse 'if (x == y) return' 'if (any(x == y).item<bool>()) return'
refuse '(void)(x && y)' '(void)(x & y)'
refuse '(void)sum(x, true)' '(void)sum(x, 1, zc::keepdims)'
refuse '(void)ctx.view(std::vector<int>{1})' '(void)ctx.copy(std::vector<int>{1})'
refuse 'zc::context other = ctx; (void)other' 'zc::context other = std::move(ctx); (void)other'
refuse 'x(0) = y' 'x = y'
refuse '(void)var(x, 0, zc::keepdims)' '(void)var(x, 0, 0, zc::keepdims)'
refuse '(void)x.values<bool>()' '(void)x.values<unsigned char>()'
refuse '(void)broadcast_to(x, {2, true})' '(void)broadcast_to(x, {2, 1})'
refuse '(void)(x + "1")' '(void)(x + 1)'
echo "$passed passed"
