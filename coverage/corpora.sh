#!/usr/bin/env bash
# Checks that the corpora of the fuzz targets alone reach at least 90 % of the lines of each file that the targets parse
# with, since a fuzzer that begins elsewhere needs hours to find its way in. Needs the preset coverage built; `./dev
# coverage corpora` does that.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/coverage
find $build -name '*.gcda' -delete
for replay in "$build"/tests/replay_*; do
    "$replay" "tests/fuzz/corpus/${replay##*_}" | tail -n 1
done

failed=0
for file in materialize/files/npy_header.c expressions/language/lexer.c expressions/language/lexer_number.c expressions/values/literal.c expressions/language/parser.c expressions/language/parser_stack.c \
    views/view.c views/slice.c views/reshape.c views/broadcast.c views/compose.c views/view_ops.c; do
    counts=$(find "$build/${file%%/*}" -name "${file##*/}.gcda")
    percent=$(gcov --no-output --object-directory "${counts%/*}" "$counts" 2>/dev/null |
        grep -A 1 "^File '.*/$file'" | sed -n 's/^Lines executed:\([0-9.]*\)%.*/\1/p')
    printf '%-24s %6s %% of its lines\n' "$file" "$percent"
    awk "BEGIN { exit !($percent < 90) }" && failed=1
done
exit $failed
