"""numpy.random: NumPy's bits, as zerocast's arrays."""

from __future__ import annotations

import functools

import numpy.random as _random

from .. import _core
from .._numpy import give, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _drawn(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function or a method that draws; what it writes into is drawn beside it and assigned."""

    @functools.wraps(theirs)
    def draw(*arguments: Any, **keywords: Any) -> Any:
        out = keywords.get("out")
        if not isinstance(out, _core.Array):
            return give(theirs(*take(arguments), **take(keywords)))
        values = take(out).copy()
        theirs(*take(arguments), **take({**keywords, "out": values}))
        out[...] = values
        return out

    return draw


def _shuffled(theirs: Callable[..., Any], at: int) -> Callable[..., Any]:
    """In place: lists as they are, and our arrays by what a copy of their elements becomes. The argument is at a place."""

    @functools.wraps(theirs)
    def shuffle(*arguments: Any, **keywords: Any) -> None:
        x = arguments[at] if len(arguments) > at else None
        if not isinstance(x, _core.Array):
            theirs(*arguments, **keywords)
            return
        values = take(x).copy()
        theirs(*arguments[:at], values, *arguments[at + 1 :], **keywords)
        x[...] = values

    return shuffle


def _draws(kind: type) -> type:
    """The class decorated: each of its methods that draw gives our arrays."""
    for name in dir(kind.__mro__[1]):
        theirs = getattr(kind.__mro__[1], name)
        if not name.startswith("_") and callable(theirs) and name not in ("spawn", "seed", "get_state", "set_state"):
            setattr(kind, name, _shuffled(theirs, 1) if name == "shuffle" else _drawn(theirs))
    return kind


@_draws
class Generator(_random.Generator):
    def __reduce__(self) -> Any:
        return Generator, (self.bit_generator,)


@_draws
class RandomState(_random.RandomState):
    pass


@functools.wraps(_random.default_rng)
def default_rng(seed: Any = None) -> Generator:
    return Generator(_random.default_rng(take(seed)).bit_generator)


_UNCHANGED = frozenset({"seed", "get_state", "set_state", "get_bit_generator", "set_bit_generator"})


def __getattr__(name: str) -> Any:
    if name.startswith("__") or not hasattr(_random, name):
        raise AttributeError(f"module 'zerocast.numpy.random' has no attribute {name!r}")
    theirs = getattr(_random, name)
    if isinstance(theirs, type) or not callable(theirs) or name in _UNCHANGED:
        return theirs
    value = globals()[name] = _shuffled(theirs, 0) if name == "shuffle" else _drawn(theirs)
    return value


def __dir__() -> list[str]:
    return [name for name in dir(_random) if name != "test"]
