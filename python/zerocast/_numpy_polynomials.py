"""NumPy's functions of polynomials, which are arrays of coefficients from the highest degree on."""

from __future__ import annotations

import operator

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._numpy import NotHere
from ._numpy_calculus import convolve
from ._numpy_comparing import allclose
from ._numpy_reductions import array, in_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array


def _coefficients(p: Any) -> Array:
    if isinstance(p, numpy.poly1d):
        raise NotHere  # which the result is, too
    return array(p)


def _line(p: Any) -> Array:
    x = _coefficients(p)
    return zc.reshape(x, (1,)) if x.ndim == 0 else x


def _added(operation: Callable[[Any, Any], Array]) -> Callable[..., Array]:
    def combine(a1: Any, a2: Any) -> Array:
        first, second = _line(a1), _line(a2)
        size = max(first.shape[0], second.shape[0])
        padded = []
        for x, other in ((first, second), (second, first)):
            zeros = zc.zeros(size - x.shape[0], dtype=x.dtype)
            padded.append(zc.concat([zeros, x]) if x.shape[0] < other.shape[0] else x)
        return operation(*padded)

    return combine


def _multiplied(a1: Any, a2: Any) -> Array:
    """Zeros before the first other coefficient are left out: how many there are is looked at when called."""
    trimmed = []
    for x in (_line(a1), _line(a2)):
        if x.ndim != 1:
            raise ValueError(f"coefficients of a polynomial have one axis, not {x.ndim}")
        at = zc.nonzero(x)[0]
        trimmed.append(x[int(at[0]) :] if at.size else zc.zeros(1, dtype=x.dtype))
    return convolve(*trimmed)


def polydiv(u: Any, v: Any) -> tuple[Array, Array]:
    """The quotient and the rest, which small leading coefficients are left out of: they are looked at when called."""
    u, v = (_core.add(_line(x), 0.0) for x in (u, v))
    if u.ndim != 1 or v.ndim != 1 or u.size == 0 or v.size == 0:
        raise NotHere
    kind, n = _dtypes.ALL[_core.result_type((u, v))], v.size
    scale, rest = _core.divide(1.0, v[0]), in_dtype(u, kind)
    quotient = []
    for k in range(u.size - n + 1):
        quotient.append(in_dtype(_core.multiply(scale, rest[k]), kind))
        changed = _core.subtract(rest[k : k + n], _core.multiply(quotient[-1], v))
        rest = zc.concat([rest[:k], in_dtype(changed, kind), rest[k + n :]])
    while rest.size > 1 and allclose(rest[0], 0, rtol=1e-14):
        rest = rest[1:]
    return zc.stack(quotient) if quotient else zc.zeros(1, dtype=kind), rest


def _count(m: Any) -> int:
    if int(m) < 0:
        raise ValueError(f"a polynomial is derived or integrated 0 times or more, not {m}")
    return int(m)


def polyder(p: Any, m: Any = 1) -> Array:
    found = _coefficients(p)
    for _ in range(_count(m)):
        found = _core.multiply(found[:-1], zc.arange(len(found) - 1, 0, -1))
    return found


def polyint(p: Any, m: Any = 1, k: Any = None) -> Array:
    count = _count(m)
    constants = zc.zeros(count) if k is None else _line(k)
    if constants.size == 1 and count > 1:
        constants = _core.multiply(zc.broadcast_to(constants, (count,)), 1.0)
    if len(constants) < count:
        raise ValueError(f"{count} integrals take one constant or {count}, not {len(constants)}")
    found = _coefficients(p)
    for n in range(count):
        found = zc.concat([_core.divide(found, zc.arange(len(found), 0, -1)), constants[n : n + 1]])
    return found


def polyval(p: Any, x: Any) -> Array:
    coefficients, x = array(p), _coefficients(x)
    found = zc.zeros_like(x)
    for coefficient in coefficients:
        found = _core.add(_core.multiply(found, x), coefficient)
    return found


def poly(seq_of_zeros: Any) -> Any:
    """The polynomial with these roots. Roots that are conjugates of one another, which is looked at when called, make it
    real."""
    roots = _line(seq_of_zeros)
    if roots.ndim != 1:
        raise NotHere  # of a matrix
    if roots.size == 0:
        return 1.0
    kind = roots.dtype if roots.dtype.kind in "fc" and roots.dtype.itemsize > 2 else _dtypes.float64
    roots = in_dtype(roots, kind)
    found = zc.ones(1, dtype=kind)
    for n in range(operator.index(roots.size)):
        shifted = _core.multiply(found, _core.negative(roots[n]))
        found = zc.concat([found[:1], _core.add(found[1:], shifted[:-1]), shifted[-1:]])
    return _core.real(found) if kind.kind == "c" and _is_of_pairs(roots) else found


def _is_of_pairs(roots: Array) -> bool:
    from ._numpy_choosing import sort_complex

    return bool(_core.all(_core.equal(sort_complex(roots), sort_complex(_core.conj(roots)))))


POLYNOMIALS: dict[str, Callable[..., Any]] = {
    "poly": poly,
    "polyadd": _added(_core.add),
    "polyder": polyder,
    "polydiv": polydiv,
    "polyint": polyint,
    "polymul": _multiplied,
    "polysub": _added(_core.subtract),
    "polyval": polyval,
}
