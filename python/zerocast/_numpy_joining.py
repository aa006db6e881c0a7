"""NumPy's functions that join, split, add and remove elements, and matrices of diagonals, by its names of arguments."""

from __future__ import annotations

import math
import operator

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import resolve
from ._errors import axis_error
from ._numpy import NotHere
from ._numpy_reductions import array, arrays, dtype_named, flat_or_at, in_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array

# ---- Joining ----


def _cast(parts: list[Array], dtype: Any, casting: Any) -> list[Array]:
    """In the dtype, where one is given and the rule lets it be; NumPy says why it does not."""
    kind = dtype_named(dtype)
    kinds = {part.dtype for part in parts}
    if kind is None and (len(kinds) > 2 or casting != "same_kind") and _dtypes.bfloat16 not in kinds and kinds:
        kind = dtype_named(numpy.result_type(*(each.dtype for each in kinds)))  # of all, and not of one after the other
    if kind is not None and not all(numpy.can_cast(part.dtype.dtype, kind.dtype, casting) for part in parts):
        raise NotHere
    return parts if kind is None else [in_dtype(part, kind) for part in parts]


def concatenate(arrays_: Any, axis: Any = 0, dtype: Any = None, casting: str = "same_kind") -> Array:
    return zc.concat(_cast(arrays(arrays_), dtype, casting), axis=axis)


def stack(arrays_: Any, axis: int = 0, dtype: Any = None, casting: str = "same_kind") -> Array:
    parts = arrays(arrays_)
    if not parts or any(part.shape != parts[0].shape for part in parts):
        raise NotHere
    return concatenate([zc.expand_dims(part, axis=axis) for part in parts], axis, dtype, casting)


# By the rank that is wanted, for arrays of rank 0, 1 and 2.
_AXES_ADDED: dict[int, list[tuple[int, ...]]] = {1: [(0,)], 2: [(0, 1), (0,)], 3: [(0, 1, 2), (0, 2), (2,)]}


def _raised(x: Array, rank: int) -> Array:
    return x if x.ndim >= rank else zc.expand_dims(x, axis=_AXES_ADDED[rank][x.ndim])


def at_least(rank: int) -> Callable[..., Any]:
    def views(*arys: Any) -> Any:
        found = [_raised(array(a), rank) for a in arys]
        return found[0] if len(found) == 1 else tuple(found)

    return views


def hstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Array:
    parts = [_raised(part, 1) for part in arrays(tup)]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype, casting)


def vstack(tup: Any, dtype: Any = None, casting: str = "same_kind") -> Array:
    return concatenate([_raised(part, 2) for part in arrays(tup)], 0, dtype, casting)


def column_stack(tup: Any) -> Array:
    return zc.concat([zc.reshape(part, (-1, 1)) if part.ndim < 2 else part for part in arrays(tup)], axis=1)


def dstack(tup: Any) -> Array:
    return zc.concat([_raised(part, 3) for part in arrays(tup)], axis=2)


def _depth(blocks: Any) -> tuple[int, int]:
    """How deep the lists are, the same everywhere, and the largest rank in them."""
    if not isinstance(blocks, list):
        if isinstance(blocks, tuple):
            raise TypeError("blocks are arranged in lists, not in tuples")
        return 0, array(blocks).ndim
    found = [_depth(block) for block in blocks]
    if not found or len({depth for depth, _ in found}) > 1:
        raise ValueError("lists of blocks are equally deep and not empty")
    return found[0][0] + 1, max(rank for _, rank in found)


def _joined(blocks: Any, rank: int, depth: int) -> Array:
    if depth == 0:
        x = array(blocks)
        return zc.reshape(x, (1,) * (rank - x.ndim) + x.shape)
    return zc.concat([_joined(block, rank, depth - 1) for block in blocks], axis=-depth)


def block(arrays_: Any) -> Array:
    depth, rank = _depth(arrays_)
    joined = _joined(arrays_, max(rank, depth), depth)
    return joined if depth else joined.copy()


def append(arr: Any, values: Any, axis: Any = None) -> Array:
    return zc.concat([array(arr), array(values)], axis=axis)


