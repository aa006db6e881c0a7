"""Quantiles: NumPy's functions, with its names of parameters. Elements are put in order when they are called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


class Unsupported(ValueError):
    """What NumPy has and zerocast has not."""


def between(a: Any, q: Any, axis: Any, keepdims: bool, skips: bool) -> Array:
    """Between the elements in order along the axis, linearly. NaN is the last in order: it is skipped, or is the result."""
    import zerocast as zc

    if axis is None or isinstance(axis, tuple):
        axes = tuple(range(a.ndim)) if axis is None else tuple(n % a.ndim for n in axis)
        rest = [n for n in range(a.ndim) if n not in axes]
        x = zc.reshape(zc.permute_dims(a, (*rest, *axes)), (*(a.shape[n] for n in rest), -1))
        result = between(x, q, -1, False, skips)
        kept = tuple(1 if n in axes else size for n, size in enumerate(a.shape))
        return zc.reshape(result, (*result.shape[: result.ndim - len(rest)], *kept)) if keepdims else result
    x = a if "float" in a.dtype.name else zc.astype(a, zc.float64)
    q = zc.asarray(q, dtype=x.dtype)
    if q.ndim > 1 or x.shape[axis] == 0:
        raise Unsupported("quantiles are taken of elements, at a number or a list of them")
    x = zc.moveaxis(zc.sort(x, axis=axis), axis, -1)
    there = zc.logical_not(zc.isnan(x))
    count = zc.sum(zc.astype(there, zc.int64), axis=-1, keepdims=True)
    at = zc.reshape(q, (*q.shape, *(1 for _ in x.shape))) * zc.astype(zc.maximum(count - 1, 0), x.dtype)
    low = zc.floor(at)
    below, above = (
        zc.take_along_axis(zc.broadcast_to(x, (*q.shape, *x.shape)), zc.astype(n, zc.int64), axis=-1)
        for n in (low, zc.ceil(at))
    )
    result = zc.lerp(below, above, at - low)
    if not skips:
        result = zc.where(zc.all(there, axis=-1, keepdims=True), result, float("nan"))
    result = zc.where(count > 0, result, float("nan"))
    return zc.moveaxis(result, -1, axis % a.ndim + q.ndim) if keepdims else zc.squeeze(result, -1)


def _linear(method: str) -> None:
    if method != "linear":
        raise Unsupported(f"quantiles lie between elements linearly, not by the method {method!r}")


def quantile(x: Array, /, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """Where a part q of the elements along the axis lies below, between two of them linearly; NaN where one is."""
    _linear(method)
    return between(x, q, axis, keepdims, False)


def nanquantile(x: Array, /, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """The same of the elements that are not NaN."""
    _linear(method)
    return between(x, q, axis, keepdims, True)


def median(x: Array, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    return between(x, 0.5, axis, keepdims, False)


def nanmedian(x: Array, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    return between(x, 0.5, axis, keepdims, True)
