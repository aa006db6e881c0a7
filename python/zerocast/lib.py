"""Functions that NumPy keeps in its module `lib`, at the same places: libraries that take any array namespace look there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ._array import Array
from ._functions import sliding_window_view as _windows


def _sliding_window_view(
    x: Array, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Array:
    if writeable:
        raise ValueError("windows are read-only: their elements are written to in the array that they are of")
    return _windows(x, window_shape, axis)


stride_tricks = SimpleNamespace(sliding_window_view=_sliding_window_view)
