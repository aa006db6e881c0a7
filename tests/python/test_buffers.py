"""The buffer protocol: memoryview(x), bytes-like arguments, NumPy's reading of elements without a call of __array__."""

import hashlib
import itertools
import struct

import numpy as np
import pytest

import zerocast as zc

DTYPES = [d for d in zc._dtypes.ALL if d is not zc.bfloat16]


def numbers(dtype, shape):
    count = int(np.prod(shape))
    values = np.arange(count) * 7 % 5 - (2 if np.dtype(dtype).kind in "ifc" else 0)
    return (values + (values % 3) * 1j if np.dtype(dtype).kind == "c" else values).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", [d.name for d in DTYPES])
def test_views_have_numpys_formats_and_elements(dtype):
    a = numbers(dtype, (3, 4))
    x = zc.asarray(a)
    for key in (slice(None), (slice(None), slice(1, None, 2)), (slice(None, None, -1), 2), (1, 2), (slice(0, 0),)):
        ours, theirs = memoryview(x[key]), memoryview(a[key])
        assert (ours.shape, ours.itemsize, ours.nbytes) == (theirs.shape, theirs.itemsize, theirs.nbytes)
        assert struct.calcsize(ours.format.replace("Z", "2")) == struct.calcsize(theirs.format.replace("Z", "2"))
        assert ours.readonly and ours.tobytes() == theirs.tobytes()
        np.testing.assert_array_equal(np.asarray(ours), a[key])


def test_bytes_are_taken_from_views():
    """numpy.frombuffer and others give the buffer back at once, and go on to read what the array may leave."""
    x = zc.asarray(np.arange(6.0).reshape(2, 3), copy=True)
    assert memoryview(zc.broadcast_to(zc.asarray([1, 2]), (3, 2))).strides == (0, 8)
    for call in (np.frombuffer, hashlib.sha256, lambda x: np.ndarray((6,), buffer=x), lambda x: b"".join([x])):
        with pytest.raises((BufferError, TypeError)):
            call(x)
    assert hashlib.sha256(memoryview(x)).digest() == hashlib.sha256(np.asarray(x)).digest()
    shown = np.frombuffer(memoryview(x)), np.ndarray((6,), buffer=memoryview(x))
    x[0, 0] = 9
    x += 1
    assert all(each.tolist() == list(range(6)) for each in shown)
    assert bytes(x[1]) == np.arange(4.0, 7).tobytes()


def test_column_major_requests():
    x = zc.asarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(np.asarray(x.T, order="F"), np.arange(6.0).reshape(2, 3).T)
    np.testing.assert_array_equal(np.array(x, order="F"), np.arange(6.0).reshape(2, 3))


def test_nothing_is_written_to():
    x = zc.asarray([1.0, 2.0, 3.0])
    with pytest.raises(TypeError):
        struct.pack_into("d", x, 0, 9.0)
    with pytest.raises(TypeError), open("/dev/zero", "rb") as zeros:
        zeros.readinto(x)
    shown = np.asarray(x)
    assert not shown.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        shown[0] = 9


def test_elements_that_were_shown_stay():
    x = zc.asarray(np.arange(5.0), copy=True)
    view, shown = memoryview(x), np.asarray(x[1:])
    x[2] = 9
    x += 1
    assert view.tolist() == [0, 1, 2, 3, 4] and shown.tolist() == [1, 2, 3, 4] and x.tolist() == [1, 2, 10, 4, 5]
    del x
    assert view.tolist() == [0, 1, 2, 3, 4]


def test_of_bfloat16_there_is_none():
    x = zc.compute(zc.asarray([1.0, 2.0], dtype=zc.bfloat16))[0]
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(x)
    with pytest.raises(TypeError, match="bfloat16"):
        np.asarray(x)


