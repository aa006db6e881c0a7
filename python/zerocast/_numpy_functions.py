"""NumPy's functions made of zerocast's: by NumPy's names of arguments, and what the arguments mean there.

A function of the table takes those of NumPy's arguments that zerocast has. What a call gives is bound against NumPy's own
signature; an argument that is not taken and differs from NumPy's default makes NumPy compute, and so does NotHere.
What NumPy's signature refuses, NumPy refuses.
"""

from __future__ import annotations

import functools
import inspect

import numpy

import zerocast as zc

from . import _core, _dtypes
from ._arguments import is_number, resolve
from ._numpy import CHANGING, NotHere
from ._numpy_calculus import CALCULUS
from ._numpy_changes import CHANGES
from ._numpy_choosing import CHOOSING
from ._numpy_comparing import COMPARING
from ._numpy_joining import JOINING, _cast, concatenate
from ._numpy_linalg import FFT, LINALG
from ._numpy_polynomials import POLYNOMIALS
from ._numpy_ranges import RANGES
from ._numpy_reductions import (
    array,
    arrays,
    average,
    axis_of,
    checked_axis,
    cumulation,
    dtype_named,
    flat_or_at,
    in_dtype,
    is_float,
    mean_of,
    medians,
    nan_searched,
    operand,
    quantiles,
    reduction,
    searched,
    spread_of,
)
from ._numpy_sets import SETS
from ._sharing import sharing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._array import Array

# ---- Making, joining, rearranging ----


def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = None, shape: Any = None, device: Any = None) -> Array:
    kind = dtype_named(dtype) or array(a).dtype
    value = _core.astype(operand(fill_value), kind.code) if not is_number(fill_value) else fill_value
    return zc.full(array(a).shape if shape is None else shape, value, dtype=kind, device=device)


def _like(value: int) -> Callable[..., Array]:
    return lambda a, dtype=None, order=None, shape=None, device=None: full_like(a, value, dtype, None, shape, device)


def empty_like(prototype: Any, dtype: Any = None, order: Any = None, shape: Any = None, device: Any = None) -> Array:
    return full_like(prototype, 0, dtype, None, shape, device)


def reshape(a: Any, shape: Any, order: Any = "C", copy: Any = None) -> Array:
    a = array(a)
    order = order.upper() if isinstance(order, str) else order
    if order in ("C", "A", None):  # in memory, our arrays are row-major
        return zc.reshape(a, shape, copy=copy)
    if order != "F":
        raise NotHere
    sizes = zc.reshape(a, shape).shape
    turned = zc.reshape(zc.permute_dims(a, tuple(range(a.ndim))[::-1]), tuple(sizes)[::-1], copy=copy)
    return zc.permute_dims(turned, tuple(range(turned.ndim))[::-1])


def ravel(a: Any, order: Any = "C") -> Array:
    return array(a).ravel(order)


