"""Subscripts against NumPy's, at random, and by hand where they are refused."""

import importlib
import random

import numpy as np
import pytest

import zerocast as zc


def bound(r, n):
    return r.choice([None, r.randint(-n - 2, n + 2)])


def a_slice(r, n):
    return slice(bound(r, n), bound(r, n), r.choice([None, 1, 2, 3, -1, -2]))


def basic_key(r, shape):
    key = []
    for n in shape[: r.randint(0, len(shape))]:
        key.append(r.randrange(-n, n) if n and r.random() < 0.4 else a_slice(r, n))
        if r.random() < 0.2:
            key.append(None)
    if r.random() < 0.3:
        key.insert(r.randint(0, len(key)), Ellipsis)
        taken = sum(1 for k in key if k is not None and k is not Ellipsis)
        at = key.index(Ellipsis)
        behind = [k for k in key[at + 1 :] if k is not None]
        sizes = iter(shape[len(shape) - len(behind) :])
        key[at + 1 :] = [None if k is None else a_slice(r, next(sizes)) for k in key[at + 1 :]]
        assert taken <= len(shape)
    return tuple(key)


def advanced_key(r, shape):
    """Slices, integers, and arrays of positions that broadcast with each other."""
    meeting = [r.randint(1, 3) for _ in range(r.randint(1, 2))]
    key = []
    for n in shape:
        kind = r.random()
        if kind < 0.5:
            sizes = [m if r.random() < 0.7 else 1 for m in meeting[r.randint(0, len(meeting) - 1) :]]
            key.append(np.array([r.randrange(-n, n) for _ in range(int(np.prod(sizes)))]).reshape(sizes))
        elif kind < 0.65:
            key.append(r.randrange(-n, n))
        else:
            key.append(a_slice(r, n))
    return tuple(key)


def check(a, key):
    ours = tuple(zc.asarray(k) if isinstance(k, np.ndarray) else k for k in key)
    got = np.asarray(zc.asarray(a)[ours])
    np.testing.assert_array_equal(got, a[key], err_msg=str(key))


@pytest.mark.parametrize("make", [basic_key, advanced_key])
def test_random_keys(make):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    r = random.Random(seed)
    for _ in range(400):
        shape = tuple(r.randint(1, 4) for _ in range(r.randint(1, 4)))
        check(np.arange(int(np.prod(shape))).reshape(shape), make(r, shape))


@pytest.mark.parametrize("make", [basic_key, advanced_key])
def test_setting_at_random_keys(make):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    r = random.Random(seed)
    for _ in range(300):
        shape = tuple(r.randint(1, 4) for _ in range(r.randint(1, 4)))
        a = np.arange(int(np.prod(shape))).reshape(shape)
        key = make(r, shape)
        ours = tuple(zc.asarray(k) if isinstance(k, np.ndarray) else k for k in key)
        x = zc.asarray(a.copy())
        view, lazy = x[...], x * 2
        value = r.choice([-7, np.arange(a[key].size).reshape(a[key].shape) + 100, np.array(-3)])
        x[ours] = zc.asarray(value) if isinstance(value, np.ndarray) else value
        np.testing.assert_array_equal(np.asarray(lazy), a * 2)
        a[key] = value
        np.testing.assert_array_equal(np.asarray(view), a)
        np.testing.assert_array_equal(np.asarray(x), a, err_msg=str(key))


def test_views_at_random_keys():
    """Integers, slices with bounds and steps beyond every axis, None, ... and arrays among them, as NumPy reads them."""
    rng = random.Random(20261124)
    a = np.arange(120).reshape(2, 3, 4, 5)
    x = zc.asarray(a)
    bounds = (None, 0, 1, -1, 3, -3, 9, -9, 2**63 - 1, -(2**63), 2**70, -(2**70))
    steps = (None, 1, 2, -1, -2, 2**70, -(2**70))
    for _ in range(4000):
        key = []
        for _ in range(rng.randint(0, 5)):
            kind = rng.random()
            if kind < 0.3:
                key.append(rng.randint(-3, 2))
            elif kind < 0.8:
                key.append(slice(rng.choice(bounds), rng.choice(bounds), rng.choice(steps)))
            else:
                key.append(rng.choice((None, None, Ellipsis, [0, 1])))
        try:
            wanted = a[tuple(key)]
        except IndexError:
            with pytest.raises(IndexError):
                np.asarray(x[tuple(key)])
            continue
        got = np.asarray(x[tuple(key)])
        assert got.shape == wanted.shape and np.array_equal(got, wanted), key


