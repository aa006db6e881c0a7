"""NumPy's functions that write into their first argument, as assignments: recorded, so that gradients pass through them."""

from __future__ import annotations

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import is_number
from ._indexing import get
from ._methods import check_cast
from ._numpy import NotHere
from ._numpy_reductions import array, in_dtype, operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array


def _mask(value: Any) -> Array:
    mask = array(value)
    if mask.dtype is not _dtypes.bool_:
        raise NotHere
    return mask


def _safely(values: Any, dtype: _dtypes.DType) -> Array:
    """In the dtype, to which NumPy casts arrays by the rule "safe" alone, and lists whatever they hold."""
    if not hasattr(values, "dtype"):
        return zc.asarray(values, dtype=dtype)
    if not numpy.can_cast(array(values).dtype.dtype, dtype.dtype, "safe"):
        raise NotHere  # which is refused
    return in_dtype(array(values), dtype)


def _repeated(values: Array, at: Array) -> Array:
    """The elements of values in a row, which begins again at its end, at positions from 0 on."""
    row = zc.reshape(values, (-1,))
    return zc.take(row, _core.remainder(at, row.size), axis=0) if row.size != 1 else _core.broadcast_to(row[0], at.shape)


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    value = operand(src)
    if is_number(value):
        if not isinstance(value, int) or isinstance(value, bool) or dst.dtype.kind == "b":  # whose kind is to be looked at
            value = array(value)
        else:
            value = _core.made(zc.asarray(value, dtype=dst.dtype))
    check_cast(value.dtype, dst.dtype, casting)
    if where is True:
        dst[...] = value
    else:
        dst[...] = zc.where(_mask(where), in_dtype(value, dst.dtype), dst)


def putmask(a: Any, mask: Any, values: Any) -> None:
    truths = _mask(mask)
    if truths.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    row = _safely(values, a.dtype)
    if row.size != 0:
        at = zc.reshape(_core.iota(a.size), a.shape)
        a[...] = zc.where(zc.reshape(truths, a.shape), _repeated(row, at), a)


def place(arr: Any, mask: Any, vals: Any) -> None:
    truths, values = _mask(mask), _safely(vals, arr.dtype)
    if truths.size != arr.size or values.size == 0:
        raise NotHere  # which is refused, unless nothing is written
    row = zc.reshape(truths, (-1,))
    before = _core.subtract(zc.cumulative_sum(row, dtype=zc.int64), row)  # how many are true
    at = zc.reshape(before, arr.shape)
    arr[...] = zc.where(zc.reshape(truths, arr.shape), _repeated(values, at), arr)


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """Positions that there are not are found when elements are read."""
    at, values = zc.reshape(array(ind), (-1,)), in_dtype(array(v), a.dtype)
    if at.size == 0 or values.size == 0:
        return
    if mode not in ("raise", "wrap", "clip") or not numpy.can_cast(at.dtype.dtype, numpy.int64):
        raise NotHere  # which is refused
    if mode != "raise":
        at = _core.remainder(at, a.size) if mode == "wrap" else _core.clip(at, 0, a.size - 1)
    places = get(zc.reshape(_core.places(a), (-1,)), at)
    _core.update_at(a, places, _repeated(values, _core.iota(at.size)), 0)


def fill_diagonal(a: Any, val: Any) -> None:
    values = array(val)
    if a.ndim < 2 or (a.ndim > 2 and len(set(a.shape)) > 1) or values.size == 0:
        raise NotHere  # which is refused
    along = _core.iota(min(a.shape))
    a[(along,) * a.ndim] = _repeated(in_dtype(values, a.dtype), along)


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any = -1) -> None:
    positions = array(indices)
    if axis is None or positions.ndim != arr.ndim or positions.dtype.kind not in "iu":
        raise NotHere
    along = axis if axis >= 0 else axis + arr.ndim
    if not 0 <= along < arr.ndim:
        raise NotHere  # which is refused
    key = [zc.reshape(_core.iota(n), (1,) * a + (n,) + (1,) * (arr.ndim - a - 1)) for a, n in enumerate(arr.shape)]
    key[along] = positions
    arr[tuple(key)] = in_dtype(array(values), arr.dtype)


CHANGES: dict[str, Callable[..., None]] = {
    "copyto": copyto,
    "fill_diagonal": fill_diagonal,
    "place": place,
    "put": put,
    "put_along_axis": put_along_axis,
    "putmask": putmask,
}
