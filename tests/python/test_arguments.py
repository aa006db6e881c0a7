"""What functions take: integers of any kind, NumPy's arrays and lists, paths, and axes."""

import copy
import os
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

import zerocast as zc

A = np.arange(1.0, 25.0).reshape(2, 3, 4)
M = A[0]
V = np.array([3.0, 1.0, 2.0, 2.0])
INT = np.array([2, 0, 1, 3])
BOOL = np.array([True, False, True, True])


class Index:
    """An integer that is none of Python's or NumPy's."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


def elements(value):
    """What a call gave, as lists."""
    if isinstance(value, zc.Array):
        return value.dtype.name, value.shape, value.tolist()
    if isinstance(value, (tuple, list)):
        return [elements(one) for one in value]
    return value


# Calls with arrays, each of which a function takes: f(array, *others)
ARRAYS = {
    "argmax": lambda x: zc.argmax(x(A), axis=1),
    "argsort": lambda x: zc.argsort(x(V)),
    "astype": lambda x: zc.astype(x(A), zc.float32),
    "broadcast_arrays": lambda x: zc.broadcast_arrays(x(M), x(V)),
    "broadcast_to": lambda x: zc.broadcast_to(x(V), (2, 4)),
    "clip": lambda x: (zc.clip(x(V), 1, x(V)), zc.clip(x(V)), zc.clip(x(INT), max=2)),
    "compute": lambda x: zc.compute(x(V), x(M)),
    "concat": lambda x: (zc.concat([x(V), x(V)]), zc.concat([x(M), x(V)], axis=None)),
    "conj": lambda x: zc.conj(x(V)),
    "cost": lambda x: zc.cost(x(V)).logical_bytes,
    "count_nonzero": lambda x: zc.count_nonzero(x(M), axis=0),
    "cumulative_prod": lambda x: zc.cumulative_prod(x(V)),
    "cumulative_sum": lambda x: (zc.cumulative_sum(x(M), axis=1), zc.cumulative_sum(x(V))),
    "diagonal": lambda x: zc.diagonal(x(A)),
    "diff": lambda x: zc.diff(x(M), axis=0, prepend=x(M[:1]), append=0),
    "einsum": lambda x: zc.einsum("ij,j", x(M), x(V)),
    "empty_like": lambda x: zc.empty_like(x(M)).shape,
    "expand_dims": lambda x: zc.expand_dims(x(V), axis=(0, -1)),
    "flip": lambda x: zc.flip(x(A)),
    "full_like": lambda x: zc.full_like(x(INT), 3),
    "imag": lambda x: zc.imag(x(V + 1j)),
    "isin": lambda x: zc.isin(x(V), x(V[:2])),
    "log_softmax": lambda x: zc.log_softmax(x(M)),
    "logsumexp": lambda x: zc.logsumexp(x(M), axis=0),
    "matmul": lambda x: zc.matmul(x(M), x(V)),
    "matrix_transpose": lambda x: zc.matrix_transpose(x(A)),
    "meshgrid": lambda x: zc.meshgrid(x(V), x(INT)),
    "moveaxis": lambda x: zc.moveaxis(x(A), 0, -1),
    "nonzero": lambda x: zc.nonzero(x(BOOL)),
    "ones_like": lambda x: zc.ones_like(x(M)),
    "outer": lambda x: zc.outer(x(V), x(INT)),
    "pad": lambda x: zc.pad(x(M), 1, constant_values=x(V)[0]),
    "permute_dims": lambda x: zc.permute_dims(x(A), (2, 0, 1)),
    "real": lambda x: zc.real(x(V + 1j)),
    "repeat": lambda x: (zc.repeat(x(M), 2), zc.repeat(x(V), x(INT))),
    "reshape": lambda x: (zc.reshape(x(M), (4, 3)), zc.reshape(x(M), (4, 3), copy=True)),
    "roll": lambda x: (zc.roll(x(M), 1), zc.roll(x(M), (1, 2), axis=(0, 1))),
    "rot90": lambda x: zc.rot90(x(M)),
    "searchsorted": lambda x: zc.searchsorted(x(np.sort(V)), x(V)),
    "sliding_window_view": lambda x: zc.sliding_window_view(x(V), 2),
    "softmax": lambda x: zc.softmax(x(M)),
    "softmax_sum": lambda x: zc.softmax_sum(x(M), x(M.T)),
    "sort": lambda x: zc.sort(x(V)),
    "split": lambda x: (zc.split(x(V), 2), zc.split(x(V), [1, 3])),
    "squeeze": lambda x: zc.squeeze(x(M[:1])),
    "stack": lambda x: zc.stack([x(V), x(V)]),
    "std": lambda x: zc.std(x(M), axis=0),
    "sum": lambda x: zc.sum(x(M), axis=0),
    "swapaxes": lambda x: zc.swapaxes(x(A), 0, 1),
    "take": lambda x: (zc.take(x(V), x(INT)), zc.take(x(M), x(INT), axis=1)),
    "take_along_axis": lambda x: zc.take_along_axis(x(V), x(INT)),
    "tensordot": lambda x: (zc.tensordot(x(M), x(V), axes=1), zc.tensordot(x(M), x(M), axes=((0,), (0,)))),
    "tile": lambda x: zc.tile(x(V), 2),
    "top_k": lambda x: zc.top_k(x(V), 2),
    "trace": lambda x: zc.trace(x(M)),
    "transpose": lambda x: zc.transpose(x(A)),
    "tril": lambda x: zc.tril(x(M)),
    "triu": lambda x: zc.triu(x(M), k=1),
    "unique_all": lambda x: (zc.unique_all(x(V)), zc.unique_all(x(V + 1j))),
    "unique_counts": lambda x: zc.unique_counts(x(V)),
    "unique_inverse": lambda x: zc.unique_inverse(x(V)),
    "unique_values": lambda x: zc.unique_values(x(V)),
    "unstack": lambda x: zc.unstack(x(M)),
    "var": lambda x: zc.var(x(M), axis=0, correction=1),
    "vecdot": lambda x: zc.vecdot(x(V), x(INT)),
    "vector_norm": lambda x: zc.vector_norm(x(M), axis=0),
    "where": lambda x: zc.where(x(BOOL), x(V), x(INT)),
    "zeros_like": lambda x: zc.zeros_like(x(M)),
    "add": lambda x: zc.add(x(V), x(INT)),
    "less": lambda x: zc.less(x(V), x(INT)),
    "sqrt": lambda x: zc.sqrt(x(V)),
    "lerp": lambda x: zc.lerp(x(V), x(V), 0.5),
    "explain": lambda x: len(zc.explain(x(V))) > 10,
}


@pytest.mark.parametrize("name", sorted(ARRAYS))
def test_numpys_arrays_and_lists_are_operands(name):
    call = ARRAYS[name]
    wanted = elements(call(zc.asarray))
    assert elements(call(lambda a: a)) == wanted
    if name not in ("cost", "pad"):  # which indexes what it is given
        assert elements(call(lambda a: a.tolist())) == wanted


X, Y = zc.asarray(A), zc.asarray(V)

INTEGERS = {
    "sum": lambda n: zc.sum(X, axis=n(1)),
    "sum of a tuple": lambda n: zc.sum(X, axis=(n(0), n(-1))),
    "argmax": lambda n: zc.argmax(X, axis=n(1)),
    "cumulative_sum": lambda n: zc.cumulative_sum(X, axis=n(1)),
    "concat": lambda n: zc.concat([X, X], axis=n(1)),
    "stack": lambda n: zc.stack([X, X], axis=n(1)),
    "diff": lambda n: zc.diff(X, axis=n(1), n=n(2)),
    "expand_dims": lambda n: (zc.expand_dims(X, n(0)), zc.expand_dims(X, axis=(n(0), n(2)))),
    "squeeze": lambda n: zc.squeeze(X[:1], n(0)),
    "moveaxis": lambda n: (zc.moveaxis(X, n(0), n(2)), zc.moveaxis(X, [n(0)], [n(2)])),
    "swapaxes": lambda n: zc.swapaxes(X, n(0), n(2)),
    "permute_dims": lambda n: (zc.permute_dims(X, (n(2), n(0), n(1))), X.transpose(n(2), n(0), n(1))),
    "flip": lambda n: zc.flip(X, axis=n(0)),
    "roll": lambda n: (zc.roll(X, n(1), axis=n(0)), zc.roll(X, n(1)), zc.roll(X, (n(1), n(2)), axis=(n(0), n(1)))),
    "rot90": lambda n: zc.rot90(X, k=n(1), axes=(n(0), n(2))),
    "pad": lambda n: (zc.pad(X, n(1)), zc.pad(X, (n(1), n(2))), zc.pad(X, {0: n(1)}), zc.pad(Y, [[n(1), n(0)]])),
    "tile": lambda n: (zc.tile(X, n(2)), zc.tile(X, (n(2), n(1), n(1)))),
    "repeat": lambda n: zc.repeat(X, n(2), axis=n(1)),
    "split": lambda n: (zc.split(X, n(3), axis=n(1)), zc.split(Y, [n(1), n(2)])),
    "unstack": lambda n: zc.unstack(X, axis=n(1)),
    "take": lambda n: zc.take(X, [0, 1], axis=n(1)),
    "take_along_axis": lambda n: zc.take_along_axis(X, zc.zeros((2, 3, 4), dtype=zc.int64), axis=n(1)),
    "tensordot": lambda n: (zc.tensordot(X, X, axes=n(3)), zc.tensordot(X, X, axes=((n(1), n(2)), (n(1), n(2))))),
    "tensordot of axes": lambda n: zc.tensordot(X, X, axes=(n(1), n(1))),
    "vecdot": lambda n: zc.vecdot(X, X, axis=n(-2)),
    "sort": lambda n: (zc.sort(X, axis=n(1)), zc.argsort(X, axis=n(0))),
    "top_k": lambda n: zc.top_k(X, n(2), axis=n(1)),
    "softmax": lambda n: zc.softmax(X, axis=n(0)),
    "softmax_sum": lambda n: zc.softmax_sum(X, X[:, 0], axis=n(0)),
    "trace": lambda n: zc.trace(X, offset=n(1), axis1=n(1), axis2=n(2)),
    "diagonal": lambda n: zc.diagonal(X, offset=n(1), axis1=n(0), axis2=n(2)),
    "tril": lambda n: zc.tril(X, k=n(1)),
    "eye": lambda n: zc.eye(n(2), n(3), k=n(1)),
    "zeros": lambda n: (zc.zeros(n(3)), zc.zeros((n(3), n(2))), zc.full(n(2), 1)),
    "arange": lambda n: zc.arange(n(2), n(9), n(3)),
    "linspace": lambda n: zc.linspace(0, 1, n(5)),
    "reshape": lambda n: (zc.reshape(X, (n(4), n(6))), X.reshape(n(4), n(6)), X.reshape((n(4), n(6))), X.reshape(n(24))),
    "broadcast_to": lambda n: zc.broadcast_to(Y, (n(2), n(4))),
    "sliding_window_view": lambda n: (zc.sliding_window_view(Y, n(2)), zc.sliding_window_view(X, n(2), axis=n(1))),
    "keys": lambda n: (X[n(1)], X[n(1), ..., n(2)], X[:, n(0) : n(2)], X[n(0), [0, 1]]),
    "var": lambda n: (zc.var(X, axis=n(1)), zc.vector_norm(X, axis=(n(0), n(1)))),
    "count_nonzero": lambda n: zc.count_nonzero(X, axis=n(1)),
    "median": lambda n: zc.median(X, axis=n(1)),
}
KINDS = [np.int64, np.int8, np.uint32, np.intp, Index, lambda n: np.array(n), lambda n: zc.asarray(n)]


@pytest.mark.parametrize("name", sorted(INTEGERS))
def test_integers_are_what_has_an_index(name):
    call = INTEGERS[name]
    wanted = elements(call(int))
    for kind in KINDS:
        negative_unsigned = kind is np.uint32 and name in ("sum of a tuple", "vecdot")
        if not negative_unsigned:
            assert elements(call(kind)) == wanted


AXES = {
    "numpy.take": lambda a: np.take(X, [0], axis=a),
    "sum": lambda a: zc.sum(X, axis=a),
    "any": lambda a: zc.any(X > 0, axis=(0, a)),
    "argmin": lambda a: zc.argmin(X, axis=a),
    "var": lambda a: zc.var(X, axis=a),
    "vector_norm": lambda a: zc.vector_norm(X, axis=a),
    "logsumexp": lambda a: zc.logsumexp(X, axis=a),
    "count_nonzero": lambda a: zc.count_nonzero(X, axis=a),
    "softmax": lambda a: zc.softmax(X, axis=a),
    "log_softmax": lambda a: zc.log_softmax(X, axis=a),
    "cumulative_sum": lambda a: zc.cumulative_sum(X, axis=a),
    "cumulative_prod": lambda a: zc.cumulative_prod(X, axis=a),
    "diff": lambda a: zc.diff(X, axis=a),
    "diff of more": lambda a: zc.diff(X, axis=a, append=1),
    "trace": lambda a: zc.trace(X, axis1=a),
    "sort": lambda a: zc.sort(X, axis=a),
    "argsort": lambda a: zc.argsort(X, axis=a),
    "top_k": lambda a: zc.top_k(X, 1, axis=a),
    "swapaxes": lambda a: zc.swapaxes(X, 0, a),
    "moveaxis": lambda a: zc.moveaxis(X, a, 0),
    "moveaxis to": lambda a: zc.moveaxis(X, (0,), (a,)),
    "permute_dims": lambda a: zc.permute_dims(X, (0, 1, a)),
    "squeeze": lambda a: zc.squeeze(X, a),
    "flip": lambda a: zc.flip(X, axis=a),
    "roll": lambda a: zc.roll(X, 1, axis=a),
    "rot90": lambda a: zc.rot90(X, axes=(0, a)),
    "diagonal": lambda a: zc.diagonal(X, axis2=a),
    "unstack": lambda a: zc.unstack(X, axis=a),
    "split": lambda a: zc.split(X, 1, axis=a),
    "split at": lambda a: zc.split(X, [1], axis=a),
    "concat": lambda a: zc.concat([X, X], axis=a),
    "repeat": lambda a: zc.repeat(X, 2, axis=a),
    "repeat of each": lambda a: zc.repeat(X, zc.asarray([1, 2]), axis=a),
    "take": lambda a: zc.take(X, [0], axis=a),
    "take_along_axis": lambda a: zc.take_along_axis(X, zc.zeros((2, 3, 4), dtype=zc.int64), axis=a),
    "tensordot": lambda a: zc.tensordot(X, X, axes=((a,), (0,))),
    "sliding_window_view": lambda a: zc.sliding_window_view(X, 1, axis=a),
    "pad": lambda a: zc.pad(X, {a: 1}),
    "stack": lambda a: zc.stack([X, X], axis=a + (a > 0)),
    "expand_dims": lambda a: zc.expand_dims(X, a + (a > 0)),
    "expand_dims of two": lambda a: zc.expand_dims(X, (0, a + 3 * (a > 0) - 3 * (a < 0))),
}


@pytest.mark.parametrize("name", sorted(AXES))
def test_axes_that_are_not_there(name):
    for axis in (3, -4 - (name in ("stack", "expand_dims")), 2**31, 2**32, -(2**32) - 1, 2**63, 2**70, -(2**70)):
        with pytest.raises(zc.AxisError) as caught:
            AXES[name](axis)
        error = caught.value
        assert isinstance(error, ValueError) and isinstance(error, IndexError) and isinstance(error, np.exceptions.AxisError)
        assert "out of bounds" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, zc.AxisError) and str(again) == str(error)


def test_axis_errors_need_no_numpy():
    program = """
