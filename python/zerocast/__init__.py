"""Lazy, view-based arrays with the names of the Python array API.

import zerocast as zc

x = zc.open("digits.npy")
d = x[:, None] - x[None, :]            # views: no memory
r = zc.sum(d * d, axis=-1)             # recorded
numpy.asarray(r)                       # one pass
"""

from . import _core, _dtypes
from ._array import Array as Array
from ._array import Cost as Cost
from ._cluster import to_dask as to_dask
from ._config import config as config
from ._config import memory as memory
from ._config import trim as trim
from ._creation import *  # noqa: F403
from ._dtypes import DType as DType
from ._dtypes import (
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._errors import AxisError as AxisError
from ._errors import BudgetError as BudgetError
from ._errors import LostWriteWarning as LostWriteWarning
from ._functions import *  # noqa: F403
from ._info import __array_namespace_info__ as __array_namespace_info__
from ._info import can_cast, finfo, iinfo, isdtype, result_type
from ._quantiles import median as median
from ._quantiles import nanmedian as nanmedian
from ._quantiles import nanquantile as nanquantile
from ._quantiles import quantile as quantile
from ._rearranging import *  # noqa: F403
from ._sources import from_array as from_array
from ._sources import store as store

# The rows of the library's tables of operations and reductions, but for those that have arguments of their own here.
for _name in (*_core.OPERATIONS, *_core.REDUCTIONS):
    globals().setdefault(_name, getattr(_core, _name))
del _name

_API_VERSIONS = ("2022.12", "2023.12", "2024.12", "2025.12")
__array_api_version__ = _API_VERSIONS[-1]
__version__: str = _core.VERSION
allocator_name = _core.allocator_name

bool = _dtypes.bool_  # not imported under this name, which type checkers would take for a private one

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

_MODULES = ("lib", "numpy")  # beside these: found when they are asked for, too
_DIALECTS = ("mindspore", "ngraph", "onnx", "openvino", "stablehlo", "tf", "torch", "xla")


def __getattr__(name: str) -> object:
    if name in _DIALECTS or name in _MODULES:
        from importlib import import_module

        return import_module(f"zerocast.{name}")
    from ._missing import sentence

    raise AttributeError(sentence(name))


def __dir__() -> list[str]:
    return sorted(name for name in (*globals(), *_DIALECTS, *_MODULES) if not name.startswith("_") or name.startswith("__"))
