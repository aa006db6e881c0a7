"""NumPy's ufuncs over zerocast's arrays."""

from __future__ import annotations

import numpy

from .._numpy import COMPUTES, call_ufunc, give, take
from .._operands import are_ours
from ._wrapping import is_anothers, is_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Ufunc:
    """One of NumPy's, with its facts and its methods. What zerocast has is recorded; NumPy computes the rest."""

    __slots__ = ("_theirs",)

    def __init__(self, theirs: numpy.ufunc) -> None:
        self._theirs = theirs

    def __repr__(self) -> str:
        return repr(self._theirs)

    def __reduce__(self) -> Any:
        from ._names import found

        return found, (self._theirs.__name__,)

    def __getattr__(self, name: str) -> Any:
        """nin, nout, nargs, ntypes, types, identity, signature, __name__ ..."""
        return getattr(self._theirs, name)

    def __dir__(self) -> list[str]:
        return dir(self._theirs)

    def _asked(self, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        out = keywords.pop("out", None)
        outs = out if isinstance(out, tuple) else (out,)
        if any(x is not None for x in outs):
            keywords["out"] = outs
        if any(map(is_anothers, inputs)):  # NumPy asks other libraries, and has the other dtypes
            return give(getattr(self._theirs, method)(*take(inputs), **take(keywords)))
        found = call_ufunc(self._theirs, method, inputs, keywords, COMPUTES)
        if found is NotImplemented:  # another library's operands, which NumPy asks
            found = getattr(self._theirs, method)(*take(inputs), **take(keywords))
        return found if any(found is x for x in outs) else give(found)

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        nin = self._theirs.nin
        if not keywords and len(inputs) == nin and are_ours(inputs):
            found = call_ufunc(self._theirs, "__call__", inputs, keywords, COMPUTES)
            if found is not NotImplemented:
                return give(found)
        if not keywords and all(map(is_scalar, inputs)) or len(inputs) < nin:
            return self._theirs(*inputs, **keywords)
        if len(inputs) > nin:
            if "out" in keywords:
                raise TypeError("the output is given by position and as out=")
            inputs, keywords["out"] = inputs[:nin], inputs[nin:]
        return self._asked("__call__", inputs, keywords)

    def outer(self, a: Any, b: Any, /, **keywords: Any) -> Any:
        return self._asked("outer", (a, b), keywords)

    def reduce(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False,
               initial: Any = numpy._NoValue, where: Any = True) -> Any:  # fmt: skip
        given = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "where": where}
        return self._asked("reduce", (array,), given if initial is numpy._NoValue else {**given, "initial": initial})

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        return self._asked("accumulate", (array,), {"axis": axis, "dtype": dtype, "out": out})

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        return self._asked("reduceat", (array, indices), {"axis": axis, "dtype": dtype, "out": out})

    def at(self, a: Any, indices: Any, b: Any = None, /) -> None:
        self._asked("at", (a, indices) if b is None else (a, indices, b), {})
