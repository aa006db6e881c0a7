#!/usr/bin/env bash
# Turns the counts that the tests of the coverage preset left behind into build/coverage/html and a table per room, and
# fails when a room is below coverage/floors. `./dev coverage` builds and tests first.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/coverage
# geninfo 1.16 reports its own Perl on newer interpreters; that says nothing about the run.
lcov_() {
    lcov --quiet --rc lcov_branch_coverage=1 "$@" 2> >(grep -v '^Subroutine .* redefined' >&2)
}

# Kernels that this machine cannot run are counted where one can.
missing=
if [ "$(uname -m)" = x86_64 ] && ! grep -qw avx512vl /proc/cpuinfo; then
    missing=avx512
    echo "without AVX-512: its kernels are not counted"
    find $build -name "$missing*.gcda" -delete
fi

lcov_ --capture --directory $build --base-directory . --no-external --output-file $build/all.info
lcov_ --extract $build/all.info "$PWD/include/*" "$PWD/math/*" "$PWD/views/*" "$PWD/runtime/*" "$PWD/materialize/*" "$PWD/expressions/*" "$PWD/tools/*" \
    --output-file $build/rooms.info
rm -rf $build/html
genhtml --quiet --branch-coverage --legend --prefix "$PWD" --title zerocast --output-directory $build/html \
    $build/rooms.info >/dev/null
echo "report: $build/html/index.html"
python3 coverage/summary.py $build/rooms.info $missing
