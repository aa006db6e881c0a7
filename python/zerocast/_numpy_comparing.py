"""NumPy's functions that compare, and those that look at parts of numbers, by its names of arguments."""

from __future__ import annotations

import math

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import is_number
from ._numpy import NotHere
from ._numpy_reductions import array, in_dtype, is_float, operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array

# ---- Two arrays ----


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Array:
    x, y, rtol, atol = (operand(value) for value in (a, b, rtol, atol))
    x = array(x) if is_number(x) and is_number(y) else x
    if is_number(y):
        y = float(y) if isinstance(y, int) else y
    elif not is_float(y):  # the absolute value of the least integer is none
        y = in_dtype(y, _dtypes.float64)
    near = _core.less_equal(_core.abs(_core.subtract(x, y)), _core.add(atol, _core.multiply(rtol, _core.abs(y))))
    close = _core.logical_or(_core.logical_and(near, _core.isfinite(y)), _core.equal(x, y))
    return _core.logical_or(close, _core.logical_and(_core.isnan(x), _core.isnan(y))) if equal_nan else close


def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> bool:
    return bool(_core.all(isclose(a, b, rtol, atol, equal_nan)))


def _same(x: Array, y: Array, equal_nan: Any) -> bool:
    same = _core.equal(x, y)
    if equal_nan:
        same = _core.logical_or(same, _core.logical_and(_core.isnan(x), _core.isnan(y)))
    return bool(_core.all(same))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    x, y = array(a1), array(a2)
    return x.shape == y.shape and _same(x, y, equal_nan)


def array_equiv(a1: Any, a2: Any) -> bool:
    x, y = array(a1), array(a2)
    try:
        numpy.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return _same(x, y, False)


# ---- Parts of numbers ----


def iscomplex(x: Any) -> Array:
    x = array(x)
    return _core.not_equal(_core.imag(x), 0) if x.dtype.kind == "c" else zc.zeros(x.shape, dtype=_dtypes.bool_)


def isreal(x: Any) -> Array:
    return _core.logical_not(iscomplex(x))


def _infinite(limit: float) -> Callable[..., Array]:
    def is_infinite(x: Any) -> Array:
        x = array(x)
        if x.dtype.kind == "c":
            raise TypeError("infinite complex numbers are neither positive nor negative")
        return _core.equal(x, limit) if is_float(x) else zc.zeros(x.shape, dtype=_dtypes.bool_)

    return is_infinite


def fix(x: Any) -> Array:
    x = array(x)
    return x.copy() if x.dtype is _dtypes.bool_ else _core.trunc(x)


def angle(z: Any, deg: Any = False) -> Array:
    z = array(z)
    z = z if is_float(z) else in_dtype(z, _dtypes.float64)
    turned = _core.atan2(_core.imag(z), _core.real(z)) if z.dtype.kind == "c" else _core.atan2(0.0, z)
    return _core.multiply(turned, 180 / math.pi) if deg else turned


def real_if_close(a: Any, tol: float = 100) -> Array:
    """The real parts, if all imaginary ones are small. That they are is looked at when called: the dtype depends on it."""
    x = array(a)
    if x.dtype.kind != "c":
        return x
    bound = float(numpy.finfo(x.dtype.dtype).eps * tol) if tol > 1 else tol
    return _core.real(x) if bool(_core.all(_core.less(_core.abs(_core.imag(x)), bound))) else x


def _numbers_of(x: Array, nan: Any, posinf: Any, neginf: Any) -> Array:
    limits = numpy.finfo(x.dtype.dtype)
    for is_one, value in (
        (_core.isnan(x), nan),
        (_core.equal(x, math.inf), float(limits.max) if posinf is None else posinf),
        (_core.equal(x, -math.inf), float(limits.min) if neginf is None else neginf),
    ):
        value = operand(value)
        if not is_number(value) and value.dtype.kind == "c" or isinstance(value, complex):
            raise TypeError("a complex number is not cast to a part of a number")
        x = _core.where(is_one, _core.astype(value, x.dtype.code), x)
    return x


def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    given = array(x)
    if not is_float(given):
        return given.copy() if copy else given
    if given.dtype.kind == "c":
        found = _core.complex_of(*(_numbers_of(part(given), nan, posinf, neginf) for part in (_core.real, _core.imag)))
    else:
        found = _numbers_of(given, nan, posinf, neginf)
    if copy:
        return found
    if given is not x:
        raise NotHere("copy")  # NumPy writes to its own memory
    _core.write(given, _core.broadcast_to(found, given.shape))
    return given


# ---- Facts, which nothing is computed for ----


def common_type(*arrays: Any) -> Any:
    return numpy.common_type(*(numpy.empty(0, array(x).dtype.name) for x in arrays))


COMPARING: dict[str, Callable[..., Any]] = {
    "allclose": allclose,
    "angle": angle,
    "array_equal": array_equal,
    "array_equiv": array_equiv,
    "common_type": common_type,
    "fix": fix,
    "isclose": isclose,
    "iscomplex": iscomplex,
    "isneginf": _infinite(-math.inf),
    "isposinf": _infinite(math.inf),
    "isreal": isreal,
    "nan_to_num": nan_to_num,
    "real_if_close": real_if_close,
}
