"""NumPy's functions of our arrays beside NumPy: values, dtypes, shapes, refusals, and that nothing is computed."""

import warnings

import numpy as np
import pytest

import zerocast as zc
from numpy_pairs import DTYPES, calls, check_table, compare, inputs

JOINING = """
np.hstack([v, w])   np.hstack((a, b))   np.hstack([s, v])   np.hstack([a, v])   np.hstack([v, w], dtype="f4", casting="same_kind")   np.hstack(t)
np.vstack([v, w])   np.vstack((a, b[:1], a[0]))   np.vstack([s, 3])   np.vstack([a, v])   np.vstack(a, dtype="c16")   np.vstack([v, [1, 2, 3, 4, 5]])
np.column_stack([v, w])   np.column_stack((a, a[:, 0]))   np.column_stack([v, a])   np.column_stack([s, s])   np.dstack([v, w])   np.dstack([a, b])   np.dstack([t, t])
np.dstack([s])   np.dstack([a, v])   np.block([[a, b], [b, a]])   np.block([v, w])   np.block([[m[:1]], [m]])   np.block(a)   np.block([[a], [v]])   np.block([s, 2])
np.block([v, [w]])   np.block([])   np.block((v, w))   np.block([[t, t]])   np.append(v, w)   np.append(a, b, axis=1)   np.append(a, b, -2)   np.append(a, 7)
np.append(a, v, 0)   np.append(v, [[1, 2]])   np.concat([v, w])   np.concat([a, b], axis=None)   np.concat([a, v])   np.concat([v], axis=3)
np.array_split(v, 3)   np.array_split(a, 3, axis=1)   np.array_split(v, [1, 3])   np.array_split(v, 7)   np.array_split(v, 0)   np.array_split(a, [1, 9], -1)   np.array_split(e, 2)
np.hsplit(a, 2)   np.hsplit(v, [2])   np.hsplit(s, 1)   np.vsplit(a, 3)   np.vsplit(v, 1)   np.vsplit(a, [1, 2])   np.dsplit(t, 2)   np.dsplit(a, 2)   np.hsplit(a, 3)
np.rollaxis(t, 2)   np.rollaxis(t, 0, 3)   np.rollaxis(t, -1, 1)   np.rollaxis(t, 1, -1)   np.rollaxis(t, 3)   np.rollaxis(t, 0, 4)   np.rollaxis(t, 1, 1)
np.fliplr(a)   np.fliplr(v)   np.flipud(v)   np.flipud(s)   np.flipud(t)   np.diag(v)   np.diag(v, 2)   np.diag(v, k=-1)   np.diag(a, 1)   np.diag(a, -1)   np.diag(s)
np.diag(e)   np.diag(e, 2)   np.diagflat(a)   np.diagflat(a, -2)   np.diagflat(s, 1)   np.resize(a, (2, 7))   np.resize(v, 3)   np.resize(v, (0, 2))   np.resize(e, 3)   np.resize(v, -1)
np.resize(a, ())   np.kron(v, w)   np.kron(a, b)   np.kron(v, a)   np.kron(t, v)   np.kron(s, v)   np.kron(a, [[1, 2]])   np.kron(e, v)
np.ix_(at, [0, 1])   np.ix_(a)   np.ix_([], at)   np.delete(v, 1)   np.delete(a, -1, axis=1)   np.delete(a, [0, 1], 0)   np.delete(a, slice(None, None, 2), 1)
np.delete(v, [True, False, True, False, False])   np.delete(v, 5)   np.delete(a, [9], 0)   np.delete(a, [1, 5])   np.delete(v, [])   np.delete(a, 0, 2)   np.delete(v, slice(3, 0, -1))
np.insert(v, 2, 7)   np.insert(v, [1, 3], [1, 0])   np.insert(a, 1, 5, axis=1)   np.insert(a, 1, [1, 2, 3], axis=1)   np.insert(a, [1], [[1], [2], [3]], axis=1)   np.insert(a, -1, b[0], 0)
np.insert(v, slice(1, 4), 1)   np.insert(a, [0, 3, 3], 4)   np.insert(v, 9, 1)   np.insert(a, 1, [1, 2], axis=1)   np.insert(v, [], 3)
np.insert(t, 1, a, axis=0)   np.insert(v, [2, 2], w[:2])   np.insert(v, 1, w)   np.insert(a, [[1]], 3)   np.insert(v, -2, 1.7)
"""  # noqa: E501

