"""NumPy's functions that choose elements, find and order them, and tell where they are, by its names of arguments."""

from __future__ import annotations

import math
import operator

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import integers, is_number, resolve
from ._numpy import NotHere
from ._numpy_joining import tri
from ._numpy_reductions import array, arrays, dtype_named, flat_or_at, in_dtype, operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array

# ---- Positions of elements that are true ----


def argwhere(a: Any) -> Array:
    x = array(a)
    return zc.stack(zc.nonzero(x), axis=1) if x.ndim else zc.zeros((int(bool(x)), 0), dtype=zc.int64)


def flatnonzero(a: Any) -> Array:
    return zc.nonzero(zc.reshape(array(a), (-1,)))[0]


def _taken(x: Array, at: Array, axis: int) -> Array:
    """Elements at positions that exist already."""
    n = x.shape[axis]
    if at.size and int(at[-1]) >= n:
        raise IndexError(f"position {int(at[-1])} is out of bounds for axis {axis} of size {n}")
    return zc.take(x, at, axis=axis)


def extract(condition: Any, arr: Any) -> Array:
    return _taken(zc.reshape(array(arr), (-1,)), flatnonzero(condition), 0)


def compress(condition: Any, a: Any, axis: Any = None) -> Array:
    chosen = array(condition)
    if chosen.ndim != 1:
        raise ValueError(f"a condition along an axis has one axis, not {chosen.ndim}")
    x, along = flat_or_at(array(a), axis)
    return _taken(x, zc.nonzero(chosen)[0], resolve(along, x.ndim))


# ---- Choosing ----


def choose(a: Any, choices: Any, mode: str = "raise") -> Array:
    """Positions that there are not are found when elements are read."""
    at, parts = array(a), [operand(choice) for choice in choices]
    if not parts or not numpy.can_cast(at.dtype.dtype, numpy.int64) or mode not in ("raise", "wrap", "clip"):
        raise NotHere  # NumPy says why it is refused
    at, n = in_dtype(at, _dtypes.int64), len(parts)
    if mode != "raise":
        at = _core.remainder(at, n) if mode == "wrap" else _core.clip(at, 0, n - 1)
    else:
        at = _core.where(_core.less(at, 0), n, at)  # none of them counts from the end
    parts = _alike(parts)
    shape = numpy.broadcast_shapes(at.shape, *(part.shape for part in parts))
    joined = zc.stack([zc.broadcast_to(part, shape) for part in parts])
    return zc.take_along_axis(joined, zc.broadcast_to(at, (1, *shape)), axis=0)[0]


def _alike(values: list[Any]) -> list[Array]:
    """Arrays of the dtype in which arrays and numbers meet by NumPy's rules."""
    kind = dtype_named(numpy.result_type(*(value if is_number(value) else value.dtype.dtype for value in values)))
    if kind is None:
        raise NotHere
    return [zc.astype(value, kind) for value in values]


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Array:
    conditions, values = arrays(condlist), [operand(choice) for choice in (*choicelist, default)]
    if len(conditions) != len(values) - 1 or not conditions:
        raise ValueError(f"{len(conditions)} conditions choose among {len(values) - 1} arrays")
    if any(condition.dtype is not _dtypes.bool_ for condition in conditions):
        raise TypeError("conditions are arrays of bools")
    *choices, found = _alike(values)
    shape = numpy.broadcast_shapes(*(x.shape for x in (*conditions, *choices, found)))
    for condition, choice in zip(conditions[::-1], choices[::-1]):
        found = _core.where(condition, choice, found)
    return found if found.shape == shape else zc.broadcast_to(found, shape).copy()


def _conditions(condlist: Any, x: Array) -> list[Array]:
    is_one = numpy.isscalar(condlist) or isinstance(condlist, _core.Array) and condlist.ndim == 0
    if not is_one:
        is_one = x.ndim != 0 and not isinstance(condlist[0], list) and numpy.ndim(condlist[0]) == 0
    found = [condlist] if is_one else condlist
    return [zc.astype(array(condition), _dtypes.bool_) for condition in found]


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Array:
    """Functions are called with the elements that a condition holds for: they are found now. Numbers are assigned."""
    x = array(x)
    conditions, count = _conditions(condlist, x), len(funclist)
    if len(conditions) == count - 1:
        conditions.append(_core.logical_not(_core.any(zc.stack(conditions), axis=0)))
    if len(conditions) != count:
        raise ValueError(f"{len(conditions)} conditions take as many functions, or one more, not {count}")
    found = zc.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        if not callable(function):
            found[condition] = function
        elif (given := x[condition]).size > 0:
            found[condition] = array(function(given, *args, **kw))
    return found


