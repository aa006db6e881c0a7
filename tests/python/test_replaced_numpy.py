"""python -m zerocast: programs that import numpy print what Python prints, and end as they end there."""

import subprocess
import sys

import pytest

HEAT = """
import numpy as np

def step(u, r):
    u[1:-1, 1:-1] += r * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])

u = np.zeros((24, 24))
u[0] = 100.0
u[:, -1] = np.linspace(100, 0, 24)
for n in range(40):
    step(u, 0.2)
    if n % 10 == 0:
        print(n, f"{u.mean():.6f}", u.argmax(), (u > 50).sum())
np.set_printoptions(precision=3, suppress=True)
print(u[::6, ::6])
print(repr(u[:2, :3]), u.dtype, u.shape)
assert np.isfinite(u).all() and not np.any(u < 0)
"""

K_MEANS = """
import numpy as np
from numpy.linalg import norm
from numpy.random import default_rng

rng = default_rng(0)
points = np.vstack([rng.normal(center, 0.4, (50, 2)) for center in [(0, 0), (4, 1), (2, 5)]])
centers = points[rng.choice(len(points), 3, replace=False)]
for iteration in range(50):
    distances = norm(points[:, np.newaxis] - centers[np.newaxis], axis=2)
    labels = distances.argmin(axis=1)
    moved = np.array([points[labels == k].mean(axis=0) if (labels == k).any() else centers[k] for k in range(3)])
    if np.allclose(moved, centers):
        break
    centers = moved
order = np.argsort(centers[:, 0])
print("iterations", iteration)
print(np.round(centers[order], 3))
print(np.bincount(labels)[order])
print(f"inertia {np.sum(np.min(distances, axis=1) ** 2):.4f}")
for label in np.unique(labels):
    print(label, int((labels == label).sum()))
"""

LIFE = """
import sys
import numpy as np

def neighbors(board):
    around = np.zeros(board.shape, dtype=int)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                around += np.roll(np.roll(board, dy, axis=0), dx, axis=1)
    return around

board = np.zeros((10, 10), dtype=bool)
for y, x in [(1, 2), (2, 3), (3, 1), (3, 2), (3, 3), (7, 7), (7, 8), (8, 7), (8, 8)]:
    board[y, x] = True
for _ in range(int(sys.argv[1])):
    count = neighbors(board)
    board = (board & ((count == 2) | (count == 3))) | (~board & (count == 3))
for row in board:
    print("".join("#" if cell else "." for cell in row))
print(np.count_nonzero(board), sorted(map(tuple, np.argwhere(board).tolist()))[:3])
"""

FACTORIZATION = """
import numpy as np
import helpers

rng = np.random.RandomState(4)
ratings = rng.randint(1, 6, size=(12, 8)).astype(float)
mask = rng.rand(12, 8) < 0.8
users, items = rng.rand(12, 3), rng.rand(8, 3)
for epoch in range(200):
    error = np.where(mask, ratings - users @ items.T, 0)
    users += 0.02 * (error @ items - 0.1 * users)
    items += 0.02 * (error.T @ users - 0.1 * items)
    if epoch % 50 == 0:
        print(epoch, "%.5f" % helpers.root_mean_square(error[mask]))
print(helpers.kind())
values = np.linalg.svd(users @ items.T, compute_uv=False)
print(np.around(values[:3], 4), (values > 1e-9).sum())
"""

HELPERS = """
import numpy

def root_mean_square(x):
    return numpy.sqrt(numpy.mean(numpy.square(x)))

def kind():
    return isinstance(numpy.zeros(2), numpy.ndarray)
"""

EQUALIZATION = """
import numpy as np

def equalize(image):
    histogram = np.bincount(image.ravel(), minlength=256)
    cdf = histogram.cumsum()
    first = cdf[np.nonzero(cdf)[0][0]]
    table = np.round((cdf - first) / (image.size - first) * 255).clip(0, 255).astype(np.uint8)
    return table[image]

y, x = np.mgrid[0:32, 0:32]
image = (60 + 40 * np.sin(x / 5.0) * np.cos(y / 7.0)).astype(np.uint8)
flat = equalize(image)
print(image.min(), image.max(), flat.min(), flat.max())
print(flat[:4, :8])
h, edges = np.histogram(flat, bins=4, range=(0, 256))
print(h, edges)
print(f"{flat.mean():.2f} {flat.std():.2f}", hash(flat.tobytes()) == hash(flat.copy().tobytes()))
"""

PROGRAMS = {"heat": HEAT, "k_means": K_MEANS, "life": LIFE, "factorization": FACTORIZATION, "equalization": EQUALIZATION}


def run(*command, folder):
    return subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=60)


def on_both(*command, folder):
    """What Python makes of it, and this package."""
    theirs = run(*command, folder=folder)
    ours = run("-W", "ignore", "-m", "zerocast", *command, folder=folder)
    return theirs, ours


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_what_python_prints(name, tmp_path):
    (tmp_path / f"{name}.py").write_text(PROGRAMS[name])
    (tmp_path / "helpers.py").write_text(HELPERS)
    theirs, ours = on_both(f"{name}.py", "12", folder=tmp_path)
    assert theirs.returncode == 0, theirs.stderr
    assert (ours.stdout, ours.stderr, ours.returncode) == (theirs.stdout, "", 0)


