"""NumPy's protocols: its functions stay lazy where zerocast has them; others compute, and say so once each."""

from __future__ import annotations

from types import MethodType

from . import _core, _dtypes
from ._arguments import is_number
from ._creation import asarray
from ._operands import are_ours, as_ours, has_dtype, is_operand, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array

# ---- numpy.asarray(x) ----


def to_numpy(x: Array, dtype: Any, copy: bool | None) -> Any:
    """The elements as NumPy's array: read-only over the memory that they are in, or a copy that can be written."""
    import numpy

    if x.dtype.name == "bfloat16":
        raise TypeError("NumPy has no bfloat16: take astype(x, float32)")
    if copy is False and dtype is not None and numpy.dtype(dtype) != numpy.dtype(x.dtype.name):
        raise ValueError(f"{numpy.dtype(dtype)} of an array of {x.dtype} needs a copy")
    if copy:
        out = numpy.empty(x.shape, dtype=x.dtype.name)
        _core.into(x, out)
        return out if dtype is None else out.astype(dtype, copy=False)
    values = numpy.asarray(_core.memory_of(x, False))
    return values if dtype is None else values.astype(dtype, copy=False)


# ---- Operands that are another library's ----


def convert(obj: Any) -> Any:
    """Another library's array beside one of ours, as one of ours; NotImplemented where its own operator is to be tried."""
    if not isinstance(obj, (list, tuple, range, memoryview)) and not (is_plain(type(obj)) and has_dtype(obj)):
        return NotImplemented
    return asarray(obj)


_met: set[str] = set()


def meet_dask() -> None:
    """Where Dask is, its arrays take ours for blocks from now on, and wrap what comes of both."""
    import sys

    dask = sys.modules.get("dask.array")
    if dask is not None and "dask" not in _met and hasattr(dask, "register_chunk_type"):
        from ._array import Array

        _met.add("dask")
        dask.register_chunk_type(Array)


# ---- What NumPy computes ----

_said: set[str] = set()


def _say(what: str, does: str) -> None:
    """As of the line that called the package."""
    if what not in _said:
        _said.add(what)
        import os
        import sys
        import warnings

        level, folder, frame = 1, os.path.join(os.path.dirname(__file__), ""), sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename.startswith(folder):
            level, frame = level + 1, frame.f_back
        warnings.warn(f"{what} is not in zerocast: {does}", stacklevel=level)


_GIVES = "it computes, and gives NumPy's arrays"
COMPUTES = "NumPy computes it"
_CHANGES = "NumPy computes it in a copy, whose elements the array has from now on"


def _convert_arrays(value: Any, convert: Callable[[Any], Any]) -> Any:
    """The same with our arrays converted, at any depth of lists, tuples and dicts."""
    if isinstance(value, _core.Array):
        return convert(value)
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_convert_arrays(item, convert) for item in value)
    if isinstance(value, dict):
        return {name: _convert_arrays(item, convert) for name, item in value.items()}
    return value


def give(value: Any) -> Any:
    """The same with NumPy's arrays as ours, where zerocast has their dtype. Single numbers stay NumPy's."""
    import numpy

    if isinstance(value, _core.Array):
        return value
    if type(value) is numpy.ndarray:
        return asarray(value) if has_dtype(value) else value
    if isinstance(value, tuple):
        items = map(give, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) is list:
        return [give(item) for item in value]
    if type(value) is dict:
        return {name: give(item) for name, item in value.items()}
    return value


def take(value: Any) -> Any:
    """The same with our arrays as NumPy's, at any depth of lists, tuples and dicts."""
    return _convert_arrays(value, _leave_gradients)


def take_scalars(value: Any) -> Any:
    """The same, with our arrays of rank 0 as NumPy's scalars."""
    return _convert_arrays(value, lambda x: _leave_gradients(x)[()])


def _leave_gradients(x: Any) -> Any:
    """NumPy's array of one of ours, of which no gradient is being taken: it would end here in silence."""
    if _core.varies(x):
        raise TypeError("NumPy computes this, and no gradient passes through it: hold its arrays by stop_gradient()")
    return to_numpy(x, None, None)


def _computed_by_numpy(function: Any, what: str | None, arguments: Any, keywords: dict[str, Any], does: str = _GIVES) -> Any:
    """Calls NumPy's function with the elements of our arrays, and says so once of each `what`. Whatever is left to NumPy
    comes through here."""
    if what is not None:
        _say(what, does)
    return function(*take(arguments), **take(keywords))


