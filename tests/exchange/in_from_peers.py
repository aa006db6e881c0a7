"""In: zerocast views what NumPy and PyTorch export, in place, and gives it back once."""

import ctypes
import weakref
from ctypes import c_void_p

import zerocast as zc
from case import Case, byte_bounds, elements, needs_numpy, needs_torch, np, torch


class InFromPeers(Case):
    def take(self, capsule, memory=None, size=None):
        """Views a capsule's tensor in place: (tensor, how often its deleter ran)."""
        z, deletions = self.context, []
        address, struct = zc.consume(capsule)
        real = zc.Deleter(struct.deleter)

        def count(managed):
            deletions.append(managed)
            real(managed)

        counting = zc.Deleter(count)
        self.addCleanup(lambda: counting)
        struct.deleter = ctypes.cast(counting, c_void_p).value
        if size is None:
            t = struct.dl_tensor
            size = sum((t.shape[a] - 1) * (t.strides[a] if t.strides else 0) for a in range(t.ndim))
            size = (size + 1) * (t.dtype.bits // 8)
        return z.keep(zc.lib.zc_from_dlpack_legacy(z.ctx, address, memory, size)), deletions

    def check_numpy(self, array):
        """In place, equal, and alive for as long as a tensor is over it."""
        memory, end = byte_bounds(array)
        expected = (array.dtype.name, list(array.shape), array.ravel().tolist())
        data, alive = array.ctypes.data, weakref.ref(array)
        tensor, deletions = self.take(array.__dlpack__(), memory, end - memory)
        del array
        self.assertTrue(zc.lib.zc_is_view(tensor))
        if 0 not in expected[1]:
            self.assertEqual(zc.lib.zc_data(tensor), data)
        self.assertEqual(self.values(tensor), expected)
        self.assertIsNotNone(alive())
        self.assertEqual(self.context.held_bytes(), 0)
        turned = self.context.flip(tensor, -1, None)
        self.assertEqual(self.values(turned)[2], expected[2][::-1])
        self.context.release()
        self.assertEqual(len(deletions), 1)
        self.assertIsNone(alive())

    @needs_numpy
    def test_numpy_arrays_are_viewed_in_place(self):
        makers = [
            lambda x: x.copy(),
            lambda x: x.T.copy().T,
            lambda x: x.copy()[::-1],
            lambda x: x.copy()[:, ::-2],
            lambda x: x.copy()[1:, 1:2],
            lambda x: np.asfortranarray(x),
            lambda x: np.lib.stride_tricks.as_strided(x.copy()[0], (5, 4), (0, x.itemsize)),
            lambda x: np.lib.stride_tricks.sliding_window_view(x.copy(), (2, 2), writeable=True),
            lambda x: x.copy()[0, 0, ...],
            lambda x: x.copy()[:0],
            lambda x: x.copy().reshape(1, 3, 1, 4),
        ]
        for dtype in zc.NUMPY_DTYPES:
            for number, make in enumerate(makers):
                with self.subTest(dtype=dtype, kind=number):
                    self.check_numpy(make(np.arange(12, dtype=dtype).reshape(3, 4)))

    @needs_numpy
    def test_special_values_come_as_they_are(self):
        self.check_numpy(np.array([np.inf, -np.inf, -0.0, 5e-324, 1e308]))
        self.check_numpy(np.array([2**63 - 1, -(2**63)], dtype="int64"))
        self.check_numpy(np.array([2**64 - 1], dtype="uint64"))
        self.check_numpy(np.array([1 + 2j, complex(np.inf, -0.0), 5e-324j], dtype="complex128"))
        self.check_numpy(np.array([[1 + 2j, -3.5j]], dtype="complex64").T)

    @needs_numpy
    def test_memory_smaller_than_the_array_is_refused(self):
        array = np.arange(12.0)[::-1]
        memory, end = byte_bounds(array)
        for start, size in ((memory, end - memory - 8), (memory + 8, end - memory - 8), (None, end - memory)):
            with self.assertRaises(zc.Failed):
                self.take(array.__dlpack__(), start, size)

    def check_torch(self, make):
        """The tensor's storage is NumPy's memory, so that its end is seen."""
        storage = np.arange(24.0)
        alive = weakref.ref(storage)
        source = make(torch.from_numpy(storage))
        expected = ("float64", list(source.shape), source.reshape(-1).tolist())
        strides = [s if n > 1 and 0 not in source.shape else 0 for n, s in zip(source.shape, source.stride())]
        data = source.data_ptr()
        tensor, deletions = self.take(source.__dlpack__())
        del source, storage
        self.assertIsNotNone(alive())
        self.assertEqual(self.values(tensor), expected)
        self.assertEqual([zc.lib.zc_strides(tensor)[a] for a in range(len(strides))], strides)
        if 0 not in expected[1]:
            self.assertEqual(zc.lib.zc_data(tensor), data)
        self.assertEqual(self.context.held_bytes(), 0)
        self.context.release()
        self.assertEqual(len(deletions), 1)
        self.assertIsNone(alive())

    @needs_torch
    def test_torch_tensors_are_viewed_in_place(self):
        makers = [
            lambda x: x,
            lambda x: x.reshape(4, 6),
            lambda x: x.reshape(4, 6).t(),
            lambda x: x[3].expand(5),
            lambda x: x[:4].expand(3, 4),
            lambda x: x[:4].unsqueeze(1).expand(4, 7),
            lambda x: x.reshape(4, 6)[1:, ::2],
            lambda x: x.reshape(2, 3, 4).permute(2, 0, 1),
            lambda x: x.unfold(0, 3, 1),
            lambda x: x[7],
            lambda x: x.reshape(1, 24, 1),
        ]
        for number, make in enumerate(makers):
            with self.subTest(kind=number):
                self.check_torch(make)

    @needs_torch
    def test_torch_dtypes(self):
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "float32", "float64", "float16", "bfloat16"):
            tensor, deletions = self.take(torch.arange(6, dtype=getattr(torch, dtype)).reshape(2, 3).__dlpack__())
            self.assertEqual(self.values(tensor), (dtype, [2, 3], list(range(6))))
            self.context.release()
            self.assertEqual(len(deletions), 1)

    @needs_torch
    def test_torch_complex_numbers(self):
        for dtype in ("complex64", "complex128"):
            source = torch.arange(6).reshape(2, 3).to(getattr(torch, dtype)) * (1 - 2j)
            tensor, deletions = self.take(source.t().__dlpack__())
            self.assertEqual(self.values(tensor), (dtype, [3, 2], [n - 2j * n for n in (0, 3, 1, 4, 2, 5)]))
            self.context.release()
            self.assertEqual(len(deletions), 1)

    @needs_torch
    def test_empty_torch_tensors_without_memory(self):
        tensor, deletions = self.take(torch.empty((0, 3)).__dlpack__(), None, 0)
        self.assertEqual(self.values(tensor), ("float32", [0, 3], []))
        self.context.release()
        self.assertEqual(len(deletions), 1)

    @needs_torch
    def test_there_and_back_is_the_same_memory(self):
        """torch -> zerocast -> expanded -> versioned form: one memory throughout."""
        z, source = self.context, torch.arange(3, dtype=torch.int32)
        tensor, deletions = self.take(source.__dlpack__())
        managed = zc.Managed(z, z.broadcast_to(tensor, *zc.sizes([4, 3])), legacy=False)
        z.release()
        self.assertEqual(managed.tensor().data, source.data_ptr())
        self.assertEqual(elements(managed.tensor(), "int32"), 4 * [0, 1, 2])
        self.assertEqual(len(deletions), 0)
        managed.end()
        self.assertEqual(len(deletions), 1)
