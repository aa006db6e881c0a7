"""Who answers for a name of NumPy's."""

from __future__ import annotations

import types
from functools import cache

import numpy

from .._numpy_ranges import RANGES
from .._numpy_refused import refusal
from . import _making, _objects
from ._ufuncs import Ufunc
from ._wrapping import computed, made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Modules of the package, which give zerocast's arrays; NumPy's others are handed out as they are.
SUBMODULES = frozenset({"emath", "fft", "lib", "linalg", "random", "testing"})
ALIASES = {"row_stack": "vstack"}  # which NumPy has as a function apart
# Functions that take arrays and compute none: they tell facts, write files or texts. Nothing is said about them.
SILENT = frozenset(
    "array2string array_repr array_str einsum_path min_scalar_type savetxt savez".split()
    + ["savez_compressed"]
)


def found(name: str) -> Any:
    reason = refusal(name)
    text = f"module 'zerocast.numpy' has no attribute {name!r}"
    if reason is not None:
        raise AttributeError(f"{text}: {reason}")
    if not hasattr(numpy, name):
        raise AttributeError(text)
    if name in SUBMODULES:
        from importlib import import_module

        return import_module(f"zerocast.numpy.{name}")
    for own in (_making.OWN, _objects.OWN):
        if name in own:
            return own[name]
    if name in RANGES:
        return _making.or_numpys(RANGES[name])
    return in_its_place(getattr(numpy, ALIASES.get(name, name)), name in SILENT)


@cache
def _ufunc(theirs: Any) -> Ufunc:
    return Ufunc(theirs)


def in_its_place(theirs: Any, is_silent: bool = False) -> Any:
    """The same for zerocast's arrays. Types, constants, modules and objects are NumPy's own."""
    if isinstance(theirs, numpy.ufunc):
        return _ufunc(theirs)
    if hasattr(theirs, "_implementation") and not is_silent:  # NumPy's protocol of functions asks zerocast's table
        return computed(theirs)
    if hasattr(theirs, "_implementation") or isinstance(theirs, (types.FunctionType, types.BuiltinFunctionType)):
        return made(theirs)
    return theirs
