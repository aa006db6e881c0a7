"""Quantiles: NumPy's functions, with its names of parameters. Elements are put in order when they are called."""

from __future__ import annotations

from . import _core, _dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


class Unsupported(ValueError):
    """What NumPy has and zerocast has not."""


def between(x: Any, q: Any, axis: Any, keepdims: bool, skips: bool) -> Array:
    """Between the elements in order along the axes, linearly. NaN is skipped, or is the result."""
    from ._creation import asarray

    return _core.quantile(asarray(x), asarray(q, dtype=_dtypes.float64), axis, keepdims, skips)


def _linear(method: str) -> None:
    if method != "linear":
        raise Unsupported(f"quantiles lie between elements linearly, not by the method {method!r}")


def quantile(x: Array, /, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """Where a part q of the elements along the axes lies below, between two of them linearly; NaN where one is. q is a
    number from 0 to 1 or an array of them, whose axes come first. The result has x's dtype, float64 for integers."""
    _linear(method)
    return between(x, q, axis, keepdims, False)


def nanquantile(x: Array, /, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """The same of the elements that are not NaN."""
    _linear(method)
    return between(x, q, axis, keepdims, True)


def median(x: Array, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """The element in the middle along the axes, or the mean of the two there; NaN where one is."""
    return between(x, 0.5, axis, keepdims, False)


def nanmedian(x: Array, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """The same of the elements that are not NaN."""
    return between(x, 0.5, axis, keepdims, True)
