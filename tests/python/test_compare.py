"""The programs of examples/compare: zerocast's results are NumPy's (the gradients of the training step are written by hand
there), XLA's where jax is installed; measure.py runs each; README.md has a row for each."""

import importlib.util
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zerocast as zc

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/compare"
NAMES = runpy.run_path(str(FOLDER / "measure.py"))["PROGRAMS"]
HAS_JAX = importlib.util.find_spec("jax") is not None


def test_every_program_is_measured():
    assert set(NAMES) == {path.stem for path in FOLDER.glob("*.py")} - {"measure"}


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_numpy(name):
    program = runpy.run_path(str(FOLDER / f"{name}.py"))
    arrays = program["inputs"](program["SMALL"])
    ours = program["by_zerocast"](zc, *map(zc.asarray, arrays))
    theirs = [program["by_numpy"](np, *arrays)]
    if HAS_JAX:
        import jax

        theirs.append(program["by_xla"](jax.numpy, *map(jax.numpy.asarray, arrays)))
    for results in theirs:
        assert len(results) == len(ours)
        for x, y in zip(ours, results):
            np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("library", ["zerocast", "numpy", *(["xla"] if HAS_JAX else [])])
def test_a_process_prints_seconds_bytes_and_sums(name, library):
    program = runpy.run_path(str(FOLDER / f"{name}.py"))
    command = [sys.executable, FOLDER / "measure.py", name, library, str(program["SMALL"])]
    seconds, peak, *sums = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    assert 0 < seconds < 10 and 0 <= peak < 1e9
    expected = [np.sum(result, dtype=np.float64) for result in program["by_numpy"](np, *program["inputs"](program["SMALL"]))]
    np.testing.assert_allclose(sums, expected, rtol=1e-3, atol=1e-2)


def test_the_readme_has_a_row_of_figures_for_each():
    rows = re.findall(r"^\| \[(.*?)\]\(examples/compare/(\w+)\.py\) \|(.*)\|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    titles = {name: runpy.run_path(str(FOLDER / f"{name}.py"))["NAME"] for name in NAMES}
    assert {name: title for title, name, _ in rows} == titles
    for _, _, cells in rows:
        assert all(re.fullmatch(r" [\d.]+ m?s, (?:< )?[\d.,]+ MB ", cell) for cell in cells.split("|")), cells
