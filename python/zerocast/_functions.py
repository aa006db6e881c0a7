"""The array API's functions that are no row of the library's tables, with its names and defaults."""

from __future__ import annotations

from collections import namedtuple

from . import _core, _dtypes
from ._array import Cost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ._array import Array

UniqueAll = namedtuple("UniqueAll", "values indices inverse_indices counts")
UniqueCounts = namedtuple("UniqueCounts", "values counts")
UniqueInverse = namedtuple("UniqueInverse", "values inverse_indices")
TopK = namedtuple("TopK", "values indices")

_int = int


def _only_axis(x: Array, axis: int | None, function: str) -> int:
    if axis is None and x.ndim != 1:
        raise ValueError(f"{function}() needs an axis where x has {x.ndim}")
    return 0 if axis is None else axis


def _flat(x: Array) -> Array:
    return _core.reshape(x, (-1,)) if x.ndim != 1 else x


# ---- Elementwise ----


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    if min is None and max is None:
        return _core.copy(x)
    dtype = x.dtype
    if min is None or max is None:
        bound = _core.minimum(x, max) if min is None else _core.maximum(x, min)
    else:
        bound = _core.clip(x, min, max)
    return bound if bound.dtype is dtype else _core.astype(bound, dtype.code)


def where(condition: Array, x1: Any, x2: Any, /) -> Array:
    return _core.where(condition, x1, x2)


def real(x: Array, /) -> Array:
    return _core.real(x)


def imag(x: Array, /) -> Array:
    return _core.imag(x)


def conj(x: Array, /) -> Array:
    return _core.conj(x)


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """x in another dtype. What is recorded changes nothing, so nothing is copied where the dtype is x's."""
    if device not in (None, "cpu"):
        raise ValueError(f"there is the device 'cpu', and no {device!r}")
    return _core.astype(x, _dtypes.code_of(dtype))


def softmax(x: Array, /, *, axis: int = -1) -> Array:
    return _core.softmax(x, axis)


def log_softmax(x: Array, /, *, axis: int = -1) -> Array:
    return _core.log_softmax(x, axis)


# ---- Statistics ----


