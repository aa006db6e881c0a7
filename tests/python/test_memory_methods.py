"""NumPy's methods of arrays that tell about memory, write in rows and choose, on NumPy's arrays and ours."""

import io
import pickle
import warnings

import numpy as np
import pytest

import test_numpy_arguments as arguments
import zerocast as zc

DTYPES = ("i8", "f8", "i2", "u1", "c16", "f4", "?")

READ = """
x.byteswap()   x[0, 0].byteswap()   x.T.byteswap()   x.view()   x.view("u1")   x[0].view("u1")   x.view(x.dtype)   x.tobytes()   x.tobytes("F")
x.T.tobytes()   x.tobytes(None)   x.flat[3]   x.flat[[1, 2]]   x.flat[2:9:3]   x.T.flat[2:9:3]   x.flat.copy()   len(x.flat)   x.flat[x.ravel() != 1]
list(map(complex, x.flat))   np.asarray(x.flat)   x.compress([True, False, True], 0)   x.compress([0, 1, 1])   x.compress([True], axis=1)
(x != 0).astype(int).choose([1, 2])   (x != 1).astype(int).choose([x, x + x])   x.compress([[1]], 0)   x.argpartition(2, 1).shape   np.frombuffer(x.data, x.dtype)
x.flags.c_contiguous, x.flags.f_contiguous   x.T.flags.c_contiguous, x.T.flags.f_contiguous   x[::2].flags.c_contiguous, x[0].flags.fnc
x.T.flags.fnc, x.T.flags.forc, x.flags["C"], x.T.flags["F_CONTIGUOUS"]   x.flags.writeable, x[0].flags.writeable   x.flags.aligned
x[:, :1].flags.forc, x.flags.writebackifcopy   x.T.flags.owndata   x.item(3)   x.ndim   x.setflags(write=True)   (x + x)[:2].view()
x.flags["nothing"]   x.setflags(uic=True)   x.flat[99]   x.view("u1").sum()   x[0, 0].view("u1")   x.compress([1, 1, 1, 1, 1], 0)
"""  # noqa: E501

WRITTEN = """
x.flat[3] = 1   x.flat[::2] = [1, 0]   x.T.flat[1:7] = [1, 0, 1]   x.flat = [1, 0, 0]   x[::2].flat = 1   x[:, 1].flat[1:] = 0   x.flat[[0, 5]] = x[0, :2]
x.flat[x.ravel() != 1] = 0   x.put([0, 5], [1, 1])   x.byteswap(True)   x[1:].byteswap(inplace=True)   x.view()[0] = 1   x.flat[99] = 1   x.flat[:] = []
"""  # noqa: E501


def outcome(text, x, run):
    names = {"x": x, "np": np}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*not in zerocast")
            return run(text, names)
    except Exception as error:  # noqa: BLE001
        return error


def made(dtype):
    return (np.arange(12).reshape(3, 4) % 5).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", arguments.calls(READ))
