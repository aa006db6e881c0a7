"""Broadcasts by the rules of TensorFlow, with its refusals in its words."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def broadcast_to(x: Array, shape: Any) -> Array:
    return _core.tf_broadcast_to(x, shape)
