"""Writes to more listed elements than are written at once: random programs beside NumPy, with what is held meanwhile."""

import os
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import zerocast as zc

DTYPES = ["float64", "float32", "int64", "int32", "uint8", "bool", "complex128", "float16"]


def numbers(shape, dtype, draw):
    return draw.integers(0, 2 if dtype == "bool" else 20, shape).astype(dtype)


class Program:
    """An array of ours beside one of NumPy's, whose elements are written and read by the same steps."""

    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.draw = np.random.default_rng(seed)
        rank = self.choose.randint(1, 3)
        self.dtype = self.choose.choice(DTYPES)
        shape = tuple(self.choose.randint(2, 12) for _ in range(rank - 1)) + (self.choose.randint(600, 3000),)
        shape = tuple(self.choose.sample(shape, rank))
        self.theirs = numbers(shape, self.dtype, self.draw)
        self.ours = zc.asarray(self.theirs.copy())
        if self.choose.random() < 0.7:
            self.ours = self.ours + zc.zeros((), dtype=self.dtype) if self.dtype != "bool" else self.ours | False
        self.held = []

    def positions(self, axis):
        extent = self.theirs.shape[axis]
        count = self.choose.randint(1, max(1, extent // 2))
        return self.draw.integers(-extent, extent, count)

    def key(self):
        """A key with a list, as we and NumPy get it."""
        axis = self.choose.randrange(self.theirs.ndim)
        listed = self.positions(axis)
        key = []
        for a in range(axis):
            kind = self.choose.randrange(3)
            if kind == 0:
                key.append(slice(None))
            elif kind == 1:
                key.append(self.choose.randrange(self.theirs.shape[a]))
            else:
                key.append(self.draw.integers(0, self.theirs.shape[a], len(listed)))
        ours = [zc.asarray(k) if isinstance(k, np.ndarray) and self.choose.random() < 0.5 else k for k in key]
        return tuple([*ours, zc.asarray(listed)]), tuple([*key, listed])

    def step(self):
        kind = self.choose.randrange(9)
        ours, theirs = self.key()
        if kind == 0:
            values = numbers(self.theirs[theirs].shape, self.dtype, self.draw)
            self.theirs[theirs] = values
            self.ours[ours] = zc.asarray(values)
        elif kind == 1:
            self.theirs[theirs] = 3
            self.ours[ours] = 3
        elif kind == 2 and self.dtype != "bool":
            self.theirs[theirs] += 1
            self.ours[ours] += 1
        elif kind == 3 and self.dtype != "bool":
            np.add.at(self.theirs, theirs, self.theirs.dtype.type(1))
            np.add.at(self.ours, ours, self.theirs.dtype.type(1))
        elif kind == 4:
            np.maximum.at(self.theirs, theirs, self.theirs.dtype.type(1))
            np.maximum.at(self.ours, ours, self.theirs.dtype.type(1))
        elif kind == 5:
            rows = self.ours[ours]
            if self.choose.random() < 0.5:
                assert np.array_equal(np.asarray(rows), self.theirs[theirs])
            self.hold(rows, self.theirs[theirs])
            self.ours[ours] = zc.flip(rows)
            self.theirs[theirs] = np.flip(self.theirs[theirs])
        elif kind == 6:
            self.hold(self.ours[ours], self.theirs[theirs])
        elif kind == 7:
            self.hold(self.ours + self.ours, self.theirs + self.theirs)
        else:
            at = tuple(self.choose.randrange(n) for n in self.theirs.shape)
            assert self.ours[at] == self.theirs[at]
        if self.choose.random() < 0.5:
            assert bool((self.ours == self.theirs).all())

    def hold(self, ours, theirs):
        """Holds what was read, which later writes leave as it is."""
        if len(self.held) > 3:
            self.held.pop(self.choose.randrange(len(self.held)))
        self.held.append((ours, theirs.copy()))

    def run(self, steps):
        for _ in range(steps):
            self.step()
        for ours, theirs in self.held:
            np.testing.assert_array_equal(np.asarray(ours), theirs)
        np.testing.assert_array_equal(np.asarray(self.ours), self.theirs)


class Loop:
    """Steps of equal structure at other places, whose plans are found again."""

    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.draw = np.random.default_rng(seed)
        rank = self.choose.randint(1, 3)
        self.shape = tuple(self.choose.sample([3, 40, self.choose.randint(600, 900)], rank))
        self.kinds = [self.choose.randrange(4) for _ in range(rank)]
        self.kinds[self.choose.randrange(rank)] = 2
        self.counts = [self.choose.randint(1, n) for n in self.shape]
        self.windows = self.choose.random() < 0.5 and self.shape[0] >= 600 and rank == 1

    def key(self):
        """A number, a slice or a list for each axis; lists are as long as each other."""
        key, count = [], None
        for kind, extent, most in zip(self.kinds, self.shape, self.counts, strict=True):
            if kind == 0:
                key.append(int(self.draw.integers(extent)))
            elif kind == 1:
                first = int(self.draw.integers(extent - most + 1))
                key.append(slice(first, first + most))
            elif kind == 2:
                count = count or most
                key.append(self.draw.integers(-extent, extent, count))
            else:
                key.append(slice(None))
        return tuple(key)

    def run(self):
        theirs = self.draw.standard_normal(self.shape)
        ours = zc.asarray(theirs.copy()) + 0
        reads, adds = self.choose.random() < 0.7, self.choose.random() < 0.3
        for _ in range(12):
            key, other = self.key(), self.key()
            if self.windows:
                first = int(self.draw.integers(self.shape[0] // 2))
                a, b = theirs[first : first + 300], ours[first : first + 300]
                at = self.draw.integers(0, 300, 50)
                a[at], b[at] = a[at[::-1]] + 1, b[at[::-1]] + 1
            elif adds:
                np.add.at(theirs, key, 0.5)
                np.add.at(ours, key, 0.5)
            else:
                theirs[key] = theirs[other] * 0.5
                ours[key] = ours[other] * 0.5
            if reads:
                assert float(ours[other].sum() * 0 + ours[key].max()) == theirs[key].max()
            at = tuple(int(self.draw.integers(n)) for n in self.shape)
            assert float(ours[at]) == theirs[at]
        np.testing.assert_array_equal(np.asarray(ours), theirs)


def run_programs(first, count):
    for seed in range(first, first + count):
        try:
            Program(seed).run(25)
            Loop(seed).run()
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


@pytest.mark.filterwarnings("ignore:numpy.maximum.at")
@pytest.mark.parametrize("is_apart", [True, False])
def test_programs_beside_numpy(is_apart):
    """In a context that shares nothing with others, whose updates take memory over, and in one that may share."""
    first = int(os.environ.get("ZC_TEST_SEED", "20261129"))
    count = int(os.environ.get("ZC_TEST_PROGRAMS", "100"))
    print(f"ZC_TEST_SEED={first}")
    if not is_apart:
        run_programs(first, count)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run_programs, first, count).result()


def written_rows(rows):
    """What was made of w, elements of it that are in memory, and the table after these were written."""
    w = zc.asarray(np.arange(float(rows * 8)).reshape(rows, 8))
    table = w * 2
    float(zc.sum(table))
    listed = zc.asarray(np.arange(0, rows // 10))
    read = table[listed]
    float(zc.sum(read))
    before = zc.memory().peak_bytes
    table[listed] = read + 1
    assert float(table[0, 0]) == 1.0
    return w, read, zc.memory().peak_bytes - before


def test_what_read_a_large_table_before_it_was_written_forgets_that():
    with ThreadPoolExecutor(1) as pool:
        w, read, peak = pool.submit(written_rows, 10_000).result()
        assert peak < 10_000 * 8 * 8 / 2
        with pytest.raises(ValueError, match=r"variable\(\)"):
            pool.submit(zc.grad, zc.sum(read), w).result()


def test_what_read_a_small_table_has_its_gradient():
    with ThreadPoolExecutor(1) as pool:
        w, read, _ = pool.submit(written_rows, 1_000).result()
        assert np.asarray(pool.submit(zc.grad, zc.sum(read), w).result())[:100].tolist() == [[2.0] * 8] * 100
