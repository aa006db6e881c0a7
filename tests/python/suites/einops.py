"""einops finds a backend for each library: zerocast's is made here, and takes JAX's place in its lists."""

from __future__ import annotations

from typing import Any

from einops import _backends

import zerocast


class ZerocastBackend(_backends.NumpyBackend):
    framework_name = "zerocast"

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, zerocast.Array)

    def from_numpy(self, x: Any) -> Any:
        return zerocast.asarray(x)

    def to_numpy(self, x: Any) -> Any:
        return self.np.asarray(x)

    def arange(self, start: Any, stop: Any) -> Any:
        return zerocast.arange(start, stop)

    def reduce(self, x: Any, operation: str, axes: Any) -> Any:
        return getattr(zerocast, operation)(x, axis=axes)


_replaced = _backends.JaxBackend  # kept: its name is to be a known one
_backends.JaxBackend = ZerocastBackend