class Bound:
    """A bound of a slice that raises once."""

    def __init__(self, error):
        self.error = error

    def __index__(self):
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return 1


def test_numbers_in_order():
    """Keys as numpy.arange() makes them are views of what is computed; the results are copies all the same."""
    draw = random.Random(7)
    for _ in range(300):
        shape = tuple(draw.randrange(2, 7) for _ in range(draw.randrange(1, 4)))
        a = np.arange(float(np.prod(shape))).reshape(shape)
        x = zc.asarray(a) + 1
        a = a + 1
        count = draw.randrange(2, 1 + min(shape))
        least = min(shape)
        keys = [np.arange(count), np.arange(least - count, least), np.array([draw.randrange(least) for _ in range(count)])]
        key = tuple(draw.choice(keys) for _ in range(draw.randrange(1, 1 + len(shape))))
        got, wanted = x[key], a[key]
        np.testing.assert_array_equal(got, wanted)
        got[0] = -1
        x[key] = 5
        a[key] = 5
        np.testing.assert_array_equal(x, a)
        np.testing.assert_array_equal(got[1:], wanted[1:])


def test_numbers_in_order_that_are_none():
    x = zc.arange(300.0) * 2
    for key in (
        np.array([250, 255, 4], np.uint8),
        np.array([3, 2, 1]),
        np.array([-2, -1]),
        np.array([4, 4, 4]),
        np.array([0, 1, 2, 5]),
        np.array([7]),
        np.array([], int),
    ):
        np.testing.assert_array_equal(x[key], np.arange(0, 600, 2.0)[key])
    with pytest.raises(IndexError):
        x[np.arange(299, 302)].tolist()


def test_what_bounds_of_slices_raise():
    x = zc.asarray(np.arange(12.0).reshape(3, 4))
    for error in (KeyboardInterrupt, MemoryError, ZeroDivisionError):
        with pytest.raises(error):
            x[Bound(error()) :, None]
    for bound in ("a", 1.5):
        for key in (slice(bound), (slice(None, None, bound), 0), (0, slice(bound, None))):
            with pytest.raises(TypeError):
                x[key]


def test_setting():
    a = np.arange(12.0).reshape(3, 4)
    x = zc.asarray(a.copy())
    for key, value in ((a > 5, 0), (a[:, 1] == 1, [9, 8, 7, 6]), (slice(None), np.float32(3)), ((0, 1), 2.5), (Ellipsis, 1)):
        x[key] = value
        a[key] = value
        np.testing.assert_array_equal(np.asarray(x), a)
    y = zc.zeros(4, dtype=zc.int8)
    y[1:3] = zc.asarray([300, 5])
    y[3] += 7
    assert y.tolist() == [0, 44, 5, 7] and y.dtype is zc.int8
    for key, value, error in (
        (0, float("nan"), ValueError),
        (0, 300, OverflowError),
        (0, 1j, TypeError),
        (9, 1, IndexError),
        (slice(0, 2), [1, 2, 3], ValueError),
        (0, "text", ValueError),
    ):
        with pytest.raises(error):
            y[key] = value
    assert y.tolist() == [0, 44, 5, 7]


def test_masks():
    a = np.arange(24).reshape(2, 3, 4)
    x = zc.asarray(a)
    for mask in (a > 5, a[:, :, 0] > 3, np.array([True, False]), a > 99):
        np.testing.assert_array_equal(np.asarray(x[zc.asarray(mask)]), a[mask])
        np.testing.assert_array_equal(np.asarray(x[mask]), a[mask])
    np.testing.assert_array_equal(np.asarray(x[:, a[0] > 3]), a[:, a[0] > 3])
    np.testing.assert_array_equal(np.asarray(x[True]), a[True])
    np.testing.assert_array_equal(np.asarray(x[[1, 0]]), a[[1, 0]])
    assert x[x > 5].tolist() == a[a > 5].tolist()


@pytest.mark.parametrize(
    "key", [3, -4, (0, 4), (0, 0, 0), 1.0, "a", (Ellipsis, Ellipsis), np.array([1.5]), np.zeros((2, 2), bool)]
)
def test_refusals(key):
    with pytest.raises(IndexError):
        zc.asarray(np.zeros((3, 4)))[key]


def test_positions_outside_are_refused_when_they_are_read():
    x = zc.asarray(np.arange(12).reshape(3, 4))
    for key in (
        (zc.asarray([0, 3]), zc.asarray([0, 0])),
        (zc.asarray([0, 0]), zc.asarray([0, -5])),
        (zc.asarray([5]),),
    ):
        taken = x[key]
        with pytest.raises(IndexError):
            taken.materialize()


