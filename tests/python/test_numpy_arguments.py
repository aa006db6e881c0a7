"""NumPy's functions of our arrays: its arguments, the dtypes and subclasses of NumPy's beside ours, and who computes."""

import warnings

import numpy as np
import pytest

import zerocast as zc
from numpy_pairs import calls
from zerocast import _numpy

A = np.array([[3.0, 1.0, 2.0], [np.nan, 5.0, 4.0]])
I = np.arange(12).reshape(3, 4) - 5  # noqa: E741
V = np.array([2.0, 1.0])
MASK = np.array([[True, False, True], [True, True, False]])


def equal(ours, theirs):
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        return [equal(x, a) for x, a in zip(ours, theirs)]
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype and np.shape(ours) == np.shape(theirs)
    return np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6)


def on_both(call):
    """The call on NumPy's arrays and on ours."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return call(*map(zc.asarray, (A, I, V))), call(*(array.copy() for array in (A, I, V)))


LAZY = """
np.sort(v, kind="stable")           np.argsort(i, axis=0, kind="quicksort")   np.sort(i, axis=None)          np.argsort(v, stable=True)
np.sum(v, dtype="f4")               np.sum(i, dtype=np.float32)               np.sum(i, axis=1, dtype=float)  np.prod(v, dtype="complex64")
np.mean(i, dtype="f4")              np.cumsum(i, axis=1, dtype="i4")          np.var(i, dtype=np.float32)    np.nanvar(a, dtype="float32")
np.sum(v, 0, None, None, True)      np.sum(v, out=None, where=True)           np.max(v, keepdims=np._NoValue)
np.sum(a, where=MASK)               np.sum(i, axis=0, initial=10)             np.prod(i, where=[True, False, True, True], initial=2)
np.sum(MASK, where=i[:2, :3] > 0)   np.max(i, initial=3)                      np.min(i, axis=1, where=i > 0, initial=9)
np.any(i > 2, where=i > 5)          np.all(i > 2, axis=0, where=[[True], [True], [False]])
np.mean(i, where=i > 0)             np.mean(a, axis=0, where=MASK)            np.var(i, axis=1, where=i > -4, ddof=1)
np.std(i, axis=0, where=i < 0)      np.nansum(a, where=MASK, initial=10)      np.nanprod(a, axis=1, initial=.5)
np.nanmax(a, axis=1, initial=3.5)   np.nanmin(a, where=MASK, initial=2.5)     np.nanmean(a, axis=1, where=MASK)
np.nanstd(a, correction=1)          np.nanvar(a, axis=0, ddof=1)              np.std(v, correction=1)        np.nanmean(i, axis=0)
np.full_like(a, 7, shape=(2,))      np.full_like(i, 7, dtype="f4", order="K")  np.zeros_like(a, shape=3)      np.ones_like(v, dtype=np.int8)
np.full_like(v, v[::-1])            np.empty_like(v, shape=(0, 2))            np.full_like(i, 2.7)
np.einsum(i, [0, 1])                np.einsum(i, [0, 1], [1, 0])              np.einsum(i, [0, 1], i, [0, 1], [0])
np.einsum(i, [..., 2], [2, ...])    np.einsum("ij,kj", i, i, optimize=True)   np.einsum("i,i->", v, v, dtype="c16")
np.concatenate([v, v], dtype="f4")  np.concatenate([i, i], 1, dtype="i2", casting="unsafe")   np.concatenate([v, i], axis=None)
np.stack([v, v], axis=1, dtype="f4")                                         np.stack([v, [5, 6]], -1)
np.take(i, [7, -9], mode="wrap")    np.take(i, [70, -9], mode="clip")         np.take(i, [0, -1], axis=1, mode="raise")   np.take(v, [])
np.trace(i, dtype="f4")             np.trace(i, 1, 1, 0)                      np.diagonal(i, 1)
np.repeat(i, [2])                   np.repeat(i, [1, 0, 2], axis=0)           np.repeat(i, np.int64(2), 1)   np.repeat(v, np.array(3))
np.dot(i, 2)                        np.dot(2.5, v)                            np.dot(v, v)                   np.dot(i, i.T)
np.reshape(i, (2, -1), order="F")   np.ravel(i, order="F")                    np.reshape(i, -1, "A")         np.reshape(i, shape=(4, 3))
np.round(v / 3, 2)                  np.round(v * 1000 / 3, decimals=-2)       np.around(i, 3)                np.round(i)
np.clip(i, 0.5, 1.7)                np.clip(i.astype(np.uint8), -1, 300)          np.clip(i, None, 2)            np.clip(i, max=3)
np.clip(v, v[::-1], None)           np.clip(i, np.int8(-2), np.float32(3))
np.diff(v, prepend=5)               np.diff(i, axis=0, append=[[1, 2, 3, 4]])  np.diff(i, n=2, prepend=0)     np.diff(i > 2)
np.pad(i, {0: (1, 1), 1: (2, 2)})   np.pad(i, {-1: 2})                        np.pad(v, np.int64(1), "edge")  np.pad(i, (1, 2), constant_values=7)
np.where(i, 1.5, i)                 np.where([1, 0], v, 0)                    np.where(a, v[0], 0)           np.where(i > 2)
np.searchsorted(v[::-1], 1.5)       np.searchsorted(v[::-1], [1, 2], "right")  np.isin(i, [1, 2], assume_unique=True, invert=True)
np.quantile(v, 0.3, overwrite_input=True)                                     np.median(i, axis=(0, 1), keepdims=True)
np.percentile(v, 30)                np.percentile(i, [5, 95], axis=1)         np.nanpercentile(a, [[30.5]], axis=0, keepdims=True)
np.quantile(v.astype("f4"), [.1, .5])   np.quantile(v.astype("f2"), np.float64(.5))   np.nanquantile(a.astype("f4"), np.array([.5], "f4"), axis=1)
np.quantile(v.astype("f4"), .3)     np.percentile(v.astype("f4"), 25)         np.percentile(a.astype("f4"), [0, 100], 1)   np.quantile(v.astype("f4"), [0, 1])
np.astype(i, "f4")                  np.copy(v)
np.average(i, axis=0)               np.broadcast_to(v, (3, 2), subok=True)    np.argmax(i, axis=1, keepdims=True)
np.nanargmax(a, axis=1)             np.nanargmin(a, 0, keepdims=True)         np.nanargmax(i)
np.argmin(i)                        np.count_nonzero(i, axis=0)               np.rot90(i, 3)                 np.squeeze(i[None])
np.lib.stride_tricks.sliding_window_view(i, 2, axis=1)                        np.nancumsum(a, axis=1)        np.nancumprod(a)
np.add.reduce(i)                    np.add.reduce(i, axis=None, dtype="f4")   np.maximum.reduce(i, 1, initial=2)
np.add.reduce(i, where=i > 0)       np.logical_or.reduce(i > 2, keepdims=True)  np.multiply.reduce(i, axis=(0, 1))
np.add.accumulate(i)                np.multiply.accumulate(i, 1)              np.subtract.outer(v, i)        np.multiply.outer(v, [1, 2])
np.add(v, [1, 2])                   np.add(v, 1, where=True, casting="same_kind")   np.divmod(i, 3)          np.rint(i)     np.fabs(i)
np.linalg.norm(v)                   np.linalg.norm(i)             np.linalg.norm(a, axis=1)     np.linalg.norm(i, axis=(0, 1), keepdims=True)
np.linalg.norm(v, np.inf)           np.linalg.norm(v, 1)          np.linalg.norm(i, ord=3, axis=-1)     np.linalg.norm(v + 1j)   np.linalg.norm(i, "fro")
np.linalg.norm(v[:, None] - v, axis=0)   np.meshgrid(v, i[0])     np.meshgrid(v, v, indexing="ij")      np.linalg.norm(i[None], axis=-1)
np.right_shift(i, -1)               np.left_shift(i, 70)                      np.right_shift(i, i)           np.conjugate(v + 1j)
np.right_shift(i > 0, i > 2)        np.left_shift(i > 0, i > 2)               np.conj(i > 0)                 np.left_shift(i > 0, 2)
np.std(v, dtype=complex)            np.var(i, axis=1, dtype="c16")            np.mean(i, dtype="u8")         np.mean(i, axis=0, dtype="i2")
np.nanmean(i, axis=1, dtype=int)    np.mean(i, where=i > 0, dtype="u1")       np.quantile(i, 0)              np.nanquantile(i, [0, 1], axis=1)
np.quantile(i.astype("u1"), 1)      np.percentile(i, 100)                     np.quantile(i, 0.0)            np.round(v / 3 - np.inf * 1j, 1)
np.argsort(v[0])                    np.argsort(v[0], axis=None)               np.roll(i, 1, ())              np.roll(i, (1, 2), 1)
np.clip(i, None, None)              np.clip(i, a_max=2, a_min=None)           np.clip(i, min=0, max=2)       np.var(v, ddof=0, correction=1)
"""  # noqa: E501


@pytest.mark.parametrize("text", calls(LAZY))
def test_arguments_that_zerocast_has(text):
    call = eval(f"lambda a, i, v: {text}", {"np": np, "MASK": MASK})
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*not in zerocast")
        ours, theirs = on_both(call)
    for x in ours if isinstance(ours, tuple) else (ours,):
        assert isinstance(x, zc.Array)
    equal(ours, theirs)


def test_quantiles_of_integers_by_integers_are_elements():
    large = I * 2**55 + 3
    equal(np.quantile(zc.asarray(large), 1), np.quantile(large, 1))
    for keywords in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
        ours, theirs = (np.quantile(a, [[0, 1], [1, 1]], **keywords) for a in (zc.asarray(large), large))
        assert np.array_equal(np.asarray(ours), theirs)
    assert int(np.nanargmax(zc.asarray(2.0), axis=0)) == 0


METHODS = """
x.argmax()   x.argmin(1)   x.argmax(0, keepdims=True)   x.argsort()   x.argsort(None)   x.argsort(axis=0)   x.conj()   x.conjugate()
x.copy()   x.cumsum()   x.cumsum(1)   x.cumprod(0, "float32")   x.diagonal()   x.diagonal(1, 1, 0)   x.dot(x.T)   x.dot(2)   x[0].dot(x[1])
x.flatten()   x.nonzero()   x.prod()   x.prod(1, keepdims=True)   x.ravel()   x.ravel("F")   x.flatten("K")   x.repeat(2)   x.repeat([1, 0, 2], 0)   x[0].searchsorted(1)
x[0].searchsorted([0, 9], "right")   x[None].squeeze()   x[None].squeeze(0)   x.std()   x.std(0, ddof=1)   x.var(1, "float32")   x.trace(1)
x.clip(1, 5)   x.clip(max=3)   x.clip([1, 2, 3, 4], 5)   x.round()   (x / 3).round(2)   x.reshape((2, -1), order="F")   x.reshape(4, 3, order="F")
x.reshape(-1, order="F")   x.reshape(6, 2, order="C")   x.sum(0, dtype="f4")   x.mean(dtype="<f4")   x.astype("i2")   x.astype("float")   x.std(dtype="float")
x.var(keepdims=True)   x.swapaxes(0, 1)   x.take([3, 0])   x.take([3, 0], 1)   x.sum(1)   x.mean(0)   x.max(1)   x.transpose(1, 0)
"""  # noqa: E501


@pytest.mark.parametrize("text", calls(METHODS))
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_methods(text, dtype):
    a = I.astype(dtype)
    equal(eval(text, {"x": zc.asarray(a)}), eval(text, {"x": a}))


def test_methods_in_place():
    x, a = zc.asarray(I[::-1, ::-1]), I[::-1, ::-1].copy()
    y = x * 1
    x.sort(), a.sort()
    equal(x, a)
    x.sort(axis=0), a.sort(axis=0)
    equal(x, a)
    x.fill(7), a.fill(7)
    equal(x, a)
    equal(y, I[::-1, ::-1])
    with pytest.raises(ValueError, match="the orders C, F and A, not 'K'"):
        x.reshape(-1, order="K")
    for q in (101, [5, -1], np.nan):
        with pytest.raises(ValueError, match="it lies between 0 and 100"):
            np.percentile(zc.asarray(V), q)


@pytest.mark.parametrize("name", ["f4", "<f8", "=i2", "|u1", "?", "b1", "c8", "float", "int", "bool", "complex", "u8", "f2"])
def test_numpys_short_names_of_dtypes(name):
    assert zc.zeros(2, dtype=name).dtype == np.dtype(name)
    assert zc.float64.__eq__(name) is (np.dtype(name) == np.float64)


@pytest.mark.parametrize("name", [">f3", "S4", "f3", "f16", "", "<", "=?x", "O", "u", "b2"])
def test_names_of_no_dtype_are_refused(name):
    with pytest.raises(TypeError, match="none of zerocast's dtypes"):
        zc.zeros(2, dtype=name)


def test_copies_change_by_themselves():
    x = zc.asarray(V)
    y, z = x.copy(), x[None].flatten()
    x[0] = 9
    equal(y, V)
    y[1] = 8
    equal(x, np.array([9.0, 1.0]))
    equal(z, V)


COMPUTED = """
np.pad(v, 1, "linear_ramp")       np.pad(v, 1, constant_values=(3, 4))    np.add(v, 1, dtype="f4")   np.quantile(v, 0.3, method="lower")
np.std(i, mean=np.mean(np.arange(3.0)))                                   np.average(v, weights=[1, 2])
np.round(i, -1)                   np.percentile(v, 30, method="lower")                    np.sum(i, dtype=np.longdouble)     np.reciprocal(i[1:, 2:])
np.where(v > 1, v, np.longdouble([1, 2]))                                 np.concatenate([v, np.longdouble([1, 2])])
np.longdouble([1, 2]) + v         v + np.longdouble([1, 2])               np.add(v, np.longdouble(2))        np.subtract.reduceat(i[0], [0, 2])
v * np.array([1, 2], "m8[D]")     np.array([1, 2], "m8[D]") * v           np.maximum(v + 1j, 1 - 1j)         np.exp2(v * 1j)
np.full_like(v, 3, dtype="S1")    np.i0(v)            np.matmul(i, i.T, dtype="f8")
np.sum(i, axis=0, initial=np.float16(2), dtype="O")   np.linalg.norm(i, 2)   np.linalg.det(i[:3, :3])   np.fft.fft(v)   np.gcd(i, 2)   np.gcd.reduce(i, 1)
"""  # noqa: E501


@pytest.mark.parametrize("text", calls(COMPUTED))
def test_what_zerocast_has_not_is_computed_by_numpy_and_said_once(text):
    call = eval(f"lambda a, i, v: {text}", {"np": np})
    _numpy._said.clear()
    with pytest.warns(UserWarning, match=r"^numpy\.\w+(\.\w+)?( with \w+=| of such arguments)? is not in zerocast") as said:
        x = zc.asarray(V)
        ours = call(zc.asarray(A), zc.asarray(I), x)
    assert len(said) == 1 and said[0].filename in (__file__, "<string>")
    assert not isinstance(ours, zc.Array)
    theirs = call(A, I, V)
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype
    np.testing.assert_array_equal(ours, theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call(zc.asarray(A), zc.asarray(I), x)


REFUSED = """
np.sort(v, foo=1)    np.sum(v, 0, 1, 2, 3, 4, 5, 6)    np.concatenate([v], 0, axis=0)    np.sort(v, order="x")    np.concatenate([v, v], dtype="i4")
np.nanargmax(a * np.nan)    np.max(i, where=i > 1)    np.full_like(v)    np.einsum(v, [0], [77])    np.take(v, [9], mode="nowhere")    v + np.array(["2020-01-01"] * 2, "M8[D]")
np.reshape(v, 2, order="Z")    np.sum(v, dtype="nonsense")    np.add(v, "text")    np.add.reduce(v, nonsense=1)    np.pad(v, 1, "nonsense")
np.asarray(v, dtype="i2", copy=False)
np.sum(i, axis=[0])   np.mean(i, axis=[0])   np.std(v, axis=True)   np.argmax(i, axis=(0, 1))   np.argsort(v, axis=True)   np.count_nonzero(i, axis=[0])
np.mean(v[0], axis=0)   np.std(v[0], axis=0)   np.median(v[0], axis=0)   np.quantile(i[0, 0], 0, axis=0)   np.quantile(i, 2)   np.quantile(i, [0, -1])
np.nanmean(a, dtype=int)   np.nanstd(a, dtype="i4")   np.var(v, ddof=1, correction=1)   np.nanstd(a, ddof=1, correction=0)   np.clip(v, a_max=3)
np.clip(v, 0, 3, max=2)   np.nanargmin(a, axis=(0,))   np.pad(v, -1)   np.pad(v, (1, 2, 3))
"""  # noqa: E501


@pytest.mark.parametrize("text", calls(REFUSED))
def test_what_numpy_refuses_is_refused_by_numpy(text):
    call = eval(f"lambda a, i, v: {text}", {"np": np})
    with pytest.raises(Exception) as theirs, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call(A, I, V)
    kind = next(kind for kind in type(theirs.value).__mro__ if kind.__module__ == "builtins")
    with pytest.raises(kind) as ours, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call(zc.asarray(A), zc.asarray(I), zc.asarray(V))
    assert "lambda" not in str(ours.value) and "locals" not in str(ours.value)


def test_no_message_names_an_inner_function():
    from zerocast import _numpy_functions as functions

    said = []
    for name in functions._FUNCTIONS:
        theirs = getattr(np, name, None) or getattr(np.lib.stride_tricks, name)
        x = zc.asarray(V)
        for arguments in ((), (x, *range(20)), (x, "nonsense"), (x, {}), ([x], object())):
            for keywords in ({}, {"nonsense": 1}, {"axis": "nonsense"}, {"dtype": "nonsense"}, {"out": 3}):
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        theirs(*arguments, **keywords)
                except Exception as error:  # noqa: BLE001
                    said.append(str(error))
    assert len(said) > 500
    assert not [text for text in said if "lambda" in text or "<locals>" in text]


def test_every_ufunc_by_dtype():
    """What is the library's own rule is left out: integers as float64, negative integer powers as 0, NaN of bool refused."""
    random = np.random.default_rng(5)
    compared = 0
    for name in dir(np):
        ufunc = getattr(np, name)
        if not isinstance(ufunc, np.ufunc) or _numpy._elementwise(ufunc) is None or name in ("pow", "power", "nextafter"):
            continue
        for dtype in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
            a = random.integers(-4, 5, (3, 3)).astype(dtype) + np.array({"f": 0.5, "c": 0.5 + 0.25j}.get(dtype[0], 0), dtype)
            inputs = (a, a[::-1].copy())[: ufunc.nin]
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    wanted = ufunc(*inputs)
                    if dtype[0] in "iu" and (wanted[0] if isinstance(wanted, tuple) else wanted).dtype.kind == "f":
                        wanted = ufunc(*(x.astype("f8") for x in inputs))
                except TypeError:
                    with pytest.raises(TypeError):
                        ufunc(*map(zc.asarray, inputs))
                    continue
                found = ufunc(*map(zc.asarray, inputs))
                if not isinstance(wanted, tuple):
                    wanted, found = (wanted,), (found,)
                for w, x in zip(wanted, found):
                    assert np.asarray(x).dtype == w.dtype, (name, dtype)
                    close = {"e": 5e-3, "f": 1e-5, "F": 1e-5}.get(w.dtype.char, 1e-12)
                    np.testing.assert_allclose(np.asarray(x), w, close, close, err_msg=f"{name} {dtype}")
            compared += 1
    assert compared > 500


