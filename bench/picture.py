#!/usr/bin/env python3
"""What ./dev bench --json FILE measured, as the picture and the table of docs/speed.md.

    bench/picture.py FILE     writes docs/bench.svg, and the table between the markers in docs/speed.md

The picture: ours over C by hand, one thread, over the sizes of the fused chains and of the sum; both axes logarithmic.
The table: the largest size of some cases. Both name the machine.
"""

import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES = ["scale, add, relu, clamp", "sqrt(x*x + y*y)", "polynomial of 12 operations", "layer norm", "gelu (tanh)"]
LINES += ["sum"]
ROWS = LINES + ["row written out", "softmax of rows", "distances of all rows of 8", "transpose", "concat"]
ROWS += ["A @ B, float32", "convolution 3x3, einsum, float32", "attention, heads of 64, float32", "sort, float32"]
BEGIN, END = "<!-- bench: made by bench/picture.py -->", "<!-- bench ends -->"

# The picture's frame, in its own units.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 460, 62, 30, 92, 58

# Background, text, lesser text, grid, then a colour for each line; dashes tell the lines apart, too.
LIGHT = ["#ffffff", "#1f2328", "#59636e", "#d8dee4", "#1f6feb", "#b3470f", "#1a7f37", "#8250df", "#a40e4c", "#57606a"]
DARK = ["#0d1117", "#e6edf3", "#9da7b1", "#30363d", "#6cb0ff", "#ff9d5c", "#5fd483", "#c9a2ff", "#ff85ab", "#c3ccd6"]
DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2"]


def short(count):
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if count >= size:
            return f"{count / size:.0f}{unit}"
    return str(count)


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


# ---- The picture ----


class Axes:
    """From elements and ratios to the picture's units; the axes end at whole powers of 4 and of 2."""

    def __init__(self, points):
        elements = [x for x, _ in points]
        ratios = [y for _, y in points] + [0.5, 2]
        self.x0, self.x1 = math.log2(min(elements)), math.log2(max(elements))
        self.y0, self.y1 = math.floor(math.log2(min(ratios))), math.ceil(math.log2(max(ratios)))

    def x(self, elements):
        return LEFT + (math.log2(elements) - self.x0) / max(self.x1 - self.x0, 1) * (WIDTH - LEFT - RIGHT)

    def y(self, ratio):
        return HEIGHT - BOTTOM - (math.log2(ratio) - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)


def theme(colours):
    back, ink, soft, lines, *curves = colours
    return (
        f".back{{fill:{back}}}text{{fill:{ink}}}.soft{{fill:{soft}}}.grid{{stroke:{lines}}}.one{{stroke:{ink}}}"
        + "".join(f".line.c{i}{{stroke:{c}}}.dot.c{i}{{fill:{c}}}" for i, c in enumerate(curves))
    )


def style():
    """Colours are written out twice, not kept in variables, which not every viewer knows."""
    return (
        "text{font:13px system-ui,sans-serif}.soft{font-size:12px}.title{font-size:16px;font-weight:600}"
        ".one{stroke-width:1.5}.line{fill:none;stroke-width:2.2}"
        + theme(LIGHT)
        + f"@media (prefers-color-scheme:dark){{{theme(DARK)}}}"
    )


def grid(axes, sizes):
    parts = []
    for power in range(axes.y0, axes.y1 + 1):
        y = axes.y(2**power)
        kind = "one" if power == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        if axes.y1 - axes.y0 <= 7 or power % 2 == 0:
            parts.append(f'<text class="soft" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{2.0**power:g}</text>')
    for size in sizes:
        x = axes.x(size)
        parts.append(f'<text class="soft" x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{short(size)}</text>')
    return parts


def legend(index, name):
    x, y = LEFT + index % 3 * 258, 50 + index // 3 * 20
    return (
        f'<line class="line c{index}" stroke-dasharray="{DASHES[index]}" x1="{x}" x2="{x + 30}" y1="{y}" y2="{y}"/>'
        f'<text x="{x + 38}" y="{y + 4}">{escaped(name)}</text>'
    )


def curve(axes, index, points):
    places = [(axes.x(x), axes.y(y)) for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle class="dot c{index}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)
    return f'<polyline class="line c{index}" stroke-dasharray="{DASHES[index]}" points="{path}"/>{dots}'


def picture(records):
    curves = {name: [] for name in LINES}
    for r in records:
        if r["case"] in curves and r["threads"] == 1 and r["ratio"]:
            curves[r["case"]].append((r["elements"], r["ratio"]))
    points = [point for curve_points in curves.values() for point in curve_points]
    axes = Axes(points)
    sizes = sorted({x for x, _ in points})
    title = "Time of zerocast over time of C written by hand, one thread (lower is better)"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">',
        f"<style>{style()}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" class="back"/>',
        f'<text class="title" x="{LEFT}" y="26">{title}</text>',
        *grid(axes, sizes),
    ]
    for index, (name, curve_points) in enumerate(curves.items()):
        if curve_points:
            parts += [legend(index, name), curve(axes, index, sorted(curve_points))]
    footer = f"elements, float32, warm memory; {records[0]['machine']}"
    parts.append(f'<text class="soft" x="{LEFT}" y="{HEIGHT - 12}">{escaped(footer)}</text></svg>')
    return "\n".join(parts) + "\n"


# ---- The table ----


PEERS = {"NumPy": "numpy", "`out=`": "numpy_out", "XLA": "xla", "numexpr": "numexpr", "PyTorch": "torch"}


def times(record, key):
    """How many times longer a peer took: the median over the rounds, a bound where ours was ended."""
    ratio = record[f"{key}_ratio"]
    if not ratio:
        return ""
    return ("< " if record["over"] else "") + (f"{1 / ratio:.0f}" if ratio <= 0.1 else f"{1 / ratio:.2g}")


def against_hand(record):
    """Both times of the round whose ratio is the median, and what dividing them as they are printed gives."""
    if not record["hand_s"]:
        return [("> " if record["over"] else "") + seconds(record["ours_s"]), "", ""]
    ours, hand = record["pair_ours_s"], record["pair_hand_s"]
    printed = [float(f"{value:.3g}") for value in (ours, hand)]
    return [seconds(ours), seconds(hand), f"{printed[0] / printed[1]:.2f}"]


def table(records):
    chosen = []
    for name in ROWS:
        rows = [r for r in records if r["case"] == name and r["threads"] == 1]
        if rows:
            chosen.append(max(rows, key=lambda row: row["elements"]))
    peers = [name for name, key in PEERS.items() if any(times(r, key) for r in chosen)]
    head = ["one thread", "elements", "zerocast", "C by hand", "ratio", *peers]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for r in chosen:
        ratios = [times(r, PEERS[name]) for name in peers]
        cells = [r["case"], short(r["elements"]), *against_hand(r), *ratios]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", f"Other columns: time relative to zerocast. Measured on {records[0]['machine']}."]
    return "\n".join(lines)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    records = json.loads(Path(sys.argv[1]).read_text())
    (ROOT / "docs/bench.svg").write_text(picture(records))
    page = ROOT / "docs/speed.md"
    text = page.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    page.write_text(f"{head}{BEGIN}\n{table(records)}\n{END}{tail}")


main()
