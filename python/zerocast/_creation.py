"""Arrays from numbers, lists, and what other libraries hold."""

from __future__ import annotations

from . import _core, _dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def _check_device(device: Any) -> None:
    if device not in (None, "cpu"):
        raise ValueError(f"there is the device 'cpu', and no {device!r}")


def _sizes(shape: Any) -> tuple[int, ...]:
    sizes = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"a shape has no negative sizes: {sizes}")
    return sizes


def _of_dtype(x: Array, dtype: Any) -> Array:
    return x if dtype is None or x.dtype is _dtypes.dtype_of(dtype) else _core.astype(x, _dtypes.code_of(dtype))


# ---- From what exists ----

_TYPE_CODES = {"bool": "B", "int64": "q", "float64": "d"}


def _flatten(obj: Any, shape: list[int], depth: int, out: list[Any]) -> None:
    """All numbers of nested sequences in order; shape is found on the way to the first one."""
    if not isinstance(obj, (list, tuple, range)):
        if depth != len(shape):
            raise ValueError("the lists do not have one shape")
        out.append(obj)
        return
    if depth == len(shape):
        if out:
            raise ValueError("the lists do not have one shape")
        shape.append(len(obj))
    elif shape[depth] != len(obj):
        raise ValueError("the lists do not have one shape")
    for item in obj:
        _flatten(item, shape, depth + 1, out)


def _default_dtype(numbers: list[Any]) -> _dtypes.DType:
    if all(isinstance(n, bool) for n in numbers) and numbers:
        return _dtypes.bool_
    for kind, dtype in (((bool, int), _dtypes.int64), ((bool, int, float), _dtypes.float64)):
        if all(isinstance(n, kind) for n in numbers) and numbers:
            return dtype
    return _dtypes.complex128 if numbers else _dtypes.float64


def _from_lists(obj: Any, dtype: Any) -> Array:
    from array import array

    shape: list[int] = []
    numbers: list[Any] = []
    _flatten(obj, shape, 0, numbers)
    if any(not isinstance(n, (bool, int, float, complex)) for n in numbers):
        return _of_dtype(_core.reshape(_core.stack([asarray(n) for n in numbers], 0), _nested_shape(shape, numbers)), dtype)
    kind = _default_dtype(numbers)
    wanted = _dtypes.dtype_of(dtype) if dtype is not None else kind
    if wanted is _dtypes.uint64 and kind is _dtypes.int64 or kind is _dtypes.int64 and max(numbers) >= 1 << 63:
        return _of_dtype(_core.from_bytes(array("Q", numbers), _dtypes.uint64.code, shape), dtype)
    if kind is _dtypes.complex128:
        parts = array("d", [part for n in numbers for part in (complex(n).real, complex(n).imag)])
        return _of_dtype(_core.from_bytes(parts, kind.code, shape), dtype)
    return _of_dtype(_core.from_bytes(array(_TYPE_CODES[kind.name], numbers), kind.code, shape), dtype)


def _nested_shape(shape: list[int], items: list[Any]) -> tuple[int, ...]:
    return (*shape, *asarray(items[0]).shape)


def _shared(obj: Any) -> Array | None:
    """A view of another library's memory; None where it does not show it."""
    try:
        return _core.from_buffer(obj)
    except (TypeError, BufferError, ValueError):
        pass
    if hasattr(obj, "__dlpack__"):
        try:
            return from_dlpack(obj)
        except (TypeError, BufferError, ValueError):
            pass
    return None


