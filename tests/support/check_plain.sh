#!/usr/bin/env bash
# The plain runner's verdicts on plain_sample.c, and its exit codes.
#
#   check_plain.sh PLAIN_SAMPLE
set -uo pipefail

printed=$("$1" 2>/dev/null)
status=$?
if [ "$printed" != "3 passed, 3 failed, 2 skipped" ] || [ $status -ne 1 ]; then
    echo "the plain runner said '$printed' with exit code $status"
    exit 1
fi
printed=$("$1" "no such suite") || exit 1
[ "$printed" = "0 passed, 0 failed" ] || exit 1
