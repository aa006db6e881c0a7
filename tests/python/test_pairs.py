"""The programs of docs/pairs.md: values are NumPy's, and no matrix of all pairs is in memory."""

import numpy as np
import pytest

import pairs
import zerocast as zc

N = 2_000
RESULTS = {
    "nearest neighbours": ("index", "distance"),
    "ten nearest neighbours": ("squares",),
    "kernel density and regression": ("density", "smoothed"),
    "Sinkhorn": ("u", "v"),
    "Sinkhorn in one expression": ("f", "g"),
    "attention": ("out",),
    "contrastive loss": ("loss",),
    "nearest others": ("others",),
    "rows and pairs that are picked": ("best", "along"),
    "scores of a matrix of four blocks": ("scores",),
    "centred distances": ("spread", "norm"),
    "gradients of a loss over all pairs": ("by_x", "by_y"),
}


def test_every_program_of_the_page_is_tested() -> None:
    assert set(RESULTS) == set(filter(None, pairs.programs()))


@pytest.mark.parametrize("name", [name for name in RESULTS if "gradients" not in name])
def test_values_are_those_of_numpy(name: str) -> None:
    ours, theirs = pairs.run(name, N), pairs.run(name, N, is_numpy=True)
    for result in RESULTS[name]:
        np.testing.assert_allclose(np.asarray(ours[result]), theirs[result], rtol=3e-4, atol=1e-5)


def test_gradients_are_the_sums_by_hand() -> None:
    got = pairs.run("gradients of a loss over all pairs", N)
    x, y = (np.asarray(got[name], np.float64) for name in "xy")
    apart = x[:, None] - y
    pulls = -2 * apart * np.exp(-np.sum(apart**2, axis=2))[:, :, None] / N**2
    np.testing.assert_allclose(np.asarray(got["by_x"]), pulls.sum(1), rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(np.asarray(got["by_y"]), -pulls.sum(0), rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("name", RESULTS)
def test_no_matrix_of_all_pairs_is_in_memory(name: str) -> None:
    n = 6_000  # 144 MB
    namespace = pairs.prepare(n, is_numpy=False)
    zc.trim()
    before = zc.memory().held_bytes
    exec(pairs.programs()[name], namespace)
    assert zc.memory().peak_bytes - before < 12e6
