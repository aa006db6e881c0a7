#!/usr/bin/env python3
"""Two builds of the benchmark in turns, to see what a change costs.

    bench/against.py OLD NEW [--times N] [BENCH OPTION...]

OLD and NEW are binaries: build/release/bench/bench of two work trees. Each round runs OLD, NEW and OLD again, without
peers, with --quick and the options that are left (--filter products). Printed are the rows in which NEW took more than
MOST of OLD's time in all rounds, and the geometric means; beside each the second run of OLD, which is what the machine
does by itself. The exit code is 1 where there is such a row, and 2 where nothing could be compared.
"""

import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 1.05
TIMES = 3


def measure(binary, options):
    """Our seconds by case, elements and threads."""
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records.json"
        command = [binary, "--quick", "--no-peers", "--quiet", "--json", str(records), *options]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code not in (0, 1) or not records.exists():  # 1: a target is missed
            print(f"{binary} ended with code {code}", file=sys.stderr)
            sys.exit(2)
        return {(r["case"], r["elements"], r["threads"]): r["ours_s"] for r in json.loads(records.read_text())}


def mean(ratios):
    return math.exp(statistics.fmean(math.log(r) for r in ratios))


def main():
    old, new, *options = sys.argv[1:]
    times = TIMES
    if "--times" in options:
        at = options.index("--times")
        times = int(options[at + 1])
        del options[at : at + 2]
    changed, control = {}, {}
    for number in range(times):
        before, after, again = measure(old, options), measure(new, options), measure(old, options)
        for row in before.keys() & after.keys() & again.keys():
            if before[row] and after[row] and again[row]:
                changed.setdefault(row, []).append(after[row] / before[row])
                control.setdefault(row, []).append(again[row] / before[row])
        print(f"round {number + 1} of {times}: {len(changed)} rows", file=sys.stderr)
    dropped = [row for row in changed if len(changed[row]) < times]
    for row in dropped:
        del changed[row], control[row]
    if not changed:
        print("no row was measured in all rounds", file=sys.stderr)
        return 2
    slower = [row for row in changed if min(changed[row]) > MOST]
    for row in sorted(slower, key=lambda row: -min(changed[row])):
        case, elements, threads = row
        print(f"{min(changed[row]):6.2f} {min(control[row]):6.2f}  {case}, {elements} elements, {threads} threads")
    means = [mean([statistics.median(r) for r in ratios.values()]) for ratios in (changed, control)]
    noisy = sum(min(ratios) > MOST for ratios in control.values())
    print(f"{len(slower)} of {len(changed)} rows above {MOST} in all rounds, {noisy} of OLD against itself")
    print(f"{len(dropped)} rows left out that were not measured in all rounds")
    print(f"geometric mean {means[0]:.3f}, {means[1]:.3f} of OLD against itself")
    return 1 if slower else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main())
