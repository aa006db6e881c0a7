"""NumPy's reductions and cumulations, of the elements that a mask leaves or that are not NaN, and what arguments mean."""

from __future__ import annotations

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import is_number
from ._numpy import NotHere
from ._operands import has_dtype, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array

# ---- Arguments ----


def array(value: Any) -> Array:
    """One of ours from what NumPy takes for an array; NotHere where its elements are none of zerocast's dtypes."""
    if isinstance(value, _core.Array):
        return value  # type: ignore[return-value]
    if hasattr(value, "dtype") and not (is_plain(type(value)) and has_dtype(value)):
        raise NotHere
    return zc.asarray(value)


def arrays(values: Any) -> list[Array]:
    return [array(value) for value in values]


def operand(value: Any) -> Any:
    return value if is_number(value) else array(value)


def dtype_named(dtype: Any) -> _dtypes.DType | None:
    """Of the forms that NumPy takes: "f4", float, numpy.float32 ..."""
    if dtype is None:
        return None
    found = _dtypes.find(dtype)
    if found is None:
        found = _dtypes.find(numpy.dtype(dtype))
    if found is None:
        raise NotHere("dtype")
    return found


def is_float(x: Array) -> bool:
    return x.dtype.kind in "fc"


def in_dtype(x: Array, dtype: _dtypes.DType) -> Array:
    return x if x.dtype is dtype else _core.astype(x, dtype.code)


def checked_axis(axis: Any) -> Any:
    """An axis, a tuple of axes or None: NumPy takes no lists and no truths for axes."""
    if type(axis) in (bool, list):
        raise TypeError(f"an axis is an integer, not {axis!r}")
    return axis


def axis_of(a: Array, axis: Any) -> Any:
    """The same where NumPy lets one element have an axis: in what its ufuncs reduce, and in searches."""
    axis = checked_axis(axis)
    return None if a.ndim == 0 and isinstance(axis, (int, numpy.integer)) and axis in (0, -1) else axis


def flat_or_at(a: Array, axis: Any) -> tuple[Array, int]:
    return (zc.reshape(a, (-1,)), 0) if axis is None else (a, axis)


# ---- Reductions: elements may be left out, by a mask or for being NaN ----


def _there(a: Array, where: Any, skips_nan: bool) -> Array | None:
    """Which elements are reduced; None where all are."""
    there = None if where is True or where is None else _core.astype(array(where), _dtypes.bool_.code)
    if skips_nan and is_float(a):
        number = _core.logical_not(_core.isnan(a))
        there = number if there is None else _core.logical_and(there, number)
    return there if there is None else _core.broadcast_to(there, a.shape)


def _or_else(there: Array | None, a: Array, neutral: Any) -> Array:
    """What changes nothing in the place of elements that are left out."""
    return a if there is None else _core.where(there, a, _core.astype(neutral, a.dtype.code))


_JOINED = {"sum": ("add", 0), "prod": ("multiply", 1), "any": ("logical_or", False), "all": ("logical_and", True)}
_LIMITS = {"max": ("maximum", float("-inf")), "min": ("minimum", float("inf"))}


def reduced(name: str, a: Array, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None,
            where: Any = True, *, skips_nan: bool = False) -> Array:  # fmt: skip
    """A sum, product, maximum, minimum, any or all, of the elements that are there, and of initial."""
    if name in _LIMITS:
        return _extreme(name, a, axis, dtype, keepdims, initial, where, skips_nan)
    joined, neutral = _JOINED[name]
    kept = {} if name in ("any", "all") else {"dtype": dtype_named(dtype)}
    x = _or_else(_there(a, where, skips_nan), a, neutral)
    result = getattr(_core, name)(x, axis=axis_of(a, axis), keepdims=bool(keepdims), **kept)
    return result if initial is None else getattr(_core, joined)(result, _core.astype(operand(initial), result.dtype.code))


def _extreme(name: str, a: Array, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any, skips_nan: bool) -> Array:
    joined, neutral = _LIMITS[name]
    there = _there(a, where, skips_nan)
    if initial is None and where is not True or initial is not None and a.size == 0 or dtype is not None:
        raise NotHere("dtype" if dtype is not None else "initial")
    first = None if initial is None else _core.astype(operand(initial), a.dtype.code)
    x, axis = _or_else(there, a, neutral if initial is None else first), axis_of(a, axis)
    result = getattr(_core, name)(x, axis=axis, keepdims=bool(keepdims))
    if initial is not None:
        return getattr(_core, joined)(result, first)
    if there is None:
        return result
    return _core.where(_core.any(there, axis=axis, keepdims=bool(keepdims)), result, float("nan"))


