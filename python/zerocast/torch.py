"""Broadcasts by the rules of PyTorch, with its refusals in its words."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def expand(x: Array, sizes: Any) -> Array:
    return _core.torch_expand(x, sizes)
