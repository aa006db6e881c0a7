"""The array API's functions that are no row of the library's tables, with its names and defaults."""

from __future__ import annotations

from collections import namedtuple

from . import _core, _dtypes
from ._arguments import integer, integers, is_list, is_number, resolve
from ._array import Cost
from ._creation import asarray, copy_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ._array import Array

__all__ = [
    "TopK", "UniqueAll", "UniqueCounts", "UniqueInverse", "argsort", "astype", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "clip", "compute", "conj", "cost", "count_nonzero", "cumulative_prod", "cumulative_sum",
    "diagonal", "diff", "expand_dims", "explain", "flip", "grad", "imag", "isin", "log_softmax", "matrix_transpose",
    "moveaxis", "nonzero", "permute_dims", "real", "reshape", "rot90", "save_all", "searchsorted",
    "sliding_window_view", "softmax", "softmax_sum", "sort", "split", "squeeze", "std", "stop_gradient", "swapaxes",
    "top_k", "trace", "transpose", "unique_all", "unique_counts", "unique_inverse", "unique_values", "unstack", "var",
    "variable", "vector_norm", "vjp", "where",
]

UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")
TopK = namedtuple("TopK", "values indices")

_int = int


def _only_axis(x: Array, axis: int | None, function: str) -> int:
    rank = asarray(x).ndim if axis is None else 1
    if rank != 1:
        raise ValueError(f"{function}() needs an axis where x has {rank}")
    return 0 if axis is None else axis


def _flat(x: Array) -> Array:
    x = asarray(x)
    return _core.reshape(x, (-1,)) if x.ndim != 1 else x


# ---- Elementwise ----


def _bounds(x: Array, min: Any, max: Any) -> tuple[Any, Any]:
    """Python's integers that bound nothing in the dtype in which these meet, if that is one of integers, are left out."""
    code = _core.result_type(tuple(one for one in (x, min, max) if one is not None and not isinstance(one, _int)))
    if _dtypes.of_kind(_dtypes.ALL[code], "integral"):
        least, most = _dtypes.limits(_dtypes.ALL[code])
        min = None if isinstance(min, _int) and min <= least else min
        max = None if isinstance(max, _int) and max >= most else max
    return min, max


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    """x between min and max, in the dtype in which they meet."""
    x = asarray(x)
    min, max = _bounds(x, min, max)
    if min is None and max is None:
        return _core.copy(x)
    if min is None or max is None:
        return _core.minimum(x, max) if min is None else _core.maximum(x, min)
    return _core.clip(x, min, max)


def where(condition: Array, x1: Any, x2: Any, /) -> Array:
    return _core.where(condition, x1, x2)


def real(x: Array, /) -> Array:
    return _core.real(x)


def imag(x: Array, /) -> Array:
    return _core.imag(x)


def conj(x: Array, /) -> Array:
    return _core.conj(x)


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """x in another dtype, as an array that shares nothing, unless copy is False and the dtype x's. Nothing is copied now."""
    if device not in (None, "cpu"):
        raise ValueError(f"there is the device 'cpu', and no {device!r}")
    return x.astype(dtype, copy=copy) if isinstance(x, _core.Array) else _core.astype(x, _dtypes.code_of(dtype))


def softmax(x: Array, /, *, axis: int = -1) -> Array:
    return _core.softmax(x, axis)


def log_softmax(x: Array, /, *, axis: int = -1) -> Array:
    return _core.log_softmax(x, axis)


def softmax_sum(scores: Array, values: Array, /, *, axis: int = -1) -> Array:
    return _core.softmax_sum(scores, values, axis)


# ---- Statistics ----


