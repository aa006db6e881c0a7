"""What the exchange tests share: a context per test that must leave nothing behind, and the peers that are there."""

import ctypes
import struct
import unittest

import zerocast as zc

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None

# Lowest and one past the highest address of an array; NumPy 2 keeps it elsewhere.
byte_bounds = getattr(np, "byte_bounds", None) or (np and np.lib.array_utils.byte_bounds)

needs_numpy = unittest.skipIf(np is None, "NumPy is not installed (Debian: python3-numpy)")
needs_torch = unittest.skipIf(np is None or torch is None, "PyTorch is not installed (Debian: python3-torch)")

ELEMENT = {"bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double}
ELEMENT |= {"float16": ctypes.c_uint16, "bfloat16": ctypes.c_uint16}  # their bits
ELEMENT |= {"complex64": 2 * ctypes.c_float, "complex128": 2 * ctypes.c_double}  # their parts


def element_type(dtype):
    return ELEMENT.get(dtype) or getattr(ctypes, f"c_{dtype}")


def decode(dtype, value):
    """The number that an element is, of those which ctypes knows no type for."""
    if dtype == "float16":
        return struct.unpack("<e", struct.pack("<H", value))[0]
    if dtype == "bfloat16":
        return struct.unpack("<f", struct.pack("<I", value << 16))[0]
    if dtype.startswith("complex"):
        return complex(*value)
    return value


def elements(t, dtype):
    """The elements of a DLTensor, row-major, walked by its strides."""
    shape, strides = zc.shape_and_strides(t)
    offsets = [0]
    for extent, stride in zip(shape, strides):
        offsets = [offset + i * stride for offset in offsets for i in range(extent)]
    at = (t.data or 0) + t.byte_offset
    addresses = [at + offset * zc.ITEM_BYTES[dtype] for offset in offsets]
    cells = [element_type(dtype).from_address(address) for address in addresses]
    return [decode(dtype, getattr(cell, "value", cell)) for cell in cells]


class Case(unittest.TestCase):
    """A context per test; nothing of it may be left at the end."""

    def setUp(self):
        self.context = zc.Context()

    def tearDown(self):
        if self.context.ctx is not None:
            self.context.release()
            self.assertEqual(self.context.held_bytes(), 0, "data memory is left")
            self.context.free()
        self.assertEqual(self.context.allocator.live, {}, "memory is left")

    def assert_poisoned(self, address):
        self.assertEqual(ctypes.c_uint8.from_address(address).value, zc.PoisoningAllocator.POISON)

    def values(self, tensor):
        """A tensor's elements, computed by the library into memory of this process."""
        dtype = zc.DTYPES[zc.lib.zc_dtype_of(tensor)]
        shape = [zc.lib.zc_shape(tensor)[a] for a in range(zc.lib.zc_rank(tensor))]
        count = 1
        for extent in shape:
            count *= extent
        out = (element_type(dtype) * max(count, 1))()
        status = zc.lib.zc_materialize_into(tensor, out, count * zc.ITEM_BYTES[dtype], None, 0)
        self.assertEqual(status, 0, zc.lib.zc_error_text(self.context.ctx))
        return dtype, shape, [decode(dtype, value) for value in out[:count]]
