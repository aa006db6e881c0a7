#!/usr/bin/env python3
"""The prose of the tree and of a change: comments open with a verb or a named noun, and subjects of commits have at most
72 columns: those from the parent of HEAD on, or from another commit.

    prose.py [COMMIT] check; prints "file:line: what", exit code 1 when there is anything
    prose.py --self   check that it finds what it should and nothing else
"""

import re
import subprocess
import sys

from api import ROOT

OPENING = re.compile(r"(?:/\*\s?|^\s*//\s?|^\s*#\s)(What|Whether|Where|How|Of|So many)\b")
MAX_SUBJECT = 72
SOURCES = ("*.c", "*.h", "*.def", "*.in", "*.py", "*.sh", "*.cmake", "CMakeLists.txt", "dev")


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def tracked_lines():
    """(file, line, text) of every source that is tracked."""
    for file in (git("ls-files", "--", *SOURCES) or "").splitlines():
        path = ROOT / file
        if path.is_file():
            for number, text in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                yield file, number, text


def opened_badly(lines):
    for file, number, text in lines:
        if match := OPENING.search(text):
            yield f"{file}:{number}: a comment opens with {match[1]!r}, not with a verb or a named noun"


def long_subjects(log):
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MAX_SUBJECT:
            yield f"{commit}: the subject has {len(subject)} columns, {MAX_SUBJECT} at most"


def check_itself():
    lines = [("a.c", 7, "int x; /* Wh" "at it is. */"), ("a.c", 8, "/* Tells what it is. */"), ("a.c", 9, "# O" "f all")]
    found = [finding.partition(": ")[0] for finding in opened_badly(lines)]
    found += [finding.partition(":")[0] for finding in long_subjects("1234567 " + "a" * 73 + "\n89abcde " + "a" * 72)]
    expected = ["a.c:7", "a.c:9", "1234567"]
    print(f"prose: {len(expected)} cases" if found == expected else f"prose finds {found}")
    return found != expected


def main():
    if sys.argv[1:] == ["--self"]:
        return check_itself()
    start = (git("rev-parse", sys.argv[1] if sys.argv[1:] else "HEAD^") or "HEAD").strip()
    found = list(opened_badly(tracked_lines()))
    found += long_subjects(git("log", "--no-merges", "--format=%h %s", f"{start}..HEAD") or "")
    print("\n".join([*found, f"prose: {len(found)} findings"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
