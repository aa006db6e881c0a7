"""Operators and functions against NumPy's results."""

import operator

import numpy as np
import pytest

import zerocast as zc

NUMBERS = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
RNG = np.random.default_rng(20261122)


def data(dtype, shape=(3, 4)):
    values = RNG.integers(1, 9, shape)
    return (values + 1j * values[::-1]).astype(dtype) if "complex" in dtype else values.astype(dtype)


def same(ours, theirs):
    got = np.asarray(ours)
    assert got.dtype == theirs.dtype and got.shape == theirs.shape
    np.testing.assert_array_equal(got, theirs)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.eq, operator.ne])
def test_binary(op, dtype):
    a, b = data(dtype), data(dtype, (4,))
    same(op(zc.asarray(a), zc.asarray(b)), op(a, b))
    same(op(zc.asarray(a), 2), op(a, 2))
    same(op(3, zc.asarray(a)), op(3, a))


@pytest.mark.parametrize(
    "op",
    [
        operator.truediv,
        operator.floordiv,
        operator.mod,
        operator.pow,
        operator.lt,
        operator.le,
        operator.gt,
        operator.ge,
    ],
)
def test_binary_of_reals(op):
    for dtype in ("int64", "float64"):
        a, b = data(dtype), data(dtype)
        same(op(zc.asarray(a), zc.asarray(b)), op(a, b))
        same(op(zc.asarray(a), 2.0), op(a, 2.0))


@pytest.mark.parametrize("op", [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift])
def test_bits(op):
    a, b = data("int64"), data("int64")
    same(op(zc.asarray(a), zc.asarray(b)), op(a, b))


