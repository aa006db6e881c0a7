"""NumPy's protocols: its functions stay lazy where zerocast has them; others compute, and say so once each."""

from __future__ import annotations

from . import _core

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
    if copy:
        out = numpy.empty(x.shape, dtype=x.dtype.name)
        _core.into(x, out)
        return out if dtype is None else out.astype(dtype, copy=False)
    values = numpy.asarray(_core.memory_of(x, False))
    return values if dtype is None else values.astype(dtype, copy=False)


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
    "conjugate": "conj",
    "fabs": "abs",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
_REDUCED = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_or": "any",
    "logical_and": "all",
}
_said: set[str] = set()


def _say(name: str) -> None:
    if name not in _said:
        _said.add(name)
        import warnings

        warnings.warn(f"numpy.{name} is not in zerocast: it computes, and gives NumPy's arrays", stacklevel=4)


def _computed(value: Any) -> Any:
    """The same with NumPy's arrays in the place of ours, at any depth of lists, tuples and dicts."""
    if isinstance(value, _core.Array):
        return to_numpy(value, None, None)  # type: ignore[arg-type]
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_computed(item) for item in value)
    if isinstance(value, dict):
        return {name: _computed(item) for name, item in value.items()}
    return value


def _elementwise(name: str) -> Any:
    import zerocast

    found = getattr(zerocast, _UFUNCS.get(name, name), None)
    return (
        found if name in _core.OPERATIONS or name in _UFUNCS or name in ("conj", "real", "imag", "matmul", "vecdot") else None
    )


def _is_known(value: Any) -> bool:
    """Whether zerocast's function may be called with it; others, such as xarray's, get their turn first."""
    plain = isinstance(value, (_core.Array, bool, int, float, complex))
    return plain or type(value).__module__.partition(".")[0] == "numpy"


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if not all(_is_known(value) for value in inputs):
        return NotImplemented
    if any(isinstance(out, _core.Array) for out in keywords.get("out", ())):
        raise TypeError("arrays of zerocast do not change, so they cannot be what NumPy writes to")
    name = ufunc.__name__
    if method == "__call__" and not keywords:
        function = _elementwise(name)
        if function is not None:
            return function(*inputs)
    if method == "reduce" and name in _REDUCED and set(keywords) <= {"axis", "keepdims", "dtype"}:
        return getattr(_core, _REDUCED[name])(inputs[0], **{"axis": 0, **keywords})
    if method != "__call__" or _elementwise(name) is None:
        _say(name if method == "__call__" else f"{name}.{method}")
    return getattr(ufunc, method)(*_computed(inputs), **_computed(keywords))


# ---- numpy.mean(x) ----

_UNGIVEN: Any = None


def _no_out(out: Any) -> None:
    if out is not None:
        raise TypeError("arrays of zerocast do not change, so they cannot be what NumPy writes to")


def _reduction(name: str) -> Callable[..., Array]:
    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **keywords: Any) -> Any:
        _no_out(out)
        where = keywords.pop("where", True)
        if keywords or where is not True:
            raise _Unknown
        return getattr(_core, name)(a, axis=axis, dtype=dtype, keepdims=bool(keepdims))

    return reduce


def _without_dtype(name: str) -> Callable[..., Array]:
    def reduce(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **keywords: Any) -> Any:
        return _reduction(name)(a, axis, None, out, keepdims, **keywords)

    return reduce


def _spread(name: str) -> Callable[..., Array]:
    def spread(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: Any = False,
        **keywords: Any,
    ) -> Any:
        _no_out(out)
        correction = keywords.pop("correction", ddof)
        if keywords:
            raise _Unknown
        x = _core.astype(a, _code(dtype)) if dtype is not None else a
        return getattr(_core, name)(x, axis, correction, bool(keepdims))

    return spread


def _code(dtype: Any) -> int:
    from ._dtypes import code_of

    return code_of(dtype)


class _Unknown(Exception):
    """Arguments that are NumPy's alone: it computes."""


def _not_nan(a: Any) -> tuple[Any, Any]:
    """The array, and where its elements are numbers."""
    from ._dtypes import of_kind

    if of_kind(a.dtype, "real floating") or of_kind(a.dtype, "complex floating"):
        return a, _core.logical_not(_core.isnan(a))
    return a, None


