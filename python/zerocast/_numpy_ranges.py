"""NumPy's ranges between numbers or arrays, by its names of arguments."""

from __future__ import annotations

import operator

import zerocast as zc

from . import _core, _dtypes
from ._arguments import is_number
from ._creation import _check_device
from ._numpy_reductions import array, dtype_named, in_dtype, operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array


def _float_kind(*operands: Any) -> _dtypes.DType:
    met = _dtypes.ALL[_core.result_type(operands)]
    return met if met.kind in "fc" else _dtypes.float64


def linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None,
             axis: int = 0, device: Any = None) -> Any:  # fmt: skip
    _check_device(device)
    count, wanted = operator.index(num), dtype_named(dtype)
    if count < 0:
        raise ValueError(f"a range has no {count} elements")
    first, last = operand(start), operand(stop)
    kind = _float_kind(first, last)
    if kind.kind == "c" and wanted is not None and wanted.kind in "iu":
        raise TypeError("linspace() rounds real numbers down to integers, and no complex ones")
    first, last = (_core.astype(end, kind.code) for end in (first, last))
    width, parts = _core.subtract(last, first), count - 1 if endpoint else count
    at = zc.reshape(in_dtype(_core.iota(count), kind), (-1,) + (1,) * width.ndim)
    step = _core.divide(width, parts) if parts > 0 else _core.astype(float("nan"), kind.code)
    if parts > 0:  # a step may be too small for a float
        is_tiny = _core.any(_core.equal(step, 0))
        found = _core.where(is_tiny, _core.multiply(_core.divide(at, parts), width), _core.multiply(at, step))
    else:
        found = _core.multiply(at, width)
    found = _core.add(found, first)
    if endpoint and count > 1:
        is_last = zc.reshape(_core.equal(_core.iota(count), count - 1), (-1,) + (1,) * width.ndim)
        found = _core.where(is_last, last, found)
    if wanted is not None and wanted.kind != "c":
        found = _core.real(found)
    if wanted is not None:
        found = in_dtype(_core.floor(found) if wanted.kind in "iu" else found, wanted)
    found = zc.moveaxis(found, 0, axis)
    return (found, step) if retstep else found


def logspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None,
             axis: int = 0) -> Array:  # fmt: skip
    start, stop, base = operand(start), operand(stop), operand(base)
    if not is_number(base) and base.ndim > 0:
        start, stop, base = zc.broadcast_arrays(array(start), array(stop), base)
        base = zc.expand_dims(base, axis=axis)
    found, wanted = _core.pow(base, linspace(start, stop, num, endpoint, axis=axis)), dtype_named(dtype)
    return found if wanted is None else in_dtype(found, wanted)


def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: int = 0) -> Array:
    """That no end is 0 is looked at when called."""
    count, ends, wanted = operator.index(num), [array(start), array(stop)], dtype_named(dtype)
    if any(bool(_core.any(_core.equal(end, 0))) for end in ends):
        raise ValueError("a geometric sequence has no 0")
    kind = _float_kind(*ends, 1.0, zc.zeros((), dtype=wanted))
    first, last = (in_dtype(end, kind) for end in ends)
    sign = _core.sign(first)
    first, last = _core.divide(first, sign), _core.divide(last, sign)
    found = in_dtype(logspace(_core.log10(first), _core.log10(last), count, endpoint), kind)
    at = zc.reshape(_core.iota(count), (-1,) + (1,) * (found.ndim - 1))
    found = _core.where(_core.equal(at, 0), first, found)
    if count > 1 and endpoint:
        found = _core.where(_core.equal(at, count - 1), last, found)
    return in_dtype(zc.moveaxis(_core.multiply(found, sign), 0, axis), wanted or kind)


RANGES: dict[str, Callable[..., Any]] = {"geomspace": geomspace, "linspace": linspace, "logspace": logspace}
