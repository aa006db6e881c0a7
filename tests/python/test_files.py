"""Files of several arrays, beside NumPy and the safetensors library: both ways, with the same bits."""

import zipfile

import numpy as np
import pytest

import zerocast as zc

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def arrays(dtypes):
    """An array of each dtype and of several shapes, with a seed that is the same every time."""
    draw = np.random.default_rng(7)
    found = {}
    for number, dtype in enumerate(dtypes):
        shape = [(), (0, 3), (5,), (2, 3, 4), (70, 70)][number % 5]
        found[f"layer.{number}:{dtype}"] = draw.integers(0, 100, shape).astype(dtype)
    return found


def same(ours, theirs):
    assert sorted(ours) == sorted(theirs)
    for name, x in theirs.items():
        mine = np.asarray(ours[name])
        assert mine.dtype == x.dtype.newbyteorder("=") and mine.shape == x.shape, name
        assert mine.tobytes() == x.astype(mine.dtype).tobytes(), name


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_archives_of_numpy_are_read(tmp_path, write):
    wanted = arrays(DTYPES)
    wanted["fortran"] = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    wanted["big"] = np.arange(12).astype(">i4")
    write(tmp_path / "a.npz", **wanted)
    same(zc.open(tmp_path / "a.npz"), wanted)
    assert np.array_equal(np.asarray(zc.open(f"{tmp_path}/a.npz:big.npy")), wanted["big"])


def test_numpy_reads_archives(tmp_path):
    wanted = arrays(DTYPES)
    zc.save({name: zc.asarray(x) for name, x in wanted.items()}, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as found:
        assert found.files == list(wanted)
        same(wanted, dict(found))
    with zipfile.ZipFile(tmp_path / "a.npz") as found:
        assert found.testzip() is None


def test_one_array_needs_no_name(tmp_path):
    for ending, name in (("npz", "arr_0"), ("safetensors", "data")):
        path = tmp_path / f"x.{ending}"
        zc.save(zc.arange(3) + 1, path)
        assert zc.open(path).tolist() == zc.open(f"{path}:{name}").tolist() == [1, 2, 3]


def test_safetensors_are_read_and_written(tmp_path):
    peer = pytest.importorskip("safetensors.numpy")
    wanted = arrays([d for d in DTYPES if d[0] != "c"])
    peer.save_file(wanted, tmp_path / "a.safetensors", metadata={"format": "\u00e9 \"quoted\""})
    same(zc.open(tmp_path / "a.safetensors"), wanted)
    zc.save({name: zc.asarray(x) for name, x in wanted.items()}, tmp_path / "b.safetensors")
    same(peer.load_file(tmp_path / "b.safetensors"), wanted)
    names = {"\n\t\"\\/\x01\x7f": np.arange(3), "\u00e9\u20ac\U0001d11e": np.arange(4), " ": np.arange(5)}
    zc.save({name: zc.asarray(x) for name, x in names.items()}, tmp_path / "c.safetensors")
    same(peer.load_file(tmp_path / "c.safetensors"), names)
    peer.save_file(names, tmp_path / "d.safetensors")
    same(zc.open(tmp_path / "d.safetensors"), names)


def test_results_of_one_file_are_computed_in_one_run(tmp_path):
    x = zc.arange(1000.0)
    zc.save({"mean": zc.mean(x), "centred": x - zc.mean(x)}, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as found:
        assert found["mean"] == 499.5 and found["centred"][0] == -499.5


def test_what_is_no_array_is_refused_by_its_name(tmp_path):
    np.savez(tmp_path / "a.npz", text=np.array(["a"]), x=np.arange(3))
    assert zc.open(f"{tmp_path}/a.npz:x").tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="a.npz:text.npy: the dtype '<U1' is not supported"):
        zc.open(f"{tmp_path}/a.npz:text")
    with pytest.raises(ValueError, match="no array is named 'y'; there are text, x"):
        zc.open(f"{tmp_path}/a.npz:y")
    assert {name: x.tolist() for name, x in zc.open(tmp_path / "a.npz").items()} == {"x": [0, 1, 2]}
    np.savez(tmp_path / "c.npz", text=np.array(["a"]))
    with pytest.raises(ValueError, match="the dtype '<U1'"):
        zc.open(tmp_path / "c.npz")
    (tmp_path / "b.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match="the end record of a zip archive is missing"):
        zc.open(tmp_path / "b.npz")
    with pytest.raises(FileNotFoundError):
        zc.open(f"{tmp_path}/missing.npz:x")


def test_names_that_are_alike_stand_for_their_own_arrays(tmp_path):
    path = tmp_path / "a.npz"
    names = {"x": [1], "x.npy": [2], "f": [3], "": [4], "n" * 400: [5]}
    zc.save({name: zc.asarray(x) for name, x in names.items() if name}, path)
    zc.save(zc.asarray([9]), f"{path}:f.npy")
    (tmp_path / "a.npz:f").write_bytes((tmp_path / "a.npz:f.npy").read_bytes())
    assert {name: x.tolist() for name, x in zc.open(path).items()} == {n: x for n, x in names.items() if n}
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as found:
        for name, x in names.items():
            np.save(tmp_path / "one.npy", np.asarray(x))
            found.write(tmp_path / "one.npy", f"{name}.npy" if name != "x.npy" else name[:-4])
    assert {name: x.tolist() for name, x in zc.open(tmp_path / "b.npz").items()} == {"x.npy": [1], "x": [2]} | {
        n: x for n, x in names.items() if n not in ("x", "x.npy")
    }


def test_as_many_arrays_as_a_directory_without_zip64_counts(tmp_path):
    np.save(tmp_path / "one.npy", np.arange(2))
    one = (tmp_path / "one.npy").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as found:
        for i in range(65535):
            found.writestr(f"{i}.npy", one)
    assert zc.open(f"{tmp_path}/a.npz:65534").tolist() == [0, 1]


def test_what_is_saved_by_name_is_checked(tmp_path):
    x = zc.arange(3)
    for arrays, error, words in (
        ({"x": x, 1: x}, TypeError, "by names that are text, not 1"),
        ({}, ValueError, "an array at least"),
        ({"": x}, ValueError, "an array has no name"),
        ({"x": "text"}, TypeError, "takes arrays and numbers"),
        ({"a\0b": x}, ValueError, "null"),
    ):
        with pytest.raises(error, match=words):
            zc.save(arrays, tmp_path / "a.npz")
    with pytest.raises(ValueError, match="a .npy file is one array without a name"):
        zc.save({"x": x}, tmp_path / "a.npy")
    assert not list(tmp_path.iterdir())


def test_bytes_are_paths_too(tmp_path):
    path = bytes(tmp_path / "a.npz")
    zc.save({"x": zc.arange(3), "y": 1}, path)
    assert sorted(zc.open(path)) == ["x", "y"]
    assert zc.open(path + b":x").tolist() == [0, 1, 2]
