"""Sums, softmax, distances of all pairs of rows."""

import numpy as np

from packages import F, both, jax, ne, table, torch, xla


def summed(x, axis):
    runners = both(lambda m, x: x.sum(axis=axis), x)
    if ne and axis is None:
        runners["numexpr"] = lambda: np.asarray(ne.evaluate("sum(x)", local_dict={"x": x}), F)
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: tx.sum() if axis is None else tx.sum(dim=axis)
    return runners


def sum(x, y, p):
    return summed(x, None)


def sum_first(x, y, p):
    return summed(table(x), 0)


def sum_middle(x, y, p):
    return summed(x.reshape(-1, 256, 256), 1)


def sum_last(x, y, p):
    return summed(table(x), 1)


def softmax(x, y, p):
    x = table(x)

    def numpy():
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    runners = {"numpy": numpy, **xla(lambda x: jax.nn.softmax(x, axis=1), x)}
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: torch.softmax(tx, 1)
    return runners


def distances(x, columns):
    x = x[: round(x.size**0.5) * columns].reshape(-1, columns)
    runners = {"numpy": lambda: ((x[:, None] - x) ** 2).sum(axis=2)}
    runners |= xla(lambda x: ((x[:, None] - x) ** 2).sum(axis=2), x)
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: ((tx[:, None] - tx) ** 2).sum(dim=2)
    return runners


def distances8(x, y, p):
    return distances(x, 8)


def distances16(x, y, p):
    return distances(x, 16)


def distances64(x, y, p):
    return distances(x, 64)
