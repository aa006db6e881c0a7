"""The versioned form, read through its declaration; and that zc_dlpack_copied_bytes tells what will be copied."""

import ctypes
import threading
from ctypes import byref, c_int64

import zerocast as zc
from case import Case, elements


class Versioned(Case):
    def test_broadcasts_are_shown_in_place_with_stride_0(self):
        z = self.context
        row = z.iota("float32", [4])
        wide = z.broadcast_to(z.flip(row, *zc.axes([0])), *zc.sizes([1000000, 4]))
        held = z.held_bytes()
        managed = zc.Managed(z, wide, legacy=False)
        self.assertEqual(z.held_bytes(), held)
        t = managed.tensor()
        self.assertEqual((managed.struct.major, managed.struct.flags), (1, zc.READ_ONLY))
        self.assertEqual(zc.shape_and_strides(t), ([1000000, 4], [0, -1]))
        self.assertEqual(t.data + t.byte_offset, zc.lib.zc_data(wide))
        self.assertEqual(t.data, zc.lib.zc_data(row) + 12)
        self.assertEqual([ctypes.c_float.from_address(t.data - 4 * i).value for i in range(4)], [3, 2, 1, 0])
        managed.end()
        self.assertEqual(managed.deleted, 1)

    def test_memory_lives_until_the_deleter_is_called_from_any_thread(self):
        z = self.context
        managed = zc.Managed(z, z.broadcast_to(z.iota("int64", [3]), *zc.sizes([5, 3])), legacy=False)
        z.free()
        self.assertEqual(elements(managed.tensor(), "int64"), 5 * [0, 1, 2])
        data = managed.tensor().data
        thread = threading.Thread(target=managed.end)
        thread.start()
        thread.join()
        self.assertEqual(managed.deleted, 1)
        self.assert_poisoned(data)

    def test_what_is_computed_is_a_copy_of_its_own(self):
        z = self.context
        column, row = z.iota("float64", [3, 1]), z.iota("float64", [4])
        managed = zc.Managed(z, z.add(column, row), legacy=False)
        z.release()
        self.assertEqual(managed.struct.flags, zc.IS_COPIED)
        self.assertEqual(zc.shape_and_strides(managed.tensor()), ([3, 4], [4, 1]))
        self.assertEqual(elements(managed.tensor(), "float64"), [i + j for i in range(3) for j in range(4)])
        self.assertEqual(z.held_bytes(), 96)
        managed.end()

    def test_every_dtype_goes_out_and_comes_back(self):
        z = self.context
        for dtype in zc.DTYPES:
            with self.subTest(dtype=dtype):
                managed = zc.Managed(z, z.iota(dtype, [2, 3]), legacy=False)
                t = managed.tensor()
                expected = [i if dtype != "bool" else i > 0 for i in range(6)]
                known = zc.dl_dtype(dtype)
                self.assertEqual((t.dtype.code, t.dtype.bits, t.dtype.lanes), (known.code, known.bits, 1))
                self.assertEqual((t.device.device_type, t.device.device_id), (zc.CPU, 0))
                self.assertEqual(elements(t, dtype), expected)
                back = z.keep(zc.lib.zc_from_dlpack(z.ctx, managed.address, None, 6 * zc.ITEM_BYTES[dtype]))
                self.assertEqual(self.values(back), (dtype, [2, 3], expected))
                self.assertEqual(managed.deleted, 0)
                z.release()
                self.assertEqual(managed.deleted, 1)

    def test_the_allocator_of_the_library_itself(self):
        z = zc.Context(poisons=False)
        managed = zc.Managed(z, z.broadcast_to(z.iota("int16", [1000]), *zc.sizes([2, 1000])), legacy=False)
        z.free()
        self.assertEqual(elements(managed.tensor(), "int16"), 2 * list(range(1000)))
        managed.end()

    def test_scalars_and_empty_tensors(self):
        z = self.context
        for shape in ([], [0], [3, 0, 2], [1, 1]):
            for legacy in (False, True):
                with self.subTest(shape=shape, legacy=legacy):
                    managed = zc.Managed(z, z.iota("int32", shape), legacy)
                    self.assertEqual(zc.shape_and_strides(managed.tensor())[0], shape)
                    self.assertEqual(elements(managed.tensor(), "int32"), [] if 0 in shape else [0])
                    managed.end()


# ---- Costs ----


