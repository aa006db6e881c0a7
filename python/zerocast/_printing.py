"""What a person sees of an array: only what is shown is computed."""

from __future__ import annotations

from . import _core, _dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._array import Array

THRESHOLD = 1000  # elements, beyond which the middle of long axes is left out, as NumPy's
EDGE = 3
_MOST_LINES = 100  # of a plan in a notebook
is_numpys = False  # zerocast.numpy, once it is imported, has arrays look as NumPy's do


def _limits() -> tuple[int, int]:
    """The threshold and the width of edges: NumPy's settings, where it is installed."""
    try:
        import numpy
    except ImportError:
        return THRESHOLD, EDGE
    settings = numpy.get_printoptions()
    return settings["threshold"], settings["edgeitems"]


def _corners(x: Array, edge: int) -> Array:
    """The edges of every long axis, and one position more for the dots."""
    for axis, n in enumerate(x.shape):
        if n > 2 * edge + 1:
            head = _core.slice(x, axis, 0, edge + 1, 1)
            x = _core.concat([head, _core.slice(x, axis, n - edge, n, 1)], axis)
    return x


def _plain(values: Any, summarized: bool, shape: tuple[int, ...]) -> str:
    """Where there is no NumPy: Python's own numbers."""
    if not isinstance(values, list):
        return repr(values)
    parts = [_plain(value, summarized, shape[1:]) for value in values]
    if summarized and shape[0] > 2 * EDGE:
        parts[EDGE : len(parts) - EDGE] = ["..."]
    return f"[{', '.join(parts)}]"


def elements(x: Array, separator: str = " ", prefix: str = "") -> str:
    """The elements, as NumPy prints them where it is installed."""
    limit, edge = _limits()
    summarized = x.size > limit
    shown = _corners(x, edge) if summarized else x
    if x.size == 0:
        shown = _core.broadcast_to(_core.astype(0, x.dtype.code), x.shape)
    if shown.dtype is _dtypes.bfloat16:
        shown = shown.astype(_dtypes.float32)
    try:
        import numpy
    except ImportError:
        return _plain(shown.tolist(), summarized, x.shape)
    if x.ndim == 0 and separator == " ":
        return str(numpy.asarray(shown)[()])
    threshold = 0 if summarized else limit
    return numpy.array2string(numpy.asarray(shown), separator=separator, prefix=prefix, threshold=threshold, edgeitems=edge)


def _numpys_text(x: Array) -> str:
    """NumPy's own: of rank 0 a scalar's, and of many elements with their shape, where NumPy tells it."""
    import numpy

    limit, edge = _limits()
    if x.size <= limit:
        values = numpy.asarray(x)
        return repr(values if x.ndim else values[()])
    values = numpy.asarray(_corners(x, edge))
    with numpy.printoptions(threshold=0):
        shown, told, rest = repr(values).rpartition(f"shape={values.shape}")
    if not told:  # by NumPy before 2.2
        return rest
    body, facts = shown.rstrip(), f"shape={x.shape}{rest}"
    fits = len(body) - body.rfind("\n") + len(facts) <= numpy.get_printoptions()["linewidth"]
    return f"{body} {facts}" if fits else f"{body}\n{' ' * len('array(')}{facts}"


def text(x: Array) -> str:
    if is_numpys and x.dtype is not _dtypes.bfloat16:
        return _numpys_text(x)
    prefix = "Array("
    body = elements(x, ", ", prefix)
    shape = f", shape={x.shape}" if x.size > _limits()[0] or (x.size == 0 and x.shape != (0,)) else ""
    return f"{prefix}{body}{shape}, dtype={x.dtype})"


def html(x: Array) -> str:
    """Shape, dtype, bytes, and the plan as a picture and as a line per stage; nothing is run."""
    import html as escaping

    from ._config import memory
    from ._picture import bytes_text, svg

    cost = x.cost
    rows = {
        "shape": x.shape,
        "dtype": x.dtype,
        "written out": bytes_text(cost.logical_bytes),
        "held": bytes_text(cost.held_bytes),
        "at most at one time": bytes_text(cost.peak_bytes),
    }
    cells = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    if x.exists:
        return f"<table>{cells}</table>"
    picture = svg(x.explain("json"), memory().limit)
    lines = x.explain(brief=True).splitlines()
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"and {len(lines) - _MOST_LINES} lines more"]
    told = escaping.escape("\n".join(lines))
    return f"<table>{cells}</table><details><summary>plan</summary>{picture}<pre>{told}</pre></details>"
