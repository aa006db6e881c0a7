"""Coverage per room, from an lcov trace, against the floors.

    summary.py rooms.info [TABLE]

Prints a table; exit code 1 when a room is below its floor, has none, or did not run at all. TABLE names a table of kernels
that this machine cannot run.
"""

import sys
from collections import defaultdict, namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Floor = namedtuple("Floor", "lines branches mcdc")


def read_trace(path):
    """{room: [[lines found, lines hit], [branches found, branches hit]]}"""
    rooms = defaultdict(lambda: [[0, 0], [0, 0]])
    columns = {"LF": (0, 0), "LH": (0, 1), "BRF": (1, 0), "BRH": (1, 1)}
    room = None
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            room = Path(value).resolve().relative_to(ROOT).parts[0]
        elif key in columns:
            what, column = columns[key]
            rooms[room][what][column] += int(value)
    return dict(rooms)


def read_floors(missing=""):
    """{room: Floor} in percent, without the named table of kernels"""
    rows = [line.split() for line in (ROOT / "coverage/floors").read_text().splitlines() if not line.startswith("#")]
    split = [(*name.partition("-")[::2], figures) for name, *figures in rows]  # a table's row follows its room's
    return {room: Floor(*map(float, figures)) for room, table, figures in split if table in ("", missing)}


def percent(found, hit):
    return 100.0 * hit / found if found else 100.0


def check_row(room, counts, floor):
    """Prints the room's row of a table: found and hit of each measure. Whether each is at its floor."""
    text = f"{room:<12}" + "  ".join(f" {hit:>6}/{found:<6} {percent(found, hit):6.2f} %" for found, hit in counts)
    is_ok = floor is not None and all(percent(*pair) >= least for pair, least in zip(counts, floor))
    if floor is None:
        text += "   has no floor"
    elif not is_ok:
        text += "   below its floor, " + " and ".join(f"{least:g} %" for least in floor)
    print(text)
    return is_ok


def main(trace, missing=""):
    rooms, floors = read_trace(trace), {room: floor[:2] for room, floor in read_floors(missing).items()}
    print(f"{'room':<12} {'lines':<23}   branches")
    is_ok = True
    for room, counts in sorted(rooms.items()):
        is_ok = check_row(room, counts, floors.get(room)) and is_ok
    for room in sorted(set(floors) - set(rooms)):
        is_ok = False
        print(f"{room:<12} nothing of it ran")
    whole = [[sum(column) for column in zip(*pairs)] for pairs in zip(*rooms.values())] or [[0, 0], [0, 0]]
    check_row("all", whole, (0, 0))
    return not is_ok


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
