"""Functions of NumPy's as functions that take lists and arrays, and give zerocast's arrays."""

from __future__ import annotations

import functools

import numpy

from .. import _core
from .._arguments import is_number
from .._numpy import COMPUTES, call_function, give, take
from .._operands import are_ours, has_dtype, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


def is_scalar(value: Any) -> bool:
    """Whether value is one number, Python's or NumPy's."""
    return is_number(value) or isinstance(value, numpy.generic)


def is_anothers(value: Any) -> bool:
    """Whether value is another library's array or table, for which NumPy's function asks that library, or holds elements
    that zerocast has not, as texts, dates and objects."""
    if isinstance(value, _core.Array):
        return False
    if isinstance(value, (list, tuple)):  # of which the first tells
        return len(value) > 0 and (isinstance(value[0], (str, bytes)) or is_anothers(value[0]))
    return hasattr(type(value), "__array__") and not (is_plain(type(value)) and has_dtype(value))


# Functions whose texts are elements and no options.
_OF_TEXTS = frozenset({"append", "array_equal", "full_like", "insert", "isin", "select", "where"})


def _is_numpys(name: str, arguments: tuple[Any, ...]) -> bool:
    """Whether NumPy's function is asked: of texts, of other libraries' arrays, of numbers alone."""
    if name in _OF_TEXTS and any(isinstance(each, str) for each in arguments):
        return True
    return any(map(is_anothers, arguments)) or (len(arguments) > 0 and all(map(is_scalar, arguments)))


def computed(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """Zerocast's function of that name, and NumPy's for what it does not take. Single numbers are NumPy's."""

    @functools.wraps(theirs)
    def function(*arguments: Any, **keywords: Any) -> Any:
        out = keywords.get("out")
        if not (are_ours(arguments) or isinstance(out, _core.Array)) and _is_numpys(theirs.__name__, arguments):
            return give(theirs(*take(arguments), **take(keywords)))
        found = call_function(theirs, (), arguments, keywords, COMPUTES)
        return found if found is out else give(found)

    return function


def made(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """What NumPy makes of facts, files and numbers."""

    @functools.wraps(theirs)
    def function(*arguments: Any, **keywords: Any) -> Any:
        return give(theirs(*take(arguments), **take(keywords)))

    return function


def names_of(module: ModuleType, name: str, refused: dict[str, str], space: dict[str, Any]) -> tuple[Any, Any]:
    """__getattr__ and __dir__ of a module over one of NumPy's modules, whose names it has."""

    def get(each: str) -> Any:
        if each == "__all__":
            return list(module.__all__)
        if each in refused or each.startswith("__") or not hasattr(module, each):
            reason = f": {refused[each]}" if each in refused else ""
            raise AttributeError(f"module {name!r} has no attribute {each!r}{reason}")
        from ._names import in_its_place

        space[each] = in_its_place(getattr(module, each))
        return space[each]

    return get, lambda: [each for each in dir(module) if each not in refused]