# ---- Splitting ----


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    x = array(ary)
    if hasattr(indices_or_sections, "__len__") and numpy.ndim(indices_or_sections) == 1:
        return zc.split(x, indices_or_sections, axis=axis)
    n, count = x.shape[resolve(axis, x.ndim)], int(indices_or_sections)
    if count <= 0:
        raise ValueError(f"an axis is split into one part or more, not into {count}")
    each, more = divmod(n, count)
    return zc.split(x, [k * each + min(k, more) for k in range(1, count)], axis=axis)


def _split_along(axis: int, least: int) -> Callable[..., list[Array]]:
    def split(ary: Any, indices_or_sections: Any) -> list[Array]:
        x = array(ary)
        if x.ndim < least:
            raise ValueError(f"this splits arrays of {least} axes or more, not of {x.ndim}")
        return zc.split(x, indices_or_sections, axis=min(axis, x.ndim - 1))

    return split


# ---- Adding and removing ----


def _along(arr: Any, axis: Any) -> tuple[Array, int]:
    """The array, and the axis counted from the first one; None stands for the elements of all axes in a row."""
    x, along = flat_or_at(array(arr), axis)
    return x, resolve(along, x.ndim)


def _places(obj: Any) -> Any:
    """Positions as NumPy looks at them: the result's size depends on them."""
    return numpy.asarray(obj) if isinstance(obj, _core.Array) else obj


def delete(arr: Any, obj: Any, axis: Any = None) -> Array:
    x, axis = _along(arr, axis)
    return zc.take(x, zc.asarray(numpy.delete(numpy.arange(x.shape[axis]), _places(obj))), axis=axis)


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Array:
    x, axis = _along(arr, axis)
    n, obj = x.shape[axis], _places(obj)
    places = numpy.arange(*obj.indices(n)) if isinstance(obj, slice) else numpy.asarray(obj)
    places = numpy.flatnonzero(places) if places.dtype == bool else places
    new = in_dtype(array(values), x.dtype)
    count = places.size
    if count == 1:  # all values of the axis go to one place
        new = zc.reshape(new, (1,) * (x.ndim - new.ndim) + new.shape)
        new = zc.moveaxis(new, 0, axis) if places.ndim == 0 else new
        count = new.shape[axis]
    new = zc.broadcast_to(new, (*x.shape[:axis], count, *x.shape[axis + 1 :]))
    order = numpy.insert(numpy.arange(n), obj, numpy.arange(n, n + count))
    return zc.take(zc.concat([x, new], axis=axis), zc.asarray(order), axis=axis)


