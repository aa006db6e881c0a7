"""What the array API asks of a namespace, and of its dtypes."""

from __future__ import annotations

from . import _core, _dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class finfo_object:
    """Limits of a floating-point dtype."""

    __slots__ = ("bits", "dtype", "eps", "max", "min", "smallest_normal")

    def __init__(self, dtype: _dtypes.DType, digits: int, exponent: int) -> None:
        self.dtype = dtype
        self.bits = 8 * dtype.itemsize
        self.eps = 2.0 ** -(digits - 1)
        self.max = (2.0 - self.eps) * 2.0 ** (exponent - 1)
        self.min = -self.max
        self.smallest_normal = 2.0 ** (2 - exponent)

    def __repr__(self) -> str:
        return f"finfo({self.dtype}: eps={self.eps}, max={self.max}, smallest_normal={self.smallest_normal})"


class iinfo_object:
    """Limits of an integer dtype."""

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, dtype: _dtypes.DType) -> None:
        self.dtype = dtype
        self.bits = 8 * dtype.itemsize
        self.min, self.max = _dtypes.limits(dtype)

    def __repr__(self) -> str:
        return f"iinfo({self.dtype}: min={self.min}, max={self.max})"


_FLOATS = {"float16": (11, 16), "bfloat16": (8, 128), "float32": (24, 128), "float64": (53, 1024)}


def _dtype_at(obj: Any) -> _dtypes.DType:
    """Of a dtype, or of what has one: ours, or another library's array or scalar."""
    found = _dtypes.find(obj)
    return found if found is not None else _dtypes.dtype_of(getattr(obj, "dtype", obj))


def finfo(type: Any, /) -> finfo_object:
    dtype = _dtype_at(type)
    name = {"complex64": "float32", "complex128": "float64"}.get(dtype.name, dtype.name)
    if name not in _FLOATS:
        raise ValueError(f"finfo() takes dtypes of floats, not {dtype}")
    return finfo_object(_dtypes.dtype_of(name), *_FLOATS[name])


def iinfo(type: Any, /) -> iinfo_object:
    dtype = _dtype_at(type)
    if not _dtypes.of_kind(dtype, "integral"):
        raise ValueError(f"iinfo() takes dtypes of integers, not {dtype}")
    return iinfo_object(dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    wanted = kind if isinstance(kind, tuple) else (kind,)
    found = _dtypes.dtype_of(dtype)
    kinds = {name for one in _dtypes.ALL for name in one.kinds}
    for one in wanted:
        if isinstance(one, str) and one not in kinds:
            raise ValueError(f"{one!r} is no kind of dtype")
        if one in found.kinds if isinstance(one, str) else found == one:
            return True
    return False


def result_type(*arrays_and_dtypes: Any) -> _dtypes.DType:
    """The dtype in which arrays, dtypes and Python's numbers meet."""
    operands = []
    for one in arrays_and_dtypes:
        is_operand = isinstance(one, (_core.Array, bool, int, float, complex)) and not isinstance(one, type)
        operands.append(one if is_operand else _core.astype(0, _dtype_at(one).code))
    if not operands:
        raise ValueError("result_type() takes an array or a dtype at least")
    return _dtypes.ALL[_core.result_type(operands)]


def can_cast(from_: Any, to: Any, /) -> bool:
    return result_type(_dtype_at(from_), to) is _dtypes.dtype_of(to)


class namespace_info:
    """What __array_namespace_info__() gives."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": _core.MAX_RANK}

    def default_device(self) -> str:
        return "cpu"

    def devices(self) -> list[str]:
        return ["cpu"]

    def default_dtypes(self, *, device: Any = None) -> dict[str, _dtypes.DType]:
        return {
            "real floating": _dtypes.float64,
            "complex floating": _dtypes.complex128,
            "integral": _dtypes.int64,
            "indexing": _dtypes.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, _dtypes.DType]:
        standard = {d.name: d for d in _dtypes.ALL if d.name not in ("float16", "bfloat16")}
        return {name: d for name, d in standard.items() if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> namespace_info:
    return namespace_info()
