"""Programs: loops over views of what was just computed. XLA compiles them whole, before anything is timed."""

import numpy as np

from packages import both, jax, square, xla
from windows import summed_slices


def prefix_sum(x, y, p):
    def f(m, y):
        k = 1
        while k < x.size:
            y = y + m.concatenate([m.zeros(k), y[:-k]])
            k *= 2
        return y

    return both(f, x)


def steps(x, most):
    return 6 if x.size < 1000 else most


def ring(x, y, p):
    def f(m, y):
        for _ in range(steps(x, 80)):
            y = (y + m.roll(y, 1)) * 0.5
        return y

    return both(f, x)


def many_rolls(x, y, p):
    def f(m, y):
        for i in range(steps(x, 40)):
            y = y * 0.5 + m.roll(y, i % 7 + 1) * 0.5
        return y

    return both(f, x)


def standard(y):
    return (y - y.mean()) / y.std()


def residual(x, y, p):
    """For XLA as a loop of its own: 400 times written out it compiles for minutes."""

    def numpy():
        y = x
        for _ in range(steps(x, 400)):
            y = y + standard(y)
        return y

    return {"numpy": numpy, **xla(lambda x: jax.lax.fori_loop(0, steps(x, 400), lambda i, y: y + standard(y), x), x)}


def standardize(x, y, p):
    return both(lambda m, x: standard(x), x)


def mirror(x, y, p):
    def f(m, x):
        s = m.sin(m.sin(m.sin(x)))
        return s + s[::-1]

    return both(f, x)


def stencil(x, y, p):
    return both(lambda m, x: summed_slices(m.exp(m.sin(x))), square(x))


def lazy_table(x, y, p):
    return both(lambda m, x, y: m.take(m.exp(m.sin(y)), x), x, y[:1000])


def prepend(x, y, p):
    def numpy():
        y = x[:10]
        for at in range(10, x.size, 10):
            y = np.concatenate([np.exp(x[at : at + 10]), y])
        return y

    return {"numpy": numpy}


def mirrored(x, y, p):
    def f(m, y):
        for _ in range(steps(x, 200)):
            y = (y + y[::-1]) * 0.5
        return y

    return both(f, x)
