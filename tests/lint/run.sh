#!/usr/bin/env bash
# Every check that reads the code instead of running it. Prints each finding; exit code 1 when there is one.
set -uo pipefail
cd "$(dirname "$0")/../.."

failed=()

check() { # NAME COMMAND...
    local name=$1
    shift
    echo "-- $name"
    "$@" || failed+=("$name")
}

# Sources of kernels only mean something below an arch_*.h: the portable ones are analysed as CMake writes them. Where
# refusals are not defined but called, the analyser is told what they return (analyser.h). gcc's own flags are no clang's.
tidy() {
    local files=() defining=() file
    cmake --preset dev >/dev/null || return 1
    mkdir -p build/lint
    sed -E 's/ -fno-(fast-math|unsafe-math-optimizations|single-precision-constant|cx-limited-range|cx-fortran-rules|allow-store-data-races|trapv)//g' \
        build/dev/compile_commands.json >build/lint/compile_commands.json
    while IFS= read -r file; do
        if grep -qE '^(zc_status zc_(refuse|fail|fail_because|fail_memory|file_error)|bool zc_fault_[a-z]+)\(' "$file"; then
            defining+=("$file")
        else
            files+=("$file")
        fi
    done < <(find views runtime materialize expressions tools examples bench -name '*.c' ! -path '*/kernels/*'
        ls materialize/kernels/tables/dispatch.c build/dev/materialize/kernels/portable_*.c)
    local with=(--extra-arg=-include --extra-arg=tests/lint/analyser.h --extra-arg="-I$PWD")
    printf '%s\0' "${files[@]}" | xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p build/lint "${with[@]}" 2>/dev/null &&
        clang-tidy --quiet -p build/lint "${defining[@]}" 2>/dev/null
}

# cppcheck cannot expand the kernels, takes a row's operand names for swapped arguments, does not see that an array is
# filled as far as it is copied, and defines the name of a table (formats.c) as nothing.
analyse() {
    find views runtime materialize expressions tools -name '*.c' ! -path '*/kernels/*' -print0 |
        xargs -0 cppcheck --quiet --enable=warning,performance,portability --std=c11 --inline-suppr \
            --suppress=funcArgOrderDifferent --suppress=uninitvar --suppress=preprocessorErrorDirective \
            --error-exitcode=1 -j "$(nproc)" -I . -I include
}

# At -O1, so that it follows what is inlined; at an asm statement it forgets what it knows of memory.
analyse_paths() {
    find views runtime materialize expressions tools -name '*.c' ! -path '*/kernels/*' -print0 |
        xargs -0 -n 1 -P "$(nproc)" gcc -std=c17 -O1 -fanalyzer -Werror -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_GNU_SOURCE \
            '-DZC_DEFAULT_FLOATS()=(void)0' -I. -Iinclude -c -o /dev/null
}

# Each status that a call returns is looked at.
find_ignored_statuses() {
    local headers
    headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))') || return 1
    find views runtime materialize expressions tools python examples -name '*.c' ! -path '*/kernels/*' -print0 |
        xargs -0 -n 8 -P "$(nproc)" clang -std=c17 -fsyntax-only -Wno-everything -Werror=unused-result \
            -include tests/lint/answers.h -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_GNU_SOURCE -I. -Iinclude -I"$headers"
}

format() {
    find include math views runtime materialize expressions tools python examples bench tests -name '*.[ch]' -print0 |
        xargs -0 clang-format --dry-run --Werror
}

check "rules of the repository" python3 tests/lint/lint.py
check "the rules' own test" python3 tests/lint/lint.py --self
check "kinds of stages" python3 tests/lint/stage_kinds.py
check "the test of these kinds" python3 tests/lint/stage_kinds.py --self
check "prose of the change" python3 tests/lint/prose.py
check "the test of that" python3 tests/lint/prose.py --self
check "docs/operations.md (mend with tests/lint/operations.py)" python3 tests/lint/operations.py --check
check "docs/numerics/functions.md (mend with tests/numerics/specify.py)" python3 tests/numerics/specify.py --check
check "docs/array_api.md against the standard" python3 tests/lint/array_api.py
check "clang-format (mend with clang-format -i FILE)" format
# The words that are let through are misspelt on purpose, in the tests of suggestions, or names of NumPy's.
check "codespell" codespell --skip './build,./.git,*.npy,corpus' --ignore-words-list te,valeu,nin,fro,fo .
check "ignored statuses" find_ignored_statuses
check "cppcheck" analyse
check "gcc -fanalyzer" analyse_paths
check "clang-tidy" tidy

if [ ${#failed[@]} -gt 0 ]; then
    echo "lint: not passed: ${failed[*]}" >&2
    exit 1
fi
echo "lint: all passed"