def resize(a: Any, new_shape: Any) -> Array:
    x = zc.reshape(array(a), (-1,))
    sizes = (new_shape,) if isinstance(new_shape, (int, numpy.integer)) else tuple(map(operator.index, new_shape))
    if any(size < 0 for size in sizes):
        raise ValueError(f"a shape has no negative sizes: {sizes}")
    size = math.prod(sizes)
    if x.size == 0 or size == 0:
        return zc.zeros(sizes, dtype=x.dtype)
    return zc.reshape(zc.tile(x, -(-size // x.size))[:size], sizes)


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    x, ends = array(filt), trim.lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"zeros are trimmed at f, b or fb, not at {trim!r}")
    axes = range(x.ndim) if axis is None else [resolve(a, x.ndim) for a in (axis if isinstance(axis, tuple) else (axis,))]
    key = [slice(None)] * x.ndim
    for a, at in enumerate(zc.nonzero(x)):
        if a in axes:
            first, last = (int(zc.min(at)), int(zc.max(at)) + 1) if at.size else (0, 0)
            key[a] = slice(first if "f" in ends or not at.size else None, last if "b" in ends or not at.size else None)
    return x[tuple(key)]


# ---- Turning ----


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    x = array(a)
    axis, place = resolve(axis, x.ndim), start + x.ndim if start < 0 else start
    if not 0 <= place <= x.ndim:
        raise axis_error()(f"start {start} is out of bounds for rank {x.ndim}")
    return zc.moveaxis(x, axis, place - (axis < place))


def _flipped(axis: int) -> Callable[..., Array]:
    def flip(m: Any) -> Array:
        x = array(m)
        if x.ndim <= axis:
            raise ValueError(f"this flips arrays of {axis + 1} axes or more, not of {x.ndim}")
        return zc.flip(x, axis=axis)

    return flip


# ---- Matrices ----


def tri(N: int, M: Any = None, k: int = 0, dtype: Any = float) -> Array:
    rows, columns = (_core.iota(max(0, operator.index(size))) for size in (N, N if M is None else M))
    kind = dtype_named(dtype) or _dtypes.float64
    return in_dtype(_core.greater_equal(_core.add(_core.expand_dims(rows, 1), k), columns), kind)


def _of_diagonal(v: Array, k: int) -> Array:
    """A matrix with v on its diagonal k, and zeros beside."""
    n = v.size + abs(k)
    row = zc.pad(v, (0, n - v.size))
    row = zc.expand_dims(row, axis=1) if k >= 0 else row
    at, zero = _core.iota(n), _core.astype(0, v.dtype.code)
    return _core.where(_core.equal(_core.add(_core.expand_dims(at, 1), k), at), row, zero)


def diag(v: Any, k: int = 0) -> Array:
    x = array(v)
    if x.ndim not in (1, 2):
        raise ValueError(f"a diagonal is taken of 1 or 2 axes, not of {x.ndim}")
    return zc.diagonal(x, offset=k) if x.ndim == 2 else _of_diagonal(x, operator.index(k))


def diagflat(v: Any, k: int = 0) -> Array:
    return _of_diagonal(zc.reshape(array(v), (-1,)), operator.index(k))


def vander(x: Any, N: Any = None, increasing: bool = False) -> Array:
    x = array(x)
    if x.ndim != 1:
        raise ValueError(f"powers are taken of an array of 1 axis, not of {x.ndim}")
    n = x.size if N is None else operator.index(N)
    kind = dtype_named(numpy.promote_types(x.dtype.dtype, int)) or _dtypes.float64
    repeated = zc.broadcast_to(zc.expand_dims(in_dtype(x, kind), axis=1), (x.size, max(n - 1, 0)))
    powers = zc.cumulative_prod(repeated, axis=1, include_initial=True)[:, :n] if n > 0 else repeated
    return powers if increasing else zc.flip(powers, axis=1)


def kron(a: Any, b: Any) -> Array:
    a, b = array(a), array(b)
    rank = max(a.ndim, b.ndim)
    first, second = ((1,) * (rank - x.ndim) + x.shape for x in (a, b))
    a = zc.reshape(a, tuple(n for size in first for n in (size, 1)))
    b = zc.reshape(b, tuple(n for size in second for n in (1, size)))
    return zc.reshape(_core.multiply(a, b), tuple(m * n for m, n in zip(first, second)))


def ix_(*args: Any) -> tuple[Array, ...]:
    found = []
    for place, arg in enumerate(args):
        x = array(arg)
        if x.ndim != 1:
            raise ValueError(f"positions along an axis have 1 axis, not {x.ndim}")
        x = zc.nonzero(x)[0] if x.dtype is _dtypes.bool_ else x
        x = in_dtype(x, _dtypes.int64) if x.size == 0 and not hasattr(arg, "dtype") else x
        found.append(zc.reshape(x, (1,) * place + (x.size,) + (1,) * (len(args) - place - 1)))
    return tuple(found)


JOINING: dict[str, Callable[..., Any]] = {
    "append": append,
    "array_split": array_split,
    "atleast_1d": at_least(1),
    "atleast_2d": at_least(2),
    "atleast_3d": at_least(3),
    "block": block,
    "broadcast_shapes": numpy.broadcast_shapes,
    "column_stack": column_stack,
    "concat": concatenate,
    "concatenate": concatenate,
    "delete": delete,
    "diag": diag,
    "diagflat": diagflat,
    "dsplit": _split_along(2, 3),
    "dstack": dstack,
    "fliplr": _flipped(1),
    "flipud": _flipped(0),
    "hsplit": _split_along(1, 1),
    "hstack": hstack,
    "insert": insert,
    "ix_": ix_,
    "kron": kron,
    "resize": resize,
    "rollaxis": rollaxis,
    "stack": stack,
    "tri": tri,
    "trim_zeros": trim_zeros,
    "vander": vander,
    "vsplit": _split_along(0, 2),
    "vstack": vstack,
}
