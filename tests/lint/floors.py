"""The floors of the rooms: which folder is above which. What includes, declares or calls something of another folder is above
it, and no folder is above itself. What a folder defines for others is declared there, or in zerocast.h. Declarations are
read as the preprocessor leaves them, so those that are made from the rows of a table count.
"""

import re
import subprocess
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

# The rooms of the library, and what each may include besides itself.
LIBRARY = {"math": [], "views": ["include"], "runtime": ["include", "math", "views"], "materialize": ["include", "math", "views", "runtime"], "expressions": ["include", "math", "runtime"]}
PUBLIC_HEADER = "include/zerocast.h"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.M)
CALL = re.compile(r"\b(zc_\w+)\(")
Name = namedtuple("Name", "name file kind")  # declared, or defined as a function or as an object


def folder_of(path):
    return path.rpartition("/")[0]


def find_circles(graph):
    """{node: the nodes that it is in a circle with}, of a graph {node: nodes}."""
    reached = {}
    for node in graph:
        seen, waiting = set(), [node]
        while waiting:
            new = graph.get(waiting.pop(), set()) - seen
            seen |= new
            waiting += new
        reached[node] = seen
    return {node: {other for other in seen if node in reached.get(other, ())} for node, seen in reached.items() if node in seen}


def included_files(source):
    for number, line in enumerate(source.lines if source.is_c() else (), 1):
        if match := INCLUDE.match(line):
            yield number, PUBLIC_HEADER if match[1] == "zerocast.h" else match[1]


def include_circles(sources):
    """No header includes itself, directly or through others."""
    graph = {source.path: {name for _, name in included_files(source)} for source in sources if source.path.endswith(".h")}
    for header in find_circles(graph):
        yield f"{header}: includes itself through others"


# ---- What files define and declare ----

# Sources of kernels are preprocessed with the names of an instruction set, as CMake writes them.
KERNELS = ["-DZC_ISA=isa", "-include", "materialize/kernels/arch_x86.h"]
MARKER = re.compile(r'# \d+ "(?:\./)?([^"]*)"((?: \d)*)')
PART = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[{};]|[^{};"\']+')
QUALIFIER = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|\b(?:inline|const|volatile|_Noreturn)\b")
NAME = re.compile(r"(?:extern )?\w[\w\s*]*[\s*](\w+)\s*(?=([(=]|(?:\[[^\]]*\]\s*)+|$))")


def preprocess(path, folder):
    """A file as the preprocessor leaves it, and what it says. System headers are empty: what is not ours is not looked for."""
    options = KERNELS if path.startswith("materialize/kernels/") else []
    command = ["gcc", "-E", "-w", "-nostdinc", "-Isystem", "-I.", "-Iinclude", "-DZC_API=", *options, path]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout, done.stderr.partition("\n")[0]


def statements(text):
    """(statement, whether a body follows, the files that are open) of what is outside of braces."""
    files, depth, statement = [""], 0, ""
    for line in text.splitlines():
        if match := MARKER.match(line):
            flags = match[2].split()
            files = [*files, match[1]] if "1" in flags else [*files[: -2 if "2" in flags else -1], match[1]]
            continue
        for part in PART.findall(line) if depth == 0 or "{" in line or "}" in line else ():
            if depth == 0 and part in ("{", ";"):
                yield statement, part == "{", files
            depth = max(depth + (part == "{") - (part == "}"), 0)
            if part in ("{", "}", ";"):
                statement = ""
            elif depth == 0:
                statement += part.strip() + " "


def names_of(path, text, headers):
    """A Name for each function and object that a preprocessed file has for others. Its file is the header, or the source,
    that a reader finds it in, not the table or template that it includes."""
    for statement, has_body, files in statements(text):
        words = QUALIFIER.sub("", statement).strip()
        match = NAME.match(words)
        if match is None or re.search(r"\b(static|typedef)\b", statement) or re.match(r"(struct|enum|union) \w+$", words):
            continue
        file = next((file for file in reversed(files) if file in headers), path)
        is_object = match[2] != "(" and "=" in words
        yield Name(match[1], file, "object" if is_object else "function" if has_body else "declared")


def all_names(sources):
    """The names of all sources, what is defined and what is declared; and what the preprocessor says of them."""
    headers = {s.path for s in sources if s.path.endswith(".h") and re.search(r"^#ifndef \w+_H$", s.text, flags=re.M)}
    with tempfile.TemporaryDirectory() as folder:
        for source in (s for s in sources if s.is_c()):
            for name in [source.path] + ["system/" + name for name in SYSTEM_INCLUDE.findall(source.text)]:
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_text(source.text if name == source.path else "")
        paths = [source.path for source in sources if source.path.endswith(".c")]
        with ThreadPoolExecutor(cpu_count()) as pool:
            texts = list(pool.map(lambda path: preprocess(path, folder), paths))
    names = {name for path, (text, _) in zip(paths, texts) for name in names_of(path, text, headers)}
    return names, [said for _, said in texts if said]


def part_of(path):
    """What a path is linked into: the library, or the programs of its room."""
    room = path.partition("/")[0]
    return "library" if room == "include" or room in LIBRARY else room


def definitions_of(names, kinds):
    """{name: the files that define it}"""
    files = {}
    for name, file, kind in sorted(names):
        if kind in kinds:
            files.setdefault(name, []).append(file)
    return files


def seen_from(path, files):
    """Those of the files that are linked with a path."""
    return [file for file in files if part_of(file) in ("library", part_of(path))]


def declared_elsewhere(names):
    """A function is declared in the folder that defines it, or in zerocast.h."""
    files = definitions_of(names, ["function"])
    for name, file, kind in sorted(names):
        found = seen_from(file, files.get(name, ())) if kind == "declared" else []
        if found and file != PUBLIC_HEADER and folder_of(file) not in map(folder_of, found):
            yield f"{file}: declares {name}, which {found[0]} defines"


def uses(sources, names):
    """(file, line, another file that it needs): what it includes, the functions that it calls through zerocast.h, and
    the objects that a table of its declares by their rows."""
    files = definitions_of(names, ["function", "object"])
    for source in sources:
        yield from ((source.path, number, name) for number, name in included_files(source))
        if part_of(source.path) == "library" and source.path != PUBLIC_HEADER and source.path.endswith((".c", ".h")):
            for number, line in enumerate(source.code, 1):
                called = [seen_from(source.path, files.get(name, ())) for name in CALL.findall(line)]
                yield from ((source.path, number, found[0]) for found in called if found)
    for name, file, kind in sorted(names):
        found = seen_from(file, files.get(name, ())) if kind == "declared" and file != PUBLIC_HEADER else []
        if found and folder_of(file) not in map(folder_of, found):
            yield file, 1, found[0]


def folder_circles(sources, names):
    """No folder is above itself, directly or through others."""
    paths = {source.path for source in sources}
    places = {}
    for path, number, other in uses(sources, names):
        ends = folder_of(path), folder_of(other)
        if other in paths and ends[0] != ends[1]:
            places.setdefault(ends, f"{path}:{number}")
    graph = {}
    for own, other in places:
        graph.setdefault(own, set()).add(other)
    circles = find_circles(graph)
    for (own, other), place in sorted(places.items()):
        if other in circles.get(own, ()):
            yield f"{place}: {own}/ is above {other}/, which is above {own}/, perhaps through others"


def findings(sources):
    names, said = all_names(sources)
    yield from said
    yield from include_circles(sources)
    yield from folder_circles(sources, names)
    yield from declared_elsewhere(names)
