"""Figures of the Python package beside NumPy's, in one interleaved run; the goals stand behind them.

./dev python figures [--leak]        --leak: 10^6 operations and refusals, and what the process grew by
"""

import subprocess
import sys
import time

import numpy as np

import zerocast as zc
from test_package import resident, step

SIZES = {10**3: (2000, 1.0), 10**6: (10, 0.5), 10**8: (1, 0.25)}


def seconds(function, times):
    start = time.perf_counter()
    for _ in range(times):
        function()
    return (time.perf_counter() - start) / times


def best(functions, times, rounds=9):
    """The shortest time of each, measured in turns."""
    found = [float("inf")] * len(functions)
    for _ in range(rounds):
        found = [min(old, seconds(function, times)) for old, function in zip(found, functions)]
    return found


def chains():
    for size, (times, goal) in SIZES.items():
        a = np.arange(float(size))
        x = zc.asarray(a)
        ours, theirs = best([lambda x=x: ((x * 2 + 1) * x).materialize(), lambda a=a: (a * 2 + 1) * a], times)
        beside = f"NumPy {1e6 * theirs:10.1f} us: {ours / theirs:.2f} (<= {goal})"
        print(f"(x*2+1)*x of {size:9} doubles: {1e6 * ours:10.1f} us, {beside}")


def small():
    a = np.arange(16.0)
    x = zc.asarray(a)
    record, three, theirs = best([lambda: x + x, lambda: ((x * 2 + 1) * x).materialize(), lambda: (a * 2 + 1) * a], 20000)
    print(f"one operation recorded: {1e6 * record:.2f} us (<= 0.5)")
    print(f"three operations on 16 elements: {1e6 * three:.2f} us (<= 3), NumPy {1e6 * theirs:.2f} us")


def importing():
    program = "import time; t = time.process_time(); import zerocast; print(time.process_time() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(20)]
    print(f"import: {1000 * min(times):.1f} ms (<= 30)")


def leak():
    x = zc.asarray(np.arange(16.0))
    for i in range(50_000):
        step(x, i)
    before = resident()
    for i in range(1_000_000):
        step(x, i)
    print(f"after 10^6 steps of a loop: {resident() - before} KiB more (0)")


if __name__ == "__main__":
    small()
    chains()
    importing()
    if "--leak" in sys.argv:
        leak()
