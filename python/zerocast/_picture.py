"""A plan as an SVG picture: its stages inside the loops over blocks that they share, and its buffers as bars against the
memory limit. Nothing is computed for it."""

from __future__ import annotations

import html
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WIDTH = 640
_MOST_LETTERS = 84  # of a line, at 7.25 pixels each
_LINE = 22  # pixels from one line to the next
_STEP = 14  # by which what stands in a loop is moved in
_BAR = 260  # pixels of the longest bar
_NAME = 150  # pixels left of the bars
_MOST_LINES = 60  # of stages, and of buffers
_FAR = 8  # a limit beyond so many times the longest bar is told in words
_COLORS = {"input": "#8da0cb", "output": "#66a61e", "temporary": "#e6ab02", "peak": "#7570b3", "refused": "#d95f02"}


def bytes_text(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        if size < 1024 or unit == "EiB":
            break
        size /= 1024
    return f"{count} byte{'' if count == 1 else 's'}" if unit == "bytes" else f"{size:.1f} {unit}"


def _share_text(count: int, whole: int) -> str:
    """A part of a whole in percent, or many times the whole."""
    if count > 9 * whole:
        return f"{count / whole:,.0f} times as much"
    return f"{100 * count / whole:.3g} % of it" if count >= whole / 10**5 else "less than 0.001 % of it"


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{style}>{html.escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {style}/>'


def _shape(sizes: list[int]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _buffer_name(plan: dict[str, Any], slot: int) -> str:
    kind = plan["slots"][slot]["kind"]
    return kind if kind == "output" and len(plan["results"]) == 1 else f"{kind} {slot}"


def _stage_text(plan: dict[str, Any], stage: dict[str, Any]) -> str:
    over = f" over {_shape(stage['reduced'])}" if stage["reduced"] else ""
    return f"{stage['stage']}  {stage['makes']} {_shape(stage['domain'])}{over} → {_buffer_name(plan, stage['stores'])}"


def _loop_text(group: dict[str, Any]) -> str:
    axes = group["outer_axes"]
    return f"for {group['blocks']} blocks of {group['length']} along ax{'is' if len(axes) == 1 else 'es'} " + ", ".join(
        map(str, axes)
    )


def _loops(plan: dict[str, Any], y: float) -> tuple[list[str], float]:
    """Stages from top to bottom, with a frame around those that share a loop over blocks."""
    parts: list[str] = []
    stages = plan["stages"][:_MOST_LINES]
    for stage in stages:
        group = stage.get("group")
        if group is not None and group["first_stage"] == stage["stage"]:
            count = sum(each.get("group") == group for each in stages)
            parts.append(_box(1, y, _WIDTH - 2, (count + 1) * _LINE + 4, 'class="zc-loop" rx="6"'))
            parts.append(_text(10, y + 15, _loop_text(group), ' class="zc-quiet"'))
            y += _LINE
        left = 10 + (_STEP if group is not None else 0)
        told = _stage_text(plan, stage)
        title = html.escape(f"{told}: {stage['why']}; strategy {stage['strategy']}")
        line = told if len(told) <= _MOST_LETTERS else f"{told[: _MOST_LETTERS - 1]}…"
        parts.append(f"<g><title>{title}</title>{_text(left, y + 15, line)}</g>")
        y += _LINE
        if group is not None and stage["stage"] == group["last_stage"]:
            y += 6
    left_out = len(plan["stages"]) - len(stages)
    if left_out > 0:
        parts.append(_text(10, y + 15, f"and {left_out} more", ' class="zc-quiet"'))
        y += _LINE
    return parts, y + 8


def _bar_row(y: float, name: str, count: int, scale: float, color: str, note: str) -> list[str]:
    width = max(_BAR * count / scale, 1)
    return [
        _text(10, y + 15, name),
        _box(_NAME, y + 4, width, _LINE - 8, f'fill="{color}"'),
        _text(_NAME + width + 6, y + 15, bytes_text(count) + note, ' class="zc-quiet"'),
    ]


def _memory(plan: dict[str, Any], limit: int, y: float) -> tuple[list[str], float]:
    """A bar for each buffer and for the most that the run allocates, and the limit as a line or in words."""
    slots = plan["slots"]
    shown = sorted(range(len(slots)), key=lambda s: -slots[s]["bytes"])[:_MOST_LINES]
    peak = plan["peak_bytes"]
    longest = max(1, peak, *(slots[s]["bytes"] for s in shown))
    is_near = 0 < limit <= _FAR * longest
    scale = float(max(longest, limit if is_near else 0))
    parts: list[str] = []
    top = y
    for s in sorted(shown):
        slot = slots[s]
        note = ", a block at a time" if "block_elements" in slot else ""
        parts += _bar_row(y, _buffer_name(plan, s), slot["bytes"], scale, _COLORS[slot["kind"]], note)
        y += _LINE
    if len(slots) > len(shown):
        parts.append(_text(10, y + 15, f"and {len(slots) - len(shown)} smaller ones", ' class="zc-quiet"'))
        y += _LINE
    refused = plan["over_limit"]
    color = _COLORS["peak" if refused is None else "refused"]
    parts += _bar_row(y, "at the peak", peak, scale, color, "" if refused is None else ", over the limit")
    y += _LINE
    if is_near:
        x = _NAME + _BAR * limit / scale
        parts.append(f'<line x1="{x:g}" y1="{top:g}" x2="{x:g}" y2="{y:g}" stroke="#d95f02" stroke-dasharray="4 3"/>')
    if limit > 0:
        told = f"limit {bytes_text(limit)}; the peak is {_share_text(peak, limit)}"
        parts.append(_text(10, y + 15, told, ' class="zc-quiet"'))
        y += _LINE
    return parts, y + 4


def svg(plan_text: str, limit: int) -> str:
    """The picture of a plan that explain("json") tells; limit: bytes that may be held at once, or 0 for no limit."""
    plan = json.loads(plan_text)
    stages, y = _loops(plan, 4)
    bars, height = _memory(plan, limit, y)
    style = (
        "<style>.zc-plan text{font:12px ui-monospace,monospace;fill:currentColor;white-space:pre}"
        ".zc-plan .zc-quiet{opacity:.65}.zc-plan .zc-loop{fill:#7570b3;fill-opacity:.08;stroke:#7570b3}</style>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="zc-plan" role="img" width="{_WIDTH}" height="{height:g}" '
        f'viewBox="0 0 {_WIDTH} {height:g}">{style}{"".join(stages + bars)}</svg>'
    )
