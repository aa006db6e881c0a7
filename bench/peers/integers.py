"""Integers, bools, cumulative sums."""

import numpy as np

from packages import both


def square_of(x, y, p):
    return both(lambda m, x: x**2, x)


def seventh(x, y, p):
    return both(lambda m, x: x // 7, x)


def any_of(x, y, p):
    return both(lambda m, x: m.any(x), x)


def all_of(x, y, p):
    return both(lambda m, x: m.all(x), x)


def count_of(x, y, p):
    return both(lambda m, x: m.count_nonzero(x).astype(np.int64) if m is not np else np.count_nonzero(x), x)


def nonzero(x, y, p):
    """XLA has no shapes that depend on values."""
    return {"numpy": lambda: np.nonzero(x)[0]}


def cumulative_sum(x, y, p):
    return both(lambda m, x: m.cumsum(x), x)


def cumulative_short(x, y, p):
    return both(lambda m, x: m.cumsum(x, axis=1), x.reshape(-1, 4))
