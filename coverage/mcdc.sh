#!/usr/bin/env bash
# Turns the profiles that the tests of the preset mcdc left behind into a table per room: of the conditions in decisions of
# two or more, how many were shown to decide alone (MC/DC). Fails when a room is below coverage/floors.
# `./dev coverage mcdc` builds and tests first.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/mcdc
objects=("$build/libzerocast.so" "$build/zerocast" "$build"/tests/test_{views,materialize,tools})
llvm-profdata-19 merge -o $build/all.profdata $build/profiles/*.profraw
llvm-cov-19 export -instr-profile=$build/all.profdata "${objects[@]/#/--object=}" >$build/mcdc.json
python3 coverage/mcdc.py $build/mcdc.json $build/mcdc-open.txt