class NotHere(Exception):
    """Arguments that are NumPy's alone: it computes. The text names the argument, where one is meant."""


# ---- numpy.add(x, y, out=z) ----


# Functions whose results NumPy casts to whatever dtype out has.
_CAST_FREELY = frozenset({
    "accumulate", "all", "amax", "amin", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "mean", "median", "min",
    "nancumprod", "nancumsum", "nanmax", "nanmedian", "nanmin", "nanprod", "nansum", "prod", "reduce", "sum", "take", "trace",
    "var",
})  # fmt: skip


def _assign(out: Any, result: Any, broadcasts: bool, casting: Any) -> Any:
    """The result goes to out: what is ours becomes it, by NumPy's rule of what is cast."""
    import numpy

    if not isinstance(out, _core.Array):
        if out is None:
            return result
        out[...] = take(result)
        return out
    found = asarray(result)
    found = _core.broadcast_to(found, out.shape) if broadcasts else found
    if found.shape != out.shape:
        raise ValueError(f"an output of shape {out.shape} for a result of shape {found.shape}")
    if found.dtype is not out.dtype and not numpy.can_cast(found.dtype.dtype, out.dtype.dtype, casting):
        raise TypeError(f"a result of {found.dtype} is not cast to an output of {out.dtype}")
    _core.write(out, _core.astype(found, out.dtype.code))
    return out


def _check_positions(out: Any) -> None:
    """What positions are written to has integers."""
    if getattr(out, "dtype", _dtypes.int64).kind not in "bi":
        raise TypeError(f"positions of int64 are not cast to an output of {out.dtype}")


def _into(function: Any, arguments: Any, keywords: dict[str, Any], broadcasts: bool) -> Any:
    """The function's results in the arrays that out names, one of which is ours."""
    out = keywords["out"]
    outs = out if isinstance(out, tuple) else (out,)
    rest = {name: value for name, value in keywords.items() if name != "out"}
    if rest.get("where", True) is True:
        results = function(*arguments, **rest)
    else:  # NumPy leaves the other elements as they are

        def changed(*given: Any, out: Any, **named: Any) -> Any:
            copies = tuple(a.copy() if _has_ours(x) else a for a, x in zip(out, outs))
            return function(*given, out=copies if isinstance(keywords["out"], tuple) else copies[0], **named)

        ufunc = getattr(function, "__self__", function)
        what = f"numpy.{(ufunc if function.__name__ == '__call__' else function).__name__} with where="
        results = _computed_by_numpy(changed, what, arguments, {**rest, "out": outs}, _CHANGES)
    casting = "unsafe" if function.__name__ in _CAST_FREELY else rest.get("casting", "same_kind")
    if function.__name__ in ("argmax", "argmin"):
        _check_positions(outs[0])
    results = results if isinstance(results, tuple) else (results,)
    found = tuple(_assign(x, result, broadcasts, casting) for x, result in zip(outs, results))
    return found if len(found) > 1 else found[0]


def _has_ours(out: Any) -> bool:
    return isinstance(out, _core.Array) or (isinstance(out, tuple) and any(isinstance(x, _core.Array) for x in out))


# ---- numpy.add(x, y) ----

_UFUNCS = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "invert": "bitwise_invert",
    "matmul": "matmul",
    "power": "pow",
    "true_divide": "divide",
    "vecdot": "vecdot",
}
_SPECIAL = {"erf": "erf", "expit": "sigmoid", "exp2": "exp2", "expm1": "expm1", "log1p": "log1p", "cbrt": "cbrt"}  # SciPy's
_REDUCED = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_or": "any",
    "logical_and": "all",
}
_UPDATED = {"add": 1, "multiply": 2, "minimum": 3, "maximum": 4}  # ways to update elements, in the order of the library's table


_elementwise_of: dict[Any, Any] = {}


def _elementwise(ufunc: Any) -> Any:
    """Our function of the ufunc; None where there is none, or where the ufunc is another library's of that name."""
    if ufunc not in _elementwise_of:
        _elementwise_of[ufunc] = _find_elementwise(ufunc)
    return _elementwise_of[ufunc]


