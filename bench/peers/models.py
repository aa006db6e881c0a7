"""Programs that learn, search and simulate. NumPy's gradients are written by hand, as one has to."""

import numpy as np

from grids import looped
from packages import jax, jnp, square, xla
from programs import steps


def matrices(y, *shapes):
    """The first matrices of y."""
    at, found = 0, []
    for rows, columns in shapes:
        found.append(y[at : at + rows * columns].reshape(rows, columns))
        at += rows * columns
    return found


def gru(x, y, p):
    hidden, batch = (8, 8) if x.size < 2048 else (64, 32)
    inputs = x.reshape(-1, batch, hidden)
    weights = matrices(y, *[(hidden, hidden)] * 6)

    def sigmoid(m, x):
        return 1 / (1 + m.exp(-x))

    def step(m, h, x, a):
        update = sigmoid(m, x @ a[0] + h @ a[1])
        reset = sigmoid(m, x @ a[2] + h @ a[3])
        return h + update * (m.tanh(x @ a[4] + (reset * h) @ a[5]) - h)

    def numpy():
        h = np.zeros((batch, hidden))
        for x in inputs:
            h = step(np, h, x, weights)
        return h

    def by_xla(inputs, *weights):
        return jax.lax.scan(lambda h, x: (step(jnp, h, x, weights), 0), jnp.zeros((batch, hidden)), inputs)[0]

    return {"numpy": numpy, **xla(by_xla, inputs, *weights)}


def training(x, y, p):
    x = x.reshape(-1, 32)
    first = matrices(y, (32, 16), (16, 1))
    count = steps(x, 20)

    def numpy():
        wanted = x.sum(1, keepdims=True)
        a, b = first
        for _ in range(count):
            h = np.tanh(x @ a)
            off = (h @ b - wanted) * (2 / len(x))
            gain_b = h.T @ off
            gain_a = x.T @ ((off @ b.T) * (1 - h * h))
            a, b = a - gain_a * 0.1, b - gain_b * 0.1
        return np.concatenate([a.reshape(-1), b.reshape(-1)])

    def loss(weights, x, wanted):
        a, b = weights
        return jnp.mean((jnp.tanh(x @ a) @ b - wanted) ** 2)

    def by_xla(x, a, b):
        wanted = x.sum(1, keepdims=True)

        def step(i, weights):
            gains = jax.grad(loss)(weights, x, wanted)
            return tuple(w - g * 0.1 for w, g in zip(weights, gains))

        a, b = jax.lax.fori_loop(0, count, step, (a, b))
        return jnp.concatenate([a.reshape(-1), b.reshape(-1)])

    return {"numpy": numpy, **xla(by_xla, x, *first)}


def descent(x, y, p):
    def numpy():
        y = x
        for _ in range(steps(x, 50)):
            low, high = y[:-1], y[1:]
            bend = (high - low * low) * 200.0
            gain = np.zeros(y.size)
            gain[:-1] = bend * low * -2.0 - (1.0 - low) * 2.0
            gain[1:] += bend
            y = y - gain * 1e-4
        return y

    def value(y):
        return jnp.sum((y[1:] - y[:-1] ** 2) ** 2 * 100.0 + (1.0 - y[:-1]) ** 2)

    def by_xla(y):
        return jax.lax.fori_loop(0, steps(x, 50), lambda i, y: y - jax.grad(value)(y) * 1e-4, y)

    return {"numpy": numpy, **xla(by_xla, x)}


def k_means(x, y, p):
    points = x.reshape(-1, 8)

    def step(m, carried, i):
        points, centers = carried
        nearest = m.argmin(((points[:, None] - centers[None]) ** 2).sum(2), 1)
        belongs = (nearest[:, None] == m.arange(16)).astype(np.float64)
        return points, (belongs.T @ points) / m.maximum(belongs.sum(0), 1.0)[:, None]

    return looped(steps(x, 10), (points, points[:16]), step, lambda carried: carried[1])


def residual_softmax(x, y, p):
    def step(m, y, i):
        rows = (y - y.mean(1, keepdims=True)) / y.std(1, keepdims=True)
        powers = m.exp(rows - rows.max(1, keepdims=True))
        return y + powers / powers.sum(1, keepdims=True)

    return looped(steps(x, 200), square(x), step)


def shortest_paths(x, y, p):
    distances = square(x)

    def step(m, d, i):
        return m.min(d[:, :, None] + d[None, :, :], 1)

    return looped(int(np.ceil(np.log2(len(distances)))), distances, step)


def bodies(x, y, p):
    def step(m, carried, i):
        at, speed = carried
        apart = at[None] - at[:, None]
        square = (apart * apart).sum(2, keepdims=True) + 0.01
        speed = speed + (apart / (square * m.sqrt(square))).sum(1) * 1e-5
        return at + speed * 0.01, speed

    at = x.reshape(-1, 3)
    return looped(steps(x, 20), (at, at * 0.0), step, lambda carried: carried[0])


def power_iteration(x, y, p):
    def step(m, carried, i):
        a, v = carried
        v = a @ v
        return a, v / m.sqrt((v * v).sum())

    a = square(x)
    return looped(steps(x, 50), (a, a[0]), step, lambda carried: carried[1])
