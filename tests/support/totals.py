"""How many tests passed and failed, from CTest's log: each Criterion test, each line "N passed, N failed", and one for
every check that counts nothing itself.

    totals.py PRESET
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def count(section):
    """(passed, failed) of one CTest test's section of the log."""
    passed = failed = 0
    for line in re.finditer(r"Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)", section):
        passed += int(line[2])
        failed += int(line[3]) + int(line[4])
    for line in re.finditer(r"^(\d+) passed, (\d+) failed", section, flags=re.M):
        passed += int(line[1])
        failed += int(line[2])
    is_ok = re.search(r"^Test Passed\.$", section, flags=re.M) is not None
    if passed + failed == 0 or (not is_ok and failed == 0):
        passed, failed = passed + is_ok, failed + (not is_ok)
    return passed, failed


def main(preset):
    log = ROOT / "build" / preset / "Testing" / "Temporary" / "LastTest.log"
    sections = re.split(r"^\d+/\d+ Testing: ", log.read_text(errors="replace"), flags=re.M)[1:]
    counts = [count(section) for section in sections]
    passed, failed = (sum(column) for column in zip(*counts, (0, 0)))
    print(f"{preset}: {passed} passed, {failed} failed, in {len(sections)} CTest tests")


if __name__ == "__main__":
    main(sys.argv[1])
