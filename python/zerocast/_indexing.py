"""x[key]: integers, slices, None, ..., boolean masks and integer arrays, with NumPy's placement of their axes."""

from __future__ import annotations

import operator

from . import _core, _dtypes
from ._arguments import is_number
from ._creation import arange, asarray, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array

_NONE = -(2**63)
_WHOLE = slice(None)
_PLAIN = {int, slice, type(...)}
_FEW = 64  # positions that are looked at one by one


def _plain_truth(part: Any) -> Any:
    """NumPy's bools and arrays of one, of rank 0, as Python's."""
    is_truth = not isinstance(part, _core.Array) and getattr(part, "ndim", None) == 0 and getattr(part, "dtype", None) == "bool"
    return bool(part) if is_truth else part


def _is_array(part: Any) -> bool:
    return isinstance(part, (_core.Array, list, range)) or (hasattr(part, "__array__") and getattr(part, "ndim", 0) > 0)


def _in_steps(part: Any) -> Array | None:
    """NumPy's array of many numbers at equal distances, as numpy.arange() makes them, counted without memory; else None."""
    if getattr(part, "ndim", 0) != 1 or part.dtype.kind not in "iu" or part.size < _FEW:
        return None
    first, step, last = int(part[0]), int(part[1]) - int(part[0]), int(part[-1])
    if first < 0 or step <= 0 or last != first + (part.size - 1) * step:
        return None
    return arange(first, last + 1, step) if ((part[1:] - part[:-1]) == step).all() else None


def _part(part: Any) -> Any:
    """A part of a key with an array of ours for what is one, and Python's truth for NumPy's."""
    if part is None or type(part) in _PLAIN or isinstance(part, _core.Array):
        return part
    if isinstance(part, str) or getattr(getattr(part, "dtype", None), "kind", None) in ("S", "U"):
        raise IndexError("an index is an integer, a slice, None, ..., or an array of integers or bools, and no text")
    if type(part).__module__ == "numpy":
        numbers = _in_steps(part)
        if numbers is not None:
            return numbers
    return asarray(part) if _is_array(part) else _plain_truth(part)


def _is_mask(part: Any) -> bool:
    return isinstance(part, bool) or (isinstance(part, _core.Array) and part.dtype is _dtypes.bool_)