def test_unary_and_others():
    a = data("float64") - 4
    x = zc.asarray(a)
    same(-x, -a)
    same(+x, a)
    same(abs(x), abs(a))
    same(~zc.asarray(data("int8")) * 0, np.zeros((3, 4), "int8"))
    same(x @ x.T, a @ a.T)
    q, r = divmod(x, 3)
    same(q, a // 3)
    same(r, a % 3)
    y = x
    y += 1
    same(y, a + 1)
    assert x is y


@pytest.mark.parametrize("value", [-1, 255, 256, 2**40, -(2**70), 2**70])
def test_integers_that_a_dtype_does_not_hold_compare_by_value(value):
    a = np.array([0, 1, 255], np.uint8)
    x = zc.asarray(a)
    for op in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        assert op(x, value).tolist() == [op(int(v), value) for v in a]
        assert op(value, x).tolist() == [op(value, int(v)) for v in a]
    if not 0 <= value <= 255:
        with pytest.raises((TypeError, OverflowError)):
            x + value


def test_uint64_takes_its_integers():
    x = zc.asarray(np.array([1, 2**63], np.uint64))
    assert (x + 2**63).tolist() == [2**63 + 1, 0]
    assert zc.asarray([2**64 - 1], dtype=zc.uint64).tolist() == [2**64 - 1]


def test_what_is_no_operand():
    x = zc.arange(3)
    for other in ("text", None, {1, 2, 3}, ["text"] * 3, object()):
        with pytest.raises(TypeError):
            x + other
        with pytest.raises(TypeError):
            zc.add(x, other)
    with pytest.raises(TypeError):
        zc.add(x)
    with pytest.raises(TypeError):
        hash(x)


def test_numbers():
    assert float(zc.asarray(2.5)) == 2.5 and int(zc.asarray([7])) == 7 and complex(zc.asarray(1j)) == 1j
    assert bool(zc.asarray(0)) is False and [10, 20, 30][zc.asarray(1)] == 20
    assert float(zc.asarray(1.5, dtype=zc.float16)) == 1.5 and float(zc.asarray(1.5, dtype=zc.bfloat16)) == 1.5
    assert zc.asarray(2**64 - 1, dtype=zc.uint64).item() == 2**64 - 1
    for function, x in (
        (float, zc.arange(2)),
        (int, zc.asarray(float("nan"))),
        (float, zc.asarray(1j)),
        (bool, zc.arange(0)),
    ):
        with pytest.raises((TypeError, ValueError)):
            function(x)


def test_every_row_of_the_tables_is_a_function():
    from zerocast import _core

    for name in _core.OPERATIONS + _core.REDUCTIONS:
        assert callable(getattr(zc, name)) and name in dir(zc)


@pytest.mark.parametrize(
    "name", ["sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "var", "std", "count_nonzero"]
)
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(name, axis, keepdims):
    a = data("float64", (3, 4, 2)) - 4
    np.testing.assert_allclose(
        np.asarray(getattr(zc, name)(zc.asarray(a), axis=axis, keepdims=keepdims)),
        getattr(np, name)(a, axis=axis, keepdims=keepdims),
    )


def test_reductions_take_dtypes():
    x = zc.asarray([200, 100], dtype=zc.uint8)
    assert zc.sum(x).dtype is zc.uint64 and zc.sum(x, dtype=zc.uint8).item() == 44
    assert zc.sum(x, dtype="float32").dtype is zc.float32
    with pytest.raises(TypeError):
        zc.sum(x, axes=0)


def test_rearranging():
    a = data("int64", (2, 3))
    x = zc.asarray(a)
    same(zc.concat([x, x], axis=1), np.concatenate([a, a], axis=1))
    same(zc.stack([x, x], axis=-1), np.stack([a, a], axis=-1))
    same(zc.roll(x, 1), np.roll(a, 1))
    same(zc.roll(x, (1, -1), axis=(0, 1)), np.roll(a, (1, -1), axis=(0, 1)))
    same(zc.pad(x, ((1, 0), (2, 1)), "edge"), np.pad(a, ((1, 0), (2, 1)), "edge"))
    same(zc.pad(x, 1, constant_values=9), np.pad(a, 1, constant_values=9))
    same(zc.tile(x, (2, 1, 2)), np.tile(a, (2, 1, 2)))
    same(zc.repeat(x, 2, axis=0), np.repeat(a, 2, axis=0))
    same(zc.repeat(x, zc.asarray([0, 2, 1]), axis=1), np.repeat(a, [0, 2, 1], axis=1))
    same(zc.moveaxis(zc.asarray(np.zeros((2, 3, 4))), (0, 2), (2, 0)), np.moveaxis(np.zeros((2, 3, 4)), (0, 2), (2, 0)))
    same(zc.diff(x, axis=1, prepend=zc.zeros((2, 1), dtype=zc.int64)), np.diff(a, axis=1, prepend=0))
    same(zc.tensordot(x, x, axes=((1,), (1,))), np.tensordot(a, a, axes=((1,), (1,))))
    same(zc.einsum("ij,kj->ik", x, x), np.einsum("ij,kj->ik", a, a))
    same(zc.split(x, [1, 2], axis=1)[1], np.split(a, [1, 2], axis=1)[1])
    same(zc.cumulative_sum(x, axis=1, include_initial=True)[:, 1:], np.cumsum(a, axis=1))


def test_sets_of_complex_numbers():
    a = np.array([1 + 2j, 1, 1 + 2j, 0, 1, -1j, complex(np.nan, 0), complex(np.nan, 0)])
    found = zc.unique_all(zc.asarray(a.reshape(2, 4)))
    values, indices, inverse, counts = np.unique(a, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    np.testing.assert_array_equal(np.asarray(found.values), values)
    assert found.indices.tolist() == indices.tolist() and found.counts.tolist() == counts.tolist()
    np.testing.assert_array_equal(np.asarray(found.inverse_indices), inverse.reshape(2, 4))
    assert zc.unique_values(zc.asarray(a[:0])).shape == (0,)


def test_making():
    same(zc.arange(2, 20, 3), np.arange(2, 20, 3))
    same(zc.arange(5.0), np.arange(5.0))
    same(zc.arange(1, 0, -0.25), np.arange(1, 0, -0.25))
    same(zc.linspace(0, 1, 7), np.linspace(0, 1, 7))
    same(zc.linspace(1, 5, 4, endpoint=False), np.linspace(1, 5, 4, endpoint=False))
    same(zc.eye(3, 4, k=1), np.eye(3, 4, k=1))
    same(zc.full((2, 2), 7), np.full((2, 2), 7))
    same(zc.asarray([[1, 2], [3, 4.5]]), np.asarray([[1, 2], [3, 4.5]]))
    same(zc.asarray([[True], [False]]), np.asarray([[True], [False]]))
    same(zc.asarray([1, 2j]), np.asarray([1, 2j]))
    same(zc.asarray([zc.asarray([1, 2]), zc.asarray([3, 4])]), np.asarray([[1, 2], [3, 4]]))
    assert zc.asarray([]).shape == (0,) and zc.asarray([[], []]).shape == (2, 0)
    for wrong in ([[1, 2], [3]], [1, [2]], [[1], 2]):
        with pytest.raises(ValueError):
            zc.asarray(wrong)
    for wrong in (object(), "text", np.array(["text"])):
        with pytest.raises(TypeError):
            zc.asarray(wrong)
    with pytest.raises(ValueError):
        zc.zeros((-1,))
    with pytest.raises(TypeError):
        zc.zeros(3, dtype="float8")
