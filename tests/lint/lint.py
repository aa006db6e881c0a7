#!/usr/bin/env python3
"""The rules of this repository that no compiler checks. Each rule is one function below, made for reading.

    lint.py            check the repository; prints "file:line: what", exit code 1 when there is anything
    lint.py --self     check that every rule finds what it should and nothing else

Exceptions are stated where they are made: a long file says "Longer than 500 lines because ..." in its head comment, a
product of extents that cannot overflow says /* proven: reason */ on its line.
"""

import re
import sys
from pathlib import Path

import floors
from api import ROOT, public_functions, without_comments
from floors import LIBRARY

ROOMS = ["include", *LIBRARY, "tools"]
OTHERS = ["python", "examples", "bench", "tests", "cmake", "coverage", "docs", ".ci", ".github"]

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_MACRO_LINES = 10
LONG_FILE = f"Longer than {MAX_FILE_LINES} lines because"

# The files that may talk to the operating system, and so read errno and free what it hands out.
SYSTEM_FILE = re.compile(r"materialize/files/\w*file\w*\.c$")
# The files that may call malloc and free themselves.
ALLOCATOR_FILE = re.compile(r"(runtime/memory/allocator|expressions/base/memory)\.c$")


class Source:
    """A file's path, its text, and its code: the text with comments, strings and character constants blanked."""

    def __init__(self, path, text):
        self.path = path
        self.room = path.split("/")[0]
        self.text = text
        self.lines = text.splitlines()
        self.code = without_strings(without_comments(text)).splitlines() if self.is_c() else self.lines

    def is_c(self):
        return self.path.endswith((".c", ".h", ".def"))


