"""numpy.testing, whose functions take zerocast's arrays, too: assertions compute their elements."""

import numpy.testing

from ._wrapping import names_of

__getattr__, __dir__ = names_of(numpy.testing, __name__, {}, globals())
