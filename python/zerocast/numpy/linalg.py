"""numpy.linalg: norms and products stay lazy, decompositions are NumPy's."""

import numpy.linalg

from ._wrapping import names_of

__getattr__, __dir__ = names_of(numpy.linalg, __name__, {"test": "it runs NumPy's tests"}, globals())
