"""Nothing is left of a call: every public function many times, with blocks and nodes counted."""

import gc
import inspect
import os
import sys

import numpy as np
import pytest

import zerocast as zc

X = zc.asarray(np.arange(1.0, 7.0).reshape(2, 3))
V = zc.asarray(np.array([3.0, 1.0, 2.0]))
I = zc.asarray(np.array([2, 0, 1]))  # noqa: E741
B = zc.asarray(np.array([True, False, True]))
U = zc.asarray(np.array([[1, 2], [3, 4]], np.uint8))

CALLS = {
    "arange": lambda: zc.arange(2, 9, 3),
    "argmax": lambda: zc.argmax(X, axis=1),
    "argmin": lambda: zc.argmin(X),
    "argsort": lambda: zc.argsort(V),
    "asarray": lambda: (zc.asarray([[1, 2.5], [3, 4]]), zc.asarray(np.ones(3), copy=True), zc.asarray(memoryview(b"ab"))),
    "astype": lambda: zc.astype(X, zc.float32),
    "broadcast_arrays": lambda: zc.broadcast_arrays(X, V),
    "broadcast_shapes": lambda: zc.broadcast_shapes((2, 1), (3,)),
    "broadcast_to": lambda: zc.broadcast_to(V, (4, 3)),
    "can_cast": lambda: zc.can_cast(zc.int8, zc.float32),
    "clip": lambda: (zc.clip(X, 1, 2), zc.clip(X, max=3)),
    "compute": lambda: zc.compute(X + 1, V),
    "concat": lambda: zc.concat([V, V], axis=0),
    "config": lambda: zc.config(threads=1).__enter__().__exit__(),
    "conj": lambda: zc.conj(V),
    "cost": lambda: zc.cost(X, V),
    "count_nonzero": lambda: zc.count_nonzero(X, axis=0),
    "cumulative_prod": lambda: zc.cumulative_prod(V),
    "cumulative_sum": lambda: zc.cumulative_sum(X, axis=0, include_initial=True),
    "diagonal": lambda: zc.diagonal(X),
    "diff": lambda: zc.diff(X, append=1),
    "einsum": lambda: zc.einsum("ij,j->i" + " " * 600, X, V),
    "empty": lambda: zc.empty(3),
    "empty_like": lambda: zc.empty_like(X),
    "expand_dims": lambda: zc.expand_dims(X, axis=(0, 2)),
    "explain": lambda: zc.explain(X + 1, format="json"),
    "eye": lambda: zc.eye(3, k=1),
    "finfo": lambda: zc.finfo(zc.float32),
    "flip": lambda: zc.flip(X, axis=0),
    "from_dlpack": lambda: (zc.from_dlpack(np.ones(3)), zc.from_dlpack(X)),
    "random_bits": lambda: zc.random_bits((2, 3), seed=1),
    "random_normal": lambda: zc.random_normal(3),
    "random_uniform": lambda: zc.random_uniform(3),
    "from_array": lambda: zc.from_array(np.ones((3, 4)))[1:] + 1,
    "full": lambda: zc.full((2, 2), 7),
    "full_like": lambda: zc.full_like(X, 7),
    "grad": lambda: (zc.grad(zc.sum(X * X), X), zc.grad(lambda x: zc.sum(x * x))(V)),
    "iinfo": lambda: zc.iinfo(zc.int8),
    "imag": lambda: zc.imag(V + 1j),
    "isdtype": lambda: zc.isdtype(zc.int8, ("integral", "bool")),
    "isin": lambda: zc.isin(V, [1.0, 2.0]),
    "lerp": lambda: zc.lerp(V, V, 0.5),
    "linspace": lambda: zc.linspace(0, 1, 5),
    "log_softmax": lambda: zc.log_softmax(X),
    "logsumexp": lambda: zc.logsumexp(X, axis=1),
    "matmul": lambda: zc.matmul(X, V),
    "matrix_transpose": lambda: zc.matrix_transpose(X),
    "median": lambda: zc.median(V),
    "memory": lambda: zc.memory(),
    "meshgrid": lambda: zc.meshgrid(V, V),
    "moveaxis": lambda: zc.moveaxis(X, 0, 1),
    "nanmedian": lambda: zc.nanmedian(V),
    "nanquantile": lambda: zc.nanquantile(V, 0.5),
    "nonzero": lambda: zc.nonzero(X),
    "ones": lambda: zc.ones((2, 2)),
    "ones_like": lambda: zc.ones_like(X),
    "outer": lambda: zc.outer(V, V),
    "pad": lambda: (zc.pad(X, 1), zc.pad(X, {0: 1}, "wrap")),
    "permute_dims": lambda: zc.permute_dims(X, (1, 0)),
    "quantile": lambda: zc.quantile(V, 0.5),
    "real": lambda: zc.real(V + 1j),
    "repeat": lambda: (zc.repeat(X, 2), zc.repeat(V, I)),
    "reshape": lambda: (zc.reshape(X, (3, 2)), zc.reshape(X, (6,), copy=True)),
    "result_type": lambda: zc.result_type(X, zc.int8, 1),
    "roll": lambda: zc.roll(X, (1, 2), axis=(0, 1)),
    "rot90": lambda: zc.rot90(X),
    "searchsorted": lambda: zc.searchsorted(zc.arange(3), I),
    "sliding_window_view": lambda: zc.sliding_window_view(V, 2),
    "softmax": lambda: zc.softmax(X),
    "softmax_sum": lambda: zc.softmax_sum(X, X.T),
    "sort": lambda: zc.sort(V, descending=True),
    "split": lambda: (zc.split(V, 3), zc.split(V, [1, 2])),
    "squeeze": lambda: zc.squeeze(zc.ones((1, 3, 1))),
    "stack": lambda: zc.stack([V, V], axis=1),
    "store": lambda: zc.store(X + 1, np.zeros(X.shape)),
    "std": lambda: zc.std(X, axis=0, correction=1),
    "swapaxes": lambda: zc.swapaxes(X, 0, 1),
    "take": lambda: zc.take(V, I),
    "take_along_axis": lambda: zc.take_along_axis(V, I),
    "tensordot": lambda: (zc.tensordot(X, X, axes=2), zc.tensordot(X, X, axes=((0,), (0,)))),
    "tile": lambda: zc.tile(X, (2, 1)),
    "top_k": lambda: zc.top_k(V, 2),
    "trace": lambda: zc.trace(X),
    "transpose": lambda: zc.transpose(X),
    "tril": lambda: zc.tril(X),
    "triu": lambda: zc.triu(X),
    "unique_all": lambda: zc.unique_all(V),
    "unique_counts": lambda: zc.unique_counts(V),
    "unique_inverse": lambda: zc.unique_inverse(V),
    "unique_values": lambda: (zc.unique_values(V), zc.unique_values(V + 1j)),
    "unstack": lambda: zc.unstack(X),
    "var": lambda: zc.var(X),
    "vecdot": lambda: zc.vecdot(V, V),
    "vector_norm": lambda: zc.vector_norm(X, axis=1),
    "variable": lambda: zc.sum(zc.sort(zc.variable(X))),
    "stop_gradient": lambda: zc.stop_gradient(X),
    "vjp": lambda: zc.vjp(X * 2, [X]),
    "where": lambda: zc.where(B, V, 0),
    "zeros": lambda: zc.zeros(3),
    "zeros_like": lambda: zc.zeros_like(X),
}
ELSEWHERE = {"open", "save", "save_all", "save_members", "open_members", "trim", "allocator_name", "to_dask"}