def without_strings(text):
    """C text without comments, its strings and character constants blanked, the includes' names excepted."""

    def blank(match):
        return match.group(1) or match.group()[0] + " " * (len(match.group()) - 2) + match.group()[-1]

    return re.sub(r"""(^\s*\#\s*include[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", blank, text, flags=re.M)


# ---- The rules: each takes a source and yields (line, message). ----


def layering(source):
    """A room of the library includes only itself and the rooms below it; the command the public header and pure numbers;
    the Python package, examples and benchmarks only the public header."""
    for number, line in enumerate(source.code, 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if not match or not source.is_c():
            continue
        name = match.group(1)
        if source.path.startswith(("tests/", "expressions/", "python/")) and name.endswith(".def"):
            continue  # a table of rows is no interface: tests walk over all of it, the command and the package name functions by it
        target = "include" if name == "zerocast.h" else name.split("/")[0]
        if source.room in LIBRARY:
            allowed = [source.room, *LIBRARY[source.room]]
        elif source.path.startswith("tests/") and not source.path.startswith(("tests/api/", "tests/header/")):
            allowed = ROOMS + ["tests"]
        elif source.path.startswith("tests/api/"):
            allowed = ["include", "tests", "examples"]  # what an example shares with its test
        elif source.room == "tools":
            allowed = ["include", "math", "expressions", "tools"]
        else:
            allowed = ["include", source.room]
        if target not in allowed:
            yield number, f'"{name}" is not written from the top, or lies outside of what {source.room} may include'


def head_comment(source):
    """Every C file begins with a comment that states its purpose, or with the header that does so for it."""
    header = f'#include "{source.path.rsplit(".", 1)[0]}.h"'
    if source.is_c() and not source.text.startswith(("/*", "//", header)):
        yield 1, "no head comment"


def file_length(source):
    """Files stay within the cap, or say at their top why not."""
    head = "\n".join(source.lines[:30])
    if len(source.lines) > MAX_FILE_LINES and LONG_FILE not in head:
        yield 1, f"{len(source.lines)} lines; the cap is {MAX_FILE_LINES}"


def functions(source):
    """(name, first line, last line) of every function defined in a C source."""
    depth, start, name, opened = 0, None, None, None
    in_macro = False
    for number, line in enumerate(source.code, 1):
        if in_macro or line.lstrip().startswith("#"):
            in_macro = line.rstrip().endswith("\\")
            continue
        for part in re.finditer(r"[{}();=]|\w+", line):
            token = part.group()
            if token == "{":
                if depth == 0:
                    opened = (name, start) if name and name != "=" else None
                depth += 1
            elif token == "}":
                depth -= 1
                if depth == 0:
                    if opened:
                        yield opened[0], opened[1], number
                    start, name = None, None
            elif depth > 0:
                continue
            elif token == ";":
                start, name = None, None
            elif token == "=":
                name = "="
            elif token == "(":
                if name is None:
                    name = word
            elif token != ")":
                word = token
                start = start or number


def function_length(source):
    """Functions stay within the cap."""
    if not source.path.endswith((".c", ".h")):
        return
    for name, first, last in functions(source):
        if last - first + 1 > MAX_FUNCTION_LINES:
            yield first, f"{name} has {last - first + 1} lines; the cap is {MAX_FUNCTION_LINES}"


ENDS_OR_PRINTS = re.compile(
    r"\b(abort|exit|_exit|_Exit|quick_exit|printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|fputc|perror|assert)\s*\("
)


def forbidden_words(source):
    """The library neither ends the process nor prints, and reads errno and allocates only where that is the topic."""
    if source.room not in LIBRARY or not source.is_c():
        return
    for number, line in enumerate(source.code, 1):
        for match in ENDS_OR_PRINTS.finditer(line):
            yield number, f"the library does not call {match.group(1)}"
        if re.search(r"\berrno\b", line) and not SYSTEM_FILE.match(source.path):
            yield number, "errno outside the files that talk to the operating system"
        for match in re.finditer(r"\b(malloc|calloc|realloc|free)\s*\(", line):
            is_handed_out = match.group(1) == "free" and SYSTEM_FILE.match(source.path)
            if not is_handed_out and not ALLOCATOR_FILE.match(source.path):
                yield number, "memory comes from the context's allocator"


def left_open(source):
    """Nothing is left open, and no path of somebody's machine is left behind."""
    for number, line in enumerate(source.lines, 1):
        if re.search(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b", line):
            yield number, "something is left open"
        if re.search(r"(?<![\w.])/(work|home|root|Users)/\w", line):
            yield number, "a path of somebody's machine"


RAW_PRODUCT = re.compile(
    r"""(?:shape|stride|extent)s?\[[^\]]*\]\)?\ \*=?\    # shape[i] * x
      | \ \*=?\ (?:\(\w+\))?[\w.>()-]*(?:shape|stride|extent)s?\[    # x * shape[i]
     """,
    re.X,
)


def raw_products(source):
    """Products of extents go through the checked helpers of views/shape.h, or say why they cannot overflow."""
    if source.room not in LIBRARY or not source.is_c() or source.path == "views/shape.c":
        return
    for number, line in enumerate(source.code, 1):
        if RAW_PRODUCT.search(line) and "/* proven:" not in source.lines[number - 1]:
            yield number, "a raw product of extents: use views/shape.h, or state /* proven: reason */ on this line"


def exclusions(source):
    """What coverage leaves out has a reason."""
    if source.is_c():
        for number, line in enumerate(source.lines, 1):
            if re.search(r"LCOV_EXCL_(BR_)?(LINE|START)(?!: \w)", line):
                yield number, "an exclusion from coverage without a reason: LCOV_EXCL_LINE: reason"


def macro_length(source):
    """A macro's body stays within the cap: what is longer is a file of plain functions, included once per meaning."""
    if not source.is_c():
        return
    first = None
    for number, line in enumerate(source.lines, 1):
        if first is None and re.match(r"\s*#\s*define\b", line):
            first = number
        if first is not None and not line.endswith("\\"):
            body = number - first
            if body > MAX_MACRO_LINES:
                yield first, f"a macro body of {body} lines; the cap is {MAX_MACRO_LINES}"
            first = None


INTRINSIC = re.compile(r"\b(_mm\d*_\w+|__m\d+\w*|__builtin_(?:ia32|cpu|neon|aarch64)_\w+)\b|[<\"](\w*mmintrin|immintrin|arm_\w+)\.h")
# The files that may: one per kind of machine, and the benchmarks' own.
ARCH_FILE = re.compile(r"(materialize/kernels/(sort/)?arch_\w+|bench/vector)\.h$")


def intrinsics(source):
    """What only one kind of machine has stands in the files for that."""
    if not source.is_c() or ARCH_FILE.match(source.path):
        return
    for number, line in enumerate(source.code, 1):
        if INTRINSIC.search(line):
            yield number, "an intrinsic outside arch_*.h"


# Names that have given way to the field's: {what is no longer said: what is}.
RETIRED = {
    r"zc_(watch|pace)\w*": "zc_progress, zc_thread_progress",
    r"zc_compose_\w+": "zc_call_...",
    r"kernels->pick|->partners\b|zc_(pick|pair|partners)_kernel|zc_picks": "gather, row_panel, row_dot",
    r"static \w+ check\(": "check_ and what is checked",
}


def retired_words(source):
    """Names that were given up stay away."""
    if not source.is_c() or source.room not in ROOMS:
        return
    for number, line in enumerate(source.code, 1):
        for word, now in RETIRED.items():
            if re.search(rf"(?<!\w)({word})", line):
                yield number, f"a retired word: it is {now} now"


RULES = [layering, head_comment, file_length, function_length, forbidden_words, left_open, raw_products, exclusions]
RULES += [macro_length, intrinsics, retired_words]


def untested_functions(sources, names):
    """Every public function is mentioned by a test or by the command; a table that one of them includes counts as a
    mention of the function of each row."""
    users = [source for source in sources if re.match(r"tools/|tests/(?!lint/|header/)", source.path)]
    text = "\n".join(source.text for source in users)
    mentioned = set(re.findall(r"\bzc_\w+", text))
    for table in sources:
        if table.path.endswith(".def") and f'"{table.path}"' in text:
            rows = re.findall(r"^ZC_\w+\((?:[A-Z0-9_]+,\s*)?([a-z0-9_]+)", table.text, flags=re.M)
            mentioned.update("zc_" + row for row in rows)
    for name in names:
        if name not in mentioned:
            yield f"include/zerocast.h: {name} is mentioned by no test"


BOUNDED = re.compile(r"/\* recursion: \w")
CALL = re.compile(r"(?<![\w.>])([a-z]\w*)\s*\(")


def call_graph(sources):
    """{function: (where it begins, the functions it calls by name)}; a static function is its path and its name. What
    states how deep it recurses calls nothing here. Calls through pointers are not seen."""
    found = []
    for source in sources:
        if source.room in ROOMS and source.path.endswith((".c", ".h")):
            found += [(source, *function) for function in functions(source) if function[0].islower()]
    keys = {}
    for source, name, first, _ in found:
        is_static = source.code[first - 1].startswith("static")
        keys[source.path if is_static else "", name] = (source.path, name)
    graph = {}
    for source, name, first, last in found:
        known = lambda callee: keys.get((source.path, callee)) or keys.get(("", callee))
        is_bounded = BOUNDED.search("\n".join(source.lines[first - 1 : last]))
        body = "\n".join(source.code[first - 1 : last]).partition("{")[2]
        called = set() if is_bounded else {known(callee) for callee in CALL.findall(body)} - {None}
        graph[known(name)] = (f"{source.path}:{first}", called)
    return graph


def recursion(sources):
    """Nothing recurses, directly or through others, but what states on its way down: /* recursion: how deep */"""
    graph = call_graph(sources)
    for function, (where, _) in graph.items():
        reached, waiting = set(), [function]
        while waiting:
            new = graph[waiting.pop()][1] - reached
            reached |= new
            waiting += new
        if function in reached:
            yield f"{where}: {function[1]} recurses: keep a stack, or state /* recursion: how deep */"


MAX_MODULES = 20


def folder_sizes(sources):
    """A folder of a room holds few enough modules to be read as a list."""
    modules = {}
    for source in sources:
        folder, _, name = source.path.rpartition("/")
        if source.room in ROOMS and name.endswith((".c", ".h")):
            modules.setdefault(folder, set()).add(name.rpartition(".")[0])
    for folder, names in sorted(modules.items()):
        if len(names) > MAX_MODULES:
            yield f"{folder}: {len(names)} modules; the cap is {MAX_MODULES}"


TABLE_ROW = re.compile(r'^ZC_\w+\((?:[A-Z0-9_]+,\s*)?"?([a-z]\w*)"?', re.M)


def own_headers(sources, public):
    """What a .c file of a room defines for other files is declared in the header of its name, which it includes; or in
    the public header, or in a header that is made from a table's rows (such as view_ops.h)."""
    declared = set(public) | {"main"}
    for source in sources:
        if source.room in ROOMS and source.path.endswith(".def"):
            declared |= set(re.findall(r"\bzc_\w+", source.text))
            declared |= {f"zc_view_{row}" for row in TABLE_ROW.findall(source.text)}
        elif source.room in ROOMS and re.search(r'#include "\w\S*\.def"', source.text) and source.path.endswith(".h"):
            declared |= set(re.findall(r"\b(zc_\w+)\(", "\n".join(source.code)))
    for source in sources:
        if source.room not in ROOMS or not source.path.endswith(".c"):
            continue
        header = source.path[:-1] + "h"
        has_header = any(other.path == header for other in sources) and f'#include "{header}"' in source.text
        for name, first, _ in functions(source):
            is_shared = name.islower() and not source.code[first - 1].startswith(("static", "__attribute__"))
            if is_shared and not has_header and name not in declared:
                yield f"{source.path}:{first}: {name} is declared in no header of its file's name"


# ---- Running them ----

TEXT = (".c", ".h", ".def", ".cpp", ".py", ".sh", ".txt", ".cmake", ".json", ".yml", ".md", ".in")


def repository():
    """The sources to check: what stands in the rooms and at the top."""
    paths = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in ROOMS + OTHERS:
        paths += (ROOT / folder).rglob("*")
    for path in sorted(paths):
        is_script = path.suffix == "" and path.name in ("dev", "run")
        if path.is_file() and (path.suffix in TEXT or is_script):
            yield Source(path.relative_to(ROOT).as_posix(), path.read_text())


def check(sources, names):
    findings = []
    for source in sources:
        for rule in RULES:
            findings += [f"{source.path}:{line}: {message}" for line, message in rule(source)]
    findings += list(untested_functions(sources, names)) + list(recursion(sources))
    findings += list(folder_sizes(sources)) + list(own_headers(sources, names))
    return findings + list(floors.findings(sources))


def main():
    if sys.argv[1:] == ["--self"]:
        from selftest import run

        return run()
    sources = list(repository())
    findings = check(sources, public_functions())
    print("\n".join(findings + [f"lint: {len(sources)} files, {len(findings)} findings"]))
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
