#!/usr/bin/env bash
# A sample of the suite under Valgrind: no error, and every block given back. The preset valgrind leaves out the kernels for
# AVX-512, which Valgrind cannot decode, and runs the tests in one process.
set -euo pipefail
cd "$(dirname "$0")/../build/valgrind/tests"

failed=0

check() { # NAME PROGRAM ARGUMENT...
    local name=$1 log=$PWD/valgrind-$1.log verdict=passed
    shift
    valgrind --quiet --leak-check=full --show-leak-kinds=all --error-exitcode=99 --num-callers=30 "$@" >"$log" 2>&1 ||
        verdict="FAILED, see $log"
    [ "$verdict" = passed ] || failed=1
    echo "-- $name: $verdict; $(grep -hE '^[0-9]+ passed' "$log" | tail -n 1)"
}

for target in npy expression views graph dlpack; do
    check "replay of $target" "./replay_$target" "../../../tests/fuzz/corpus/$target"
done
check materialize ./test_materialize plan dlpack text plan_cache
check api ./test_api context elementwise materialize explain views bitcast statistics
exit $failed