def test_scipy_has_ufuncs_that_zerocast_has():
    special = pytest.importorskip("scipy.special")
    for name in _numpy._SPECIAL:
        ours, theirs = on_both(lambda a, i, v, name=name: getattr(special, name)(v / 3))
        assert isinstance(ours, zc.Array)
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-14)
    _numpy._said.clear()
    with pytest.warns(UserWarning, match="^the ufunc gamma is not in zerocast"):
        assert isinstance(special.gamma(zc.asarray(V)), np.ndarray)


OUTPUTS = [
    lambda a, i, v, z: np.add(v, 1, out=z),
    lambda a, i, v, z: np.add(v, z, out=z),
    lambda a, i, v, z: np.sum(a, 1, out=z),
    lambda a, i, v, z: np.nansum(a, axis=1, out=z),
    lambda a, i, v, z: np.matmul(i[:2, :2], v, out=z),
    lambda a, i, v, z: np.einsum("i,->i", v, 3.0, out=z, casting="same_kind"),
    lambda a, i, v, z: np.multiply(v, 2, out=z, where=[True, False]),
    lambda a, i, v, z: np.add.reduce(a, 1, out=z),
    lambda a, i, v, z: np.percentile(i, [20, 30], out=z),
    lambda a, i, v, z: np.clip(v, 0, 1.5, out=z),
    lambda a, i, v, z: np.cumsum(v, out=z),
    lambda a, i, v, z: np.modf(v, out=(z, None)),
    lambda a, i, v, z: np.divmod(v, 2, out=(None, z)),
    lambda a, i, v, z: np.add(V, V, out=z),
    lambda a, i, v, z: np.sqrt(v, z),
    lambda a, i, v, z: np.add(v, 1j, out=z),
    lambda a, i, v, z: np.add(i, 1, out=z),
    lambda a, i, v, z: np.add(i[0, 0], 1, out=z),
    lambda a, i, v, z: np.concatenate([v[:1], v[1:]], out=z),
]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("number", range(len(OUTPUTS)))
def test_outputs_are_assigned(number, dtype):
    z = np.array([7, 8], dtype)
    x = zc.asarray(z, copy=True)
    before = x + 0
    given = [zc.asarray(array) for array in (A, I, V)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs = OUTPUTS[number](A, I, V, z)
        except Exception as error:  # noqa: BLE001
            with pytest.raises((TypeError if isinstance(error, TypeError) else ValueError,)):
                OUTPUTS[number](*given, x)
            equal(x, np.array([7, 8], dtype))
            return
        if np.shape(theirs) != z.shape and not isinstance(theirs, tuple):
            return
        ours = OUTPUTS[number](*given, x)
    told = z != np.iinfo("i8").min if dtype == "i8" else np.full(2, True)  # a NaN as an integer is anything
    if told.all():
        equal(ours, theirs)
    equal(np.asarray(x)[told], z[told])
    assert ours is x or any(value is x for value in ours)
    equal(before, np.array([7, 8], dtype))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_counts_and_sums_of_many_elements(dtype):
    """70,000 is more than float16 holds."""
    few = np.where(np.arange(70_000) < 70, 1, 0).astype(dtype)
    with_nan = np.concatenate([few, np.full(9, np.nan, dtype)])
    exact, spread = 0.001, 0.001 - 0.001**2
    x, y = zc.asarray(few), zc.asarray(with_nan)
    for found, wanted in (
        (np.nanmean(x), exact), (np.nanmean(y), exact), (np.mean(x), exact), (np.average(x), exact),
        (np.mean(x, where=np.ones(1, bool)), exact), (np.nanvar(y), spread), (np.var(x), spread), (np.nanstd(y), spread**0.5),
        (np.std(x, where=x == x), spread**0.5), (np.nanmean(zc.asarray(np.ones(70_000, dtype))), 1),
    ):  # fmt: skip
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-3 if dtype == "f2" else 1e-5)
    assert np.nanmean(y).dtype == x.dtype and np.nanvar(y).dtype == np.nanvar(with_nan).dtype
    assert np.isnan(np.nanvar(y[:2], ddof=2)) and np.isnan(np.nanmean(y[-9:]))