def _foreign(obj: Any, dtype: Any, copy: bool | None) -> Array:
    found = _shared(obj)
    if found is None and hasattr(obj, "__array__") and copy is not False:
        import numpy

        values = numpy.asarray(obj)  # in the machine's order, and aligned
        found = _shared(numpy.require(values, values.dtype.newbyteorder("="), "A"))
    if found is not None and copy is False and dtype is not None and found.dtype is not _dtypes.dtype_of(dtype):
        raise ValueError("another dtype needs a copy")
    if found is None:
        raise TypeError(f"{type(obj).__name__} holds no elements of zerocast's dtypes that could be shown")
    return _core.materialize(_core.copy(_of_dtype(found, dtype))) if copy else _of_dtype(found, dtype)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Array:
    """An array of obj: another array, a number, nested lists, or what shows its memory by the buffer protocol, DLPack or
    __array__. Memory is shared unless copy is True, and must not be written to while arrays use it."""
    _check_device(device)
    if isinstance(obj, _core.Array):
        x = _of_dtype(obj, dtype)  # type: ignore[arg-type]
        if copy is False and x is not obj:
            raise ValueError("another dtype needs a copy")
        return _core.copy(x) if copy else x
    if isinstance(obj, (bool, int, float, complex)) and not hasattr(obj, "dtype"):
        if copy is False:
            raise ValueError("a number has no memory to share")
        kind = _dtypes.dtype_of(dtype if dtype is not None else bool if isinstance(obj, bool) else type(obj))
        return _core.astype(obj, kind.code)
    if isinstance(obj, (list, tuple, range)):
        if copy is False:
            raise ValueError("lists have no memory to share")
        return _from_lists(obj, dtype)
    return _foreign(obj, dtype, copy)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """Another library's array, in place."""
    _check_device(device)
    try:
        capsule = x.__dlpack__(max_version=(1, 1), copy=copy) if copy is not None else x.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = x.__dlpack__()
    found = _core.from_dlpack(capsule)
    return _core.materialize(_core.copy(found)) if copy else found


# ---- From nothing ----


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    return _core.broadcast_to(asarray(fill_value, dtype=dtype), _sizes(shape))


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return full(shape, 0, dtype=_dtypes.float64 if dtype is None else dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return full(shape, 1, dtype=_dtypes.float64 if dtype is None else dtype, device=device)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: Array, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return full_like(x, 0, dtype=dtype, device=device)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Array:
    """start, start + step ... before stop; counted where it is used, without memory."""
    import math

    _check_device(device)
    start, stop, step = (v.item() if isinstance(v, _core.Array) else v for v in (start, stop, step))
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange() takes a step that is not 0")
    are_integers = all(hasattr(v, "__index__") for v in (start, stop, step))
    count = -((start - stop) // step) if are_integers else math.ceil((stop - start) / step)
    kind = _dtypes.dtype_of(dtype) if dtype is not None else _dtypes.int64 if are_integers else _dtypes.float64
    x = _core.iota(max(count, 0))
    if not are_integers:
        x = _core.add(_core.multiply(_core.astype(x, _dtypes.float64.code), step), start)
    elif not -(2**63) <= start < 2**63:  # of uint64
        return _core.add(_core.astype(_core.multiply(x, step), kind.code), _core.astype(start, kind.code))
    elif (start, step) != (0, 1):
        x = _core.add(_core.multiply(x, step), start)
    return _of_dtype(x, kind)


def linspace(start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True) -> Array:
    """num numbers from start to stop, at equal distances."""
    _check_device(device)
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    kind = _dtypes.dtype_of(dtype) if dtype is not None else _dtypes.complex128 if is_complex else _dtypes.float64
    steps = num - 1 if endpoint else num
    work = _dtypes.complex128 if is_complex or _dtypes.of_kind(kind, "complex floating") else _dtypes.float64
    i = _core.iota(num)
    if steps <= 0:
        return _core.astype(_core.broadcast_to(_core.astype(start, work.code), (num,)), kind.code)
    first, last = _core.astype(start, work.code), _core.astype(stop, work.code)
    width = _core.subtract(last, first)
    x = _core.add(_core.multiply(_core.astype(i, work.code), _core.divide(width, steps)), first)
    if endpoint:
        x = _core.where(_core.equal(i, steps), last, x)
    return _of_dtype(x, kind)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    rows, columns = _core.iota(n_rows), _core.iota(n_rows if n_cols is None else n_cols)
    k = max(-(2**62), min(k, 2**62))  # beyond every matrix
    x = _core.equal(_core.add(_core.expand_dims(rows, 1), k), columns)
    return _core.astype(x, _dtypes.code_of(_dtypes.float64 if dtype is None else dtype))


def meshgrid(*arrays: Array, indexing: str = "xy") -> tuple[Array, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid() takes the indexing 'xy' or 'ij', not {indexing!r}")
    return _core.meshgrid(arrays, indexing == "xy")


def tril(x: Array, /, *, k: int = 0) -> Array:
    return _core.tril(x, k)


def triu(x: Array, /, *, k: int = 0) -> Array:
    return _core.triu(x, k)


def open(path: Any) -> Array:
    """A file's elements; of a .npy file they are mapped, and read where they are used."""
    import os

    return _core.open(os.fsdecode(path))


def save(x: Array, path: Any) -> None:
    """Computes x and saves it in the format that the name's ending tells."""
    import os

    _core.save(x, os.fsdecode(path))
