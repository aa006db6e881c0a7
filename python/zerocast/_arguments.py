"""Arguments as the functions of the package take them: the one place that tells an integer from a list."""

from __future__ import annotations

import operator

from ._errors import axis_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def integer(value: Any) -> int | None:
    """The integer that value is: Python's, NumPy's, an array of rank 0, whatever has __index__. None where it is none."""
    if type(value) is int:
        return value
    try:
        return operator.index(value)
    except TypeError:
        return None


def integers(value: Any) -> tuple[int, ...]:
    """The integers of a list, or the one that there is."""
    if type(value) is not tuple and type(value) is not list:
        one = integer(value)
        if one is not None:
            return (one,)
        if not is_list(value):
            raise TypeError(f"expected an integer or a list of them, not {type(value)!r}")
    return tuple(map(operator.index, value))


def is_list(value: Any) -> bool:
    """Whether value has items, as far as its type tells."""
    return hasattr(type(value), "__iter__")


def is_number(value: Any) -> bool:
    """Whether value is a Python number, which takes the dtype of what it meets; NumPy's float64, a Python float, has its
    own."""
    return isinstance(value, (bool, int, float, complex)) and not hasattr(value, "dtype")


def resolve(axis: Any, rank: int) -> int:
    """An axis counted from the first one."""
    number = operator.index(axis)
    if not -rank <= number < rank:
        raise axis_error()(f"axis {number} is out of bounds for rank {rank}")
    return number % rank
