"""Arrays from numbers, lists, and what other libraries hold."""

from __future__ import annotations

import operator
import sys
from array import array
from collections.abc import Mapping

from . import _core, _dtypes
from ._arguments import integer, integers, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid", "ones",
    "ones_like", "open", "random_bits", "random_normal", "random_uniform", "save", "tril", "triu", "zeros", "zeros_like",
]


def _check_device(device: Any) -> None:
    if device not in (None, "cpu"):
        raise ValueError(f"there is the device 'cpu', and no {device!r}")


def _sizes(shape: Any) -> tuple[int, ...]:
    sizes = integers(shape)
    if sizes and min(sizes) < 0:
        raise ValueError(f"a shape has no negative sizes: {sizes}")
    return sizes


def _of_dtype(x: Array, dtype: Any) -> Array:
    return x if dtype is None or x.dtype is _dtypes.dtype_of(dtype) else _core.astype(x, _dtypes.code_of(dtype))


# ---- From what exists ----


def _fits(number: int, dtype: _dtypes.DType) -> int:
    least, most = _dtypes.limits(dtype)
    if not least <= number <= most:
        raise OverflowError(f"the integer {number} does not fit in {dtype}")
    return number


def _number_as(value: Any, dtype: _dtypes.DType) -> Any:
    """A Python number as one that an element of dtype holds: floats lose their fractions, as NumPy has it, and nothing else
    is lost. OverflowError where it does not fit, ValueError for NaN as an integer, TypeError for complex as real."""
    if dtype is _dtypes.bool_:
        return bool(value)
    if _dtypes.of_kind(dtype, "integral"):
        return _fits(int(value), dtype)
    return complex(value) if _dtypes.of_kind(dtype, "complex floating") else float(value)


def element(value: Any, dtype: Any = None) -> Array:
    """An array of rank 0 of a Python number."""
    if dtype is not None:
        wanted = _dtypes.dtype_of(dtype)
    elif isinstance(value, int):
        wanted = _default_dtype([value])
    else:
        wanted = _dtypes.float64 if isinstance(value, float) else _dtypes.complex128
    return _core.astype(_number_as(value, wanted), wanted.code)


def copy_of(x: Array) -> Array:
    """x with memory of its own, filled now, which nobody else writes to; elements that a broadcast repeats are there once.
    What it is made of is remembered, so gradients pass through it."""
    once = x
    for axis in x.broadcast_axes if x.size else ():
        once = _core.slice(once, axis, 0, 1, 1)
    copied = _core.copy(once)
    _core.materialize(copied)  # which the copy keeps
    return copied if once is x else _core.detached(_core.broadcast_to(copied, x.shape))


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
    """Of one number or more; of none, float64."""
    if all(isinstance(n, bool) for n in numbers) and numbers:
        return _dtypes.bool_
    if all(isinstance(n, int) for n in numbers) and numbers:
        return _dtypes.int64 if max(numbers) < 1 << 63 else _dtypes.uint64
    if all(isinstance(n, (int, float)) for n in numbers):
        return _dtypes.float64
    return _dtypes.complex128


def _from_row(obj: list[Any]) -> Array | None:
    """An array of a list of Python's floats alone, or integers of 64 bits alone; else None."""
    kinds = set(map(type, obj))
    if kinds == {float}:
        return _core.from_bytes(array("d", obj), _dtypes.float64.code, (len(obj),))
    try:
        return _core.from_bytes(array("q", obj), _dtypes.int64.code, (len(obj),)) if kinds == {int} else None
    except OverflowError:
        return None


def _from_lists(obj: Any, dtype: Any) -> Array:
    row = _from_row(obj) if dtype is None and type(obj) is list else None
    if row is not None:
        return row
    if any(getattr(item, "ndim", 0) > 0 for item in obj):
        return _of_dtype(_core.stack([_item(item) for item in obj], 0), dtype)
    shape: list[int] = []
    numbers: list[Any] = []
    _flatten(obj, shape, 0, numbers)
    if any(not isinstance(n, (bool, int, float, complex)) for n in numbers):
        return _of_dtype(_core.reshape(_core.stack([_item(n) for n in numbers], 0), _nested_shape(shape, numbers)), dtype)
    kind = _default_dtype(numbers)
    wanted = _dtypes.dtype_of(dtype) if dtype is not None else kind
    if kind is not wanted or kind is _dtypes.int64 and (min(numbers) < -(1 << 63)):
        numbers = [_number_as(n, wanted) for n in numbers]
    if wanted is _dtypes.bool_:
        return _core.from_bytes(bytes(numbers), wanted.code, shape)
    if _dtypes.of_kind(wanted, "integral"):
        stored, code = (_dtypes.uint64, "Q") if wanted is _dtypes.uint64 else (_dtypes.int64, "q")
    elif _dtypes.of_kind(wanted, "real floating"):
        stored, code = _dtypes.float64, "d"
    else:
        stored, code = _dtypes.complex128, "d"
        numbers = [part for n in numbers for part in (complex(n).real, complex(n).imag)]
    return _of_dtype(_core.from_bytes(array(code, numbers), stored.code, shape), wanted)


