"""numpy.linalg's and numpy.fft's functions that are products, norms and moves of elements."""

from __future__ import annotations

import zerocast as zc

from . import _core
from ._arguments import integers
from ._numpy import NotHere
from ._numpy_reductions import array, dtype_named, norm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array


def cross(x1: Any, x2: Any, axis: int = -1) -> Array:
    a, b = array(x1), array(x2)
    if a.ndim == 0 or b.ndim == 0:
        raise NotHere
    a, b = zc.moveaxis(a, axis, -1), zc.moveaxis(b, axis, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise NotHere  # which is refused

    def product(i: int, j: int) -> Array:
        return _core.multiply(_core.index(a, a.ndim - 1, i), _core.index(b, b.ndim - 1, j))

    parts = [_core.subtract(product(i, j), product(j, i)) for i, j in ((1, 2), (2, 0), (0, 1))]
    return zc.moveaxis(zc.stack(parts, axis=-1), -1, axis)


def outer(x1: Any, x2: Any) -> Array:
    a, b = array(x1), array(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise NotHere  # which is refused
    return zc.outer(a, b)


def _matrices(x: Any) -> Array:
    found = array(x)
    if found.ndim < 2:
        raise NotHere  # which is refused
    return found


def matrix_norm(x: Any, keepdims: bool = False, ord: Any = "fro") -> Array:
    if ord != "fro":
        raise NotHere("ord")
    return norm(_matrices(x), ord, (-2, -1), keepdims)


def trace(x: Any, offset: int = 0, dtype: Any = None) -> Array:
    return zc.sum(zc.diagonal(_matrices(x), offset=offset, axis1=-2, axis2=-1), axis=-1, dtype=dtype_named(dtype))


def vector_norm(x: Any, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Array:
    a = array(x)
    a = a if a.dtype.kind in "fc" else _core.astype(a, zc.float64.code)
    return zc.vector_norm(a, axis=axis, keepdims=bool(keepdims), ord=ord)


def _shifted(sign: int) -> Callable[..., Array]:
    """Half of each axis goes to its other end."""

    def shift(x: Any, axes: Any = None) -> Array:
        a = array(x)
        along = tuple(range(a.ndim)) if axes is None else integers(axes)
        if not all(-a.ndim <= axis < a.ndim for axis in along):
            raise NotHere  # which is refused
        by = [n // 2 if sign > 0 else -(n // 2) for n in (a.shape[axis] for axis in along)]
        return zc.roll(a, by, axis=along) if along else a.copy()

    return shift


LINALG: dict[str, Callable[..., Any]] = {
    "cross": cross,
    "diagonal": lambda x, offset=0: zc.diagonal(_matrices(x), offset=offset, axis1=-2, axis2=-1),
    "matmul": lambda x1, x2: zc.matmul(array(x1), array(x2)),
    "matrix_norm": matrix_norm,
    "matrix_transpose": lambda x: zc.matrix_transpose(_matrices(x)),
    "norm": norm,
    "outer": outer,
    "tensordot": lambda x1, x2, axes=2: zc.tensordot(array(x1), array(x2), axes=axes),
    "trace": trace,
    "vecdot": lambda x1, x2, axis=-1: zc.vecdot(array(x1), array(x2), axis=axis),
    "vector_norm": vector_norm,
}
FFT: dict[str, Callable[..., Any]] = {"fftshift": _shifted(1), "ifftshift": _shifted(-1)}
