"""The README and the guides say what happens. Their commands run as they are written, from a clone that was built, and
print what the pages show; their snippets of C and C++ are compiled and run; every function of the library is named; links
lead somewhere. ARCHITECTURE.md names functions in the files that define them, and the recipes of CONTRIBUTING.md show
lines of the files that they change. Who divides the times of the table of speed gets the ratio beside them.

    readme.py BUILD_FOLDER WORK_FOLDER

The clone of a page is a folder of links in WORK_FOLDER, with BUILD_FOLDER as its build/release. ./dev is not run (it
would build and test), but has to know the command; nor is pip, whose installation tests/python/run.sh tests.

A snippet is the body of a function with a context, ctx, in which a scope is open; functions at its beginning stand before
it. A block that follows shows what it prints. It leaves no failure behind.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = "README.md", "docs/guide-python.md", "docs/guide-shell.md", "docs/guide-c.md", "docs/programs.md", "docs/one-liners.md"
MARK = "-- the next one --"
HEADER = (ROOT / "include/zerocast.h").read_text()

# For each language: the compiler, the beginning of a program of snippets, the type of ctx, and main() around and between the
# calls of snippets.
LANGUAGES = {
    "c": (
        ["gcc", "-std=c17"],
        "#include <inttypes.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <zerocast.h>\n",
        "zc_context *",
        ("zc_context *ctx = zc_context_new(NULL);\nzc_scope *scope;\n", "zc_context_free(ctx);\n"),
        (
            "scope = zc_scope_begin(ctx);\n",
            "zc_scope_end(scope);\nif (zc_error_status(ctx) != ZC_OK) puts(zc_error_text(ctx));\n",
        ),
    ),
    "cpp": (
        ["g++", "-std=c++17"],
        "#include <cstdio>\n#include <iostream>\n#include <vector>\n#include <zerocast.hpp>\nnamespace zc = zerocast;\n",
        "zc::context &",
        ("zc::context ctx;\n", ""),
        ("", ""),
    ),
}


def make_clone(build, work):
    shutil.rmtree(work, ignore_errors=True)
    (work / "build").mkdir(parents=True)
    (work / "build/release").symlink_to(build)
    for entry in ROOT.iterdir():
        if entry.name not in ("build", ".git"):
            (work / entry.name).symlink_to(entry)


def blocks(page, language):
    """Each block of a language, with the text that the block behind it shows, or None."""
    found = re.finditer(rf"^```{language}\n(.*?)^```\n(?:```\n(.*?)^```$)?", page, re.MULTILINE | re.DOTALL)
    return [match.groups() for match in found]


def commands(page):
    """Each command with the lines that the page shows below it."""
    found = [(line, "") for block, _ in blocks(page, "sh") for line in block.splitlines()]
    for block, _ in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, shown = part.split("\n", 1)
            found.append((command, shown.rstrip()))
    return found


def run_all(clone, chosen):
    """Runs the commands in one shell, as a reader would; gives what each printed, and the exit code of the last one."""
    script = "\n".join(f"{command} || exit 1\necho '{MARK}'" for command, _ in chosen)
    shell = subprocess.run(["bash", "-c", "exec 2>&1\n" + script], cwd=clone, text=True, stdout=subprocess.PIPE)
    return shell.stdout.split(f"{MARK}\n"), shell.returncode


def check_commands(page, clone):
    help_text = subprocess.run([ROOT / "dev", "help"], check=True, capture_output=True, text=True).stdout
    chosen = []
    for command, shown in commands(page):
        words = command.split()
        if words[0] == "./dev":
            if not re.search(rf"^  {words[1]}\b", help_text, re.MULTILINE):
                yield f"./dev help does not list it: {command}"
        elif words[0] != "pip":
            # A comment would swallow what run_all() puts behind it.
            chosen.append((re.sub(r"\s+# .*", "", command), shown))
    printed, code = run_all(clone, chosen)
    if code != 0:
        yield f"failed: {chosen[len(printed) - 1][0]}\n{printed[-1]}"
    for (command, shown), text in zip(chosen, printed):
        if shown not in text:
            yield f"printed something else: {command}\n{text}"


def split_functions(code):
    """The functions at the beginning of a snippet, and the rest."""
    match = re.match(r"(?:static .*?^\}\n\n?)*", code, re.MULTILINE | re.DOTALL)
    return code[: match.end()], code[match.end() :]


def snippet_program(language, snippets):
    _, begin, given, (first, last), (before, after) = LANGUAGES[language]
    calls = []
    for number, (code, _) in enumerate(snippets):
        functions, body = split_functions(code)
        begin += f"{functions}static void snippet_{number}({given}ctx)\n{{\n(void)ctx;\n{body}}}\n"
        calls.append(f'{before}snippet_{number}(ctx);\n{after}fflush(stdout);\nputs("{MARK}");\n')
    return f"{begin}int main(void)\n{{\n{first}{''.join(calls)}{last}return 0;\n}}\n"


def check_snippets(page, clone, language):
    compiler, *options = LANGUAGES[language][0]
    snippets = [block for block in blocks(page, language) if "int main(" not in block[0]]
    if not snippets or shutil.which(compiler) is None:
        return
    (clone / f"snippets.{language}").write_text(snippet_program(language, snippets))
    flags = f"-Wall -Wextra -Werror -Iinclude snippets.{language} -Lbuild/release -lzerocast -o snippets".split()
    command = [compiler, *options, *flags, f"-Wl,-rpath,{clone}/build/release"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    if done.returncode == 0:
        done = subprocess.run(["./snippets"], cwd=clone, capture_output=True, text=True)
    if done.returncode != 0:
        yield f"the snippets of {language} fail ({done.returncode}):\n{done.stdout[-300:]}{done.stderr}"
        return
    for (code, shown), text in zip(snippets, done.stdout.split(f"{MARK}\n")):
        if text != (shown or ""):
            yield f"printed something else:\n{code}\n{text}"


def check_program(page):
    program = (ROOT / "examples/first.c").read_text()
    for block, _ in blocks(page, "c"):
        if "int main(" in block and not program.endswith(block):
            yield "the C program is not examples/first.c"


def check_names(page):
    """Functions that the page names are the library's."""
    for name in sorted(set(re.findall(r"\b(?:zc_[a-z0-9_]+[a-z0-9]|ZC_[A-Z0-9_]+[A-Z0-9])\b(?!_)", page))):
        if not re.search(rf"\b{name}\b", HEADER):
            yield f"zerocast.h does not know {name}"