def test_a_part_of_what_is_lazy_is_computed_alone():
    x = zc.broadcast_to(zc.arange(10**6), (10**6, 10**6)) * 2
    assert x[5, 7].item() == 14 and x[-1, -1].item() == 2 * 10**6 - 2
    assert [int(v) for v in x[3, 4:7]] == [8, 10, 12]


def test_walking():
    x = zc.asarray([[1, 2], [3, 4]])
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]] and len(x) == 2 and 3 in x and 5 not in x
    for wrong in (len, iter):
        with pytest.raises(TypeError):
            wrong(zc.asarray(1))


class Numbered:
    """An integer by __index__ alone, which counts how often it is asked."""

    def __init__(self, number: int) -> None:
        self.number, self.asked = number, 0

    def __index__(self) -> int:
        self.asked += 1
        return self.number


@pytest.mark.parametrize(
    "key",
    [
        np.int64(1),
        (np.int32(1), np.uint8(2)),
        (np.int8(-1), slice(None)),
        (np.int64(1), None),
        (..., np.int16(2)),
        np.array(1),
        np.array([1]),
        np.bool_(True),
        (slice(None), np.bool_(False)),
        np.int64(7),
    ],
)
def test_numpy_integers_are_keys(key: object) -> None:
    theirs = np.arange(12.0).reshape(3, 4)
    ours = zc.asarray(theirs, copy=True)
    if key == 7:
        with pytest.raises(IndexError):
            ours[key]
        with pytest.raises(IndexError):
            ours[key] = 1
        return
    np.testing.assert_array_equal(np.asarray(ours[key]), theirs[key])
    ours[key], theirs[key] = -1.0, -1.0
    np.testing.assert_array_equal(np.asarray(ours), theirs)


def test_an_index_is_asked_once() -> None:
    x, i, j = zc.asarray([[1.0, 2.0], [3.0, 4.0]]), Numbered(1), Numbered(-2)
    assert float(x[i, j]) == 3.0
    assert (i.asked, j.asked) == (1, 1)
    x[i, j] = 5.0
    assert (i.asked, j.asked) == (2, 2)
    assert np.asarray(x).tolist() == [[1.0, 2.0], [5.0, 4.0]]


def test_an_index_may_raise() -> None:
    class Interrupted:
        def __index__(self) -> int:
            raise KeyboardInterrupt

    x = zc.asarray([1.0, 2.0])
    with pytest.raises(KeyboardInterrupt):
        x[Interrupted()]
    with pytest.raises(KeyboardInterrupt):
        x[Interrupted()] = 1.0


def test_lists_of_rows_read_and_write_as_numpys():
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    for _ in range(400):
        shape = tuple(rng.integers(1, 6, rng.integers(1, 4)))
        a = rng.integers(0, 99, shape).astype(rng.choice(["int64", "float64", "int8", "complex128"]))
        x = zc.asarray(a.copy())
        seen, theirs = x[::-1], a[::-1]
        n = shape[0]
        count = int(rng.choice([1, 2, 7, 600]))
        key = rng.integers(-n, n, count).tolist()
        which = int(rng.integers(0, 4))
        ours = zc.asarray(np.array(key)) if which == 0 else key
        theirs_key = np.array(key) if which == 0 else key
        assert np.array_equal(np.asarray(x[ours]), a[theirs_key]) and x[ours].dtype == str(a.dtype)
        value = int(rng.integers(0, 50)) if which < 2 else a[key] + 1 if which == 2 else a[key[-1]].copy()
        x[ours] = zc.asarray(value) if which == 3 else value
        a[theirs_key] = value
        seen[[0, -1]] = seen[[-1, 0]]
        theirs[[0, -1]] = theirs[[-1, 0]]
        assert np.array_equal(np.asarray(x), a), (shape, key)


