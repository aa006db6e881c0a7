"""NumPy's own test files, whose `import numpy` gives zerocast.numpy. What that refuses is NumPy's there: files name it."""

from __future__ import annotations

from pathlib import Path

import numpy

import zerocast.numpy
from zerocast import _numpy_refused, _run

_numpy_refused.REASONS.clear()
zerocast.numpy._core = numpy._core  # type: ignore[attr-defined]
zerocast.numpy.__config__ = numpy.__config__  # type: ignore[attr-defined]
for folder in ("_core/tests", "lib/tests"):
    _run._replace_import(str(Path(numpy.__file__).parent / folder))
