"""The programs of docs/pairs.md: values are NumPy's, and no matrix of all pairs is in memory."""

import numpy as np
import pytest

import pairs
import zerocast as zc

N = 2_000
RESULTS = {
    "nearest neighbors": ("index", "distance"),
    "ten nearest neighbors": ("squares",),
    "kernel density and regression": ("density", "smoothed"),
    "Sinkhorn": ("u", "v"),
    "Sinkhorn in one expression": ("f", "g"),
    "attention": ("out",),
    "contrastive loss": ("loss",),
    "nearest others": ("others",),
    "rows and pairs that are picked": ("best", "along"),
    "scores of a matrix of four blocks": ("scores",),
    "centered distances": ("spread", "norm"),
    "gradients of a loss over all pairs": ("by_x", "by_y"),
    "gradients of attention": ("by_q", "by_keys", "by_values"),
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


def test_gradients_of_attention_are_the_products_by_hand() -> None:
    got = pairs.run("gradients of attention", N)
    q, keys, values = (np.asarray(got[name], np.float64) for name in ("q", "keys", "values"))
    scores = q @ keys.T / 3.3
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    mean = weights @ values
    by_weights = 2 * mean @ values.T
    by_scores = weights * (by_weights - (by_weights * weights).sum(axis=1, keepdims=True)) / 3.3
    np.testing.assert_allclose(np.asarray(got["by_values"]), weights.T @ (2 * mean), rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(np.asarray(got["by_q"]), by_scores @ keys, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(np.asarray(got["by_keys"]), by_scores.T @ q, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", RESULTS)
def test_no_matrix_of_all_pairs_is_in_memory(name: str) -> None:
    n = 6_000  # 144 MB
    namespace = pairs.prepare(n, is_numpy=False)
    zc.trim()
    before = zc.memory().held_bytes
    exec(pairs.programs()[name], namespace)
    # Products that sum what a block has are made in blocks of 256 rows, which some temporaries have.
    most = 18e6 if name == "gradients of attention" else 12e6
    assert zc.memory().peak_bytes - before < most
