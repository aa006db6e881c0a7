#!/usr/bin/env bash
# The command under the memory limit of a control group, version 2: what has no blocks is refused beyond 80 % of it with
# need, limit and the largest window, and the window that it names fits. The group is made up where the command looks for the real one, in a
# mount namespace of this script's own; where the machine lets nobody have one, nothing is tested.
#
#   control_group.sh ZEROCAST
set -euo pipefail

if [ "${2:-}" != inside ]; then
    if ! unshare --map-root-user --mount mount -t tmpfs groups /sys/fs/cgroup 2>/dev/null; then
        echo "not tested: no mount namespaces here"
        exit 0
    fi
    exec unshare --map-root-user --mount "$0" "$1" inside
fi

mount -t tmpfs groups /sys/fs/cgroup
echo 10000000 >/sys/fs/cgroup/memory.max
unset ZEROCAST_MEMORY_LIMIT
result=$(mktemp)
trap 'rm -f "$result"' EXIT
passed=0
failed=0

expect() { # EXIT_CODE SENTENCE ARGUMENT...
    local wanted=$1 sentence=$2 code=0 said
    shift 2
    said=$("$zerocast" eval "$@" -o "$result" 2>&1) || code=$?
    if [ "$code" = "$wanted" ] && [[ $said == *"$sentence"* ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "exit code $code instead of $wanted, or not \"$sentence\": eval $*: $said"
    fi
}

zerocast=$1
numbers='sort(reshape(arange(2000000.), (2000, 1000)))'
over='16016064 bytes of memory are needed with 0 held already, over the limit of 8000000; a window of 997 of the 2000'
expect 1 "$over" "$numbers"
expect 0 '' "sort(reshape(arange(2000000.), (2000, 1000))[0:997])"
expect 0 '' 'broadcast_to(1.5, 2000000)'
expect 1 'a window of 872 of the 2000' "$numbers" --memory-limit=7000000
expect 0 '' "$numbers" --memory-limit=17M
echo max >/sys/fs/cgroup/memory.max
expect 0 '' "$numbers"
ZEROCAST_MEMORY_LIMIT=8000000 expect 1 "$over" "$numbers"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
