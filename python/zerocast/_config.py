"""Settings: with zerocast.config(...)."""

from __future__ import annotations

import sys
import threading
from collections import namedtuple
from contextvars import ContextVar
from importlib import import_module

from . import _core
from ._arguments import integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

Memory = namedtuple("Memory", "held_bytes peak_bytes header_bytes nodes cached_bytes limit threads kept_bytes")

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_MOST = 2**63 - 1

# The settings of the blocks that this task is in, the innermost last, each with the config() that it is of.
_blocks: ContextVar[tuple[_core.Settings, ...]] = ContextVar("zerocast.config", default=())


def parse_bytes(value: int | str) -> int:
    """A number of bytes, or one with K, M, G or T behind it (of 1024)."""
    number = None if isinstance(value, bool) else integer(value)
    if number is None and isinstance(value, str):
        text = value.strip().upper().removesuffix("IB").removesuffix("B")
        unit = text[-1:] if text[-1:] in _UNITS else ""
        try:
            exact = float(text.removesuffix(unit)) * _UNITS[unit]
            number = int(exact) if exact == 0 or not 0 < exact < 1 else None
        except (ValueError, OverflowError):
            pass
    if number is None or number < 0:
        raise ValueError(f"{value!r} is no number of bytes such as 4G")
    return min(number, _MOST)


_cells = threading.local()  # .bar: the handle of the bar that this thread shows below a notebook's cell; .key, .part: of it


def _notebook() -> Any:
    """The shell of a notebook's kernel, whose cells show HTML; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if hasattr(shell, "kernel") else None


def _draw_in_cell(key: object, part: float) -> None:
    """A bar below the cell, in the place of the one before; it goes when all is done. A run that was stopped leaves its
    bar, and the next one has its own: in another cell, or since less is done. key: tells cells apart."""
    shows = import_module("IPython.display")
    is_same = getattr(_cells, "bar", None) is not None and _cells.key == key and part >= _cells.part
    bar = f'<progress value="{part:.3f}" max="1" style="width:20em"></progress> {100 * part:.0f} %' if part < 1 else ""
    if is_same:
        _cells.bar.update(shows.HTML(bar))
    elif part < 1:
        _cells.bar = shows.display(shows.HTML(bar), display_id=True)
    _cells.key, _cells.part = key, part
    if part >= 1:
        _cells.bar = None


def draw_bar(done: int, total: int) -> None:
    """A bar below a notebook's cell, or on stderr, over the one before; nothing where there is no stderr."""
    part = done / total if total > 0 else 1.0
    shell = _notebook()
    if shell is not None:
        _draw_in_cell(getattr(shell, "execution_count", None), part)
        return
    if sys.stderr is None:
        return
    sys.stderr.write(f"\r[{'#' * int(30 * part):<30}] {100 * part:3.0f} %")
    if done >= total:
        sys.stderr.write("\r" + " " * 40 + "\r")
    sys.stderr.flush()


class config:
    """Within the block this task computes by these settings, with a memory of its own that begins empty. Settings follow
    the rules of contextvars, as numpy.errstate does: tasks of asyncio have their own, and asyncio.to_thread() takes them
    along.

    memory_limit: bytes that may be held at once, a number or such as "4G"; what would exceed it is a BudgetError. None is
    the default, 80 % of the memory that the process may use (the machine's, or its control group's); 0 is no limit.
    threads: how many compute. cache_limit: bytes of free memory that are kept for what comes next.
    progress: True draws a bar on stderr, or below a notebook's cell; a function is called with the work that is done and all
    that there is.
    recompute: keep no elements that nobody asked for from one computation to the next, however often they are needed.
    """

    def __init__(
        self,
        *,
        memory_limit: int | str | None = None,
        threads: int | None = None,
        cache_limit: int | str | None = None,
        progress: bool | Callable[[int, int], Any] = False,
        recompute: bool = False,
    ) -> None:
        count = 0 if threads is None else None if isinstance(threads, bool) else integer(threads)
        if count is None or count < 0:
            raise ValueError(f"{threads!r} is no number of threads")
        self._settings = (
            -1 if memory_limit is None else parse_bytes(memory_limit),
            min(count, _MOST),
            -1 if cache_limit is None else parse_bytes(cache_limit),
            progress if callable(progress) else draw_bar if progress else None,
            bool(recompute),
        )
        _core.Settings(*self._settings)  # which refuses what the library does
        self._entered: list[_core.Settings] = []

    def __enter__(self) -> config:
        settings = _core.Settings(*self._settings)
        self._entered.append(settings)
        _blocks.set((*_blocks.get(), settings))
        return self

    def __exit__(self, *unused: object) -> None:
        """Ends this block, and no other: blocks of generators do not end in the order in which they began."""
        blocks = _blocks.get()
        mine = next((one for one in reversed(blocks) if one in self._entered), None)
        if mine is not None:
            self._entered.remove(mine)
            _blocks.set(tuple(one for one in blocks if one is not mine))


def memory() -> Memory:
    """What this thread's arrays hold, in the innermost config."""
    return Memory(*_core.memory())


def trim() -> None:
    """Gives back what is only kept to make the next computation faster, and begins to measure peak_bytes anew."""
    _core.trim()
