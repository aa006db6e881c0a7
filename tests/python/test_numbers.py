"""Numbers on their way into arrays: what fits, what is refused, and what an operator may make of an array. NumPy decides."""

import copy
import enum
import math
import operator
import warnings

import numpy as np
import pytest

import zerocast as zc

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = ["bool", *INTEGERS, "float16", "float32", "float64", "complex64", "complex128"]


class Color(enum.IntEnum):
    RED = 3


class Meters(float):
    pass


def outcome(function):
    """What a call gives: a dtype and elements, or the kind of exception."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = function()
    except (OverflowError, ValueError, TypeError) as error:
        return next(kind.__name__ for kind in (OverflowError, TypeError, ValueError) if isinstance(error, kind))
    values = np.asarray(found)
    return values.dtype.name, values.shape, values.tolist()


def as_numpy(function):
    """The same call with NumPy."""
    return outcome(lambda: function(np, np.asarray)), outcome(lambda: function(zc, zc.asarray))


EDGES = [-1, 0, 1, 127, 128, 255, 256, 300, -129, 2**31, 2**32, 2**63 - 1, -(2**63), 1.5, -0.5, math.nan, True, Color.RED]
BEYOND = [2**63, 2**64 - 1, 2**64, -(2**63) - 1, 2**70]


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_fits_or_is_refused(dtype):
    for value in (*EDGES, *BEYOND, 1j, math.inf, 10**400):
        theirs, ours = as_numpy(lambda xp, asarray, value=value: asarray(value, dtype=dtype))
        assert ours == theirs or isinstance(theirs, tuple) and "nan" in str(theirs) and str(ours) == str(theirs), value
        theirs, ours = as_numpy(lambda xp, asarray, value=value: xp.asarray([value, 0], dtype=dtype))
        assert str(ours) == str(theirs), value
    for value in (*EDGES, 2**63, 2**64 - 1, 2**70):
        if isinstance(value, float):
            continue  # NumPy wraps those of full()
        if dtype == "bool" and value >= 2**63:
            continue  # which NumPy takes for an element, and refuses here
        theirs, ours = as_numpy(lambda xp, asarray, value=value: xp.full((2,), value, dtype=dtype))
        assert ours == theirs, value
        theirs, ours = as_numpy(lambda xp, asarray, value=value: xp.full_like(asarray([1, 0], dtype=dtype), value))
        assert ours == theirs, value


def test_the_dtype_of_a_number():
    for value in (*EDGES, 2**63, 2**64 - 1, 1j, Meters(2)):
        for make in (lambda xp, v: xp.asarray(v), lambda xp, v: xp.asarray([v]), lambda xp, v: xp.full((2,), v)):
            theirs, ours = as_numpy(lambda xp, asarray, value=value, make=make: make(xp, value))
            assert str(ours) == str(theirs), value
    for value in (2**64, -(2**63) - 1, [2**64], [2**63, -1]):
        with pytest.raises(OverflowError):  # of NumPy's objects there are none here
            zc.asarray(value)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ranges_fit(dtype):
    least, most = zc.iinfo(dtype).min, zc.iinfo(dtype).max
    assert zc.arange(most - 2, most + 1, dtype=dtype).tolist() == [most - 2, most - 1, most]
    assert zc.arange(least, least + 3, dtype=dtype).tolist() == [least, least + 1, least + 2]
    for start, stop, step in ((most - 2, most + 2, 1), (least + 2, least - 2, -1), (most + 1, most + 9, 4)):
        with pytest.raises(OverflowError):
            zc.arange(start, stop, step, dtype=dtype)
    assert zc.arange(most + 1, most + 1, dtype=dtype).shape == (0,)
    with pytest.raises(OverflowError):
        zc.linspace(0, 2 * most + 2, 3, dtype=dtype)
    with pytest.raises(OverflowError):
        zc.pad(zc.ones(2, dtype=dtype), 1, constant_values=most + 1)


def test_ranges_beyond_int64():
    assert zc.arange(2**63 - 1, 2**63 + 2).tolist() == [2**63 - 1, 2**63, 2**63 + 1]
    assert zc.arange(2**63, 2**63 + 2).dtype is zc.uint64
    assert zc.arange(zc.asarray(2), np.float32(4.5)).tolist() == [2.0, 3.0, 4.0]


BINARY = [operator.add, operator.mul, operator.sub, operator.truediv, operator.lt, operator.eq, operator.ge, operator.ne]


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64"])
def test_python_integers_of_any_size(op, dtype):
    compares = op in (operator.lt, operator.eq, operator.ge, operator.ne)
    if dtype == "complex64" and op in (operator.lt, operator.ge) or dtype == "bool" and op is operator.sub:
        return
    for value in (-1, 3, 300, 2**40, 2**63, 2**64, 10**20, -(10**20)):
        a = np.array([0, 1], dtype)
        theirs, ours = as_numpy(lambda xp, asarray, value=value, a=a: op(asarray(a), value))
        if 2**63 <= value < 2**64 and dtype in ("uint64", "bool") or dtype == "bool" and compares and abs(value) >= 2**63:
            continue  # where NumPy refuses what a uint64 holds, or what compares by value
        if dtype == "float16" and abs(value) > 2**40:
            continue  # NumPy says "int too large", or inf
        assert str(ours) == str(theirs), value


def test_integers_beyond_every_float():
    x = zc.asarray([2.0])
    assert (x < 10**400).tolist() == [True] and (x == -(10**400)).tolist() == [False]
    assert (zc.asarray([2]) > -(10**400)).tolist() == [True]
    for refused in (lambda: x * 10**400, lambda: zc.asarray([1]) + 2**63, lambda: zc.stack([zc.asarray(1), 2**70])):
        with pytest.raises(OverflowError):
            refused()
    assert zc.where(zc.asarray([True]), 2**70, x).tolist() == [2.0**70]
    assert zc.stack([x[0], 2**70]).tolist() == [2.0, 2.0**70]


def test_numbers_of_numpy_have_their_dtype():
    a = np.ones(3, np.float16)
    x = zc.asarray(a)
    for scalar in (np.float64(1e6), np.float32(3), np.complex128(1j), np.int64(7), np.bool_(True), np.uint8(200)):
        for op in (operator.add, operator.mul, operator.eq):
            theirs, ours = op(a, scalar), op(x, scalar)
            assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()
            assert op(scalar, x).tolist() == op(scalar, a).tolist()
        assert zc.result_type(x, scalar) == np.result_type(a, scalar)
    assert (x * Meters(2)).dtype is zc.float16 and (zc.ones(2, dtype=zc.int8) + Color.RED).dtype is zc.int8


@pytest.mark.parametrize("sequence", [[1, 2], (1, 3), range(2), [1.5, 2.0], [True, False], [[1], [2]]])
def test_sequences_are_operands(sequence):
    a = np.array([1, 2])
    for op in (operator.eq, operator.ne, operator.lt, operator.add, operator.mul):
        theirs, ours = as_numpy(lambda xp, asarray, op=op: op(asarray(a), sequence))
        assert ours == theirs
        theirs, ours = as_numpy(lambda xp, asarray, op=op: op(sequence, asarray(a)))
        assert ours == theirs
    assert zc.add(zc.asarray(a), sequence).tolist() == (a + np.asarray(sequence)).tolist()
    with pytest.raises(ValueError):
        zc.asarray(a) == [1, 2, 3]  # noqa: B015


VALUES = [5, 0, -1, 300, 2.5, math.nan, math.inf, 1j, True, 2**63, 2**70, [7], [300], [1.7], np.float64(2.5), np.array([1.9])]


@pytest.mark.parametrize("dtype", DTYPES)
def test_assignment_takes_the_dtype_of_the_array(dtype):
    for value in VALUES:
        if isinstance(value, np.ndarray) and dtype.startswith("u"):
            continue

        def assign(asarray, value=value):
            x = asarray(np.zeros(4, dtype))
            x[1:2] = value
            return x

        theirs, ours = outcome(lambda: assign(np.array)), outcome(lambda: assign(zc.asarray))
        assert str(ours) == str(theirs), value


def test_assignment_by_masks_takes_the_dtype_of_the_array():
    for dtype in ("float32", "uint8", "bool", "int64"):
        for value in (1, 2.5, [3], np.float64(4.5)):
            a = np.array([1, 0, 2], dtype)
            x = zc.asarray(a.copy())
            x[zc.asarray(a > 0)] = value
            a[a > 0] = value
            assert x.tolist() == a.tolist() and x.dtype == a.dtype


def test_assignment_leaves_out_leading_axes_of_one():
    a = np.zeros((2, 3))
    x = zc.asarray(a.copy())
    for key, shape in ((0, (1, 3)), (0, (1, 1, 3)), (slice(None), (1, 2, 3)), ((0, 0), (1,)), ([0, 1], (1, 2, 3))):
        value = np.arange(float(math.prod(shape))).reshape(shape)
        if (key, shape) != ((0, 0), (1,)):
            a[key] = value
        else:
            a[0:1, 0:1] = value
        x[key] = zc.asarray(value)
        assert x.tolist() == a.tolist()
    for key, shape in ((0, (2, 3)), (0, (2, 1, 3)), ((0, 0), (2,))):
        with pytest.raises(ValueError):
            x[key] = zc.ones(shape)
    assert x.tolist() == a.tolist()


IN_PLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.ilshift,
    operator.irshift,
]
NUMBER = [2, 1.5, True, 1j, 300, -1]


def plain(op):
    return getattr(operator, {"iand": "and_", "ior": "or_"}.get(op.__name__, op.__name__[1:]))


def given(other):
    return zc.asarray(other) if isinstance(other, np.ndarray) else other


@pytest.mark.parametrize("op", IN_PLACE)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float32", "float64", "complex64"])
def test_operators_in_place_keep_shape_and_dtype(op, dtype):
    """What NumPy makes in place is what is made here; where it refuses, or keeps no dtype, so is it here."""
    a = np.array([3, 1], dtype)
    arrays = [np.ones(2, d) for d in ("int8", "uint8", "int64", "float32", "float64", "complex64")]
    for other in (*NUMBER, *arrays, np.ones((2, 2))):
        ours = outcome(lambda other=other: op(zc.asarray(a), given(other)))
        theirs = outcome(lambda other=other: op(a.copy(), other))
        if isinstance(ours, tuple):
            assert ours[:2] == (dtype, (2,)), other
            if isinstance(theirs, tuple):
                np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-6)
        else:  # NumPy refuses it as well, or the operator that is not in place does not take it here
            not_in_place = outcome(lambda other=other: plain(op)(zc.asarray(a), given(other)))
            assert not isinstance(theirs, tuple) or isinstance(not_in_place, str), other


def test_in_place_is_of_the_array():
    x = zc.asarray([1, 2])
    with pytest.raises(ValueError, match="shape"):
        x += zc.asarray([[1, 2], [3, 4]])
    with pytest.raises(TypeError, match="float64"):
        x += 1.5
    with pytest.raises(ValueError):
        x @= zc.ones((2, 3), dtype=zc.int64)
    y, lazy = x, x * 1
    x += 1
    assert y is x and x.tolist() == [2, 3] and lazy.tolist() == [1, 2]


@pytest.mark.parametrize("op", [*IN_PLACE, operator.imatmul])
def test_operators_in_place_refuse_what_is_no_operand(op):
    for other in ("ab", None, {1}, object(), b"ab"):
        x = zc.asarray([1, 2])
        with pytest.raises(TypeError):
            op(x, other)
        assert x.tolist() == [1, 2]


def test_adding_in_place_leaves_others_their_turn():
    class Other:
        def __radd__(self, x):
            return "its turn"

    x = zc.asarray([1, 2])
    assert operator.iadd(x, Other()) == "its turn" and x.tolist() == [1, 2]


def test_clip_is_in_the_dtype_where_all_meet():
    i1, u1, i8 = np.array([0, 100], np.int8), np.array([0, 7, 255], np.uint8), np.array([0, 1, 2])
    for a, low, high in (
        (i1, np.array([1000], np.int16), np.array([2000], np.int16)),
        (i8, 0.5, 1.7),
        (i8, None, 1.7),
        (u1, -1, 300),
        (u1, -1, 5),
        (u1, 3, 300),
        (u1, 300, 400),
        (u1, -5, -1),
        (u1, -5, 2.5),
        (i1, -(10**30), 10**30),
        (np.ones(3, np.float32), 0.5, np.float64(0.7)),
        (np.ones(3, np.float32), 2, 3),
        (np.array([-1.0, math.nan]), 0, 1),
    ):
        theirs, ours = as_numpy(lambda xp, asarray, a=a, low=low, high=high: xp.clip(asarray(a), low, high))
        assert str(ours) == str(theirs), (a, low, high)


def test_contents_and_comparisons_are_by_value():
    x = zc.asarray(np.array([1, 255], np.uint8))
    assert -1 not in x and 300 not in x and 2**70 not in x and 255 in x
    assert zc.equal(x, -1).tolist() == [False, False] and zc.not_equal(300, x).tolist() == [True, True]
    assert zc.less(-1, x).tolist() == [True, True] and zc.greater(x, 2**64).tolist() == [False, False]
    with pytest.raises(OverflowError):
        zc.where(zc.asarray([True, False]), x, -1)


def test_arrays_of_rank_0_are_numbers():
    for value in (2.5, -2.5, 3.5, 2.567, 25, -(2**53) - 1, 2**63 - 1, True):
        x, a = zc.asarray(value), np.asarray(value)[()]
        assert math.floor(x) == math.floor(value) and math.ceil(x) == math.ceil(value) and math.trunc(x) == math.trunc(value)
        if not isinstance(value, bool):
            assert round(x) == round(value) and round(x, 1) == round(value, 1) and round(x, -1) == round(value, -1)
            assert type(round(x)) is int
        assert divmod(a, 2) == tuple(part.item() for part in divmod(x, 2))
    for function in (round, math.floor, math.trunc, lambda x: f"{x:.2f}"):
        with pytest.raises(TypeError, match="rank 0"):
            function(zc.arange(3))
    assert f"{zc.asarray(1.5):.2f} {zc.arange(3)}" == "1.50 [0 1 2]"
    a = np.arange(24).reshape(2, 3, 4)
    for shaped in (a, a[0], a[0, 0], a[0, 0, 0]):
        assert zc.asarray(shaped).T.tolist() == shaped.T.tolist()
    q, r = divmod(7, zc.asarray([5, -5]))
    assert q.tolist() == [1, -2] and r.tolist() == [2, -3]


def test_values_are_keys_of_dictionaries_as_numpys_scalars_are():
    for name in ("bool", "int8", "uint64", "int64", "float16", "float32", "float64", "complex64", "complex128"):
        a = np.array([0, 1, 1, 3]).astype(name)
        x = zc.asarray(a, copy=True)
        for ours, theirs in zip([x[1], *x, zc.max(x) if "complex" not in name else x[3]], [a[1], *a, a[3]]):
            assert hash(ours) == hash(theirs) == hash(ours.item())
            assert {ours: "found"}[theirs] == {theirs: "found"}[ours] == {theirs.item(): "found"}[ours] == "found"
        assert len(set(x)) == len(set(a)) and len({*x, *a, *a.tolist()}) == len(set(a))
    nan = zc.asarray([float("nan")])[0]
    assert {nan: "found"}[nan] == "found"


@pytest.mark.parametrize("made", ["x", "x[0:1]", "x[..., 0]", "asarray(7)", "asarray(7).T", "zeros(())"])
def test_arrays_are_no_keys_as_numpys_are_none(made):
    for xp in (np, zc):
        with pytest.raises(TypeError, match="unhashable type"):
            hash(eval(made, {"x": xp.arange(3), "asarray": xp.asarray, "zeros": xp.zeros}))


def test_bytes_are_the_memory():
    for dtype in DTYPES:
        a = np.arange(6).astype(dtype).reshape(2, 3)
        for view in (a, a.T, a[::-1, ::2], a[:0], a[1]):
            assert bytes(zc.asarray(view)) == view.tobytes()
    assert bytes(zc.broadcast_to(zc.asarray(1, dtype=zc.int16), (2, 2))) == b"\1\0" * 4
    assert bytes(zc.asarray([1.0, -2.0], dtype=zc.bfloat16)) == b"\x80\x3f\x00\xc0"
    assert bytes(zc.asarray(3)) == (3).to_bytes(8, "little")


def test_a_copy_has_memory_of_its_own():
    a = np.ones(3)
    x = zc.asarray(a)
    copies = [
        zc.asarray(x, copy=True),
        zc.asarray(a, copy=True),
        zc.asarray(a, dtype="float64", copy=True),
        copy.deepcopy(x),
        zc.reshape(x, (3, 1), copy=True),
        zc.asarray(x[::-1], copy=True),
        zc.asarray(x * 1, copy=True),
        zc.from_dlpack(a, copy=True),
        copy.deepcopy({"x": [x]})["x"][0],
        x.copy(),
        x[1:].copy(),
        copy.copy(x),
        x.astype("float64"),
        zc.astype(x, zc.float64),
        x.flatten(),
        x[::2].flatten(),
    ]
    a[:] = 5
    assert all(set(np.asarray(one).ravel()) == {1.0} for one in copies)
    assert x.tolist() == [5.0] * 3
    wide = copy.deepcopy(zc.broadcast_to(x, (10**9, 3)))
    assert wide.strides[0] == 0 and wide[0].tolist() == [5.0] * 3
    gradient = zc.grad(lambda x: zc.sum(zc.asarray(x, copy=True) ** 2))(x)
    assert gradient.tolist() == [10.0] * 3