import sys, zerocast as zc
try:
    zc.sum(zc.arange(3), axis=1)
except zc.AxisError as error:
    assert isinstance(error, ValueError) and isinstance(error, IndexError)
    assert "numpy" not in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


# ---- Forms of arguments ----

NO_LISTS = {
    "sum": lambda a: zc.sum(X, axis=a),
    "X.max": lambda a: X.max(a),
    "std": lambda a: zc.std(X, axis=a),
    "median": lambda a: zc.median(X, axis=a),
    "broadcast_to": lambda a: zc.broadcast_to(X, a),
    "zeros": lambda a: zc.zeros(a),
    "reshape": lambda a: zc.reshape(X, a),
    "permute_dims": lambda a: zc.permute_dims(X, a),
    "X.transpose": lambda a: X.transpose(a),
    "roll": lambda a: zc.roll(X, a),
    "tile": lambda a: zc.tile(X, a),
    "pad": lambda a: zc.pad(X, a),
    "split": lambda a: zc.split(X, a),
    "squeeze": lambda a: zc.squeeze(X, a),
    "xla.add": lambda a: zc.xla.add(X, X, broadcast_dimensions=a),
    "grad": lambda a: zc.grad(zc.sum, argnums=a),
    "vjp": lambda a: zc.vjp(zc.sum(X), a),
    "concat": lambda a: zc.concat(a),
    "save_all": lambda a: zc.save_all(a),
    "tensordot": lambda a: zc.tensordot(X, X, axes=a),
}