JOINING_CLOSE = """
np.vander(v)   np.vander(v, 3)   np.vander(v, increasing=True)   np.vander(v, 0)   np.vander(a)   np.vander(e, 2)   np.vander(v, 1)
"""  # noqa: E501

COMPUTED = """
np.trim_zeros(v)   np.trim_zeros(v, "f")   np.trim_zeros(v, trim="B")   np.trim_zeros(a)   np.trim_zeros(a, axis=1)   np.trim_zeros(a, "f", (0, -1))   np.trim_zeros(v * 0)   np.trim_zeros(v * 0, "b")
np.trim_zeros(v, "x")   np.trim_zeros(e)   np.trim_zeros(a, axis=2)   np.ix_(mask, at)   np.delete(v, mask)   np.delete(a, at % 4, 1)   np.insert(v, at, 5)
np.allclose(v, w)   np.allclose(v, v)   np.allclose(odd, odd, equal_nan=True)   np.allclose(odd, odd)   np.allclose(a, b, atol=9)   np.allclose(a, v)   np.allclose(v, 1, rtol=8)
np.array_equal(v, w)   np.array_equal(v, v)   np.array_equal(v, a)   np.array_equal(odd, odd)   np.array_equal(odd, odd, equal_nan=True)   np.array_equal(v, [1, 2, 3, 4, 5])
np.array_equiv(v, v[None])   np.array_equiv(v, a)   np.array_equiv(v, w)   np.array_equiv(odd, odd)   np.array_equiv(s, s)
np.real_if_close(v)   np.real_if_close(v.real + 1e-15 * v)   np.real_if_close(v, tol=1e-9)   np.real_if_close(odd)
"""  # noqa: E501

COMPARING = """
np.isclose(v, w)   np.isclose(v, v + 1e-9)   np.isclose(odd, odd)   np.isclose(odd, odd[::-1], equal_nan=True)   np.isclose(a, v[:4])   np.isclose(v, 1)   np.isclose(1, v, 0.5)   np.isclose(v, w, atol=1)
np.isclose(v, w, rtol=[0.1, 1, 2, 3, 0])   np.isclose(a, v)   np.isclose(odd, np.inf)   np.isclose(v, [1, 2, 3, 4, 5], 0, 2)   np.isclose(s, s)   np.isclose(v, 1.5, atol=0.5)
np.iscomplex(v)   np.iscomplex(odd)   np.iscomplex(s)   np.isreal(v)   np.isreal(a)   np.isneginf(odd)   np.isposinf(odd)   np.isneginf(v)   np.isposinf(a)   np.isposinf(s)
np.fix(odd)   np.fix(v)   np.fix(a)   np.nan_to_num(v)   np.nan_to_num(odd)   np.nan_to_num(odd, nan=3.5, posinf=7, neginf=-7)   np.nan_to_num(odd, True, 1, 2)   np.nan_to_num(s)
np.nan_to_num(odd, nan=[0, 1, 2, 3, 4, 5, 6])   np.nan_to_num(odd, copy=False)   np.nan_to_num(v, nan=1j)
"""  # noqa: E501

COMPARING_CLOSE = """
np.angle(v)   np.angle(v, deg=True)   np.angle(odd)   np.angle(a, True)   np.angle(-v)
"""  # noqa: E501