def _item(value: Any) -> Array:
    """Of a list, what is no Python number."""
    try:
        return asarray(value)
    except TypeError as error:
        raise TypeError(f"a list that stands for an array holds numbers and arrays, not {value!r:.60}") from error


def _nested_shape(shape: list[int], items: list[Any]) -> tuple[int, ...]:
    return (*shape, *asarray(items[0]).shape)


def _is_numpy_scalar(obj: Any) -> bool:
    """Whose buffers do not always tell what they are: a date's is 8 bytes."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(obj, numpy.generic)


def _shared(obj: Any) -> Array | None:
    """A view of another library's memory; None where it does not show it."""
    if _is_numpy_scalar(obj):
        return None
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

        values = numpy.asarray(obj)
        found = _shared(values)
        if found is None:  # in the machine's order, aligned, and at whole strides
            found = _shared(numpy.array(values, dtype=values.dtype.newbyteorder("="), order="C", copy=True))
    if found is not None and copy is False and dtype is not None and found.dtype is not _dtypes.dtype_of(dtype):
        raise ValueError("another dtype needs a copy")
    if found is None:
        raise TypeError(f"{type(obj).__name__} holds no elements of zerocast's dtypes that could be shown")
    return copy_of(_of_dtype(found, dtype)) if copy else _of_dtype(found, dtype)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Array:
    """An array of obj: another array, a number, nested lists, or what shows its memory by the buffer protocol, DLPack or
    __array__. Memory is shared unless copy is True, and must not be written to while arrays use it."""
    if isinstance(obj, _core.Array) and dtype is None and device is None and copy is None:
        return obj  # type: ignore[return-value]
    _check_device(device)
    if isinstance(obj, _core.Array):
        x = _of_dtype(obj, dtype)  # type: ignore[arg-type]
        if copy is False and x is not obj:
            raise ValueError("another dtype needs a copy")
        return copy_of(x) if copy else x
    if is_number(obj):
        if copy is False:
            raise ValueError("a number has no memory to share")
        return _core.made(element(obj, dtype))
    if isinstance(obj, (list, tuple, range)):
        if copy is False:
            raise ValueError("lists have no memory to share")
        return _from_lists(obj, dtype)
    return _core.made(_foreign(obj, dtype, copy))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """Another library's array, in place."""
    _check_device(device)
    try:
        capsule = x.__dlpack__(max_version=(1, 1), copy=copy) if copy is not None else x.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = x.__dlpack__()
    found = _core.from_dlpack(capsule)
    return copy_of(found) if copy else found


