"""docs/numpy.md: its examples print what the page says."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/numpy.md"


def test_examples_print_what_the_page_says():
    examples = re.findall(r"^```python\n(.*?)^```\n```\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) == 4
    program = "\nprint('----')\n".join(text for text, _ in examples)
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split("----\n") == [printed for _, printed in examples]
