"""The array API's functions that put elements elsewhere, and those that add up products, with its names and defaults."""

from __future__ import annotations

from . import _core, _dtypes
from ._arguments import integer, integers, is_list, is_number, resolve
from ._creation import asarray, element
from ._functions import _flat, _only_axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._array import Array

__all__ = [
    "concat", "einsum", "matmul", "outer", "pad", "repeat", "roll", "stack", "take", "take_along_axis", "tensordot", "tile",
    "vecdot",
]


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    if axis is None:
        return _core.concat([_flat(x) for x in arrays], 0)
    return _core.concat(arrays, axis)


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    return _core.stack(arrays, axis)


def roll(x: Array, /, shift: Any, *, axis: Any = None) -> Array:
    if axis is None:
        return _core.reshape(_core.roll(_flat(x), (sum(integers(shift)),), (0,)), asarray(x).shape)
    axes, shifts = integers(axis), integers(shift)
    count = len(axes) if len(shifts) == 1 else len(shifts)
    if len(axes) not in (1, count):
        raise ValueError(f"roll() takes as many shifts as axes, not {len(shifts)} and {len(axes)}")
    x = asarray(x)
    total = [0] * x.ndim  # an axis may be named several times
    for a, by in zip(axes * (1 if len(axes) == count else count), shifts * (1 if len(shifts) == count else count)):
        total[resolve(a, x.ndim)] += by
    moved = [a for a in range(x.ndim) if total[a] != 0]
    return _core.roll(x, [total[a] for a in moved], moved)


_PAD_MODES = {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3, "wrap": 4}


def _pad_pair(width: Any) -> tuple[int, int]:
    """How much before, and how much behind: two numbers, or one for both."""
    pair = integers(width)
    if len(pair) not in (1, 2):
        raise ValueError(f"pad() takes how much to add before and behind an axis, not {len(pair)} numbers")
    return pair[0], pair[-1]


def _pad_widths(widths: Any, rank: int) -> list[tuple[int, int]]:
    """NumPy's forms: a number, a pair for every axis, a pair per axis, or a dictionary of pairs by axis."""
    if hasattr(widths, "items"):
        pairs = [(0, 0)] * rank
        for axis, width in widths.items():
            pairs[resolve(axis, rank)] = _pad_pair(width)
        return pairs
    if integer(widths) is not None or not is_list(widths) or all(integer(width) is not None for width in widths):
        return [_pad_pair(widths)] * rank
    pairs = [_pad_pair(width) for width in widths]
    if len(pairs) not in (1, rank):
        raise ValueError(f"pad() takes a pair for each of {rank} axes, not {len(pairs)}")
    return pairs * rank if len(pairs) == 1 else pairs


def pad(x: Array, pad_width: Any, /, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    """Elements more before and behind each axis (NumPy)."""
    if mode not in _PAD_MODES:
        raise ValueError(f"pad() takes the modes {', '.join(_PAD_MODES)}, not {mode!r}")
    x = asarray(x)
    widths = _pad_widths(pad_width, x.ndim)
    value = None
    if mode == "constant":
        value = element(constant_values, x.dtype) if is_number(constant_values) else constant_values
    return _core.pad(x, [w[0] for w in widths], [w[1] for w in widths], _PAD_MODES[mode], value)


def tile(x: Array, repetitions: Any, /) -> Array:
    return _core.tile(x, repetitions)


def repeat(x: Array, repeats: Any, /, *, axis: int | None = None) -> Array:
    """Each element so many times, or as many times as repeats has at its place along the axis."""
    x, axis = (_flat(x), 0) if axis is None else (asarray(x), axis)
    count = integer(repeats)
    if count is not None:
        return _core.repeat(x, count, axis)
    axis = resolve(axis, x.ndim)
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


def take(x: Array, indices: Any, /, *, axis: int | None = None) -> Array:
    return _core.take(x, asarray(indices), _only_axis(x, axis, "take"))


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    return _core.take_along_axis(x, asarray(indices), axis)


def tensordot(x1: Array, x2: Array, /, *, axes: Any = 2) -> Array:
    count = integer(axes)
    if count is not None:
        x1, x2 = asarray(x1), asarray(x2)
        if not 0 <= count <= min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot() over {count} axes of {x1.ndim} and {x2.ndim}")
        axes = (range(x1.ndim - count, x1.ndim), range(count))
    if not is_list(axes) or len(axes) != 2:
        raise TypeError("tensordot() takes over how many axes it goes, or a list of axes for each array")
    first, second = map(integers, axes)
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
