"""numpy.lib; its windows are views here, too."""

import numpy.lib

from .._wrapping import names_of
from . import stride_tricks as stride_tricks

__getattr__, __dir__ = names_of(numpy.lib, __name__, {}, globals())
