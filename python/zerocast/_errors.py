"""Exceptions of the package's own."""

from __future__ import annotations


class AxisError(ValueError, IndexError):
    """An axis that an array does not have. Where NumPy is, it is NumPy's error of that name, too."""


def axis_error() -> type[AxisError]:
    """The exception to raise: a subclass of NumPy's as well, if NumPy is loaded."""
    import sys

    global _axis_error
    if _axis_error is AxisError and "numpy" in sys.modules:
        theirs = getattr(sys.modules.get("numpy.exceptions"), "AxisError", None)
        if theirs is not None:
            names = {"__module__": __name__, "__doc__": AxisError.__doc__, "__reduce__": lambda self: (AxisError, self.args)}
            _axis_error = type("AxisError", (AxisError, theirs), names)  # type: ignore[assignment]
    return _axis_error


_axis_error = AxisError


class LostWriteWarning(UserWarning):
    """Elements were written to a copy that nothing refers to, such as x[mask][0] = 1: nobody sees them."""


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
