"""Arrays in pieces: the bits of the whole for every division, in threads and in other processes, and what travels."""

import hashlib
import pickle

import numpy
import pytest

import zerocast as zc

dask = pytest.importorskip("dask")
dask_array = pytest.importorskip("dask.array")
from zerocast import _cluster  # noqa: E402

RNG = numpy.random.default_rng(7)
X = RNG.normal(size=(5000, 37)).astype("f4")
Y = RNG.normal(size=(5000, 4))
N = RNG.integers(-100, 100, (300, 41))

EXPRESSIONS = {
    "map": lambda: zc.exp(zc.asarray(X)) * 2 - 1,
    "standardized": lambda: (zc.asarray(X) - zc.mean(zc.asarray(X), axis=0)) / zc.std(zc.asarray(X), axis=0),
    "sum": lambda: zc.sum(zc.asarray(Y), axis=0),
    "all": lambda: zc.sum(zc.asarray(X) * 3),
    "extremes": lambda: zc.max(zc.asarray(N), axis=1) - zc.min(zc.asarray(N)),
    "argmax": lambda: zc.argmax(zc.asarray(Y), axis=0),
    "gram": lambda: zc.asarray(Y).T @ zc.asarray(Y),
    "rows": lambda: zc.softmax(zc.asarray(X), axis=1),
    "columns": lambda: zc.logsumexp(zc.asarray(X), axis=0),
    "transposed": lambda: (zc.asarray(X).T * 2)[::-1],
    "integers": lambda: zc.cumulative_sum(zc.asarray(N), axis=1),
    "centered products": lambda: (zc.asarray(Y) - zc.mean(zc.asarray(Y), axis=0)) @ zc.asarray(N[:4, :9] / 7),
    "scalar": lambda: zc.mean(zc.asarray(X)) * 2,
    "empty": lambda: zc.asarray(X)[:0] + 1,
    "gathered": lambda: zc.take(zc.asarray(X), zc.asarray(numpy.arange(0, 5000, 7)), axis=0) + 1,
}