def _find_elementwise(ufunc: Any) -> Any:
    import sys

    import numpy

    import zerocast

    name = ufunc.__name__
    if getattr(numpy, name, None) is not ufunc:
        is_special = name in _SPECIAL and getattr(sys.modules.get("scipy.special"), name, None) is ufunc
        return getattr(zerocast, _SPECIAL[name]) if is_special else None
    if name in _BY_KIND:
        return _by_kind(name)
    from ._numpy_ufuncs import UFUNCS

    if name in UFUNCS:
        return UFUNCS[name]
    if name == "divmod":
        return lambda x1, x2, /: (_core.floor_divide(x1, x2), _core.remainder(x1, x2))
    return getattr(zerocast, _UFUNCS.get(name, name)) if name in _core.OPERATIONS or name in _UFUNCS else None


_BY_KIND = {"fabs": "abs", "rint": "round", "reciprocal": "reciprocal"}  # differ of integers: see there


def _by_kind(name: str) -> Callable[[Any], Any]:
    def function(x: Any, /) -> Any:
        kind = getattr(getattr(x, "dtype", None), "kind", "f")
        if name == "reciprocal" and kind in "biu" or name == "fabs" and kind == "c":  # a whole quotient; an error
            raise NotHere
        return getattr(_core, _BY_KIND[name])(_core.astype(x, _dtypes.float64.code) if kind in "biu" else x)

    return function


def _is_known(value: Any) -> bool:
    """Whether zerocast or NumPy computes with it; others, such as xarray's, get their turn first."""
    import numpy

    if isinstance(value, (_core.Array, bool, int, float, complex, list, tuple)):
        return True
    if isinstance(value, numpy.ndarray):
        return type(value).__array_ufunc__ is numpy.ndarray.__array_ufunc__
    return isinstance(value, numpy.generic)


def _outer(function: Any, x1: Any, x2: Any, /) -> Any:
    if isinstance(x1, _core.Array) and isinstance(x2, _core.Array):
        x1 = _core.reshape(x1, x1.shape + (1,) * x2.ndim)
    return function(x1, x2)


def _lazily(ufunc: Any, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What the ufunc's method gives, recorded; NotHere where zerocast does not have it."""
    from . import _numpy_reductions as functions

    function = _elementwise(ufunc)
    if method == "at" and isinstance(inputs[0], _core.Array):
        return _update_at(ufunc, *inputs)
    if function is None or not all(map(is_operand, inputs)):
        raise NotHere
    name = ufunc.__name__
    operands = tuple(value if is_number(value) else functions.array(value) for value in inputs)
    if method in ("__call__", "outer"):
        if keywords:
            raise NotHere(next(iter(keywords)))
        return function(*operands) if method == "__call__" else _outer(function, *operands)
    if method == "reduce" and name in _REDUCED:
        return functions.reduced(_REDUCED[name], functions.array(inputs[0]), **{"axis": 0, **keywords})
    if method == "accumulate" and name in ("add", "multiply") and set(keywords) <= {"axis", "dtype"}:
        return functions.cumulated(f"cumulative_{_REDUCED[name]}", functions.array(inputs[0]), **{"axis": 0, **keywords})
    raise NotHere


def _update_at(ufunc: Any, x: Any, key: Any, value: Any = None) -> None:
    """ufunc.at(x, key, value): recorded where the library updates that way; else NumPy changes a copy, which x becomes."""
    from . import _numpy_reductions as functions
    from ._indexing import get

    way = _UPDATED.get(ufunc.__name__)
    if way is not None and is_operand(value):
        is_of_integers = x.dtype.kind in "iu"
        operand = value if is_number(value) and not (is_of_integers and type(value) is int) else functions.array(value)
        met = _dtypes.ALL[_core.result_type((x, operand))]
        if met is x.dtype or (way <= 2 and is_of_integers and met.kind in "iu"):  # sums and products of integers wrap
            _core.update_at(x, get(_core.places(x), key), _core.astype(operand, x.dtype.code), way)
            return

    _change(ufunc.at, f"numpy.{ufunc.__name__}.at", (x, key) if value is None else (x, key, value), {})


# Their first argument; most of them are assignments (_numpy_changes.py), of what they mostly take.
CHANGING = frozenset({"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"})


def _change(function: Any, what: str | None, arguments: Any, keywords: dict[str, Any]) -> None:
    """NumPy changes a copy of the first argument, whose elements that one gets."""

    def changed(a: Any, *rest: Any, **named: Any) -> Any:
        out = a.copy()
        function(out, *rest, **named)
        return out

    _core.write(arguments[0], asarray(_computed_by_numpy(changed, what, arguments, keywords, _CHANGES)))


_UNCHANGING = {"casting": "same_kind", "order": "K", "subok": True, "where": True, "dtype": None, "keepdims": False}


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any], does: str = _GIVES) -> Any:
    import numpy

    if not keywords and method == "__call__":
        function, operands = _elementwise(ufunc), as_ours(inputs)  # the short way
        if function is not None and operands is not None:
            try:
                return function(*operands)
            except (NotHere, TypeError):
                pass
    if not all(map(_is_known, inputs[:1] + inputs[2:] if method == "at" else inputs)):
        return NotImplemented
    if method == "at" and not all(is_operand(value) or is_plain(type(value)) for value in inputs[2:]):
        return NotImplemented  # NumPy would use the bare numbers
    if _has_ours(keywords.get("out")):
        return _into(getattr(ufunc, method), inputs, keywords, method == "__call__")
    given = {n: v for n, v in keywords.items() if not (n in _UNCHANGING and v is _UNCHANGING[n])}
    try:
        return _lazily(ufunc, method, inputs, given)
    except (NotHere, TypeError) as why:
        home = "numpy." if getattr(numpy, ufunc.__name__, None) is ufunc else "the ufunc "
        what = _what(
            home + ufunc.__name__ + ("" if method == "__call__" else f".{method}"), why, _elementwise(ufunc) is not None
        )
    if method == "at" and isinstance(inputs[0], _core.Array):
        _change(ufunc.at, what, inputs, keywords)
        return None
    return _computed_by_numpy(getattr(ufunc, method), what, inputs, keywords, does)


