"""Elements on their way out of an array: lists, pickles, DLPack."""

from __future__ import annotations

from . import _core, _dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def memory_of(x: Array) -> memoryview:
    """All elements, row-major; of bfloat16 their bits, since the buffer protocol has no format for it."""
    dense = _core.materialize(x)
    if dense.dtype is _dtypes.bfloat16:
        dense = _core.materialize(_core.bitcast(dense, _dtypes.uint16.code))
    return memoryview(_core.memory_of(dense, True))


def from_pickle(buffer: Any, dtype: str, shape: tuple[int, ...]) -> Array:
    return _core.made(_core.from_bytes(buffer, _dtypes.code_of(dtype), shape))


def from_graph(graph: Any, inputs: Any) -> Array:
    return _core.made(_core.deserialize(graph, inputs))


def reduce(x: Array, protocol: int) -> Any:
    """A lazy array travels as its graph, over the arrays in memory that it needs; those travel as their elements, from
    protocol 5 on in buffers that may go out of band. A view that repeats elements is a graph, too, and one of a store, in
    memory or not."""
    reader = _core.source_of(x)
    if reader is not None:
        from ._sources import from_pickle as from_reader

        return from_reader, (reader,)
    is_repeated = x.exists and any(step == 0 and extent > 1 for step, extent in zip(x.strides, x.shape))
    if not x.exists or is_repeated or _core.is_sourced(x):
        return from_graph, _core.serialize(x)
    name, shape = x.dtype.name, x.shape
    memory = memory_of(x)
    if protocol >= 5:
        from pickle import PickleBuffer

        return from_pickle, (PickleBuffer(memory), name, shape)
    return from_pickle, (memory.tobytes(), name, shape)


def to_dlpack(x: Array, stream: Any, max_version: tuple[int, int] | None, dl_device: Any, copy: bool | None) -> Any:
    if stream is not None:
        raise ValueError("the CPU has no streams")
    if dl_device is not None and tuple(map(int, dl_device)) != (1, 0):
        raise BufferError(f"the data is on the CPU and cannot be shown on {dl_device}")
    x = x if x.exists else _core.compact(x)
    if max_version is not None and max_version[0] >= 1:
        return _core.to_dlpack(x, 2 if copy else 1)
    return _core.to_dlpack(x, 3 if copy is False else 0)
