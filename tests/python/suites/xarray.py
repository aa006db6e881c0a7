"""xarray's tests of duck arrays: a row for zerocast in the table of libraries, and zerocast for array-api-strict."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import zerocast


def pytest_configure() -> None:
    arrays = ModuleType("array_api_strict._array_object")
    arrays.Array = zerocast.Array  # type: ignore[attr-defined]
    sys.modules.update({"array_api_strict": zerocast, arrays.__name__: arrays})
    from xarray.tests import test_duck_array_wrapping as wrapping

    wrapping.NAMESPACE_ARRAYS["zerocast"] = {"attrs": {"array": "Array", "constructor": "asarray"}, "xfails": {}}
    wrapping.NAMESPACES[:] = [pytest.param("zerocast")]  # the list that the tests' parameters are