def take(a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Array:
    a, axis = flat_or_at(array(a), axis)
    positions, n = array(indices), a.shape[resolve(axis, a.ndim)]
    if positions.size == 0 and is_float(positions):
        positions = _core.astype(positions, _dtypes.int64.code)
    if mode == "wrap":
        positions = _core.remainder(positions, n)
    elif mode == "clip":
        positions = _core.clip(positions, 0, n - 1)
    elif mode != "raise":
        raise NotHere("mode")
    return zc.take(a, positions, axis=axis)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Array:
    counts = repeats if hasattr(repeats, "__index__") and not isinstance(repeats, _core.Array) else array(repeats)
    if isinstance(counts, _core.Array) and counts.ndim == 0:
        counts = int(counts)
    return zc.repeat(array(a), counts, axis=axis)


def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Array:
    from ._rearranging import _PAD_MODES

    x = operand(array)
    if mode not in _PAD_MODES or numpy.ndim(constant_values) != 0:
        raise NotHere
    value = constant_values if is_number(constant_values) else in_dtype(operand(constant_values), x.dtype)
    try:
        return zc.pad(x, pad_width, mode, constant_values=value)
    except ValueError:
        if not isinstance(pad_width, dict):  # NumPy says why it is refused
            numpy.pad(numpy.empty((1,) * x.ndim), numpy.minimum(pad_width, 1))
        raise


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    a = array(a)
    if n == 0:
        return a
    one = tuple(1 if k == axis % max(a.ndim, 1) else size for k, size in enumerate(a.shape))
    ends = [None if end is None else array(end) for end in (prepend, append)]
    ends = [_core.broadcast_to(end, one) if end is not None and end.ndim == 0 else end for end in ends]
    return zc.diff(concatenate([part for part in (ends[0], a, ends[1]) if part is not None], axis), axis=axis, n=n)


def rounded(a: Any, decimals: int = 0) -> Array:
    """NumPy's way, which is not exact: by a power of ten and back."""
    a = array(a)
    if decimals == 0 or decimals > 0 and not is_float(a):
        return zc.round(a)
    if not is_float(a) or abs(decimals) > 22 or a.dtype.itemsize < 4:
        raise NotHere("decimals")
    power = 10.0 ** abs(decimals)
    ways = (_core.multiply, _core.divide)
    there, back = ways if decimals > 0 else ways[::-1]
    if a.dtype.kind == "c":  # a product with a complex power would mix the parts of infinities
        return _core.complex_of(*(back(zc.round(there(part, power)), power) for part in (_core.real(a), _core.imag(a))))
    return back(zc.round(there(a, power)), power)


_ABSENT = object()


def clip(a: Any, a_min: Any = _ABSENT, a_max: Any = _ABSENT, min: Any = _ABSENT, max: Any = _ABSENT) -> Array:
    is_first, is_second = (x is not _ABSENT or y is not _ABSENT for x, y in ((a_min, a_max), (min, max)))
    if is_first and (is_second or a_min is _ABSENT or a_max is _ABSENT):
        raise NotHere  # NumPy says why it is refused
    bounds = (a_min, a_max) if is_first else (min, max)
    return zc.clip(array(a), *(None if bound is None or bound is _ABSENT else operand(bound) for bound in bounds))


def argsort(a: Any, axis: Any = -1) -> Array:
    """NumPy takes one element for a line of one."""
    a = array(a)
    a, along = flat_or_at(a, axis_of(a, axis))
    return zc.argsort(a, axis=along)


def meshgrid(*xi: Any, copy: Any = True, indexing: str = "xy") -> tuple[Array, ...]:
    return tuple(zc.meshgrid(*(zc.reshape(x, (-1,)) for x in arrays(xi)), indexing=indexing))


def _as_matrix(m: Any) -> Array:
    """A row is every row of a square."""
    a = array(m)
    return zc.broadcast_to(a, (a.size, a.size)) if a.ndim == 1 else a


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    chosen = array(condition)
    chosen = chosen if chosen.dtype is _dtypes.bool_ else _core.not_equal(chosen, 0)
    if x is None and y is None:
        return zc.nonzero(chosen)
    return zc.where(chosen, operand(x), operand(y))


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
    return zc.sum(zc.diagonal(array(a), offset=offset, axis1=axis1, axis2=axis2), axis=-1, dtype=dtype_named(dtype))


# ---- Products ----


def dot(a: Any, b: Any) -> Array:
    a, b = operand(a), operand(b)
    if is_number(a) or is_number(b) or a.ndim == 0 or b.ndim == 0:
        return _core.multiply(a, b)
    return zc.tensordot(a, b, axes=([a.ndim - 1], [max(b.ndim - 2, 0)]))


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _subscript(places: Any) -> str:
    if any(place is not Ellipsis and not 0 <= place < len(_LETTERS) for place in places):
        raise NotHere  # NumPy says why it is refused
    return "".join("..." if place is Ellipsis else _LETTERS[place] for place in places)


def einsum(*operands: Any, dtype: Any = None, casting: str = "safe") -> Array:
    """By subscripts, or by a list of axes behind every operand."""
    subscripts, *values = operands
    if not isinstance(subscripts, str):
        values, lists = list(operands[0 : len(operands) // 2 * 2 : 2]), operands[1::2]
        result = [operands[-1]] if len(operands) % 2 else []
        subscripts = "->".join([",".join(map(_subscript, lists)), *map(_subscript, result)])
    return zc.einsum(subscripts, *_cast(arrays(values), dtype, casting))


# ---- Facts, which nothing is computed for ----


def _fact(value: Any) -> Any:
    """What stands for a value where only its dtype counts."""
    return value.dtype.dtype if isinstance(value, _core.Array) else value


def result_type(*arrays_and_dtypes: Any) -> Any:
    return numpy.result_type(*map(_fact, arrays_and_dtypes))


def size(a: Any, axis: Any = None) -> int:
    sizes = array(a).shape
    axes = range(len(sizes)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    product = 1
    for n in axes:
        product *= sizes[n]
    return product


# ---- The table ----


def _table() -> dict[str, Callable[..., Any]]:
    table: dict[str, Callable[..., Any]] = {n: reduction(n) for n in ("sum", "prod", "max", "min", "any", "all")}
    table |= {f"nan{name}": reduction(name, True) for name in ("sum", "prod", "max", "min")}
    table |= {"amax": table["max"], "amin": table["min"], "average": average}
    table |= {"argmax": searched("argmax"), "argmin": searched("argmin")}
    table |= {"nanargmax": nan_searched("argmax", float("-inf")), "nanargmin": nan_searched("argmin", float("inf"))}
    table |= {"mean": mean_of(False), "nanmean": mean_of(True)}
    table |= {"var": spread_of(False, False), "std": spread_of(False, True)}
    table |= {"nanvar": spread_of(True, False), "nanstd": spread_of(True, True)}
    table |= {"cumsum": cumulation("cumulative_sum"), "cumprod": cumulation("cumulative_prod")}
    table |= {"nancumsum": cumulation("cumulative_sum", 0), "nancumprod": cumulation("cumulative_prod", 1)}
    table |= {"median": medians(False), "nanmedian": medians(True)}
    table |= {"quantile": quantiles(False, 1), "nanquantile": quantiles(True, 1)}
    table |= {"percentile": quantiles(False, 100), "nanpercentile": quantiles(True, 100)}
    table |= {"zeros_like": _like(0), "ones_like": _like(1), "empty_like": empty_like, "full_like": full_like}
    table |= {"reshape": reshape, "ravel": ravel, "take": take, "repeat": repeat}
    table |= {"pad": pad, "diff": diff, "round": rounded, "around": rounded, "clip": clip, "where": where, "trace": trace}
    table |= CALCULUS | CHANGES | CHOOSING | COMPARING | JOINING | POLYNOMIALS | RANGES | SETS
    table |= {"dot": dot, "einsum": einsum, "result_type": result_type, "size": size}
    return table | {
        "argsort": argsort,
        "astype": lambda x, dtype, copy=True: zc.astype(array(x), dtype_named(dtype) or zc.float64, copy=copy),
        "broadcast_arrays": lambda *args: tuple(zc.broadcast_arrays(*arrays(args))),
        "broadcast_to": lambda array, shape: zc.broadcast_to(operand(array), shape),
        "can_cast": lambda from_, to, casting="safe": numpy.can_cast(_fact(from_), _fact(to), casting),
        "copy": lambda a: zc.asarray(array(a), copy=True),
        "count_nonzero": lambda a, axis=None, keepdims=False: zc.count_nonzero(
            array(a), axis=checked_axis(axis), keepdims=bool(keepdims)
        ),
        "diagonal": lambda a, offset=0, axis1=0, axis2=1: zc.diagonal(array(a), offset=offset, axis1=axis1, axis2=axis2),
        "expand_dims": lambda a, axis: zc.expand_dims(array(a), axis=axis),
        "flip": lambda m, axis=None: zc.flip(array(m), axis=axis),
        "imag": lambda val: zc.imag(array(val)),
        "iscomplexobj": lambda x: array(x).dtype.kind == "c",
        "isin": lambda element, test_elements, invert=False: zc.isin(array(element), operand(test_elements), invert=invert),
        "isrealobj": lambda x: array(x).dtype.kind != "c",
        "matrix_transpose": lambda x: zc.matrix_transpose(array(x)),
        "may_share_memory": sharing(False),
        "meshgrid": meshgrid,
        "moveaxis": lambda a, source, destination: zc.moveaxis(array(a), source, destination),
        "ndim": lambda a: array(a).ndim,
        "nonzero": lambda a: zc.nonzero(array(a)),
        "outer": lambda a, b: zc.outer(zc.reshape(array(a), (-1,)), zc.reshape(array(b), (-1,))),
        "permute_dims": lambda a, axes=None: zc.transpose(array(a), axes),
        "real": lambda val: zc.real(array(val)),
        "roll": lambda a, shift, axis=None: zc.roll(array(a), shift, axis=axis),
        "rot90": lambda m, k=1, axes=(0, 1): zc.rot90(array(m), k=k, axes=tuple(axes)),
        "searchsorted": lambda a, v, side="left", sorter=None: zc.searchsorted(
            array(a), operand(v), side=side, sorter=None if sorter is None else array(sorter)
        ),
        "shape": lambda a: array(a).shape,
        "shares_memory": sharing(True),
        "sliding_window_view": lambda x, window_shape, axis=None: zc.sliding_window_view(array(x), window_shape, axis),
        "sort": lambda a, axis=-1: zc.sort(*flat_or_at(array(a), axis)[:1], axis=0 if axis is None else axis),
        "split": lambda ary, indices_or_sections, axis=0: zc.split(array(ary), indices_or_sections, axis=axis),
        "squeeze": lambda a, axis=None: zc.squeeze(array(a), axis),
        "swapaxes": lambda a, axis1, axis2: zc.swapaxes(array(a), axis1, axis2),
        "take_along_axis": lambda arr, indices, axis=-1: zc.take_along_axis(array(arr), array(indices), axis=axis),
        "tensordot": lambda a, b, axes=2: zc.tensordot(array(a), array(b), axes=axes),
        "tile": lambda A, reps: zc.tile(array(A), reps),
        "transpose": lambda a, axes=None: zc.transpose(array(a), axes),
        "tril": lambda m, k=0: zc.tril(_as_matrix(m), k=k),
        "triu": lambda m, k=0: zc.triu(_as_matrix(m), k=k),
        "unstack": lambda x, axis=0: zc.unstack(array(x), axis=axis),
    }


# Any value of these is one that our functions have without asking: sorts are stable, plans are made, nothing is written over.
_UNASKED = frozenset({"kind", "stable", "subok", "overwrite_input", "optimize", "max_work", "assume_unique", "sorted"})
# Yet NumPy refuses some values: it is asked with nothing to do.
_REFUSALS: dict[str, Callable[..., Any]] = {
    "argpartition": lambda **given: numpy.argpartition(numpy.empty(1), 0, **given),
    "argsort": lambda **given: numpy.argsort(numpy.empty(0), **given),
    "isin": lambda **given: numpy.isin(numpy.empty(0, int), numpy.empty(0, int), **given),
    "partition": lambda **given: numpy.partition(numpy.empty(1), 0, **given),
    "sort": lambda **given: numpy.sort(numpy.empty(0), **given),
}
# Signatures of functions in C, which had none before NumPy 2.4.
_SIGNATURES: dict[str, Any] = {
    "bincount": lambda x, /, weights=None, minlength=0: None,
    "can_cast": lambda from_, to, casting="safe": None,
    "concatenate": lambda arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind": None,
    "copyto": lambda dst, src, casting="same_kind", where=True: None,
    "dot": lambda a, b, out=None: None,
    "empty_like": lambda prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None: None,
    "inner": lambda a, b, /: None,
    "lexsort": lambda keys, axis=-1: None,
    "may_share_memory": lambda a, b, /, max_work=0: None,
    "packbits": lambda a, /, axis=None, bitorder="big": None,
    "putmask": lambda a, mask, values: None,
    "ravel_multi_index": lambda multi_index, dims, mode="raise", order="C": None,
    "result_type": lambda *arrays_and_dtypes: None,
    "shares_memory": lambda a, b, /, max_work=-1: None,
    "unpackbits": lambda a, /, axis=None, count=None, bitorder="big": None,
    "unravel_index": lambda indices, shape, order="C": None,
    "vdot": lambda a, b, /: None,
    "where": lambda condition, x=None, y=None, /: None,
}
_NAMES = {"arrays": "arrays_", "newshape": "shape"}  # of NumPy's arguments as they are called here


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except ValueError:
        return inspect.signature(_SIGNATURES[function.__name__])


@functools.cache
def _positional(function: Callable[..., Any]) -> tuple[str, ...]:
    """The arguments that may be given by their places; none of those that NumPy does not tell."""
    try:
        parameters = _signature(function).parameters
    except (KeyError, ValueError, TypeError):
        return ()
    return tuple(n for n, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


def name_out(function: Callable[..., Any], arguments: Any, keywords: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The same call with out, and what follows it, by name."""
    names = _positional(function) if len(arguments) > 1 else ()
    at = names.index("out") if "out" in names else len(arguments)
    if len(arguments) <= at or arguments[at] is None or len(arguments) > len(names):
        return arguments, keywords
    named = dict(zip(names[at:], arguments[at:]))
    if named.keys() & keywords.keys():
        return arguments, keywords  # NumPy says why it is refused
    return arguments[:at], {**named, **keywords}


class _Call:
    """A function of the table beside NumPy's signature."""

    __slots__ = ("defaults", "first", "function", "positional", "refuse", "taken", "takes_all", "takes_more")

    def __init__(self, function: Callable[..., Any], theirs: Callable[..., Any]) -> None:
        parameters = _signature(theirs).parameters
        self.function = function
        self.refuse = _REFUSALS.get(theirs.__name__)
        ours = inspect.signature(function).parameters
        self.taken = frozenset(ours)
        self.takes_more = any(p.kind is p.VAR_KEYWORD for p in ours.values())
        self.positional = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.takes_all = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
        self.defaults = {name: p.default for name, p in parameters.items()}
        self.first: list[tuple[str, str]] = []  # that are taken as they are: NumPy's names, and ours
        for name in () if self.takes_all else self.positional:
            if name in _UNASKED or _NAMES.get(name, name) not in ours:
                break
            self.first.append((name, _NAMES.get(name, name)))

    def _is_default(self, name: str, value: Any) -> bool:
        default = self.defaults.get(name)
        return value is default or value is numpy._NoValue or (type(value) is type(default) and bool(value == default))

    def __call__(self, arguments: Any, keywords: dict[str, Any]) -> Any:
        if not keywords and 0 < len(arguments) <= len(self.first):
            given = {}
            for (theirs, name), value in zip(self.first, arguments):
                if isinstance(value, _core.Array) or not self._is_default(theirs, value):
                    given[name] = value
            return self.function(**given)
        places, named = (arguments, {}) if self.takes_all else ((), dict(zip(self.positional, arguments)))
        if len(arguments) > len(places) + len(named) or any(name in named for name in keywords):
            raise NotHere  # NumPy says why it is refused
        named |= keywords
        if self.refuse is not None and not _UNASKED.isdisjoint(named):
            self.refuse(**{name: named[name] for name in named if name in _UNASKED})
        for name in tuple(named):
            value = named.pop(name)
            if self.takes_more and name not in self.defaults:
                named[name] = value  # of a function that is called
                continue
            if (name in _UNASKED and name not in self.taken) or self._is_default(name, value):
                continue
            name = _NAMES.get(name, name)
            if name not in self.taken:
                raise NotHere(name)
            named[name] = value
        return self.function(*places, **named)


_FUNCTIONS = _table()
_MODULES = {"numpy": _FUNCTIONS, "numpy.lib.stride_tricks": _FUNCTIONS, "numpy.linalg": LINALG, "numpy.fft": FFT}
_calls: dict[Any, _Call] = {}


def is_there(function: Any) -> bool:
    return function.__name__ in _MODULES.get(function.__module__, ())


def called(function: Any, arguments: Any, keywords: dict[str, Any]) -> Any:
    """What NumPy's function gives of ours, recorded; NotHere where zerocast does not have it."""
    call = _calls.get(function)
    if call is None:
        if not is_there(function):
            raise NotHere
        call = _calls[function] = _Call(_MODULES[function.__module__][function.__name__], function)
    return call(arguments, keywords)


@functools.cache
def most_operands(function: Any) -> int:
    """Number of arguments that may be given by their places and are no output; 0 of a function that is not there, or
    changes its first one."""
    if not is_there(function) or function.__name__ in CHANGING:
        return 0
    names = _positional(function)
    return names.index("out") if "out" in names else len(names)
