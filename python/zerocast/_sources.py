"""Arrays that others store: read by windows when a result needs them, and written in whole chunks."""

from __future__ import annotations

import contextlib
import math
import operator
from collections import OrderedDict

from . import _core, _dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._array import Array

# Bytes that are asked of a stored array at once, and of decoded chunks that are kept for the next window.
_PIECE_BYTES = 16 << 20
_CACHE_BYTES = 32 << 20


def _numpy(function: str) -> Any:
    try:
        import numpy
    except ImportError:
        raise ImportError(f"{function}() hands elements over as NumPy's arrays, and NumPy is not installed") from None
    return numpy


def _chunk_of(obj: Any, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """The extents of a stored array's chunks: zarr and h5py have chunks, dask chunksize, zarr also shards."""
    for name in names:
        chunk = getattr(obj, name, None)
        if isinstance(chunk, (tuple, list)) and len(chunk) == len(obj.shape) and all(isinstance(c, int) for c in chunk):
            return tuple(max(1, c) for c in chunk)
    return None


def _pieces(count: tuple[int, ...], chunk: tuple[int, ...], first: tuple[int, ...], most: int) -> Iterator[tuple[slice, ...]]:
    """Windows of at most so many elements, or of one chunk, that make up a window which begins at `first`."""
    axis = 0
    while axis < len(count) and math.prod(count[axis + 1 :]) * min(chunk[axis], count[axis]) > most:
        axis += 1
    lengths = [min(c, n) for c, n in zip(chunk, count)][:axis] + list(count[axis:])
    if axis < len(count):
        run = most // max(1, math.prod(count[axis + 1 :])) // chunk[axis] * chunk[axis]
        lengths[axis] = max(run, chunk[axis])
    starts = [0] * len(count)
    while True:
        ends = [
            min(n, s + step - (f + s) % c if c <= step else s + step)
            for n, s, step, f, c in zip(count, starts, lengths, first, chunk)
        ]
        yield tuple(map(slice, starts, ends))
        a = len(count) - 1
        while a >= 0 and ends[a] == count[a]:
            starts[a] = 0
            a -= 1
        if a < 0:
            return
        starts[a] = ends[a]


class _Reader:
    """Reads windows of a stored array. Windows smaller than a chunk are cut from chunks, of which the latest are kept."""

    def __init__(self, obj: Any, chunk: tuple[int, ...] | None) -> None:
        self.numpy = _numpy("from_array")
        self.obj = obj
        self.chunk = chunk if chunk is not None else (1,) * len(obj.shape)
        self.dtype = obj.dtype if isinstance(obj.dtype, self.numpy.dtype) else self.numpy.dtype(str(obj.dtype))
        self.dtype = self.dtype.newbyteorder("=")
        self.kept: OrderedDict[tuple[int, ...], Any] = OrderedDict()
        self.chunk_bytes = math.prod(self.chunk) * self.dtype.itemsize

    def __reduce__(self) -> Any:
        return _Reader, (self.obj, self.chunk)

    def array(self) -> Array:
        shape = tuple(int(n) for n in self.obj.shape)
        return _core.from_source(_dtypes.dtype_of(self.dtype).code, shape, self.chunk, self)

    def __call__(self, start: tuple[int, ...], count: tuple[int, ...], memory: memoryview) -> None:
        out = self.numpy.frombuffer(memory, self.dtype).reshape(count)
        is_part = any(n < c for n, c in zip(count, self.chunk))
        if is_part and self.chunk_bytes <= _CACHE_BYTES:
            self.read_by_chunks(start, count, out)
            return
        for piece in _pieces(count, self.chunk, start, _PIECE_BYTES // self.dtype.itemsize):
            self.read(tuple(slice(s + p.start, s + p.stop) for s, p in zip(start, piece)), out[(*piece, ...)])

    def read(self, key: tuple[slice, ...], out: Any) -> None:
        if hasattr(self.obj, "read_direct") and out.flags.c_contiguous and out.size > 0:  # h5py
            self.obj.read_direct(out, key)
        else:
            block = self.numpy.asarray(self.obj[key])
            if block.shape != out.shape:
                raise ValueError(f"from_array(): {type(self.obj).__name__!r} gives shape {block.shape} for {out.shape}")
            out[...] = block

    def read_by_chunks(self, start: tuple[int, ...], count: tuple[int, ...], out: Any) -> None:
        ranges = [range(s // c, (s + n - 1) // c + 1) for s, n, c in zip(start, count, self.chunk)]
        for at in _places(ranges):
            low = [max(s, i * c) for s, i, c in zip(start, at, self.chunk)]
            high = [min(s + n, (i + 1) * c) for s, n, i, c in zip(start, count, at, self.chunk)]
            from_chunk = tuple(slice(a - i * c, b - i * c) for a, b, i, c in zip(low, high, at, self.chunk))
            to = tuple(slice(a - s, b - s) for a, b, s in zip(low, high, start))
            out[to] = self.find(at)[from_chunk]

    def find(self, at: tuple[int, ...]) -> Any:
        found = self.kept.pop(at, None)  # threads share a reader: each step is one operation
        if found is not None:
            self.kept[at] = found
            return found
        extents = [min(c, n - i * c) for i, c, n in zip(at, self.chunk, self.obj.shape)]
        found = self.numpy.empty(extents, self.dtype)
        while self.kept and (len(self.kept) + 1) * self.chunk_bytes > _CACHE_BYTES:
            self.drop_oldest()
        self.read(tuple(slice(i * c, i * c + n) for i, c, n in zip(at, self.chunk, extents)), found)
        self.kept[at] = found
        return found

    def drop_oldest(self) -> None:
        with contextlib.suppress(KeyError):  # another thread has dropped it
            self.kept.popitem(last=False)


def _places(ranges: list[range]) -> Iterator[tuple[int, ...]]:
    import itertools

    return itertools.product(*ranges)


def from_pickle(reader: _Reader) -> Array:
    return _core.made(_core.reshape(reader.array(), (-1,)))


def from_array(obj: Any, /, *, chunks: tuple[int, ...] | None = None) -> Array:
    """A lazy array of what another library stores: anything with shape, dtype and `obj[slices]`, as arrays of zarr, h5py
    and dask and NumPy's memmap. Nothing is read before a result needs it, and then the windows that it needs, in whole
    chunks where they fit; so a store may be larger than memory. chunks: extents that are read best at once; by default
    those that obj tells. At most 32 MiB of decoded chunks are kept. The elements must not change while arrays use them.
    What reading raises is raised by what computes. A pickle holds obj's, and no elements, read or not."""
    if isinstance(obj, _core.Array):
        return obj  # type: ignore[return-value]
    for name in ("shape", "dtype", "__getitem__"):
        if not hasattr(obj, name):
            raise TypeError(f"from_array() takes what has shape, dtype and [slices], and {type(obj).__name__!r} has no {name}")
    shape = tuple(int(n) for n in obj.shape)
    chunk = _chunk_of(obj, ("chunks", "chunksize")) if chunks is None else tuple(operator.index(c) for c in chunks)
    if chunk is not None and len(chunk) != len(shape):
        raise ValueError(f"chunks {chunk} has {len(chunk)} extents, and the array {len(shape)} axes")
    return _Reader(obj, chunk).array()


def store(x: Array, target: Any, /, *, client: Any = None, limit: Any = None) -> None:
    """Computes x block by block and writes `target[slices] = block`: to an array of zarr or h5py, a memmap, anything of x's
    shape. Blocks are whole chunks of the target (shards, where zarr has them), each written once; in memory is one at a
    time, so x may be larger than memory. client: of dask.distributed, whose workers compute and write blocks, each with
    `limit` bytes of data memory (to_dask() tells more)."""
    from ._creation import asarray

    numpy = _numpy("store")
    x = asarray(x)
    if tuple(target.shape) != x.shape:
        raise ValueError(f"store() has an array of shape {x.shape} for a target of shape {tuple(target.shape)}")
    dtype = getattr(target, "dtype", None)
    is_bfloat16 = x.dtype.name == "bfloat16"  # which NumPy has from other packages
    if is_bfloat16 and getattr(dtype, "name", "") != "bfloat16":
        raise TypeError(f"store() has bfloat16 for a target of {dtype}: astype() says in which dtype to store it")
    element = dtype if is_bfloat16 else numpy.dtype(x.dtype.name)
    chunk = _chunk_of(target, ("shards", "chunks", "chunksize"))
    if client is not None and x.size > 0:
        from ._cluster import store_by

        store_by(client, x, target, chunk, limit)
        return
    if limit is not None:
        raise TypeError("store() takes a limit for the workers of a client")

    def write(start: tuple[int, ...], count: tuple[int, ...], memory: memoryview) -> None:
        block = numpy.frombuffer(memory, element).reshape(count).copy()  # which the target may hold on to
        target[tuple(slice(s, s + n) for s, n in zip(start, count))] = block

    _core.materialize_to(x, chunk if chunk is not None else (1,) * x.ndim, write)
