"""NumPy's functions of differences, sums of products and values between points, by its names of arguments."""

from __future__ import annotations

import math

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import integers, is_number, resolve
from ._numpy import NotHere
from ._numpy_reductions import array, dtype_named, in_dtype, is_float, operand
from ._numpy_ufuncs import of_truths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array


def _floats(x: Array) -> Array:
    return x if is_float(x) else in_dtype(x, _dtypes.float64)


def _part(x: Array, axis: int, start: int | None, stop: int | None) -> Array:
    """A slice along one axis."""
    return x[(slice(None),) * axis + (slice(start, stop),)]


# ---- Differences ----


def ptp(a: Any, axis: Any = None, keepdims: Any = False) -> Array:
    x, keepdims = array(a), bool(keepdims)
    return _core.subtract(_core.max(x, axis=axis, keepdims=keepdims), _core.min(x, axis=axis, keepdims=keepdims))


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    x = zc.reshape(array(ary), (-1,))
    ends = [None if end is None else zc.reshape(array(end), (-1,)) for end in (to_begin, to_end)]
    for end in ends:
        if end is not None and not numpy.can_cast(end.dtype.dtype, x.dtype.dtype, "same_kind"):
            raise TypeError(f"differences of {x.dtype} do not begin or end with {end.dtype}")
    parts = (ends[0], _core.subtract(x[1:], x[:-1]), ends[1])
    return zc.concat([in_dtype(part, x.dtype) for part in parts if part is not None])


def _steps(given: Any, n: int) -> Any:
    """One distance, or those between neighbors. Equal ones of numbers are one, as NumPy has it; those of arrays of ours
    stay what gradients can be taken by."""
    distances = operand(given)
    if is_number(distances) or distances.ndim == 0:
        return distances
    if distances.ndim != 1 or distances.size != n:
        raise ValueError(f"positions along an axis of {n} elements have the shape ({n},), not {distances.shape}")
    is_list = isinstance(given, (list, tuple, range))
    if all(map(is_number, given)) if is_list else not isinstance(given, _core.Array):
        steps = numpy.diff(numpy.asarray(given) if is_float(distances) else numpy.asarray(given, float))
        if steps.size and (steps == steps[0]).all():
            return array(steps[0])
    return zc.diff(in_dtype(distances, _dtypes.float64) if distances.dtype.kind in "iu" else distances)


def _three(weights: Any, parts: list[Array]) -> Array:
    """A weighted sum of three parts, added from the first one on."""
    terms = [_core.multiply(w, part) for w, part in zip(weights, parts)]
    return _core.add(_core.add(terms[0], terms[1]), terms[2])


def _weighted(x: Array, axis: int, first: int, weights: Any) -> Array:
    """A weighted sum of three slices of one element each along the axis, which begin at the first."""
    return _three(weights, [_part(x, axis, first + k, first + k + 1 or None) for k in range(3)])


def _edges(x: Array, axis: int, step: Any, order: int) -> tuple[Array, Array]:
    """One-sided differences at both ends."""
    is_one = is_number(step) or step.ndim == 0
    if order == 1:
        first, last = (step, step) if is_one else (step[0], step[-1])
        low = _core.subtract(_part(x, axis, 1, 2), _part(x, axis, 0, 1))
        high = _core.subtract(_part(x, axis, -1, None), _part(x, axis, -2, -1))
        return _core.divide(low, first), _core.divide(high, last)
    if is_one:
        low_weights, high_weights = (-1.5 / step, 2.0 / step, -0.5 / step), (0.5 / step, -2.0 / step, 1.5 / step)
    else:
        d, e = step[0], step[1]
        low_weights = (-(2.0 * d + e) / (d * (d + e)), (d + e) / (d * e), -d / (e * (d + e)))
        d, e = step[-2], step[-1]
        high_weights = (e / (d * (d + e)), -(e + d) / (d * e), (2.0 * e + d) / (e * (d + e)))
    return _weighted(x, axis, 0, low_weights), _weighted(x, axis, -3, high_weights)


