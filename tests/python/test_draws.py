"""Loops that draw numbers, record what they make of them, and read it at the end: nothing of it is held for long."""

import resource
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import zerocast as zc
import zerocast.numpy as np

DRAWS = 6000


def total_of_means(np: Any, draw: Callable[[], Any]) -> list[Any]:
    total = 0.0
    for _ in range(DRAWS):
        total += draw().mean()
    return [total]


def list_of_means(np: Any, draw: Callable[[], Any]) -> list[Any]:
    return [draw().mean() for _ in range(DRAWS)]


def extremes(np: Any, draw: Callable[[], Any]) -> list[Any]:
    low, high = np.inf, -np.inf
    for _ in range(DRAWS):
        x = draw()
        low, high = np.minimum(low, x.min()), np.maximum(high, x.max())
    return [low, high]


def average(np: Any, draw: Callable[[], Any]) -> list[Any]:
    mean = draw()
    for _ in range(DRAWS):
        mean = 0.75 * mean + 0.25 * draw()
    return list(mean[:3])


def inside_the_circle(np: Any, draw: Callable[[], Any]) -> list[Any]:
    inside = 0
    for _ in range(DRAWS):
        inside = inside + np.count_nonzero(draw() ** 2 + draw() ** 2 < 1)
    return [inside]


PROGRAMS = [total_of_means, list_of_means, extremes, average, inside_the_circle]


@pytest.mark.parametrize("size", [8, 3000])
@pytest.mark.parametrize("program", PROGRAMS)
def test_draws_are_not_held(program: Callable[..., list[Any]], size: int) -> None:
    ours, theirs = np.random.default_rng(7), numpy.random.default_rng(7)
    before, resident = zc.memory(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made = program(np, lambda: ours.random(size))
    after = zc.memory()
    lists = DRAWS if program is list_of_means else 0
    assert after.nodes - before.nodes < 15_000 + lists
    assert after.header_bytes - before.header_bytes < (6 << 20) + 1000 * lists
    if resident > 0 and size > 1000:  # kilobytes of 70,000 that would be held
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident < 40_000
    wanted = program(numpy, lambda: theirs.random(size))
    numpy.testing.assert_allclose([float(x) for x in made], wanted, rtol=1e-12)


def test_what_cannot_be_computed_is_refused_where_it_is_read() -> None:
    """Nothing of it is raised by the calls in between."""
    sums = []
    for _ in range(300):
        x = np.asarray(numpy.arange(20_000.0))
        sums.append(np.sum(np.take(x, np.asarray([20_000]))))
    for s in (sums[0], sums[-1]):
        with pytest.raises(IndexError):
            float(s)


def test_recompute_keeps_everything_recorded() -> None:
    with zc.config(recompute=True):
        before = zc.memory().nodes
        total = np.zeros(())
        for _ in range(300):
            total = total + np.sum(np.asarray(numpy.ones(9000)))
        assert zc.memory().nodes - before > 600
        assert float(total) == 300 * 9000
