"""Arrays from numbers, lists, memory and files, by NumPy's signatures."""

from __future__ import annotations

import functools
import math
import operator
import os

import numpy

import zerocast as zc

from .. import _core, _dtypes
from .._arguments import integers, is_number
from .._array import Array
from .._creation import _sizes
from .._methods import check_order
from .._numpy import NotHere, give, take, take_scalars
from .._numpy_reductions import dtype_named, in_dtype
from .._operands import has_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class NotOurs(TypeError):
    """Elements that zerocast has not, as texts, dates and objects: NumPy's own arrays hold them."""


def or_numpys(ours: Callable[..., Any]) -> Callable[..., Any]:
    """Ours, and NumPy's function of that name where the elements are none of zerocast's."""
    theirs = getattr(numpy, ours.__name__)

    @functools.wraps(ours)
    def make(*arguments: Any, **keywords: Any) -> Any:
        try:
            return ours(*arguments, **keywords)
        except (NotOurs, NotHere):
            return theirs(*take_scalars(arguments), **take(keywords))

    return make


def _dtype(dtype: Any) -> _dtypes.DType | None:
    try:
        return dtype_named(dtype)
    except NotHere:
        raise NotOurs(f"zerocast has no elements of {numpy.dtype(dtype)}") from None


def _check(order: Any, like: Any) -> None:
    if order == "C" and like is None:
        return
    check_order("K" if order is None else order)
    if like is not None and not isinstance(like, _core.Array):
        raise TypeError(f"like= is one of zerocast's arrays, not {type(like).__name__}")


# ---- From what exists ----


def _has_ours(items: Any) -> bool:
    return any(isinstance(item, _core.Array) or (isinstance(item, (list, tuple)) and _has_ours(item)) for item in items)


def _read(obj: Any, dtype: Any, ndmax: int) -> Array:
    """What NumPy makes an array of: lists, numbers, what shows its memory. Lists of our arrays are stacked, lazily."""
    kind = _dtype(dtype)
    if isinstance(obj, (list, tuple)) and not ndmax and _has_ours(obj):
        try:
            found = zc.asarray(obj)
        except (TypeError, OverflowError):  # beside texts, objects or larger integers
            obj = take_scalars(obj)
        else:
            return found if kind is None else in_dtype(found, kind)
    values = numpy.asarray(obj) if not ndmax else numpy.array(obj, ndmax=ndmax)
    if not isinstance(obj, numpy.ndarray) and kind is not None and values.dtype.name != kind.name:
        values = numpy.array(obj, dtype=kind.dtype)  # which refuses what does not fit
    if not has_dtype(values):
        raise NotOurs(f"zerocast has no elements of {values.dtype}")
    found = zc.asarray(values)
    return found if kind is None else in_dtype(found, kind)


def array(object: Any, dtype: Any = None, *, copy: bool | None = True, order: Any = "K", subok: bool = False, ndmin: int = 0,
          ndmax: int = 0, like: Any = None) -> Array:  # fmt: skip
    _check(order, like)
    if isinstance(object, Array):
        kind = _dtype(dtype)
        x = object if kind is None else in_dtype(object, kind)
    else:
        x = _read(object, dtype, ndmax)
    is_shared = isinstance(object, (Array, numpy.ndarray)) and x.dtype == object.dtype
    if copy is False and not is_shared:
        raise ValueError("the array cannot be made without a copy, which copy=False refuses")
    x = x.copy() if copy and is_shared else x
    return x if x.ndim >= ndmin else zc.reshape(x, (1,) * (ndmin - x.ndim) + x.shape)


def asarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: bool | None = None,
            like: Any = None) -> Array:  # fmt: skip
    if device is not None:
        zc.asarray(0, device=device)
    return array(a, dtype, copy=copy, order="K" if order is None else order, like=like)


def asanyarray(a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: bool | None = None,
               like: Any = None) -> Array:  # fmt: skip
    return asarray(a, dtype, order, device=device, copy=copy, like=like)


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Array:
    return array(a, dtype, copy=None, ndmin=1, like=like)


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Array:
    """Elements are row-major in memory, whatever is asked for."""
    return asarray(a, dtype, "F", like=like)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Array:
    x = asarray(a, dtype, order)
    if x.dtype.kind in "fc" and not bool(zc.all(zc.isfinite(x))):
        raise ValueError("the array has infinities or NaN")
    return x


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Array:
    for each in [requirements] if isinstance(requirements, str) else requirements or ():
        if each.upper() not in _REQUIREMENTS:
            raise KeyError(each)
    return asarray(a, dtype, like=like)


