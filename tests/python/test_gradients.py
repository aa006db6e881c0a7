"""Gradients through what is computed at once, and at corners, beside finite differences."""

import numpy as np
import pytest

import zerocast as zc

VALUES = np.array([3.0, -1.5, 2.0, 3.25, 0.5, -4.0])


def differences(f, x, step=1e-6):
    """Central differences of the number f(x)."""
    gradient = np.empty_like(x)
    for at in np.ndindex(x.shape):
        high, low = x.copy(), x.copy()
        high[at] += step
        low[at] -= step
        gradient[at] = (float(f(zc.asarray(high))) - float(f(zc.asarray(low)))) / (2 * step)
    return gradient


WEIGHTS = zc.arange(6, dtype=zc.float64) + 1

THROUGH = {
    "sort": lambda x: zc.sum(zc.sort(x * x) * WEIGHTS),
    "sort descending": lambda x: zc.sum(zc.sort(x, descending=True) * WEIGHTS),
    "top_k": lambda x: zc.sum(zc.exp(zc.top_k(x, 3)[0]) * WEIGHTS[:3]),
    "median": lambda x: zc.median(x) * zc.sum(x),
    "quantile": lambda x: zc.sum(zc.quantile(x * x, [0.1, 0.5, 0.9]) * WEIGHTS[:3]),
    "nanmedian": lambda x: zc.nanmedian(zc.reshape(x, (2, 3)), axis=1)[0] * x[1],
    "unique": lambda x: zc.sum(zc.unique_values(x * x) * WEIGHTS),
    "materialize": lambda x: zc.sum(zc.exp(x).materialize() * WEIGHTS),
    "compute": lambda x: zc.sum(zc.multiply(*zc.compute(zc.sin(x), x * x))),
    "compact": lambda x: zc.sum(zc.broadcast_to(zc.exp(x), (4, 6)).compact() * WEIGHTS),
    "numpy.median": lambda x: np.median(x) * np.quantile(x, 0.3),
    "arange": lambda x: zc.sum(zc.exp(zc.arange(x[0], 10.0, x[3]) / 5) * WEIGHTS[:3]),
    "numpy.copyto": lambda x: written(np.copyto, x * x, where=WEIGHTS > 2),
    "numpy.putmask": lambda x: written(np.putmask, WEIGHTS > 2, zc.exp(x)),
    "numpy.place": lambda x: written(np.place, WEIGHTS > 2, zc.sin(x[:2])),
    "numpy.put_along_axis": lambda x: written(np.put_along_axis, np.array([4, 1]), x[:2] * x[1:3], axis=0),
    "numpy.fill_diagonal": lambda x: written(np.fill_diagonal, zc.exp(x[:2])),
    "an assignment": lambda x: zc.sum(assigned(zc.cos(x)) * WEIGHTS),
}


def written(function, *arguments, **keywords):
    """A number of what NumPy's function wrote into ones."""
    y = zc.ones((3, 6) if function is np.fill_diagonal else 6)
    function(y, *arguments, **keywords)
    return zc.sum(y * y * WEIGHTS)


def assigned(y):
    y[2:4] = zc.sort(y[:2])
    return y


@pytest.mark.parametrize("name", THROUGH)
def test_gradients_pass_what_computes_at_once(name):
    f = THROUGH[name]
    np.testing.assert_allclose(np.asarray(zc.grad(f)(zc.asarray(VALUES))), differences(f, VALUES), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in THROUGH if name in ("numpy.copyto", "numpy.putmask", "numpy.place")])
def test_gradients_of_arrays_pass_what_numpys_functions_write(name):
    x = zc.asarray(VALUES)
    found = np.asarray(zc.grad(THROUGH[name](x), x))
    np.testing.assert_allclose(found, differences(THROUGH[name], VALUES), rtol=1e-6, atol=1e-6)


def test_gradients_that_would_be_cut_are_refused():
    x = zc.asarray(VALUES)
    with pytest.raises(ValueError, match=r"variable\(\)"):
        zc.grad(zc.sum(zc.sort(x)), x)
    v = zc.variable(x)
    np.testing.assert_array_equal(np.asarray(zc.grad(zc.sum(zc.sort(v)), v)), np.ones(6))
    with pytest.raises(TypeError, match=r"stop_gradient\(\)"):
        zc.grad(lambda x: np.i0(x).sum())(x)
    held = zc.grad(lambda x: zc.sum(x * zc.asarray(np.i0(zc.stop_gradient(x)))))(x)
    np.testing.assert_array_equal(np.asarray(held), np.i0(VALUES))


def test_second_gradients():
    def loss(x):
        return zc.sum(zc.sort(x) ** 3 * WEIGHTS)

    found = zc.grad(lambda x: zc.sum(zc.grad(loss)(x) ** 2))(zc.asarray(VALUES))
    ranks = np.argsort(np.argsort(VALUES)) + 1.0
    np.testing.assert_allclose(np.asarray(found), 2 * (3 * ranks * VALUES**2) * (6 * ranks * VALUES))


CORNERS = [
    (lambda x: zc.vector_norm(x), [0.0, 0.0], [0, 0]),
    (lambda x: zc.sqrt(x @ x), [0.0, 0.0], [0, 0]),
    (lambda x: zc.std(x), [3.0, 3.0, 3.0], [0, 0, 0]),
    (lambda x: zc.sum(zc.sqrt(zc.sum((x[:, None] - x) ** 2, axis=-1))), [2.0, 2.0], [0, 0]),
    (lambda x: zc.where(x > 0, zc.sqrt(x), 0), [0.0, 4.0], [0, 0.25]),
    (lambda x: zc.where(x < 10, zc.exp(x), x), [1000.0, 0.0], [1, 1]),
    (lambda x: zc.max(zc.sqrt(x)), [0.0, 4.0], [0, 0.25]),
    (lambda x: zc.sqrt(x)[1], [0.0, 4.0], [0, 0.25]),
    (lambda x: zc.abs(x), [0.0, -1.0], [0, -1]),
]


