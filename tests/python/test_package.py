"""The package as it is installed: its version, its stubs, what importing it takes, and that it loses no memory."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zerocast as zc

ROOT = Path(__file__).resolve().parents[2]


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_there_is_one_version():
    from importlib.metadata import version

    header = (ROOT / "include/zerocast.h").read_text()
    numbers = re.findall(r"#define ZC_VERSION_\w+ (\d+)", header)
    assert zc.__version__ == version("zerocast") == ".".join(numbers)


def test_stubs_are_what_the_tables_say():
    subprocess.run([sys.executable, ROOT / "python/stubs.py", "--check"], check=True)


def test_importing_needs_no_numpy_and_little_else():
    """Its time is a figure of ./dev python figures; what would make it long is another library."""
    program = "import sys; before = set(sys.modules); import zerocast; print(*sorted(set(sys.modules) - before))"
    others = [name for name in run(program).split() if name.partition(".")[0] != "zerocast"]
    assert len(others) <= 24 and not {"numpy", "inspect", "typing", "re", "dataclasses"} & set(others), others


def test_names_of_numpys_that_are_missing_tell_what_is_there():
    for name in [name for name in dir(np) if not hasattr(zc, name)]:
        with pytest.raises(AttributeError) as refusal:
            getattr(zc, name)
        ours = re.match(rf"module 'zerocast' has no attribute '{name}': here it is zerocast.(\w+)", str(refusal.value))
        assert ours is None or hasattr(zc, ours[1]), name
    told_of = {"array": "asarray(obj)", "concatenate": "concat", "arctan2": "atan2", "interp": "numpy.interp() takes"}
    for name, told in told_of.items():
        with pytest.raises(AttributeError, match=re.escape(told)):
            getattr(zc, name)
    with pytest.raises(AttributeError, match="^module 'zerocast' has no attribute 'nothing'$"):
        zc.nothing  # noqa: B018


def test_the_command_comes_along():
    command = Path(sys.executable).with_name("zerocast")
    out = subprocess.run([command, "eval", "sum(arange(5))"], capture_output=True, text=True, check=True).stdout
    assert out == "10\n"


@pytest.mark.parametrize("name", ["digits", "convolution"])
def test_notebooks(name, tmp_path):
    notebook = json.loads((ROOT / f"examples/python/{name}.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 3
    program = tmp_path / f"{name}.py"
    program.write_text("\n".join(cells))
    subprocess.run([sys.executable, program], cwd=ROOT, check=True, capture_output=True, text=True)
    checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", program], cwd=tmp_path, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def step(x, i):
    """A bit of everything, and refusals."""
    y = (x * 2 + i) * x
    match i % 8:
        case 0:
            float(zc.sum(y))
        case 1:
            try:
                x + zc.zeros((3,))
            except ValueError:
                pass
        case 2:
            y[1:5][::2, None], y[[1, 2]], y[y > 3]
        case 3:
            np.asarray(y), zc.asarray(np.arange(4)), np.from_dlpack(y), zc.from_dlpack(np.arange(3))
        case 4:
            zc.sort(y), zc.unique_all(y), zc.nonzero(y), zc.broadcast_arrays(x, y)
        case 5:
            y.materialize(), zc.grad(zc.sum(y), x), zc.stack([x, y])
        case 6:
            repr(y), y.explain(), y.cost, zc.asarray([[1, 2], [3, 4]])
        case 7:
            try:
                zc.take(x, [99]).materialize()
            except (IndexError, ValueError):
                pass


def test_a_loop_loses_no_memory():
    x = zc.asarray(np.arange(16.0))
    for i in range(4000):
        step(x, i)
    before, nodes = resident(), zc.memory().nodes
    for i in range(20000):
        step(x, i)
    assert zc.memory().nodes <= nodes + 20
    assert resident() - before < 2000, f"{resident() - before} KiB more"