class Noted(np.ndarray):
    """A subclass that keeps its type through ufuncs, with no protocol of its own."""


class Quantity(np.ndarray):
    """A subclass that has a priority and protocols of its own, as astropy's."""

    __array_priority__ = 10_000

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if method == "at":
            return NotImplemented
        plain = [np.asarray(value) for value in inputs]
        return getattr(ufunc, method)(*plain, **keywords).view(Quantity)

    def __array_function__(self, function, types, arguments, keywords):
        return "its turn"


MASKED = np.ma.array([1.0, 2.0], mask=[True, False])
OPERATIONS = [
    lambda x, y: x + y, lambda x, y: y + x, lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x / y, lambda x, y: x**y,
    lambda x, y: x < y, lambda x, y: y >= x, lambda x, y: x == y, lambda x, y: x != y, lambda x, y: np.add(x, y),
    lambda x, y: np.arctan2(y, x), lambda x, y: np.where(x > 1, x, y), lambda x, y: np.concatenate([x, y]),
    lambda x, y: np.stack([x, y]), lambda x, y: np.dot(x, y), lambda x, y: x @ y, lambda x, y: zc.add(x, y),
    lambda x, y: zc.where(x > 1, x, y), lambda x, y: np.clip(x, y, None), lambda x, y: np.add.at(x, [0, 1], y),
]  # fmt: skip


