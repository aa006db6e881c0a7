"""Settings: with zerocast.config(...)."""

from __future__ import annotations

import sys
from collections import namedtuple

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

Memory = namedtuple("Memory", "held_bytes peak_bytes header_bytes nodes cached_bytes limit threads")

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_bytes(value: int | str) -> int:
    """A number of bytes, or one with K, M, G or T behind it (of 1024)."""
    if isinstance(value, int):
        return value
    text = value.strip().upper().removesuffix("IB").removesuffix("B")
    unit = text[-1:] if text[-1:] in _UNITS else ""
    try:
        return int(float(text.removesuffix(unit)) * _UNITS[unit])
    except ValueError:
        raise ValueError(f"{value!r} is no number of bytes such as 4G") from None


def draw_bar(done: int, total: int) -> None:
    """A bar on stderr, over the one before."""
    part = done / total if total > 0 else 1.0
    sys.stderr.write(f"\r[{'#' * int(30 * part):<30}] {100 * part:3.0f} %")
    if done >= total:
        sys.stderr.write("\r" + " " * 40 + "\r")
    sys.stderr.flush()


class config:
    """Within the block this thread computes by these settings, with a memory of its own that begins empty.

    memory_limit: bytes that may be held at once, a number or such as "4G"; what would exceed it is a BudgetError.
    threads: how many compute. cache_limit: bytes of free memory that are kept for what comes next.
    progress: True draws a bar on stderr; a function is called with what is done and what there is in all.
    """

    def __init__(
        self,
        *,
        memory_limit: int | str | None = None,
        threads: int | None = None,
        cache_limit: int | str | None = None,
        progress: bool | Callable[[int, int], Any] = False,
    ) -> None:
        self._limit = parse_bytes(memory_limit) if memory_limit is not None else 0
        self._threads = threads if threads is not None else 0
        self._cache = parse_bytes(cache_limit) if cache_limit is not None else -1
        self._progress = progress if callable(progress) else draw_bar if progress else None
        if self._limit < 0 or self._threads < 0 or (cache_limit is not None and self._cache < 0):
            raise ValueError("limits and numbers of threads are not negative")

    def __enter__(self) -> config:
        _core.push_config(self._limit, self._threads, self._cache, self._progress)
        return self

    def __exit__(self, *unused: object) -> None:
        _core.pop_config()


def memory() -> Memory:
    """What this thread's arrays hold, in the innermost config."""
    return Memory(*_core.memory())


def trim() -> None:
    """Gives back what is only kept to make the next computation faster, and begins to measure peak_bytes anew."""
    _core.trim()
