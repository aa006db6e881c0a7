"""opt_einsum makes its tests' operands by numpy.random.rand: here they are zerocast's, so that it contracts by zerocast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zerocast

_rand = np.random.rand


@pytest.fixture(autouse=True)
def _operands(monkeypatch: pytest.MonkeyPatch) -> None:
    def rand(*shape: int) -> Any:
        return zerocast.asarray(_rand(*shape)) if shape else _rand()

    monkeypatch.setattr(np.random, "rand", rand)
