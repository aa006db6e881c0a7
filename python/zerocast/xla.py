"""Broadcasts and binary operations by the rules of XLA, with its refusals in its words.

add(x, y, broadcast_dimensions=None), and in the same way sub, mul, div, rem, max, min, pow, atan2, and_, or_, xor, eq, ne,
ge, gt, le and lt.
"""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array


def broadcast(x: Array, sizes: Any) -> Array:
    return _core.xla_broadcast(x, sizes)


def broadcast_in_dim(x: Array, shape: Any, dims: Any) -> Array:
    return _core.xla_broadcast_in_dim(x, shape, dims)


def add(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(0, x, y, broadcast_dimensions)


def sub(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(1, x, y, broadcast_dimensions)


def mul(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(2, x, y, broadcast_dimensions)


def div(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(3, x, y, broadcast_dimensions)


def rem(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(4, x, y, broadcast_dimensions)


def max(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(5, x, y, broadcast_dimensions)


def min(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(6, x, y, broadcast_dimensions)


def pow(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(7, x, y, broadcast_dimensions)


def and_(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(8, x, y, broadcast_dimensions)


def or_(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(9, x, y, broadcast_dimensions)


def xor(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(10, x, y, broadcast_dimensions)


def eq(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(11, x, y, broadcast_dimensions)


def ne(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(12, x, y, broadcast_dimensions)


def ge(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(13, x, y, broadcast_dimensions)


def gt(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(14, x, y, broadcast_dimensions)


def le(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(15, x, y, broadcast_dimensions)


def lt(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(16, x, y, broadcast_dimensions)


def atan2(x: Any, y: Any, broadcast_dimensions: Any = None) -> Array:
    return _core.xla_binary(17, x, y, broadcast_dimensions)
