"""NumPy's sets, counts, positions and choices of our arrays beside NumPy."""

import numpy as np
import pytest

import zerocast as zc
from numpy_pairs import DTYPES, SEED, calls, check_table, compare, inputs

RECORDED = """
np.choose(at % 3, [1, 2, 3])   np.choose(at % 2, [v[:3], w[:3]])   np.choose(at, [v[:3], w[:3]], mode="wrap")   np.choose(at, [v[:3], w[:3], 2], mode="clip")   np.choose(at % 3, a)
np.choose(mask, [v, w])   np.choose(at, [])   np.choose(at % 2, [a[:, :1], b[:, :3]])   np.choose(at, [1, 2], mode="nonsense")   np.choose(at % 2, [v, a])   np.choose([[1, 0]], [s, 2])
np.select([mask, ~mask], [v, w])   np.select([v == 1, v == 0], [v, w], 2)   np.select([mask], [v], default=1.5)   np.select([mask], [v, w])   np.select([], [])   np.select([v], [w])   np.select([mask, [True] * 5], [1, 2.5])
np.select([a == b], [a], b)   np.select([mask, mask], [a[:, :1], v])   np.select([mask], [w], v)   np.select([mask], [3], 4)   np.piecewise(a, [a == b, a != b], [1, 0])   np.piecewise(v, [v == w], [1, 0])   np.piecewise(v, [v == w], [1, 0, 1])
np.piecewise(v, mask, [1])   np.apply_along_axis(np.sum, 0, a)   np.apply_along_axis(np.sort, 1, a) if 0 else np.sum(a)   np.apply_along_axis(lambda x: x[:2] + x[2:], 1, a)   np.apply_along_axis(np.outer, 1, t[:, :, :2], [1, 2])
np.apply_along_axis(np.sum, 2, a)   np.apply_along_axis(np.cumsum, -1, t)   np.apply_along_axis(np.sum, 0, a, keepdims=True)   np.apply_along_axis(np.sum, 1, z.T[:0])   np.apply_along_axis(lambda x: [1, 2], 0, a)   np.apply_along_axis(np.sum, 0, v)
np.apply_over_axes(np.sum, a, 0)   np.apply_over_axes(np.sum, t, [0, -1])   np.apply_over_axes(lambda x, axis: x, a, 1)   np.apply_over_axes(lambda x, axis: x[0, 0], a, 0)
np.packbits(v)   np.packbits(a, axis=1)   np.packbits(a, 0, "little")   np.packbits(e)   np.packbits(mask)   np.packbits(t, axis=-2)   np.packbits(a, bitorder="middle")   np.packbits(a, axis=2)   np.packbits(np.tile(v, 5))
np.unpackbits(v)   np.unpackbits(a, axis=0)   np.unpackbits(v, count=3)   np.unpackbits(v, count=-2)   np.unpackbits(a, 1, 40, "little")   np.unpackbits(v, count=-99)   np.unpackbits(s)   np.unpackbits(v, bitorder="x")
np.diag_indices_from(m)   np.diag_indices_from(a)   np.diag_indices_from(v)   np.ravel_multi_index((at, at), (5, 6), mode="wrap")   np.ravel_multi_index((at, 1), (5, 6), mode=("clip", "wrap"), order="F")
"""  # noqa: E501

