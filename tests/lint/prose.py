#!/usr/bin/env python3
"""The prose of a change: comments open with a verb or a named noun, and subjects of commits have at most 72 columns. Only
lines that the change touches are looked at: from the parent of HEAD, or another commit, to the files as they are.

    prose.py [COMMIT] check the change since then; prints "file:line: what", exit code 1 when there is anything
    prose.py --self   check that it finds what it should and nothing else
"""

import re
import subprocess
import sys

from api import ROOT

OPENING = re.compile(r"(?:/\*\s?|^\s*//\s?|^\s*#\s)(What|Whether|Where|How|Of|So many)\b")
HUNK = re.compile(r"^@@ -\S+ \+(\d+)")
MAX_SUBJECT = 72
SOURCES = ("*.c", "*.h", "*.def", "*.in", "*.py", "*.sh", "*.cmake", "CMakeLists.txt", "dev")


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def added_lines(diff):
    """(file, line, text) of what a diff adds."""
    file, number = "", 0
    for line in diff.splitlines():
        if line.startswith("+++ "):
            file = line[6:]
        elif match := HUNK.match(line):
            number = int(match[1])
        elif line.startswith("+"):
            yield file, number, line[1:]
            number += 1


def opened_badly(diff):
    for file, number, text in added_lines(diff):
        if match := OPENING.search(text):
            yield f"{file}:{number}: a comment opens with {match[1]!r}, not with a verb or a named noun"


def long_subjects(log):
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MAX_SUBJECT:
            yield f"{commit}: the subject has {len(subject)} columns, {MAX_SUBJECT} at most"


def check_itself():
    diff = "+++ b/a.c\n@@ -0,0 +7,3 @@\n+int x; /* Wh" "at it is. */\n+/* Tells what it is. */\n+# Of all\n"
    found = [finding.partition(": ")[0] for finding in opened_badly(diff)]
    found += [finding.partition(":")[0] for finding in long_subjects("1234567 " + "a" * 73 + "\n89abcde " + "a" * 72)]
    expected = ["a.c:7", "a.c:9", "1234567"]
    print(f"prose: {len(expected)} cases" if found == expected else f"prose finds {found}")
    return found != expected


def main():
    if sys.argv[1:] == ["--self"]:
        return check_itself()
    start = git("rev-parse", sys.argv[1] if sys.argv[1:] else "HEAD^")
    if start is None:
        print("prose: no history to compare with")
        return 0
    start = start.strip()
    found = list(opened_badly(git("diff", "-U0", start, "--", *SOURCES) or ""))
    found += long_subjects(git("log", "--no-merges", "--format=%h %s", f"{start}..HEAD") or "")
    print("\n".join([*found, f"prose: since {start[:7]}, {len(found)} findings"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
