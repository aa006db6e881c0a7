"""Expressions in pieces, for schedulers: Dask computes them in other threads, processes and machines."""

from __future__ import annotations

import math

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._array import Array

_BLOCK = 0  # a kind of piece: a window of a result
_BLOCK_BYTES = 8 << 20  # of a block that is written to a store


class Division:
    """An expression that is divided: its graph, the arrays in memory and the stores that it reads. It travels once; a
    piece of it is a number. Every process restores it when it computes one."""

    def __init__(self, graph: bytes, inputs: tuple[Array, ...], limit: int) -> None:
        self.graph, self.inputs, self.limit = graph, inputs, limit

    def __reduce__(self) -> Any:
        return Division, (self.graph, self.inputs, self.limit)

    def pieces(self) -> list[Any]:
        return _core.pieces(self.graph, self.inputs)

    def compute(self, number: int, *needs: Any) -> Any:
        """What piece `number` gives, as NumPy's arrays: one of a block, a tuple of the others. needs: what the pieces that
        it needs have given."""
        import numpy

        from . import asarray, config

        given: list[Any] = []
        for need in needs:
            given.extend(need if isinstance(need, tuple) else (need,))
        with config(threads=1):
            lazy = _core.piece(self.graph, (*self.inputs, *map(asarray, given)), len(self.inputs), number)
            made = tuple(numpy.asarray(x) for x in lazy)
        for array in made:
            array.flags.writeable = False
        return made if len(made) != 1 else made[0]


def divide(arrays: Sequence[Array], chunks: Sequence[Any] | None, limit: int) -> Division:
    extents: list[int] = []
    for x, chunk in zip(arrays, chunks or ()):
        if chunk is None:
            extents = []
            break
        extents.extend(_extents(x, chunk))
    graph, inputs = _core.division(tuple(arrays), extents, limit)
    return Division(graph, inputs, limit)


def _extents(x: Array, chunks: Any) -> list[int]:
    """The extent of a chunk along each axis: of a number for all, a tuple with -1 or None for whole axes, a dictionary by
    axis."""
    if isinstance(chunks, int):
        chunks = (chunks,) * x.ndim
    if isinstance(chunks, dict):
        chunks = tuple(chunks.get(a, chunks.get(a - x.ndim, -1)) for a in range(x.ndim))
    if len(chunks) != x.ndim:
        raise ValueError(f"chunks {chunks} has {len(chunks)} extents, and the array {x.ndim} axes")
    sizes = []
    for extent, chunk in zip(x.shape, chunks):
        first = chunk[0] if isinstance(chunk, (tuple, list)) and chunk else chunk
        if isinstance(chunk, (tuple, list)) and any(n != first for n in chunk[:-1]):
            raise ValueError(f"chunks of an axis have one length, but for the last one: {chunk}")
        sizes.append(extent if first in (-1, None) else int(first))
        if sizes[-1] < 0 or (sizes[-1] == 0 and extent > 0):
            raise ValueError(f"a chunk has the extent {sizes[-1]}")
    return sizes


def _limit_of(limit: Any) -> int:
    return 0 if limit is None else int(limit)


def _compute(division: Division, number: int, *needs: Any) -> Any:
    return division.compute(number, *needs)


def _store(division: Division, number: int, target: Any, key: tuple[slice, ...], *needs: Any) -> None:
    target[key] = division.compute(number, *needs)


def _tokens(division: Division) -> str:
    """The same of equal graphs over equal elements."""
    from dask.base import tokenize

    parts: list[Any] = [division.graph]
    for x in division.inputs:
        reader = _core.source_of(x)
        parts.append(memory_token(x) if reader is None else (reader.obj, reader.chunk))
    return tokenize(*parts)


def memory_token(x: Array) -> str:
    import hashlib

    from ._elements import memory_of

    return hashlib.sha256(memory_of(x) if x.size > 0 else b"").hexdigest()


