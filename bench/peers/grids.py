"""Programs on grids and sequences. Loops whose steps are alike are loops for XLA, too: written out they compile long."""

import numpy as np

from packages import both, jax, jnp, square, xla
from programs import steps


def looped(count, first, step, result=lambda carried: carried):
    """first, stepped so many times by step(module, carried, i), by NumPy and by XLA."""

    def numpy():
        carried = first
        for i in range(count):
            carried = step(np, carried, i)
        return np.asarray(result(carried))

    def by_xla(first):
        return result(jax.lax.fori_loop(0, count, lambda i, carried: step(jnp, carried, i), first))

    return {"numpy": numpy, **xla(by_xla, first)}


def neighbors(u):
    return (u[:-2, 1:-1] + u[2:, 1:-1]) + (u[1:-1, :-2] + u[1:-1, 2:])


def heat(x, y, p):
    def step(m, u, i):
        inner = u[1:-1, 1:-1]
        return m.pad(inner + (neighbors(u) - inner * 4.0) * 0.1, 1)

    return looped(steps(x, 100), square(x), step)


def jacobi(x, y, p):
    def numpy():
        u = square(x).copy()
        for _ in range(steps(x, 200)):
            u[1:-1, 1:-1] = neighbors(u) * 0.25
        return u

    def step(i, u):
        return u.at[1:-1, 1:-1].set(neighbors(u) * 0.25)

    return {"numpy": numpy, **xla(lambda u: jax.lax.fori_loop(0, steps(x, 200), step, u), square(x))}


def wave(x, y, p):
    def step(m, carried, i):
        u, before = carried
        around = m.roll(u, 1, 0) + m.roll(u, -1, 0) + m.roll(u, 1, 1) + m.roll(u, -1, 1)
        return u * 2.0 - before + (around - u * 4.0) * 0.2, u

    return looped(steps(x, 20), (square(x), square(x)), step, lambda carried: carried[0])


def two_axis_sums(x, y, p):
    def f(m, y):
        side = y.shape[0]
        for axis in 0, 1:
            k = 1
            while k < side:
                zeros = m.zeros((k, side) if axis == 0 else (side, k))
                y = y + m.concatenate([zeros, y[:-k] if axis == 0 else y[:, :-k]], axis)
                k *= 2
        return y

    return both(f, square(x))


def mandelbrot(x, y, p):
    def step(m, carried, i):
        count, x, y, a, b = carried
        inside = x * x + y * y <= 4.0
        next_x = x * x - y * y + a
        next_y = x * y * 2.0 + b
        return count + inside, m.where(inside, next_x, x), m.where(inside, next_y, y), a, b

    return looped(steps(x, 50), (np.zeros(x.size), x, y, x, y), step, lambda carried: carried[0])


def life(x, y, p):
    def step(m, g, i):
        rows = g + m.roll(g, 1, 0) + m.roll(g, -1, 0)
        sums = rows + m.roll(rows, 1, 1) + m.roll(rows, -1, 1)
        return ((sums == 3) | ((sums == 4) & (g == 1))).astype(np.uint8)

    return looped(steps(x, 50), square(x), step)


def rule_110(x, y, p):
    def step(m, x, i):
        three = m.roll(x, 1) * np.uint8(4) + x * np.uint8(2) + m.roll(x, -1)
        return (np.uint8(110) >> three) & np.uint8(1)

    return looped(steps(x, 200), x, step)


def sieve(x, y, p):
    limit = int(x.size**0.5) + 1
    primes = [q for q in range(2, limit) if q * q < x.size and all(q % d for d in range(2, int(q**0.5) + 1))]

    def numpy():
        flags = np.ones(x.size, bool)
        flags[:2] = False
        for q in primes:
            flags[q * q :: q] = False
        return flags

    def by_xla(flags):
        flags = flags.at[:2].set(False)
        for q in primes:
            flags = flags.at[q * q :: q].set(False)
        return flags

    return {"numpy": numpy, **xla(by_xla, np.ones(x.size, bool))}


def fourier(x, y, p):
    def f(m, y):
        y = y.reshape(1, -1)
        while y.shape[0] < x.size:
            rows, half = y.shape[0], y.shape[1] // 2
            angle = m.arange(rows, dtype=np.float64) * (-np.pi / rows)
            turn = (m.cos(angle) + 1j * m.sin(angle))[:, None]
            even, odd = y[:, :half], turn * y[:, half:]
            y = m.concatenate([even + odd, even - odd])
        return y.reshape(-1)

    return both(f, x)


def hadamard(x, y, p):
    def f(y):
        half = y.size // 2
        if y.size == 16:
            return y
        return np.concatenate([f(y[:half] + y[half:]), f(y[:half] - y[half:])])

    return {"numpy": lambda: f(x)}


def bitonic(x, y, p):
    def f(m, y):
        run = 2
        while run <= x.size:
            by = run // 2
            while by > 0:
                pairs = y.reshape(-1, 2, by)
                a, b = pairs[:, 0], pairs[:, 1]
                low, high = m.minimum(a, b), m.maximum(a, b)
                up = ((m.arange(x.size // (2 * by)) * (2 * by)) & run == 0)[:, None]
                y = m.stack([m.where(up, low, high), m.where(up, high, low)], 1).reshape(-1)
                by //= 2
            run *= 2
        return y

    return both(f, x)


def multigrid(x, y, p):
    def beside(m, u):
        return m.concatenate([m.zeros(1), u[:-1]]) + m.concatenate([u[1:], m.zeros(1)])

    def smooth(m, u, f, h2):
        return u + ((beside(m, u) + f * h2) * 0.5 - u) * (2.0 / 3.0)

    def cycle(m, u, f, h2):
        for _ in range(2):
            u = smooth(m, u, f, h2)
        if f.size > 16:
            error = f - (u * 2.0 - beside(m, u)) * (1 / h2)
            coarse = (error[::2] + error[1::2]) * 0.5
            u = u + m.repeat(cycle(m, m.zeros(coarse.size), coarse, 4 * h2), 2)
        for _ in range(2):
            u = smooth(m, u, f, h2)
        return u

    def step(m, carried, i):
        u, x = carried
        return cycle(m, u, x, 1 / x.size**2), x

    return looped(3, (np.zeros(x.size), x), step, lambda carried: carried[0])


def averages(x, y, p):
    table = x.reshape(-1, 200)

    def numpy():
        rows = [table[0]]
        for row in table[1:]:
            rows.append(rows[-1] * 0.9 + row * 0.1)
        return np.stack(rows)

    def step(last, row):
        last = last * 0.9 + row * 0.1
        return last, last

    def by_xla(table):
        return jnp.concatenate([table[:1], jax.lax.scan(step, table[0], table[1:])[1]])

    return {"numpy": numpy, **xla(by_xla, table)}


def ranges(x, y, p):
    count = x.size - 15

    def f(m, x):
        low = high = x[:count]
        for i in range(1, 16):
            low = m.minimum(low, x[i : i + count])
            high = m.maximum(high, x[i : i + count])
        return high - low

    return both(f, x)


def many_pieces(x, y, p):
    """XLA does not compile so many operands in any bearable time."""
    return {"numpy": lambda: np.concatenate([x[i : i + 100] for i in range(x.size - 100, -1, -100)])}
