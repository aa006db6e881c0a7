"""The examples of README.md, docs/guide-python.md and docs/numpy.md print what the pages say, and the guide names every
function that the array API does not have."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import zerocast as zc

ROOT = Path(__file__).resolve().parents[2]
COUNTS = {"README.md": 1, "docs/cluster.md": 3, "docs/guide-python.md": 11, "docs/numpy.md": 4}


def examples(page):
    """Each example of a page with the text that the block behind it shows."""
    found = re.findall(r"^```python\n(.*?)^```\n(?:```\n(.*?)^```$)?", page, re.MULTILINE | re.DOTALL)
    assert found
    return found


@pytest.mark.parametrize("name", COUNTS)
def test_examples_print_what_the_page_says(name, tmp_path):
    found = examples((ROOT / name).read_text())
    assert len(found) == COUNTS[name]
    program = "\nprint('----')\n".join(text for text, _ in found)
    command = [sys.executable, "-W", "ignore", "-c", program]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("----\n") == [printed for _, printed in found]


def test_the_guide_names_every_function_beyond_the_array_api():
    guide = (ROOT / "docs/guide-python.md").read_text()
    standard = set(re.findall(r"\w+", (ROOT / "tests/lint/array_api.py").read_text()))
    functions = [name for name in dir(zc) if name[0].islower() and callable(getattr(zc, name))]
    missing = [name for name in functions if name not in standard and not re.search(rf"`{name}`|zc\.{name}\b", guide)]
    assert len(functions) > 150 and missing == []