def var(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    return _core.var(x, axis, correction, keepdims)


def std(x: Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    return _core.std(x, axis, correction, keepdims)


def logsumexp(x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    return _core.logsumexp(x, axis, keepdims)


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


def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None) -> Array:
    parts = [part for part in (prepend, x, append) if part is not None]
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
    found = _core.isin(x1, x2)
    return _core.logical_not(found) if invert else found


def unique_values(x: Array, /) -> Array:
    return _unique_complex(x).values if _is_complex(x) else _core.unique_values(x)


def unique_counts(x: Array, /) -> UniqueCounts:
    if _is_complex(x):
        found = _unique_complex(x)
        return UniqueCounts(found.values, found.counts)
    return UniqueCounts(*_core.unique_counts(x))


def unique_inverse(x: Array, /) -> UniqueInverse:
    if _is_complex(x):
        found = _unique_complex(x)
        return UniqueInverse(found.values, found.inverse_indices)
    return UniqueInverse(*_core.unique_inverse(x))


def unique_all(x: Array, /) -> UniqueAll:
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
    return _core.broadcast_arrays(arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    zero = _core.iota(1)
    views = [_core.broadcast_to(_core.index(zero, 0, 0), shape) for shape in shapes]
    return _core.broadcast_arrays(views)[0].shape if views else ()


def reshape(x: Array, /, shape: Any, *, copy: bool | None = None) -> Array:
    if copy is False:
        return _core.reshape_view(x, shape)
    return _core.copy(_core.reshape(x, shape)) if copy else _core.reshape(x, shape)


def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    return _core.permute_dims(x, axes)


def matrix_transpose(x: Array, /) -> Array:
    return _core.matrix_transpose(x)


def swapaxes(x: Array, axis1: int, axis2: int, /) -> Array:
    return _core.swapaxes(x, axis1, axis2)


def transpose(x: Array, /, axes: Sequence[int] | None = None) -> Array:
    """NumPy's: all axes reversed, where none are given."""
    return _core.permute_dims(x, tuple(reversed(range(x.ndim))) if axes is None else axes)


def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    if isinstance(source, _int) and isinstance(destination, _int):
        return _core.moveaxis(x, source, destination)
    moved = [axis % x.ndim if -x.ndim <= axis < x.ndim else axis for axis in source]
    places = [axis % x.ndim if -x.ndim <= axis < x.ndim else axis for axis in destination]
    if len(moved) != len(places) or len(set(moved)) != len(moved) or len(set(places)) != len(places):
        raise ValueError("moveaxis() takes as many places as axes, each once")
    order = [axis for axis in range(x.ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved)):
        order.insert(place, axis)
    return _core.permute_dims(x, order)


def expand_dims(x: Array, /, axis: Any = 0) -> Array:
    if isinstance(axis, _int):
        if not -x.ndim - 1 <= axis <= x.ndim:
            raise IndexError(f"axis {axis} is out of bounds for {x.ndim} axes and a new one")
        return _core.expand_dims(x, axis)
    rank = x.ndim + len(axis)
    if any(not -rank <= a < rank for a in axis):
        raise IndexError(f"an axis of {axis} is out of bounds for {rank} axes")
    if len({a % rank for a in axis}) != len(axis):
        raise ValueError(f"an axis is named twice: {axis}")
    for a in sorted(a % rank for a in axis):
        x = _core.expand_dims(x, a)
    return x


def squeeze(x: Array, /, axis: Any = None) -> Array:
    if axis is None:
        axis = tuple(a for a, n in enumerate(x.shape) if n == 1)
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
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of bounds for {x.ndim} axes")
    return tuple(_core.index(x, axis, i) for i in range(x.shape[axis]))


def split(x: Array, sections: Any, /, *, axis: int = 0) -> list[Array]:
    """As many equal parts, or parts that begin at these positions (NumPy)."""
    n = x.shape[axis]
    if isinstance(sections, _int):
        if sections <= 0 or n % sections != 0:
            raise ValueError(f"an axis of size {n} has no {sections} equal parts")
        return list(_core.split(x, axis, [n // sections] * sections))
    ends = [*sections, n]
    return [_core.slice(x, axis, start, stop, 1) for start, stop in zip([0, *ends], ends)]


# ---- Rearranging ----


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    if axis is None:
        return _core.concat([_flat(x) for x in arrays], 0)
    return _core.concat(arrays, axis)


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    return _core.stack(arrays, axis)


def roll(x: Array, /, shift: Any, *, axis: Any = None) -> Array:
    if axis is None:
        return _core.reshape(_core.roll(_flat(x), (shift,), (0,)), x.shape)
    axes = (axis,) if isinstance(axis, _int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, _int) else tuple(shift)
    if len(shifts) != len(axes):
        raise ValueError(f"roll() takes as many shifts as axes, not {len(shifts)} and {len(axes)}")
    return _core.roll(x, shifts, axes)


_PAD_MODES = {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3, "wrap": 4}


def _pad_widths(widths: Any, rank: int) -> list[tuple[int, int]]:
    """NumPy's forms: a number, a pair for every axis, or a pair per axis."""
    if isinstance(widths, _int):
        return [(widths, widths)] * rank
    if len(widths) == 2 and isinstance(widths[0], _int):
        return [(widths[0], widths[1])] * rank
    pairs = [(w, w) if isinstance(w, _int) else (w[0], w[-1]) for w in widths]
    if len(pairs) not in (1, rank):
        raise ValueError(f"pad() takes a pair for each of {rank} axes, not {len(pairs)}")
    return pairs * rank if len(pairs) == 1 else pairs


def pad(x: Array, pad_width: Any, /, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    """Elements more before and behind each axis (NumPy)."""
    if mode not in _PAD_MODES:
        raise ValueError(f"pad() takes the modes {', '.join(_PAD_MODES)}, not {mode!r}")
    widths = _pad_widths(pad_width, x.ndim)
    value = constant_values if mode == "constant" else None
    return _core.pad(x, [w[0] for w in widths], [w[1] for w in widths], _PAD_MODES[mode], value)


def tile(x: Array, repetitions: Any, /) -> Array:
    return _core.tile(x, repetitions)


def repeat(x: Array, repeats: Any, /, *, axis: int | None = None) -> Array:
    """Each element so many times, or as many times as repeats has at its place along the axis."""
    if axis is None:
        x, axis = _flat(x), 0
    if isinstance(repeats, _int):
        return _core.repeat(x, repeats, axis)
    counts = _core.broadcast_to(repeats, (x.shape[axis],))
    if not _dtypes.of_kind(counts.dtype, "integral"):
        raise TypeError(f"repeat() takes integers, not {counts.dtype}")
    ends = _core.materialize(_core.cumulative_sum(_core.astype(counts, _dtypes.int64.code), 0, False))
    if x.shape[axis] == 0:
        return x
    if bool(_core.any(_core.less(counts, 0))):
        raise ValueError("repeat() takes no negative counts")
    positions = _core.searchsorted(ends, _core.iota(int(_core.index(ends, 0, -1))), True, None)
    return _core.take(x, positions, axis)


def _positions(indices: Any) -> Any:
    if isinstance(indices, _core.Array):
        return indices
    from ._creation import asarray

    return asarray(indices)


def take(x: Array, indices: Any, /, *, axis: int | None = None) -> Array:
    return _core.take(x, _positions(indices), _only_axis(x, axis, "take"))


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    return _core.take_along_axis(x, _positions(indices), axis)


def tensordot(x1: Array, x2: Array, /, *, axes: Any = 2) -> Array:
    if isinstance(axes, _int):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot() over {axes} axes of {x1.ndim} and {x2.ndim}")
        axes = (range(x1.ndim - axes, x1.ndim), range(axes))
    first, second = ([a] if isinstance(a, _int) else list(a) for a in axes)
    if len(first) != len(second):
        raise ValueError("tensordot() takes as many axes of the one as of the other")
    return _core.tensordot(x1, x2, first, second)


def matmul(x1: Array, x2: Array, /) -> Array:
    return _core.matmul(x1, x2)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    return _core.vecdot(x1, x2, axis)


def outer(x1: Array, x2: Array, /) -> Array:
    return _core.outer(x1, x2)


def einsum(subscripts: str, /, *operands: Array, out: Array | None = None) -> Array:
    """NumPy's, by subscripts in letters. With out, an array of the result's shape, its elements are assigned to that."""
    result = _core.einsum(subscripts, operands)
    if out is None:
        return result
    out[...] = result
    return out


# ---- Computing, gradients ----


def compute(*arrays: Array) -> tuple[Array, ...]:
    """The elements of all arrays, dense, computed in one run: what they have in common is computed once. The results have
    no history."""
    return _core.materialize_all(arrays)


def cost(*arrays: Array) -> Cost:
    """What compute() of these would take, before anything runs; logical_bytes is the sum of what they stand for."""
    return Cost(*_core.cost(arrays))


def explain(*arrays: Array, format: str = "text") -> str:
    """The one plan that compute() of these would run: "text", "json" or "dot". Computes nothing."""
    forms = ("text", "json", "dot")
    if format not in forms:
        raise ValueError(f"explain() takes text, json or dot, not {format!r}")
    if not arrays:
        raise TypeError("explain() takes an array at least")
    return _core.explain(arrays, forms.index(format))


def save_all(arrays: Mapping[Any, Array], /) -> None:
    """Computes arrays in one run and saves each under its path: save_all({"mean.npy": m, "std.npy": s}). No file is
    replaced before all are written."""
    import os

    _core.save_all(tuple(arrays.values()), tuple(map(os.fsdecode, arrays)))


def vjp(y: Array, x: Sequence[Array], /, delta: Array | None = None) -> tuple[Array, ...]:
    """The gradients of sum(y * delta) with respect to each x, lazy."""
    return _core.vjp(y, delta, tuple(x))


def grad(of: Any, x: Any = None, /, *, argnums: int | tuple[int, ...] = 0) -> Any:
    """grad(y, x): the gradient of sum(y) with respect to x. grad(f): a function that gives the gradient of f's result with
    respect to its first argument, or those that argnums names."""
    if isinstance(of, _core.Array):
        return _core.vjp(of, None, (x,))[0]
    numbers = (argnums,) if isinstance(argnums, _int) else tuple(argnums)

    def gradient(*arguments: Any, **keywords: Any) -> Any:
        given = list(arguments)
        for n in numbers:  # what repeats its elements, as ones() does, has one gradient for all of them
            given[n] = _core.materialize(given[n]) if given[n].broadcast_axes else given[n]
        found = _core.vjp(of(*given, **keywords), None, tuple(given[n] for n in numbers))
        return found[0] if isinstance(argnums, _int) else found

    return gradient
