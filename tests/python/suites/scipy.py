"""SciPy's tests of the array API: zerocast for array-api-strict, the one library beside NumPy."""

from __future__ import annotations

import sys
from types import ModuleType

import zerocast


def pytest_configure() -> None:
    library = ModuleType("zerocast")  # by whose name tests are left out
    library.__dict__.update({name: getattr(zerocast, name) for name in dir(zerocast)})
    library.__version__ = "2.3"  # type: ignore[attr-defined]
    library.set_array_api_strict_flags = lambda **flags: None  # type: ignore[attr-defined]
    sys.modules["array_api_strict"] = library
