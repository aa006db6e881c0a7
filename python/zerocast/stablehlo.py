"""Broadcasts by the rules of StableHLO, with its refusals in its words."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def broadcast_in_dim(x: Array, shape: Any, dims: Any) -> Array:
    return _core.stablehlo_broadcast_in_dim(x, shape, dims)