_REQUIREMENTS = frozenset(
    "C CONTIGUOUS C_CONTIGUOUS F FORTRAN F_CONTIGUOUS A ALIGNED W WRITEABLE O OWNDATA E ENSUREARRAY".split()
)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    return zc.from_dlpack(x, device=device, copy=copy)


# ---- From nothing ----


def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    _check(order, like)
    kind = _dtype(dtype)
    shape = _sizes(shape)
    is_had = type(fill_value) is int and 0 <= fill_value <= 1 and kind not in (None, zc.bfloat16)  # by all of NumPy's dtypes
    if is_had or (type(fill_value) is float and kind in (None, zc.float64, zc.complex128)):
        return zc.full(shape, fill_value, dtype=kind, device=device)
    if kind is not None and is_number(fill_value):
        one = numpy.empty((), kind.dtype)
        numpy.copyto(one, fill_value, casting="unsafe")  # which refuses what does not fit
        return zc.full(shape, one, device=device)
    value = fill_value if isinstance(fill_value, Array) else _read(fill_value, None, 0)
    return zc.full(shape, value if kind is None else in_dtype(value, kind), device=device)


def zeros(shape: Any, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    return full(shape, 0, float if dtype is None else dtype, order, device=device, like=like)


def ones(shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    return full(shape, 1, float if dtype is None else dtype, order, device=device, like=like)


def empty(shape: Any, dtype: Any = float, order: Any = "C", *, device: Any = None, like: Any = None) -> Array:
    """Zeros, which take no memory until they are written over."""
    return zeros(shape, dtype, order, device=device, like=like)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float, order: Any = "C", *, device: Any = None,
        like: Any = None) -> Array:  # fmt: skip
    _check(order, like)
    return zc.eye(operator.index(N), None if M is None else operator.index(M), k=k, dtype=_dtype(dtype), device=device)


def identity(n: int, dtype: Any = None, *, like: Any = None) -> Array:
    return eye(n, dtype=dtype, like=like)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float, *, like: Any = None) -> Array:
    rows, columns = (max(0, operator.index(size)) for size in (N, N if M is None else M))
    return zc.tril(ones((rows, columns), dtype, like=like), k=k)


# ---- Ranges ----


def _number(value: Any) -> Any:
    """A number, Python's or NumPy's, of one or of an array of one."""
    if not isinstance(value, (Array, numpy.ndarray)):
        return value
    if value.size != 1:
        raise TypeError("a range has numbers as its ends and its step")
    return value.dtype.type(value.item())


def _weight(value: Any) -> Any:
    return numpy.dtype(value.dtype) if hasattr(value, "dtype") else numpy.asarray(value).dtype


def arange(*args: Any, start: Any = None, stop: Any = None, step: Any = None, dtype: Any = None, device: Any = None,
           like: Any = None) -> Array:  # fmt: skip
    """As NumPy fills it: the second number tells the distance, which is rounded to the dtype."""
    _check(None, like)
    is_plain = 0 < len(args) < 3 and start is stop is step is dtype is None and {*map(type, args)} == {int}
    if is_plain and all(0 <= number < 2**63 - 1 for number in args):
        return zc.arange(*args, device=device)
    if len(args) > 4:
        raise TypeError(f"arange() takes a start, a stop, a step and a dtype, not {len(args)} arguments")
    given = dict(zip(("start", "stop", "step", "dtype") if len(args) > 1 or stop is not None else ("stop",), args))
    start, stop = given.get("start", start), given.get("stop", stop)
    step, dtype = given.get("step", step), given.get("dtype", dtype)
    if stop is None:
        start, stop = None, start
    if stop is None:
        raise TypeError("arange() takes a stop")
    start, step = 0 if start is None else start, 1 if step is None else step
    try:
        wanted = numpy.dtype(dtype) if dtype is not None else numpy.result_type(numpy.int64, *map(_weight, (start, stop, step)))
    except TypeError as error:
        raise NotOurs(str(error)) from error
    kind = _dtype(wanted)
    first, last, by = map(_number, (start, stop, step))
    if by == 0:
        is_pythons = all(map(is_number, (start, stop, step)))
        raise (ZeroDivisionError if is_pythons else ValueError)("arange() takes a step that is not 0")
    if all(isinstance(v, (int, numpy.integer)) for v in (first, last, by)) and kind.kind in "iu":  # type: ignore[union-attr]
        return zc.arange(*map(int, (first, last, by)), dtype=kind, device=device)
    return _filled(first, last, by, kind, device)  # type: ignore[arg-type]