@pytest.mark.parametrize("name", sorted(NO_LISTS))
def test_what_is_neither_an_integer_nor_a_list_is_told_so(name):
    for value in (1.5, np.float32(2), slice(3), object()):
        with pytest.raises(TypeError) as caught:
            NO_LISTS[name](value)
        assert "expected" in str(caught.value) or "takes" in str(caught.value), str(caught.value)


def test_transpose_takes_all_axes_or_none():
    for axes in ((), (None,), ((2, 0, 1),), (2, 0, 1), ([1, 0, 2],)):
        assert X.transpose(*axes).shape == A.transpose(*axes).shape
    for axes in (((),), ((0,),), (0, 1)):
        with pytest.raises(ValueError):
            X.transpose(*axes)


def test_long_lists_of_axes_are_refused_at_once():
    many = zc.broadcast_to(zc.asarray(0), (10**12,))
    for name in ("sum", "X.max", "broadcast_to", "permute_dims", "squeeze"):
        with pytest.raises(ValueError, match="more than 64 axes"):
            NO_LISTS[name](many)


def test_the_numbers_of_arguments_to_differentiate_by():
    gradient = zc.grad(lambda a, b: a * b, argnums=np.int64(1))
    assert float(gradient(2.0, 3.0)) == 2.0
    assert list(map(float, zc.grad(lambda a, b: a * b, argnums=[np.int8(0), -1])(2.0, 3.0))) == [3.0, 2.0]
    with pytest.raises(ValueError, match="argnums has 2"):
        zc.grad(lambda a, b: a * b, argnums=2)(2.0, 3.0)
    with pytest.raises(ValueError, match="0 and|axes|of the one|takes"):
        zc.tensordot(X, X, axes=([0], [0, 1]))


