# Made by python/stubs.py from the tables of operations; see there.

from ._array import Array as Array
from ._array import Cost as Cost
from ._cluster import to_dask as to_dask
from ._config import config as config
from ._config import memory as memory
from ._config import trim as trim
from ._creation import *  # noqa: F403
from ._dtypes import DType as DType
from ._dtypes import (
    bfloat16 as bfloat16,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from ._errors import AxisError as AxisError
from ._errors import BudgetError as BudgetError
from ._errors import LostWriteWarning as LostWriteWarning
from ._functions import *  # noqa: F403
from ._info import __array_namespace_info__ as __array_namespace_info__
from ._info import can_cast as can_cast, finfo as finfo, iinfo as iinfo, isdtype as isdtype, result_type as result_type
from ._quantiles import median as median
from ._quantiles import nanmedian as nanmedian
from ._quantiles import nanquantile as nanquantile
from ._quantiles import quantile as quantile
from ._rearranging import *  # noqa: F403
from ._sources import from_array as from_array
from ._sources import store as store
from . import lib as lib
from . import numpy as numpy
from . import mindspore as mindspore
from . import ngraph as ngraph
from . import onnx as onnx
from . import openvino as openvino
from . import stablehlo as stablehlo
from . import tf as tf
from . import torch as torch
from . import xla as xla
from ._core import add as add
from ._core import subtract as subtract
from ._core import multiply as multiply
from ._core import divide as divide
from ._core import floor_divide as floor_divide
from ._core import remainder as remainder
from ._core import pow as pow
from ._core import minimum as minimum
from ._core import maximum as maximum
from ._core import negative as negative
from ._core import positive as positive
from ._core import abs as abs
from ._core import square as square
from ._core import relu as relu
from ._core import sign as sign
from ._core import floor as floor
from ._core import ceil as ceil
from ._core import trunc as trunc
from ._core import round as round
from ._core import reciprocal as reciprocal
from ._core import copysign as copysign
from ._core import nextafter as nextafter
from ._core import fma as fma
from ._core import lerp as lerp
from ._core import isfinite as isfinite
from ._core import isinf as isinf
from ._core import isnan as isnan
from ._core import signbit as signbit
from ._core import sqrt as sqrt
from ._core import rsqrt as rsqrt
from ._core import cbrt as cbrt
from ._core import hypot as hypot
from ._core import exp as exp
from ._core import exp2 as exp2
from ._core import expm1 as expm1
from ._core import log as log
from ._core import log2 as log2
from ._core import log10 as log10
from ._core import log1p as log1p
from ._core import logaddexp as logaddexp
from ._core import sin as sin
from ._core import cos as cos
from ._core import tan as tan
from ._core import asin as asin
from ._core import acos as acos
from ._core import atan as atan
from ._core import atan2 as atan2
from ._core import angle as angle
from ._core import sinh as sinh
from ._core import cosh as cosh
from ._core import tanh as tanh
from ._core import asinh as asinh
from ._core import acosh as acosh
from ._core import atanh as atanh
from ._core import erf as erf
from ._core import gelu as gelu
from ._core import gelu_tanh as gelu_tanh
from ._core import sigmoid as sigmoid
from ._core import silu as silu
from ._core import softplus as softplus
from ._core import equal as equal
from ._core import not_equal as not_equal
from ._core import less as less
from ._core import less_equal as less_equal
from ._core import greater as greater
from ._core import greater_equal as greater_equal
from ._core import logical_and as logical_and
from ._core import logical_or as logical_or
from ._core import logical_xor as logical_xor
from ._core import logical_not as logical_not
from ._core import bitwise_and as bitwise_and
from ._core import bitwise_or as bitwise_or
from ._core import bitwise_xor as bitwise_xor
from ._core import bitwise_invert as bitwise_invert
from ._core import bitwise_left_shift as bitwise_left_shift
from ._core import bitwise_right_shift as bitwise_right_shift
from ._core import sum as sum
from ._core import prod as prod
from ._core import mean as mean
from ._core import max as max
from ._core import min as min
from ._core import any as any
from ._core import all as all
from ._core import argmax as argmax
from ._core import argmin as argmin
from ._core import logsumexp as logsumexp
from ._core import allocator_name as allocator_name

__version__: str
__array_api_version__: str
_API_VERSIONS: tuple[str, ...]
e: float
inf: float
nan: float
pi: float
newaxis: None
bool: DType
