"""numpy.emath, computed by NumPy."""

import numpy

from ._wrapping import names_of

__getattr__, __dir__ = names_of(numpy.emath, __name__, {}, globals())
