"""Reductions over all pairs of points. NumPy's distances are |x|^2 - 2 x y + |y|^2, as one writes them there: what all
coordinates differ by takes tens of gigabytes."""

import functools

import numpy as np

from packages import jax, jnp, xla

DEPTHS = (3, 16, 64)


def distances(m, x, y):
    if m is np:
        return np.maximum((x * x).sum(axis=1)[:, None] - 2 * (x @ y.T) + (y * y).sum(axis=1), 0)
    return ((x[:, None] - y) ** 2).sum(axis=2)


def kernel(m, x, y):
    return m.exp(-distances(m, x, y))


def weights(x):
    return x.reshape(-1)[: len(x)]


def log_sum(m, x):
    most = x.max(axis=1, keepdims=True)
    return (m.log(m.exp(x - most).sum(axis=1, keepdims=True)) + most)[:, 0]


def soft(m, x):
    e = m.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def l1(m, x, y):
    if m is np:
        total = np.zeros((len(x), len(y)), x.dtype)
        for k in range(x.shape[1]):
            total += np.abs(x[:, k, None] - y[:, k])
        return total
    return m.abs(x[:, None] - y).sum(axis=2)


def ten_least(m, x, y):
    d = distances(m, x, y)
    return np.sort(np.partition(d, 9, axis=1)[:, :10], axis=1) if m is np else -jax.lax.top_k(-d, 10)[0]


def gradient(m, x, y):
    if m is np:
        k = kernel(m, x, y)
        return 2 * (k @ y - k.sum(axis=1, keepdims=True) * x)
    return jax.grad(lambda x: kernel(jnp, x, y).sum())(x)


CASES = {
    "smoothed": lambda m, x, y: kernel(m, x, y) @ weights(x),
    "density": lambda m, x, y: kernel(m, x, y).sum(axis=1),
    "nearest": lambda m, x, y: distances(m, x, y).argmin(axis=1),
    "distance": lambda m, x, y: distances(m, x, y).min(axis=1),
    "pair_loss": lambda m, x, y: kernel(m, x, y).mean().reshape(1),
    "log_density": lambda m, x, y: log_sum(m, -distances(m, x, y)),
    "soft_nearest": lambda m, x, y: soft(m, -distances(m, x, y)) @ weights(x),
    "spread": lambda m, x, y: distances(m, x, y).std(axis=1),
    "laplacian": lambda m, x, y: m.exp(-l1(m, x, y)).sum(axis=1),
    "ten_nearest": ten_least,
    "pair_gradient": gradient,
}


def runners(f, depth, x, y, p):
    x, y = x.reshape(-1, depth), y.reshape(-1, depth)
    return {"numpy": lambda: np.asarray(f(np, x, y)), **xla(functools.partial(f, jnp), x, y)}


for name, f in CASES.items():
    for depth in DEPTHS:
        globals()[f"{name}_{depth}"] = functools.partial(runners, f, depth)
