"""Rows and listed elements that are written at once: what the program holds, and its functions, in the middle of a write."""

import functools
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import zerocast as zc


def apart(test):
    """Runs a test in a context that shares nothing with others, where writes are done at once."""

    @functools.wraps(test)
    def run(*arguments, **keywords):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(test, *arguments, **keywords).result()

    return run


def rows():
    return zc.asarray([[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize("read", [lambda a: a[2].copy(), lambda a: a[2]])
@pytest.mark.parametrize("key", [[0], np.array([True, False, False]), 0, slice(0, 1)])
@apart
def test_a_row_is_written_to_listed_places(key, read):
    a = rows()
    for _ in range(100):
        row = read(a)
        a[key] = row
    assert a.tolist() == [[5, 6], [3, 4], [5, 6]] and row.tolist() == [5, 6]


@apart
def test_an_element_that_was_read_is_written_to_listed_places():
    a = zc.asarray([1, 2, 3, 4, 5, 6])
    for _ in range(100):
        one = a[5]
        a[[0]] = one
    assert a.tolist() == [6, 2, 3, 4, 5, 6] and int(one) == 6


@pytest.mark.parametrize("dtype", ["int64", "float32", "complex128", "bool"])
@apart
def test_rows_change_places(dtype):
    theirs = np.random.default_rng(3).integers(0, 2 if dtype == "bool" else 99, (30, 7)).astype(dtype)
    ours = zc.asarray(theirs, copy=True)
    for i, j in np.random.default_rng(4).integers(0, 30, (300, 2)).tolist():
        held, kept = theirs[i].copy(), ours[i].copy()
        theirs[i], ours[i] = theirs[j], ours[j]
        theirs[j], ours[j] = held, kept
        theirs[[i, j, i]] = theirs[[j, i, 2]]
        ours[[i, j, i]] = ours[[j, i, 2]]
        np.testing.assert_array_equal(kept, held)
    np.testing.assert_array_equal(ours, theirs)


def test_threads_write_the_same_view_to_different_rows():
    a = zc.arange(64) * 1
    view = a[32:36]

    def write(at):
        for _ in range(200):
            a[at : at + 4] = view

    threads = [threading.Thread(target=write, args=(at,)) for at in (0, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert a[:4].tolist() == a[8:12].tolist() == [32, 33, 34, 35] and view.tolist() == [32, 33, 34, 35]


class Memory(np.ndarray):
    """NumPy's memory that can be referred to weakly."""


def computed_of_memory(function):
    """An array whose first write ends what it was made of, and calls the function then."""
    base = np.arange(40).view(Memory)
    a = zc.cumulative_sum(zc.asarray(base))
    a.materialize()
    a.materialize()
    return a, weakref.ref(base, lambda _: function())


@apart
def test_a_view_is_written_while_it_is_written():
    a, ending = computed_of_memory(lambda: a.__setitem__(slice(30, 35), view))
    view = a[5:10]
    expected = np.cumsum(np.arange(40))
    a[0:5] = view
    a[0:1] = 1
    expected[0:5] = expected[5:10]
    expected[0] = 1
    found = a.tolist()
    assert found[:30] == expected[:30].tolist() and found[35:] == expected[35:].tolist()
    assert found[30:35] in (expected[30:35].tolist(), expected[5:10].tolist()) and ending() is None


@apart
def test_the_shape_of_a_view_changes_while_it_is_written():
    a, ending = computed_of_memory(lambda: setattr(view, "shape", (5, 1)))
    view = a[5:10]
    a[0:5] = view
    assert a[:5].tolist() == [15, 21, 28, 36, 45] and view.shape in ((5,), (5, 1)) and ending() is None


@apart
def test_a_view_that_is_read_in_a_write_shows_its_own_places():
    def read():
        a[30] = 7
        view.tolist()
        a.materialize()
        view[0:1].tolist()
        a[31] = 8
        seen.append(view.tolist())

    seen = []
    a, ending = computed_of_memory(read)
    view = a[5:10]
    a[20:25] = view
    assert view.tolist() == [15, 21, 28, 36, 45] and all(one == view.tolist() for one in seen) and ending() is None


@pytest.mark.parametrize("read", [lambda a: a[2].copy(), lambda a: a[2, 1]])
@apart
def test_a_copy_ends_in_a_write_to_what_it_was_read_of(read):
    a = rows()
    copy = read(a)
    ending = weakref.ref(copy, lambda _: a.__setitem__(0, 7))
    del copy
    assert a.tolist() == [[7, 7], [3, 4], [5, 6]] and ending() is None


def test_lists_of_numbers_are_rows():
    for numbers in ([1, 2, 3], [1.5, -0.0], [2**63], [-(2**63)], [], [True, 2], [1, 2.5]):
        ours, theirs = zc.asarray(numbers), np.asarray(numbers)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
