#!/usr/bin/env python3
"""Programs in C and in C++ beside plain C: how much there is to write, the time and the memory.

    bench/embed.py [--rounds N] [--size N] [--markdown] [NAME...]

NAMEs are of examples/plain; all of them by default. Each round runs the three forms of each program, in every other one in
the opposite order, on one thread. Time is that of the processor from when the inputs are there to the end of the program,
and what is printed are medians of ratios within a round. Memory is the most that the process had, less plain C's. Of a
source those characters count that are neither blanks nor parts of comments and of lines that include something.
"""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORMS = {"plain": ".c", "c": ".c", "cpp": ".cpp"}
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')', re.DOTALL)


def characters(form, name):
    text = (ROOT / "examples" / form / (name + FORMS[form])).read_text()
    text = TOKEN.sub(lambda match: match.group(1) or "", re.sub(r"^\s*#\s*include.*", "", text, flags=re.MULTILINE))
    return len(re.sub(r"\s", "", text))


def run(folder, form, name, size):
    """Lines that the program printed, its seconds and its bytes."""
    environment = dict(os.environ, PROGRAM_FIGURES="1", ZEROCAST_THREADS="1")
    ended = subprocess.run([folder / f"{form}_{name}", size], env=environment, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{form}_{name} ended with {ended.returncode}: {ended.stderr}")
    seconds, kilobytes = ended.stderr.splitlines()[-1].split()
    return ended.stdout, float(seconds), 1024 * int(kilobytes)


def measure(folder, names, rounds, size):
    """{(form, name): [(seconds, bytes) of each round]}. Forms that print something else end the benchmark."""
    found = {(form, name): [] for form in FORMS for name in names}
    for number in range(rounds):
        for name in names:
            printed = set()
            for form in list(FORMS)[:: -1 if number % 2 else 1]:
                text, *figures = run(folder, form, name, size)
                found[form, name].append(figures)
                printed.add(text)
            if len(printed) > 1:
                sys.exit(f"the forms of {name} print different lines")
    return found


def rows(found, names):
    for name in names:
        plain = found["plain", name]
        row = [name, statistics.median(seconds for seconds, _ in plain), characters("plain", name)]
        row += [characters(form, name) / row[2] for form in ("c", "cpp")]
        for form in ("c", "cpp"):
            row.append(statistics.median(ours[0] / theirs[0] for ours, theirs in zip(found[form, name], plain)))
        for form in ("c", "cpp"):
            row.append(statistics.median(ours[1] - theirs[1] for ours, theirs in zip(found[form, name], plain)) / 1e6)
        yield row


def line(cells, is_markdown):
    words = [cell if isinstance(cell, str) else f"{cell:,}" if isinstance(cell, int) else f"{cell:.2f}" for cell in cells]
    if is_markdown:
        return "| " + " | ".join(words) + " |"
    return words[0].ljust(12) + "".join(word.rjust(11) for word in words[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", default="bench")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in (ROOT / "examples/plain").glob("*.c"))
    table = list(rows(measure(options.build / "examples", names, options.rounds, options.size), names))
    means = [statistics.mean(row[column] for row in table) for column in (3, 4)]
    means += [math.exp(statistics.mean(math.log(row[column]) for row in table)) for column in (5, 6)]
    titles = ["program", "plain, s", "characters", "C, times", "C++, times", "C, time", "C++, time", "C, + MB", "C++, + MB"]
    print(line(titles, options.markdown))
    if options.markdown:
        print("|" + "---|" * len(titles))
    for row in table:
        print(line(row, options.markdown))
    print(line(["mean", "", "", *means, *(max(row[column] for row in table) for column in (7, 8))], options.markdown))


if __name__ == "__main__":
    main()
