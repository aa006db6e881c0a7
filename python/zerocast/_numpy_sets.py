"""NumPy's functions of sets and of counts, by its names of arguments. Sizes that depend on elements are found when called."""

from __future__ import annotations

import operator

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import resolve
from ._indexing import get
from ._numpy import NotHere, _leave_gradients
from ._numpy_choosing import order_of
from ._numpy_reductions import array, in_dtype, is_float

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array

# ---- Elements, each once ----


def _flat(x: Any) -> Array:
    return zc.reshape(array(x), (-1,))


def _differs(ordered: Array, equal_nan: Any) -> Array:
    """Whether each element but the first one is another one than that before it."""
    before, there = ordered[:-1], ordered[1:]
    differs = _core.not_equal(there, before)
    if equal_nan and is_float(ordered):
        differs = _core.logical_and(differs, _core.logical_not(_core.logical_and(_core.isnan(before), _core.isnan(there))))
    return differs


def _unique_all(x: Array, equal_nan: Any) -> tuple[Array, ...]:
    """Values, where each is first, which of them every element is, and how many are equal."""
    flat = _flat(x)
    order = order_of(flat)
    ordered = _core.materialize(zc.take(flat, order))
    begins = zc.concat([_core.broadcast_to(True, (min(flat.size, 1),)), _differs(ordered, equal_nan)])
    first = zc.nonzero(begins)[0]
    ranks = _core.subtract(zc.cumulative_sum(begins), 1)
    inverse = zc.reshape(zc.take(ranks, zc.argsort(order)), x.shape)
    ends = zc.concat([first[1:], _core.broadcast_to(flat.size, (min(flat.size, 1),))])
    return zc.take(ordered, first), zc.take(order, first), inverse, _core.subtract(ends, first)


def _unique_values(x: Array, equal_nan: Any) -> Array:
    """The values alone, which are in order: NaN comes last."""
    if x.dtype.kind == "c":
        return _unique_all(x, equal_nan)[0]
    found = zc.unique_values(x)
    more = int(_core.sum(_core.isnan(found))) - 1 if equal_nan and x.dtype.kind == "f" else 0
    return found[: found.size - more] if more > 0 else found


def _unique_lines(x: Array, axis: int, equal_nan: Any) -> tuple[Array, ...]:
    """The same of slices along an axis, which NumPy finds; values are taken from x."""
    along = resolve(axis, x.ndim)
    elements = numpy.asarray(zc.stop_gradient(x))
    _, *facts = numpy.unique(elements, True, True, True, along, equal_nan=bool(equal_nan))
    first, inverse, counts = map(zc.asarray, facts)
    return zc.take(x, first, axis=along), first, inverse, counts


def unique(ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False, axis: Any = None,
           equal_nan: Any = True) -> Any:  # fmt: skip
    x, asked = array(ar), (True, return_index, return_inverse, return_counts)
    if axis is not None and resolve(axis, x.ndim) >= 0 and x.ndim != 1:
        found = _unique_lines(x, axis, equal_nan)
    elif not any(asked[1:]):
        return _unique_values(x, equal_nan)
    else:
        found = _unique_all(x, equal_nan)
    results = tuple(result for result, is_asked in zip(found, asked) if is_asked)
    return results if len(results) > 1 else results[0]


def union1d(ar1: Any, ar2: Any) -> Array:
    return unique(zc.concat([array(ar1), array(ar2)], axis=None))


def intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False) -> Any:
    sets = [(_flat(ar), zc.arange(array(ar).size)) if assume_unique else unique(ar, return_index=True) for ar in (ar1, ar2)]
    (first, at_first), (second, at_second) = sets
    both = zc.concat([first, second])
    order = order_of(both)
    ordered = _core.materialize(zc.take(both, order))
    at = zc.nonzero(_core.logical_not(_differs(ordered, False)))[0]
    found = zc.take(ordered, at)
    if not return_indices:
        return found
    behind = _core.subtract(zc.take(order, _core.add(at, 1)), first.size)
    return found, zc.take(at_first, zc.take(order, at)), zc.take(at_second, behind)


def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Array:
    x = _flat(ar1) if assume_unique else unique(ar1)
    return x[_core.logical_not(_core.isin(x, _flat(ar2)))]


def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Array:
    both = zc.concat([_flat(ar) if assume_unique else unique(ar) for ar in (ar1, ar2)])
    if both.size == 0:
        return both
    ordered = _core.materialize(zc.take(both, order_of(both)))
    end = _core.broadcast_to(True, (1,))
    differs = zc.concat([end, _differs(ordered, False), end])
    return ordered[_core.logical_and(differs[1:], differs[:-1])]


# ---- Counts ----


