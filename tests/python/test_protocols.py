"""NumPy's protocols, and the libraries that are written against them or against the array API."""

import warnings

import numpy as np
import pytest

import zerocast as zc

A = np.arange(12.0).reshape(3, 4) - 5
X = zc.asarray(A)


@pytest.fixture(autouse=True)
def nothing_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def close(ours, theirs):
    assert isinstance(ours, zc.Array)
    np.testing.assert_allclose(np.asarray(ours), theirs)


@pytest.mark.parametrize("name", ["sin", "exp", "absolute", "negative", "floor", "isnan", "square", "arctan", "sign"])
def test_unary_ufuncs_stay_lazy(name):
    close(getattr(np, name)(X), getattr(np, name)(A))
    assert not getattr(np, name)(X * 1).exists


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "true_divide", "maximum", "arctan2", "greater", "logical_and"])
def test_binary_ufuncs_stay_lazy(name):
    function = getattr(np, name)
    a = A + 0.5  # without a zero
    x = zc.asarray(a)
    close(function(x, a), function(a, a))
    close(function(a, x), function(a, a))
    close(function(2.0, x), function(2.0, a))
    close(A + X, A + A)
    close(X - A[0], A - A[0])
    close(np.float32(2) * X, 2 * A)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sum(x),
        lambda x: np.sum(x, axis=0, keepdims=True),
        lambda x: np.mean(x, axis=(0, 1)),
        lambda x: np.max(x, axis=1),
        lambda x: np.var(x, axis=1, ddof=1),
        lambda x: np.std(x),
        lambda x: np.nanmean(np.where(x > 0, x, np.nan), axis=0),
        lambda x: np.nansum(np.where(x > 0, x, np.nan)),
        lambda x: np.nanmax(np.where(x > -4, x, np.nan), axis=1),
        lambda x: np.median(x, axis=0),
        lambda x: np.median(x),
        lambda x: np.quantile(x, [0.1, 0.5, 0.9], axis=1),
        lambda x: np.quantile(x, 0.3, axis=(0, 1), keepdims=True),
        lambda x: np.quantile(np.where(x > 0, x, np.nan), [0.5, 1], axis=0, keepdims=True),
        lambda x: np.nanquantile(np.where(x > -4, x, np.nan), 0.25, axis=1),
        lambda x: np.nanmedian(np.where(x > -4, x, np.nan)),
        lambda x: np.nancumsum(np.where(x > -4, x, np.nan), axis=1),
        lambda x: np.nanstd(np.where(x > -4, x, np.nan), axis=0, ddof=1),
        lambda x: np.add.reduce(x, axis=1),
        lambda x: np.concatenate([x, x], axis=1),
        lambda x: np.stack([x, x]),
        lambda x: np.clip(x, -1, 2),
        lambda x: np.transpose(x),
        lambda x: np.reshape(x, (4, 3)),
        lambda x: np.cumsum(x),
        lambda x: np.cumsum(x, axis=1),
        lambda x: np.einsum("ij->j", x),
        lambda x: np.tensordot(x, x.T, axes=1),
        lambda x: np.dot(x, x.T),
        lambda x: np.pad(x, ((1, 1), (0, 2)), mode="constant", constant_values=3),
        lambda x: np.squeeze(np.expand_dims(x, 0)),
        lambda x: np.moveaxis(x, 0, 1),
        lambda x: np.take(x, [0, 2], axis=1),
        lambda x: np.zeros_like(x),
        lambda x: np.full_like(x, 3),
        lambda x: np.broadcast_to(x, (2, 3, 4)),
        lambda x: np.roll(x, 1),
        lambda x: np.matmul(x, x.T),
    ],
)
def test_functions_stay_lazy(call):
    with np.errstate(all="ignore"):
        close(call(X), call(A))


def test_others_compute_and_say_so_once(monkeypatch):
    monkeypatch.setattr("zerocast._numpy._said", set())
    with pytest.warns(UserWarning, match="numpy.i0 is not in zerocast"):
        assert isinstance(np.i0(X), np.ndarray)
    np.testing.assert_array_equal(np.i0(X), np.i0(A))
    out = np.zeros_like(A)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.add(X, X, out=out)
    np.testing.assert_array_equal(out, A + A)


def test_array_api_compat():
    import array_api_compat as compat

    assert compat.is_array_api_obj(X) and compat.array_namespace(X, zc.arange(3)) is zc
    assert compat.device(X) == "cpu" and compat.to_device(X, "cpu") is X and compat.size(X) == 12
    with pytest.raises(ValueError):
        X.__array_namespace__(api_version="1999.01")


