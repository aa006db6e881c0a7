"""NumPy's names that are no functions: the class of arrays, grids and rows by subscripts, vectorized functions."""

from __future__ import annotations

import math

import numpy

import zerocast as zc

from .. import _core
from .._array import Array
from .._numpy import give, take
from .._numpy_ranges import linspace
from .._numpy_reductions import in_dtype
from ._making import NotOurs, _dtype, arange, array, asarray
from ._ufuncs import Ufunc
from ._wrapping import is_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def _count(key: slice) -> int:
    step, start = 1 if key.step is None else key.step, 0 if key.start is None else key.start
    if isinstance(step, complex):
        return int(abs(step))
    return max(math.ceil((key.stop - start) / step), 0)


def _points(key: slice) -> Array:
    """Along one axis: from start by steps, or, with a complex step, so many up to the stop."""
    step, start = 1 if key.step is None else key.step, 0 if key.start is None else key.start
    if not isinstance(step, complex):
        return arange(start, key.stop, step)
    n = _count(key)
    distance = (key.stop - start) / float(n - 1) if n > 1 else step
    kind = numpy.result_type(start, key.stop, 1.0)
    x = in_dtype(arange(n), _dtype(kind))  # type: ignore[arg-type]
    return _core.add(_core.multiply(x, distance if n > 1 else 1.0), start)


class _Grid:
    """Grids by slices: grid[0:3, 0:1:5j]. Open ones broadcast to the whole."""

    __slots__ = ("_is_open",)

    def __init__(self, is_open: bool) -> None:
        self._is_open = is_open

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _points(key)
        rows = [_points(each) for each in key]
        kind = _dtype(numpy.result_type(*(row.dtype.dtype for row in rows)))
        n = len(rows)
        rows = [zc.reshape(in_dtype(row, kind), (1,) * a + (-1,) + (1,) * (n - a - 1)) for a, row in enumerate(rows)]  # type: ignore[arg-type]
        if self._is_open:
            return tuple(rows)
        return zc.stack(list(zc.broadcast_arrays(*rows)))


class _Joined:
    """r_ and c_: what the subscript names, in a row or as columns. Numbers take the dtype of the arrays beside them."""

    __slots__ = ("_is_columns", "_theirs")

    def __init__(self, is_columns: bool) -> None:
        self._is_columns = is_columns
        self._theirs = numpy.c_ if is_columns else numpy.r_

    def _part(self, item: Any) -> Array:
        if isinstance(item, slice):
            step = 1 if item.step is None else item.step
            start = 0 if item.start is None else item.start
            is_count = isinstance(step, complex)
            item = linspace(start, item.stop, int(abs(step))) if is_count else arange(start, item.stop, step)
        x = asarray(item)
        if not self._is_columns:
            return array(x, copy=None, ndmin=1)
        return zc.reshape(x, (-1, 1)) if x.ndim < 2 else x

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        if items and isinstance(items[0], str):
            return give(numpy.asarray(self._theirs[take(key)]))  # NumPy's directives
        try:
            return self._joined(items)
        except NotOurs:
            return self._theirs[take(key)]

    def _joined(self, items: tuple[Any, ...]) -> Array:
        parts = [self._part(item) for item in items]
        kinds = [item if is_scalar(item) else part.dtype.dtype for item, part in zip(items, parts)]
        kind = _dtype(numpy.result_type(*kinds))
        return zc.concat([in_dtype(part, kind) for part in parts], axis=-1 if self._is_columns else 0)  # type: ignore[arg-type]


class vectorize(numpy.vectorize):
    """Calls the function for one element after the other; the results are zerocast's."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return give(super().__call__(*take(args), **take(kwargs)))


def ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    return numpy.ndenumerate(take(arr))


def isscalar(element: Any) -> bool:
    """Arrays of rank 0 count: they stand for NumPy's scalars."""
    return numpy.isscalar(element) or (isinstance(element, Array) and element.ndim == 0)


def isfortran(a: Any) -> bool:
    return bool(asarray(a).flags.fnc)


OWN: dict[str, Any] = {
    "c_": _Joined(True),
    "isfortran": isfortran,
    "isscalar": isscalar,
    "mgrid": _Grid(False),
    "ndarray": Array,
    "ndenumerate": ndenumerate,
    "ogrid": _Grid(True),
    "r_": _Joined(False),
    "ufunc": Ufunc,
    "vectorize": vectorize,
}