def digitize(x: Any, bins: Any, right: Any = False) -> Array:
    x, edges = array(x), array(bins)
    if x.dtype.kind == "c":
        raise TypeError("complex numbers lie in no bins")
    if edges.ndim != 1:
        raise ValueError(f"edges of bins have one axis, not {edges.ndim}")
    side = "left" if right else "right"
    if bool(_core.all(_core.greater_equal(edges[1:], edges[:-1]))):
        return zc.searchsorted(edges, x, side=side)
    if not bool(_core.all(_core.less_equal(edges[1:], edges[:-1]))):
        raise ValueError("edges of bins increase or decrease")
    return _core.subtract(edges.size, zc.searchsorted(zc.flip(edges), x, side=side))


def _added_up(at: Array, count: int, values: Any) -> Array:
    """The sums of values at positions from 0 on, recorded."""
    found = zc.zeros(count, dtype=_dtypes.int64 if values is None else values.dtype)
    _core.update_at(found, get(_core.places(found), at), 1 if values is None else values, 1)
    return found


def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Array:
    given, least = array(x), operator.index(minlength)
    if given.ndim != 1 or least < 0:
        raise ValueError(f"integers of one axis are counted, not {given.ndim}, in 0 bins or more, not {least}")
    if given.dtype.kind not in "biu" and (given.size or hasattr(x, "dtype")):
        raise TypeError(f"integers are counted, not elements of {given.dtype}")
    if given.size == 0:
        return zc.zeros(least, dtype=zc.int64)
    given = in_dtype(given, _dtypes.int64)
    low, high = (int(end) for end in zc.compute(zc.min(given), zc.max(given)))
    if low < 0:
        raise ValueError(f"integers that are counted are not negative, as {low} is")
    return _added_up(given, max(high + 1, least), None if weights is None else _real_weights(weights, given))


def _real_weights(weights: Any, x: Array) -> Array:
    found = array(weights)
    if found.dtype.kind == "c":
        raise TypeError("complex numbers are no weights")
    if found.shape != x.shape:
        raise ValueError(f"elements of shape {x.shape} have as many weights, not {found.shape}")
    return in_dtype(found, _dtypes.float64)


def _scalar(x: Array) -> Any:
    """NumPy's scalar, which the edges are made of; no gradient is taken by it."""
    return _leave_gradients(x)[()]


def _ends(x: Array, range_: Any) -> Any:
    """The least and the largest element, where no range is given: they are looked at when called."""
    if range_ is not None or x.size == 0:
        return range_
    return tuple(map(_scalar, zc.compute(zc.min(x), zc.max(x)))) if not _core.varies(x) else (_scalar(zc.min(x)), 0)


def _edges(x: Array, bins: Any, range_: Any) -> tuple[Array, Any]:
    """The edges, which NumPy makes of two numbers, and the outermost ones where all bins are equally wide."""
    if isinstance(bins, str):
        raise NotHere("bins")  # a rule, which looks at all elements
    if isinstance(bins, _core.Array) and bins.ndim > 0:
        if bins.ndim != 1 or not bool(_core.all(_core.less_equal(bins[:-1], bins[1:]))):
            raise ValueError("edges of bins have one axis and increase")
        return bins, None  # type: ignore[return-value]
    is_count = numpy.ndim(bins) == 0
    ends = _ends(x, range_) if is_count else None
    edges = numpy.histogram_bin_edges(numpy.empty(0, x.dtype.name), int(bins) if isinstance(bins, _core.Array) else bins, ends)
    if not is_count:
        return array(edges), None
    low, high = (0, 1) if ends is None else ends
    if low == high:
        low, high = low - 0.5, high + 0.5
    return array(edges), (low, high)


def _counted(a: Any, weights: Any) -> tuple[Array, Array | None]:
    x = array(a)
    x = in_dtype(x, _dtypes.uint8) if x.dtype is _dtypes.bool_ else x
    if x.dtype.kind == "c":
        raise TypeError("complex numbers lie in no bins")
    w = None if weights is None else array(weights)
    if w is not None and w.shape != x.shape:
        raise ValueError(f"elements of shape {x.shape} have as many weights, not {w.shape}")
    return _flat(x), None if w is None else _flat(w)


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    return _edges(_counted(a, weights)[0], bins, range)[0]


def _equal_bins(x: Array, edges: Array, ends: Any) -> Array:
    """The bin that each element is in, by its distance from the first edge, set right beside the edges; one more stands for
    those outside."""
    n = edges.size - 1
    low, high = ends
    is_inside = _core.logical_and(_core.greater_equal(x, low), _core.less_equal(x, high))
    there = _core.where(is_inside, in_dtype(x, edges.dtype), edges[0])
    width = int(high) - int(low) if isinstance(low, (int, numpy.integer)) else high - low
    part = _core.multiply(_core.divide(_core.subtract(there, low), float(width)), n)
    at = in_dtype(part, _dtypes.int64)
    at = _core.clip(at, 0, n - 1)
    at = _core.subtract(at, _core.less(there, zc.take(edges, at)))
    at = _core.clip(at, 0, n - 1)
    is_above = _core.logical_and(_core.greater_equal(there, zc.take(edges, _core.add(at, 1))), _core.not_equal(at, n - 1))
    return _core.where(is_inside, _core.add(at, is_above), n)