def _nan_reduction(name: str, neutral: float) -> Callable[..., Array]:
    """Elements that are NaN are left out: they are replaced by what changes nothing."""

    def reduce(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
        _no_out(out)
        a, there = _not_nan(a)
        x = a if there is None else _core.where(there, a, neutral)
        result = getattr(_core, name)(x, axis=axis, dtype=dtype, keepdims=bool(keepdims))
        if there is None or name in ("sum", "prod"):
            return result
        return _core.where(_core.any(there, axis=axis, keepdims=bool(keepdims)), result, float("nan"))

    return reduce


def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    _no_out(out)
    a, there = _not_nan(a)
    if there is None:
        return _core.mean(a, axis=axis, dtype=dtype, keepdims=bool(keepdims))
    total = _core.sum(_core.where(there, a, 0), axis=axis, dtype=dtype, keepdims=bool(keepdims))
    count = _core.sum(there, axis=axis, keepdims=bool(keepdims))
    return _core.divide(total, _core.astype(count, total.dtype.code))


def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False) -> Any:
    a, there = _not_nan(a)
    if there is None:
        return _spread("var")(a, axis, dtype, out, ddof, keepdims)
    distance = _core.subtract(a, nanmean(a, axis, dtype, out, True))
    square = _core.real(_core.multiply(distance, _core.conj(distance)))
    total = _core.sum(_core.where(there, square, 0), axis=axis, keepdims=bool(keepdims))
    count = _core.subtract(_core.sum(there, axis=axis, keepdims=bool(keepdims)), ddof)
    return _core.divide(total, _core.astype(_core.where(_core.greater(count, 0), count, 0), total.dtype.code))


def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False) -> Any:
    return _core.sqrt(nanvar(a, axis, dtype, out, ddof, keepdims))


def _nan_cumulation(name: str, neutral: float) -> Callable[..., Array]:
    def cumulate(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        import zerocast

        _no_out(out)
        a, there = _not_nan(a)
        x = a if there is None else _core.where(there, a, neutral)
        return getattr(zerocast, name)(zerocast.reshape(x, (-1,)) if axis is None else x, axis=axis or 0, dtype=dtype)

    return cumulate


def _quantile(a: Any, q: Any, axis: Any, keepdims: Any, skips: bool) -> Any:
    from ._quantiles import Unsupported, between

    try:
        return between(a, q, axis, bool(keepdims), skips)
    except Unsupported:
        raise _Unknown from None


def _quantiles(skips: bool, is_median: bool) -> Callable[..., Array]:
    def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
        _no_out(out)
        return _quantile(a, 0.5, axis, keepdims, skips)

    def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
                 method: str = "linear", keepdims: Any = False) -> Any:  # fmt: skip
        _no_out(out)
        return _quantile(a, q, axis, keepdims, skips) if method == "linear" else _unknown()

    return median if is_median else quantile


