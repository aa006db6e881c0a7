"""Calls of NumPy's functions on its arrays and on ours, and what is compared of the two."""

import os
import warnings

import numpy as np

import zerocast as zc
from zerocast import _numpy_functions as functions
from zerocast._numpy import NotHere

SEED = int(os.environ.get("ZC_TEST_SEED", np.random.SeedSequence().entropy % 2**32))
DTYPES = "? i1 u1 i4 i8 u8 f2 f4 f8 c8 c16".split()
# Letters of dtypes of which NumPy computes a function, since the library has no such operation.
LEFT = {"fmax": "FD", "fmin": "FD", "interp": "FD", "ptp": "FD", "spacing": "e"}
LEFT |= dict.fromkeys(("histogram", "histogram2d", "histogram_bin_edges", "histogramdd"), "FD")
REFUSALS = (TypeError, IndexError, ValueError, ArithmeticError, RuntimeError)
SHAPES = {"s": (), "v": (5,), "w": (5,), "e": (0,), "a": (3, 4), "b": (3, 4), "m": (4, 4), "t": (2, 3, 4), "z": (0, 3)}
CLOSE = {"e": 4e-3, "f": 2e-6, "F": 2e-6}


def calls(lines):
    return [call.strip() for line in lines.strip().splitlines() for call in line.split("  ") if call.strip()]


def elements(random, shape, dtype):
    """Few numbers, so that some are equal; some NaN and infinite."""
    dtype = np.dtype(dtype)
    if dtype.kind in "biu":
        return random.integers(0 if dtype.kind == "u" else -4, 2 if dtype.kind == "b" else 5, shape).astype(dtype)
    found = random.integers(-8, 9, shape) / 4
    if dtype.kind == "c":
        found = found + 1j * random.integers(-2, 3, shape) / 2
    return np.asarray(found).astype(dtype)


def inputs(dtype, salt=0):
    random = np.random.default_rng([SEED, salt])
    given = {name: elements(random, shape, dtype) for name, shape in SHAPES.items()}
    given["mask"], given["at"] = random.integers(0, 2, 5) > 0, random.integers(-5, 5, 3)
    given["odd"] = np.array([0, 1, -1, np.nan, np.inf, -np.inf, 2.5], "f8")
    if np.dtype(dtype).kind in "fc":
        given["odd"] = given["odd"].astype(dtype)
    return given


def recorded(a):
    """One of ours that nothing has been computed of."""
    x = zc.asarray(a)
    return zc.where(zc.broadcast_to(zc.asarray(True), a.shape), x, x)


def results(value):
    if isinstance(value, (tuple, list)):
        return [result for item in value for result in results(item)]
    return [value]


def outcome(call, given):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(given)
        except Exception as error:  # noqa: BLE001
            return error


class Table:
    """The functions of our table by NumPy's names, which take NumPy's arrays, lists and numbers, too."""

    def __getattr__(self, name):
        theirs = getattr(np, name)
        if not callable(theirs) or not functions.is_there(theirs):
            return theirs
        return lambda *arguments, **keywords: functions.called(theirs, arguments, keywords)


def check_table(text, given):
    """The call without an array of ours gives arrays of ours, unless NumPy refuses it."""
    code = compile(text, text, "eval")
    theirs = outcome(lambda arrays: eval(code, {"np": np, **arrays}), {name: a.copy() for name, a in given.items()})
    ours = outcome(lambda arrays: eval(code, {"np": Table(), **arrays}), {name: a.copy() for name, a in given.items()})
    if isinstance(theirs, Exception) or isinstance(ours, NotHere):
        assert isinstance(ours, Exception), f"{text}: {theirs!r}, {ours!r}"
        return
    assert not isinstance(ours, Exception), f"{text}: {ours!r}"
    for x, a in zip(results(ours), results(theirs), strict=True):
        assert isinstance(x, (zc.Array, bool, float)), f"{text}: {type(x)}"
        close = CLOSE.get(np.asarray(a).dtype.char, 1e-12)
        np.testing.assert_allclose(np.asarray(x), a, close, close, err_msg=text)


def compare(text, given, is_exact, is_lazy):
    """Whether NumPy has a result, which ours equals; else both refuse."""
    code = compile(text, text, "eval")
    told = f"{text} with ZC_TEST_SEED={SEED}: {given['v'].dtype}"

    def call(arrays):
        return eval(code, {"np": np, "zc": zc, **arrays})

    theirs = outcome(call, {name: a.copy() for name, a in given.items()})
    ours_given = {name: recorded(a) for name, a in given.items()}
    ours = outcome(call, ours_given)
    if isinstance(theirs, Exception):
        kinds = [kind for kind in REFUSALS if isinstance(theirs, kind)]
        if is_lazy and not isinstance(ours, Exception):
            ours = outcome(lambda given: [np.asarray(result) for result in results(ours)], {})
        assert kinds and isinstance(ours, kinds[0]), f"{told}: {theirs!r}, {ours!r}"
        return False
    assert not isinstance(ours, Exception), f"{told}: {ours!r}, {theirs!r}"
    if given["v"].dtype.char in LEFT.get(text[3:].partition("(")[0], "") and not isinstance(ours, zc.Array):
        for x, a in zip(results(ours), results(theirs), strict=True):
            np.testing.assert_array_equal(x, a, told)
        return True
    if is_lazy:
        assert not any(x.exists for x in ours_given.values()), f"{told}: computed"
    assert type(ours) is type(theirs) or not isinstance(theirs, (tuple, list)), told
    ours, theirs = results(ours), results(theirs)
    assert len(ours) == len(theirs), told
    for x, a in zip(ours, theirs):
        equal(x, a, is_exact, told, given["v"].dtype)
    return True


def equal(x, a, is_exact, told, dtype):
    if type(a) in (bool, float):
        assert x == a and type(x) is type(a), told
        return
    assert isinstance(x, zc.Array), f"{told}: {type(x)}"
    found = np.asarray(x)
    is_small = dtype.kind in "biu" and a.dtype.kind in "fc"  # which are float64's, as they are of all functions
    assert is_small or found.dtype == a.dtype, f"{told}: {found.dtype} for {a.dtype}"
    assert found.shape == np.shape(a), f"{told}: {found.shape} for {np.shape(a)}"
    if is_exact and found.dtype == a.dtype:
        np.testing.assert_array_equal(found, a, err_msg=told)
    else:
        close = CLOSE.get(a.dtype.char, 1e-12)
        np.testing.assert_allclose(found, a, close, close, err_msg=told)
