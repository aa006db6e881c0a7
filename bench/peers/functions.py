"""Elementary functions. NumPy has no erf: XLA alone is asked for that, and for gelu."""

import numpy as np

from packages import both, jax, xla


def exp_of(x, y, p):
    return both(lambda m, x: m.exp(x), x)


def log_of(x, y, p):
    return both(lambda m, x: m.log(x + 1), x)


def tanh_of(x, y, p):
    return both(lambda m, x: m.tanh(x), x)


def sin_of(x, y, p):
    return both(lambda m, x: m.sin(x), x)


def abs_of(x, y, p):
    return both(lambda m, x: m.abs(x), x)


def angle_of(x, y, p):
    return both(lambda m, x: m.angle(x), x)


def sigmoid_of(x, y, p):
    return {"numpy": lambda: 1 / (1 + np.exp(-x)), **xla(lambda x: jax.nn.sigmoid(x), x)}


def silu_of(x, y, p):
    return {"numpy": lambda: x / (1 + np.exp(-x)), **xla(lambda x: jax.nn.silu(x), x)}


def silu_gate(x, y, p):
    return {"numpy": lambda: x / (1 + np.exp(-x)) * y, **xla(lambda x, y: jax.nn.silu(x) * y, x, y)}


def erf_of(x, y, p):
    return xla(lambda x: jax.lax.erf(x), x)


def gelu_of(x, y, p):
    return xla(lambda x: jax.nn.gelu(x, approximate=False), x)


def square_power(x, y, p):
    return both(lambda m, x: x**2, x)


def real_power(x, y, p):
    return both(lambda m, x: (1 + x) ** 2.5, x)


def black_scholes(x, y, p):
    def prices(x, y):
        price, years = abs(x) * 40 + 80, abs(y) * 1.9 + 0.1
        spread = jax.numpy.sqrt(years) * 0.2
        d1 = (jax.numpy.log(price / 100) + years * 0.07) / spread
        d2 = d1 - spread
        first, second = [(jax.lax.erf(d * 0.70710678118654752) + 1) * 0.5 for d in (d1, d2)]
        return price * first - jax.numpy.exp(years * -0.05) * 100 * second

    return xla(prices, x, y)


def complex_product(x, y, p):
    return both(lambda m, x: m.prod(x.reshape(-1, 64) * 0.1 + 1, axis=1), x)