def check_functions(guide):
    """Every function of the library is named in the guide, or is an elementwise operation of docs/operations.md."""
    operations = (ROOT / "docs/operations.md").read_text()
    for name in re.findall(r"^ZC_API [^;(]*?\bzc_(\w+)\(", HEADER, re.MULTILINE):
        if f"`zc_{name}`" not in guide and f"| `{name}(" not in operations:
            yield f"its functions lack zc_{name}"


def check_way(page):
    """Rows of ARCHITECTURE.md that name a file and a function: it is defined there."""
    rows = re.findall(r"^\|[^|]*\| `([\w/.]+)` \| `(\w+)` \|", page, re.MULTILINE)
    if len(rows) < 20:
        yield f"only {len(rows)} hops were found"
    for file, function in rows:
        path = ROOT / file
        if not path.exists() or not re.search(rf"^\w.*\b{function}\(", path.read_text(), re.MULTILINE):
            yield f"{file} does not define {function}"


def check_recipes(page):
    """The diffs of CONTRIBUTING.md, which name a file and show lines of it: unmarked ones are there."""
    recipes = [block for block, _ in blocks(page, "diff")]
    if len(recipes) < 5:
        yield f"only {len(recipes)} diffs were found"
    for recipe in recipes:
        if len(recipe.splitlines()) > 40:
            yield f"a diff of more than 40 lines:\n{recipe}"
        for file, lines in re.findall(r"^--- (.*)\n((?:(?!--- ).*\n)*)", recipe, re.MULTILINE):
            there = set((ROOT / file).read_text().splitlines()) if (ROOT / file).exists() else set()
            for line in lines.splitlines():
                if line.startswith(" ") and line[1:] not in there:
                    yield f"{file} has no line {line[1:]!r}"


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(path):
    """Links of a page lead to files, and to headings in them."""
    text = path.read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)):
        if re.match(r"\w+:", target):
            continue
        file, _, anchor = target.partition("#")
        other = (path.parent / file).resolve() if file else path
        if not other.exists():
            yield f"no file {target}"
        elif anchor and anchor not in anchors(other.read_text()):
            yield f"no heading {target}"


def seconds(cell):
    number, unit = cell.split()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def check_table(page):
    """Columns: case, elements, ours, C by hand, ratio ..."""
    table = page.split("<!-- bench: made by bench/picture.py -->")[1].split("<!-- bench ends -->")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:]] for line in table.splitlines() if line.startswith("| ")][1:]
    if len(rows) < 8:
        yield f"only {len(rows)} rows were found in the table of times"
    for name, _, ours, hand, ratio, *_ in rows:
        if ratio and abs(seconds(ours) / seconds(hand) - float(ratio)) > 0.0051:
            yield f"{name}: {ours} / {hand} is {seconds(ours) / seconds(hand):.2f}, not {ratio}"


def check_page(name, build, clone):
    page = (ROOT / name).read_text()
    make_clone(build, clone)
    yield from check_commands(page, clone)
    for language in LANGUAGES:
        yield from check_snippets(page, clone, language)
    yield from check_program(page)
    yield from check_names(page)


def main(build, work):
    found = 0
    texts = {name: (ROOT / name).read_text() for name in (*PAGES, "docs/speed.md")}
    for name in PAGES:
        for finding in check_page(name, Path(build).resolve(), Path(work).resolve()):
            print(f"{name}: {finding}")
            found += 1
    others = {"docs/guide-c.md": check_functions, "docs/speed.md": check_table, "ARCHITECTURE.md": check_way}
    others["CONTRIBUTING.md"] = check_recipes
    for name, check in others.items():
        for finding in check((ROOT / name).read_text()):
            print(f"{name}: {finding}")
            found += 1
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/**/*.md")]):
        for finding in check_links(path):
            print(f"{path.relative_to(ROOT)}: {finding}")
            found += 1
    shown = {name: len(commands(text)) for name, text in texts.items()}
    snippets = len(blocks(texts["docs/guide-c.md"], "c")) + len(blocks(texts["docs/guide-c.md"], "cpp"))
    if snippets < 10 or min(shown[name] for name in PAGES if "python" not in name) < 4:
        print(f"commands or snippets were not found: {shown}, {snippets}")
        found += 1
    if len(texts["README.md"].splitlines()) > 100:
        print("README.md: more than 100 lines")
        found += 1
    print(f"{found} findings in {sum(shown.values())} commands and {snippets} snippets of {len(PAGES)} pages")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