def test_pads():
    a, x = np.ones((3, 3)), zc.ones((3, 3))
    array = np.array([[1, 2], [0, 1]])
    for widths in (1, (1, 2), [(1, 2)], ((1, 2), (3, 4)), [[1], [2]], array, {0: (1, 1), 1: (2, 2)}, {-1: 2}):
        assert zc.pad(x, widths).tolist() == np.pad(a, widths).tolist(), widths
    for widths in (((3, 4, 5), (0, 1, 2)), (1, 2, 3), ((1, 2),) * 3, {0: (1, 2, 3)}, ((), ())):
        with pytest.raises(ValueError):
            zc.pad(x, widths)


def test_many_parts():
    parts = zc.split(zc.arange(1000), 100)
    assert len(parts) == 100 and parts[99].tolist() == list(range(990, 1000))
    parts = zc.split(zc.arange(1000), range(10, 1000, 10))
    assert len(parts) == 100 and parts[99].tolist() == list(range(990, 1000))


def test_appended_numbers():
    a = np.array([[1, 2], [4, 8]])
    for keywords in ({"append": 5}, {"prepend": 5, "axis": 0}, {"prepend": np.int64(1), "append": 2}, {"append": [[1], [2]]}):
        assert zc.diff(zc.asarray(a), **keywords).tolist() == np.diff(a, **keywords).tolist()


