"""NumPy's ufuncs that are made of several of the library's operations."""

from __future__ import annotations

import math

import numpy

from . import _core, _dtypes
from ._numpy import NotHere
from ._numpy_reductions import in_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array


def _meeting(*operands: Any) -> _dtypes.DType:
    return _dtypes.ALL[_core.result_type(operands)]


def _real(*operands: Any) -> _dtypes.DType:
    """The dtype of floats in which the operands meet; no complex numbers."""
    met = _meeting(*operands)
    if met.kind == "c":
        raise NotHere  # NumPy refuses it
    return met if met.kind == "f" else _dtypes.float64


def _as_floats(*operands: Any) -> list[Array]:
    code = _real(*operands).code
    return [_core.astype(x, code) for x in operands]


def _precisely(function: Callable[..., Array]) -> Callable[..., Array]:
    """The same of floats, of which those of 16 bits are rounded once."""

    def computed(*operands: Any) -> Array:
        kind = _real(*operands)
        wide = _dtypes.float32 if kind.itemsize == 2 else kind
        return in_dtype(function(*(_core.astype(x, wide.code) for x in operands)), kind)

    return computed


def _scaled(number: float, by: float) -> Callable[..., Array]:
    """Elements times a quotient of two numbers in their dtype."""

    def scale(x: Array) -> Array:
        kind = x.dtype.dtype.type
        return _core.multiply(x, float(kind(number) / kind(by)))

    return _precisely(scale)


def _limit(is_first: Callable[[Any, Any], Array], of_integers: Callable[[Any, Any], Array]) -> Callable[..., Array]:
    """The larger or the smaller of two; of a number and NaN the number."""

    def choose(x1: Any, x2: Any, /) -> Array:
        kind = _meeting(x1, x2).kind
        if kind == "c":
            raise NotHere
        if kind != "f":
            return of_integers(x1, x2)
        return _core.where(_core.logical_or(is_first(x1, x2), _core.isnan(x2)), x1, x2)

    return choose


def fmod(x1: Any, x2: Any, /) -> Array:
    """The rest of a division that drops fractions: its sign is x1's."""
    kind = _meeting(x1, x2)
    if kind.kind == "c":
        raise NotHere  # NumPy refuses it
    kind = _dtypes.int8 if kind.kind == "b" else kind
    x1, x2 = (_core.astype(x, kind.code) for x in (x1, x2))
    if kind.kind == "f":
        return _core.copysign(_core.remainder(_core.abs(x1), _core.abs(x2)), x1)
    rest = _core.remainder(x1, x2)
    differs = _core.not_equal(_core.less(x1, 0), _core.less(x2, 0))
    return _core.where(_core.logical_and(_core.not_equal(rest, 0), differs), _core.subtract(rest, x2), rest)


def modf(x: Any, /) -> tuple[Array, Array]:
    (x,) = _as_floats(x)
    whole = _core.trunc(x)
    return _core.copysign(_core.where(_core.isinf(x), 0.0, _core.subtract(x, whole)), x), whole


def heaviside(x1: Any, x2: Any, /) -> Array:
    x1, x2 = _as_floats(x1, x2)
    step = _core.astype(_core.greater(x1, 0), x1.dtype.code)
    return _core.where(_core.isnan(x1), x1, _core.where(_core.equal(x1, 0), x2, step))


