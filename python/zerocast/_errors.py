"""Exceptions of the package's own."""

from __future__ import annotations


class BudgetError(MemoryError):
    """A plan that the memory limit refuses. Nothing was computed, and everything is as it was.

    The figures count bytes of data; of what is recorded, nodes or bytes of headers.
    """

    need: int | None = None
    """What would be needed more, where it is known."""

    held: int | None = None
    """What is held already."""

    limit: int | None = None

    window: tuple[int, int] | None = None
    """An axis, and how many positions along it would fit."""