def _inner_differences(x: Array, axis: int, step: Any) -> Array:
    """Central differences, of the second order also where distances differ."""
    before, there, after = _part(x, axis, 0, -2), _part(x, axis, 1, -1), _part(x, axis, 2, None)
    if is_number(step) or step.ndim == 0:
        return _core.divide(_core.subtract(after, before), 2.0 * step)
    d, e = (zc.reshape(part, (-1,) + (1,) * (x.ndim - axis - 1)) for part in (step[:-1], step[1:]))
    weights = (-e / (d * (d + e)), (e - d) / (d * e), d / (e * (d + e)))
    return _three(weights, [before, there, after])


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    x = array(f)
    axes = range(x.ndim) if axis is None else [resolve(a, x.ndim) for a in integers(axis)]
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is named twice: {axis}")
    if len(varargs) not in (0, 1, len(axes)) or len(varargs) == 1 != len(axes) and numpy.ndim(varargs[0]) != 0:
        raise TypeError(f"distances are one number, or given for each of {len(axes)} axes")
    if edge_order > 2:
        raise ValueError(f"differences at the ends are of order 1 or 2, not {edge_order}")
    given = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    steps = [_steps(one, x.shape[a]) for one, a in zip(given, axes)]
    kind = x.dtype if is_float(x) else _dtypes.float64
    x = in_dtype(x, kind) if x.dtype.kind in "iu" else x  # bools have no differences
    found = []
    for along, step in zip(axes, steps):
        if x.shape[along] < edge_order + 1:
            raise ValueError(f"differences take {edge_order + 1} elements or more along an axis, not {x.shape[along]}")
        low, high = _edges(x, along, step, edge_order)
        parts = (low, _inner_differences(x, along, step), high)
        found.append(zc.concat([in_dtype(part, kind) for part in parts], axis=along))
    return found[0] if len(found) == 1 else tuple(found)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    y = array(y)
    along = resolve(axis, y.ndim)
    width = operand(dx)
    if x is not None:
        at = array(x)
        width = zc.diff(at, axis=0 if at.ndim == 1 else axis)
        width = zc.reshape(width, (-1,) + (1,) * (y.ndim - along - 1)) if at.ndim == 1 else width
    pairs = _core.add(_part(y, along, 1, None), _part(y, along, 0, -1))
    return _core.sum(_core.divide(_core.multiply(width, pairs), 2.0), axis=along)


def unwrap(p: Any, discont: Any = None, axis: int = -1, period: Any = 2 * math.pi) -> Array:
    x, period = array(p), operand(period)
    along, steps = resolve(axis, x.ndim), zc.diff(x, axis=axis)
    kind = _dtypes.ALL[_core.result_type((steps, period))]
    discont = period / 2 if discont is None else operand(discont)
    is_whole = kind.kind in "iu"
    high = period // 2 if is_whole else period / 2
    wrapped = _core.add(_core.remainder(_core.subtract(steps, -high), period), -high)
    if not is_whole or period % 2 == 0:  # a half of the period up stays one up
        is_up = _core.logical_and(_core.equal(wrapped, -high), _core.greater(steps, 0))
        wrapped = _core.where(is_up, _core.astype(high, wrapped.dtype.code), wrapped)
    correction = _core.subtract(wrapped, steps)
    zero = _core.astype(0, correction.dtype.code)
    correction = _core.where(_core.less(_core.abs(steps), discont), zero, correction)
    rest = _core.add(_part(x, along, 1, None), zc.cumulative_sum(correction, axis=along))
    return zc.concat([in_dtype(part, kind) for part in (_part(x, along, 0, 1), rest)], axis=along)


# ---- Elementwise ----