COMPUTED = """
np.argwhere(v)   np.argwhere(a)   np.argwhere(s)   np.argwhere(e)   np.flatnonzero(a)   np.flatnonzero(s)   np.extract(v == w, v)   np.extract(mask, w)   np.extract([1, 0, 1], a)   np.extract([0] * 6 + [1], v)   np.extract(a, b)
np.compress(mask, v)   np.compress([1, 0, 1], a, axis=0)   np.compress([True, False], a, axis=1)   np.compress(v, w)   np.compress(a, b)   np.compress([0, 0, 1, 1], a, axis=0)   np.compress([0, 1], a)   np.compress(mask, v, 1)
np.tril_indices_from(a)   np.triu_indices_from(a, 1)   np.tril_indices_from(m, k=-1)   np.triu_indices_from(m, -2)   np.tril_indices_from(v)   np.triu_indices_from(t)   np.piecewise(v, [v == w, mask], [lambda x: x * 2, lambda x: -x, 5]) if v.dtype.kind not in "b" else np.sum(v)
np.piecewise(v, [mask], [lambda x, y: x * y, 1], 2)   np.piecewise(v, [mask], [lambda x, y=0: x + y], y=1)   np.piecewise(s, [s == 0], [lambda x: x + 1, 3])   np.piecewise(s, s != 0, [2, 1])
np.lexsort((v, w))   np.lexsort((v, w[::-1], v * 0))   np.lexsort(a)   np.lexsort((a, b), axis=0)   np.lexsort((v, a))   np.lexsort(t, axis=-1)   np.lexsort((e, e))   np.sort_complex(v)   np.sort_complex(odd)   np.sort_complex(odd.real[::-1] + 1j * np.roll(odd.real, 2))   np.sort_complex(odd.real + 1j * odd.real[::-1])   np.sort_complex(a)   np.sort_complex(v[:2] * [2, 1])
np.searchsorted(np.sort(v.real), w.real, sorter=[0, 1, 2, 3, 4])   np.searchsorted(v.real, [0, 1], side="right", sorter=np.argsort(v.real))   np.ravel_multi_index((at % 3, at % 4), (3, 4))   np.ravel_multi_index((at, at), (3, 4))
np.ravel_multi_index(([1, 0], at[:2] % 2), (2, 3), order="F")   np.ravel_multi_index((v, v), (9, 9))   np.ravel_multi_index(at, (3, 4))   np.unravel_index(at % 12, (3, 4))   np.unravel_index(at % 12, (3, 4), order="F")   np.unravel_index(at, (3, 4))
np.unravel_index(v, (20, 3))   np.unravel_index(at % 8, (2, 2, 2))   np.unravel_index(at % 5, 5)   np.unravel_index(at % 12, (3, 4), "x")   np.ravel_multi_index((at, at), (3, 4), mode="x")
np.unique(v)   np.unique(a, return_index=True)   np.unique(v, return_inverse=True)   np.unique(a, return_counts=True, return_inverse=True)   np.unique(odd, True, True, True)   np.unique(odd, return_counts=True, equal_nan=False)   np.unique(a, axis=0)
np.unique(np.concatenate([a, a]), axis=0, return_index=True, return_inverse=True, return_counts=True)   np.unique(a, axis=1)   np.unique(v, axis=0, return_inverse=True)   np.unique(v, axis=1)   np.unique(a, axis=2)   np.unique(e, return_counts=True)
np.unique(s, return_inverse=True)   np.unique(t, axis=-1)   np.unique(v, sorted=True)   np.unique(np.concatenate([odd, odd]), True, True, True)   np.unique_counts(v)[1].sum()   np.unique_inverse(a).values   np.unique_inverse(a).inverse_indices   np.unique_all(odd).indices   np.unique_all(v).counts
np.sort(np.unique_values(v).real)   np.union1d(v, w)   np.union1d(a, [1, 2])   np.union1d(odd, odd)   np.intersect1d(v, w)   np.intersect1d(a, w, return_indices=True)   np.intersect1d(np.unique(v), np.unique(w), assume_unique=True)   np.intersect1d(e, v)
np.intersect1d(np.unique(v), np.unique(w), True, True)   np.setdiff1d(v, w)   np.setdiff1d(v[:3], w[:1], assume_unique=True)   np.setdiff1d(a, [1])   np.setxor1d(v, w)   np.setxor1d(a, v)   np.setxor1d(e, e)   np.setxor1d(np.unique(v), np.unique(w), assume_unique=True)
np.digitize(v, [-1, 0, 1])   np.digitize(a, [2, 1, 0])   np.digitize(v, np.sort(w.real), right=True)   np.digitize(v, [1, 0, 2])   np.digitize(odd, [0, 1, 1, 2.5])   np.digitize(s, [1])   np.digitize(v, a)   np.digitize(v, [])   np.digitize(v, [1, 1], True)
np.bincount(v)   np.bincount(abs(at))   np.bincount(at)   np.bincount(abs(at), minlength=9)   np.bincount(abs(at), w[:3])   np.bincount(abs(at), weights=w)   np.bincount(a)   np.bincount(e)   np.bincount(e, minlength=3)   np.bincount(abs(at), minlength=-1)   np.bincount([1, 5], w[:2])
np.bincount(mask, v)   np.histogram(v)   np.histogram(a, 5)   np.histogram(v, 7, (-3, 4))   np.histogram(a, bins=[-1, 0, 0.5, 3])   np.histogram(a, 4, range=(-1.5, 2), density=True)   np.histogram(a, [0, 1, 1, 2], density=True)   np.histogram(v, 3, weights=w)   np.histogram(v, 3, weights=a)
np.histogram(v, [0, 1, 2], weights=w)   np.histogram(v, [0, 2, 1])   np.histogram(v, 0)   np.histogram(v, 3, (2, 1))   np.histogram(odd, 3)   np.histogram(odd, 3, (-1, 2))   np.histogram(e)   np.histogram(s)   np.histogram(a, 3, (1, 1))   np.histogram(odd, [0, 1, 2.5])   np.histogram(v, 2.5)
np.histogram(v, [[1]])   np.histogram_bin_edges(a, 4)   np.histogram_bin_edges(v, [1, 2, 3])   np.histogram_bin_edges(v, 3, (0, 1))   np.histogram(v, v)   np.histogram(a, np.sort(v))   np.histogram(v, 3, weights=w, density=True)   np.histogram(np.tile(v, 9), 50)
np.histogram2d(v, w)   np.histogram2d(v, w, 4, [[-1, 1], [-2, 2]])   np.histogram2d(v, w, [2, 3], density=True)   np.histogram2d(v, w, [[-1, 0, 1], [0, 1, 2]], weights=w)   np.histogram2d(v, a)   np.histogram2d(v, w, [-1, 0, 1])   np.histogram2d(v, w, [2, [0, 1, 1.5]])
np.histogramdd(a, 2)   np.histogramdd([v, w], [2, 3])   np.histogramdd(a, [2, 3])   np.histogramdd(a[:, :3], bins=[2, 3, 1], range=[(-1, 1), None, (0, 2)])   np.histogramdd(v, 3)   np.histogramdd(a[:, :2], 3, density=True)   np.histogramdd(a[:, :2], 3, weights=b[:, 0])
np.histogramdd((v, w), 3, weights=v)   np.histogramdd(a[:, :2], [[2, 1], 2])   np.histogramdd(a[:, :2], 0)   np.histogramdd(a, 2, range=[(0, 1)])
"""  # noqa: E501