def _axes_of(part: Any) -> int:
    """How many axes of x a part of the key stands for."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.ndim if _is_mask(part) else 1


def _complete(key: Any, rank: int) -> tuple[list[Any], int]:
    """The parts of the key, and how many axes its ellipsis stands for."""
    parts = [_part(p) for p in key] if isinstance(key, tuple) else [_part(key)]
    named = ellipses = 0
    for part in parts:
        named += _axes_of(part)
        ellipses += part is Ellipsis
    if named > rank:
        raise IndexError(f"{named} indices for an array of {rank} axes")
    if ellipses > 1:
        raise IndexError("an index has one ellipsis at most")
    return parts, rank - named


def _bound(value: Any) -> int:
    if value is None:
        return _NONE
    number = operator.index(value)
    return max(min(number, 2**63 - 1), -(2**63) + 1)


def _position(part: Any, n: int, axis: int) -> int:
    try:
        index = part.__index__()
    except (AttributeError, TypeError):
        raise IndexError(
            f"an index is an integer, a slice, None, ..., or an array of integers or bools, not {part!r}"
        ) from None
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of bounds for axis {axis} of size {n}")
    return index


class _Walk:
    """The view as the parts of a key are applied, and the arrays among them that are still to be."""

    __slots__ = ("arrays", "axes", "axis", "has_ellipsis", "in_run", "left_out", "runs", "x")

    def __init__(self, x: Array, left_out: int) -> None:
        self.x = x
        self.left_out = left_out  # axes of x that an ellipsis stands for
        self.axis = 0  # of the view: what the next part is about
        self.axes: list[int] = []  # of the view, and the positions along each
        self.arrays: list[Array] = []
        self.runs = 0  # runs of parts that are arrays or, beside arrays, integers
        self.in_run = False
        self.has_ellipsis = False

    def slice(self, part: slice) -> None:
        if part != _WHOLE:
            step = 1 if part.step is None else _bound(part.step)
            if step == 0:
                raise ValueError("a slice has no step of 0")
            self.x = _core.slice(self.x, self.axis, _bound(part.start), _bound(part.stop), step)
        self.axis += 1

    def mask(self, mask: Any) -> None:
        """A mask over k axes: these become one, of which the true positions are taken."""
        mask = asarray(mask)
        shape, k = self.x.shape, mask.ndim
        if mask.size == 0 and all(m in (0, n) for m, n in zip(mask.shape, shape[self.axis :])):
            mask = _core.broadcast_to(False, shape[self.axis : self.axis + k])  # no element of it is true
        if shape[self.axis : self.axis + k] != mask.shape:
            raise IndexError(f"a mask of shape {mask.shape} for axes of sizes {shape[self.axis : self.axis + k]}")
        if k != 1:
            self.x = _core.reshape(self.x, (*shape[: self.axis], mask.size, *shape[self.axis + k :]))
        self.positions(_core.positions(mask))

    def positions(self, positions: Array) -> None:
        if not _dtypes.of_kind(positions.dtype, "integral"):
            if positions.size != 0 or positions.dtype is not _dtypes.float64:  # what an empty list is
                raise IndexError(f"arrays that index are of integers or bools, not {positions.dtype}")
            positions = _core.astype(positions, _dtypes.int64.code)
        self.axes.append(self.axis)
        self.arrays.append(positions)
        self.axis += 1

    def advanced(self, part: Any) -> None:
        """A mask, an array or an integer."""
        if _is_mask(part):
            self.mask(part)
        elif isinstance(part, _core.Array) and part.ndim > 0:
            self.positions(part)  # type: ignore[arg-type]
        else:
            self.x = _core.index(self.x, self.axis, _position(part, self.x.shape[self.axis], self.axis))

    def apply(self, part: Any) -> None:
        is_advanced = False
        if isinstance(part, slice):
            self.slice(part)
        elif part is None:
            self.x = _core.expand_dims(self.x, self.axis)
            self.axis += 1
        elif part is Ellipsis:  # perhaps of no axes: it stands between arrays nevertheless
            self.axis += self.left_out
            self.has_ellipsis = True
        else:
            self.advanced(part)
            is_advanced = True
        self.runs += is_advanced and not self.in_run
        self.in_run = is_advanced

    def result(self) -> Array:
        if not self.arrays:
            return self.x
        return gather(self.x, self.axes, self.arrays, 0 if self.runs > 1 else self.axes[0])


def gather(x: Array, axes: list[int], positions: list[Array], place: int) -> Array:
    """The elements at the positions along the axes, whose axes stand at `place` of the result."""
    try:
        rank = positions[0].ndim if len(positions) == 1 else _core.broadcast_arrays(positions)[0].ndim
    except ValueError:
        shapes = ", ".join(str(one.shape) for one in positions)
        raise IndexError(f"arrays that index have shapes {shapes}, which do not broadcast together") from None
    taken = _core.gather(x, axes, positions)
    at = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    if place == at:
        return taken
    order = list(range(taken.ndim))
    moved = order[at : at + rank]
    rest = order[:at] + order[at + rank :]
    return _core.permute_dims(taken, rest[:place] + moved + rest[place:])


def get(x: Array, key: Any) -> Array:
    key = _part(key) if _is_array(key) else key
    if isinstance(key, _core.Array) and key.ndim > 0 and key.dtype is _dtypes.int64 and x.ndim > 0:
        return _core.copied(_core.gather(x, (0,), (key,)))
    parts, left_out = _complete(key, x.ndim)
    walk = _Walk(x, left_out)
    for part in parts:
        walk.apply(part)
    found = walk.result()
    if walk.arrays:
        return _core.copied(found)
    if found is x:
        found = x[...]
    return found if found.ndim > 0 or walk.has_ellipsis else _core.detached(found)


def put(x: Array, key: Any, value: Any) -> None:
    """Sets the elements at key to value, which broadcasts to them, in x's dtype."""
    value = _to_assign(x, value)
    key = mask = _part(key) if _is_array(key) else key
    is_one = not isinstance(value, _core.Array) or value.ndim == 0
    if isinstance(mask, _core.Array) and _is_mask(mask) and mask.shape == x.shape and is_one:
        chosen = _core.where(mask, value, x)
        if chosen.dtype is x.dtype:
            _core.write(x, chosen)
            return
    places = get(_core.places(x), key)
    if isinstance(value, _core.Array) and value.ndim > places.ndim:
        value = _without_leading_ones(value, places.ndim)  # type: ignore[arg-type]
    _core.update_at(x, places, value, 0)


def _without_leading_ones(value: Array, rank: int) -> Array:
    """The last axes of value, if those before them are of size 1, as NumPy assigns."""
    left_out = value.ndim - rank
    ones = all(n == 1 for n in value.shape[:left_out])
    return _core.reshape(value, value.shape[left_out:]) if ones else value


def _number_in(text: str | bytes, dtype: _dtypes.DType) -> int | float | complex:
    """The number that a text tells, as elements of the dtype are told: NumPy reads it, too."""
    number = int if _dtypes.of_kind(dtype, "integral") else float if _dtypes.of_kind(dtype, "real floating") else complex
    return number(text.decode() if isinstance(text, bytes) else text)


def _to_assign(x: Array, value: Any) -> Any:
    """What is assigned to elements of x takes their dtype, whatever it loses: NumPy's rule. A Python number has to fit, and
    no complex number becomes a real one."""
    if isinstance(value, _core.Array):
        return value if value.dtype is x.dtype else _core.astype(value, x.dtype.code)
    if isinstance(value, (str, bytes)) and x.dtype is not _dtypes.bool_:
        value = _number_in(value, x.dtype)
    if not is_number(value):
        return asarray(value, dtype=x.dtype)
    is_kept = isinstance(value, bool) or (
        x.dtype is not _dtypes.bool_ and isinstance(value, int) and -(2**63) <= value < 2**63
    )
    is_kept = is_kept or isinstance(value, float) and not _dtypes.of_kind(x.dtype, "integral") and x.dtype is not _dtypes.bool_
    return value if is_kept else element(value, x.dtype)
