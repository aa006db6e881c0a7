"""Contractions at real sizes. NumPy's gradients are written by hand, as one has to."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from models import matrices
from packages import both, jax, jnp, square, xla
from rows import attention
from windows import images

attention_program = attention


def chain_of_matrices(x, y, p):
    a, b = square(x), square(y)
    return both(lambda m, a, b, v: m.einsum("ij,jk,kl,l->i", a, b, a, v, optimize=True), a, b, y[: len(a)])


def filter_gradient(x, y, p):
    x, gain = images(x), images(y)

    def numpy():
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = sliding_window_view(padded, (3, 3), axis=(2, 3))
        return np.einsum("nchwij,nohw->ocij", windows, gain, optimize=True)

    def by_xla(x, gain):
        def forward(weights):
            return jax.lax.conv_general_dilated(x, weights, (1, 1), "SAME")

        weights = jnp.zeros((gain.shape[1], x.shape[1], 3, 3), x.dtype)
        return jax.vjp(forward, weights)[1](gain)[0]

    return {"numpy": numpy, **xla(by_xla, x, gain)}


def perceptron(x, y, p):
    x = x.reshape(-1, 784)
    units = 16 if len(x) < 1024 else 256
    weights = matrices(y, (784, units), (units, 10))

    def numpy():
        a, b = weights
        h = np.tanh(x @ a * np.float32(0.1))
        off = (h @ b - x[:, :10]) * np.float32(2 / (10 * len(x)))
        gain_b = h.T @ off
        gain_a = x.T @ ((off @ b.T) * (1 - h * h) * np.float32(0.1))
        return np.concatenate([(w - g * np.float32(0.1)).reshape(-1) for w, g in ((a, gain_a), (b, gain_b))])

    def loss(weights, x):
        a, b = weights
        return jnp.mean((jnp.tanh(x @ a * 0.1) @ b - x[:, :10]) ** 2)

    def by_xla(x, *weights):
        gains = jax.grad(loss)(weights, x)
        return jnp.concatenate([(w - g * 0.1).reshape(-1) for w, g in zip(weights, gains)])

    return {"numpy": numpy, **xla(by_xla, x, *weights)}


def k_means_step(x, y, p):
    points = x.reshape(-1, 32)
    clusters = 16 if x.size < 2 << 20 else 64

    def step(m, points):
        centers = points[:clusters]
        nearest = m.argmin((centers * centers).sum(1) - points @ centers.T * 2, 1)
        belongs = (nearest[:, None] == m.arange(clusters)).astype(points.dtype)
        return (belongs.T @ points) / m.maximum(belongs.sum(0), 1)[:, None]

    return both(step, points)
