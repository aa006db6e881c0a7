#!/usr/bin/env bash
# The long forms of the tests, one after the other, each with the figure it reached; what is left of the time goes to the
# fuzz targets. The logs are in build/soak. Needs the presets release, asan and fuzz built; docs/reliability.md says what
# the figures are good for.
#
#   soak.sh HOURS|--quick
set -euo pipefail
cd "$(dirname "$0")/.."

hours=1
quick=false
if [ "${1:-1}" = --quick ]; then quick=true; else hours=${1:-1}; fi
deadline=$((SECONDS + hours * 3600))
logs=$PWD/build/soak
failed=0
mkdir -p "$logs"

at_scale() { # SCALE: what the long run takes; the quick one runs everything as often as the suite does
    if $quick; then echo 1; else echo "$1"; fi
}

tests() { # PRESET FOLDER FILTER SCALE: that part of a test program
    (cd "build/$1/tests/$2" && ZC_TEST_SCALE=$(at_scale "$4") "../test_$2" --verbose=1 --filter "$3")
}

step() { # NAME PATTERN COMMAND...: runs it, and prints the lines of its log that hold the figure
    local name=$1 pattern=$2 begun=$SECONDS verdict=passed
    shift 2
    "$@" >"$logs/$name.log" 2>&1 || verdict=FAILED
    if grep -qE "Sanitizer|runtime error" "$logs/$name.log"; then verdict=FAILED; fi
    [ $verdict = passed ] || failed=1
    printf '== %s: %s, %d s\n' "$name" $verdict $((SECONDS - begun))
    grep -hE "$pattern" "$logs/$name.log" | sed -E 's/^\[-*\] */   /' | sort | uniq -c | sort -rn | head -40 || true
}

failures() {
    tests asan diff 'failing_graphs/*' 5
    tests asan api 'failures/*' 1
    tests asan materialize '@(dlpack|npy_save|replaced_file)/*' 1
    tests asan tools '@(memory|fault)/*' 1
    awk '/allocation failures injected/ { sum += $1 } END { print sum + 0, "in all" }' "$logs/failures.log"
}

expressions() {
    local count=10000
    ! $quick || count=200
    tests/support/with_numpy.sh tests/tools/random_expressions.py "$PWD/build/release/zerocast" "$count"
}

huge() { # the threads of the test have stacks of that size, too
    (ulimit -s 64 && tests release api 'huge_graphs/*' 20)
}

mixtures() { # the quick run takes what is built of the library alone
    if $quick; then tests/install/mixtures.sh floats; else tests/install/mixtures.sh; fi
}

fuzz() { # what is left, shared among the targets
    local targets=(tests/fuzz/fuzz_*.c) left=$((deadline - SECONDS)) each=5
    if ! $quick && [ $((left / ${#targets[@]})) -gt $each ]; then each=$((left / ${#targets[@]})); fi
    tests/fuzz/run.sh "$each"
}

step failures '[0-9]+ in all' failures
step graphs 'graphs agree' tests release diff 'graphs/*' 23
step memory 'peaks are as predicted' tests release diff 'memory_promise/*' 25
step expressions 'expressions failed' expressions
step contractions 'the bits of the whole' tests release api 'contraction_parts/*' 200
step kills '[0-9]+ kills' tests release tools 'files/killed*' 50
step threads 'operations by each|passed' tests release api 'concurrency/*' 100
step cancel 'calls stopped' tests release api 'cancel/from_another_thread' 10
step huge 'nodes:' huge
step fma 'triples' tests release materialize 'fma/*' 65536
step mixtures '^-- ' mixtures
step accuracy 'float32: .* ULP' tests release materialize 'accuracy/errors*' $((hours < 5 ? hours * 1700 : 8192))
step spread 'float32: .* samples' tests release materialize 'accuracy/float32*' 256
step fuzz '^-- |number_of_executed_units|SUMMARY' fuzz
[ $failed = 0 ] && echo "== all passed" || echo "== something FAILED; the logs are in build/soak"
exit $failed
