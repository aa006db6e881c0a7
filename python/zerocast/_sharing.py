"""numpy.shares_memory(x, y) of arrays that share elements."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def _owner(x: Array) -> Array:
    return x if x.base is None else x.base


def _of_two(x: Array, y: Array, is_exact: bool) -> bool:
    """Whether a write to the one is seen through the other; by the first and last places alone where that is enough."""
    if _owner(x) is not _owner(y) or x.size == 0 or y.size == 0:
        return False
    if x is y or x.base is None or y.base is None:  # all of the owner's elements
        return True
    if {_core.part(x), _core.part(y)} == {1, 2}:
        return False
    p, q = _core.shown(x), _core.shown(y)
    meet = max(int(_core.min(p)), int(_core.min(q))) <= min(int(_core.max(p)), int(_core.max(q)))
    return bool(_core.any(_core.isin(p, q))) if meet and is_exact else meet


def sharing(is_exact: bool) -> Any:
    """NumPy's function. Beside memory of NumPy's, what an array is over counts: it is seen there and not written to."""

    def shares(a: Any, b: Any) -> bool:
        import numpy

        from ._numpy import to_numpy

        if isinstance(a, _core.Array) and isinstance(b, _core.Array):
            return _of_two(a, b, is_exact)  # type: ignore[arg-type]
        if not all(x.exists for x in (a, b) if isinstance(x, _core.Array)):  # nothing is in memory yet
            return False
        a, b = (to_numpy(x, None, None) if isinstance(x, _core.Array) else x for x in (a, b))  # type: ignore[arg-type]
        return (numpy.shares_memory if is_exact else numpy.may_share_memory)(a, b)

    return shares
