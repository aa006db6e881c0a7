"""Functions of NumPy that change our arrays in place: assignments, and elements that are updated at places."""

import warnings

import numpy as np
import pytest

import zerocast as zc
from numpy_pairs import calls
from test_numpy_arguments import A, I, V, equal

CHANGES = """
np.copyto(x, 5)   np.copyto(x, x[0], where=x > 2)   np.fill_diagonal(x, 7)   np.putmask(x, x > 0, [-1, -2])   np.place(x, x > 0, [8, 9])
np.copyto(x, I[:1] * 2)   np.copyto(x, [2.9], casting="unsafe")   np.copyto(x[::-1], x)   np.putmask(x[1:], x[1:] > 0, I[0])
np.place(x.T, x.T > 1, [3])   np.fill_diagonal(x[:, ::-1], [1, 2])   np.fill_diagonal(x, 3, wrap=True)   np.putmask(x, x > 90, [])
np.add.at(x, [0, 0], 1.5)   np.put(x, [0, -1], [5, 6])   np.put_along_axis(x, np.argmin(x, axis=1, keepdims=True), 0, axis=1)   np.subtract.at(x, ([0, 0], 1), 2)
"""  # noqa: E501


@pytest.mark.parametrize("text", calls(CHANGES))
def test_what_numpy_changes_in_place(text):
    x, a = zc.asarray(I), I.copy()
    before = x * 1
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not in zerocast")
        eval(text, {"np": np, "x": x, "I": I})
    eval(text, {"np": np, "x": a, "I": I})
    equal(x, a)
    equal(before, I)


@pytest.mark.parametrize("value", [-1, 300, 256, np.int64(-3), [1, -2], np.array([7], "i2"), 1.5])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32"])
def test_updates_by_integers_that_do_not_fit(dtype, ufunc, value):
    x, a = zc.full(3, 5, dtype=dtype), np.full(3, 5, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ufunc.at(a, [0, 0], value)
        except (OverflowError, TypeError) as error:
            with pytest.raises(type(error)):
                ufunc.at(x, [0, 0], value)
        else:
            ufunc.at(x, [0, 0], value)
    equal(x, a)


def test_updates_at_places():
    for name in ("add", "multiply", "minimum", "maximum", "subtract", "divide"):
        for key, value in (([0, 0, 1], 3), ((1, [0, 0]), 2.5), (np.array([True, False]), [1.0, 2.0, 3.0]), (slice(None), 2)):
            a, x = A.copy(), zc.asarray(A)
            row, before = x[0], x[0] * 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert getattr(np, name).at(x, key, value) is None
            getattr(np, name).at(a, key, value)
            equal(x, a)
            equal(row, a[0])
            equal(before, A[0])
    x = zc.asarray(V)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.negative.at(x, [0])
        whole, theirs = zc.asarray(I), I.copy()
        np.add.at(whole, [0], 1.5)
        np.add.at(theirs, [0], 1.5)
    equal(whole, theirs)
    equal(x, np.array([-2.0, 1.0]))
    a = V.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.add.at(a, zc.asarray([0, 0]), zc.asarray(1.0))
    equal(a, np.array([4.0, 1.0]))
