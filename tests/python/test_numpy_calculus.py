"""NumPy's differences, products, polynomials, ranges and interpolation of our arrays beside NumPy."""

import warnings

import numpy as np
import pytest

import zerocast as zc
from numpy_pairs import DTYPES, calls, check_table, compare, inputs

RECORDED = """
np.ptp(v)   np.ptp(a, axis=1)   np.ptp(a, (0, 1), keepdims=True)   np.ptp(a, 2)   np.ptp(e)   np.ediff1d(v)   np.ediff1d(a)   np.ediff1d(v, to_end=[1, 2], to_begin=0)   np.ediff1d(e)   np.ediff1d(e, 1)
np.ediff1d(v, 1j)   np.gradient(v)   np.gradient(a)   np.gradient(a, axis=1)   np.gradient(a, 2.0, axis=0)   np.gradient(v, edge_order=2)   np.gradient(a, 2, 0.5)   np.gradient(v, [0, 1, 2, 3, 4])
np.gradient(v, [0, 1, 3, 3.5, 7])   np.gradient(v, np.array([0, 1, 3, 3.5, 7]), edge_order=2)   np.gradient(a, [0, 1, 3], [1, 2, 4, 8], edge_order=2)   np.gradient(a, axis=(1, 0))   np.gradient(a, axis=(1, 1))
np.gradient(v, edge_order=3)   np.gradient(v[:1])   np.gradient(v, [0, 1])   np.gradient(a, 1, 2, 3)   np.gradient(a, [0, 1, 2])   np.gradient(v, np.float32(0.25))   np.gradient(t, axis=-1)   np.gradient(v, 2, edge_order=2)
np.gradient(v, axis=1)   np.gradient(a, axis=())   np.gradient(v, [[1, 2, 3, 4, 5]])
np.inner(s, v)   np.inner(v, 2)   np.inner(v, a)   np.vdot(v, a)   np.cross(a[:, :3], b[:, :3])   np.cross(a[:, 1:], [1, 2, 3])   np.cross(a, b, axis=0)   np.cross(a, b[:, 0], axisa=0, axisc=0)
np.cross(v, w)   np.cross(s, v)   np.cross(a[:, :3], b[:1, :3], axisc=-2)   np.cross(a, b, axis=5)   np.polyadd(v, w)   np.polyadd(v, a[0])   np.polysub(a[0], v)   np.polysub(s, v)   np.polyadd(v, 1)
np.polyder(v)   np.polyder(v, 2)   np.polyder(v, m=0)   np.polyder(v, -1)   np.polyint(v)   np.polyint(v, 2)   np.polyint(v, 2, [1, 2])   np.polyint(v, k=3)   np.polyint(v, 2, k=3)   np.polyint(v, 0)   np.polyint(v, 3, [1, 2])
np.polyint(v, -1)   np.polyval(v, w)   np.polyval([1, 2, 3], v)   np.polyval(v, 2)   np.polyval(a, a[0])   np.polyval(v, [1.5, 2])   np.polyval(v[:3], a)   np.polyval(e, v)   np.polyadd([1, 2], v)
np.linspace(s, 5)   np.linspace(s, 3, 7)   np.linspace(v, w, 4)   np.linspace(v, w, 4, endpoint=False)   np.linspace(v, 1, 3, axis=1)   np.linspace(0, s, 5, retstep=True)   np.linspace(v, w, 1)   np.linspace(v, w, 0)
np.linspace(v, 9, 5, dtype="i4")   np.linspace(v, w, -1)   np.linspace(v, w, 3, device="cpu")   np.linspace(v, w, 3, device="gpu")   np.linspace(v, v, 3)   np.linspace(a, v[:4], 3, axis=-1)   np.linspace(s, 1, num=3, dtype="f4" if s.dtype.kind != "c" else "c8")   np.linspace(v, 2, 1, retstep=True, endpoint=False)
"""  # noqa: E501

