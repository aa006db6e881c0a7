"""Programs in C and in C++ print what plain C prints that knows nothing of the library, and end with 0.

    programs.py FOLDER

FOLDER has the programs of examples/CMakeLists.txt: plain_NAME, c_NAME and cpp_NAME. What the server refuses is a sentence
each, the same in C and in C++.
"""

import subprocess
import sys
from pathlib import Path

PLAIN = Path(__file__).resolve().parents[2] / "examples/plain"


def run(program):
    if not program.exists():
        return "", f"{program.name} was not built (C++ needs a compiler)", 1
    ended = subprocess.run([program], capture_output=True, text=True)
    return ended.stdout, ended.stderr, ended.returncode


def compare(folder, name):
    wanted, _, code = run(folder / f"plain_{name}")
    if code != 0 or wanted.count("\n") < 2:
        yield f"plain_{name} ended with {code} and printed {wanted!r}"
    missed = sum(line.endswith((": refused", ": cancelled")) for line in wanted.splitlines())
    for form in ("c", "cpp"):
        printed, said, code = run(folder / f"{form}_{name}")
        if code != 0 or said.count("\n") != missed:
            yield f"{form}_{name} ended with {code} and said {said!r}"
        lines = printed.splitlines()
        for number, line in enumerate(wanted.splitlines()):
            if lines[number : number + 1] != [line]:
                yield f"{form}_{name}, line {number + 1}: {lines[number : number + 1]} instead of {line!r}"
        if len(lines) > wanted.count("\n"):
            yield f"{form}_{name} printed {len(lines)} lines"


def main(folder):
    names = sorted(path.stem for path in PLAIN.glob("*.c"))
    findings = [finding for name in names for finding in compare(Path(folder), name)]
    for finding in findings:
        print(finding)
    print(f"{len(names)} programs in three forms, {len(findings)} findings")
    return bool(findings) or len(names) < 10


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
