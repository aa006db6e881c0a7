"""Coverage per room, from an lcov trace, against the floors.

    summary.py rooms.info floors

Prints a table; exit code 1 when a room is below its floor, has none, or did not run at all.
"""

import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def read_trace(path):
    """{room: [lines found, lines hit, branches found, branches hit]}"""
    rooms = defaultdict(lambda: [0, 0, 0, 0])
    columns = {"LF": 0, "LH": 1, "BRF": 2, "BRH": 3}
    room = None
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            room = Path(value).resolve().relative_to(ROOT).parts[0]
        elif key in columns:
            rooms[room][columns[key]] += int(value)
    return dict(rooms)


def read_floors(path):
    """{room: (lines, branches)} in percent"""
    rows = [line.split() for line in Path(path).read_text().splitlines() if line and not line.startswith("#")]
    return {room: (float(lines), float(branches)) for room, lines, branches in rows}


def percent(found, hit):
    return 100.0 * hit / found if found else 100.0


def check_room(room, counts, floor):
    """The room's row of the table, and whether it is at its floor."""
    lines, branches = percent(*counts[:2]), percent(*counts[2:])
    is_ok = floor is not None and lines >= floor[0] and branches >= floor[1]
    text = f"{room:<12} {counts[1]:>6}/{counts[0]:<6} {lines:6.2f} %   {counts[3]:>6}/{counts[2]:<6} {branches:6.2f} %"
    if floor is None:
        text += "   has no floor"
    elif not is_ok:
        text += f"   below its floor, {floor[0]:g} % and {floor[1]:g} %"
    return text, is_ok


def main(trace, floors):
    rooms, floors = read_trace(trace), read_floors(floors)
    print(f"{'room':<12} {'lines':<23}   branches")
    is_ok = True
    for room, counts in sorted(rooms.items()):
        text, is_room_ok = check_room(room, counts, floors.get(room))
        is_ok = is_ok and is_room_ok
        print(text)
    for room in sorted(set(floors) - set(rooms)):
        is_ok = False
        print(f"{room:<12} nothing of it ran")
    whole = [sum(column) for column in zip(*rooms.values())] or [0, 0, 0, 0]
    print(check_room("all", whole, (0, 0))[0])
    return not is_ok


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
