"""NumPy's methods of arrays, beside those that the array API has."""

from __future__ import annotations

import operator

from . import _core, _dtypes
from ._creation import asarray, copy_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


_ABSENT: Any = object()  # an argument that is not given


def _ask(name: str, x: Any, **named: Any) -> Any:
    """What NumPy's function gives of x and these arguments: lazily, where zerocast has them. Arrays are ours either way."""
    import numpy

    from ._numpy import COMPUTES, call_function, give

    given = {name: value for name, value in named.items() if value is not _ABSENT}
    return give(call_function(getattr(numpy, name), (), (x,), given, COMPUTES))


def check_order(order: Any) -> str:
    """The letter of an order, which NumPy takes in either case."""
    letter = order.upper() if isinstance(order, str) else order
    if letter not in ("C", "F", "A", "K"):
        raise ValueError(f"the orders are C, F, A and K, not {order!r}")
    return letter


def check_cast(given: Any, wanted: Any, casting: Any) -> None:
    if casting == "unsafe":
        return
    import numpy

    if not numpy.can_cast(given.dtype, wanted.dtype, casting):
        raise TypeError(f"{given} is not cast to {wanted} by the rule {casting!r}")


def element_at(x: Any, at: tuple[Any, ...]) -> Any:
    """The element with that number in a row, or at these positions, as an array of rank 0."""
    places = at[0] if len(at) == 1 and isinstance(at[0], tuple) else at
    places = tuple(map(operator.index, places))
    if len(places) == 1 and x.ndim != 1:
        number, size = places[0], x.size
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for {size} elements")
        places, number = (), number % size
        for extent in reversed(x.shape):
            number, place = divmod(number, extent)
            places = (place, *places)
    if len(places) != x.ndim:
        raise ValueError(f"{len(places)} positions of an element of {x.ndim} axes")
    return x[places]


def _operand(value: Any) -> Any:
    """Lists as arrays; numbers as they are."""
    return asarray(value) if isinstance(value, (list, tuple, range)) else value


def _asked(kind: Any, order: Any, stable: Any) -> dict[str, Any]:
    """The arguments of NumPy's sort() that are given."""
    return {name: value for name, value in {"kind": kind, "order": order, "stable": stable}.items() if value is not None}


