"""Arrays that others store: the elements of NumPy's own, whole chunks read and written once, and failures as raised."""

import math
import pickle
import threading

import numpy
import pytest

import zerocast as zc


class Chunked:
    """A stored array of chunks, which counts what is read and written of each."""

    def __init__(self, elements, chunks):
        self.elements, self.chunks = elements, chunks
        self.shape, self.dtype = elements.shape, elements.dtype
        self.read, self.written, self.largest = {}, {}, 0

    def places(self, key):
        ranges = [range(k.start // c, (k.stop - 1) // c + 1) for k, c in zip(key, self.chunks)]
        return numpy.ndindex(*map(len, ranges)), ranges

    def count(self, key, counts):
        assert len(key) == len(self.shape)
        assert all(0 <= k.start < k.stop <= n and k.step is None for k, n in zip(key, self.shape)), key
        steps, ranges = self.places(key)
        for step in steps:
            at = tuple(r[s] for r, s in zip(ranges, step))
            counts[at] = counts.get(at, 0) + 1
        self.largest = max(self.largest, math.prod(k.stop - k.start for k in key))

    def __getitem__(self, key):
        self.count(key, self.read)
        return self.elements[key]

    def __setitem__(self, key, block):
        assert all(k.start % c == 0 and (k.stop % c == 0 or k.stop == n) for k, c, n in zip(key, self.chunks, self.shape))
        self.count(key, self.written)
        self.elements[key] = block


def drawn(seed):
    rng = numpy.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    shape = tuple(int(n) for n in rng.integers(1, (60, 40, 14)[rank - 1], rank))
    chunks = tuple(int(n) for n in rng.integers(1, 12, rank))
    dtype = rng.choice(["f4", "f8", ">f8", "i2", "u1", "?", "c8"])
    return rng, Chunked(rng.integers(0, 100, shape).astype(dtype), chunks)


@pytest.mark.parametrize("seed", range(40))
def test_elements_are_those_that_are_stored(seed):
    rng, stored = drawn(seed)
    x, wanted = zc.from_array(stored), stored.elements
    assert x.shape == wanted.shape and str(x.dtype) == wanted.dtype.newbyteorder("=").name
    for _ in range(4):
        axis = int(rng.integers(0, wanted.ndim))
        n = wanted.shape[axis]
        step, low = int(rng.choice([-3, -1, 1, 2])), int(rng.integers(0, n))
        key = (slice(None),) * axis + (slice(low, None, step) if step > 0 else slice(low, None, step),)
        assert numpy.array_equal(numpy.asarray(x[key]), wanted[key])
        rows = rng.integers(-n, n, 5)
        assert numpy.array_equal(numpy.asarray(zc.take(x, zc.asarray(rows), axis=axis)), wanted.take(rows, axis))
    assert numpy.array_equal(numpy.asarray(x.T), wanted.T)


@pytest.mark.parametrize("seed", range(20))
def test_each_chunk_is_written_once(seed):
    rng, stored = drawn(seed)
    target = Chunked(numpy.zeros(stored.shape), tuple(int(n) for n in rng.integers(1, 12, len(stored.shape))))
    if stored.dtype.kind == "c":
        return
    zc.store(zc.from_array(stored) + 1, target)
    assert numpy.array_equal(target.elements, stored.elements.astype("f8") + 1)
    assert set(target.written.values()) == {1}
    assert len(target.written) == math.prod(-(-n // c) for n, c in zip(target.shape, target.chunks))


def test_a_store_may_be_larger_than_memory():
    rows, columns = 30_000, 256
    stored = Chunked(numpy.random.default_rng(3).normal(size=(rows, columns)).astype("f4"), (500, 64))
    target = Chunked(numpy.zeros((rows, columns), "f4"), (1000, 256))
    x = zc.asarray(stored.elements)
    wanted = numpy.asarray((x - zc.mean(x, axis=0)) / zc.std(x, axis=0))
    with zc.config(memory_limit=16 << 20):
        x = zc.from_array(stored)
        zc.store((x - zc.mean(x, axis=0)) / zc.std(x, axis=0), target)
    assert numpy.array_equal(target.elements, wanted)
    assert set(target.written.values()) == {1}
    assert set(stored.read.values()) == {3}
    assert stored.largest <= (16 << 20) // 4


def test_windows_smaller_than_a_chunk_are_cut_from_kept_ones():
    stored = Chunked(numpy.arange(40_000).reshape(200, 200), (50, 50))
    with zc.config(recompute=True):
        x = zc.from_array(stored)
        for i in range(50):
            assert x[i, 7].item() == 200 * i + 7
        assert stored.read == {(0, 0): 1}
        numpy.testing.assert_array_equal(numpy.asarray(x[[3, 60, 4, 61]])[:, 3], [603, 12003, 803, 12203])
    assert max(stored.read.values()) == 1


def test_what_a_store_raises_is_raised():
    class Torn:
        shape, dtype = (10, 3), numpy.dtype("f4")

        def __getitem__(self, key):
            raise OSError("the line is down")

    class Uses:
        shape, dtype = (10,), numpy.dtype("f8")

        def __getitem__(self, key):
            return numpy.asarray(zc.ones(10))[key]

    class Full(Chunked):
        def __setitem__(self, key, block):
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the line is down"):
        zc.sum(zc.from_array(Torn())).item()
    with pytest.raises(RuntimeError, match="may use no arrays"):
        zc.sum(zc.from_array(Uses())).item()
    with pytest.raises(OSError, match="the disk is full"):
        zc.store(zc.ones((3, 4)), Full(numpy.zeros((3, 4)), (2, 2)))
    assert zc.sum(zc.from_array(numpy.ones(3))).item() == 3


class Failing:
    """A store that raises `error` for as many reads as `failures`, and none of whose elements are kept."""

    shape, dtype, chunks = (20000, 64), numpy.dtype("f8"), (1000, 64)
    error, failures = None, 0

    def __getitem__(self, key):
        if self.failures > 0:
            self.failures -= 1
            raise self.error
        return numpy.ones([k.stop - k.start for k in key])


@pytest.mark.parametrize("error", [OSError("the line is down"), KeyboardInterrupt()])
def test_what_a_later_reading_raises_is_raised(error):
    stored = Failing()
    x = zc.from_array(stored)
    assert zc.sum(x).item() == 20000 * 64
    stored.error, stored.failures = error, 1000
    with pytest.raises(type(error)):  # the second one would keep the elements
        zc.max(x).item()
    stored.failures = 0
    assert zc.max(x).item() == 1


def test_a_purchase_that_fails_is_left_out():
    stored = Failing()
    x = zc.from_array(stored)
    assert zc.sum(x).item() == 20000 * 64
    stored.error, stored.failures = OSError("the line is down"), 1
    assert zc.max(x).item() == 1
    assert zc.min(x).item() == 1


def test_threads_share_a_reader_of_chunks():
    elements = numpy.arange(1 << 16, dtype="f4").reshape(256, 256)
    stored = zc.from_array(Chunked(elements, (64, 64)))
    seen = []

    def work(seed):
        rng = numpy.random.default_rng(seed)
        with zc.config(recompute=True):
            for _ in range(100):
                i, k = (int(n) for n in rng.integers(0, 256, 2))
                seen.append(stored[i, k].item() == elements[i, k])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 400


def test_a_store_that_ends_early_is_refused():
    class Short:
        shape, dtype = (10, 3), numpy.dtype("f4")

        def __getitem__(self, key):
            return numpy.ones((1, 3), "f4")

    with pytest.raises(ValueError, match=r"gives shape \(1, 3\) for \(10, 3\)"):
        zc.sum(zc.from_array(Short())).item()


def test_what_is_no_store_is_refused():
    for wrong in (3, "x", object()):
        with pytest.raises(TypeError, match="from_array"):
            zc.from_array(wrong)
    with pytest.raises(ValueError, match="2 extents, and the array 1 axes"):
        zc.from_array(numpy.zeros(3), chunks=(1, 2))
    with pytest.raises(TypeError, match="float"):
        zc.from_array(numpy.zeros((3, 3)), chunks=(2.5, 3))
    with pytest.raises(TypeError, match="bfloat16 for a target of float32"):
        zc.store(zc.astype(zc.ones(3), zc.bfloat16), numpy.zeros(3, "f4"))
    with pytest.raises(ValueError, match="a chunk has the extent 0 along axis 0"):
        zc.from_array(numpy.zeros(3), chunks=(0,))
    with pytest.raises(TypeError, match="none of zerocast's dtypes"):
        zc.from_array(numpy.array(["a"]))
    with pytest.raises(ValueError, match=r"shape \(3, 3\) for a target of shape \(3, 4\)"):
        zc.store(zc.ones((3, 3)), numpy.zeros((3, 4)))
    x = zc.ones(3)
    assert zc.from_array(x) is x


class Counted:
    """A store whose pickle is its shape."""

    dtype = numpy.dtype("f8")

    def __init__(self, shape):
        self.shape, self.elements = shape, numpy.arange(math.prod(shape), dtype=self.dtype).reshape(shape)

    def __getitem__(self, key):
        return self.elements[key]

    def __reduce__(self):
        return Counted, (self.shape,)


def test_pickles_hold_no_elements_that_were_read():
    x = zc.from_array(Counted((500, 400)))
    y = x - zc.mean(x, axis=0)

    def sizes():
        return [len(pickle.dumps(a)) for a in (x, y, x[3:7], zc.reshape(x, (-1,)))]

    before = sizes()
    assert max(before) < 4000
    for axis in (0, 1):
        zc.sum(x, axis=axis)[0].item()
    assert sizes() == before
    numpy.asarray(x)
    assert sizes() == before
    for a in (x, y, x[3:7], zc.reshape(x, (-1,))):
        assert numpy.array_equal(numpy.asarray(pickle.loads(pickle.dumps(a))), numpy.asarray(a))


def test_arrays_of_any_rank_are_stored():
    for shape in ((), (0,), (3, 0, 2), (2, 1, 3)):
        target = numpy.zeros(shape)
        zc.store(zc.from_array(numpy.full(shape, 7, "i4")) * 2, target)
        assert numpy.array_equal(target, numpy.full(shape, 14.0))