def kinds_of_tensors(z):
    """Twenty-two tensors of different kinds: (name, tensor)."""
    x, row, scalar = z.iota("float32", [6, 4]), z.iota("float32", [4]), z.iota("int16", [])
    realised = z.add(x, row)
    z.materialize(realised)
    count = z.keep(zc.lib.zc_iota(z.ctx, 24))
    lazy = z.add(x, x)
    return {
        "dense": x,
        "scalar": scalar,
        "row of it": z.index(x, 0, 2),
        "column of it": z.index(x, 1, 3),
        "its first rows": z.slice(x, 0, 0, 2, 1),
        "every second": z.slice(x, 0, 0, 6, 2),
        "backwards": z.flip(x, *zc.axes([0, 1])),
        "transposed": z.permute_dims(x, *zc.axes([1, 0])),
        "diagonal": z.diagonal(x, 1, 0, 1),
        "broadcast": z.broadcast_to(row, *zc.sizes([9, 4])),
        "broadcast over size 1": z.broadcast_to(z.reshape(row, *zc.sizes([4, 1])), *zc.sizes([4, 1])),
        "scalar broadcast": z.broadcast_to(scalar, *zc.sizes([3, 5])),
        "reshaped view": z.reshape(x, *zc.sizes([2, 12])),
        "reshaped copy": z.reshape(z.permute_dims(x, *zc.axes([1, 0])), *zc.sizes([24])),
        "empty": z.slice(x, 0, 3, 3, 1),
        "empty broadcast": z.broadcast_to(z.slice(row, 0, 0, 0, 1), *zc.sizes([7, 0])),
        "lazy": lazy,
        "view of something lazy": z.broadcast_to(lazy, *zc.sizes([2, 6, 4])),
        "computed before": realised,
        "view of something computed": z.permute_dims(realised, *zc.axes([1, 0])),
        "counted": count,
        "constant": z.keep(zc.lib.zc_full(z.ctx, *zc.sizes([3, 4]), zc.DTYPES.index("uint16"), 7.0)),
        "reduction": z.sum(x, *zc.axes([0]), False),
        "cast": z.astype(x, zc.DTYPES.index("float64")),
    }


class Costs(Case):
    """What zc_dlpack_copied_bytes says is what happens."""

    def check(self, tensor, dense):
        z, said = self.context, c_int64(-1)
        self.assertEqual(zc.lib.zc_dlpack_copied_bytes(tensor, dense, byref(said)), 0)
        before = z.held_bytes()
        managed = zc.Managed(z, tensor, legacy=False, dense=dense)
        t = managed.tensor()
        self.assertEqual(z.held_bytes() - before, said.value)
        is_copied = managed.struct.flags == zc.IS_COPIED
        shape, strides = zc.shape_and_strides(t)
        if not is_copied:
            self.assertEqual((managed.struct.flags, said.value), (zc.READ_ONLY, 0))
            self.assertEqual(t.data, zc.lib.zc_data(tensor))
        elif 0 not in shape:
            self.assertGreater(said.value, 0)
        if dense or is_copied:
            self.assert_row_major(shape, strides)
        dtype, known_shape, known = self.values(tensor)
        self.assertEqual((shape, elements(t, dtype)), (known_shape, known))
        managed.end()
        self.assertEqual((managed.deleted, z.held_bytes()), (1, before))
        return is_copied

    def assert_row_major(self, shape, strides):
        step = 1
        for extent, stride in reversed(list(zip(shape, strides))):
            if extent > 1 and 0 not in shape:
                self.assertEqual(stride, step)
            step *= extent

    def test_copied_bytes_are_what_is_copied(self):
        kinds = kinds_of_tensors(self.context)
        self.assertGreaterEqual(len(kinds), 20)
        copied = {name: [self.check(t, dense) for dense in (False, True)] for name, t in kinds.items()}
        self.assertEqual(copied["dense"], [False, False])
        self.assertEqual(copied["transposed"], [False, True])
        self.assertEqual(copied["broadcast"], [False, True])
        self.assertEqual(copied["lazy"], [True, True])
        self.assertEqual(copied["computed before"], [False, False])

    def test_the_legacy_form_always_copies(self):
        z = self.context
        for name, tensor in kinds_of_tensors(z).items():
            with self.subTest(name):
                before = z.held_bytes()
                dtype, shape, known = self.values(tensor)
                managed = zc.Managed(z, tensor, legacy=True)
                self.assertEqual(z.held_bytes() - before, len(known) * zc.ITEM_BYTES[dtype])
                self.assertEqual(elements(managed.tensor(), dtype), known)
                self.assert_row_major(*zc.shape_and_strides(managed.tensor()))
                managed.end()