class Methods:
    """With NumPy's names and order of arguments; axis=None means the elements of all axes in a row, as there. What the
    library does not do itself, such as out=, goes to NumPy's function of that name."""

    __slots__ = ()

    # ---- Reductions ----

    def all(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Array:
        if out is None and where is True:
            return _core.all(self, axis=axis, keepdims=keepdims)
        return _ask("all", self, axis=axis, out=out, keepdims=keepdims, where=where)

    def any(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Array:
        if out is None and where is True:
            return _core.any(self, axis=axis, keepdims=keepdims)
        return _ask("any", self, axis=axis, out=out, keepdims=keepdims, where=where)

    def max(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = _ABSENT,
            where: Any = True) -> Array:  # fmt: skip
        if out is None and initial is _ABSENT and where is True:
            return _core.max(self, axis=axis, keepdims=keepdims)
        return _ask("max", self, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)

    def min(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = _ABSENT,
            where: Any = True) -> Array:  # fmt: skip
        if out is None and initial is _ABSENT and where is True:
            return _core.min(self, axis=axis, keepdims=keepdims)
        return _ask("min", self, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where)

    def mean(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *,
             where: Any = True) -> Array:  # fmt: skip
        if out is None and where is True:
            return _core.mean(self, axis=axis, dtype=dtype, keepdims=keepdims)
        return _ask("mean", self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, where=where)

    def ptp(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
        """The largest less the smallest."""
        return _ask("ptp", self, axis=axis, out=out, keepdims=keepdims)

    def prod(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
             initial: Any = _ABSENT, where: Any = True) -> Array:  # fmt: skip
        if out is None and initial is _ABSENT and where is True:
            return _core.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)
        return _ask("prod", self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)

    def sum(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
            initial: Any = _ABSENT, where: Any = True) -> Array:  # fmt: skip
        if out is None and initial is _ABSENT and where is True:
            return _core.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)
        return _ask("sum", self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial, where=where)

    def std(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
            where: Any = True, mean: Any = _ABSENT) -> Array:  # fmt: skip
        if out is None and where is True and mean is _ABSENT:
            return _core.sqrt(self.var(axis, dtype, ddof=ddof, keepdims=keepdims))
        return _ask("std", self, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims, where=where, mean=mean)

    def var(self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
            where: Any = True, mean: Any = _ABSENT) -> Array:  # fmt: skip
        if out is not None or where is not True or mean is not _ABSENT:
            return _ask("var", self, axis=axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims, where=where, mean=mean)
        x = self if dtype is None else _core.astype(self, _dtypes.code_of(dtype))
        return _core.var(x, axis, ddof, keepdims)

    def argmax(self: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Array:
        found = _core.argmax(self, axis=axis, keepdims=keepdims)
        return found if out is None else _ask("argmax", self, axis=axis, out=out, keepdims=keepdims)

    def argmin(self: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Array:
        found = _core.argmin(self, axis=axis, keepdims=keepdims)
        return found if out is None else _ask("argmin", self, axis=axis, out=out, keepdims=keepdims)

    # ---- Order ----

    def argsort(self: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
        if kind is order is stable is None:
            return _core.argsort(self.ravel(), 0, False) if axis is None else _core.argsort(self, axis, False)
        return _ask("argsort", self, axis=axis, **_asked(kind, order, stable))

    def sort(self: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        """In place: the elements of this array, and of all that share them, are in order from now on."""
        is_plain = kind is order is stable is None
        found = _core.sort(self, axis, False) if is_plain else _ask("sort", self, axis=axis, **_asked(kind, order, stable))
        _core.write(self, found)

    def partition(self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
        """In place, as sort()."""
        _core.write(self, _ask("partition", self, kth=kth, axis=axis, kind=kind, order=order))

    def argpartition(self: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Array:
        return _ask("argpartition", self, kth=kth, axis=axis, kind=kind, order=order)

    def searchsorted(self: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
        """Where v would be put into this one, which is in order, or sorter tells its order."""
        from . import _functions

        return _functions.searchsorted(self, _operand(v), side=side, sorter=_operand(sorter))

    # ---- Elements ----

    def choose(self: Any, choices: Any, out: Any = None, mode: str = "raise") -> Array:
        return _ask("choose", self, choices=choices, out=out, mode=mode)

    def compress(self: Any, condition: Any, axis: int | None = None, out: Any = None) -> Array:
        """The slices along the axis for which the condition holds."""
        if out is not None:
            out[...] = self.compress(condition, axis)
            return out
        chosen = _core.nonzero(_operand(condition))
        n = self.size if axis is None else self.shape[axis]
        if len(chosen) != 1:
            raise ValueError(f"compress() takes a condition of one axis, not {len(chosen)}")
        if chosen[0].size and int(chosen[0][-1]) >= n:
            raise IndexError(f"a condition holds at {int(chosen[0][-1])}, along an axis of size {n}")
        return self.take(chosen[0], axis)

    def put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
        _ask("put", self, ind=indices, v=values, mode=mode)

    def clip(self: Any, min: Any = None, max: Any = None, out: Any = None) -> Array:
        from . import _functions

        if out is not None:
            return _ask("clip", self, a_min=min, a_max=max, out=out)
        return _functions.clip(self, _operand(min), _operand(max))

    def conj(self: Any) -> Array:
        """Of real elements the array itself."""
        return _core.conj(self) if self.dtype.kind == "c" else self

    conjugate = conj

    def copy(self: Any, order: str = "C") -> Array:
        """Another array, which changes by itself. Elements are copied where another library's memory holds them; else none
        is: what is written to either is recorded."""
        if order != "C":
            check_order(order)
        if not _core.is_foreign(self):
            return type(self)(self)
        return _core.made(copy_of(self))

    def cumprod(self: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
        return self._cumulated("cumprod", "cumulative_prod", axis, dtype, out)

    def cumsum(self: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
        return self._cumulated("cumsum", "cumulative_sum", axis, dtype, out)

    def _cumulated(self: Any, numpys: str, name: str, axis: int | None, dtype: Any, out: Any) -> Array:
        from . import _functions

        if out is not None:
            return _ask(numpys, self, axis=axis, dtype=dtype, out=out)
        return getattr(_functions, name)(self.ravel() if axis is None else self, axis=axis or 0, dtype=dtype)

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        return _core.diagonal(self, offset, axis1, axis2)

    def dot(self: Any, b: Any, out: Any = None) -> Array:
        """Over the last axis of this one and the last but one of b."""
        from . import _rearranging

        if out is not None:
            return _ask("dot", self, b=b, out=out)
        other = _operand(b)
        if self.ndim == 0 or getattr(other, "ndim", 0) == 0:
            return _core.multiply(self, other)
        return _rearranging.tensordot(self, other, axes=([self.ndim - 1], [max(other.ndim - 2, 0)]))

    def fill(self: Any, value: Any) -> None:
        self[...] = value

    def flatten(self: Any, order: str = "C") -> Array:
        """ravel() as an array that shares no elements."""
        flat = self.ravel(order)
        return copy_of(flat) if _core.is_foreign(self) else _core.detached(flat)

    def nonzero(self: Any) -> tuple[Array, ...]:
        return _core.nonzero(self)

    def ravel(self: Any, order: str = "C") -> Array:
        """The elements in a row: in memory they lie in the order "C", so "A" and "K" are that; "F" is first axes first."""
        x = self.T if check_order(order) == "F" else self
        flat = _core.reshape(x, (-1,))
        return flat if flat.base is None or _core.is_contiguous(x) else _core.copied(flat)

    def repeat(self: Any, repeats: Any, axis: int | None = None) -> Array:
        from . import _rearranging

        return _rearranging.repeat(self, _operand(repeats), axis=axis)

    def round(self: Any, decimals: int = 0, out: Any = None) -> Array:
        """To whole numbers; to decimals as NumPy rounds to them."""
        if decimals == 0 and out is None:
            return _core.round(self)
        return _ask("round", self, decimals=decimals, out=out)

    def squeeze(self: Any, axis: Any = None) -> Array:
        from . import _functions

        return _functions.squeeze(self, axis)

    def swapaxes(self: Any, axis1: int, axis2: int) -> Array:
        return _core.swapaxes(self, axis1, axis2)

    def take(self: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Array:
        from . import _rearranging

        if out is not None or mode != "raise":
            return _ask("take", self, indices=indices, axis=axis, out=out, mode=mode)
        return _rearranging.take(self.ravel() if axis is None else self, indices, axis=axis or 0)

    def trace(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
        if dtype is None and out is None:
            return _core.trace(self, offset, axis1, axis2)
        return _ask("trace", self, offset=offset, axis1=axis1, axis2=axis2, dtype=dtype, out=out)
