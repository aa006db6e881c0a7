#!/usr/bin/env python3
"""Integers of the command's language, against Python's own: arithmetic, comparisons, and what is refused.

    integers.py ZEROCAST [COUNT [SEED]]

Results are those of Python where int64 or uint64 has them, and one sentence elsewhere. ZC_TEST_SEED sets the seed.
"""

import json
import os
import random
import subprocess
import sys

LOWEST, HIGHEST = -(2**63), 2**64 - 1
OPERATORS = "+ - * // % / ** << >> & | ^ < <= > >= == !=".split()
EDGES = [0, 1, 2, 3, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
EDGES += [-n for n in EDGES if 0 < n <= 2**63]


def number(r):
    return r.choice(EDGES) if r.random() < 0.6 else r.randint(LOWEST, HIGHEST) >> r.choice([0, 1, 17, 40, 55])


def drawn(r):
    a, operator, b = number(r), r.choice(OPERATORS), number(r)
    if operator in ("<<", ">>", "**"):
        b = r.choice([0, 1, 2, 5, 31, 62, 63, 64, 65, 200, -1] if operator != "**" else [0, 1, 2, 3, 5, 40, 63, 64])
    if r.random() < 0.2:
        return f"{r.choice('-~')}({a})"
    if r.random() < 0.1 and operator in ("<", "<=", ">", ">=", "==", "!="):
        return f"({a}) {operator} {float(b)}"
    return f"({a}) {operator} ({b})"


def wanted(text):
    """Python's value, or None where there is none of 64 bits."""
    try:
        value = eval(text)  # of our own making
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return value if isinstance(value, (bool, float)) or LOWEST <= value <= HIGHEST else None


def run(command, text):
    return subprocess.run([command, "eval", "--json", text], capture_output=True, text=True, timeout=60, check=False)


def main(command, count=400, seed=None):
    seed = int(seed or os.environ.get("ZC_TEST_SEED") or random.randrange(2**32))
    print(f"seed {seed}")
    r = random.Random(seed)
    texts = [drawn(r) for _ in range(int(count))]
    told = [text for text in texts if wanted(text) is not None]
    for begin in range(0, len(told), 50):
        part = told[begin : begin + 50]
        done = run(command, f"({', '.join(f'asarray({text})' for text in part)},)")
        assert done.returncode == 0, f"{part}: {done.stderr}"
        for text, result in zip(part, json.loads(done.stdout)["results"]):
            value = wanted(text)
            assert result["data"] == value, f"{text} is {result['data']}, not {value}"
            dtype = "bool" if value is True or value is False else "float64" if isinstance(value, float) else None
            dtype = dtype or ("int64" if value < 2**63 else "uint64")
            assert result["dtype"] == dtype, f"{text} is of {result['dtype']}, not {dtype}"
    for text in [text for text in texts if wanted(text) is None][:60]:
        done = run(command, text)
        assert done.returncode != 0 and done.stderr.count("\n") == 1, f"{text}: {done.stdout}{done.stderr}"
    print(f"{len(texts)} passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