def _filled(first: Any, last: Any, by: Any, kind: _dtypes.DType, device: Any) -> Array:
    length = (last - first) / by
    if isinstance(length, complex):
        length = min(length.real, length.imag)
    if not math.isfinite(length):
        raise ValueError("arange() takes ends that are a countable number of steps apart")
    n = max(math.ceil(length), 0)
    if kind is _dtypes.bool_ and n > 2:
        raise TypeError("arange() has no more than two bools")
    work = _dtypes.float32 if kind.itemsize == 2 and kind.kind == "f" else kind
    ends = numpy.empty(min(n, 2), kind.dtype)
    for i in range(ends.size):
        end = first if i == 0 else first + by
        ends[i] = end if is_number(end) else end.item()  # which refuses what does not fit
    if n <= 2:
        return zc.asarray(ends)
    begin, second = (zc.asarray(end) for end in ends.astype(work.dtype))
    numbers = zc.arange(n, device=device)
    x = _core.add(_core.multiply(in_dtype(numbers, work), _core.subtract(second, begin)), begin)
    return in_dtype(_core.where(_core.equal(numbers, 1), second, x), kind)


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    sizes = integers(dimensions)
    rank, kind = len(sizes), _dtype(dtype) or _dtypes.float64
    rows = [arange(n, dtype=kind) for n in sizes]
    grids = [zc.reshape(row, (1,) * a + (-1,) + (1,) * (rank - a - 1)) if rank else row for a, row in enumerate(rows)]
    if sparse:
        return tuple(grids)
    return zc.stack([zc.broadcast_to(grid, sizes) for grid in grids]) if grids else zeros((0,), kind)


def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any) -> Any:
    _check(None, like)
    return function(*indices(shape, dtype), **kwargs)


# ---- Files ----


class Archive:
    """An archive of arrays (.npz), read one by one, as NumPy's NpzFile."""

    def __init__(self, theirs: Any) -> None:
        self._theirs = theirs
        self.files: list[str] = theirs.files

    def __getitem__(self, name: str) -> Any:
        return give(self._theirs[name])

    def __iter__(self) -> Any:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __contains__(self, name: object) -> bool:
        return name in self.files

    def keys(self) -> list[str]:
        return list(self.files)

    def values(self) -> list[Any]:
        return [self[name] for name in self.files]

    def items(self) -> list[tuple[str, Any]]:
        return [(name, self[name]) for name in self.files]

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self.files else default

    def close(self) -> None:
        self._theirs.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def load(file: Any, mmap_mode: Any = None, allow_pickle: bool = False, fix_imports: bool = True, encoding: Any = "ASCII", *,
         max_header_size: int = 10_000) -> Any:  # fmt: skip
    """With mmap_mode the file is mapped and read where it is used; what is written to the array stays out of it."""
    if mmap_mode is not None:
        if mmap_mode not in ("r", "c"):
            raise ValueError(f'load() takes the mmap_mode "r" or "c", since files are not written to, not {mmap_mode!r}')
        return zc.open(file)
    found = numpy.load(file, None, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    return Archive(found) if hasattr(found, "files") else give(found)


def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """To a path as the library saves: computed piece by piece, and the old file is replaced when the new one is whole."""
    x = asarray(arr)
    if hasattr(file, "write") or x.dtype is _dtypes.bfloat16:
        numpy.save(file, take(x), allow_pickle)
        return
    path = os.fspath(file)
    zc.save(x, path if path.endswith(".npy") else path + ".npy")


OWN: dict[str, Any] = {
    each.__name__: or_numpys(each)
    for each in (
        arange, array, asanyarray, asarray, asarray_chkfinite, ascontiguousarray, asfortranarray, empty, eye, from_dlpack,
        fromfunction, full, identity, indices, load, ones, require, save, tri, zeros,
    )
}  # fmt: skip
