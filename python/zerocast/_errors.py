"""Exceptions of the package's own."""

from __future__ import annotations

_NEED = r"needs? (\d+) bytes|: (\d+) (?:bytes|nodes)"
_HELD = r"with (\d+) held"
_LIMIT = r"over the limit of (\d+)"
_WINDOW = r"a window of (\d+) of the (\d+) along axis (\d+) would fit"


class BudgetError(MemoryError):
    """A plan that the memory limit refuses. Nothing was computed, and everything is as it was."""

    def _number(self, pattern: str) -> int | None:
        import re

        found = re.search(pattern, str(self))
        return next((int(group) for group in found.groups() if group), None) if found else None

    @property
    def need(self) -> int | None:
        """Bytes (or nodes) that would be needed."""
        return self._number(_NEED)

    @property
    def held(self) -> int | None:
        """Bytes that are held already."""
        return self._number(_HELD)

    @property
    def limit(self) -> int | None:
        return self._number(_LIMIT)

    @property
    def window(self) -> tuple[int, int] | None:
        """An axis, and how many elements along it would fit."""
        import re

        found = re.search(_WINDOW, str(self))
        return (int(found[3]), int(found[1])) if found else None
