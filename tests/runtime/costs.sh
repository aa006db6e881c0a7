#!/usr/bin/env bash
# A cost that no row may have is a sentence of the compiler's that names the row: costs.sh CC
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/runtime/ops"

compile() { # COST: the table's, with that cost of square
    sed -E "s/^(ZC_OP\(SQUARE,([^,]*,){5}) *[0-9]+,/\1 $1,/" runtime/ops/ops.def >"$work/runtime/ops/ops.def"
    grep -qE "^ZC_OP\(SQUARE,.* $1, +RULE" "$work/runtime/ops/ops.def" || {
        echo "no row of square with the cost $1 was made"
        exit 1
    }
    "${cc[@]}" -std=c17 -fsyntax-only -I "$work" -I . -I include runtime/ops/ops.c >"$work/said" 2>&1
}

cc=("$@")
for cost in $(sed -n "s/^#define ZC_IS_CHEAP_\([0-9]*\) .*/\1/p" runtime/ops/ops.h); do
    compile $cost || {
        cat "$work/said"
        echo "the cost $cost is refused"
        exit 1
    }
done
for cost in 0 3 5 33 100; do
    if compile $cost; then
        echo "the cost $cost is taken"
        exit 1
    fi
    grep -q "error.*runtime/ops/ops.def: square costs $cost, which ops.h does not list" "$work/said" || {
        cat "$work/said"
        echo "no sentence about the cost $cost"
        exit 1
    }
    [ "$(grep -c ': error: ' "$work/said")" = 1 ] || {
        cat "$work/said"
        echo "more than one error for the cost $cost"
        exit 1
    }
done