def test_array_api_extra():
    import array_api_extra as xpx

    close(xpx.atleast_nd(X[0], ndim=3), A[0][None, None])
    close(xpx.cov(X), np.cov(A))
    close(xpx.kron(X, zc.ones((2, 2))), np.kron(A, np.ones((2, 2))))
    close(xpx.sinc(X), np.sinc(A))
    close(xpx.nan_to_num(zc.where(X > 0, X, float("nan"))), np.nan_to_num(np.where(A > 0, A, np.nan)))
    close(xpx.create_diagonal(X[0]), np.diag(A[0]))
    close(xpx.at(X)[1:, 0].set(9.0, copy=True), np.concatenate([A[:1], np.c_[[9.0, 9.0], A[1:, 1:]]]))
    close(xpx.at(X)[X > 0].add(2.0, copy=True), np.where(A > 0, A + 2, A))
    assert xpx.nunique(zc.asarray([1, 2, 1])).item() == 2


def test_scipy_by_the_array_api():
    import subprocess
    import sys

    program = """
import numpy as np, zerocast as zc
from scipy import special, stats
a = np.random.default_rng(3).normal(size=(50, 4))
x = zc.asarray(a)
of_columns = "gmean hmean sem zscore variation skew kurtosis moment entropy".split()
for function in (getattr(stats, name) for name in of_columns):
    ours, theirs = function(abs(x) + 1), function(abs(a) + 1)
    assert isinstance(ours, zc.Array), function
    np.testing.assert_allclose(np.asarray(ours), theirs)
for function in (special.softmax, special.log_softmax, special.logsumexp):
    np.testing.assert_allclose(np.asarray(function(x, axis=0)), function(a, axis=0))
ours, theirs = stats.ttest_1samp(x, 0.1), stats.ttest_1samp(a, 0.1)
np.testing.assert_allclose(np.asarray(ours.statistic), theirs.statistic)
print("done")
"""
    import os

    env = {**os.environ, "SCIPY_ARRAY_API": "1"}
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=env, capture_output=True, text=True)
    assert run.stdout == "done\n", run.stderr[-2000:]


def test_quantiles_by_their_names():
    a = np.where(A > -4, A, np.nan)
    x = zc.asarray(a)
    for axis in (None, 0, -1, (0, 1)):
        for keepdims in (False, True):
            close(zc.quantile(X, [0.1, 0.9], axis, keepdims=keepdims), np.quantile(A, [0.1, 0.9], axis, keepdims=keepdims))
            close(zc.median(X, axis, keepdims=keepdims), np.median(A, axis, keepdims=keepdims))
            close(zc.nanquantile(x, q=0.3, axis=axis), np.nanquantile(a, 0.3, axis))
            close(zc.nanmedian(x, axis), np.nanmedian(a, axis))
    with pytest.raises(ValueError):
        zc.quantile(X, 0.5, method="lower")
    assert zc.transpose(X[None]).shape == (4, 3, 1) and zc.transpose(X, (1, 0)).shape == (4, 3)
    windows = zc.lib.stride_tricks.sliding_window_view
    close(windows(X, 2, axis=1), np.lib.stride_tricks.sliding_window_view(A, 2, axis=1))
    with pytest.raises(ValueError):
        windows(X, 2, axis=1, writeable=True)


def test_xarray_stays_lazy():
    xr = pytest.importorskip("xarray")
    a = np.arange(24.0).reshape(2, 3, 4)
    a[0, 1, 2] = np.nan
    theirs = xr.DataArray(a, dims=("t", "y", "x"), coords={"t": [0, 1]})
    ours = theirs.copy(data=zc.asarray(a))
    for call in (
        lambda d: d.mean("t"),
        lambda d: d.std("y"),
        lambda d: d.sum(),
        lambda d: d.where(d > 3),
        lambda d: d.shift(x=1),
        lambda d: d.pad(x=1),
        lambda d: d.median("y"),
        lambda d: d.quantile(0.3),
        lambda d: d.quantile([0.1, 0.5], dim="x"),
        lambda d: d.quantile([0.1, 0.5], dim="x", skipna=False),
        lambda d: d.rolling(x=3).mean(),
        lambda d: d.rolling(x=3, min_periods=1).max(),
        lambda d: d.rolling(y=3, center=True).sum(),
        lambda d: d.rolling(y=2, x=2).construct({"y": "v", "x": "w"}),
        lambda d: d.pad(x=1, constant_values=0.0),
        lambda d: d.cumsum("x"),
        lambda d: d.groupby("t").mean(),
        lambda d: (d - d.mean("t")) / d.std("t"),
        lambda d: d.isel(x=slice(None, None, 2)).transpose("x", "t", "y"),
    ):
        got, wanted = call(ours), call(theirs)
        assert isinstance(got.data, zc.Array)
        np.testing.assert_allclose(np.asarray(got.data), wanted.data)
