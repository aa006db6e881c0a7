"""The array: what is more than an operator."""

from __future__ import annotations

from . import _core, _creation, _dtypes, _elements, _indexing, _numpy, _printing
from ._arguments import integer, integers
from ._config import _blocks
from ._errors import BudgetError, LostWriteWarning, axis_error
from ._layout import Layout
from ._methods import Methods, check_cast, check_order, element_at
from ._numpy import ArrayUfunc, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NamedTuple

    class Cost(NamedTuple):
        logical_bytes: int
        held_bytes: int
        written_bytes: int
        peak_bytes: int
        plan_bytes: int
        work: int
        kept_bytes: int

else:
    from collections import namedtuple

    Cost = namedtuple("Cost", "logical_bytes held_bytes written_bytes peak_bytes plan_bytes work kept_bytes")


class Array(_core.Array, Methods, Layout):
    """A lazy array: operations are recorded, and computed in one pass when elements are asked for.

    It is made by asarray(), open(), arange() and others. float(x), bool(x), x.item(), numpy.asarray(x) and DLPack compute;
    so do materialize() and compact(), whose results have no history.

    Views share the elements of the array that they show, as NumPy's do, and no element is copied for it: x[2:], x[0], x.T,
    x.reshape(...), x.real ... A write to any of them (x[key] = v, x += y, out=x) is recorded, and all of them see it; what
    was computed from them before keeps the old elements. Broadcasts, diagonals and windows share, too, and are read-only.
    x.copy() shares nothing, nor do x[1, 2] of two axes and x[mask].
    """

    __slots__ = ()  # so that the collector has nothing to walk

    device = "cpu"

    @property
    def T(self) -> Array:
        """The axes in reverse, as NumPy has it."""
        return _core.permute_dims(self, range(self.ndim - 1, -1, -1))

    @property
    def mT(self) -> Array:
        return _core.matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The real parts, a view that can be written to."""
        return _core.real(self)

    @real.setter
    def real(self, values: Any) -> None:
        _core.real(self)[...] = values

    @property
    def imag(self) -> Array:
        """The imaginary parts, a view of complex elements; zeros of others."""
        return _core.imag(self)

    @imag.setter
    def imag(self, values: Any) -> None:
        _core.imag(self)[...] = values

    @property
    def nbytes(self) -> int:
        """What all elements take when they are written out."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def cost(self) -> Cost:
        """What the array stands for, holds and would take, before anything runs."""
        return Cost(*_core.cost((self,)))

    def materialize(self) -> Array:
        """The elements, dense and row-major, computed once. The result has no history, unless it is made of a variable()."""
        return _core.materialize(self)

    def compact(self) -> Array:
        """The same, but elements that repeat along an axis are stored once."""
        return _core.compact(self)

    def explain(self, format: str = "text", brief: bool = False) -> str:
        """The plan that computing would run: "text", "json", "dot", or "brief" with a line per stage, which brief=True asks
        for, too. Computes nothing."""
        from ._functions import explain

        return explain(self, format=format, brief=brief)

    def save(self, path: Any) -> None:
        """Computes, and saves the elements in the format that the name's ending tells."""
        import os

        _core.save(self, os.fspath(path))

    def to_dask(self, *, chunks: Any = None, limit: Any = None) -> Any:
        """This array as one of Dask's, in blocks (zerocast.to_dask)."""
        from ._cluster import to_dask

        return to_dask(self, chunks=chunks, limit=limit)

    def tolist(self) -> Any:
        """All elements as nested lists of Python's numbers."""
        return _core.to_list(self) if self.ndim else self.item()  # which is kept

    def astype(self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Array:
        """In the dtype, where NumPy's rule of casting lets it be; order and subok change nothing of a lazy array."""
        check_order(order)
        if _printing.is_numpys and _dtypes.find(dtype) is None:  # texts and objects, which are NumPy's own arrays
            return take(self).astype(dtype, order, casting, subok, copy)
        code = _dtypes.code_of(dtype)
        check_cast(self.dtype, _dtypes.ALL[code], casting)
        if self.dtype is _dtypes.ALL[code]:
            return self.copy() if copy else self
        return _core.astype(self, code)

    def item(self, *at: Any) -> Any:
        """The element as Python's number: the only one, that number in a row, or the one at these positions."""
        if at:
            return element_at(self, at).item()
        if self.size != 1:
            raise ValueError(f"an array of {self.size} elements is no number: item() takes positions")
        return super().item()

    def reshape(self, *shape: Any, order: str = "C") -> Array:
        sizes = shape[0] if len(shape) == 1 else shape
        order = check_order(order)
        if order == "F":  # first axes first
            return _core.reshape(self.T, integers(sizes)[::-1]).T
        if order == "K":
            raise ValueError(f"reshape() takes the orders C, F and A, not {order!r}")
        return _core.reshape(self, sizes)

    def transpose(self, *axes: Any) -> Array:
        given = axes[0] if len(axes) == 1 and integer(axes[0]) is None else axes or None
        return _core.permute_dims(self, tuple(reversed(range(self.ndim))) if given is None else given)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        if device != "cpu" or stream is not None:
            raise ValueError(f"there is the device 'cpu', without streams, and no {device!r}")
        return self

    # ---- Python's protocols ----

    def __contains__(self, value: Any) -> bool:
        are_equal = self == value
        return are_equal if isinstance(are_equal, bool) else bool(_core.any(are_equal))

    def __repr__(self) -> str:
        return _printing.text(self)

    def __str__(self) -> str:
        return _printing.elements(self)

    def __format__(self, spec: str) -> str:
        return format(self._number("__format__ with a specification"), spec) if spec else str(self)

    def _repr_html_(self) -> str:
        return _printing.html(self)

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self._number("__round__"), ndigits)

    def __floor__(self) -> int:
        import math

        return math.floor(self._number("__floor__"))

    def __ceil__(self) -> int:
        import math

        return math.ceil(self._number("__ceil__"))

    def __trunc__(self) -> int:
        import math

        return math.trunc(self._number("__trunc__"))

    def _number(self, method: str) -> Any:
        if self.ndim != 0:
            raise TypeError(f"{method} is there for arrays of rank 0, which are numbers, not for {self.ndim} axes")
        return self.item()

    def __bytes__(self) -> bytes:
        """The elements as they lie in memory, row-major."""
        return _elements.memory_of(self).tobytes()

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Array:
        return _core.made(_creation.copy_of(self))

    def __sizeof__(self) -> int:
        """The object's own bytes, and the whole bytes of the memory that it reaches: of a lazy array, of what it is made of."""
        return super().__sizeof__() + self.cost.held_bytes

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _elements.reduce(self, protocol)

    # ---- Exchange ----

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        import zerocast

        if api_version not in (None, *zerocast._API_VERSIONS):
            raise ValueError(f"the array API is there in {', '.join(zerocast._API_VERSIONS)}, not in {api_version!r}")
        return zerocast

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: Any = None,
        copy: bool | None = None,
    ) -> Any:
        return _elements.to_dlpack(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return _numpy.to_numpy(self, dtype, copy)

    __array_ufunc__ = ArrayUfunc()
    __array_priority__ = 1  # before NumPy's own arrays, which Dask reads where blocks are of both

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        return _numpy.call_function(function, types, arguments, keywords)


def _convert(obj: Any) -> Any:
    """NumPy's arrays and lists beside an array of ours; NotImplemented for what is neither, so that its own operator is
    tried."""
    if not isinstance(obj, (list, tuple, range, memoryview)) and type(obj).__module__.partition(".")[0] != "numpy":
        return NotImplemented
    return _numpy.convert(obj)


_core.bind(
    Array,
    BudgetError,
    _dtypes.ALL,
    _dtypes.code_of,
    _convert,
    _blocks.get,
    axis_error,
    _indexing.get,
    _indexing.put,
    LostWriteWarning,
)
