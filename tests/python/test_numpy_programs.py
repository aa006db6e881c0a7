"""Programs as NumPy's users write them, run with numpy and with zerocast.numpy: the same values and the same texts."""

import json
import math
import warnings

import numpy
import pytest

import zerocast.numpy

pytestmark = pytest.mark.filterwarnings("ignore:.*not in zerocast")


def statistics(np):
    """A table of measurements: masks, sorting, fancy indexing, texts, numbers for the standard library."""
    rng = np.random.default_rng(7)
    table = rng.normal(10, 3, size=(200, 4))
    table[rng.random((200, 4)) < 0.05] = np.nan
    bad = np.isnan(table).any(axis=1)
    clean = table[~bad]
    mean, spread = clean.mean(axis=0), clean.std(axis=0, ddof=1)
    scores = (clean - mean) / spread
    outliers = np.abs(scores) > 2.5
    clean[outliers] = np.broadcast_to(mean, clean.shape)[outliers]
    order = np.argsort(clean[:, 0], kind="stable")[::-1]
    best = clean[order[:5]]
    edges = np.linspace(clean.min(), clean.max(), 6)
    counts = np.array([((clean >= a) & (clean < b)).sum() for a, b in zip(edges[:-1], edges[1:])])
    counts[-1] += (clean == edges[-1]).sum()
    lines = [f"{i}: {m:.3f} ± {s:.3f}" for i, (m, s) in enumerate(zip(mean, spread))]
    if clean.max() > 12 and not bad.all():
        lines.append("high")
    report = {"rows": int(bad.sum()), "root": round(math.sqrt(clean.sum()), 6), "top": float(best[0, 0])}
    texts = [*lines, json.dumps(report), str(counts), repr(counts.tolist())]
    return [clean, best, counts, np.percentile(clean, [25, 50, 75], axis=0), np.corrcoef(clean.T)], texts


def waves(np):
    """Views that are written through, in-place operators, newaxis and broadcasting."""
    n = 40
    u = np.zeros((n, n))
    before = u.copy()
    inner, middle = u[1:-1, 1:-1], u[n // 2]
    inner[5:8, 5:8] = 1
    middle[::4] += 0.5
    c = np.where(np.arange(n)[:, np.newaxis] < n // 2, 0.2, 0.1)[1:-1]
    for step in range(12):
        neighbors = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        after = 2 * u[1:-1, 1:-1] - before[1:-1, 1:-1] + c * (neighbors - 4 * inner)
        before = u.copy()
        inner[...] = after
        inner *= 0.995
        if step % 5 == 0:
            u[0, :] = u[-1, :] = 0
    rows = [row.sum() for row in u]
    top = u.ravel()[u.argmax()]
    u.T[3] -= 1
    u[:, ::2] /= 2
    np.clip(u, -1, 1, out=u)
    texts = [f"{top:.6f}", f"{float(u[3, 3]):.4f}", repr(np.round(u[0, :4], 3)), str(u.shape)]
    return [u, middle, np.array(rows), inner, u.diagonal()], texts


def strings_of_life(np):
    """Integers, bools, rolls, unique elements, iteration, and indices that Python's own lists take."""
    board = (np.indices((12, 12)).sum(axis=0) % 3 == 0).astype(np.uint8)
    board[4:7, 5] = 1
    history = []
    for _ in range(6):
        around = sum(np.roll(board, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        board = ((around == 3) | ((board == 1) & (around == 2))).astype(np.uint8)
        history.append(int(board.sum()))
    letters = [".", "#"]
    text = "\n".join("".join(letters[cell] for cell in row) for row in board[:4])
    values, counts = np.unique(around, return_counts=True)
    named = {int(v): int(c) for v, c in zip(values, counts)}
    total = 0
    for k in range(np.int64(3)):
        total += board[k, k]
    picked = board[[0, 3, 5]][:, [1, 2]]
    grid = board[np.ix_([0, 2], [1, 3])]
    where = np.argwhere(board)[:3]
    texts = [text, repr(named), str(total), str(board.dtype), repr(board[:2])]
    return [board, values, counts, picked, grid, where, np.cumsum(history)], texts


def regression(np):
    """Least squares by gradient descent, beside the normal equations; complex numbers and polynomials."""
    rng = np.random.RandomState(3)
    x = np.sort(rng.uniform(-1, 1, 80))
    y = 3 * x**2 - x + 0.5 + 0.01 * rng.randn(80)
    features = np.stack([np.ones_like(x), x, x * x], axis=1)
    weights = np.zeros(3, dtype=np.float64)
    losses = []
    for _ in range(400):
        error = features @ weights - y
        weights -= 0.5 * (features.T @ error) / len(y)
        losses.append((error**2).mean())
    exact = np.linalg.solve(features.T @ features, features.T @ y)
    fitted = np.polyfit(x, y, 2)[::-1]
    spectrum = np.abs(np.fft.rfft(y - y.mean()))
    angle = np.angle(np.exp(1j * x)).astype(np.float32)
    names = ["constant", "linear", "square"]
    worst = names[np.argmax(np.abs(weights - exact))]
    assert all(a >= b for a, b in zip(losses, losses[1:]))
    texts = [worst in names and "ok", "%.3f" % exact[2], f"{len(losses):d}"]  # noqa: UP031
    return [weights, exact, fitted, spectrum, angle, np.array(losses[::50])], texts


def distances(np):
    """Neighbors and groups of points: broadcasting over three axes, argmin, bincount, where, einsum, boolean logic."""
    rng = np.random.default_rng(11)
    points = np.concatenate([rng.normal(m, 0.3, (30, 2)) for m in ((0, 0), (3, 1), (1, 4))])
    d = np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(-1))
    np.fill_diagonal(d, np.inf)
    nearest = d.argmin(axis=1)
    assert np.allclose(d[np.arange(len(d)), nearest], d.min(axis=1))
    centers = points[[0, 30, 60]].copy()
    for _ in range(10):
        labels = np.argmin(((points[:, None] - centers) ** 2).sum(axis=2), axis=1)
        moved = np.array([points[labels == k].mean(axis=0) for k in range(3)])
        if np.abs(moved - centers).max() < 1e-9:
            break
        centers = moved
    sizes = np.bincount(labels, minlength=3)
    gram = np.einsum("ij,kj->ik", centers, centers)
    inside = np.logical_and(points[:, 0] > 0, points[:, 1] > 0)
    first = int(np.flatnonzero(inside)[0])
    spread = {f"group {k}": round(float(points[labels == k].std()), 4) for k in set(labels.tolist())}
    is_big = sizes.max() > 3 and (sizes == 30).any()
    texts = [json.dumps(spread), str(first), str(bool(is_big)), str(centers.round(2))]
    return [nearest, centers, sizes, gram, inside, np.tril(gram), d[0, 1:4]], texts


PROGRAMS = [statistics, waves, strings_of_life, regression, distances]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_what_it_gives_with_numpy(program):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        theirs, said = program(numpy)
        ours, told = program(zerocast.numpy)
    assert told == said
    assert len(ours) == len(theirs)
    for x, a in zip(ours, theirs):
        assert isinstance(x, zerocast.Array)
        assert x.dtype == a.dtype and x.shape == a.shape
        numpy.testing.assert_allclose(numpy.asarray(x), a, rtol=1e-10 if a.dtype != numpy.float32 else 1e-5, atol=1e-12)
