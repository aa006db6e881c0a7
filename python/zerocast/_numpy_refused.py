"""NumPy's names that zerocast.numpy has not, each with the reason."""

from __future__ import annotations

_C = "it serves compilers and C code, which NumPy's own module helps"
_GONE = "it is NumPy's private or deprecated module"

_NAMES = {
    _C: "add_docstring add_newdoc add_newdoc_ufunc ctypeslib distutils f2py",
    _GONE: "compat core deprecate deprecate_with_doc matlib source test tracemalloc_domain",
}
REASONS = {name: reason for reason, names in _NAMES.items() for name in names.split()}


def refusal(name: str) -> str | None:
    """The reason why zerocast.numpy has no such name; None of others."""
    return REASONS.get(name)
