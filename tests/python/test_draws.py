"""Loops that draw numbers, record what they make of them, and read it at the end: nothing of it is held for long."""

import resource
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import zerocast as zc
import zerocast.numpy as np


def total_of_means(np: Any, draw: Callable[[], Any], draws: int) -> list[Any]:
    total = 0.0
    for _ in range(draws):
        total += draw().mean()
    return [total]


def list_of_means(np: Any, draw: Callable[[], Any], draws: int) -> list[Any]:
    return [draw().mean() for _ in range(draws)]


def extremes(np: Any, draw: Callable[[], Any], draws: int) -> list[Any]:
    low, high = np.inf, -np.inf
    for _ in range(draws):
        x = draw()
        low, high = np.minimum(low, x.min()), np.maximum(high, x.max())
    return [low, high]


def average(np: Any, draw: Callable[[], Any], draws: int) -> list[Any]:
    mean = draw()
    for _ in range(draws):
        mean = 0.75 * mean + 0.25 * draw()
    return list(mean[:3])


def inside_the_circle(np: Any, draw: Callable[[], Any], draws: int) -> list[Any]:
    inside = 0
    for _ in range(draws):
        inside = inside + np.count_nonzero(draw() ** 2 + draw() ** 2 < 1)
    return [inside]


PROGRAMS = [total_of_means, list_of_means, extremes, average, inside_the_circle]


@pytest.mark.parametrize(("size", "draws"), [(8, 30_000), (3000, 4000)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_draws_are_not_held(program: Callable[..., list[Any]], size: int, draws: int) -> None:
    ours, theirs = np.random.default_rng(7), numpy.random.default_rng(7)
    before, resident = zc.memory(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made = program(np, lambda: ours.random(size), draws)
    after = zc.memory()
    kept = draws if program is list_of_means else 0
    assert after.nodes - before.nodes < 50_000 + kept
    assert after.header_bytes - before.header_bytes < (40 << 20) + 1000 * kept
    if resident > 0 and size > 1000:  # kilobytes, of 94,000 that would be held
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident < 60_000
    wanted = program(numpy, lambda: theirs.random(size), draws)
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


def test_what_fails_does_not_keep_the_rest() -> None:
    """Of 400 draws some are taken from at a place that they have not."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sums, bad = [], []
    for i in range(400):
        x = np.asarray(numpy.ones(100_000))
        sums.append(x.sum())
        if i % 50 == 0:
            bad.append(np.take(x, np.asarray([10**6]) + 0).sum())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120_000  # of 320,000
    assert {float(s) for s in sums} == {100_000.0}
    for s in bad:
        with pytest.raises(IndexError):
            float(s)


def test_gradients_pass_through_what_holds_little() -> None:
    x = zc.asarray(numpy.linspace(0, 1, 100))

    def chain(steps: int) -> Any:
        y = x
        for _ in range(steps):
            y = y * 1.001 + 0.001
        return y

    assert float(zc.grad(zc.sum(chain(4000)), x)[0]) == pytest.approx(1.001**4000)
    first, second = zc.sum(chain(1500)), zc.sum(chain(1500))
    assert float(first) == float(second)
    assert float(zc.grad(first, x)[0]) == pytest.approx(1.001**1500)
    total, factors = zc.zeros(()), 0.0
    for i in range(300):
        draw = numpy.full(100, i / 300)
        total, factors = total + zc.mean(x * zc.asarray(draw)), factors + i / 300
    assert float(zc.grad(total, x)[0]) == pytest.approx(factors / 100)


def test_programs_that_end_within_a_call_may_change_settings() -> None:
    """What is pending fails, and the exception sets the collector off, whose victim uses arrays in a block."""

    class Ends:
        def __del__(self) -> None:
            with zc.config(threads=1):
                zc.ones(3).sum()

    sums = []
    for _ in range(60):
        x = np.asarray(numpy.ones(50_000))
        sums.append(np.take(x, np.asarray([10**6]) + 0).sum() + x.sum())
        cycle: list[Any] = [Ends()]
        cycle.append(cycle)
    with pytest.raises(IndexError):
        float(sums[0])
