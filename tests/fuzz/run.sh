#!/usr/bin/env bash
# Runs every target of the fuzz preset for some seconds, beginning with its committed corpus. New inputs are kept in
# build/fuzz/corpus; what crashes a target is written to build/fuzz/NAME-crash-... and is worth committing to the corpus
# once mended.
#
#   run.sh SECONDS
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=$1
found=0
for source in tests/fuzz/fuzz_*.c; do
    [ -e "$source" ] || continue
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    new=build/fuzz/corpus/$name
    mkdir -p "$new"
    corpora=("$new")
    if [ -d "tests/fuzz/corpus/$name" ]; then
        corpora+=("tests/fuzz/corpus/$name")
    fi
    echo "-- $name for $seconds s"
    if ! "build/fuzz/tests/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="build/fuzz/$name-" "${corpora[@]}"; then
        found=1
    fi
done
exit $found