SUBCLASSES = [MASKED, np.eye(1, 2).view(np.matrix), V.view(Noted), V.view(Quantity)]


@pytest.mark.parametrize("theirs", SUBCLASSES, ids=lambda y: type(y).__name__)
@pytest.mark.parametrize("number", range(len(OPERATIONS)))
def test_subclasses_get_their_turn(theirs, number):
    call = OPERATIONS[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = call(V.copy(), theirs)
        except Exception as error:  # noqa: BLE001
            with pytest.raises((type(error), TypeError)):
                call(zc.asarray(V), theirs)
            return
        try:
            found = call(zc.asarray(V), theirs)
        except TypeError:
            return
    assert type(found) is type(wanted) and isinstance(found, (type(theirs), np.generic, str)), type(found)
    if not isinstance(found, str):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))
    if theirs is MASKED:
        np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(wanted))


def test_masked_arrays_keep_their_masks():
    x = zc.asarray(V)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for found in (x + MASKED, MASKED + x, x < MASKED, x * MASKED, np.add(x, MASKED), x == MASKED):
            assert isinstance(found, np.ma.MaskedArray) and list(np.ma.getmaskarray(found)) == [True, False]
        assert (x + np.ma.masked).mask.all()
    assert isinstance(x + np.memmap.__new__(np.memmap, __file__, np.uint8, "r", 0, (2,)), zc.Array)