def test_keys_of_numpy():
    x = zc.asarray(A)
    for key in (
        np.array(1),
        np.int8(1),
        (np.array(0), 1, np.uint8(2)),
        np.True_,
        np.array(True),
        (slice(np.int64(0), np.array(2)), np.array(1)),
        (Ellipsis, np.array([0, 2])),
        Index(1),
    ):
        wanted = A[key] if not isinstance(key, Index) else A[1]
        assert x[key].tolist() == wanted.tolist(), key
    for key in (([5, 0], [0, 1, 2]), ([0, 1], [0, 1, 2], 0), (np.zeros((2, 2), int), np.zeros(3, int))):
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x[key] = 1


# ---- Dtypes and names ----


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
def test_dtypes_are_numpys_in_dictionaries(name):
    ours, theirs = zc.zeros(1, dtype=name).dtype, np.dtype(name)
    assert ours == theirs and hash(ours) == hash(theirs)
    assert {theirs: 1}[ours] == 1 and {ours: 1}[theirs] == 1 and {ours, theirs} == {theirs}
    assert isinstance(ours, np.dtype)
    for fact in ("hasobject", "char", "str", "num", "alignment", "isnative", "byteorder", "kind", "itemsize", "names", "shape"):
        assert getattr(ours, fact) == getattr(theirs, fact), fact
    assert copy.deepcopy(ours) is ours and pickle.loads(pickle.dumps(ours)) is ours
    with pytest.raises(AttributeError):
        ours.nonsense  # noqa: B018
    assert not hasattr(zc.bfloat16, "char") and zc.bfloat16.hasobject is False and len({zc.bfloat16, zc.float16}) == 2