@pytest.mark.parametrize("number", range(len(CORNERS)))
def test_corners_have_the_least_subgradient(number):
    f, x, wanted = CORNERS[number]
    np.testing.assert_allclose(np.asarray(zc.grad(f)(zc.asarray(x))), wanted)


def test_numbers_and_other_arrays_are_differentiated_by():
    assert float(zc.grad(lambda x: x * x)(1.0)) == 2
    np.testing.assert_array_equal(np.asarray(zc.grad(lambda x: zc.sum(x * x))(np.array([1.0, 2.0]))), [2, 4])
    np.testing.assert_array_equal(np.asarray(zc.grad(lambda x: zc.sum(x * x))(zc.ones(3))), [2, 2, 2])
    first, second = zc.grad(lambda x, y: x * y, argnums=(0, 1))(2.0, np.float64(5))
    assert (float(first), float(second)) == (5, 2)
    with pytest.raises(TypeError, match="floats have gradients"):
        zc.grad(lambda x: x * x)(1)
    with pytest.raises(TypeError, match="gradients are taken of an array, not of float"):
        zc.grad(lambda x: 1.0)(2.0)
    with pytest.raises(TypeError, match="an array or a function"):
        zc.grad(3.0, 1.0)
    a, b = zc.ones(3), zc.ones(3)
    with pytest.raises(TypeError, match=r"takes one array x; vjp\(y, \[a, b\]\) gives"):
        zc.grad(zc.sum(a * b), [a, b])


def test_steps_of_a_loop_hold_one_step():
    x = zc.asarray(np.linspace(-1, 1, 1000))
    held = []
    for _ in range(50):
        x = (x - 0.01 * zc.grad(lambda v: zc.sum(zc.sort(v * v) * v))(x)).materialize()
        held.append(zc.memory().nodes)
    assert held[-1] == held[5], held


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u1"])
def test_quantiles_are_numpys(dtype):
    rng = np.random.default_rng(7)
    for n in (1, 2, 5, 100, 2049):
        a = rng.integers(0, 100, (3, n)).astype(dtype)
        for q in (0, 0.25, 0.5, 1, [0.1, 0.9], [[0.3], [0.7]]):
            for axis in (None, 0, 1, (0, 1)):
                found = zc.quantile(zc.asarray(a), q, axis=axis, keepdims=True)
                wanted = np.quantile(a.astype("f8"), q, axis=axis, keepdims=True)
                assert found.shape == wanted.shape
                assert found.dtype == np.dtype(dtype if dtype[0] == "f" else "f8")
                np.testing.assert_allclose(np.asarray(found), wanted, rtol=2e-3 if dtype == "f2" else 1e-6)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2"])
def test_integers_are_sorted_as_such(dtype):
    a = np.random.default_rng(8).integers(0, 2, (100, 100)).astype(dtype)
    for function in (zc.median, zc.nanmedian):
        with zc.config(memory_limit=25_000 * a.itemsize):
            x = zc.asarray(a)
            assert float(function(x)) == np.median(a)
            np.testing.assert_array_equal(np.asarray(function(x, axis=1)), np.median(a, axis=1))


def test_quantiles_beyond_what_narrow_floats_count():
    assert float(zc.median(zc.asarray(np.linspace(0, 1, 70001).astype("f2")))) == 0.5
    x = np.zeros(2**24 + 2, "f4")
    x[2**23 + 1 :] = 1
    assert float(zc.median(zc.asarray(x))) == 0.5
    assert float(zc.median(zc.asarray([1.0, np.inf, np.inf]))) == np.inf
    assert float(zc.quantile(zc.asarray([-np.inf, -np.inf, 3.0, 4.0]), 0.0)) == -np.inf
    assert float(zc.quantile(zc.asarray([1.0, 2.0, np.inf, np.inf]), 1.0)) == np.inf
    for q in (-0.5, [-0.1, 0.5], 50, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            zc.quantile(zc.asarray([1.0, 2.0, 3.0]), q)


@pytest.mark.parametrize("way", ["recorded", "computed", "read"])
def test_gradients_through_compact_have_their_places(way: str) -> None:
    x = zc.variable(zc.broadcast_to(zc.asarray(3.0), (5, 2)) * 2.0)  # equal elements, each a variable
    if way == "computed":
        x.materialize()
    elif way == "read":
        float(zc.sum(x))
    weights = np.arange(10.0).reshape(5, 2)
    np.testing.assert_array_equal(zc.grad(zc.sum(x.compact() * zc.asarray(weights)), x), weights)
    rows = zc.broadcast_to(x[4:5], (5, 2)).compact()
    expected = np.zeros((5, 2))
    expected[4] = 5
    np.testing.assert_array_equal(zc.grad(zc.sum(rows), x), expected)
    column = zc.broadcast_to(x[:, 1:], (5, 2)).compact()
    expected = np.zeros((5, 2))
    expected[:, 1] = [1, 5, 9, 13, 17]
    np.testing.assert_array_equal(zc.grad(zc.sum(column * zc.asarray(weights)), x), expected)
