"""Convolutions, pooling, sums of windows."""

import functools

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from packages import both, jax, square, xla


def images(x):
    if x.size <= 4096:
        return x.reshape(1, 16, 16, 16)
    return x.reshape(8, 64, 56, 56)


def convolve(x, y, p):
    x = images(x)
    channels = x.shape[1]
    weights = y[: channels * channels * 9].reshape(channels, channels, 3, 3)

    def numpy():
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = sliding_window_view(padded, (3, 3), axis=(2, 3))
        return np.einsum("nchwij,ocij->nohw", windows, weights, optimize=True)

    def by_xla(x, weights):
        return jax.lax.conv_general_dilated(x, weights, (1, 1), "SAME")

    return {"numpy": numpy, **xla(by_xla, x, weights)}


def pooled(x, f):
    n, c, h, w = images(x).shape
    return both(f, x.reshape(n * c, h // 2, 2, w // 2, 2))


def max_pool(x, y, p):
    return pooled(x, lambda m, x: x.max(axis=(2, 4)))


def mean_pool(x, y, p):
    return pooled(x, lambda m, x: x.mean(axis=(2, 4)))


def max_pool_overlapping(x, y, p):
    x = images(x)
    x = x.reshape(-1, *x.shape[2:])

    def by_xla(x):
        return jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 3, 3), (1, 2, 2), "VALID")

    windows = sliding_window_view(x, (3, 3), axis=(1, 2))
    return {"numpy": lambda: windows[:, ::2, ::2].max(axis=(3, 4)), **xla(by_xla, x)}


def summed_slices(x):
    rows, columns = x.shape[0] - 2, x.shape[1] - 2
    parts = [x[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return functools.reduce(lambda a, b: a + b, parts)


def window_sum(x, y, p):
    x = square(x)

    def by_xla(x):
        return jax.lax.reduce_window(x, x.dtype.type(0), jax.lax.add, (3, 3), (1, 1), "VALID")

    return {"numpy": lambda: sliding_window_view(x, (3, 3)).sum(axis=(2, 3)), **xla(by_xla, x)}


def slices_sum(x, y, p):
    return both(lambda m, x: summed_slices(x), square(x))
