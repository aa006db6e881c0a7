"""Texts, dates, objects, records and long doubles, which are in NumPy's own arrays, beside numbers, which are in zerocast's."""

import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import zerocast as zc
import zerocast.numpy as np


def people(np: Any) -> tuple[Any, Any]:
    return np.array(["dog", "cat", "eel", "ant"]), np.array([3.0, 1, 4, 2])


def days(np: Any) -> Any:
    return np.arange("2020-01-01", "2020-01-05", dtype="datetime64[D]")


def sorted_texts(np: Any) -> Any:
    names, values = people(np)
    return np.sort(names), np.argsort(names), names[np.argsort(values)], np.searchsorted(np.sort(names), "cat"), np.flip(names)


def groups(np: Any) -> Any:
    kinds = np.array(["b", "a", "b", "c", "a"])
    values = np.arange(5.0)
    names, where, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    return names, counts, [values[kinds == name].mean() for name in names], np.bincount(where, weights=values)


def masks(np: Any) -> Any:
    names, values = people(np)
    return names[values > 2], values[names == "cat"], np.where(values > 2, "large", "small"), np.isin(names, ["cat", "ox"])


def joined_texts(np: Any) -> Any:
    names = people(np)[0]
    return (
        np.concatenate([names, ["ox"]]),
        np.append(names, "ox"),
        np.stack([names, names]),
        np.repeat(names, 2),
        np.tile(names, 2),
    )


def made(np: Any) -> Any:
    return np.full(2, "x"), np.empty(2, dtype=object), np.zeros(2, "U3"), np.array([1, None], dtype=object), np.array("text")


def dates(np: Any) -> Any:
    d, values = days(np), people(np)[1]
    late = d > np.datetime64("2020-01-02")
    return d, np.diff(d), late, values[late], np.maximum(d, d[2]), d.max() - d.min(), np.isnat(d), d[np.argsort(values)]


def records(np: Any) -> Any:
    r = np.zeros(3, dtype=[("a", int), ("b", float)])
    r["b"] = np.linspace(1, 0, 3)
    r["a"] = np.arange(3)
    return r["b"], r["a"].sum(), np.sort(r, order="b")["a"]


def numbers_as_texts(np: Any) -> Any:
    values = people(np)[1]
    return (
        values.astype(str),
        values.astype("U5"),
        np.array(["1", "2"]).astype(float),
        np.asarray(["1.5"], dtype=float),
        np.char.add("a", "b"),
    )


def objects(np: Any) -> Any:
    x = np.array([1, 2, 3]).astype(object)
    return x + 1, np.add(x, 2**70), np.sum(x), np.dot(x, x), np.vectorize(len)(people(np)[0])


def masked(np: Any) -> Any:
    values = people(np)[1]
    m = np.ma.masked_array(values, mask=values > 2)
    return m.mean(), m.filled(0), np.broadcast(np.ones((3, 1)), np.ones(4)).shape, [int(x) for x in np.nditer(np.arange(3))]


def long_doubles(np: Any) -> Any:
    x = np.array([1, 2], dtype=np.longdouble) / 3
    return x, x.sum(), np.sqrt(x), x.astype(np.float64)


def mixed_lists(np: Any) -> Any:
    v, names = np.linspace(0, 1, 4), people(np)[0]
    return (
        np.array([v.mean(), "total"]), np.array(["max", v.max()]), np.array(list(zip(names, v))), np.array([v[1], None]),
        np.array([v[:1], ["a"]]), np.array([None, v[1]], dtype=float), np.array([2**80, v[0]]),
        np.array(["a", v[0]], dtype=object),
    )  # fmt: skip


def joined_and_counted(np: Any) -> Any:
    names, v = people(np)
    return np.c_[names, v], np.r_[names, names], np.r_[days(np), days(np)], list(np.ndenumerate(names)), list(np.ndenumerate(v))


def ranges(np: Any) -> Any:
    d = np.datetime64("2020-01-01")
    return np.arange(d, d + 3), np.arange(d, d + 6, np.timedelta64(2, "D")), np.linspace(1, 2, 2, dtype=object)


PROGRAMS = [
    mixed_lists, joined_and_counted, ranges,
    sorted_texts, groups, masks, joined_texts, made, dates, records, numbers_as_texts, objects, masked, long_doubles,
]  # fmt: skip


def same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for x, a in zip(ours, theirs):
            same(x, a)
        return
    if isinstance(theirs, numpy.ndarray):
        is_ours = theirs.dtype.kind in "biufc" and theirs.dtype != numpy.longdouble
        assert isinstance(ours, zc.Array if is_ours else numpy.ndarray) or theirs.dtype.kind in "biufc"
        assert numpy.dtype(ours.dtype) == theirs.dtype and ours.shape == theirs.shape
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_give_what_numpy_gives(program: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error" if program is not masked else "ignore")
        same(program(np), program(numpy))


def test_files_of_texts(tmp_path: Any) -> None:
    names, values = people(np)
    np.save(tmp_path / "names.npy", names)
    np.savez(tmp_path / "both.npz", names=names, values=values)
    assert np.load(tmp_path / "names.npy").tolist() == names.tolist()
    with np.load(tmp_path / "both.npz") as both:
        assert type(both["names"]) is numpy.ndarray and isinstance(both["values"], zc.Array)
    file = io.BytesIO()
    np.save(file, names)
    file.seek(0)
    assert np.load(file).tolist() == names.tolist()


def test_what_neither_has_is_refused() -> None:
    for make in (lambda: np.zeros(3, "nonsense"), lambda: np.array([[1], [2, 3]]), lambda: np.arange(3).astype("nonsense")):
        with pytest.raises((TypeError, ValueError)):
            make()


def test_zerocasts_own_functions_refuse_texts() -> None:
    for call in (lambda: zc.asarray(["a"]), lambda: zc.zeros(3, dtype=object), lambda: zc.sum(numpy.array(["a"]))):
        with pytest.raises(TypeError):
            call()
