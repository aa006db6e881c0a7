"""Masks as keys: their positions are found once, for as long as they are what the mask says."""

import random
import threading

import numpy as np
import pytest

import zerocast as zc

SEED = 2024


def held():
    return zc.memory().held_bytes


def made(a):
    """An array of its own memory, which counts."""
    return zc.asarray(a, copy=True)


def test_one_mask_is_looked_at_once():
    a, b = np.arange(1000.0), np.arange(1000.0) + 5
    x, y, m = made(a), made(b), made(a % 3 == 0)
    first = x[m]
    before = held()
    second, third = y[m], x[m] * 2
    assert held() == before  # the positions are those of the first
    np.testing.assert_array_equal(first, a[a % 3 == 0])
    np.testing.assert_array_equal(second, b[a % 3 == 0])
    np.testing.assert_array_equal(third, a[a % 3 == 0] * 2)


def test_what_is_remembered_goes_with_its_mask_and_makes_room_for_the_next():
    x = made(np.arange(1000.0))
    m, n = made(np.ones(1000, dtype=bool)), made(np.ones(1000, dtype=bool))
    before = held()
    x[m]
    assert held() == before + 8000
    x[n]
    assert held() == before + 8000
    del n
    assert held() == before - 1000  # the mask's own bytes, too
    x[m]
    m[0] = False
    x[m]
    assert held() <= before + 8000


def test_the_positions_of_a_large_mask_are_not_kept():
    m = zc.broadcast_to(True, (9_000_000,))
    x = zc.arange(9_000_000)
    before = held()
    assert x[m].size == 9_000_000
    assert held() == before


def writes(r, base, mask):
    """A write to some of the elements that the mask may show, by one of its names."""
    i, j, value = r.randrange(base.shape[0]), r.randrange(base.shape[1]), r.random() < 0.5
    return r.choice(
        [
            lambda xp, base, mask: base.__setitem__((i, j), value),
            lambda xp, base, mask: base[i].__setitem__(slice(None, None, 2), value),
            lambda xp, base, mask: base.T.__setitem__(j, value),
            lambda xp, base, mask: mask.__setitem__(..., ~mask),
            lambda xp, base, mask: mask.__ior__(xp.roll(mask, 1)),
            lambda xp, base, mask: base.reshape(-1).__setitem__(slice(i, i + j), value),
            lambda xp, base, mask: mask.__setitem__(mask, False),
            lambda xp, base, mask: None,
        ]
    )


def test_random_writes_to_masks_and_through_views_of_them():
    r = random.Random(SEED)
    rng = np.random.default_rng(SEED)
    views = [
        lambda b: b,
        lambda b: b[1:],
        lambda b: b[:, ::2],
        lambda b: b.T,
        lambda b: b[::-1],
        lambda b: b[0],
        lambda b: b.reshape(-1),
    ]
    for program in range(60):
        shape = r.randint(2, 5), r.randint(2, 5)
        theirs = rng.random(shape) < 0.5
        ours = made(theirs)
        pairs = [(view(ours), view(theirs)) for view in r.sample(views, 3)]
        for step in range(12):
            mask, of = r.choice(pairs)
            write = writes(r, theirs, of)
            write(zc, ours, mask)
            write(np, theirs, of)
            values = rng.random(of.shape)
            x, a = made(values), values.copy()
            where = f"seed {SEED}, program {program}, step {step}"
            np.testing.assert_array_equal(np.asarray(x[mask]), a[of], where)
            x[mask] = x[mask] * 2 + 1
            a[of] = a[of] * 2 + 1
            x[mask] += np.arange(of.sum())
            a[of] += np.arange(of.sum())
            np.testing.assert_array_equal(np.asarray(x), a, where)


def test_another_shape_of_a_mask():
    a = np.arange(6.0).reshape(2, 3)
    x, m = made(a), made(a > 2)
    np.testing.assert_array_equal(x[m], a[a > 2])
    m.shape = 6
    np.testing.assert_array_equal(x.reshape(-1)[m], a[a > 2])
    m.shape = 3, 2
    np.testing.assert_array_equal(x.reshape(3, 2)[m], a[a > 2])


def test_a_mask_of_another_threads_and_of_other_settings():
    a = np.arange(5000.0)
    m = made(a % 7 == 0)
    with zc.config(threads=1):
        first = made(a)[m].materialize()
    found = []

    def take():
        for _ in range(50):
            found.append(np.asarray(made(a)[m]))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in [np.asarray(first), *found]:
        np.testing.assert_array_equal(one, a[a % 7 == 0])
    assert len(found) == 200


def outcome(x, mask, value, step):
    """What x[mask] gives, and x after a step with it; or the error's name."""
    try:
        found = np.asarray(x[mask]).copy()
        if step == 0:
            x[mask] = value
        elif step == 1:
            x[mask] += 1
        elif step == 2:
            x[mask] = x[mask][::-1]
        else:
            x[mask][...] = 0
        return found, np.asarray(x).copy()
    except (IndexError, ValueError) as error:
        return type(error).__name__


def random_mask(draws, shape):
    """A mask over some of the first axes, or one that fits none."""
    axes = int(draws.integers(0, len(shape) + 2))
    extents = [*shape[:axes], *[2] * (axes - len(shape))]
    if extents and draws.random() < 0.2:
        extents[int(draws.integers(len(extents)))] += 1
    return draws.random(extents) < draws.choice([0, 0.3, 0.8, 1])


@pytest.mark.filterwarnings("ignore")  # of writes that reach nobody
def test_masks_over_the_first_axes_are_numpys():
    equal = refused = 0
    for seed in range(1500):
        draws = np.random.default_rng(seed)
        shape = tuple(int(n) for n in draws.integers(0, 5, int(draws.integers(1, 4))))
        array = (9 * draws.standard_normal(shape)).astype(draws.choice(["f8", "i4", "c16"]))
        mask, step = random_mask(draws, shape), int(draws.integers(4))
        value = draws.standard_normal(int(draws.integers(1, 4))) if draws.random() < 0.7 else 2
        ours = zc.asarray(array.copy())
        wanted = outcome(array, mask, value, step)
        given = zc.asarray(value) if draws.random() < 0.7 and step == 0 and not isinstance(value, int) else value
        found = outcome(ours, zc.asarray(mask), given, step)
        assert isinstance(found, str) == isinstance(wanted, str), f"seed {seed}: {found}, {wanted}"
        refused += isinstance(found, str)
        if isinstance(found, str):
            assert found == wanted, f"seed {seed}"
            continue
        equal += 1
        for ours_now, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(ours_now, theirs, err_msg=f"seed {seed}")
    assert equal > 800 and refused > 100, f"{equal} equal, {refused} refused"
