"""Gradients through arrays that are written to: by a plain array they are those by a variable(), or are refused.

Programs are random: arrays with names, rows, elements and lists of rows that are written, made of each other, of what
is read in between and of what nobody reads. A run whose arrays are all variables records everything. Each test has a thread
of its own, whose arrays no other test has shared: those that were shared are copied when they are written to.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import zerocast as zc

PROGRAMS = 400


class Program:
    """Arrays that are worked on, and all that ever had a name, by which gradients are asked for."""

    def __init__(self, seed, wrap):
        self.random = np.random.default_rng(seed)
        self.wrap = wrap
        columns = int(self.random.choice([3, 8, 40, 300]))
        self.named = [wrap(zc.asarray(self.random.standard_normal((4, columns)))) for _ in range(2)]
        self.work = [a + 0.0 for a in self.named] + [zc.zeros((4, columns))]

    def name(self, value, is_read=False):
        value = self.wrap(value)
        self.named.append(value)
        if is_read:
            float(zc.sum(value))
        return value

    def step(self):
        random, kind = self.random, int(self.random.integers(9))
        i, j = (int(v) for v in random.integers(0, 4, 2))
        factor, is_read = float(random.standard_normal()), bool(random.random() < 0.5)
        at = int(random.integers(len(self.work)))
        a, b = self.work[at], self.work[int(random.integers(len(self.work)))]
        if kind == 0:
            float(zc.sum(a))
        elif kind == 1:
            a[i] = b[j] * factor
        elif kind == 2:
            a[i] = self.name(b[j] * factor + a[i], is_read)
        elif kind == 3:
            a[i, 1:] = a[j, :-1] * factor + b[i, 1:]
        elif kind == 4:
            self.work[at] = self.name(a * b, is_read)
        elif kind == 5:
            a[j, 2] = self.name(a[i, 0] * b[j, 1], is_read)
        elif kind == 6:
            a[[i, j]] = b[[j, i]] * factor
        elif kind == 7:
            named = self.named[int(random.integers(len(self.named)))]
            a[:2] = named[:2, :1] if named.ndim == 2 else named
        else:
            a += b * factor

    def gradients(self):
        loss = sum(zc.sum(a * a) for a in self.work)
        return float(loss), [gradient_or_none(loss, named) for named in self.named]


def gradient_or_none(loss, by):
    try:
        return np.asarray(zc.grad(loss, by))
    except ValueError as error:
        assert "variable()" in str(error)
        return None


def run(seed, wrap):
    program = Program(seed, wrap)
    for _ in range(int(program.random.integers(3, 14))):
        program.step()
    return program.gradients()


def in_own_thread(test):
    def run_test():
        with ThreadPoolExecutor(1) as threads:
            threads.submit(test).result()

    return run_test


@in_own_thread
def test_gradients_are_those_by_variables_or_refused():
    given = refused = 0
    for seed in range(PROGRAMS):
        loss, found = run(seed, lambda array: array)
        wanted_loss, wanted = run(seed, zc.variable)
        assert loss == wanted_loss, f"program {seed}"
        for number, (gradient, right) in enumerate(zip(found, wanted, strict=True)):
            assert right is not None, f"program {seed}: the gradient by variable {number} is refused"
            if gradient is not None:
                np.testing.assert_allclose(gradient, right, 1e-9, 1e-12, err_msg=f"program {seed}, {number}")
            given += gradient is not None
            refused += gradient is None
    assert given > 5 * refused > 100, f"{given} given, {refused} refused"


@in_own_thread
def test_an_array_that_was_written_names_the_way_out():
    w, history = zc.asarray([1.0, 2.0, 3.0]), zc.zeros((4, 3))
    history[0] = 5.0
    assert float(zc.sum(history)) == 15.0  # now it is in memory
    history[1] = w * 2
    with pytest.raises(ValueError, match=r"wrote to them; make x by variable\(\)"):
        zc.grad(zc.sum(history), w)
    np.testing.assert_array_equal(np.asarray(zc.grad(zc.sum(w * w), w)), [2, 4, 6])  # what was not written keeps it
    v, again = zc.variable(w), zc.zeros((4, 3))
    again[1] = v * 2
    np.testing.assert_array_equal(np.asarray(zc.grad(zc.sum(again), v)), [2, 2, 2])


def in_memory():
    """Elements that were computed and written to, which a write goes to at once."""
    b = zc.asarray([0.0, 0.0, 0.0, 1.0]) * 2.0
    b.materialize()
    b[3] = 2.0
    return b


@in_own_thread
def test_gradients_by_what_was_computed_and_written_are_refused():
    u, b, c = in_memory(), in_memory(), in_memory()
    same = u.materialize()
    b[[0, 1]] = u[[1, 0]]  # by its places
    c[0:2] = same[1:3]  # from another array of the same memory
    for made in (b, c, (same * 3.0).materialize()):
        assert gradient_or_none(zc.sum(made * made), u) is None
