"""Norms, softmax and its kin, variances, attention."""

import numpy as np

from packages import both, columns_of, jax, jnp, table, xla


def softmax_by(m, x, axis):
    e = m.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def softmax_columns(x, y, p):
    x = table(x)
    return {"numpy": lambda: softmax_by(np, x, 0), **xla(lambda x: jax.nn.softmax(x, axis=0), x)}


def log_softmax(x, y, p):
    x = table(x)

    def numpy():
        d = x - x.max(axis=1, keepdims=True)
        return d - np.log(np.exp(d).sum(axis=1, keepdims=True))

    return {"numpy": numpy, **xla(lambda x: jax.nn.log_softmax(x, axis=1), x)}


def logsumexp(x, y, p):
    x = table(x)

    def numpy():
        most = x.max(axis=1, keepdims=True)
        return np.log(np.exp(x - most).sum(axis=1)) + most[:, 0]

    return {"numpy": numpy, **xla(lambda x: jax.nn.logsumexp(x, axis=1), x)}


def var_rows(x, y, p):
    return both(lambda m, x: m.var(x, axis=1), table(x))


def var_columns(x, y, p):
    return both(lambda m, x: m.var(x, axis=0), table(x))


def std_rows(x, y, p):
    return both(lambda m, x: m.std(x, axis=1), table(x))


def layer_norm(x, y, p):
    columns = columns_of(x)

    def f(m, x, weight, bias):
        mean, var = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
        return (x - mean) / m.sqrt(var + 1e-5) * weight + bias

    return both(f, table(x), y[:columns], y[-columns:])


def rms_norm(x, y, p):
    def f(m, x, weight):
        return x / m.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * weight

    return both(f, table(x), y[: columns_of(x)])


def attention(x, y, p):
    heads = 16 if x.size >= 512 << 10 else 2
    q, k = x.reshape(heads, -1, 64), y.reshape(heads, -1, 64)

    def f(m, q, k):
        return softmax_by(m, q @ m.swapaxes(k, 1, 2) * 0.125, 2) @ k

    return both(f, q, k)
