"""NumPy's methods of arrays with all of its arguments, single elements, and where results go: NumPy decides."""

import ctypes
import platform
import warnings

import numpy as np
import pytest

import zerocast as zc

X = np.array([[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]])
I = np.array([[3, 1, 2], [6, 5, 4]])  # noqa: E741
M = np.array([[True, False, True], [False, True, True]])
O3 = np.zeros(3)
O23 = np.zeros((2, 3))


def answer(function, *arrays):
    """Dtype, shape and elements, or the kind of exception."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = function(*arrays)
            parts = [np.asarray(a) for a in (found if isinstance(found, tuple) else (found,))]
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        kinds = (OverflowError, IndexError, TypeError, ValueError)
        return next(kind.__name__ for kind in kinds if isinstance(error, kind))
    return [(a.dtype.name, a.shape, a.tolist()) for a in parts]


def same(text, names=("x", "i", "m", "o", "o3", "o23", "oi", "oi3")):
    """The expression on arrays of ours and of NumPy."""
    given = (X, I, M, np.zeros(()), O3, O23, np.zeros((), int), np.zeros(3, int))
    function = eval(f"lambda {', '.join(names)}: {text}", {"np": np, "zc": zc})
    ours = answer(function, *(zc.asarray(a.copy()) for a in given))
    theirs = answer(function, *(a.copy() for a in given))
    assert ours == theirs or (isinstance(theirs, list) and isinstance(ours, list) and close(ours, theirs)), (text, ours, theirs)


def close(ours, theirs):
    return all(a[:2] == b[:2] and np.allclose(a[2], b[2], rtol=1e-15) for a, b in zip(ours, theirs))


METHODS = """
x.sum(where=m); x.sum(axis=0, where=m); x.sum(0, None, o3); x.sum(initial=10); x.sum(0, "f4"); x.sum((0, 1), keepdims=True)
x.sum(1, None, None, True); x.max(initial=10); x.max(where=m, initial=0); x.max(where=m); x.max(0, o3)
x.min(axis=1, initial=2); x.min(1, None, True); x.mean(out=o); x.mean(axis=0, out=o3); x.mean(where=m)
x.mean(0, "f4", None, True); i.mean(where=i > 2); x.any(where=m); m.all(axis=0, out=o3); m.all(where=m)
x.prod(where=m, initial=2); x.prod(0, out=o3); i.prod(dtype="f4"); x.std(where=m); x.std(0, None, o3, 1); x.var(0, None, o3)
x.var(ddof=1, where=m); x.var(1, "f4", None, 0, True); x.std(correction=1); x.cumsum(axis=0, out=o23)
x.cumsum(out=np.zeros(6)); x.cumprod(1, "f4"); x.cumprod(axis=1, out=o23); x.argmax(out=oi); x.argmax(0, oi3)
x.argmin(1, keepdims=True); x.argmin(axis=0, out=oi3); x.argmax(0, o3); i.argsort(kind="stable"); i.argsort(1, "foo")
i.argsort(stable=True); i.argsort(axis=None, kind="mergesort"); i.argsort(order="f"); i.sort(kind="foo")
i.sort(kind="stable"); i.sort(0, "quicksort"); i.sort(stable=True); i.sort(kind="stable", stable=True)
x.clip(2, 3, out=o23); x.clip(2, out=o23); i.clip(2, 3, oi3); x.round(out=o23); x.round(1); x.round(decimals=0)
x.take([0, 1], mode="clip"); x.take([7], mode="wrap"); x.take([0, 1, 2], out=o3); x.take([1], 1, None, "raise"); x.take([9])
x.dot(x.T, out=np.zeros((2, 2))); x.trace(dtype="f4"); x.trace(out=o); i.trace(1, 0, 1, "f8"); x[0].dot(x[1])
i[0].searchsorted(2, sorter=[1, 2, 0]); i[1, ::-1].searchsorted([4, 9], "right"); i[0].searchsorted(2, "middle")
x.astype("f4", casting="safe"); x.astype("f4", "K", "same_kind"); x.astype("i4", casting="same_kind")
x.astype("f4", copy=False); i.astype("f8", casting="safe"); x.copy("F"); x.copy(order="C"); x.copy("Z"); x.flatten("F")
x.ravel("Z"); x.repeat(2, axis=0)
"""


@pytest.mark.parametrize("text", [case.strip() for line in METHODS.strip().splitlines() for case in line.split(";")])
def test_methods_take_numpys_arguments(text):
    same(text)


ITEMS = """
x.item(1, 2); x.item(4); x.item(-1); x.item((1, 2)); x.item(6); x.item(-7); x.item(1, 2, 3); x.item(2, 0); x.item("a")
x.item(1.0); x.item(np.int64(3)); x.item(); x[0].item(1); x[0].item(-4); x[:1, 0].item(0); x[1, 1].item(0); x[1, 1].item(())
x[1, 1].item(1); x.item(()); m.item(0); i.item(1, 1); i.T.item(3); (x * 2).item(1, 0); x.item((4,)); x.item(-1, -1)
x[:0].item(0)
"""


@pytest.mark.parametrize("text", [case.strip() for line in ITEMS.strip().splitlines() for case in line.split(";")])
def test_items_are_numpys(text):
    same(text)


def test_an_item_is_a_number_of_pythons():
    x = zc.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert [type(y.item(1)) for y in (x, x > 1, x.astype("i1"), x * 1j)] == [float, bool, int, complex]
    assert zc.zeros((10**6, 10**6)).item(10**12 - 1) == 0 and zc.memory().held_bytes < 10**6


CASTS = """
np.sum(x, out=oi); np.sum(i, out=o); np.sum(x, axis=0, out=oi3); np.mean(x, out=oi); np.mean(i, axis=0, out=oi3)
np.max(x, out=oi); np.cumsum(x[0], out=oi3); np.prod(x, axis=0, out=oi3); np.var(x, axis=0, out=oi3)
np.std(x, axis=0, out=oi3); np.median(x, out=oi); np.min(x, 0, oi3); np.sum(x, 0, None, o3); np.clip(x[0], 2, 3, o3)
np.sum(x, 0, None, o3, True); np.mean(x, 0, None, oi3); np.any(x, axis=0, out=oi3); np.all(x, axis=0, out=o3)
np.trace(x, out=oi); np.nansum(x, axis=0, out=oi3); np.add(x[0], 1, out=oi3); np.add(x[0], 1, out=oi3, casting="unsafe")
np.add(i[0], 1, out=o3); np.add(x[0], 1, o3, casting="no"); np.clip(x[0], 0, 2, out=oi3); np.round(x[0], out=oi3)
np.take(x, [0, 1, 2], out=oi3); np.take(x, [0, 1, 2], out=o3); np.concatenate([x[0]], out=oi3)
np.concatenate([x[0]], out=oi3, casting="unsafe"); np.concatenate([i[0]], out=o3); np.add.reduce(x, out=oi3)
np.add.accumulate(x[0], out=oi3); np.multiply.reduce(x, axis=1, out=np.zeros(2, int)); np.sum(x, out=np.zeros((), int))
np.sum(x, axis=0, out=np.zeros(3)); np.add(x[0], 1, out=np.zeros(3, int)); np.sum(x, out=o3)
"""


@pytest.mark.parametrize("text", [case.strip() for line in CASTS.strip().splitlines() for case in line.split(";")])
def test_outputs_are_cast_as_numpy_casts_them(text):
    same(text)


KINDS = """
np.sort(x, kind="foo"); np.argsort(x, kind="foo"); np.sort(x, kind="stable", stable=True); np.sort(x, kind=3)
np.sort(x, stable=False); np.isin(x, [1], kind="foo"); np.isin(i, [1, 5], kind="sort"); np.isin(i, [1], kind="table")
np.argsort(i, kind="heapsort", axis=None); np.sort(x, -1, "quick"); np.sort(x, order="a"); np.isin(i, [5], True)
"""


@pytest.mark.parametrize("text", [case.strip() for line in KINDS.strip().splitlines() for case in line.split(";")])
def test_what_need_not_be_asked_is_refused_as_numpy_refuses_it(text):
    same(text)


def test_subclasses_of_numpy_are_refused_in_a_sentence():
    x, masked = zc.asarray(X), np.ma.masked_array(X, mask=~M)
    calls = [lambda: np.where(masked > 2, x, masked), lambda: np.concatenate([x, masked]), lambda: np.stack([masked, x]),
             lambda: np.dot(masked, x.T)]  # fmt: skip
    for call in calls:
        with pytest.raises(TypeError, match=r"^numpy\.\w+ takes no MaskedArray beside zerocast's arrays.*numpy\.asarray\(\)"):
            call()
    with pytest.raises(TypeError, match="takes no matrix beside"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.concatenate([x, np.matrix(X)])
    np.testing.assert_array_equal(np.asarray(np.where(x > 2, x, np.asarray(masked))), np.where(X > 2, X, X))


def test_lists_of_what_are_no_numbers_are_refused_in_a_sentence():
    x = zc.asarray(X)
    calls = [lambda: x == ["a"], lambda: ["a"] != x, lambda: x < [["a", "b", "c"]], lambda: x + [1, None, 2],
             lambda: zc.asarray([{}])]  # fmt: skip
    for call in calls:
        with pytest.raises(TypeError, match="^a list that stands for an array holds numbers and arrays, not "):
            call()


def test_truths_are_no_numbers_of_bytes_and_threads():
    for settings in ({"memory_limit": True}, {"cache_limit": False}, {"threads": True}, {"memory_limit": np.True_}):
        with pytest.raises(ValueError, match="is no number of"):
            zc.config(**settings)


def test_what_numpy_writes_is_said_as_it_is():
    from zerocast import _numpy

    _numpy._said.clear()
    x = zc.asarray(X.copy())
    for name, call in {
        "numpy.negative.at": lambda: np.negative.at(x, [1]),
        "numpy.subtract.at": lambda: np.subtract.at(x, 0, 1),
        "numpy.add with where=": lambda: np.add(x, 1, out=x, where=M),
    }.items():
        with pytest.warns(UserWarning, match=f"^{name} is not in zerocast: NumPy computes it in a copy, whose elements"):
            call()
    wanted = X.copy()
    wanted[1] *= -1
    wanted[0] -= 1
    np.testing.assert_array_equal(np.asarray(x), wanted + M)


LARGE = """
u64 + 2**63; u64 % 2**63; i64 + 2**63; u8 > 300; u8 == -1; u8 > 2**63; u8 < 2**64; u8 < 2**70; i64 < 2**63; i64 == 10**30
u64 >= -1; u64 == 2**64 - 1; f4 == 2**63; f4 * 2**64; xp.clip(u8, -5, 300); xp.clip(u8, -5, -1); xp.clip(u8, 300, 400)
xp.clip(i64, -2**70, 3); xp.clip(u64, 0, 2**64); xp.clip(u8, i64, 300); xp.clip(u8, 3, 2**63); xp.isin(u8, 300)
xp.isin(u8, [300, 5]); xp.isin(u8, 2**63); xp.isin(i64, 2**70); xp.isin(f4, 2**70); xp.isin(u64, 2**64 - 1)
xp.isin(u64, [-1, 5]); xp.searchsorted(u8, 300); xp.searchsorted(u8, -1); u8 + 300; u8 & 256; xp.maximum(u8, -1)
u64 ^ (2**63 + 1); u64 // 2**63; u64 / 2**64; u8 + 2**63; u64 - 2**64; xp.where(u64 > 2, u64, 2**63); u64 * 1.5
xp.minimum(u64, 2**63); i64 - 2**64; 2**63 - u64; 2**63 > i64; xp.add(u64, 2**64 - 1)
"""


@pytest.mark.parametrize("text", [case.strip() for line in LARGE.strip().splitlines() for case in line.split(";")])
def test_pythons_integers_are_taken_as_numpy_takes_them(text):
    given = {
        "u8": np.array([0, 5, 255], np.uint8),
        "u64": np.array([0, 5, 2**64 - 1], np.uint64),
        "i64": np.array([0, 5, -(2**63)]),
        "f4": np.array([0, 2.0**63, np.inf], np.float32),
    }
    function = eval(f"lambda xp, {', '.join(given)}: {text}")
    ours = answer(lambda *a: function(zc, *a), *map(zc.asarray, given.values()))
    theirs = answer(lambda *a: function(np, *a), *given.values())
    assert ours == theirs, (text, ours, theirs)
    if "xp." in text:
        assert answer(lambda *a: function(np, *a), *map(zc.asarray, given.values())) == theirs, text


def test_clip_keeps_a_bound_that_only_another_dtype_has_elements_beyond():
    x, low = zc.asarray(np.array([0, 5], np.uint8)), zc.asarray([1000, 1])
    np.testing.assert_array_equal(np.asarray(zc.clip(x, low, 300)), [300, 5])
    np.testing.assert_array_equal(np.asarray(x.clip(low, 300)), [300, 5])
    assert zc.clip(x, -5, 300).dtype is zc.uint8


# ---- The process's floating-point environment ----


class flushing:
    """Subnormals are zero, as operands and as results, for what this thread computes; on x86-64 with glibc."""

    BITS = 0x8040

    def __enter__(self):
        self.math = ctypes.CDLL("libm.so.6")
        self.before = ctypes.create_string_buffer(64)
        self.math.fegetenv(self.before)
        changed = ctypes.create_string_buffer(self.before.raw, 64)
        control = int.from_bytes(changed.raw[28:32], "little") | self.BITS
        changed[28:32] = control.to_bytes(4, "little")
        self.math.fesetenv(changed)

    def __exit__(self, *unused):
        self.math.fesetenv(self.before)


@pytest.mark.skipif(platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", reason="sets the bits of x86-64")
def test_subnormals_arrive_where_the_process_flushes_them():
    smallest = 2.0**-149
    values = np.array([smallest, -smallest, 3 * smallest, 0.0, -0.0, 1.5, np.inf], np.float32)
    wanted = values.astype(np.float64).tolist()
    brain = [*(n * 2.0**-133 for n in (1, -1, 64)), 1.5]
    x, b = zc.asarray(values), zc.asarray(brain, dtype=zc.bfloat16)
    z = zc.asarray(np.stack([values[:3], values[2::-1]], axis=1).view(np.complex64)[:, 0])
    h = zc.asarray(np.array([2.0**-24, -(2.0**-24)], np.float16))
    memory = bytes(x)
    with flushing():
        assert ctypes.c_float(smallest).value == 0 or np.float32(smallest) * np.float32(1) == 0, "the process flushes"
        got = [
            [float(one) for one in x],
            [one.item() for one in x],
            x.tolist(),
            [complex(one).real for one in x],
            [x.item(k) for k in range(7)],
        ]
        pairs = [complex(one) for one in z], z.tolist(), [one.item() for one in z]
        others = [float(one) for one in b], b.tolist(), [float(one) for one in h], h.tolist()
        made = bytes(zc.asarray(wanted, dtype=zc.float32)), bytes(np.asarray(x)), bytes(np.from_dlpack(x)), bytes(x * 1)
        small = [float(zc.asarray(5e-324)), zc.asarray([5e-324]).tolist()[0]]
    for one in got:
        assert [n.hex() for n in one] == [n.hex() for n in wanted]
    for one in pairs:
        assert [(n.real.hex(), n.imag.hex()) for n in one] == [(a.hex(), c.hex()) for a, c in zip(wanted[:3], wanted[2::-1])]
    for one, expected in zip(others, (brain, brain, [2.0**-24, -(2.0**-24)], [2.0**-24, -(2.0**-24)])):
        assert [n.hex() for n in one] == [n.hex() for n in expected]
    assert all(one == memory for one in made) and [n.hex() for n in small] == [(5e-324).hex()] * 2


# ---- Gradients by constants ----


def test_gradients_are_taken_by_constants_as_by_other_arrays():
    x, t = np.linspace(-1, 1, 200).reshape(4, 50), np.array([1.0, -2.0, 0.5, 3.0])

    def loss_of(w):
        return zc.sum(zc.square(zc.asarray(x) @ w - zc.asarray(t)))

    for w in (zc.zeros(50), zc.ones(50), zc.full((50,), 0.25), zc.zeros_like(zc.asarray(x[0])), zc.ones_like(zc.ones(50)),
              zc.full(50, np.float32(2)), zc.empty(50), zc.full_like(zc.zeros(50), 3.0)):  # fmt: skip
        loss = loss_of(w)
        wanted = 2 * x.T @ (x @ np.asarray(w) - t)
        for gradient in (zc.grad(loss, w), zc.vjp(loss, (w,))[0], zc.grad(loss_of)(w)):
            np.testing.assert_allclose(np.asarray(gradient), wanted, rtol=1e-5)
    scalar = zc.ones(())
    assert float(zc.grad(scalar * scalar * 3, scalar)) == 6
    rows = zc.zeros((3, 2)).T
    weights = [[1.0, 2, 3], [4, 5, 6]]
    np.testing.assert_array_equal(np.asarray(zc.grad(zc.sum(rows * zc.asarray(weights)), rows)), weights)


def test_constants_take_no_memory():
    with zc.config(memory_limit=10**6):
        for x in (zc.zeros((10**5, 10**5)), zc.ones((10**5, 10**5)), zc.full((10**5, 10**5), 2.5)):
            value = x.item(0)
            assert float(zc.sum(x)) == value * 1e10 and float(zc.mean(x * 2 + 1)) == 2 * value + 1
            shown = np.asarray(x)
            assert shown.shape == x.shape and shown[7, 9] == value and "..." in repr(x)
            assert x.compact().cost.held_bytes <= 8 and zc.memory().held_bytes < 10**5
            assert float(x[3] @ zc.ones(10**5)) == value * 1e5
