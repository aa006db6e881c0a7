"""NumPy's functions called with arrays, numbers, and lists of these: the short way gives what the long one gives."""

import warnings

import numpy
import pytest

import zerocast as zc
import zerocast.numpy as np

A = numpy.arange(12.0).reshape(3, 4) % 5 - 1
B = numpy.arange(4)
CALLS = {
    "sum": lambda n, a, b: n.sum(a),
    "sum along": lambda n, a, b: n.sum(a, 1),
    "sum of a dtype": lambda n, a, b: n.sum(b, None, "float32"),
    "sum with defaults": lambda n, a, b: n.sum(a, None, None, None),
    "sum by name": lambda n, a, b: n.sum(a=a, axis=0),
    "max of no axis": lambda n, a, b: n.max(a, axis=None, keepdims=True),
    "concatenate": lambda n, a, b: n.concatenate([a, a], 1),
    "concatenate tuples": lambda n, a, b: n.concatenate((b, b)),
    "concatenate numbers": lambda n, a, b: n.concatenate([b, [1, 2]]),
    "stack": lambda n, a, b: n.stack([b, b], axis=-1),
    "where": lambda n, a, b: n.where(a > 1, a, 7),
    "where alone": lambda n, a, b: n.where(a > 1),
    "clip": lambda n, a, b: n.clip(a, 0, 2),
    "clip one end": lambda n, a, b: n.clip(a, None, 2),
    "dot": lambda n, a, b: n.dot(a, b),
    "dot of numbers": lambda n, a, b: n.dot(a, 3),
    "dot of lists": lambda n, a, b: n.dot(b, [1, 0, 2, 1]),
    "maximum": lambda n, a, b: n.maximum(a, b),
    "maximum of a number": lambda n, a, b: n.maximum(a, 1.5),
    "maximum of a list": lambda n, a, b: n.maximum(b, [0, 5, 1, 1]),
    "add true": lambda n, a, b: n.add(b, True),
    "divmod": lambda n, a, b: n.divmod(b, 3),
    "power": lambda n, a, b: n.power(b, 2),
    "take": lambda n, a, b: n.take(a, b),
    "take along": lambda n, a, b: n.take(a, [0, 2], 0),
    "transpose": lambda n, a, b: n.transpose(a, (1, 0)),
    "reshape": lambda n, a, b: n.reshape(a, (2, 6)),
    "squeeze": lambda n, a, b: n.squeeze(a[None]),
    "full": lambda n, a, b: n.full((2, 3), 2.5),
    "full of integers": lambda n, a, b: n.full((2,), 1, "uint8"),
    "full of a float as int": lambda n, a, b: n.full((2,), 1.5, int),
    "zeros": lambda n, a, b: n.zeros((2, 3), bool),
    "ones": lambda n, a, b: n.ones(3, n.complex64),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_by_the_namespace(name):
    wanted, found = CALLS[name](numpy, A, B), CALLS[name](np, np.array(A), np.array(B))
    for ours, theirs in zip(found, wanted) if isinstance(wanted, tuple) else [(found, wanted)]:
        assert type(ours) is zc.Array and ours.dtype == theirs.dtype
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("name", [n for n in CALLS if not n.startswith(("full", "zeros", "ones"))])
def test_calls_by_numpys_protocols(name):
    wanted, found = CALLS[name](numpy, A, B), CALLS[name](numpy, zc.asarray(A), zc.asarray(B))
    for ours, theirs in zip(found, wanted) if isinstance(wanted, tuple) else [(found, wanted)]:
        assert type(ours) is zc.Array and ours.dtype == theirs.dtype
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_none_is_no_operand():
    x = np.array(A)
    with pytest.raises(TypeError):
        np.add(x, None)
    found = np.equal(x, None)
    assert found is not NotImplemented and not numpy.asarray(found).any()


@pytest.mark.parametrize(
    "name", ["sum", "sum along", "concatenate", "where", "dot", "maximum", "maximum of a number", "add true"]
)
def test_these_take_the_short_way(name, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("the long way")

    monkeypatch.setattr(zc._numpy_functions, "name_out", refuse)
    monkeypatch.setattr(zc._numpy, "_lazily", refuse)
    CALLS[name](np, np.array(A), np.array(B))
    CALLS[name](numpy, zc.asarray(A), zc.asarray(B))


def test_numpys_arrays_are_changed():
    x = zc.asarray([1.0, 2.0, 3.0])
    for n in (numpy, np):
        out = numpy.zeros(3)
        n.copyto(out, x)
        n.put(out, zc.asarray([0]), 5)
        n.putmask(out, x > 2, 7)
        assert out.tolist() == [5, 2, 7]


def test_outputs_by_position():
    for n, x in ((np, np.array(A)), (numpy, zc.asarray(A))):
        out = zc.zeros(4)
        assert n.sum(x, 0, None, out) is out and out.tolist() == A.sum(0).tolist()
        assert n.sum(x, axis=0, out=None).tolist() == A.sum(0).tolist()
        out = zc.zeros((3, 4))
        assert n.add(x, 1, out) is out and n.maximum(x, 0, out=out) is out and out.tolist() == numpy.maximum(A, 0).tolist()


def test_mixed_operands():
    x = zc.asarray(A)
    for found in (x + B, B + x, numpy.add(x, B), numpy.add(B, x), np.add(x, B)):
        assert type(found) is zc.Array and found.tolist() == (A + B).tolist()
    swapped = B.astype(">i4")
    assert type(x + swapped) is zc.Array and numpy.multiply(x, swapped).tolist() == (A * B).tolist()
    masked = numpy.ma.masked_array(B, B > 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which is said once in a process
        assert numpy.add(x, masked).mask.sum() == 3


def test_what_is_refused_names_why():
    x = np.array(A)
    for call in (
        lambda: np.sum(x, 0, None, None, 1, 2, 3, 4),
        lambda: np.sum(x, bad=1),
        lambda: np.concatenate([x], [1]),
        lambda: np.dot(),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError):
        np.dot(x, x)
    with pytest.raises(ValueError):
        np.maximum(x, np.array([1.0, 2.0]))


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "any", "argmax", "cumsum"])
def test_one_element_has_an_axis(name, axis):
    wanted, found = getattr(numpy, name)(numpy.array(3.5), axis=axis), getattr(np, name)(np.array(3.5), axis=axis)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape and found.tolist() == wanted.tolist()
    with pytest.raises(ValueError):
        getattr(np, name)(np.array(3.5), axis=1)


def test_what_begins_a_reduction_is_cast_first():
    assert int(np.prod(np.array([2, 4]), initial=2.5)) == numpy.prod(numpy.array([2, 4]), initial=2.5) == 16
    assert not np.min(np.array([False]), initial=-1) and not numpy.min(numpy.array([False]), initial=-1)


def test_dtypes_are_joined_at_once():
    parts = [numpy.ones(1, dtype) for dtype in ("uint8", "int8", "float16")]
    for function in ("concatenate", "vstack", "hstack", "stack"):
        found = getattr(np, function)([np.array(part) for part in parts])
        assert found.dtype == getattr(numpy, function)(parts).dtype == "float16"
    with pytest.raises(TypeError):
        np.concatenate([np.array(part) for part in parts], casting="no")


def test_matrices_of_rows_and_positions():
    a = numpy.arange(4.0)
    assert np.tril(np.array(a)).tolist() == numpy.tril(a).tolist()
    assert np.triu(np.array(a), 1).tolist() == numpy.triu(a, 1).tolist()
    for ours, theirs in zip(np.meshgrid(np.array(a.reshape(2, 2)), np.array([1, 2])), numpy.meshgrid(a.reshape(2, 2), [1, 2])):
        assert ours.tolist() == theirs.tolist()


def test_outputs_of_numpys_are_returned():
    x, out, one = np.array([1.0, 2.0]), numpy.zeros(2), np.zeros(())
    assert np.add(x, 1, out=out) is out and out.tolist() == [2, 3]
    assert np.cumsum(x, out=out) is out and out.tolist() == [1, 3]
    assert np.sum(5, out=one) is one and one.tolist() == 5
