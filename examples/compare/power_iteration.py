"""Fifty steps towards the first eigenvector of a small matrix: what a call costs beside its work."""

import numpy as np

NAME = "50 steps of power iteration, 256 x 256"
SMALL, LARGE = 16, 256


def inputs(n):
    return (np.random.default_rng(7).random((n, n), np.float32),)


def vector(xp, a):
    v = a[0]
    for _ in range(50):
        v = a @ v
        v = v / xp.sqrt(xp.sum(v * v))
    return v


def by_zerocast(zc, a):
    return zc.compute(vector(zc, a))


def by_numpy(np, a):
    return (vector(np, a),)


def by_xla(jnp, a):
    return (vector(jnp, a),)
