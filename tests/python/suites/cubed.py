"""Cubed computes its blocks by the array library that the environment names. Where Graphviz is missing, plans are drawn up to
the picture."""

from __future__ import annotations

import shutil


def pytest_configure() -> None:
    if shutil.which("dot") is None:
        import pydot

        pydot.Dot.create = lambda *unused, **named: b"<svg/>"