RECORDED_CLOSE = """
np.sinc(v)   np.sinc(s)   np.sinc(odd)   np.inner(v, w)   np.inner(a, b)   np.inner(t, a)   np.vdot(v, w)   np.vdot(a, b)   np.vdot(t[0], t[1])   np.trapezoid(v)   np.trapezoid(a, dx=0.5)   np.trapezoid(a, axis=0)
np.trapezoid(a, [1, 3, 4], axis=0)   np.trapezoid(v, w)   np.trapezoid(t, x=t * 2, axis=1)   np.trapezoid(v, axis=1)   np.trapezoid(v, [1, 2])   np.unwrap(v)   np.unwrap(a * 3, axis=0)   np.unwrap(v * 2, period=4)
np.unwrap(a, discont=1, period=3)   np.unwrap(v * 3, 5)   np.unwrap(v, axis=2)   np.unwrap(v, period=2.5)   np.cov(v)   np.cov(a)   np.cov(a, b)   np.cov(a, rowvar=False)   np.cov(v, w, bias=True)   np.cov(a, ddof=0)   np.cov(t)
np.cov(v, rowvar=False)   np.cov(a, v[:4])   np.cov(a, ddof=1.5)   np.cov(a, dtype="f4" if a.dtype.kind != "c" else "c8")   np.cov(s)   np.cov(z.T[:, :0])   np.cov(v, a)   np.cov(a.T, a[:, :1], rowvar=False)
np.corrcoef(a)   np.corrcoef(v, w)   np.corrcoef(a, rowvar=False)   np.corrcoef(v)   np.corrcoef(a, b)   np.convolve(v, w)   np.convolve(v, a[0], "same")   np.convolve(a[0], v, "valid")   np.convolve(v, [1, 2], mode="same")
np.convolve(v, 2)   np.convolve(v, e)   np.convolve(a, v)   np.convolve(v[:2], w, "same")   np.convolve(odd.real, v.real)   np.convolve(odd.real, odd.real, "same")   np.convolve(v, w, 2)   np.convolve(np.tile(v, 3), w[:3])   np.convolve(np.tile(v, 3), w[:4], "same")   np.correlate(w[:4], np.tile(v, 3), "same")   np.convolve(np.tile(odd.real, 3), v.real[:3], "same")   np.convolve(v, [True, False, True])   np.correlate(v, w)
np.correlate(v, w, "full")   np.correlate(v, a[0], "same")   np.correlate(a[0], v, "same")   np.correlate(a[0], v, "full")   np.correlate(v, a[0])   np.correlate(v, [1, 2, 0.5], "full")   np.correlate(v, e)   np.correlate(a, v)
np.correlate(v, w[:2], 1)   np.correlate(v[:1], w)   np.convolve(v, w, "nonsense")   np.poly(v.real)   np.poly(a)
np.logspace(s, 1, 4)   np.logspace(v, w, 3, base=2)   np.logspace(v, 1, 3, False, axis=1)   np.logspace(v, 2, 3, dtype="f4" if v.dtype.kind != "c" else "c8")   np.logspace(0, v, 3, base=w.real + 5)
np.cumulative_sum(v)   np.cumulative_sum(a, axis=1)   np.cumulative_sum(a)   np.cumulative_prod(v, include_initial=True)   np.cumulative_sum(a, axis=0, include_initial=True)   np.cumulative_sum(s)   np.cumulative_prod(a, axis=-1)
np.cumulative_sum(v, dtype="c16")   np.cumulative_sum(a, axis=2)
"""  # noqa: E501