UFUNCS = """
np.fmax(v, w)   np.fmin(v, w)   np.fmax(odd, odd[::-1])   np.fmin(odd, 0)   np.fmax(a, s)   np.fmax(v, 2)   np.fmin(v, 1.5)   np.fmod(v, w)   np.fmod(a, 3)   np.fmod(v, -2.5)
np.fmod(odd, odd[::-1])   np.fmod(odd, 2)   np.modf(v)   np.modf(odd)   np.heaviside(v, w)   np.heaviside(odd, 0.5)   np.heaviside(odd, odd[::-1])   np.deg2rad(v)   np.rad2deg(v)
np.degrees(odd)   np.radians(odd)   np.spacing(v)   np.spacing(odd)   np.bitwise_count(v)   np.bitwise_count(-v)   np.bitwise_count(a << 2)   np.matvec(a, v[:4])   np.vecmat(v[:4], m)   np.matvec(t, v[:4])
np.vecmat(t[0, :, 0], t)   np.matvec(v, v)   np.matvec(a, v)   np.vecmat(v, a)   np.fmod(s, 3)   np.fmax(e, 1)   np.deg2rad(z)   np.fmod(a, a[0, 0])   np.fmax(v, a)
"""  # noqa: E501

UFUNCS_CLOSE = """
np.float_power(v, 2)   np.float_power(odd.real, w[0].real)   np.float_power(v, -1)   np.logaddexp2(v, w)   np.logaddexp2(odd, odd[::-1])   np.logaddexp2(v, 1)
"""  # noqa: E501


def check(text, is_exact, is_lazy):
    has_result = False
    for dtype in DTYPES:
        has_result |= compare(text, inputs(dtype, len(text)), is_exact, is_lazy)
    return has_result


@pytest.mark.parametrize("text", calls(JOINING + COMPARING + UFUNCS))
def test_recorded(text):
    check(text, True, True)


@pytest.mark.parametrize("text", calls(JOINING_CLOSE + COMPARING_CLOSE + UFUNCS_CLOSE))
def test_recorded_and_close(text):
    check(text, False, True)


@pytest.mark.parametrize("text", calls(COMPUTED))
def test_computed(text):
    check(text, True, False)


OUTPUTS = [
    lambda v, z: np.ptp(v, axis=0, out=z), lambda v, z: np.fix(v[0], z), lambda v, z: np.cumulative_sum(v[0], out=z),
    lambda v, z: np.choose([0, 1, 0], [v[0], v[1]], z), lambda v, z: np.compress([0, 1], v, axis=0, out=z[None]),
    lambda v, z: np.fmax(v[0], v[1], out=z), lambda v, z: np.modf(v[0], out=(z, None)), lambda v, z: np.deg2rad(v[1], z),
    lambda v, z: np.hstack([v[0], v[1]], dtype="f4")[:3],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OUTPUTS)))
def test_outputs_are_assigned(number):
    a = np.array([[1.5, -2.25, 3.0], [4.0, 0.5, -6.5]])
    z = np.array([7.0, 8.0, 9.0])
    x = zc.asarray(z, copy=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, theirs = OUTPUTS[number](zc.asarray(a), x), OUTPUTS[number](a, z)
    np.testing.assert_array_equal(np.asarray(x), z)
    for one, other in zip(*(result if isinstance(result, tuple) else (result,) for result in (ours, theirs)), strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)


def test_numbers_are_written_where_none_were():
    a = np.array([1.0, np.nan, np.inf, 2.0])
    x = zc.asarray(a, copy=True)
    view, before = x[1:], x * 1
    assert np.nan_to_num(x, copy=False, nan=5) is x
    np.testing.assert_array_equal(np.asarray(view), np.nan_to_num(a, nan=5)[1:])
    np.testing.assert_array_equal(np.asarray(before), a)


def test_views_stay_views():
    x = zc.asarray(np.arange(24.0).reshape(2, 3, 4))
    for view in (
        np.rollaxis(x, 2), np.fliplr(x), np.flipud(x), np.hsplit(x, 3)[1], np.array_split(x, 2, axis=2)[0], np.trim_zeros(x),
    ):  # fmt: skip
        assert view.base is not None and np.shares_memory(view, x)


@pytest.mark.parametrize("text", calls(JOINING + JOINING_CLOSE + COMPARING + COMPARING_CLOSE + COMPUTED))
def test_without_an_array_of_ours(text):
    for dtype in ("i8", "f8"):
        check_table(text, inputs(dtype, len(text)))
