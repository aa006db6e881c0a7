"""Conditions that decide (MC/DC) per room, from an export of llvm-cov, against the floors.

    mcdc.py mcdc.json open.txt

A decision counts where it stands in the source, all its expansions and instances together. Prints a table, and writes the
conditions that were not shown to decide; exit code 1 when a room is below its floor.
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

from summary import ROOT, check_row, read_floors


def excluded_lines(path):
    """The numbers of the lines that a marker excludes, as lcov reads them."""
    lines, is_inside = set(), False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        is_inside = is_inside or re.search(r"LCOV_EXCL_(BR_)?START", line) is not None
        if is_inside or re.search(r"LCOV_EXCL_(BR_)?LINE", line):
            lines.add(number)
        is_inside = is_inside and not re.search(r"LCOV_EXCL_(BR_)?STOP", line)
    return lines


def read_decisions(export, rooms):
    """{(path, line, column): [whether each condition was shown to decide]}"""
    decisions = defaultdict(list)
    for file in json.loads(Path(export).read_text())["data"][0]["files"]:
        path = Path(file["filename"]).resolve()
        if not path.is_relative_to(ROOT) or path.relative_to(ROOT).parts[0] not in rooms:
            continue
        excluded = excluded_lines(path)
        for line, column, *_, shown in file["mcdc_records"]:
            if line not in excluded:
                place = (str(path.relative_to(ROOT)), line, column)
                before = decisions[place] or [False] * len(shown)
                decisions[place] = [a or b for a, b in zip(before, shown)]
    return decisions


def main(export, open_list):
    floors = read_floors()
    decisions = read_decisions(export, floors)
    rooms = {room: [0, 0] for room in floors}
    left = []
    for (path, line, column), shown in sorted(decisions.items()):
        counts = rooms[path.split("/")[0]]
        counts[0] += len(shown)
        counts[1] += sum(shown)
        left += [f"{path}:{line}:{column}: condition {i + 1} of {len(shown)}" for i, is_ in enumerate(shown) if not is_]
    Path(open_list).write_text("\n".join(left) + "\n")
    print(f"{'room':<12} conditions that decide; the others: {open_list}")
    results = [check_row(room, [counts], [floors[room].mcdc]) for room, counts in rooms.items()]
    check_row("all", [[sum(column) for column in zip(*rooms.values())]], [0])
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