COMPUTED = """
np.interp(v, [-3, -1, 0, 2.5, 4], w)   np.interp(v, [-1, 0, 1], [5, 7, 1])   np.interp(a, [-1, 0, 1], [5, 7, 1], left=-9, right=9)   np.interp(odd, [-1, 0, 1], [5, np.inf, 1])   np.interp(v, [0], [2])
np.interp(v, [-1, 0, 1], w[:3])   np.interp(s, [-1, 0, 1], [1, 2, 3])   np.interp(v, [3, 1, 2], [5, 7, 1], period=4)   np.interp(v, [], [])   np.interp(v, [1, 2], [1])   np.interp(v, [1, 2], [1, 3], period=0)
np.interp(v, [-1, 0, 1], [1j, 2, 3], left=1j)   np.interp(odd, [-1, 0, 0, 1], [-np.inf, np.nan, 2, 2])   np.interp([1, 2.5], np.sort(v.real), w)   np.interp(v, [-2, 0, 1], [np.inf, np.inf, 1])   np.interp(e, [1, 2], [3, 4])   np.interp(v.real, [-2, 0, 3], [-np.inf, np.inf, -np.inf])
np.polymul(v, w)   np.polymul([0, 0, 1, 2], v)   np.polymul(v * 0, w)   np.polymul(a, v)   np.polydiv(a[0], [1, 2])   np.polydiv(v, [2.0, 1, 1])   np.polydiv([1, 2], v + 9)   np.polydiv(v, [1.0])
np.cov(a, fweights=[1, 2, 0, 1])   np.cov(a, aweights=[0.5, 1, 2, 0])   np.cov(a, b, fweights=[1, 2, 3, 1], aweights=[1, 2, 1, 1])   np.cov(a, fweights=[1.5, 1, 1, 1])   np.cov(a, aweights=[-1, 1, 1, 1])   np.cov(a, fweights=[1, 2])
np.cov(a, ddof=0, fweights=[2, 1, 1, 1])   np.geomspace(s * 0 + 1, 8, 4)   np.geomspace(v * 0 + 2, [1, 2, 3, 4, 5], 3)   np.geomspace(v, w)   np.geomspace(v * 0 + 1, 8, 4, endpoint=False, axis=1)   np.geomspace(1, w * 0 + 8, 4, dtype="f4" if w.dtype.kind != "c" else "c8")
np.poly(v)   np.poly([1j, -1j] * v[:1])   np.geomspace(v * 0 - 1, -8, 4)
"""  # noqa: E501


@pytest.mark.parametrize("text", calls(RECORDED))
def test_recorded(text):
    for dtype in DTYPES:
        compare(text, inputs(dtype, len(text)), True, True)


@pytest.mark.parametrize("text", calls(RECORDED_CLOSE))
def test_recorded_and_close(text):
    for dtype in DTYPES:
        compare(text, inputs(dtype, len(text)), False, True)


@pytest.mark.parametrize("text", calls(COMPUTED))
def test_computed(text):
    for dtype in DTYPES:
        compare(text, inputs(dtype, len(text)), text.startswith("np.interp"), False)


X = np.array([0.5, -1.25, 2.0, 3.5, -0.75, 1.5])
WEIGHTS = np.array([1.0, 2.0, -1.0, 0.5, 3.0, -2.0])

