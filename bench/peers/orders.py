"""Sorting, searching, extremes with their places."""

import numpy as np

from packages import F, both, columns_of, jax, xla


def sort_of(x, y, p):
    return both(lambda m, x: m.sort(x), x)


def argsort(x, y, p):
    return {
        "numpy": lambda: np.argsort(x, stable=True),
        **xla(lambda x: jax.numpy.argsort(x, stable=True), x),
    }


def unique_of(x, y, p):
    """XLA has no shapes that depend on values."""
    return {"numpy": lambda: np.unique(x)}


def top_k(x, y, p):
    return {"numpy": lambda: np.sort(np.partition(x, -10)[-10:])[::-1], **xla(lambda x: jax.lax.top_k(x, 10)[0], x)}


def short_rows(x):
    return x[: x.size // 10 * 10].reshape(-1, 10)


def sort_short(x, y, p):
    return both(lambda m, x: m.sort(x, axis=1), short_rows(x))


def searchsorted(x, y, p):
    order = np.arange(10000).astype(F) * F(1 / 10000)
    runners = both(lambda m, x: m.searchsorted(order, x), x)
    if "xla" in runners:
        runners["xla"] = xla(lambda x: jax.numpy.searchsorted(order, x).astype(np.int64), x)["xla"]
    return runners


def isin_of(x, y, p):
    known = y[:10000]
    return {"numpy": lambda: np.isin(x, known), **xla(lambda x, y: jax.numpy.isin(x, y, method="sort"), x, known)}


def argmax_rows(x, y, p):
    return both(lambda m, x: m.argmax(x, axis=1), x.reshape(-1, columns_of(x)))


def argmax_columns(x, y, p):
    return both(lambda m, x: m.argmax(x, axis=0), x.reshape(-1, columns_of(x)))


def argmax_short(x, y, p):
    return both(lambda m, x: m.argmax(x, axis=1), short_rows(x))