WHO = """
import sys
import numpy as np, numpy.linalg, numpy.testing as nt
from numpy import fft, pi
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial import Polynomial
import helpers, scipy.linalg, pandas
print(np.__name__, numpy.linalg.__name__, nt.__name__, fft.__name__, pi, sliding_window_view.__module__)
print(type(np.zeros(2)).__module__, helpers.numpy.__name__)
print(type(scipy.linalg.inv(np.eye(2))).__module__, type(pandas.Index([1]).values).__module__)
print(pandas.Series(np.arange(3.0)).sum(), scipy.linalg.norm(np.ones(4)), Polynomial([1, 2])(2))
nt.assert_allclose(sliding_window_view(np.arange(3), 2), [[0, 1], [1, 2]])
"""


def test_libraries_get_numpy_itself(tmp_path):
    pytest.importorskip("pandas")
    (tmp_path / "who.py").write_text(WHO)
    (tmp_path / "helpers.py").write_text(HELPERS)
    ours = run("-m", "zerocast", "who.py", folder=tmp_path)
    assert ours.returncode == 0, ours.stderr
    assert ours.stdout.splitlines() == [
        "zerocast.numpy zerocast.numpy.linalg zerocast.numpy.testing zerocast.numpy.fft 3.141592653589793 "
        "numpy.lib.stride_tricks",
        "zerocast._array zerocast.numpy",
        "numpy numpy",
        "3.0 2.0 5.0",
    ]


def test_packages_installed_within_the_folder_get_numpy_itself(tmp_path):
    site = tmp_path / "venv/lib/python3/site-packages"
    site.mkdir(parents=True)
    (site / "installed.py").write_text("import numpy\n")
    (tmp_path / "program.py").write_text(
        f"import sys\nsys.path.append({str(site)!r})\n"
        "import installed, numpy\nprint(installed.numpy.__name__, numpy.__name__)\n"
    )
    assert run("-m", "zerocast", "program.py", folder=tmp_path).stdout == "numpy zerocast.numpy\n"


ENDS = """
import os
import sys
import numpy as np

def fails():
    raise ValueError("wrong")

print(sys.argv, __name__, os.path.basename(__file__), __spec__ and __spec__.name)
print(sys.path[0] == os.path.dirname(os.path.realpath(__file__)))
how = sys.argv[1]
if how == "raise":
    fails()
if how == "cause":
    try:
        fails()
    except ValueError as error:
        raise KeyError("missing") from error
if how == "code":
    sys.exit(3)
if how == "text":
    sys.exit("a text")
if how == "import":
    import nowhere
if how == "interrupt":
    raise KeyboardInterrupt
if how == "hook":
    sys.excepthook = lambda kind, error, trace: print(kind.__name__, trace.tb_lineno)
    fails()
"""


@pytest.mark.parametrize("how", ["raise", "cause", "code", "text", "import", "interrupt", "hook", "nothing"])
def test_programs_end_as_with_python(how, tmp_path):
    (tmp_path / "ends.py").write_text(ENDS)
    theirs, ours = on_both("ends.py", how, "more", folder=tmp_path)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_modules_end_as_with_python(tmp_path):
    (tmp_path / "ends.py").write_text(ENDS)
    theirs, ours = on_both("-m", "ends", "cause", folder=tmp_path)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_what_is_no_program(tmp_path):
    (tmp_path / "broken.py").write_text("x = (\n")
    fails = "import numpy as np; print(np.arange(3)); 1 / 0"
    for command in (["broken.py"], ["nothing.py"], ["-m", "nothing"], ["-c", fails, "a"]):
        theirs, ours = on_both(*command, folder=tmp_path)
        assert theirs.returncode != 0
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_commands_get_it_too(tmp_path):
    program = "import sys, numpy; print(numpy.__name__, sys.argv, sys.path[0])"
    assert run("-m", "zerocast", "-c", program, "a", "-b", folder=tmp_path).stdout == "zerocast.numpy ['-c', 'a', '-b'] \n"


def test_help_and_refusals(tmp_path):
    for option in ("-h", "--help"):
        found = run("-m", "zerocast", option, folder=tmp_path)
        assert found.returncode == 0 and found.stdout.startswith("usage: python -m zerocast script.py")
    for command in ((), ("-q",), ("-c",), ("-m",)):
        found = run("-m", "zerocast", *command, folder=tmp_path)
        assert found.returncode == 2 and "usage:" in found.stderr and not found.stdout
    (tmp_path / "masked.py").write_text("import numpy.ctypeslib\n")
    found = run("-m", "zerocast", "masked.py", folder=tmp_path)
    assert found.returncode == 1 and "zerocast.numpy has no module 'numpy.ctypeslib': it serves compilers" in found.stderr
