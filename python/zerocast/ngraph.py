"""Broadcasts by the rules of nGraph, with its refusals in its words."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def broadcast(x: Array, shape: Any, axes: Any) -> Array:
    return _core.ngraph_broadcast(x, shape, axes)


def broadcast_like(x: Array, like: Array, axes: Any) -> Array:
    return _core.ngraph_broadcast_like(x, like, axes)
