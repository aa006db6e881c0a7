"""zerocast.numpy: what is made of numbers, lists and memory, on NumPy's arguments: the same bits, dtypes, shapes and errors."""

import random

import numpy
import pytest

import zerocast.numpy as np
from test_numpy_names import DTYPES, FLOATS, SEED, called, equal


def agree(name, *given, **named):
    theirs, ours = called(getattr(numpy, name), *given, **named), called(getattr(np, name), *given, **named)
    try:
        if isinstance(theirs, Exception):
            assert isinstance(ours, Exception) and (isinstance(ours, type(theirs)) or isinstance(theirs, type(ours)))
        else:
            equal(ours, theirs)
    except AssertionError as error:
        raise AssertionError(f"seed {SEED}: {name}{given} {named}: NumPy {theirs!r}, ours {ours!r}") from error


def test_ranges_have_numpys_bits():
    draw = random.Random(SEED)

    def number():
        return draw.choice([
            draw.randint(-5, 12), round(draw.uniform(-4, 9), 2), numpy.float32(draw.uniform(-3, 3)),
            numpy.int16(draw.randint(-4, 9)), 0, 1,
        ])  # fmt: skip

    for _ in range(400):
        named = draw.choice([{}, {"dtype": draw.choice(DTYPES)}])
        agree("arange", *(number() for _ in range(draw.randint(1, 3))), **named)
        named = draw.choice([{}, {"dtype": draw.choice(["i1", "i4", "i8", *FLOATS, "c8", "c16"])}])
        row = numpy.arange(3.0).astype(draw.choice(FLOATS))
        ends = (draw.choice([number(), [number(), number()], row, 1 + 2j]) for _ in "12")
        if draw.random() < 0.5:
            named |= {"endpoint": draw.random() < 0.5, "axis": draw.choice([0, -1])}
        agree("linspace", *ends, draw.choice([0, 1, 2, 5, 50, -1]), **named)
    first, step = np.linspace(0, [1, 2], 3, retstep=True)
    equal(first, numpy.linspace(0, [1, 2], 3))
    equal(step, numpy.array([0.5, 1.0]))
    for dtype in ("c8", "f4", "f2"):  # whose second number is not the first plus their distance
        agree("arange", -1.35, 8, dtype=dtype)
        agree("arange", 0.1, 9, 0.7, dtype=dtype)
    agree("arange", 0.0, 1e30, 1e-300)
    agree("arange")
    agree("arange", 1, 2, 3, 4, 5)


def test_fills_and_diagonals():
    draw = random.Random(SEED)
    names = ["float32", numpy.float32, float, int, bool, complex, numpy.dtype("i2"), "<f4", "d", numpy.longlong, None]
    for _ in range(300):
        shape = draw.choice([(), 3, (2, 3), [4], (0, 2), numpy.int64(2), -1, (2, -1)])
        dtype = {"dtype": draw.choice(DTYPES + names)}
        agree("zeros", shape, **dtype)
        agree("ones", shape, **dtype)
        value = draw.choice([draw.randint(-5, 300), True, 2.7, 1j, [1, 2, 3], numpy.float32(2), numpy.arange(3)])
        agree("full", shape, value, **draw.choice([{}, dtype]))
        n, m, k = draw.randint(0, 4), draw.choice([None, 0, 3]), draw.randint(-3, 3)
        agree("eye", n, m, k, **dtype)
        agree("tri", n, m, k, **dtype)
        agree("identity", n, **dtype)
        agree("indices", draw.choice([(2, 3), (0,), (2,)]), sparse=draw.random() < 0.4)
    agree("fromfunction", lambda i, j: i * 10 + j, (2, 3), dtype="i4")
    agree("zeros", 3, "f4", order="Q")
    equal(np.empty((2, 0)), numpy.empty((2, 0)))


def test_lists_and_what_shows_its_memory():
    draw = random.Random(SEED)
    objects = [
        [1, 2], [[1, 2], [3, 4]], [[1], [2, 3]], [1, 2.5], [True, False], [1j], 3, 2.5, True, [], [[]], (1, 2), range(3), -1,
        300, numpy.arange(4)[::2], numpy.float32(2), [numpy.float32(1), 2], [numpy.arange(2), [3, 4]], [2**63], [float("nan")],
        numpy.zeros((2, 0)), b"ab", None, "text",
    ]  # fmt: skip
    for obj in objects[:-3]:
        for name in ("array", "asarray", "asanyarray", "ascontiguousarray", "require"):
            agree(name, obj)
            agree(name, obj, dtype=draw.choice(DTYPES))
        agree("array", obj, ndmin=draw.randint(0, 3))
    for obj in objects[-3:]:
        assert type(np.array(obj)) is numpy.ndarray and np.array(obj) == numpy.array(obj)
    equal(np.array(numpy.arange(3).astype(">i4")), numpy.arange(3).astype("i4"))
    for copied in (True, False, None):
        agree("array", [1, 2], copy=copied)
        agree("array", numpy.arange(3), copy=copied)
    x = np.arange(3.0)
    equal(np.array([x, x * 2]), numpy.array([[0.0, 1, 2], [0, 2, 4]]))
    equal(np.array([x.sum(), 1]), numpy.array([3.0, 1.0]))
    equal(np.asarray_chkfinite([1.0]), numpy.array([1.0]))
    with pytest.raises(ValueError, match="infinities or NaN"):
        np.asarray_chkfinite([1.0, numpy.nan])
    with pytest.raises(KeyError):
        np.require([1], requirements="X")


def test_arrays_are_copied_or_shared_as_numpys():
    a = np.arange(3)
    b, c, d = np.array(a), np.asarray(a), np.array(a, copy=False)
    a[0] = 9
    assert b[0] == 0 and c[0] == 9 and d[0] == 9
    theirs = numpy.arange(3)
    mine = np.array(theirs)
    theirs[0] = 7
    assert mine[0] == 0
    with pytest.raises(ValueError, match="without a copy"):
        np.array(a, dtype=float, copy=False)
    with pytest.raises(TypeError, match="like= is one of zerocast's arrays, not ndarray"):
        np.array([1], like=theirs)


def test_lists_hold_rows_of_all_kinds():
    row = numpy.array([3, 4])
    for items in ([[1, 2], row], [row, [1.5, 2]], [(1, 2), row, range(2)], [[row, [1, 2]], [[5, 6], row]]):
        equal(np.array(items), numpy.array(items))
        equal(np.array([np.asarray(item) if item is row else item for item in items]), numpy.array(items))
    with pytest.raises(ValueError, match="shape"):
        np.array([[1], row])


def test_sequences_are_repeated_as_often_as_a_number_that_was_read():
    n = np.array([1, 2]).max()
    for sequence in ([0], (1, 2), ["a"], [None], [[]]):
        assert sequence * n == n * sequence == sequence * 2
    equal([0.5] * np.array([2.0, 4.0]).max(), numpy.array([2.0]))
    equal(np.array(2) * [1, 2], numpy.array([2, 4]))


def test_ranges_are_positions():
    theirs, ours = numpy.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
    equal(ours[range(3), [3, 1, 0]], theirs[range(3), [3, 1, 0]])
    equal(ours[range(2, 0, -1)], theirs[range(2, 0, -1)])
    theirs[range(1, 3)] += 1
    ours[range(1, 3)] += 1
    equal(ours, theirs)
