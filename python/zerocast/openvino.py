"""Broadcasts by the rules of OpenVINO, with its refusals in its words."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array

_MODES = ("numpy", "explicit", "bidirectional", "pdpd")


def broadcast(x: Array, shape: Any, axes_mapping: Any = None, mode: str = "numpy", axis: int = -1) -> Array:
    if mode not in _MODES:
        raise ValueError(f"openvino.broadcast() takes the modes {', '.join(_MODES)}, not {mode!r}")
    return _core.openvino_broadcast(x, shape, _MODES.index(mode), axes_mapping, axis)