def _given_bins(x: Array, edges: Array) -> Array:
    """The same among any edges, by a search, which is made when called."""
    n = edges.size - 1
    at = _core.subtract(zc.searchsorted(edges, x, side="right"), 1)
    last = edges[-1]
    at = _core.where(_core.equal(x, last), n - 1, at)
    is_inside = _core.logical_and(_core.greater_equal(at, 0), _core.less_equal(x, last))
    return _core.where(is_inside, at, n)


def _sums(at: Array, count: int, weights: Array | None) -> Array:
    """How many elements lie in each bin, or their weights, which are added up in float64."""
    if weights is None:
        return _added_up(at, count, None)
    if weights.dtype.kind == "c":
        parts = (_sums(at, count, part(weights)) for part in (_core.real, _core.imag))
        return in_dtype(_core.complex_of(*parts), weights.dtype)
    return in_dtype(_added_up(at, count, in_dtype(weights, _dtypes.float64)), weights.dtype)


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple[Array, Array]:
    x, w = _counted(a, weights)
    edges, ends = _edges(x, bins, range)
    if edges.size < 2 or ends is None and w is not None and w.dtype is _dtypes.bool_:
        raise NotHere
    at = _given_bins(x, edges) if ends is None else _equal_bins(x, edges, ends)
    found = _sums(at, edges.size, w)[:-1]
    if density:
        widths = in_dtype(zc.diff(edges), _dtypes.float64)
        found = _core.divide(_core.divide(found, widths), _core.sum(found))
    return found, edges


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None,
                weights: Any = None) -> tuple[Array, tuple[Array, ...]]:  # fmt: skip
    x = array(sample)
    if x.ndim != 2 or not hasattr(sample, "ndim"):  # a list has an array for each coordinate
        x = zc.matrix_transpose(zc.reshape(x, (1, -1)) if x.ndim < 2 else x)
    rank = x.shape[1]
    given = list(bins) if hasattr(bins, "__len__") else [bins] * rank
    if len(given) != rank or range is not None and len(range) != rank:
        raise ValueError(f"{rank} coordinates have as many bins and ranges")
    ranges = list((None,) * rank if range is None else range)
    ends = [_ends(x[:, k], one) if numpy.ndim(given[k]) == 0 else one for k, one in enumerate(ranges)]
    plain = [_leave_gradients(one) if isinstance(one, _core.Array) else one for one in given]
    edges = [array(one) for one in numpy.histogramdd(numpy.empty((0, rank)), plain, ends)[1]]
    at: Any = 0
    for k, one in enumerate(edges):
        place = zc.searchsorted(one, x[:, k], side="right")
        place = _core.subtract(place, _core.equal(x[:, k], one[-1]))
        at = _core.add(_core.multiply(at, one.size + 1), place)
    sizes = tuple(one.size + 1 for one in edges)
    w = None if weights is None else _real_weights(weights, x[:, 0])
    found = in_dtype(zc.reshape(_added_up(at, int(numpy.prod(sizes)), w), sizes), _dtypes.float64)
    found = found[(slice(1, -1),) * rank]
    if density:
        total = _core.sum(found)
        for k, one in enumerate(edges):
            found = _core.divide(found, zc.reshape(zc.diff(one), (-1,) + (1,) * (rank - k - 1)))
        found = _core.divide(found, total)
    return found, tuple(edges)


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None,
                weights: Any = None) -> tuple[Array, Array, Array]:  # fmt: skip
    x, y = array(x), array(y)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"coordinates have one axis of the same size, not {x.shape} and {y.shape}")
    bins = [bins, bins] if hasattr(bins, "__len__") and len(bins) not in (1, 2) else bins
    found, edges = histogramdd(zc.stack([x, y], axis=1), bins, range, density, weights)
    return found, edges[0], edges[1]


def _named(kind: Any, *asked: bool) -> Callable[[Any], Any]:
    return lambda x: kind(*(found for found, is_asked in zip(_unique_all(array(x), False), asked) if is_asked))


SETS: dict[str, Callable[..., Any]] = {
    "bincount": bincount,
    "digitize": digitize,
    "histogram": histogram,
    "histogram2d": histogram2d,
    "histogram_bin_edges": histogram_bin_edges,
    "histogramdd": histogramdd,
    "intersect1d": intersect1d,
    "setdiff1d": setdiff1d,
    "setxor1d": setxor1d,
    "union1d": union1d,
    "unique": unique,
    "unique_all": _named(zc.UniqueAll, True, True, True, True),
    "unique_counts": _named(zc.UniqueCounts, True, False, False, True),
    "unique_inverse": _named(zc.UniqueInverse, True, False, True, False),
    "unique_values": lambda x: _unique_values(array(x), False),
}
