"""Leave-one-out nearest neighbor over 1,797 handwritten digits: how many labels the nearest other image tells right."""

from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[1] / "data"
NAME = "nearest neighbors of 1,797 digits"
SMALL, LARGE = 200, 1797


def inputs(n):
    return np.load(DATA / "digits.npy")[:n].astype(np.float32), np.load(DATA / "digits_labels.npy")[:n]


def right(xp, images, labels):
    distances = xp.sum((images[:, None] - images) ** 2, axis=2)
    others = xp.where(xp.eye(len(labels), dtype=bool), float("inf"), distances)
    return xp.sum(labels[xp.argmin(others, axis=1)] == labels)


def by_zerocast(zc, images, labels):
    return zc.compute(right(zc, images, labels))


def by_numpy(np, images, labels):
    return (right(np, images, labels),)


def by_xla(jnp, images, labels):
    return (right(jnp, images, labels),)
