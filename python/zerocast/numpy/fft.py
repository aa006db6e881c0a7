"""numpy.fft, computed by NumPy."""

import numpy.fft

from ._wrapping import names_of

__getattr__, __dir__ = names_of(numpy.fft, __name__, {"test": "it runs NumPy's tests"}, globals())