def _graph(division: Division, name: str) -> tuple[dict[Any, Any], list[list[Any]]]:
    """Tasks of all pieces, by key, and the blocks of each result: their pieces in row-major order."""
    tasks: dict[Any, Any] = {f"{name}-graph": division}
    blocks: dict[int, list[Any]] = {}
    pieces = division.pieces()
    firsts: dict[int, list[dict[int, int]]] = {}
    for piece in pieces:
        if piece[0] == _BLOCK:
            axes = firsts.setdefault(piece[1], [{} for _ in piece[2]])
            for places, first in zip(axes, piece[2]):
                places.setdefault(first, 0)
    for axes in firsts.values():
        for places in axes:
            places.update({first: k for k, first in enumerate(sorted(places))})
    keys: list[Any] = []
    for number, (kind, of, first, _, needs, *_rest) in enumerate(pieces):
        if kind == _BLOCK:
            key: Any = (f"{name}-{of}", *(places[f] for places, f in zip(firsts[of], first)))
            blocks.setdefault(of, []).append((key, pieces[number]))
        else:
            key = (f"{name}-piece", number)
        keys.append(key)
        tasks[key] = (_compute, f"{name}-graph", number, *(keys[n] for n in needs))
    return tasks, [blocks.get(of, []) for of in range(len(blocks))]


def _collections(arrays: Sequence[Array], chunks: Sequence[Any] | None, limit: Any) -> list[Any]:
    import dask.array
    import numpy

    for x in arrays:
        if x.dtype.name == "bfloat16":
            raise TypeError("Dask's blocks are NumPy's arrays, which have no bfloat16: astype() tells another dtype")
    division = divide(arrays, chunks, _limit_of(limit))
    name = f"zerocast-{_tokens(division)}"
    tasks, blocks = _graph(division, name)
    made = []
    for of, x in enumerate(arrays):
        lengths: list[dict[int, int]] = [{} for _ in range(x.ndim)]
        for _, piece in blocks[of] if of < len(blocks) else ():
            for sizes, first, count in zip(lengths, piece[2], piece[3]):
                sizes[first] = count
        grid = tuple(tuple(sizes[f] for f in sorted(sizes)) or (0,) for sizes in lengths)
        dtype = numpy.dtype(x.dtype.name)
        if math.prod(x.shape) == 0:
            made.append(dask.array.zeros(x.shape, dtype=dtype))
            continue
        made.append(dask.array.Array(tasks, f"{name}-{of}", grid, dtype=dtype))  # type: ignore[no-untyped-call]
    return made


def to_dask(x: Array, /, *, chunks: Any = None, limit: Any = None) -> Any:
    """x as a Dask array whose blocks are computed by zerocast, each in a task of one thread. What blocks need together is
    a task of its own: sums, means, extremes and products by ranges, which are joined, and whatever would take long to
    compute again. The result has the bits of x, for any chunks and any number of workers.

    chunks: extents of a block, (1000, -1), 1000 or {0: 1000}; by default whole rows, as `limit` says. limit: bytes of
    data memory that a task may take, which decides about ranges; by default 256 MiB. Stores of from_array() are read by
    the tasks that need them."""
    return _collections([x], None if chunks is None else [chunks], limit)[0]


def store_by(client: Any, x: Array, target: Any, chunk: tuple[int, ...] | None, limit: Any) -> None:
    """Writes x to a target by the workers of a Dask client: each block is written by the task that computes it."""
    if chunk is not None and math.prod(chunk) > 0:
        rows = _BLOCK_BYTES // max(1, math.prod(chunk) * x.dtype.itemsize)  # chunks of the first axis in a block
        chunk = (min(x.shape[0], chunk[0] * max(1, rows)), *chunk[1:]) if x.ndim > 0 else chunk
        chunk = tuple(min(c, n) for c, n in zip(chunk, x.shape))
    division = divide([x], None if chunk is None else [chunk], _limit_of(limit))
    name = f"zerocast-store-{_tokens(division)}"
    tasks: dict[Any, Any] = {f"{name}-graph": division, f"{name}-target": target}
    keys: list[Any] = []
    blocks = []
    for number, (kind, _, first, count, needs, *_rest) in enumerate(division.pieces()):
        key = (name, number)
        keys.append(key)
        given = (keys[n] for n in needs)
        if kind == _BLOCK:
            window = tuple(slice(f, f + c) for f, c in zip(first, count))
            tasks[key] = (_store, f"{name}-graph", number, f"{name}-target", window, *given)
            blocks.append(key)
        else:
            tasks[key] = (_compute, f"{name}-graph", number, *given)
    client.get(tasks, blocks)


def compute_by(client: Any, arrays: Sequence[Array], limit: Any) -> list[Any]:
    """Arrays computed by the workers of a Dask client, which share their work."""
    from . import asarray

    made = _collections(arrays, None, limit)
    return [asarray(x) for x in client.compute(made, sync=True)]