def test_what_methods_give(text, dtype):
    a, x = made(dtype), zc.asarray(made(dtype))
    theirs, ours = outcome(text, a, eval), outcome(text, x, eval)
    if isinstance(theirs, Exception):
        assert isinstance(ours, Exception) and isinstance(ours, (type(theirs), type(theirs).__bases__[0]))
        return
    assert not isinstance(ours, Exception), ours
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype
    np.testing.assert_array_equal(np.asarray(ours), theirs)
    np.testing.assert_array_equal(np.asarray(x), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", arguments.calls(WRITTEN))
def test_what_methods_write(text, dtype):
    a, x = made(dtype), zc.asarray(made(dtype)).copy()
    view, before = x[1], x.copy()
    theirs, ours = outcome(text, a, exec), outcome(text, x, exec)
    assert type(theirs) is type(ours)
    np.testing.assert_array_equal(np.asarray(x), a)
    np.testing.assert_array_equal(np.asarray(view), a[1])
    np.testing.assert_array_equal(np.asarray(before), made(dtype))


def test_parts_are_in_place():
    a = np.random.default_rng(3).permutation(30).reshape(3, 10)
    x = zc.asarray(a).copy()
    y = x[0]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not in zerocast")
        x.partition(4)
        x.partition(1, axis=0)
        order = zc.asarray(a).argpartition(4)
    found = np.asarray(x)
    assert sorted(found.ravel()) == list(range(30)) and (found[1] >= found[0]).all() and (found[2] >= found[1]).all()
    assert (np.asarray(y) == found[0]).all()
    wanted = np.sort(a, axis=1)[:, 4]
    np.testing.assert_array_equal(np.take_along_axis(a, np.asarray(order), 1)[:, 4], wanted)


def test_ranges_of_elements():
    a = made("i4")
    x = zc.asarray(a)
    for axis in (None, 0, 1, (0, 1)):
        for keepdims in (False, True):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*not in zerocast")
                found = x.ptp(axis, keepdims=keepdims)
            np.testing.assert_array_equal(np.asarray(found), np.ptp(a, axis, keepdims=keepdims))


def test_results_go_to_out():
    x, out = zc.asarray(made("i8")), zc.zeros((2, 4), dtype=zc.int64)
    assert x.compress([0, 1, 1], 0, out=out) is out
    np.testing.assert_array_equal(np.asarray(out), made("i8")[1:])


def test_methods_give_our_arrays_also_where_numpy_computes():
    x = zc.asarray(made("i8"))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*not in zerocast")
        for found in (x.round(-1), x.take([40, 50], mode="clip"), x.std(0, mean=np.zeros((1, 4))), x.argpartition(1)):
            assert isinstance(found, zc.Array)


def test_broadcasts_are_read_only():
    x = zc.broadcast_to(zc.arange(3), (2, 3))
    assert not x.flags.writeable and not x.flags["W"] and not x.flags.c_contiguous
    x.setflags(write=False)
    with pytest.raises(ValueError, match="cannot be made writeable"):
        x.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        x.flat[0] = 1


def test_writes_are_refused_until_they_are_taken_again():
    """As NumPy has it: through the array and views that are made of it from now on."""
    for library in (zc, np):
        x = library.arange(5)
        before = x[1:3]
        x.setflags(write=False)
        after = x[2:]

        def add(x=x):
            x += 1

        for write in (add, lambda x=x: x.__setitem__(0, 1), lambda x=after: x.__setitem__(0, 7), lambda x=x: x.fill(3), x.sort):
            with pytest.raises(ValueError, match="read-only|cannot be written"):
                write()
        with pytest.raises(ValueError, match="WRITEABLE|writeable"):
            after.setflags(write=True)
        before[0] = 9
        assert not x.flags.writeable and x.copy().flags.writeable and (x + 1).flags.writeable
        x.flags.writeable = True
        x[0] = 5
        assert x.tolist() == [5, 9, 2, 3, 4] and not after.flags.writeable


def test_views_of_classes():
    x = zc.arange(3)
    assert isinstance(x.view(zc.Array), zc.Array) and isinstance(x.view(type=zc.Array), zc.Array)
    with pytest.raises(TypeError, match="the class of a view"):
        x.view(type=np.ndarray)
    assert "C_CONTIGUOUS : True" in repr(x.flags)


@pytest.mark.parametrize("name", ["ctypes", "getfield", "itemset", "newbyteorder", "resize", "setfield", "tostring"])
def test_what_is_refused_tells_why(name):
    with pytest.raises(AttributeError, match=f"^zerocast's array has no attribute {name!r}: .+"):
        getattr(zc.arange(3), name)
    with pytest.raises(AttributeError, match="^zerocast's array has no attribute 'nothing'$"):
        zc.arange(3).nothing  # noqa: B018


def test_every_public_attribute_of_numpys_is_there_or_refused():
    from zerocast import _layout

    missing = {name for name in dir(np.ndarray) if not name.startswith("_") and not hasattr(zc.Array, name)}
    assert missing <= set(_layout._REFUSED)


def test_files_and_pickles(tmp_path):
    x = zc.asarray(made("f4"))
    x.tofile(tmp_path / "x.bin")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "x.bin", "f4"), made("f4").ravel())
    np.testing.assert_array_equal(np.asarray(pickle.loads(x.dumps())), made("f4"))
    x.dump(tmp_path / "x.pickle")
    stream = io.BytesIO()
    x.dump(stream)
    assert (tmp_path / "x.pickle").read_bytes() == stream.getvalue() == x.dumps()
    np.testing.assert_array_equal(np.asarray(pickle.loads(stream.getvalue())), made("f4"))
