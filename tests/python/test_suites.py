"""The suites' own table, xfails and counts; the suites run by ./dev python suites."""

import re
from pathlib import Path

import pytest

from suites import plugin
from suites.__main__ import SUITES, main

FOLDER = Path(__file__).parent / "suites"
DOCS = (FOLDER.parents[2] / "docs/suites.md").read_text()
PINS = dict(re.findall(r"^([\w-]+)(?:\[\w+\])?==(\S+)$", (FOLDER / "requirements.txt").read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", SUITES)
def test_each_suite_is_pinned_and_told(name):
    wheel = name if name in PINS else name.replace("_", "-")
    row = next(line for line in DOCS.splitlines() if line.startswith(f"| {wheel} |"))
    version, tests, passed, expected = (row.split("|")[n].strip().replace(",", "") for n in (2, 4, 5, 6))
    assert version == PINS[wheel]
    xfails = plugin.read_xfails(FOLDER / "xfails" / f"{name}.txt")
    assert int(tests) - int(passed) == int((expected or "0").partition(":")[0])
    assert bool(xfails) == (tests != passed) and len(xfails) <= int(tests) / 10
    assert (FOLDER / f"{name}.py").exists()
    for reason in set(xfails.values()):
        assert reason in expected


def test_reasons_are_a_closed_list():
    assert len(plugin.REASONS) <= 10
    assert all(f"`{reason}`" in DOCS for reason in plugin.REASONS)


@pytest.mark.parametrize("line", ["weather test_a", "linalg", "linalg test_a\nfft test_a"])
def test_other_reasons_are_refused(tmp_path, line):
    file = tmp_path / "xfails.txt"
    file.write_text(f"# a comment\n\n{line}\n")
    with pytest.raises(pytest.UsageError, match="xfails.txt:"):
        plugin.read_xfails(file)


def test_other_suites_are_refused(capsys):
    assert main(["--sample", "nonsense"]) == 2
    assert "no suite 'nonsense'" in capsys.readouterr().err


def test_samples_and_xfails(tmp_path):
    """An xfail that passes fails the run, one that meets no test fails a whole run, and samples are parts of the whole."""
    import os
    import subprocess
    import sys

    (tmp_path / "xfails").mkdir()
    (tmp_path / "test_some.py").write_text(
        "import pytest\n@pytest.mark.parametrize('n', range(40))\ndef test_one(n): assert n != 3\ndef test_other(): pass\n"
    )
    (tmp_path / "conftest.py").write_text(
        f"from pathlib import Path\nfrom suites import plugin\nplugin.__file__ = str(Path({str(tmp_path)!r}) / 'plugin.py')\n"
    )

    def run(xfails, *options):
        (tmp_path / "xfails/some.txt").write_text(xfails)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "suites.plugin", "--suite", "some"]
        environment = {**os.environ, "PYTHONPATH": str(FOLDER.parent)}
        done = subprocess.run([*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, next(line for line in done.stdout.splitlines() if line.startswith("some:")), done.stdout

    assert run("")[:2] == (1, "some: 40 of 41 pass, 1 fail")
    assert run("linalg test_some::test_one[3]\n", "--whole")[:2] == (
        0,
        "some: 40 of 41 pass, 1 are expected to fail (linalg 1)",
    )
    assert run("linalg test_some::test_one[3]\nfft test_some::test_other\n")[0] == 1
    status, _, said = run("linalg test_some::test_one[3]\nfft test_some::test_gone\n", "--whole")
    assert status == 1 and "the xfail of test_some::test_gone meets no test" in said
    assert run("linalg test_some::test_one[3]\nfft test_some::test_gone\n")[0] == 0
    assert run("linalg *_one[3]\n")[0] == 0
    status, line, _ = run("linalg test_some::test_one[3]\n", "--every", "4")
    assert status == 0 and line == run("linalg test_some::test_one[3]\n", "--every", "4")[1] and "one test of 4" in line
    assert 2 <= int(line.split()[1]) <= 20
