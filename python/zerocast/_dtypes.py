"""Dtypes: the library's own, found by the names that other libraries give them."""

from __future__ import annotations

import sys

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KINDS = {
    "bool": ("bool",),
    "int": ("signed integer", "integral", "numeric"),
    "uint": ("unsigned integer", "integral", "numeric"),
    "float": ("real floating", "numeric"),
    "bfloat": ("real floating", "numeric"),
    "complex": ("complex floating", "numeric"),
}


class DType:
    """What the elements of an array are."""

    __slots__ = ("code", "itemsize", "kinds", "name")

    name: str
    code: int  # the library's number
    itemsize: int
    kinds: tuple[str, ...]  # as isdtype() names them

    def __init__(self, name: str, code: int, itemsize: int) -> None:
        self.name = name
        self.code = code
        self.itemsize = itemsize
        self.kinds = _KINDS[name.rstrip("0123456789")]

    def __repr__(self) -> str:
        return f"zerocast.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        """NumPy's, where it is installed, since a dtype equals NumPy's of its name."""
        if self.code not in _HASHES:
            try:
                _HASHES[self.code] = hash(self.dtype)
            except (ImportError, TypeError):
                _HASHES[self.code] = hash(self.name)
        return _HASHES[self.code]

    def __eq__(self, other: object) -> bool:
        return self is other or (not isinstance(other, DType) and find(other) is self)

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype_of, (self.name,)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """Where NumPy is, isinstance(dtype, numpy.dtype) holds, as xarray asks before it fills in missing values; type()
        tells the truth."""
        numpy = sys.modules.get("numpy")
        return getattr(numpy, "dtype", DType)

    def __getattr__(self, name: str) -> Any:
        """What NumPy's dtypes tell besides: hasobject, char, str, alignment ..."""
        if name.startswith("_") or self is bfloat16:
            raise AttributeError(f"a dtype of zerocast has no attribute {name!r}")
        return getattr(self.dtype, name)

    @property
    def hasobject(self) -> bool:
        return False

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of that name, which numpy.dtype() finds here."""
        import numpy

        return numpy.dtype(self.name)

    @property
    def kind(self) -> str:
        """NumPy's letter."""
        return {"bool": "b", "signed integer": "i", "unsigned integer": "u", "real floating": "f"}.get(self.kinds[0], "c")


_HASHES: dict[int, int] = {}  # once told, they stay

ALL = tuple(DType(name, code, itemsize) for code, (name, itemsize) in enumerate(_core.DTYPES))
_BY_NAME = {dtype.name: dtype for dtype in ALL}
_BY_TYPE = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
# NumPy's short names: a letter and the bytes of an element, and those of Python's types.
_BY_SHORT_NAME = {f"{dtype.kind}{dtype.itemsize}": dtype for dtype in ALL if dtype.name != "bfloat16"} | {"?": _BY_NAME["bool"]}
_BY_SHORT_NAME |= {kind.__name__: _BY_NAME[name] for kind, name in _BY_TYPE.items()}
# The letters and the names that C's types have there; a long is as wide as a pointer.
_OF_C = {
    "int8": "b byte", "int16": "h short", "int32": "i intc", "int64": "l q p n intp long longlong int_", "uint8": "B ubyte",
    "uint16": "H ushort", "uint32": "I uintc", "uint64": "L Q P N uintp ulong ulonglong uint", "float16": "e half",
    "float32": "f single", "float64": "d double", "complex64": "F csingle", "complex128": "D cdouble",
}  # fmt: skip
_BY_SHORT_NAME |= {short: _BY_NAME[name] for name, shorts in _OF_C.items() for short in shorts.split()}
_ORDERS = "=|<>"  # of bytes: elements that are made are the machine's


def find(obj: object) -> DType | None:
    """The dtype that obj names: by itself, its name, NumPy's short one ("f4"), a Python type, or another library's dtype.
    None where there is none."""
    if isinstance(obj, DType):
        return obj
    if isinstance(obj, str):
        return _BY_NAME.get(obj) or _BY_SHORT_NAME.get(obj[1:] if obj[:1] in _ORDERS else obj)
    name: object = obj
    if isinstance(obj, type):
        name = _BY_TYPE.get(obj) or obj.__name__.rstrip("_")
        if obj.__name__ in ("longlong", "ulonglong"):  # NumPy's type of its own, of eight bytes
            name = obj.__name__.replace("longlong", "int64")
    else:
        name = getattr(obj, "name", None)
        if getattr(obj, "byteorder", "=") == ">":
            return None
    return _BY_NAME.get(name) if isinstance(name, str) else None


def dtype_of(obj: object) -> DType:
    """The same, refusing what names no dtype."""
    found = find(obj)
    if found is None:
        raise TypeError(f"{obj!r} is none of zerocast's dtypes: {', '.join(_BY_NAME)}")
    return found


def code_of(obj: object) -> int:
    return dtype_of(obj).code


def limits(dtype: DType) -> tuple[int, int]:
    """The least and the largest of an integer dtype."""
    bits = 8 * dtype.itemsize
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if "signed integer" in dtype.kinds else (0, (1 << bits) - 1)


def of_kind(dtype: DType, kind: str) -> bool:
    return kind in dtype.kinds


(
    bool_,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    float16,
    bfloat16,
    complex64,
    complex128,
) = ALL