def test_what_is_not_computed_is_no_buffer():
    """NumPy goes on to __array__, which can be interrupted, and computes into the copy that it is asked for."""
    x = zc.arange(1 << 20, dtype=zc.float64)
    with pytest.raises(BufferError, match="not computed"):
        memoryview(x * 2)
    copied = np.array(x * 2)
    copied[0] = 5
    np.testing.assert_array_equal(copied[1:], np.arange(1.0, 1 << 20) * 2)
    np.testing.assert_array_equal(np.asarray(x * 2), np.arange(1 << 20) * 2.0)
    few = zc.asarray([1, 2]) + 1
    assert np.asarray(few).tolist() == few.tolist() == np.array(few).tolist() == [2, 3]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, TimeoutError])
def test_exceptions_end_the_call(kind):
    """NumPy drops what a buffer raises."""
    calls = []

    def stop(done, total):
        calls.append(done)
        if len(calls) == 1:
            raise kind

    x = zc.sum(zc.sin(zc.reshape(zc.arange(1 << 23, dtype=zc.float64), (8, -1))), axis=1)
    for call in (np.asarray, np.array, zc.Array.tolist):
        calls.clear()
        with zc.config(progress=stop, threads=1), pytest.raises(kind):
            call(x)
        assert len(calls) == 1
    assert float(x[0]) == pytest.approx(float(np.sin(np.arange(1 << 20)).sum()), rel=1e-9)


def test_a_value_is_computed_once():
    calls = []
    x = zc.sum(zc.sin(zc.arange(1 << 22, dtype=zc.float64)))
    with zc.config(progress=lambda done, total: calls.append(done), threads=1):
        first = x.tolist()
        made = len(calls)
        assert x.tolist() == first and isinstance(first, float) and len(calls) == made > 0


def test_bytes_are_no_operands():
    x, a = zc.asarray([1, 2, 3]), np.arange(1, 4)
    for operand in (b"ab", bytearray(b"ab")):
        with pytest.raises(TypeError):
            operand + x
        with pytest.raises(TypeError):
            x + operand
    assert (x == memoryview(a)).tolist() == [True, True, True] and (memoryview(a) + x).tolist() == [2, 4, 6]


@pytest.mark.parametrize("dtype", [d.name for d in zc._dtypes.ALL])
def test_lists_are_numpys(dtype):
    theirs = "float32" if dtype == "bfloat16" else dtype
    for shape in itertools.chain([(), (0,), (2, 0), (0, 3), (1,)], itertools.product((1, 2, 3), (2, 4))):
        a = numbers(theirs, shape)
        x = zc.astype(zc.asarray(a), getattr(zc, dtype if dtype != "bool" else "bool_", None) or dtype)
        for ours, wanted in ((x, a), (x.T, a.T), (zc.broadcast_to(x, (2, *shape)), np.broadcast_to(a, (2, *shape)))):
            listed = ours.tolist()
            assert listed == wanted.tolist() and repr(listed) == repr(wanted.tolist())


def test_lists_have_signs_of_zeros_and_no_numbers():
    a = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324])
    for dtype in ("float64", "float32", "float16"):
        assert repr(zc.asarray(a.astype(dtype)).tolist()) == repr(a.astype(dtype).tolist())
    c = np.array([complex(-0.0, -0.0), complex(np.nan, 1), complex(1, np.inf)])
    assert repr(zc.asarray(c).tolist()) == repr(c.tolist())


def test_walking_rows():
    a = np.arange(12.0).reshape(4, 3)
    x = zc.asarray(a, copy=True)
    assert [row.tolist() for row in x] == a.tolist() and [float(v) for v in x[1]] == a[1].tolist()
    for row in x:
        row += 1
    assert x.tolist() == (a + 1).tolist()
    assert list(zc.zeros((0, 3))) == [] and len(list(zc.zeros((3, 0)))) == 3
    with pytest.raises(TypeError, match="rank 0"):
        iter(zc.asarray(1.0))
    walk = iter(x)
    assert next(walk).tolist() == (a[0] + 1).tolist()
