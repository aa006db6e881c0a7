"""SciPy's tests of the array API: zerocast for array-api-strict, the one library beside NumPy."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import zerocast

# Modules whose tests for NumPy's arrays alone are left out here: SciPy does so by names of libraries that it knows.
_NUMPY_ONLY = ("scipy.ndimage", "scipy.signal")


def pytest_configure() -> None:
    library = ModuleType("zerocast")  # by whose name tests are left out
    library.__dict__.update({name: getattr(zerocast, name) for name in dir(zerocast)})
    library.__version__ = "2.3"  # type: ignore[attr-defined]
    library.set_array_api_strict_flags = lambda **flags: None  # type: ignore[attr-defined]
    sys.modules["array_api_strict"] = library


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        marks = [*item.iter_markers("skip_xp_backends"), *item.iter_markers("xfail_xp_backends")]
        of_numpy = any(mark.kwargs.get("np_only", False) for mark in marks)
        if of_numpy and item.module.__name__.startswith(_NUMPY_ONLY):  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.skip(reason="SciPy: for NumPy alone"))