def _wide(a: Array, dtype: _dtypes.DType | None) -> tuple[Array, _dtypes.DType]:
    """The elements as they are averaged, and the dtype of the average: sums and counts of 16-bit floats do not fit these."""
    kind = dtype or (a.dtype if is_float(a) else _dtypes.float64)
    return in_dtype(a, _dtypes.float32 if kind.itemsize == 2 and kind.kind == "f" else kind), kind


def _average(x: Array, axis: Any, keepdims: bool, there: Array | None, dtype: Any = None) -> tuple[Array, Array]:
    """The mean of those that are there, added up in the dtype, and how many they are."""
    if there is None:
        there = _core.broadcast_to(True, x.shape)
    count = _core.sum(there, axis=axis, keepdims=keepdims)
    total = _core.sum(_or_else(there, x, 0), axis=axis, dtype=dtype, keepdims=keepdims)
    return in_dtype(_core.divide(total, _core.astype(count, _dtypes.float64.code)), x.dtype), count


def mean_of(skips_nan: bool) -> Callable[..., Array]:
    def mean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, where: Any = True) -> Array:
        a, given = array(a), dtype_named(dtype)
        there, axis = _there(a, where, skips_nan), checked_axis(axis)
        if given is not None and given.kind in "iub" and skips_nan and is_float(a):
            raise NotHere("dtype")  # NumPy says why it is refused
        if given is not None and given.kind in "iu":  # NumPy adds up in the integers that are asked for, and wraps
            return _average(in_dtype(a, given), axis, bool(keepdims), there, given)[0]
        if there is None:
            return _core.mean(a, axis=axis, dtype=given, keepdims=bool(keepdims))
        x, kind = _wide(a, given)
        return in_dtype(_average(x, axis, bool(keepdims), there)[0], kind)

    return mean


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Array:
    """Norms of vectors, and Frobenius norms; NotHere of matrices otherwise."""
    a = array(x)
    a = a if is_float(a) else _core.astype(a, _dtypes.float64.code)
    axes = 1 if is_number(axis) else a.ndim if axis is None else len(axis)
    is_of_elements = axes == 2 and ord == "fro" if ord is not None else axis is None or axes == 2
    if not is_of_elements and not (axes == 1 and (ord is None or is_number(ord))):
        raise NotHere("ord")
    return zc.vector_norm(a, axis=axis, keepdims=bool(keepdims), ord=2 if is_of_elements or ord is None else ord)


def spread_of(skips_nan: bool, is_deviation: bool) -> Callable[..., Array]:
    """Variances and standard deviations."""

    def spread(a: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: Any = False, where: Any = True,
               correction: float | None = None) -> Array:  # fmt: skip
        if correction is not None and ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        a, ddof, given = array(a), ddof if correction is None else correction, dtype_named(dtype)
        if given is not None and given.kind in "iub":
            raise NotHere("dtype")
        there, axis = _there(a, where, skips_nan), checked_axis(axis)
        x, kind = _wide(a, given)
        real = given or {"complex64": _dtypes.float32, "complex128": _dtypes.float64}.get(kind.name, kind)
        if there is None:
            result = _core.var(x, axis, ddof, bool(keepdims))
        else:
            distance = _core.subtract(x, _average(x, axis, True, there)[0])
            square = _core.real(_core.multiply(distance, _core.conj(distance)))
            count = _core.astype(_core.sum(there, axis=axis, keepdims=bool(keepdims)), _dtypes.float64.code)
            rest = _core.subtract(count, ddof)
            rest = _core.where(_core.greater(rest, 0), rest, float("nan") if skips_nan else 0.0)
            result = _core.divide(_core.sum(_or_else(there, square, 0), axis=axis, keepdims=bool(keepdims)), rest)
        return in_dtype(_core.sqrt(result) if is_deviation else result, real)

    return spread