def var(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    return _core.var(x, axis, correction, keepdims)


def std(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    return _core.std(x, axis, correction, keepdims)


def count_nonzero(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    return _core.count_nonzero(x, axis, keepdims)


def _cumulate(function: Any, x: Array, axis: int | None, dtype: Any, include_initial: bool) -> Array:
    axis = _only_axis(x, axis, "a cumulative function")
    if dtype is None:
        return function(x, axis, include_initial)
    code = _dtypes.code_of(dtype)
    return _core.astype(function(_core.astype(x, code), axis, include_initial), code)


def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    return _cumulate(_core.cumulative_sum, x, axis, dtype, include_initial)


def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    return _cumulate(_core.cumulative_prod, x, axis, dtype, include_initial)


def _as_slab(part: Any, x: Array, axis: int) -> Any:
    """A number as what has x's sizes, but for one along the axis."""
    is_one = not isinstance(part, _core.Array) or part.ndim == 0
    if not is_one or asarray(part).ndim != 0:
        return part
    at = resolve(axis, x.ndim)
    return _core.broadcast_to(part, (*x.shape[:at], 1, *x.shape[at + 1 :]))


def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Array:
    """A number that is prepended or appended stands for elements along all other axes (NumPy)."""
    x = asarray(x)
    parts = [part if part is x else _as_slab(part, x, axis) for part in (prepend, x, append) if part is not None]
    return _core.diff(_core.concat(parts, axis) if len(parts) > 1 else x, axis, n)


def trace(x: Array, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return _core.trace(x, offset, axis1, axis2)


def vector_norm(x: Array, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Array:
    return _core.vector_norm(x, axis, ord, keepdims)


# ---- Sorting, searching, sets ----


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    return _core.sort(x, axis, descending)


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    return _core.argsort(x, axis, descending)


def top_k(x: Array, k: int, /, *, axis: int = -1, mode: str = "largest") -> TopK:
    if mode not in ("largest", "smallest"):
        raise ValueError(f"top_k() takes the mode 'largest' or 'smallest', not {mode!r}")
    return TopK(*_core.top_k(x, k, axis, mode == "largest"))


def searchsorted(x1: Array, x2: Any, /, *, side: str = "left", sorter: Array | None = None) -> Array:
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted() takes the side 'left' or 'right', not {side!r}")
    return _core.searchsorted(x1, x2, side == "right", sorter)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    return _core.nonzero(x)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    x1 = x1 if is_number(x1) else asarray(x1)
    if isinstance(x2, _int) and not -(1 << 63) <= x2 < 1 << 64 and isinstance(x1, _core.Array) and x1.dtype.kind in "biu":
        x2 = float("inf")  # as far off
    found = _core.isin(x1, x2)
    return _core.logical_not(found) if invert else found


def unique_values(x: Array, /) -> Array:
    x = asarray(x)
    return _unique_complex(x).values if _is_complex(x) else _core.unique_values(x)


def unique_counts(x: Array, /) -> UniqueCounts:
    x = asarray(x)
    if _is_complex(x):
        found = _unique_complex(x)
        return UniqueCounts(found.values, found.counts)
    return UniqueCounts(*_core.unique_counts(x))


def unique_inverse(x: Array, /) -> UniqueInverse:
    x = asarray(x)
    if _is_complex(x):
        found = _unique_complex(x)
        return UniqueInverse(found.values, found.inverse_indices)
    return UniqueInverse(*_core.unique_inverse(x))


def unique_all(x: Array, /) -> UniqueAll:
    x = asarray(x)
    return _unique_complex(x) if _is_complex(x) else UniqueAll(*_core.unique_all(x))


def _is_complex(x: Array) -> bool:
    return _dtypes.of_kind(x.dtype, "complex floating")


def _unique_complex(x: Array) -> UniqueAll:
    """In order of the real parts, then of the imaginary ones. Both sorts are stable, so the first of equals comes first."""
    flat = _core.materialize(_flat(x))
    n = flat.size
    order = _core.argsort(_core.imag(flat), 0, False)
    order = _core.take(order, _core.argsort(_core.take(_core.real(flat), order, 0), 0, False), 0)
    ordered = _core.materialize(_core.take(flat, order, 0))
    differs = _core.not_equal(_core.slice(ordered, 0, 1, n, 1), _core.slice(ordered, 0, 0, max(n - 1, 0), 1))
    begins = _core.concat([_core.broadcast_to(True, (min(n, 1),)), differs], 0)
    first = _core.nonzero(begins)[0]
    ends = _core.concat([_core.slice(first, 0, 1, first.size, 1), _core.broadcast_to(n, (min(n, 1),))], 0)
    ranks = _core.subtract(_core.cumulative_sum(begins, 0, False), 1)
    inverse = _core.take(ranks, _core.argsort(order, 0, False), 0) if n else ranks
    return UniqueAll(
        _core.materialize(_core.take(ordered, first, 0) if n else ordered),
        _core.materialize(_core.take(order, first, 0) if n else first),
        _core.materialize(_core.reshape(inverse, x.shape)),
        _core.materialize(_core.subtract(ends, first)),
    )


# ---- Views ----


def broadcast_to(x: Array, /, shape: Any) -> Array:
    return _core.broadcast_to(x, shape)


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Views of one shape, read-only where that is not the array's own."""
    given = [asarray(x) for x in arrays]
    shapes = [x.shape for x in _core.broadcast_arrays(given)]
    return tuple(x if x.shape == shape else _core.broadcast_to(x, shape) for x, shape in zip(given, shapes))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    zero = _core.iota(1)
    views = [_core.broadcast_to(_core.index(zero, 0, 0), shape) for shape in shapes]
    return _core.broadcast_arrays(views)[0].shape if views else ()


def reshape(x: Array, /, shape: Any, *, copy: bool | None = None) -> Array:
    if copy is False:
        return _core.reshape_view(x, shape)
    return copy_of(_core.reshape(x, shape)) if copy else _core.reshape(x, shape)


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    return _core.permute_dims(x, axes)


def matrix_transpose(x: Array, /) -> Array:
    return _core.matrix_transpose(x)


def swapaxes(x: Array, axis1: int, axis2: int, /) -> Array:
    return _core.swapaxes(x, axis1, axis2)


def transpose(x: Array, /, axes: Sequence[int] | None = None) -> Array:
    """NumPy's: all axes reversed, where none are given."""
    x = asarray(x)
    return _core.permute_dims(x, tuple(reversed(range(x.ndim))) if axes is None else axes)


def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    rank = asarray(x).ndim
    moved = [resolve(axis, rank) for axis in integers(source)]
    places = [resolve(axis, rank) for axis in integers(destination)]
    if len(moved) != len(places) or len(set(moved)) != len(moved) or len(set(places)) != len(places):
        raise ValueError("moveaxis() takes as many places as axes, each once")
    order = [axis for axis in range(rank) if axis not in moved]
    for place, axis in sorted(zip(places, moved)):
        order.insert(place, axis)
    return _core.permute_dims(x, order)


def expand_dims(x: Array, /, axis: Any = 0) -> Array:
    x = asarray(x)
    axes = integers(axis)
    rank = x.ndim + len(axes)
    places = [resolve(a, rank) for a in axes]
    if len(set(places)) != len(places):
        raise ValueError(f"an axis is named twice: {axis}")
    for place in sorted(places):
        x = _core.expand_dims(x, place)
    return x


def squeeze(x: Array, /, axis: Any = None) -> Array:
    if axis is None:
        axis = tuple(a for a, n in enumerate(asarray(x).shape) if n == 1)
    return _core.squeeze(x, axis)


def flip(x: Array, /, *, axis: Any = None) -> Array:
    return _core.flip(x, axis)


def rot90(x: Array, /, *, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    return _core.rot90(x, k, *axes)


def diagonal(x: Array, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return _core.diagonal(x, offset, axis1, axis2)


def sliding_window_view(x: Array, window_shape: Any, axis: Any = None) -> Array:
    return _core.sliding_window_view(x, window_shape, axis)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    x = asarray(x)
    along = resolve(axis, x.ndim)
    views = (_core.index(x, along, i) for i in range(x.shape[along]))
    return tuple(views if x.ndim > 1 else map(_core.detached, views))


def split(x: Array, sections: Any, /, *, axis: int = 0) -> list[Array]:
    """As many equal parts, or parts that begin at these positions (NumPy)."""
    x = asarray(x)
    n = x.shape[resolve(axis, x.ndim)]
    count = integer(sections)
    if count is not None:
        if count <= 0 or n % count != 0:
            raise ValueError(f"an axis of size {n} has no {count} equal parts")
        sections = range(n // count, n, n // count) if n else [0] * (count - 1)
    ends = [*integers(sections), n]
    return [_core.slice(x, axis, start, stop, 1) for start, stop in zip([0, *ends], ends)]


# ---- Computing, gradients ----


def compute(*arrays: Array, client: Any = None, limit: Any = None) -> tuple[Array, ...]:
    """The elements of all arrays, dense, computed in one run: what they have in common is computed once. The results have
    no history. client: of dask.distributed, whose workers compute them in pieces, as to_dask() has them, with `limit`
    bytes for each; the results have the same bits."""
    if client is not None:
        from ._cluster import compute_by

        return tuple(compute_by(client, arrays, limit))
    if limit is not None:
        raise TypeError("compute() takes a limit for the workers of a client")
    return _core.materialize_all(arrays)


def cost(*arrays: Array) -> Cost:
    """What compute() of these would take, before anything runs; logical_bytes is the sum of what they stand for."""
    return Cost(*_core.cost(arrays))


def explain(*arrays: Array, format: str = "text", brief: bool = False) -> str:
    """The one plan that compute() of these would run: "text", "json", "dot", or "brief", which brief=True asks for, too: a
    line per stage. Computes nothing."""
    forms = ("text", "json", "dot", "brief")
    if brief and format == "text":
        format = "brief"
    if format not in forms or (brief and format != "brief"):
        raise ValueError(f"explain() takes text, json, dot or brief, not {format!r}{' and brief=True' if brief else ''}")
    if not arrays:
        raise TypeError("explain() takes an array at least")
    return _core.explain(arrays, forms.index(format))


def save_all(arrays: Mapping[Any, Array], /) -> None:
    """Computes arrays in one run and saves each under its path: save_all({"mean.npy": m, "std.npy": s}). No file is
    replaced before all are written."""
    if not hasattr(arrays, "values"):
        raise TypeError(f"save_all() takes a dictionary of arrays by path, not {type(arrays)!r}")
    _core.save_all(tuple(arrays.values()), tuple(arrays))


def variable(x: Any, /) -> Array:
    """x as a variable to differentiate by: gradients pass also through what is computed at once from it (sort(),
    median(), materialize() ...), where those of other arrays are refused. Its elements are floats."""
    from ._creation import asarray

    return _core.variable(asarray(x))


def stop_gradient(x: Array, /) -> Array:
    """x's elements, held constant: gradients end here."""
    return _core.stop_gradient(x)


def _differentiable(y: Any) -> Array:
    if isinstance(y, _core.Array):
        return y  # type: ignore[return-value]
    raise TypeError(f"gradients are taken of an array, not of {type(y).__name__}")


def vjp(y: Array, x: Sequence[Array], /, delta: Array | None = None) -> tuple[Array, ...]:
    """The gradients of sum(y * delta) with respect to each x, lazy. At a corner they are the subgradient of least size: 0
    for a norm at the origin, std() of equal elements, and elements that where(), max() or a key did not choose."""
    if not is_list(x):
        raise TypeError(f"vjp() takes a list of arrays to differentiate by, not {type(x)!r}")
    return _core.vjp(_differentiable(y), delta, tuple(map(_differentiable, x)))


def grad(of: Any, x: Any = None, /, *, argnums: int | tuple[int, ...] = 0) -> Any:
    """grad(y, x): the gradient of sum(y) with respect to x. grad(f): a function that gives the gradient of f's result with
    respect to its first argument, or those that argnums names: arrays or numbers, which f takes as variable()s."""
    if isinstance(of, _core.Array):
        if isinstance(x, (list, tuple)):
            raise TypeError("grad(y, x) takes one array x; vjp(y, [a, b]) gives the gradients with respect to several")
        return vjp(of, (x,))[0]  # type: ignore[arg-type]
    if not callable(of):
        raise TypeError(f"grad() takes an array or a function, not {type(of).__name__}")
    numbers = integers(argnums)

    def gradient(*arguments: Any, **keywords: Any) -> Any:
        from ._array import Array

        given = list(arguments)
        variables = []
        for n in numbers:
            if not -len(given) <= n < len(given):
                raise ValueError(f"argnums has {n}, of a function that was given {len(given)} arguments by position")
            variables.append(variable(given[n]))
            given[n] = Array(variables[-1])  # f may write to it, which is nobody else's business
        found = vjp(of(*given, **keywords), variables)
        return found if is_list(argnums) else found[0]

    return gradient
