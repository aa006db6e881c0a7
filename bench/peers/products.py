"""Contractions."""

import numpy as np

from packages import both, jax, jnp, square, xla


def product(x, y, p):
    """NumPy has no bfloat16, and what ml_dtypes adds to it rounds every sum."""
    if x.dtype.name == "bfloat16":
        return xla(lambda a, b: a @ b, square(x), square(y))
    return both(lambda m, a, b: a @ b, square(x), square(y))


def by_transposed(x, y, p):
    return both(lambda m, a, b: a @ b.T, square(x), square(y))


def transposed_by(x, y, p):
    return both(lambda m, a, b: a.T @ b, square(x), square(y))


def both_transposed(x, y, p):
    return both(lambda m, a, b: a.T @ b.T, square(x), square(y))


def by_itself(x, y, p):
    return both(lambda m, a: a.T @ a, square(x))


def widened(x, y, p):
    a, b = square(x), square(y)
    return {
        "numpy": lambda: a.astype(np.int32) @ b.astype(np.int32),
        **xla(lambda a, b: jax.lax.dot(a, b, preferred_element_type=jnp.int32), a, b),
    }


def quantized(x, y, p):
    weights = square(x)
    side = weights.shape[0]
    rows, scale = y[: 8 * side].reshape(8, side), np.arange(side, dtype=np.float32)[:, None] / np.float32(1 << 26)
    return both(lambda m, w, r: r.astype(m.float32) @ (w.astype(m.float32) * scale).T, weights, rows)


def tall(x, y, p):
    return both(lambda m, a, b: a @ b, x.reshape(-1, 64), y[: 64 * 64].reshape(64, 64))


def flat(x, y, p):
    return both(lambda m, a, b: a @ b, x.reshape(64, -1), y.reshape(-1, 64))


def batches(x, y, p):
    return both(lambda m, a, b: a @ b, x.reshape(-1, 64, 64), y.reshape(-1, 64, 64))


def by_vector(x, y, p):
    a = square(x)
    return both(lambda m, a, v: a @ v, a, y[: len(a)])


def vector_by(x, y, p):
    a = square(x)
    return both(lambda m, a, v: v @ a, a, y[: len(a)])


def einsum_columns(x, y, p):
    a = square(x)
    return both(lambda m, a, v: m.einsum("ij,i->j", a, v), a, y[: len(a)])


def dot(x, y, p):
    return both(lambda m, a, b: m.vecdot(a, b), x, y)


def dot_of_columns(x, y, p):
    return both(lambda m, a, b: m.einsum("ik,ik->k", a, b), x.reshape(-1, 64), y.reshape(-1, 64))


def by_few(x, y, p):
    return both(lambda m, a, b: a @ b, x.reshape(-1, 4), y[:16].reshape(4, 4))


def small_by_small(x, y, p):
    return both(lambda m, a, b: a @ b, x.reshape(-1, 4, 4), y.reshape(-1, 4, 4))


def small_by_vectors(x, y, p):
    return both(lambda m, a, b: a @ b, x.reshape(-1, 4, 4), y[: x.size // 4].reshape(-1, 4, 1))


def weighted(x, y, p):
    return both(lambda m, a, v: a @ v, x.reshape(-1, 4), y[:4])


def vector_by_tall(x, y, p):
    return both(lambda m, a, v: v @ a, x.reshape(-1, 4), y[: len(x) // 4])


def dot_of_fourths(x, y, p):
    return both(lambda m, a, b: m.vecdot(a[::4], b[::4]), x, y)