@pytest.mark.parametrize("text", calls(RECORDED))
def test_recorded(text):
    for dtype in DTYPES:
        compare(text, inputs(dtype, len(text)), True, True)


@pytest.mark.parametrize("text", calls(COMPUTED))
def test_computed(text):
    is_exact = "density" not in text and "weights" not in text
    for dtype in DTYPES:
        compare(text, inputs(dtype, len(text)), is_exact, False)


def test_positions_that_there_are_not_are_refused_when_elements_are_read():
    for at in ([0, 2], [-1, 0]):
        found = np.choose(zc.asarray(at), [1, 2])
        with pytest.raises(IndexError):
            np.asarray(found)
    for at in ([9], [-7], [0, 6]):
        x = zc.asarray(np.arange(6))
        np.put(x, at, 1)
        with pytest.raises(IndexError):
            np.asarray(x)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype[0] != "c"])
def test_partitions(dtype):
    random = np.random.default_rng([SEED, 1])
    for shape, axis in (((9,), -1), ((4, 7), 0), ((4, 7), None), ((2, 3, 5), 1)):
        a = random.integers(0, 2 if dtype == "?" else 9, shape).astype(dtype)
        n = a.size if axis is None else shape[axis]
        for kth in (0, n - 1, -2, [0, 2], (1,)):
            x = zc.asarray(a)
            found, places = np.partition(x, kth, axis), np.argpartition(x, kth, axis=axis)
            wanted = np.sort(a, axis)
            at = 0 if axis is None else axis
            for values in (np.asarray(found), np.take_along_axis(a.ravel() if axis is None else a, np.asarray(places), at)):
                np.testing.assert_array_equal(np.sort(values, at), wanted)
                np.testing.assert_array_equal(np.take(values, kth, at), np.take(wanted, kth, at))
            assert isinstance(found, zc.Array) and isinstance(places, zc.Array) and found.dtype == a.dtype
        for kth in (n, -n - 1, [0, n]):
            with pytest.raises(ValueError):
                np.partition(zc.asarray(a), kth, axis)
    with pytest.raises((TypeError, ValueError)):
        np.partition(zc.asarray(a), 1, kind="nonsense")
    with pytest.raises(np.exceptions.AxisError):
        np.argpartition(zc.asarray(a), 1, axis=7)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "i8", "u1"])