def float_power(x1: Any, x2: Any, /) -> Array:
    is_complex = any(isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c" for x in (x1, x2))
    wide = _dtypes.complex128 if is_complex else _dtypes.float64
    return _core.pow(*(_core.astype(x, wide.code) for x in (x1, x2)))


def _logaddexp2(x1: Array, x2: Array) -> Array:
    apart = _core.log1p(_core.exp2(_core.negative(_core.abs(_core.subtract(x1, x2)))))
    sum_ = _core.add(_core.maximum(x1, x2), _core.multiply(apart, 1 / math.log(2)))
    return _core.where(_core.equal(x1, x2), _core.add(x1, 1), sum_)


def spacing(x: Any, /) -> Array:
    """How far off the next float is, away from 0."""
    (x,) = _as_floats(x)
    if x.dtype.itemsize == 2:
        raise NotHere  # NumPy's of these is positive
    limit = _core.astype(math.inf, x.dtype.code)
    return _core.subtract(_core.nextafter(x, _core.where(_core.less(x, 0), _core.negative(limit), limit)), x)


def bitwise_count(x: Any, /) -> Array:
    """How many bits of the absolute value are 1: neighbors are added up, then pairs, ..."""
    kind = _meeting(x)
    if kind.kind == "b":
        return in_dtype(x, _dtypes.uint8)
    if kind.kind not in "iu":
        raise NotHere  # NumPy refuses it
    unsigned = _dtypes.dtype_of(f"uint{8 * kind.itemsize}")
    bits = in_dtype(_core.astype(_core.abs(x), unsigned.code), _dtypes.uint64)
    for step in range(6):
        mask = (1 << 64) // ((1 << (1 << step)) + 1)  # 1 << step bits, as many zeros, ...
        even, odd = (_core.bitwise_and(y, mask) for y in (bits, _core.bitwise_right_shift(bits, 1 << step)))
        bits = _core.add(even, odd)
    return in_dtype(bits, _dtypes.uint8)


def of_truths(product: Callable[[Any, Any], Array], x1: Array, x2: Array) -> Array:
    """A sum of products, which of bools tells whether there is one that is true."""
    if _meeting(x1, x2).kind != "b":
        return product(x1, x2)
    return _core.not_equal(product(*(in_dtype(x, _dtypes.int64) for x in (x1, x2))), 0)


def _check_ranks(x1: Any, least1: int, x2: Any, least2: int) -> None:
    if getattr(x1, "ndim", 0) < least1 or getattr(x2, "ndim", 0) < least2:
        raise ValueError("a product of a matrix and a vector takes 2 axes or more of the one and 1 of the other")


def matvec(x1: Array, x2: Array, /) -> Array:
    _check_ranks(x1, 2, x2, 1)
    return _core.index(of_truths(_core.matmul, x1, _core.expand_dims(x2, -1)), -1, 0)


def vecmat(x1: Array, x2: Array, /) -> Array:
    _check_ranks(x1, 1, x2, 2)
    x1 = _core.conj(x1) if x1.dtype.kind == "c" else x1
    return _core.index(of_truths(_core.matmul, _core.expand_dims(x1, -2), x2), -2, 0)


def _of_numbers(function: Callable[..., Array]) -> Callable[..., Array]:
    """The same, of bools as int8."""

    def computed(*operands: Any) -> Array:
        if _meeting(*operands).kind == "b":
            operands = tuple(_core.astype(x, _dtypes.int8.code) for x in operands)
        return function(*operands)

    return computed


UFUNCS: dict[str, Callable[..., Any]] = {
    "bitwise_count": bitwise_count,
    "conj": _of_numbers(_core.conj),
    "conjugate": _of_numbers(_core.conj),
    "deg2rad": _scaled(numpy.pi, 180),
    "degrees": _scaled(180, numpy.pi),
    "float_power": float_power,
    "fmax": _limit(_core.greater_equal, _core.maximum),
    "fmin": _limit(_core.less_equal, _core.minimum),
    "fmod": fmod,
    "heaviside": heaviside,
    "left_shift": _of_numbers(_core.bitwise_left_shift),
    "logaddexp2": _precisely(_logaddexp2),
    "matvec": matvec,
    "modf": modf,
    "rad2deg": _scaled(180, numpy.pi),
    "radians": _scaled(numpy.pi, 180),
    "right_shift": _of_numbers(_core.bitwise_right_shift),
    "spacing": spacing,
    "vecmat": vecmat,
}
