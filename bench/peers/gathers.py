"""Elements brought together from elsewhere."""

import string

import numpy as np

from packages import F, both


def embedding(x, y, p):
    return both(lambda m, x, y: m.take(y, x, axis=0), x, y.reshape(-1, 128))


def embedding_bag(x, y, p):
    return both(lambda m, x, y: m.take(y, x.reshape(-1, 16), axis=0).sum(axis=1), x, y.reshape(-1, 128))


def take_any(x, y, p):
    return both(lambda m, x, y: m.take(y, x), x, y)


def take_columns(x, y, p):
    return both(lambda m, x, y: m.take(y, x % 64, axis=1), x[:64], y.reshape(-1, 64))


def planes(x, y, p):
    def f(m, x):
        return m.transpose((x.astype(F) * F(1 / 255) - F(0.45)) * F(4), (0, 3, 1, 2))

    runners = both(f, x.reshape(-1, 128, 128, 3))
    runners["numpy"] = lambda: np.ascontiguousarray(f(np, x.reshape(-1, 128, 128, 3)))
    return runners


def of_twos(x):
    return x.reshape((2,) * (x.size.bit_length() - 1))


def permuted(x, axes):
    runners = both(lambda m, x: m.transpose(x, axes), x)
    runners["numpy"] = lambda: np.ascontiguousarray(np.transpose(x, axes))
    return runners


def reversed_axes(x, y, p):
    x = of_twos(x)
    return permuted(x, tuple(range(x.ndim))[::-1])


def parted_axes(x, y, p):
    x = of_twos(x)
    axes = range(x.ndim)
    return permuted(x, (*axes[::2], *axes[1::2]))


def qubit_gate(x, y, p):
    x = of_twos(x)
    letters = string.ascii_letters[: x.ndim]
    text = f"Zc,{letters}->{letters.replace('c', 'Z')}"
    return both(lambda m, g, x: m.einsum(text, g, x), y[:4].reshape(2, 2), x)


def concat_pieces(x, y, p):
    """XLA does not compile so many operands in any bearable time; what is timed has the slicing in it, as ours has."""
    return {"numpy": lambda: np.concatenate([x[i : i + 8] for i in range(x.size - 8, -1, -8)])}


def stack_pieces(x, y, p):
    return {"numpy": lambda: np.stack([x[i : i + 8] for i in range(x.size - 8, -1, -8)])}
