"""Broadcasts written out, and what only moves elements."""

import numpy as np

from packages import F, both, columns_of, jnp, torch, xla


def written(base, shape):
    """A broadcast written out: NumPy by copying the view, PyTorch by expand and contiguous."""
    out = np.zeros(shape, F)

    def numpy_out():
        np.copyto(out, base)
        return out

    runners = {"numpy": lambda: np.broadcast_to(base, shape).copy(), "numpy_out": numpy_out}
    runners |= xla(lambda base: jnp.broadcast_to(base, shape), base)
    if torch:
        tbase = torch.from_numpy(base)
        tout = torch.from_numpy(out)
        runners["torch"] = lambda: tbase.expand(shape).contiguous()
        runners["torch_out"] = lambda: tout.copy_(tbase)
    return runners


def scalar(x, y, p):
    return written(x[:1], (x.size,))


def row(x, y, p):
    columns = columns_of(x)
    return written(x[:columns], (x.size // columns, columns))


def column(x, y, p):
    columns = columns_of(x)
    rows = x.size // columns
    return written(x[:rows, None], (rows, columns))


def transpose(x, y, p):
    x = x.reshape(round(x.size**0.5), -1)
    out = np.zeros_like(x)

    def numpy_out():
        np.copyto(out, x.T)
        return out

    runners = {"numpy": lambda: np.ascontiguousarray(x.T), "numpy_out": numpy_out, **xla(lambda x: x.T, x)}
    if torch:
        tx, tout = torch.from_numpy(x), torch.from_numpy(out)
        runners["torch"] = lambda: tx.T.contiguous()
        runners["torch_out"] = lambda: tout.copy_(tx.T)
    return runners


def concat(x, y, p):
    a, b = x[: x.size // 2], x[x.size // 2 :]
    out = np.zeros_like(x)
    runners = {"numpy": lambda: np.concatenate([a, b]), "numpy_out": lambda: np.concatenate([a, b], out=out)}
    runners |= xla(lambda a, b: jnp.concatenate([a, b]), a, b)
    if torch:
        ta, tb, tout = map(torch.from_numpy, (a, b, out))
        runners["torch"] = lambda: torch.cat([ta, tb])
        runners["torch_out"] = lambda: torch.cat([ta, tb], out=tout)
    return runners


def pad(x, y, p):
    columns = columns_of(x)
    rows = x.size // columns
    x = x[: (rows - 2) * (columns - 2)].reshape(rows - 2, columns - 2)
    runners = both(lambda m, x: m.pad(x, 1), x)
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: torch.nn.functional.pad(tx, (1, 1, 1, 1))
    return runners
