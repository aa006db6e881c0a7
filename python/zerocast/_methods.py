"""NumPy's methods of arrays, beside those that the array API has."""

from __future__ import annotations

from . import _core, _dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def _operand(value: Any) -> Any:
    """Lists as arrays; numbers as they are."""
    from ._creation import asarray

    return asarray(value) if isinstance(value, (list, tuple, range)) else value


class Methods:
    """With NumPy's names and order of arguments; axis=None means the elements of all axes in a row, as there."""

    __slots__ = ()

    def argmax(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
        return _core.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
        return _core.argmin(self, axis=axis, keepdims=keepdims)

    def argsort(self: Any, axis: int | None = -1) -> Array:
        return _core.argsort(self.ravel(), 0, False) if axis is None else _core.argsort(self, axis, False)

    def clip(self: Any, min: Any = None, max: Any = None) -> Array:
        from ._functions import clip

        return clip(self, _operand(min), _operand(max))

    def conj(self: Any) -> Array:
        """Of real elements the array itself."""
        return _core.conj(self) if self.dtype.kind == "c" else self

    conjugate = conj

    def copy(self: Any) -> Array:
        """Another array, which changes by itself. No element is copied: what is written to either is recorded."""
        return type(self)(self)

    def cumprod(self: Any, axis: int | None = None, dtype: Any = None) -> Array:
        return self._cumulated("cumulative_prod", axis, dtype)

    def cumsum(self: Any, axis: int | None = None, dtype: Any = None) -> Array:
        return self._cumulated("cumulative_sum", axis, dtype)

    def _cumulated(self: Any, name: str, axis: int | None, dtype: Any) -> Array:
        from . import _functions

        return getattr(_functions, name)(self.ravel() if axis is None else self, axis=axis or 0, dtype=dtype)

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        return _core.diagonal(self, offset, axis1, axis2)

    def dot(self: Any, b: Any) -> Array:
        """Over the last axis of this one and the last but one of b."""
        from ._rearranging import tensordot

        other = _operand(b)
        if self.ndim == 0 or getattr(other, "ndim", 0) == 0:
            return _core.multiply(self, other)
        return tensordot(self, other, axes=([self.ndim - 1], [max(other.ndim - 2, 0)]))

    def fill(self: Any, value: Any) -> None:
        self[...] = value

    def flatten(self: Any, order: str = "C") -> Array:
        """ravel() as an array that shares no elements."""
        return _core.detached(self.ravel(order))

    def nonzero(self: Any) -> tuple[Array, ...]:
        return _core.nonzero(self)

    def prod(self: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        return _core.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def ravel(self: Any, order: str = "C") -> Array:
        """The elements in a row: in memory they lie in the order "C", so "A" and "K" are that; "F" is first axes first."""
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"ravel() takes the orders C, F, A and K, not {order!r}")
        x = self.T if order == "F" else self
        flat = _core.reshape(x, (-1,))
        return flat if flat.base is None or _core.is_contiguous(x) else _core.copied(flat)

    def repeat(self: Any, repeats: Any, axis: int | None = None) -> Array:
        from ._rearranging import repeat

        return repeat(self, _operand(repeats), axis=axis)

    def round(self: Any, decimals: int = 0) -> Array:
        """To whole numbers; to decimals as NumPy rounds to them."""
        if decimals == 0:
            return _core.round(self)
        import numpy

        return numpy.round(self, decimals)

    def searchsorted(self: Any, v: Any, side: str = "left") -> Array:
        """Where v would be put into this one, which is in order."""
        from ._functions import searchsorted

        return searchsorted(self, _operand(v), side=side)

    def sort(self: Any, axis: int = -1) -> None:
        """In place: the elements of this array, and of all that share them, are in order from now on."""
        _core.write(self, _core.sort(self, axis, False))

    def squeeze(self: Any, axis: Any = None) -> Array:
        from ._functions import squeeze

        return squeeze(self, axis)

    def std(self: Any, axis: Any = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Array:
        return _core.sqrt(self.var(axis, dtype, ddof=ddof, keepdims=keepdims))

    def swapaxes(self: Any, axis1: int, axis2: int) -> Array:
        return _core.swapaxes(self, axis1, axis2)

    def take(self: Any, indices: Any, axis: int | None = None) -> Array:
        from ._rearranging import take

        return take(self.ravel() if axis is None else self, indices, axis=axis or 0)

    def trace(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        return _core.trace(self, offset, axis1, axis2)

    def var(self: Any, axis: Any = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Array:
        x = self if dtype is None else _core.astype(self, _dtypes.code_of(dtype))
        return _core.var(x, axis, ddof, keepdims)
