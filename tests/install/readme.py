"""The README says what happens: its commands run as they are written, from a clone that was built, and print what it
shows; its C program is examples/first.c; who divides the times of its table gets the ratio beside them.

    readme.py BUILD_FOLDER WORK_FOLDER

The clone is a folder of links in WORK_FOLDER, with BUILD_FOLDER as its build/release. ./dev itself is not run (it would
build and test), but has to know the command.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def make_clone(build, work):
    shutil.rmtree(work, ignore_errors=True)
    (work / "build").mkdir(parents=True)
    (work / "build/release").symlink_to(build)
    for entry in ROOT.iterdir():
        if entry.name not in ("build", ".git"):
            (work / entry.name).symlink_to(entry)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands():
    """Each command with the lines that the README shows below it."""
    found = [(line, "") for block in blocks("sh") for line in block.splitlines()]
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, shown = part.split("\n", 1)
            found.append((command, shown.rstrip()))
    return found


def run_all(clone, chosen):
    """Runs the commands in one shell, as a reader would; gives what each printed, and the exit code of the last one."""
    mark = "-- the next command --"
    script = "\n".join(f"{command} || exit 1\necho '{mark}'" for command, _ in chosen)
    shell = subprocess.run(["bash", "-c", "exec 2>&1\n" + script], cwd=clone, text=True, stdout=subprocess.PIPE)
    return shell.stdout.split(f"{mark}\n"), shell.returncode


def check_commands(clone):
    help_text = subprocess.run([ROOT / "dev", "help"], check=True, capture_output=True, text=True).stdout
    chosen = []
    for command, shown in commands():
        words = command.split()
        if words[0] != "./dev":
            # A comment would swallow what run_all() puts behind it.
            chosen.append((re.sub(r"\s+# .*", "", command), shown))
        elif not re.search(rf"^  {words[1]}\b", help_text, re.MULTILINE):
            yield f"./dev help does not list it: {command}"
    printed, code = run_all(clone, chosen)
    if code != 0:
        yield f"failed: {chosen[len(printed) - 1][0]}\n{printed[-1]}"
    for (command, shown), text in zip(chosen, printed):
        if shown not in text:
            yield f"printed something else: {command}\n{text}"
    if len(chosen) < 8:
        yield f"only {len(chosen)} commands were found"


def check_program():
    program = (ROOT / "examples/first.c").read_text()
    if not any(program.endswith(block) for block in blocks("c")):
        yield "the C program is not examples/first.c"


def check_products():
    if not any(" @ " in command for command, _ in commands()):
        yield "no command shows a matrix product"


def seconds(cell):
    number, unit = cell.split()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def check_table():
    """Columns: case, elements, ours, C by hand, ratio ..."""
    table = README.split("<!-- bench: made by bench/picture.py -->")[1].split("<!-- bench ends -->")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:]] for line in table.splitlines() if line.startswith("| ")][1:]
    if len(rows) < 8:
        yield f"only {len(rows)} rows were found in the table of times"
    for name, _, ours, hand, ratio, *_ in rows:
        if ratio and abs(seconds(ours) / seconds(hand) - float(ratio)) > 0.0051:
            yield f"{name}: {ours} / {hand} is {seconds(ours) / seconds(hand):.2f}, not {ratio}"


def main(build, work):
    clone = Path(work).resolve()
    make_clone(Path(build).resolve(), clone)
    findings = [*check_commands(clone), *check_program(), *check_products(), *check_table()]
    for finding in findings:
        print(f"README.md: {finding}")
    print(f"README.md: {len(findings)} findings in {len(commands())} commands")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
