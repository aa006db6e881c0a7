"""What to use in the place of a name that NumPy has and zerocast has not."""

from __future__ import annotations

import sys

from ._numpy_refused import REASONS

_OURS = {
    "absolute": "abs(x)",
    "amax": "max(x)",
    "amin": "min(x)",
    "arccos": "acos(x)",
    "arccosh": "acosh(x)",
    "arcsin": "asin(x)",
    "arcsinh": "asinh(x)",
    "arctan": "atan(x)",
    "arctan2": "atan2(y, x)",
    "arctanh": "atanh(x)",
    "around": "round(x)",
    "array": "asarray(obj), which shares memory where it can, or asarray(obj, copy=True)",
    "asanyarray": "asarray(obj)",
    "ascontiguousarray": "asarray(obj)",
    "bitwise_not": "bitwise_invert(x)",
    "bool_": "bool",
    "concatenate": "concat(arrays)",
    "conjugate": "conj(x)",
    "copy": "asarray(x, copy=True)",
    "cumprod": "cumulative_prod(x)",
    "cumsum": "cumulative_sum(x)",
    "dot": "matmul(x, y)",
    "double": "float64",
    "dtype": "DType",
    "fix": "trunc(x)",
    "fliplr": "flip(x, axis=1)",
    "flipud": "flip(x, axis=0)",
    "half": "float16",
    "hstack": "concat(arrays, axis=1)",
    "identity": "eye(n)",
    "int_": "int64",
    "invert": "bitwise_invert(x)",
    "left_shift": "bitwise_left_shift(x, y)",
    "load": "open(path)",
    "mod": "remainder(x, y)",
    "ndarray": "Array",
    "power": "pow(x, y)",
    "ravel": "reshape(x, (-1,))",
    "right_shift": "bitwise_right_shift(x, y)",
    "rint": "round(x)",
    "savez": "save({name: x}, \"f.npz\")",
    "single": "float32",
    "true_divide": "divide(x, y)",
    "unique": "unique_values(x)",
    "vstack": "concat(arrays, axis=0)",
}


def sentence(name: str) -> str:
    text = f"module 'zerocast' has no attribute {name!r}"
    if name in _OURS:
        return f"{text}: here it is zerocast.{_OURS[name]}"
    if name in REASONS:
        return f"{text}: {REASONS[name]}"
    theirs = getattr(sys.modules.get("numpy"), name, None) if not name.startswith("_") else None
    is_function = callable(theirs) and not isinstance(theirs, type)
    return f"{text}; zerocast.numpy.{name}() takes zerocast's arrays" if is_function else text
