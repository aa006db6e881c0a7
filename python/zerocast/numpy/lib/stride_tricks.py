"""numpy.lib.stride_tricks."""

import numpy.lib.stride_tricks

from .._wrapping import names_of

_AS_STRIDED = "it reads whatever lies at its strides: sliding_window_view() and broadcast_to() stay within the array"
__getattr__, __dir__ = names_of(numpy.lib.stride_tricks, __name__, {"as_strided": _AS_STRIDED}, globals())