def test_weak_references():
    x = zc.arange(3)
    reference = weakref.ref(x)
    table = weakref.WeakValueDictionary(x=x)
    assert reference() is x and table["x"] is x
    del x
    assert reference() is None and not table


def test_names():
    import types

    shown = [name for name in dir(zc) if not name.startswith("_")]
    assert {"namedtuple", "annotations", "TYPE_CHECKING", "operator"} & set(shown) == set()
    modules = set(zc._DIALECTS) | set(zc._MODULES)
    assert {name for name in shown if isinstance(getattr(zc, name), types.ModuleType)} <= modules
    assert zc.__array_namespace_info__().devices() == ["cpu"]
    with pytest.raises(ValueError):
        zc.result_type()


# ---- Files ----


def test_errors_of_files_are_the_systems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = zc.arange(3)
    (tmp_path / "folder.npy").mkdir()
    for call, error, name in (
        (lambda: zc.open("nowhere.npy"), FileNotFoundError, "nowhere.npy"),
        (lambda: zc.open(tmp_path / "nowhere.npy"), FileNotFoundError, str(tmp_path / "nowhere.npy")),
        (lambda: zc.open(b"nowhere.npy"), FileNotFoundError, b"nowhere.npy"),
        (lambda: zc.open("folder.npy"), IsADirectoryError, "folder.npy"),
        (lambda: zc.save(x, "folder.npy"), IsADirectoryError, "folder.npy"),
        (lambda: x.save("gone/x.npy"), FileNotFoundError, "gone/x.npy"),
        (lambda: zc.open(""), FileNotFoundError, ""),
        (lambda: zc.open("a" * 300 + ".npy"), OSError, "a" * 300 + ".npy"),
    ):
        with pytest.raises(error) as caught:
            call()
        assert caught.value.filename == name and os.strerror(caught.value.errno) in str(caught.value)
    with pytest.raises(FileNotFoundError, match="gone"):
        zc.save_all({"gone/x.npy": x, "y.npy": x})
    assert not (tmp_path / "y.npy").exists()
    if os.geteuid() != 0:
        (tmp_path / "closed.npy").touch(mode=0)
        with pytest.raises(PermissionError):
            zc.open("closed.npy")


def test_paths_are_bytes(tmp_path):
    x = zc.arange(3)
    for name in (b"\xff\xfe.npy", "ü.npy".encode(), b"plain.npy"):
        path = os.path.join(os.fsencode(tmp_path), name)
        zc.save(x, path)
        assert zc.open(path).tolist() == [0, 1, 2] == zc.open(os.fsdecode(path)).tolist()
        with pytest.raises(ValueError, match="npy"):  # the sentence has the path in it
            open(path, "wb").close()
            zc.open(path)
    zc.save_all({os.path.join(os.fsencode(tmp_path), b"\xfd.npy"): x, tmp_path / "z.npy": x})
    assert zc.open(tmp_path / "z.npy").tolist() == [0, 1, 2]
    for call in (lambda p: zc.save(x, p), lambda p: zc.save_all({p: x}), lambda p: zc.open(p), lambda p: x.save(p)):
        for path in (str(tmp_path / "a.npy") + "\0.txt", os.fsencode(tmp_path) + b"/a.npy\0"):
            with pytest.raises(ValueError):
                call(path)
    assert not (tmp_path / "a.npy").exists()
    with pytest.raises(ValueError):
        zc.einsum("ij\0,j", zc.ones((2, 2)), zc.ones(2))


def test_plans_are_json_in_every_locale(tmp_path):
    import shutil

    if shutil.which("localedef") is None:
        pytest.skip("localedef makes the locale")
    target = tmp_path / "de_DE.UTF-8"
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", target], capture_output=True)
    if not target.exists():
        pytest.skip(made.stderr.decode())
    program = """
import json, locale, zerocast as zc
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
x = zc.linspace(0, 1, 7)
y = zc.sum(x[:, None] * 1.5 * x[None, :] + 1e-300, axis=1)
plan = y.explain("json")
json.loads(plan)
assert "1.5" in plan and "1.5" in y.explain() and "1.5" in y.explain("dot") and "1,5" not in y.explain()
json.loads((y + (2.5 + 1.5j)).explain("json"))
"""
    run = subprocess.run([sys.executable, "-c", program], env={**os.environ, "LOCPATH": str(tmp_path)}, capture_output=True)
    assert run.returncode == 0, run.stderr.decode()