def test_facts_compute_nothing():
    x = zc.asarray(V) * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.result_type(x, np.zeros(2, "f4")) == np.float64
        assert np.result_type(zc.asarray(V.astype("f4")), 1.5) == np.float32
        assert np.result_type(zc.asarray(I), np.longdouble(3)) == np.longdouble
        assert np.can_cast(x, "f8") and not np.can_cast(x, "f4") and np.can_cast(x, "f4", "same_kind")
        assert np.isrealobj(x) and not np.iscomplexobj(x) and np.shape(x) == (2,) and np.ndim(x) == 1
        assert np.size(x[None], (0, 1)) == 2 and np.size(x) == 2 and np.size(x[None], axis=0) == 1
    assert not x.exists


def test_ranges_of_arrays_of_rank_0():
    two, half = zc.asarray(2), zc.asarray(0.5)
    equal(zc.arange(1, zc.asarray(3.0)), np.arange(1, 3.0))
    equal(zc.arange(half + 4), np.arange(4.5))
    equal(zc.arange(two, two * 4, half), np.arange(2, 8, 0.5))
    equal(zc.arange(two, step=two, stop=7), np.arange(2, 7, 2))


def test_shifts_by_negative_counts():
    for dtype in "i1 i2 i4 i8 u1 u4 u8".split():
        a = np.array([8, -8 if dtype[0] == "i" else 200, 1, 0], dtype)
        equal(zc.asarray(a) >> 70, a >> 70)
        if dtype[0] == "i":
            equal(zc.asarray(a) >> -1, a >> -1)
            equal(zc.asarray(a) << -1, a << -1)
            equal(zc.asarray(a) >> zc.asarray(np.array([-1, -128, 1, -3], "i1")), a >> np.array([-1, -128, 1, -3], "i1"))


def test_dask_takes_ours_for_blocks():
    import subprocess
    import sys

    pytest.importorskip("dask.array")
    for first in ("d + x", "x + d", "d == x", "np.add(x, d)", "np.subtract(d, x) * -1"):
        program = f"""
import numpy as np, zerocast as zc, dask.array as da
a = np.array([2.0, 1.0]); x = zc.asarray(a); d = da.from_array(a)
found = {first}
assert isinstance(found, da.Array), type(found)
np.testing.assert_array_equal(np.asarray(found.compute()), {first.replace("x", "a").replace("d", "a").replace("aaa", "add")})
"""
        subprocess.run([sys.executable, "-c", program], check=True)
    import dask.array as da

    x = zc.asarray(V)
    equal(da.asarray(x).sum().compute(), np.sum(V))
    equal(np.concatenate([x, da.from_array(V)]).compute(), np.concatenate([V, V]))