# ---- From nothing ----


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    one = element(fill_value, dtype) if is_number(fill_value) else asarray(fill_value, dtype=dtype)
    filled = _core.broadcast_to(one, _sizes(shape))
    # Each element of floats is one of its own, which gradients can be taken by; none takes memory.
    is_float = _dtypes.of_kind(filled.dtype, "real floating")
    return _core.made(_core.positive(filled) if is_float else _core.detached(filled))


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return full(shape, 0, dtype=_dtypes.float64 if dtype is None else dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return full(shape, 1, dtype=_dtypes.float64 if dtype is None else dtype, device=device)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return zeros(shape, dtype=dtype, device=device)


def full_like(x: Array, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    x = asarray(x)
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return full_like(x, 1, dtype=dtype, device=device)


def empty_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return full_like(x, 0, dtype=dtype, device=device)


def _plain(value: Any) -> Any:
    """An end of a range as Python's number; arrays and NumPy's scalars hold one."""
    number = value if is_number(value) else value.item() if hasattr(value, "item") else integer(value)
    if number is None:
        raise TypeError(f"a range ends at numbers, not at {value!r}")
    return number


def _integers_dtype(dtype: Any, ends: tuple[int, int]) -> _dtypes.DType:
    """The dtype of integers between those, which both fit in."""
    wanted = _dtypes.dtype_of(dtype) if dtype is not None else _default_dtype([max(ends), 0])
    if _dtypes.of_kind(wanted, "integral"):
        for end in ends:
            _fits(end, wanted)
    return wanted


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Array:
    """start, start + step ... before stop; counted where it is used, without memory."""
    import math

    _check_device(device)
    if stop is None:
        start, stop = 0, start
    if type(start) is type(stop) is type(step) is int and step == 1 and dtype is None and 0 <= start <= stop < 2**63:
        return _core.iota(stop) if start == 0 else _core.copied(_core.slice(_core.iota(stop), 0, start, stop, 1))
    first, width = start, step  # the arrays: gradients pass to them
    start, stop, step = (_plain(v.item() if isinstance(v, _core.Array) else v) for v in (start, stop, step))
    if step == 0:
        raise ValueError("arange() takes a step that is not 0")
    if not all(isinstance(v, int) for v in (start, stop, step)):
        x = _core.astype(_core.iota(max(math.ceil((stop - start) / step), 0)), _dtypes.float64.code)
        for operation, of, number in ((_core.multiply, width, step), (_core.add, first, start)):
            x = operation(x, _core.reshape(of, ()) if isinstance(of, _core.Array) and isinstance(number, float) else number)
        return _of_dtype(x, dtype)
    count = max(-((start - stop) // step), 0)
    kind = _integers_dtype(dtype, (start, start + (count - 1) * step) if count else (0, 0))
    x = _core.iota(count)
    if count == 0:
        return _of_dtype(x, kind)
    if not -(2**63) <= start < 2**63:  # of uint64, or a float
        return _core.add(_core.astype(_core.multiply(x, step), kind.code), element(start, kind))
    end = start + (count - 1) * step + 1
    if start >= 0 and step > 0 and end < 2**63:  # every step-th of the numbers up to the last
        x = x if (start, step) == (0, 1) else _core.copied(_core.slice(_core.iota(end), 0, start, end, step))
    else:
        x = _core.add(_core.multiply(x, step), start)
    return _of_dtype(x, kind)


def linspace(start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True) -> Array:
    """num numbers from start to stop, at equal distances."""
    _check_device(device)
    start, stop = (value if isinstance(value, _core.Array) else _plain(value) for value in (start, stop))
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    kind = _dtypes.dtype_of(dtype) if dtype is not None else _dtypes.complex128 if is_complex else _dtypes.float64
    for end in (start, stop) if _dtypes.of_kind(kind, "integral") else ():
        if is_number(end):
            _number_as(end, kind)  # which refuses what does not fit
    num = operator.index(num)
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
    k = operator.index(k)
    k = max(-(2**62), min(k, 2**62))  # beyond every matrix
    x = _core.equal(_core.add(_core.expand_dims(rows, 1), k), columns)
    return _core.astype(x, _dtypes.code_of(_dtypes.float64 if dtype is None else dtype))


def random_uniform(shape: Any, *, seed: int = 0, dtype: Any = None) -> Array:
    """Random numbers in [0, 1), functions of the seed (below 2^32) and of an element's number (Philox 2x32-10): computed
    where they are used, the same in windows, on all threads and machines. dtype: float32 or float64, the default."""
    return _core.random_uniform(shape, operator.index(seed), _dtypes.code_of(_dtypes.float64 if dtype is None else dtype))


def random_normal(shape: Any, *, seed: int = 0, dtype: Any = None) -> Array:
    """Random numbers of mean 0 and deviation 1, as those of random_uniform()."""
    return _core.random_normal(shape, operator.index(seed), _dtypes.code_of(_dtypes.float64 if dtype is None else dtype))


def random_bits(shape: Any, *, seed: int = 0) -> Array:
    """64 random bits each, uint64, as those of random_uniform()."""
    return _core.random_bits(shape, operator.index(seed))


def meshgrid(*arrays: Array, indexing: str = "xy") -> tuple[Array, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid() takes the indexing 'xy' or 'ij', not {indexing!r}")
    return _core.meshgrid(arrays, indexing == "xy")


def tril(x: Array, /, *, k: int = 0) -> Array:
    return _core.tril(x, k)


def triu(x: Array, /, *, k: int = 0) -> Array:
    return _core.triu(x, k)


def open(path: Any) -> Any:
    """A file's elements; of .npy, .npz and .safetensors files they are mapped, and read where they are used. "f.npz:x" is
    one array of a file. A file of several is a dictionary of them; those of dtypes that zerocast has not are left out."""
    import os

    path = os.fspath(path)
    count, names, arrays = _core.open_members(path)
    if count > 1:
        return dict(zip(names, arrays))
    return arrays[0] if arrays else _core.open(path)  # which says why


def save(x: Any, path: Any) -> None:
    """Computes x and saves it in the format that the name's ending tells. A dictionary of arrays by name is computed in one
    run, and saved as one file: save({"mean": m, "std": s}, "figures.npz")."""
    import os

    if not isinstance(x, Mapping):
        _core.save(x, os.fspath(path))
        return
    for name in x:
        if not isinstance(name, str):
            raise TypeError(f"save() takes arrays by names that are text, not {name!r}")
    if not x:
        raise ValueError("save() takes an array at least")
    _core.save_members(tuple(x.values()), tuple(x), os.fspath(path))