def test_lists_that_are_no_rows():
    a = np.arange(12.0).reshape(3, 4)
    x = zc.asarray(a.copy())
    for key in ([True, False, True], [np.int64(1), 2], [-1, True], [[0, 1], [1, 2]], []):
        assert np.array_equal(np.asarray(x[key]), a[key]), key
        x[key] = 7
        a[key] = 7
        assert np.array_equal(np.asarray(x), a), key
    for key in ([3], [-4, 0], [2**70], [0.5], ["a"]):
        with pytest.raises((IndexError, TypeError)):
            x[key]
        with pytest.raises((IndexError, TypeError)):
            x[key] = 1
        assert np.array_equal(np.asarray(x), a), key
    with pytest.raises(IndexError, match="99 is out of bounds for axis 0 of size 3"):
        zc.zeros((3, 0))[[1, 99]]
    with pytest.raises(IndexError):
        zc.asarray(1.0)[[0]]
    with pytest.raises(ValueError, match="read-only"):
        zc.broadcast_to(zc.arange(3), (2, 3))[[0]] = 1
    positions = zc.asarray([2, 0, 1])
    positions[positions] = positions
    expected = np.array([2, 0, 1])
    expected[expected] = expected.copy()
    assert positions.tolist() == expected.tolist()
    z = zc.asarray(np.arange(4) + 1j)
    z.real[[1, 3]] = 9
    assert np.asarray(z).tolist() == [1j, 9 + 1j, 2 + 1j, 9 + 1j]


def test_gradients_pass_through_listed_rows():
    x = zc.variable(zc.asarray(np.arange(4.0)))
    y = zc.zeros(3)
    y[[0, 2]] = x[[3, 3]] * 2
    assert np.asarray(zc.grad(zc.sum(y * y), x)).tolist() == [0, 0, 0, 8 * 6]


def test_texts_are_read_as_numbers_and_are_no_keys():
    for dtype, text in (("float64", "3.5"), ("int32", "-7"), ("complex128", "1+2j"), ("float32", b"1e3")):
        x, a = zc.zeros(3, dtype=dtype), np.zeros(3, dtype)
        x[1], a[1] = text, text
        assert x.tolist() == a.tolist()
    with pytest.raises(ValueError, match="three"):
        zc.zeros(3)[0] = "three"
    for key in ("a", np.array(["a"])):
        with pytest.raises(IndexError):
            zc.zeros(3)[key]


def test_none_is_no_element():
    for a in (np.arange(3.0), np.zeros((0, 2)), np.array(1)):
        x = zc.asarray(a)
        assert np.array_equal(np.asarray(x == None), a == None)  # noqa: E711
        assert np.array_equal(np.asarray(x != None), a != None)  # noqa: E711
        assert None not in x if x.ndim else True
    assert "a" not in zc.arange(3) and 2 in zc.arange(3)


@pytest.mark.parametrize("library", ["zerocast", "zerocast.numpy"])
def test_keys_that_were_computed_or_are_numpys(library):
    xp = importlib.import_module(library)
    order = xp.asarray(np.array([2, 0, 3, 1]))
    a = np.arange(12.0).reshape(4, 3)
    for key in (np.int64(2), np.uint8(1)):
        x, b = xp.asarray(a.copy()), a.copy()
        i, j = order[0], xp.sum(order) - 5  # 2 and 1
        assert float(x[i, key]) == a[2, key] and np.array_equal(np.asarray(x[[i, j, key]]), a[[2, 1, key]])
        x[i] += 1
        x[[j, key]] = x[[key, i]]
        b[2] += 1
        b[[1, key]] = b[[key, 2]]
        x[i, j] = x[key, j] * 2
        b[2, 1] = b[key, 1] * 2
        assert np.array_equal(np.asarray(x), b)
        with pytest.raises(IndexError):
            x[[xp.sum(order)]]
        with pytest.raises(IndexError):
            x[xp.sum(order)]
        with pytest.raises((IndexError, TypeError)):
            x[xp.mean(order)]
    assert np.asarray(x[order[order > 2]]).shape == (1, 3)
    assert np.asarray(x[xp.asarray(np.array(1))]).shape == (3,)
    assert np.asarray(x[[xp.asarray(np.array(1)), 0]]).shape == (2, 3)
    assert np.asarray(x[xp.any(x > 0)]).shape == (1, 4, 3)


@pytest.mark.parametrize(
    "numbers", [(5,), (0,), (-3,), (2, 5), (5, 2), (-2, 2), (2**63 - 2, 2**63 - 1), (2**63, 2**63 + 2), (0, 5, 1.0)]
)
def test_ranges_have_numpys_dtypes(numbers):
    import zerocast.numpy as xp

    a = np.arange(*numbers)
    assert xp.arange(*numbers).dtype == a.dtype and np.array_equal(np.asarray(xp.arange(*numbers)), a)


def test_gradients_pass_to_the_step_of_a_range():
    step = zc.asarray(1.0)
    assert float(zc.grad(zc.sum(zc.arange(0, 5, step)), step)) == 10
    assert zc.arange(0, 5, 1.0).dtype is zc.float64