# Numbers of an array, by functions of which some elements are computed when called.
THROUGH = {
    "append": lambda x: np.append(x, x[:2] * x[:2]),
    "apply_along_axis": lambda x: np.apply_along_axis(lambda row: row * row, 1, np.reshape(x, (2, 3))),
    "block": lambda x: np.block([[x[:2], x[2:4] * x[:2]], [x[4:], x[:2]]]),
    "choose": lambda x: np.choose([0, 1, 1], [x[:3], x[3:] ** 2]),
    "compress": lambda x: np.compress(x > 0, x**2),
    "convolve": lambda x: np.convolve(x, x[:3], "same"),
    "corrcoef": lambda x: np.corrcoef(np.reshape(x * x, (2, 3))),
    "correlate": lambda x: np.correlate(x, WEIGHTS[:3], "full"),
    "cov": lambda x: np.cov(np.reshape(x, (2, 3))),
    "cov with weights": lambda x: np.cov(np.reshape(x, (2, 3)), aweights=[1, 2, 0.5]),
    "cross": lambda x: np.cross(x[:3], x[3:]),
    "delete": lambda x: np.delete(x**2, [1, 3]),
    "diag": lambda x: np.diag(x * x, 1),
    "extract": lambda x: np.extract(x < 1, x**3),
    "fmax": lambda x: np.fmax(x, x[::-1] ** 2),
    "gradient": lambda x: np.gradient(x**2, np.cumsum(x * x + 1), edge_order=2),
    "gradient between listed points": lambda x: np.gradient(x[:3] ** 2, [x[3] - 3.5, x[5] - 0.5, x[2]]),
    "histogram": lambda x: np.histogram(WEIGHTS, 3, weights=x * x)[0],
    "bincount": lambda x: np.bincount([0, 1, 1, 0, 2, 1], x**2),
    "insert": lambda x: np.insert(x, [1, 4], x[:2] ** 2),
    "interp": lambda x: np.interp(x, [-2.0, 0, 1, 4], x[:4] ** 2),
    "interp between computed points": lambda x: np.interp([0.3, 1.7], np.cumsum(x[:3] * x[:3]), x[3:]),
    "intersect1d": lambda x: np.intersect1d(x * x, x[2:4] * x[2:4]),
    "kron": lambda x: np.kron(x[:3], x[3:]),
    "linspace": lambda x: np.linspace(x[0], x[1] ** 2, 4),
    "modf": lambda x: np.modf(x * x * 0.9)[0],
    "nan_to_num": lambda x: np.nan_to_num(x**2),
    "partition": lambda x: np.partition(x**2, 2),
    "piecewise": lambda x: np.piecewise(x, [x > 1], [lambda y: y**3, lambda y: -y]),
    "poly": lambda x: np.poly(x[:3]),
    "polydiv": lambda x: np.polydiv(x, x[:2] + 5)[0],
    "polyval": lambda x: np.polyval(x[:3], x[3:]),
    "resize": lambda x: np.resize(x**2, 9),
    "select": lambda x: np.select([x > 1, x < 0], [x**2, x**3], x),
    "setxor1d": lambda x: np.setxor1d(x**2, [9.0]),
    "sinc": lambda x: np.sinc(x),
    "sort along lines": lambda x: np.unique(np.reshape(x, (2, 3)) ** 2, axis=0),
    "trapezoid": lambda x: np.trapezoid(x[:3] ** 2, x[3:]),
    "trim_zeros": lambda x: np.trim_zeros(x * (WEIGHTS > 0)),
    "unique": lambda x: np.unique(x**2, return_counts=True)[0],
    "unwrap": lambda x: np.unwrap(x * 3),
    "vander": lambda x: np.vander(x, 3),
}


@pytest.mark.parametrize("name", THROUGH)
def test_gradients_pass(name):
    """Beside differences of NumPy's own results."""

    def weighted(y, xp):
        y = xp.ravel(y) if xp is np else zc.reshape(y, (-1,))
        return (y * (np.arange(y.shape[0]) % 5 + 1.0)).sum()

    found = np.asarray(zc.grad(lambda x: weighted(THROUGH[name](x), zc))(zc.asarray(X)))
    wanted = np.empty_like(X)
    for at in range(X.size):
        high, low = X.copy(), X.copy()
        high[at] += 1e-6
        low[at] -= 1e-6
        wanted[at] = (weighted(THROUGH[name](high), np) - weighted(THROUGH[name](low), np)) / 2e-6
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-5)


def test_gradients_that_would_be_cut_are_refused():
    for function in (lambda x: np.histogram(x, 3)[1], lambda x: np.histogram_bin_edges(x, 2), lambda x: np.roots(x)):
        with pytest.raises(TypeError, match=r"stop_gradient\(\)"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zc.grad(lambda x: zc.sum(function(x)))(zc.asarray(X))  # noqa: B023


@pytest.mark.parametrize("text", calls(RECORDED + RECORDED_CLOSE + COMPUTED))
def test_without_an_array_of_ours(text):
    for dtype in ("i8", "f8"):
        check_table(text, inputs(dtype, len(text)))
