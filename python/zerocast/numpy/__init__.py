"""NumPy's namespace over lazy arrays: `import zerocast.numpy as np`.

A name is looked up when it is first asked for. A function is zerocast's row for it where there is one, and stays lazy; else
NumPy computes, and a warning says so once. Either way arrays come back as zerocast's. A name that NumPy has is here, or the
AttributeError tells why it is not.
"""

from __future__ import annotations

import numpy as _numpy

from .. import _printing
from .._info import __array_namespace_info__ as __array_namespace_info__
from .._numpy_refused import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = _numpy.__version__  # whose names these are

_printing.is_numpys = True


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return [each for each in _numpy.__all__ if refusal(each) is None and not each.startswith("_")]
    if name.startswith("_"):
        raise AttributeError(f"module 'zerocast.numpy' has no attribute {name!r}")
    from ._names import found

    value = globals()[name] = found(name)
    return value


def __dir__() -> list[str]:
    return [name for name in dir(_numpy) if refusal(name) is None]