def _what(name: str, why: Exception, is_there: bool) -> str | None:
    """What is said to be computed by NumPy. Where it writes to memory of its own, the caller has asked for that."""
    argument = str(why) if isinstance(why, NotHere) else ""
    if argument == "out":
        return None
    return f"{name} with {argument}=" if argument else f"{name} of such arguments" if is_there else name


# ---- numpy.mean(x) ----


def _refuse_subclasses(name: str, kinds: list[type]) -> None:
    """Of NumPy's own subclasses nobody else does it, and NumPy would name the types and no reason."""
    import numpy

    own = [k for k in kinds if issubclass(k, numpy.ndarray) and k.__array_function__ is numpy.ndarray.__array_function__]
    if own and len(own) == len(kinds):
        raise TypeError(f"{name} takes no {own[0].__name__} beside zerocast's arrays, which have elements and nothing else: "
                        "take numpy.asarray() of one or the other")  # fmt: skip


def call_function(function: Any, types: Any, arguments: Any, keywords: Any, does: str = _GIVES) -> Any:
    from . import _numpy_functions as functions

    is_short = len(types) <= 1 and len(arguments) <= functions.most_operands(function) and "out" not in keywords
    if is_short and are_ours(arguments):
        try:
            return functions.called(function, arguments, keywords)
        except (NotHere, TypeError):
            pass
    others = [kind for kind in types if not (issubclass(kind, _core.Array) or is_plain(kind))]
    if others:
        meet_dask()
        _refuse_subclasses(f"{function.__module__}.{function.__name__}", others)
        return NotImplemented
    arguments, keywords = functions.name_out(function, arguments, keywords)
    if _has_ours(keywords.get("out")):
        return _into(function, arguments, keywords, False)
    if function.__name__ in CHANGING and arguments:
        if not isinstance(arguments[0], _core.Array):
            return function(*take(arguments), **take(keywords))
        try:
            return functions.called(function, arguments, keywords)
        except NotHere:
            return _change(function, f"numpy.{function.__name__}", arguments, keywords)
    try:
        return functions.called(function, arguments, keywords)
    except (NotHere, TypeError) as why:
        what = _what(f"{function.__module__}.{function.__name__}", why, functions.is_there(function))
    return _computed_by_numpy(function, what, arguments, keywords, does)


class ArrayUfunc:
    """__array_ufunc__ as a descriptor: Dask asks an operand for it before it looks whether the type is a block's."""

    __slots__ = ()

    def __get__(self, x: Any, kind: type) -> Any:
        meet_dask()
        return self if x is None else MethodType(self, x)

    def __call__(self, x: Array, ufunc: Any, method: str, /, *inputs: Any, **keywords: Any) -> Any:
        return call_ufunc(ufunc, method, inputs, keywords)
