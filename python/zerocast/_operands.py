"""Arguments that zerocast takes: its own arrays, numbers, and NumPy's arrays of its dtypes."""

from __future__ import annotations

from functools import lru_cache

from . import _core, _dtypes
from ._arguments import is_number
from ._creation import asarray

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_plain(kind: type) -> bool:
    """Whether a type of NumPy's is elements and nothing else. Subclasses mean more, as a mask or a unit."""
    import numpy

    return kind in (numpy.ndarray, numpy.memmap) or issubclass(kind, numpy.generic)


@lru_cache(256)
def _has(dtype: Any) -> bool:
    return _dtypes.find(dtype.newbyteorder("=")) is not None


def has_dtype(value: Any) -> bool:
    """Whether zerocast has the dtype of NumPy's elements: it has no long doubles, dates, texts and objects."""
    return _has(value.dtype)


_NUMBERS = frozenset({bool, int, float, complex})
_FACTS = _NUMBERS | {type(None)}


def are_ours(arguments: tuple[Any, ...]) -> bool:
    """Whether our arrays are among them, alone or in a list, and nothing else but numbers, and lists of these."""
    found = False
    for each in arguments:
        if isinstance(each, _core.Array):
            found = True
        elif type(each) is list or type(each) is tuple:
            for item in each:
                found = found or isinstance(item, _core.Array)
                if type(item) not in _NUMBERS and not isinstance(item, _core.Array):
                    return False
        elif type(each) not in _FACTS:
            return False
    return found


def as_ours(inputs: tuple[Any, ...]) -> Any:
    """The same with NumPy's arrays as ours; None where there is something else than these and Python's numbers."""
    import numpy

    found = []
    for each in inputs:
        if not isinstance(each, _core.Array) and type(each) not in _NUMBERS:
            if type(each) is not numpy.ndarray or not has_dtype(each):
                return None
            each = asarray(each)
        found.append(each)
    return found


def is_operand(value: Any) -> bool:
    """Whether our functions take it, or asarray() does."""
    if isinstance(value, (_core.Array, list, tuple)) or is_number(value):
        return True
    return is_plain(type(value)) and has_dtype(value)