def sinc(x: Any) -> Array:
    turned = _core.multiply(_floats(array(x)), math.pi)
    least = float(numpy.finfo(turned.dtype.dtype).eps) if turned.dtype.kind == "f" else 1e-20
    turned = _core.where(_core.not_equal(turned, 0), turned, least)
    return _core.divide(_core.sin(turned), turned)


# ---- Products ----


def inner(a: Any, b: Any) -> Array:
    a, b = array(a), array(b)
    if a.ndim == 0 or b.ndim == 0:
        return _core.multiply(a, b)
    return of_truths(lambda x, y: zc.tensordot(x, y, axes=([x.ndim - 1], [y.ndim - 1])), a, b)


def vdot(a: Any, b: Any) -> Array:
    a, b = (zc.reshape(array(x), (-1,)) for x in (a, b))
    if a.size != b.size:
        raise ValueError(f"a product of {a.size} and {b.size} elements")
    return of_truths(zc.vecdot, a, b)


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Array:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = array(a), array(b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("a product of vectors takes an axis or more")
    a, b = zc.moveaxis(a, axisa, -1), zc.moveaxis(b, axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise NotHere  # vectors of two elements are going to leave NumPy
    (after_a, before_a), (after_b, before_b) = ([zc.roll(x, k, axis=-1) for k in (-1, 1)] for x in (a, b))
    product = _core.subtract(_core.multiply(after_a, before_b), _core.multiply(before_a, after_b))
    return zc.moveaxis(product, -1, axisc)


_CONVOLUTIONS = {"valid": 0, "same": 1, "full": 2}


def _beside(x: Array, y: Array, first: int, count: int) -> Array:
    """Elements of the whole convolution from the first one on, of which windows reach beyond x: nothing there is
    multiplied, since y may be infinite."""
    m, n = x.size, y.size
    windows = zc.sliding_window_view(zc.pad(x, n - 1), n)[first : first + count]
    if x.dtype.kind == "b":
        return _core.any(_core.logical_and(windows, y), axis=-1)
    if not is_float(x):
        return zc.matmul(windows, y)
    at = _core.add(_core.expand_dims(_core.iota(count), 1), _core.add(_core.iota(n), first - n + 1))
    is_inside = _core.logical_and(_core.greater_equal(at, 0), _core.less(at, m))
    products = _core.where(is_inside, _core.multiply(windows, y), _core.astype(0, x.dtype.code))
    return _core.sum(products, axis=-1, dtype=x.dtype)


def _slid(x: Array, y: Array, mode: Any) -> Array:
    """The convolution with y, which has no more elements than x, as sums over windows of x."""
    mode, m, n = _CONVOLUTIONS.get(mode, mode), x.size, y.size
    if mode not in (0, 1, 2):
        raise NotHere("mode")
    kind = _dtypes.ALL[_core.result_type((x, y))]
    first, count = ((n - 1, m - n + 1), (n - n // 2 - 1, m), (0, m + n - 1))[mode]
    x, y = in_dtype(x, kind), zc.flip(in_dtype(y, kind))
    if kind.kind == "b" or m < 2 * n and mode:
        return _beside(x, y, first, count)
    inside = zc.matmul(zc.sliding_window_view(x, n), y)
    if mode == 0 or n == 1:
        return inside
    return zc.concat([_beside(x, y, first, n - 1 - first), inside, _beside(x, y, m, first + count - m)])


def _check_lines(a: Array, v: Array) -> None:
    if a.ndim != 1 or v.ndim != 1 or a.size == 0 or v.size == 0:
        raise ValueError(f"these take arrays of one axis that are not empty, not of shapes {a.shape} and {v.shape}")


def convolve(a: Any, v: Any, mode: Any = "full") -> Array:
    a, v = (zc.reshape(x, (1,)) if x.ndim == 0 else x for x in (array(a), array(v)))
    _check_lines(a, v)
    return _slid(a, v, mode) if a.size >= v.size else _slid(v, a, mode)


def correlate(a: Any, v: Any, mode: Any = "valid") -> Array:
    a, v = array(a), array(v)
    _check_lines(a, v)
    v = _core.conj(v) if v.dtype.kind == "c" else v
    return _slid(a, zc.flip(v), mode) if a.size >= v.size else zc.flip(_slid(v, zc.flip(a), mode))


def _weights(fweights: Any, aweights: Any, n: int) -> list[Array | None]:
    """The two kinds of weights, which are looked at when the function is called."""
    found: list[Array | None] = []
    for weights, is_whole in ((fweights, True), (aweights, False)):
        w = None if weights is None else zc.astype(array(weights), zc.float64)
        if w is not None:
            if is_whole and not bool(_core.all(_core.equal(w, _core.round(w)))):
                raise TypeError("weights that count observations are integers")
            if w.shape != (n,):
                raise RuntimeError(f"{n} observations have weights of the shape ({n},), not {w.shape}")
            if bool(_core.any(_core.less(w, 0))):
                raise ValueError("weights of observations are not negative")
        found.append(w)
    return found


def _observed(m: Array, rowvar: Any, dtype: _dtypes.DType) -> Array:
    x = in_dtype(m, dtype)
    return zc.reshape(x, (1, -1)) if x.ndim < 2 else x if rowvar else zc.matrix_transpose(x)


def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
        aweights: Any = None, dtype: Any = None) -> Array:  # fmt: skip
    given = [array(x) for x in (m, y) if x is not None]
    if any(x.ndim > 2 for x in given) or ddof is not None and ddof != int(ddof):
        raise ValueError("covariances are of arrays of 2 axes at most, and ddof is an integer")
    wide = _dtypes.complex128 if any(x.dtype.kind == "c" for x in given) else _dtypes.float64
    kind = dtype_named(dtype) or wide
    x = _observed(given[0], rowvar, kind)
    if x.shape[0] == 0:
        return zc.zeros((0, 0))
    if y is not None:
        other = zc.reshape(given[1], (1, -1)) if given[1].ndim < 2 else given[1]
        x = zc.concat([x, _observed(other, rowvar or other.shape[0] == 1, kind)])
    ddof = (0 if bias else 1) if ddof is None else ddof
    counts, importance = _weights(fweights, aweights, x.shape[1])
    if counts is None and importance is None:
        rest = x.shape[1] - ddof
        distance = _core.subtract(x, _core.mean(x, axis=1, keepdims=True))
        products = zc.matmul(distance, _core.conj(zc.matrix_transpose(distance)))
        return zc.squeeze(in_dtype(_core.multiply(products, 1 / rest if rest > 0 else math.inf), kind))
    w = counts if importance is None else importance if counts is None else _core.multiply(counts, importance)
    assert w is not None
    total = _core.sum(w)
    if float(total) == 0:
        raise ZeroDivisionError("weights sum to zero")
    rest_ = _core.subtract(total, ddof if importance is None else ddof * _core.sum(w * importance) / total)
    average = _core.divide(_core.sum(_core.multiply(x, w), axis=1, keepdims=True), total)
    distance = _core.subtract(x, average)
    products = zc.matmul(distance, _core.conj(zc.matrix_transpose(_core.multiply(distance, w))))
    return zc.squeeze(in_dtype(_core.multiply(products, _core.divide(1.0, _core.maximum(rest_, 0.0))), kind))


def corrcoef(x: Any, y: Any = None, rowvar: Any = True, dtype: Any = None) -> Array:
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return _core.divide(c, c)
    deviation = _core.sqrt(_core.real(zc.diagonal(c)))
    c = _core.divide(_core.divide(c, _core.expand_dims(deviation, 1)), deviation)
    if c.dtype.kind != "c":
        return zc.clip(c, -1, 1)
    return _core.complex_of(zc.clip(_core.real(c), -1, 1), zc.clip(_core.imag(c), -1, 1))


# ---- Between points ----


def _by_reciprocal(rise: Array, run: Array) -> Array:
    """The quotient as NumPy rounds it for parts of complex numbers."""
    return _core.multiply(rise, _core.divide(1.0, run))


def _between(x: Array, xp: Array, fp: Array, at: Array, ends: tuple[Array, Array], rise_over: Callable[..., Array]) -> Array:
    """Values on the lines between points, where x lies behind point number `at`."""
    left, right = ends
    n = xp.size
    last = _core.index(fp, 0, n - 1)
    if n == 1:
        return _core.where(_core.less(x, xp), left, _core.where(_core.greater(x, xp), right, last))
    low = _core.clip(at, 0, n - 2)
    x0, f0 = (zc.take(points, low, axis=0) for points in (xp, fp))
    x1, f1 = (zc.take(points, _core.add(low, 1), axis=0) for points in (xp, fp))
    slope = rise_over(_core.subtract(f1, f0), _core.subtract(x1, x0))
    from_low, from_high = (_core.add(_core.multiply(slope, _core.subtract(x, at_)), f) for at_, f in ((x0, f0), (x1, f1)))
    is_flat = _core.logical_and(_core.isnan(from_high), _core.equal(f0, f1))
    found = _core.where(_core.isnan(from_low), _core.where(is_flat, f0, from_high), from_low)
    found = _core.where(_core.equal(x0, x), f0, found)
    found = _core.where(_core.equal(at, n - 1), last, found)
    found = _core.where(_core.less(at, 0), left, found)
    found = _core.where(_core.greater(x, _core.index(xp, 0, n - 1)), right, found)
    return _core.where(_core.isnan(x), x, found)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Array:
    """Where x lies among the points is found when the function is called; the rest is recorded."""
    x, xp, fp = array(x), array(xp), array(fp)
    if x.dtype.kind == "c" or xp.dtype.kind == "c":
        raise TypeError("positions are real numbers")
    if xp.ndim != 1 or fp.ndim != 1 or xp.size != fp.size or xp.size == 0:
        raise ValueError(f"points have one axis of the same size, which is not 0: not {xp.shape} and {fp.shape}")
    kind = _dtypes.complex128 if fp.dtype.kind == "c" else _dtypes.float64
    x, xp, fp = in_dtype(x, _dtypes.float64), in_dtype(xp, _dtypes.float64), in_dtype(fp, kind)
    if period is not None:
        if period == 0:
            raise ValueError("a period is not 0")
        period, left, right = abs(period), None, None
        x, xp = _core.remainder(x, period), _core.remainder(xp, period)
        order = zc.argsort(xp)
        xp, fp = zc.take(xp, order), zc.take(fp, order)
        xp = zc.concat([_core.subtract(xp[-1:], period), xp, _core.add(xp[:1], period)])
        fp = zc.concat([fp[-1:], fp, fp[:1]])
    left, right = (fp[k] if end is None else _core.astype(operand(end), kind.code) for k, end in ((0, left), (-1, right)))
    at = _core.subtract(zc.searchsorted(xp, x, side="right"), 1)
    if kind is _dtypes.float64:
        return _between(x, xp, fp, at, (left, right), _core.divide)
    parts = [(part(fp), (part(left), part(right))) for part in (_core.real, _core.imag)]
    return _core.complex_of(*(_between(x, xp, values, at, ends, _by_reciprocal) for values, ends in parts))


CALCULUS: dict[str, Callable[..., Any]] = {
    "convolve": convolve,
    "corrcoef": corrcoef,
    "correlate": correlate,
    "cov": cov,
    "cross": cross,
    "ediff1d": ediff1d,
    "gradient": gradient,
    "inner": inner,
    "interp": interp,
    "ptp": ptp,
    "sinc": sinc,
    "trapezoid": trapezoid,
    "unwrap": unwrap,
    "vdot": vdot,
}
