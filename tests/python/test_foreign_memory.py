"""Memory of other libraries: buffers and DLPack structures that leave out what they may, and what is no number."""

import ctypes
import gc

import numpy as np
import pytest

import zerocast as zc


def test_buffers_that_leave_something_out():
    three = (ctypes.c_int * 3)(1, 2, 3)
    assert zc.asarray(three).tolist() == [1, 2, 3] and zc.asarray(three).dtype is zc.int32
    assert zc.asarray(((ctypes.c_double * 2) * 3)()).shape == (3, 2)
    assert zc.asarray(ctypes.c_int16(5)).tolist() == 5
    assert zc.asarray((ctypes.c_bool * 2)(True, False)).dtype is zc.bool
    assert zc.asarray((ctypes.c_uint8 * 0)()).shape == (0,)
    assert zc.asarray(bytearray(b"ab")).tolist() == [97, 98]
    for code, dtype in (("l", "int64"), ("q", "int64"), ("L", "uint64"), ("N", "uint64"), ("n", "int64"), ("?", "bool")):
        shown = memoryview(bytearray(16)).cast(code)
        assert zc.asarray(shown).dtype == dtype
    swapped = (ctypes.c_int32.__ctype_be__ * 2)(1, 2)
    others = (ctypes.c_char, ctypes.c_longdouble, ctypes.c_wchar, ctypes.c_void_p)
    for refused in (swapped, *((kind * 2)() for kind in others)):
        with pytest.raises(TypeError):
            zc.asarray(refused)


def test_dates_and_records_are_no_numbers():
    date = np.datetime64("2020-01-01")
    x = zc.arange(3)
    texts = (np.str_("a"), np.bytes_(b"abcdefgh"), np.array(["a"]))
    for refused in (date, date - date, np.array([date]), np.array(date), *texts):
        with pytest.raises(TypeError):
            zc.asarray(refused)
    day = np.timedelta64(1, "D")  # NumPy's operator gives a NumPy array of what is not known here
    np.testing.assert_array_equal(x + day, np.arange(3) + day)
    record = np.zeros(3, dtype=[("b", "i1"), ("a", "f4"), ("c", "<i8")])
    record["a"], record["c"] = [1, 2, 3], [4, 5, 6]
    for refused in (record, record[0]):
        with pytest.raises(TypeError):
            zc.asarray(refused)
    assert zc.asarray(record["a"]).tolist() == [1, 2, 3] and zc.asarray(record["c"]).tolist() == [4, 5, 6]
    assert zc.asarray(record["b"]).tolist() == [0, 0, 0]
    with pytest.raises((TypeError, ValueError)):
        zc.asarray(record["a"], copy=False)
    assert zc.asarray(np.frombuffer(bytes(17), np.float64, 2, 1)).tolist() == [0, 0]  # not aligned
    assert zc.asarray(np.arange(3, dtype=">i4")).tolist() == [0, 1, 2]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


class Shown:
    """An object with __dlpack__, over memory of its own, whose structure says what a test wants."""

    def __init__(self, legacy, values, major=1, with_deleter=False, **fields):
        self.memory = (ctypes.c_float * max(len(values), 1))(*values)
        self.deleted = 0
        self.held = Legacy() if legacy else Versioned(major=major, minor=0)
        defaults = {"data": ctypes.addressof(self.memory), "device_type": 1, "ndim": 1, "code": 2, "bits": 32, "lanes": 1}
        for name, value in {**defaults, "shape": [len(values)], **fields}.items():
            is_list = name in ("shape", "strides") and value is not None
            setattr(self.held.tensor, name, (ctypes.c_int64 * len(value))(*value) if is_list else value)
        if with_deleter:
            self.called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.delete)
            self.held.deleter = ctypes.cast(self.called, ctypes.c_void_p)
        self.name = b"dltensor" if legacy else b"dltensor_versioned"

    def delete(self, structure):
        self.deleted += 1

    def __dlpack__(self, **unused):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.held), self.name, None)


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("with_deleter", [False, True])
def test_dlpack_that_leaves_something_out(legacy, with_deleter):
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    for fields, wanted in (
        ({}, values),
        ({"shape": [2, 3], "ndim": 2}, [[1, 2, 3], [4, 5, 6]]),
        ({"shape": [2, 3], "ndim": 2, "strides": [1, 2]}, [[1, 3, 5], [2, 4, 6]]),
        ({"shape": [3], "strides": [-2], "byte_offset": 16}, [5, 3, 1]),
        ({"shape": None, "ndim": 0}, 1),
        ({"shape": [0, 5], "ndim": 2, "data": None}, []),
        ({"shape": [2], "byte_offset": 8}, [3, 4]),
        ({"shape": [3], "strides": [0]}, [1, 1, 1]),
    ):
        shown = Shown(legacy, values, with_deleter=with_deleter, **fields)
        x = zc.from_dlpack(shown)
        assert x.tolist() == wanted, fields
        del x
        gc.collect()
        assert shown.deleted == with_deleter
    for fields in (
        {"shape": None},
        {"shape": [-1]},
        {"ndim": -1},
        {"ndim": 65},
        {"lanes": 2},
        {"lanes": 0},
        {"bits": 0},
        {"bits": 128},
        {"code": 77},
        {"device_type": 2},
        {"shape": [2**62, 2**62], "ndim": 2},
        {"shape": [6], "strides": [2**62]},
        {"data": None},
        *([] if legacy else [{"major": 2}, {"major": 0}]),
    ):
        shown = Shown(legacy, values, with_deleter=with_deleter, **fields)
        with pytest.raises((BufferError, ValueError, TypeError, OverflowError)):
            zc.from_dlpack(shown)
        gc.collect()
        assert shown.deleted <= with_deleter, fields