def hash_of(elements):
    return hashlib.sha256(numpy.ascontiguousarray(elements).tobytes()).hexdigest()


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_bits_are_those_of_the_whole(name):
    y = EXPRESSIONS[name]()
    wanted = hash_of(numpy.asarray(EXPRESSIONS[name]()))
    rng = numpy.random.default_rng(len(name))
    for limit in (None, 1 << 16, 1 << 20):
        chunks = None
        if limit is not None and y.ndim > 0:
            chunks = tuple(int(rng.integers(1, n + 1)) if n > 0 else -1 for n in y.shape)
            if any(n // c > 40 for n, c in zip(y.shape, chunks) if c > 0):
                chunks = (max(1, y.shape[0] // 7), *[-1] * (y.ndim - 1))
        d = y.to_dask(chunks=chunks, limit=limit)
        assert d.shape == y.shape and str(d.dtype) == y.dtype.name
        assert hash_of(d.compute(scheduler="threads", num_workers=3)) == wanted, (limit, chunks)
        assert hash_of(d.compute(scheduler="sync")) == wanted


def test_other_processes_give_the_same_bits():
    y = EXPRESSIONS["standardized"]()
    d = y.to_dask(chunks=(700, -1), limit=1 << 18)
    assert hash_of(d.compute(scheduler="processes", num_workers=2)) == hash_of(numpy.asarray(y))


def test_blocks_are_arrays_of_dask():
    y = zc.asarray(X) + 1
    d = zc.to_dask(y, chunks={0: 1000})
    assert d.chunks == ((1000,) * 5, (37,)) and d.numblocks == (5, 1)
    assert numpy.array_equal((d[100:1200] * 2).sum(axis=1).compute(), ((X + 1)[100:1200] * 2).sum(axis=1))
    assert y.to_dask(chunks=1000).chunks == ((1000,) * 5, (37,))
    assert y.to_dask(chunks=((1000,) * 5, (37,))).chunks == d.chunks
    assert y.to_dask(chunks=(1000, None)).name == d.name, "equal expressions have equal names"
    assert (zc.asarray(X) + 2).to_dask(chunks=1000).name != d.name


def test_the_graph_travels_once():
    y = EXPRESSIONS["standardized"]()
    d = y.to_dask(chunks=(50, -1), limit=1 << 20)
    graph = dict(d.__dask_graph__())
    division = [v for k, v in graph.items() if isinstance(k, str)]
    assert len(division) == 1
    rest = {k: v for k, v in graph.items() if not isinstance(k, str)}
    assert len(pickle.dumps(rest)) < 1000 * len(rest)
    assert len(division[0].graph) < 20_000


class Stored:
    """A store that counts what is read of it; its pickle is a name."""

    shape, dtype, chunks = (4000, 64), numpy.dtype("f4"), (100, 64)
    read = 0

    def __getitem__(self, key):
        rows = numpy.arange(4000, dtype="f4")[key[0], None]
        columns = numpy.arange(64, dtype="f4")[None, key[1]]
        Stored.read += rows.size * columns.size
        return rows * 0.25 + columns

    def __reduce__(self):
        return Stored, ()


def test_stores_travel_by_name():
    x = zc.from_array(Stored())
    y = (x - zc.mean(x, axis=0)) / 2
    assert len(pickle.dumps(y)) < 2000 and len(pickle.dumps(x[5:, 1])) < 2000
    again = pickle.loads(pickle.dumps(y))
    assert hash_of(numpy.asarray(again)) == hash_of(numpy.asarray(y))
    wanted = hash_of(numpy.asarray(y))
    d = y.to_dask(chunks=(500, -1), limit=1 << 18)
    Stored.read = 0
    assert hash_of(d.compute(scheduler="threads", num_workers=2)) == wanted
    assert Stored.read <= 2.2 * 4000 * 64, "a pass for the means, and one for the blocks"
    assert hash_of(d.compute(scheduler="processes", num_workers=2)) == wanted


def test_several_results_share_their_work():
    class Local:
        """A client that computes here."""

        def compute(self, collections, sync):
            return dask.compute(*collections, scheduler="sync")

    x = zc.asarray(X)
    m = zc.mean(x, axis=0)
    made = zc.compute(m, x - m, client=Local(), limit=1 << 18)
    assert hash_of(numpy.asarray(made[0])) == hash_of(numpy.asarray(m))
    assert hash_of(numpy.asarray(made[1])) == hash_of(numpy.asarray(x - m))
    with pytest.raises(TypeError, match="limit"):
        zc.compute(m, limit=3)


def test_what_cannot_be_divided_is_refused():
    x = zc.asarray(X)
    with pytest.raises(TypeError, match="bfloat16"):
        zc.astype(x, zc.bfloat16).to_dask()
    with pytest.raises(ValueError, match="extents"):
        x.to_dask(chunks=(1, 2, 3))
    with pytest.raises(ValueError, match="extent"):
        x.to_dask(chunks=(0, -1))
    with pytest.raises(ValueError, match="one length"):
        x.to_dask(chunks=((1, 2, 4997), -1))
    division = _cluster.divide([x + 1], None, 0)
    with pytest.raises(ValueError):
        division.compute(10**6)
    with pytest.raises(ValueError):
        _cluster.Division(b"\0" * 64, (), 0).pieces()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_random_numbers_are_functions_of_their_places(dtype):
    whole = numpy.asarray(zc.random_uniform((300, 200), seed=5, dtype=dtype))
    assert numpy.array_equal(numpy.asarray(zc.random_uniform((300, 200), seed=5, dtype=dtype)[7:9, ::3]), whole[7:9, ::3])
    assert whole.min() >= 0 and whole.max() < 1 and abs(whole.mean() - 0.5) < 0.01
    assert not numpy.array_equal(whole, numpy.asarray(zc.random_uniform((300, 200), seed=6, dtype=dtype)))
    normal = numpy.asarray(zc.random_normal((400, 500), seed=1, dtype=dtype))
    assert abs(normal.mean()) < 0.01 and abs(normal.std() - 1) < 0.01 and numpy.isfinite(normal).all()
    assert abs(numpy.corrcoef(normal[:, :-1].ravel(), normal[:, 1:].ravel())[0, 1]) < 0.01


def test_random_bits_are_those_of_the_generator():
    def philox(counter, key):
        low, high = counter & 0xFFFFFFFF, counter >> 32
        for _ in range(10):
            product = low * 0xD256D193
            low, high = (product >> 32) ^ key ^ high, product & 0xFFFFFFFF
            key = (key + 0x9E3779B9) & 0xFFFFFFFF
        return low << 32 | high

    assert philox(0x85A308D3243F6A88, 0x13198A2E) == 0xDD7CE038F62A4C12  # of the generator's own list of answers
    assert numpy.asarray(zc.random_bits(1000, seed=77)).tolist() == [philox(i, 77) for i in range(1000)]
    with pytest.raises(ValueError, match="seed"):
        zc.random_bits(3, seed=2**32)
    with pytest.raises(TypeError):
        zc.random_uniform(3, dtype=zc.int32)