def average(a: Any, axis: Any = None, weights: Any = None, keepdims: Any = False) -> Array:
    if weights is not None:
        raise NotHere("weights")
    return _core.mean(array(a), axis=checked_axis(axis), keepdims=bool(keepdims))


def reduction(name: str, skips_nan: bool = False) -> Callable[..., Array]:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None,
               where: Any = True) -> Array:  # fmt: skip
        return reduced(name, array(a), axis, dtype, keepdims, initial, where, skips_nan=skips_nan)

    return reduce


def cumulated(name: str, a: Array, axis: Any = None, dtype: Any = None) -> Array:
    a, axis = flat_or_at(a, axis_of(a, axis))
    return getattr(zc, name)(a, axis=axis, dtype=dtype_named(dtype))


def cumulation(name: str, neutral: int | None = None) -> Callable[..., Array]:
    def cumulate(a: Any, axis: Any = None, dtype: Any = None) -> Array:
        a = array(a)
        return cumulated(name, a if neutral is None else _or_else(_there(a, True, True), a, neutral), axis, dtype)

    return cumulate


def _one_axis_of(a: Array, axis: Any) -> Any:
    if type(axis) is tuple:
        raise TypeError(f"an axis is an integer, not {axis!r}")
    return axis_of(a, axis)


def searched(name: str) -> Callable[..., Array]:
    def search(a: Any, axis: Any = None, keepdims: Any = False) -> Array:
        a = array(a)
        return getattr(_core, name)(a, axis=_one_axis_of(a, axis), keepdims=bool(keepdims))

    return search


def nan_searched(name: str, neutral: float) -> Callable[..., Array]:
    """Where the extreme element is that is not NaN. That there is one is looked at when called: NumPy refuses slices of NaN."""

    def search(a: Any, axis: Any = None, keepdims: Any = False) -> Array:
        a = array(a)
        there, axis = _there(a, True, True), _one_axis_of(a, axis)
        if there is not None and not bool(_core.all(_core.any(there, axis=axis))):
            raise NotHere
        return getattr(_core, name)(_or_else(there, a, neutral), axis=axis, keepdims=bool(keepdims))

    return search


def _quantile(a: Any, q: Any, axis: Any, keepdims: Any, skips: bool) -> Any:
    from ._quantiles import Unsupported, between

    a = array(a)
    if type(q) not in (int, float) and is_float(a) and is_float(array(q)):  # floats that have a dtype join it with a's
        a = in_dtype(a, _dtypes.ALL[_core.result_type((a, array(q)))])
    if not is_float(a) and type(q) is not float and (type(q) is int or not is_float(array(q))):
        return _extremes(a, numpy.asarray(q), checked_axis(axis), bool(keepdims))
    try:
        return between(a, q, checked_axis(axis), bool(keepdims), skips)
    except Unsupported:
        raise NotHere from None


def _extremes(a: Array, q: Any, axis: Any, keepdims: bool) -> Array:
    """Quantiles of integers by integers: 0 is the least element, 1 the largest, as they are."""
    if not numpy.all((q == 0) | (q == 1)):
        raise ValueError(f"q is {q}; it must be 0 or 1 of integers")
    least, largest = _core.min(a, axis=axis, keepdims=keepdims), _core.max(a, axis=axis, keepdims=keepdims)
    if q.ndim == 0:
        return largest if q else least
    return _core.where(zc.reshape(zc.asarray(q == 1), (*q.shape, *(1,) * least.ndim)), largest, least)


def medians(skips: bool) -> Callable[..., Array]:
    return lambda a, axis=None, keepdims=False: _quantile(a, 0.5, axis, keepdims, skips)


def quantiles(skips: bool, most: int) -> Callable[..., Array]:
    """Of q from 0 to `most`: quantiles of 1, percentiles of 100."""

    def quantile(a: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: Any = False) -> Any:
        if method != "linear":
            raise NotHere("method")
        return _quantile(a, q if most == 1 else _part(q, most), axis, keepdims, skips)

    return quantile


def _part(q: Any, most: int) -> Any:
    """q of `most`. A number stays one."""
    values = numpy.asarray(q)
    if not numpy.all((values >= 0) & (values <= most)):
        raise ValueError(f"q is {q}; it lies between 0 and {most}")
    part = numpy.true_divide(values, most)
    return float(part) if type(q) in (int, float) else part