# ---- Calling functions ----


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Array:
    x = array(arr)
    along = resolve(axis, x.ndim)
    lines = zc.moveaxis(x, along, -1)
    shape = lines.shape[:-1]
    if 0 in shape:
        raise ValueError(f"no function is called for lines of an array of shape {x.shape}")
    found = [array(func1d(lines[at], *args, **kwargs)) for at in numpy.ndindex(*shape)]
    joined = zc.stack([in_dtype(one, found[0].dtype) for one in found])
    joined = zc.reshape(joined, (*shape, *found[0].shape))
    axes = list(range(joined.ndim))
    ends = len(shape)
    return zc.permute_dims(joined, axes[:along] + axes[ends:] + axes[along:ends])


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Array:
    found = array(a)
    rank = found.ndim
    for axis in integers(axes):
        along = axis + rank if axis < 0 else axis
        result = array(func(found, along))
        if result.ndim != found.ndim:
            result = zc.expand_dims(result, axis=along)
        if result.ndim != found.ndim:
            raise ValueError(f"a function of an axis gives an array of {found.ndim} axes or one less")
        found = result
    return found


# ---- Order ----


def _ordered(function: Callable[..., Array]) -> Callable[..., Array]:
    """What is in order as a whole is in order around the elements number kth, too."""

    def order(a: Any, kth: Any, axis: Any = -1) -> Array:
        x, along = flat_or_at(array(a), axis)
        n = x.shape[resolve(along, x.ndim)] if x.ndim else 1
        numpy.argpartition(numpy.empty(n, numpy.bool), kth)  # which refuses what is no position
        return function(x, axis=along)

    return order


def _parts(key: Array) -> list[Array]:
    """What complex numbers are ordered by, the last of them first."""
    if key.dtype.kind != "c":
        return [key]
    re, im = _core.real(key), _core.imag(key)
    return [im, re, _core.isnan(im), _core.isnan(re)]


def order_of(*keys: Array) -> Array:
    """Positions along the last axis in the order of the last key, of those before it where that is equal."""
    first, *rest = (part for key in keys for part in _parts(key))
    order = zc.argsort(first, axis=-1)
    for key in rest:
        order = zc.take_along_axis(order, zc.argsort(zc.take_along_axis(key, order, axis=-1), axis=-1), axis=-1)
    return order


def lexsort(keys: Any, axis: int = -1) -> Array:
    given = arrays(keys)
    if not given or given[0].ndim == 0 or any(key.shape != given[0].shape for key in given):
        raise NotHere
    return zc.moveaxis(order_of(*(zc.moveaxis(key, axis, -1) for key in given)), -1, axis)


def sort_complex(a: Any) -> Array:
    x = array(a)
    if x.dtype.kind == "c":
        return zc.take_along_axis(x, order_of(x), axis=-1)
    is_short = x.dtype.kind in "iu" and x.dtype.itemsize <= 2
    return in_dtype(zc.sort(x, axis=-1), _dtypes.complex64 if is_short else _dtypes.complex128)


