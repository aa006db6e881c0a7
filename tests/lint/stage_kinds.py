#!/usr/bin/env python3
"""What a kind of stage has of its own is named by its kind's files alone: a row of stage_kinds.def gives it fields, and the
files called by the kind, or by one that has the same fields, read and write them. Read off clang's syntax tree, since the
fields are called by common words. Nothing else compares the kind of a stage with one of them, either.

    stage_kinds.py          check the repository; prints "file:line: what", exit code 1 when there is anything
    stage_kinds.py --self   check that it finds what it should and nothing else
"""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

from api import ROOT, without_comments

ROWS = ROOT / "materialize/plan/stage_kinds.def"
ROW = re.compile(r"^(?:ZC_STAGE_KIND|ZC_STAGE_KIND_LIKE|ZC_PLAIN_STAGE_KIND)\((\w+)(?:, (\w+)\))?", re.M)
PLACE = re.compile(r"([\w./-]+\.(?:c|h|def)):(\d+):\d+|\bline:(\d+):\d+")
OWN = re.compile(r"MemberExpr .* '(?:const )?zc_(\w+)_part'.* (?:->|\.)(\w+) 0x")
COMPARED = re.compile(r"[=!]= &zc_stage_kind_(\w+)")


def kinds():
    """{kind: the kind whose fields it has}."""
    return {kind: other or kind for kind, other in ROW.findall(ROWS.read_text())}


def belongs(path, kind, fields_of):
    """Whether the file is called by the kind, or by one with the same fields."""
    stem = Path(path).stem
    alike = [name for name, fields in fields_of.items() if fields == fields_of[kind]]
    return any(stem.startswith(name) for name in alike)


def named_fields(path, folder=ROOT):
    """(file, line, kind) of each place in a source, or in a header of ours, that names the fields of a kind."""
    command = ["clang", "-std=gnu17", "-w", "-fsyntax-only", "-fno-color-diagnostics", "-Xclang", "-ast-dump"]
    text = subprocess.run([*command, f"-I{ROOT}", f"-I{ROOT}/include", path], cwd=folder, capture_output=True, text=True).stdout
    file, line = "", 0
    for node in text.splitlines():
        for name, number, other in PLACE.findall(node):
            file, line = (name, int(number)) if name else (file, int(other))
        if (match := OWN.search(node)) and match[1] == match[2]:
            yield file, line, match[1]


def findings(paths, folder=ROOT):
    fields_of = kinds()
    names = re.compile(r"(?:->|\.)(?:" + "|".join(sorted(set(fields_of.values()))) + r")\b")
    texts = {path: without_comments((folder / path).read_text()) for path in paths}
    candidates = [path for path, text in texts.items() if names.search(text)]
    with ThreadPoolExecutor(cpu_count()) as pool:
        for found in pool.map(lambda path: list(named_fields(path, folder)), candidates):
            for file, line, kind in dict.fromkeys(found):
                if file in texts and not belongs(file, kind, fields_of):
                    yield f"{file}:{line}: the fields of the kind {kind} are its files' own"
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for kind in COMPARED.findall(line):
                if not belongs(path, kind, fields_of):
                    yield f"{path}:{number}: asks for the kind {kind}, not for a column of zc_stage_kind"


def check_itself():
    """A file of its kind may do what another one may not."""
    head = '#include "materialize/stages/scan.h"\n'
    field = "int32_t f(zc_stage *s) { return s->scan.factor; }\n"
    compared = "int f(zc_stage *s) { return s->kind == &zc_stage_kind_scan; }\n"
    cases = {"scan_a.c": field, "scan.c": compared, "map.c": field, "reduce.c": compared, "other.c": "int scan;\n"}
    with tempfile.TemporaryDirectory() as name:
        for path, text in cases.items():
            (Path(name) / path).write_text(head + text)
        found = sorted(finding.partition(":")[0] for finding in findings(list(cases), Path(name)))
    print(f"stage_kinds: {len(cases)} cases" if found == ["map.c", "reduce.c"] else f"stage_kinds finds {found}")
    return found != ["map.c", "reduce.c"]


def main():
    if sys.argv[1:] == ["--self"]:
        return check_itself()
    room = ROOT / "materialize"
    paths = sorted(path.relative_to(ROOT).as_posix() for path in room.rglob("*.[ch]") if "kernels" not in path.parts)
    found = sorted(set(findings(paths)))
    print("\n".join([*found, f"stage_kinds: {len(paths)} files, {len(found)} findings"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
