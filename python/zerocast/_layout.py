"""NumPy's methods of arrays that tell about memory, of which a lazy array may have none."""

from __future__ import annotations

from . import _core, _dtypes, _elements, _indexing
from ._creation import asarray
from ._methods import check_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._array import Array

# NumPy's attributes that are not here, and why.
_REFUSED = {
    "ctypes": "a lazy array may have no memory yet: numpy.asarray(x).ctypes computes it, and is read-only",
    "getfield": "its elements have no fields; x.view(dtype) reads their bits",
    "itemset": "x[place] = value does it",
    "newbyteorder": "its elements are in the machine's order",
    "resize": "arrays that share its elements would not follow; numpy.resize(x, shape) gives another one",
    "setfield": "its elements have no fields",
    "tostring": "x.tobytes() is its name now",
}


class Flags:
    """x.flags, by attributes and by NumPy's names in capitals. Elements are row-major once they are computed."""

    __slots__ = ("_x",)

    def __init__(self, x: Array) -> None:
        self._x = x

    @property
    def c_contiguous(self) -> bool:
        return _core.is_contiguous(self._x)

    @property
    def f_contiguous(self) -> bool:
        x = self._x
        return _core.is_contiguous(x.T) if sum(n != 1 for n in x.shape) > 1 else self.c_contiguous

    @property
    def owndata(self) -> bool:
        return self._x.base is None and not _core.is_foreign(self._x)

    @property
    def writeable(self) -> bool:
        try:
            _core.expand_dims(self._x, 0)[:0] = 0  # which writes nothing
        except ValueError:
            return False
        return True

    @writeable.setter
    def writeable(self, value: Any) -> None:
        self._x.setflags(write=value)

    @property
    def aligned(self) -> bool:
        return True

    @property
    def writebackifcopy(self) -> bool:
        return False

    @property
    def fnc(self) -> bool:
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        return self.f_contiguous or self.c_contiguous

    contiguous = c_contiguous

    def __getitem__(self, name: str) -> bool:
        short = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned"}
        known = {"c_contiguous", "f_contiguous", "writebackifcopy", "contiguous", "fnc", "forc", *short.values()}
        if not isinstance(name, str) or short.get(name, name.lower()) not in known:
            raise KeyError(f"flags have no {name!r}")
        return getattr(self, short.get(name, name.lower()))

    def __repr__(self) -> str:
        names = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy")
        return "".join(f"  {name.upper()} : {getattr(self, name)}\n" for name in names)


class Flat:
    """x.flat: the elements in a row. What is written to it is written to x."""

    __slots__ = ("base",)

    def __init__(self, x: Array) -> None:
        self.base = x

    def _row(self) -> Array:
        return _core.reshape(self.base, (-1,))

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[Any]:
        return iter(self._row())

    def __getitem__(self, key: Any) -> Array:
        return self._row()[key].copy()

    def __setitem__(self, key: Any, values: Any) -> None:
        """The values begin again where they are fewer."""
        places = _indexing.get(_core.reshape(_core.places(self.base), (-1,)), key)
        row = asarray(values)
        if row.size == 0 or places.size == 0:
            return
        row = _core.reshape(_core.astype(row, self.base.dtype.code), (-1,))
        if row.size == 1:
            _core.update_at(self.base, places, _core.index(row, 0, 0), 0)
            return
        at = _core.remainder(_core.iota(places.size), row.size)
        _core.update_at(self.base, places, _core.reshape(_core.take(row, at, 0), places.shape), 0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._row().__array__(dtype, copy)

    def copy(self) -> Array:
        return self.base.flatten()


def _bits(x: Any, dtype: _dtypes.DType) -> Array:
    """The bits as another dtype, whose size is another only of elements that are in memory."""
    return _core.bitcast(x if dtype.itemsize == x.itemsize else _core.materialize(x), dtype.code)


class Layout:
    """The methods and attributes."""

    __slots__ = ()

    @property
    def flags(self: Any) -> Flags:
        return Flags(self)

    @property
    def flat(self: Any) -> Flat:
        return Flat(self)

    @flat.setter
    def flat(self: Any, values: Any) -> None:
        Flat(self)[:] = values

    @property
    def data(self: Any) -> memoryview:
        """The elements, computed, in memory that is read-only."""
        return _elements.memory_of(self)

    def setflags(self: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Has writes refused, or taken again where the elements are the array's own. Refuses other changes."""
        if write is not None and not write:
            _core.lock(self)
        elif write and not self.flags.writeable and not _core.unlock(self):
            raise ValueError("a view of a read-only array, a broadcast, a diagonal or windows cannot be made writeable")
        if align is not None and not align or uic:
            raise ValueError("the memory of elements is aligned and nobody's copy")

    def byteswap(self: Any, inplace: bool = False) -> Array:
        """The bytes of each element in reverse; of a complex number, those of its parts."""
        found = self
        if self.itemsize > 1:
            unit = self.itemsize // 2 if self.dtype.kind == "c" else self.itemsize
            bits = _core.reshape(_bits(_core.reshape(self, (-1, 1)), _dtypes.uint8), (self.size, -1, unit))
            swapped = _core.reshape(_core.flip(bits, -1), (self.size, self.itemsize))
            found = _core.reshape(_bits(swapped, self.dtype), self.shape)
        if not inplace:
            return asarray(found).copy()
        _core.write(self, found)
        return self

    def view(self: Any, dtype: Any = None, type: Any = None) -> Array:
        """The same elements, shared; or their bits in another dtype, which are read and, when they are written to, apart."""
        if isinstance(dtype, _type) and issubclass(dtype, _core.Array):
            dtype, type = None, dtype
        if type is not None and not (isinstance(type, _type) and issubclass(type, _core.Array)):
            raise TypeError(f"the class of a view is zerocast's array, not {type!r}")
        if dtype is None:
            return self[...]
        kind = _dtypes.dtype_of(dtype)
        if self.ndim == 0 and kind.itemsize != self.itemsize:
            raise ValueError("the bits of an array of rank 0 are read as a dtype of the same size")
        return self[...] if kind is self.dtype else _bits(self, kind)

    def tobytes(self: Any, order: Any = "C") -> bytes:
        return bytes(self.T if check_order("C" if order is None else order) == "F" else self)

    def tofile(self: Any, fid: Any, sep: str = "", format: str = "%s") -> None:
        import numpy

        numpy.asarray(self).tofile(fid, sep, format)

    def dumps(self: Any) -> bytes:
        import pickle

        return pickle.dumps(self)

    def dump(self: Any, file: Any) -> None:
        if hasattr(file, "write"):
            file.write(self.dumps())
            return
        with open(file, "wb") as stream:
            stream.write(self.dumps())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array_"):  # which NumPy asks for in turn
            raise AttributeError(name)
        reason = f": {_REFUSED[name]}" if name in _REFUSED else ""
        raise AttributeError(f"zerocast's array has no attribute {name!r}{reason}")


_type = type