def _table() -> dict[str, Callable[..., Any]]:
    """NumPy's names and signatures for what zerocast has."""
    import zerocast as zc

    def axis_or_flat(function: Any) -> Any:
        return lambda a, axis=None, *rest, **keywords: function(
            zc.reshape(a, (-1,)) if axis is None else a, *rest, axis=0 if axis is None else axis, **keywords
        )

    def searched(name: str) -> Any:
        return lambda a, axis=None, *, keepdims=False: getattr(_core, name)(a, axis=axis, keepdims=bool(keepdims))

    table: dict[str, Any] = {name: _reduction(name) for name in ("sum", "prod", "mean")}
    table |= {name: _without_dtype(name) for name in ("max", "min", "any", "all")}
    table |= {"amax": table["max"], "amin": table["min"], "argmax": searched("argmax"), "argmin": searched("argmin")}
    table |= {"var": _spread("var"), "std": _spread("std"), "nanmean": nanmean, "nanvar": nanvar, "nanstd": nanstd}
    table |= {"nansum": _nan_reduction("sum", 0), "nanprod": _nan_reduction("prod", 1)}
    table |= {"nanmax": _nan_reduction("max", float("-inf")), "nanmin": _nan_reduction("min", float("inf"))}
    table |= {"nancumsum": _nan_cumulation("cumulative_sum", 0), "nancumprod": _nan_cumulation("cumulative_prod", 1)}
    table |= {"median": _quantiles(False, True), "nanmedian": _quantiles(True, True)}
    table |= {"quantile": _quantiles(False, False), "nanquantile": _quantiles(True, False)}
    table |= {
        "broadcast_to": lambda array, shape, subok=False: zc.broadcast_to(array, shape),
        "broadcast_arrays": lambda *args, subok=False: tuple(zc.broadcast_arrays(*map(zc.asarray, args))),
        "clip": lambda a, a_min=None, a_max=None, *, min=None, max=None: zc.clip(
            a, a_min if min is None else min, a_max if max is None else max
        ),
        "concatenate": lambda arrays, axis=0: zc.concat([zc.asarray(a) for a in arrays], axis=axis),
        "count_nonzero": lambda a, axis=None, *, keepdims=False: zc.count_nonzero(a, axis=axis, keepdims=keepdims),
        "cumsum": axis_or_flat(lambda a, dtype=None, *, axis: zc.cumulative_sum(a, axis=axis, dtype=dtype)),
        "cumprod": axis_or_flat(lambda a, dtype=None, *, axis: zc.cumulative_prod(a, axis=axis, dtype=dtype)),
        "diff": lambda a, n=1, axis=-1: zc.diff(a, axis=axis, n=n),
        "dot": lambda a, b: (
            zc.tensordot(a, b, axes=([a.ndim - 1], [max(b.ndim - 2, 0)])) if a.ndim and b.ndim else zc.multiply(a, b)
        ),
        "einsum": lambda subscripts, *operands: zc.einsum(subscripts, *map(zc.asarray, operands)),
        "empty_like": lambda a, dtype=None: zc.empty_like(a, dtype=dtype),
        "expand_dims": lambda a, axis: zc.expand_dims(a, axis=axis),
        "flip": lambda m, axis=None: zc.flip(m, axis=axis),
        "full_like": lambda a, fill_value, dtype=None: zc.full_like(a, fill_value, dtype=dtype),
        "imag": lambda val: zc.imag(val),
        "isin": lambda element, test_elements, *, invert=False: zc.isin(
            zc.asarray(element), zc.asarray(test_elements), invert=invert
        ),
        "matrix_transpose": lambda x: zc.matrix_transpose(x),
        "moveaxis": lambda a, source, destination: zc.moveaxis(a, source, destination),
        "nonzero": lambda a: zc.nonzero(a),
        "ones_like": lambda a, dtype=None: zc.ones_like(a, dtype=dtype),
        "outer": lambda a, b: zc.outer(zc.reshape(zc.asarray(a), (-1,)), zc.reshape(zc.asarray(b), (-1,))),
        "pad": lambda array, pad_width, mode="constant", *, constant_values=0: zc.pad(
            array, _widths(pad_width, array.ndim), mode, constant_values=constant_values
        ),
        "permute_dims": lambda a, axes: zc.permute_dims(a, axes),
        "ravel": lambda a: zc.reshape(a, (-1,)),
        "real": lambda val: zc.real(val),
        "repeat": lambda a, repeats, axis=None: zc.repeat(a, repeats, axis=axis),
        "reshape": lambda a, shape: zc.reshape(a, shape),
        "roll": lambda a, shift, axis=None: zc.roll(a, shift, axis=axis),
        "round": lambda a, decimals=0: zc.round(a) if decimals == 0 else _unknown(),
        "sort": lambda a, axis=-1: zc.sort(a, axis=axis),
        "argsort": lambda a, axis=-1: zc.argsort(a, axis=axis),
        "split": lambda ary, sections, axis=0: zc.split(ary, sections, axis=axis),
        "squeeze": lambda a, axis=None: zc.squeeze(a, axis),
        "stack": lambda arrays, axis=0: zc.stack([zc.asarray(a) for a in arrays], axis=axis),
        "swapaxes": lambda a, axis1, axis2: zc.swapaxes(a, axis1, axis2),
        "take": lambda a, indices, axis=None: zc.take(zc.reshape(a, (-1,)) if axis is None else a, indices, axis=axis or 0),
        "take_along_axis": lambda arr, indices, axis=-1: zc.take_along_axis(arr, zc.asarray(indices), axis=axis),
        "tensordot": lambda a, b, axes=2: zc.tensordot(zc.asarray(a), zc.asarray(b), axes=axes),
        "tile": lambda A, reps: zc.tile(A, reps),
        "transpose": lambda a, axes=None: a.transpose(axes),
        "trace": lambda a, offset=0, axis1=0, axis2=1: zc.trace(a, offset=offset, axis1=axis1, axis2=axis2),
        "tril": lambda m, k=0: zc.tril(m, k=k),
        "triu": lambda m, k=0: zc.triu(m, k=k),
        "unstack": lambda x, *, axis=0: zc.unstack(x, axis=axis),
        "where": lambda condition, x, y: zc.where(zc.asarray(condition), _operand(x), _operand(y)),
        "zeros_like": lambda a, dtype=None: zc.zeros_like(a, dtype=dtype),
        "result_type": lambda *operands: zc.result_type(*operands).dtype,
        "shape": lambda a: a.shape,
        "ndim": lambda a: a.ndim,
        "size": lambda a, axis=None: a.size if axis is None else a.shape[axis],
        "iscomplexobj": lambda x: "complex" in x.dtype.name,
        "may_share_memory": lambda a, b, max_work=None: True,
    }
    return table


def _unknown() -> Any:
    raise _Unknown


def _operand(value: Any) -> Any:
    import zerocast

    return value if isinstance(value, (bool, int, float, complex)) else zerocast.asarray(value)


def _widths(widths: Any, rank: int) -> Any:
    import numpy

    return numpy.broadcast_to(numpy.asarray(widths), (rank, 2)).tolist()


_functions: dict[str, Any] = {}


def call_function(function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
    if any(kind.__module__.partition(".")[0] not in ("zerocast", "numpy") for kind in types):
        return NotImplemented
    if not _functions:
        _functions.update(_table())
    ours = _functions.get(function.__name__)
    if ours is not None and function.__module__ in ("numpy", "numpy.lib.stride_tricks"):
        try:
            return ours(*arguments, **keywords)
        except _Unknown:
            pass
    _say(function.__name__)
    return function(*_computed(arguments), **_computed(keywords))