def assign(key, value):
    x = zc.asarray(np.ones((2, 3)))
    x[key] = value


def written_through(make):
    """A view and its owner, each read after the other was written to."""
    x = +X if make is not zc.zeros else zc.zeros((2, 3))
    for view in (x[1:], x.T, x.real, (x + 1j).imag):
        view[0] = 1
        x[...] = x * 2
        x[0, 1] = 3
        view += view + x[0, 0]
        view.shape, view.strides, view + 1


def raised(function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except Exception:  # noqa: BLE001
        return
    raise AssertionError("nothing was raised")


METHODS = {
    "operators": lambda: (X + 1, 2 - X, X @ V, X == [1, 2, 3], -X, X**2, divmod(X, 2), X < 2**70, X * 2**70),
    "in place": lambda: ((+X).__iadd__(V), (+X)[1:].__iadd__(1), (+X).T[0].__setitem__(0, 5)),
    "writes through views": lambda: (written_through(None), written_through(zc.zeros)),
    "views": lambda: (X[0].base, X.T[1:][::-1].reshape(-1), X.reshape(3, 2)[0], (X + 1j).real[0], zc.broadcast_to(V, (4, 3))),
    "keys": lambda: (X[0], X[:, 1], X[..., None], X[[0, 1], [1, 2]], X[X > 2], V[I], X[np.int64(1)]),
    "assignment": lambda: (assign(0, 5), assign((0, 1), 2.5), assign([1, 0], [[1, 2, 3]]), assign(slice(None), V)),
    "numbers": lambda: (float(V[0]), int(V[0]), bool(B[0]), complex(V[0]), V[0].item(), round(V[0]), V.tolist()),
    "text": lambda: (repr(X), str(X), f"{V[0]:.2f}", X._repr_html_),
    "memory": lambda: (np.asarray(X), np.asarray(X + 1), bytes(V), X.__dlpack__(), X.__dlpack__(max_version=(1, 0))),
    "graphs": lambda: (V + 1).__reduce_ex__(5),
    "facts": lambda: (X.shape, X.dtype, X.strides, X.broadcast_axes, X.cost, X.nbytes, X.T, X.exists),
    "refusals": lambda: (
        raised(zc.sum, X, axis=5),
        raised(zc.sum, X, axis=2**40),
        raised(zc.add, X, "text"),
        raised(zc.add, X, zc.ones(7)),
        raised(zc.stack, [X, V]),
        raised(zc.einsum, "ij,k", X),
        raised(zc.asarray, [300], dtype=zc.uint8),
        raised(zc.asarray, [[1, 2], [3]]),
        raised(zc.open, "nowhere.npy"),
        raised(zc.save, X, "a\0b"),
        raised(lambda: X[9]),
        raised(lambda: U + 300),
        raised(lambda: U * 2**70),
        raised(zc.reshape, X, (4, "a")),
        raised(zc.repeat, V, [-1, 1, 1]),
        raised(zc.where, B, V),
        raised(assign, 9, 1),
    ),
}


def rows():
    """Functions of the tables of operations and reductions, which take one to three operands."""
    from zerocast import _core

    for name in _core.OPERATIONS:
        function = getattr(zc, name)
        for operands in ((V,), (V, V), (B, B), (I, I), (B, V, V), (B,), (I,), (V, V, V)):
            try:
                function(*operands)
            except TypeError:
                continue
            yield name, lambda function=function, operands=operands: function(*operands)
            break
        else:
            raise AssertionError(f"nothing that {name} takes")
    for name in _core.REDUCTIONS:
        yield name, lambda name=name: getattr(zc, name)(B if name in ("any", "all") else V, axis=0, keepdims=True)


def public_functions():
    return {name for name in dir(zc) if not name.startswith("_") and inspect.isroutine(getattr(zc, name))}


ALL = {**dict(rows()), **CALLS, **METHODS}


def test_every_function_is_called_here():
    assert public_functions() - ELSEWHERE <= ALL.keys()


@pytest.mark.parametrize("name", sorted(ALL))
def test_nothing_is_left_of_a_call(name):
    call = ALL[name]
    times = 600 * int(os.environ.get("ZC_TEST_SCALE", 1))

    def blocks():
        gc.collect()
        return sys.getallocatedblocks(), zc.memory().nodes

    for _ in range(100):
        call()
    before = blocks()
    for _ in range(times):
        call()
    after = blocks()
    assert after[0] - before[0] < times // 2 and after[1] - before[1] < times // 2, (before, after)


def test_texts_are_freed():
    """A text of 1 MB a call, of which none stays."""
    import resource

    text = "ij,j->i" + " " * 10**6
    for _ in range(100):
        zc.einsum(text, X, V)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(200):
        zc.einsum(text, X, V)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB; 200 MB would have been kept