def test_many_elements_in_equal_bins(dtype):
    """On and beside the edges, where NumPy sets a quotient right."""
    random = np.random.default_rng([SEED, 2])
    for bins, range_ in ((10, None), (7, (-1.1, 2.3)), (64, (0, 1)), (3, (-5, 5)), (100, None)):
        a = random.normal(0, 40 if dtype[0] in "iu" else 1, 5000).astype(dtype)
        edges = np.histogram_bin_edges(a, bins, range_)
        if dtype[0] == "f":
            a = np.concatenate([a, edges, np.nextafter(edges, edges.dtype.type(9)), np.nextafter(edges, edges.dtype.type(-9))])
            a = a.astype(dtype)
        weights = random.integers(-4, 5, a.shape).astype("f4")
        x = zc.asarray(a)
        for named in ({}, {"weights": weights}):
            (theirs, edges), (found, at) = (np.histogram(values, bins, range_, **named) for values in (a, x))
            np.testing.assert_array_equal(np.asarray(at), edges)
            np.testing.assert_array_equal(np.asarray(found), theirs, f"ZC_TEST_SEED={SEED} {bins} {range_}")
            assert found.dtype == theirs.dtype and at.dtype == edges.dtype


def test_histograms_between_given_numbers_are_recorded():
    x = zc.asarray(np.linspace(-1, 2, 50)) * 1.5
    found, edges = np.histogram(x, 4, (-1, 2))
    assert not x.exists and not found.exists
    np.testing.assert_array_equal(np.asarray(found), np.histogram(np.linspace(-1, 2, 50) * 1.5, 4, (-1, 2))[0])


def test_results_keep_names():
    x = zc.asarray([3, 1, 3])
    assert np.unique_all(x)._fields == ("values", "indices", "inverse_indices", "counts")
    assert np.unique_counts(x)._fields == ("values", "counts") and np.unique_inverse(x)._fields == ("values", "inverse_indices")


def test_elements_are_put():
    random = np.random.default_rng([SEED, 3])
    for mode in ("raise", "wrap", "clip"):
        for turn in (lambda a: a, lambda a: a[::-1], lambda a: a.T):
            a = random.integers(0, 9, (3, 4)).astype("f4")
            x = zc.asarray(a)
            before = x * 1
            at = random.integers(-12, 12, 5) * (1 if mode == "raise" else 3)
            b = a.copy()
            np.put(turn(b), at, [1.5, 2], mode)
            np.put(turn(x), zc.asarray(at), [1.5, 2], mode=mode)
            np.testing.assert_array_equal(np.asarray(x), b)
            np.testing.assert_array_equal(np.asarray(before), a)


@pytest.mark.parametrize("text", calls(RECORDED + COMPUTED))
def test_without_an_array_of_ours(text):
    for dtype in ("i8", "f8"):
        check_table(text, inputs(dtype, len(text)))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_numbers_with_parts_that_are_not_numbers(dtype):
    random = np.random.default_rng([SEED, 4])
    a = np.empty(60, dtype)
    a.real, a.imag = (random.choice([0, 1, -1, np.nan, np.inf, -np.inf], 60) for _ in range(2))
    x = zc.asarray(a)
    np.testing.assert_array_equal(np.asarray(np.sort_complex(x)), np.sort_complex(a), f"ZC_TEST_SEED={SEED}")
    for equal_nan in (True, False):
        ours, theirs = (np.unique(values, True, True, True, equal_nan=equal_nan) for values in (x, a))
        for found, wanted in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(np.asarray(found), wanted, f"ZC_TEST_SEED={SEED}")