def cumulated_once(name: str) -> Callable[..., Array]:
    def cumulate(x: Any, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Array:
        x = array(x)
        x = zc.reshape(x, (1,)) if x.ndim == 0 else x
        return getattr(zc, name)(x, axis=axis, dtype=dtype_named(dtype), include_initial=bool(include_initial))

    return cumulate


# ---- Positions in rows of elements ----


def _positions(value: Any) -> Array:
    x = array(value)
    if x.dtype.kind not in "biu":
        raise TypeError(f"positions are integers, not of {x.dtype}")
    return in_dtype(x, _dtypes.int64)


def _steps(sizes: tuple[int, ...], order: str) -> list[int]:
    """How far apart neighbors along each axis are in a row of all elements."""
    if order not in ("C", "F"):
        raise ValueError(f"elements are in the order C or F, not {order!r}")
    places = range(len(sizes))
    return [math.prod(sizes[p + 1 :] if order == "C" else sizes[:p]) for p in places]


def _check_within(x: Array, size: int) -> None:
    """Positions are looked at when the function is called."""
    if x.size and not bool(_core.all(_core.logical_and(_core.greater_equal(x, 0), _core.less(x, size)))):
        raise ValueError(f"a position is out of bounds for {size} elements")


def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Array:
    positions, sizes = [_positions(one) for one in multi_index], integers(dims)
    modes = mode if isinstance(mode, tuple) else (mode,) * len(sizes)
    if len(positions) != len(sizes) or len(modes) != len(sizes) or not set(modes) <= {"raise", "wrap", "clip"}:
        raise ValueError(f"positions along {len(sizes)} axes are {len(sizes)} arrays, and are wrapped, clipped or refused")
    found: Any = 0
    for at, size, way, step in zip(positions, sizes, modes, _steps(sizes, order)):
        if way == "raise":
            _check_within(at, size)
        else:
            at = _core.remainder(at, size) if way == "wrap" else _core.clip(at, 0, size - 1)
        found = _core.add(found, _core.multiply(at, step))
    return found


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    at, sizes = _positions(indices), integers(shape)
    _check_within(at, math.prod(sizes))
    steps = _steps(sizes, order)
    return tuple(_core.remainder(_core.floor_divide(at, step), size) for size, step in zip(sizes, steps))


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    shape = array(arr).shape
    if len(shape) < 2 or len(set(shape)) > 1:
        raise ValueError(f"a diagonal is that of 2 axes or more, of one size, not of {shape}")
    return (zc.arange(shape[0]),) * len(shape)


def _triangle(is_upper: bool) -> Callable[..., tuple[Array, ...]]:
    def indices(arr: Any, k: int = 0) -> tuple[Array, ...]:
        shape = array(arr).shape
        if len(shape) != 2:
            raise ValueError(f"a triangle is that of 2 axes, not of {len(shape)}")
        inside = tri(*shape, k=operator.index(k) - is_upper, dtype=bool)
        return zc.nonzero(_core.logical_not(inside) if is_upper else inside)

    return indices


# ---- Bits ----


def _bits(bitorder: str) -> Array:
    """How far each bit of a byte is shifted."""
    if bitorder not in ("big", "little"):
        raise ValueError(f"bits are in the order big or little, not {bitorder!r}")
    bits = zc.arange(8, dtype=zc.uint8)
    return zc.flip(bits) if bitorder == "big" else bits


def packbits(a: Any, axis: Any = None, bitorder: str = "big") -> Array:
    shifts, x = _bits(bitorder), array(a)
    if x.dtype.kind not in "biu":
        raise TypeError(f"bits are of bools or integers, not of {x.dtype}")
    x, along = flat_or_at(x, axis)
    x = zc.moveaxis(in_dtype(_core.not_equal(x, 0), _dtypes.uint8), along, -1)
    x = zc.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % 8)])
    x = zc.reshape(x, (*x.shape[:-1], x.shape[-1] // 8, 8))
    return zc.moveaxis(zc.sum(_core.bitwise_left_shift(x, shifts), axis=-1, dtype=zc.uint8), -1, along)


def unpackbits(a: Any, axis: Any = None, count: Any = None, bitorder: str = "big") -> Array:
    shifts, x = _bits(bitorder), array(a)
    if x.dtype is not _dtypes.uint8:
        raise TypeError(f"bits are unpacked of uint8, not of {x.dtype}")
    x, along = flat_or_at(x, axis)
    x = zc.expand_dims(zc.moveaxis(x, along, -1), axis=-1)
    bits = _core.bitwise_and(_core.bitwise_right_shift(x, shifts), 1)
    size = x.shape[-2] * 8
    bits = zc.reshape(bits, (*x.shape[:-2], size))
    wanted = size if count is None else operator.index(count) + (size if operator.index(count) < 0 else 0)
    if wanted < 0:
        raise ValueError(f"{-int(count)} of {size} bits are not left out")
    more = [(0, 0)] * (bits.ndim - 1) + [(0, max(wanted - size, 0))]
    return zc.moveaxis(zc.pad(bits, more)[..., :wanted], -1, along)


CHOOSING: dict[str, Callable[..., Any]] = {
    "apply_along_axis": apply_along_axis,
    "apply_over_axes": apply_over_axes,
    "argpartition": _ordered(zc.argsort),
    "argwhere": argwhere,
    "choose": choose,
    "compress": compress,
    "cumulative_prod": cumulated_once("cumulative_prod"),
    "cumulative_sum": cumulated_once("cumulative_sum"),
    "diag_indices_from": diag_indices_from,
    "extract": extract,
    "flatnonzero": flatnonzero,
    "lexsort": lexsort,
    "packbits": packbits,
    "partition": _ordered(zc.sort),
    "piecewise": piecewise,
    "ravel_multi_index": ravel_multi_index,
    "select": select,
    "sort_complex": sort_complex,
    "tril_indices_from": _triangle(False),
    "triu_indices_from": _triangle(True),
    "unpackbits": unpackbits,
    "unravel_index": unravel_index,
}
