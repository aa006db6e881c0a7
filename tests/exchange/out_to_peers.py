"""Out: NumPy and PyTorch take what zerocast exports, and keep it alive for just as long as they use it."""

import zerocast as zc
from case import Case, needs_numpy, needs_torch, np, torch


class OutToPeers(Case):
    def check(self, take, as_list, tensor, expected):
        """`take` makes the peer's array; everything of ours is released while it lives."""
        z = self.context
        exporter = zc.Exporter(z, tensor)
        managed = exporter.managed
        data = managed.tensor().data
        array = take(exporter)
        del exporter
        z.release()
        self.assertEqual(managed.deleted, 0, "deleted while the array is in use")
        self.assertEqual(as_list(array), expected)
        view = array[1:]
        del array
        self.assertEqual((managed.deleted, as_list(view)), (0, expected[1:]))
        del view
        self.assertEqual(managed.deleted, 1)
        self.assertEqual(z.held_bytes(), 0)
        self.assert_poisoned(data)

    def kinds(self, dtype):
        """(tensor, its elements): dense, broadcast, transposed, backwards, computed."""
        z = self.context
        table = [[0, 1, 2], [3, 4, 5]]
        make = lambda: z.iota(dtype, [2, 3])
        yield make(), table
        yield z.broadcast_to(z.iota(dtype, [3]), *zc.sizes([4, 3])), 4 * [[0, 1, 2]]
        yield z.permute_dims(make(), *zc.axes([1, 0])), [[0, 3], [1, 4], [2, 5]]
        yield z.flip(make(), *zc.axes([0, 1])), [[5, 4, 3], [2, 1, 0]]
        yield z.add(make(), make()), [[0, 2, 4], [6, 8, 10]]

    def check_peer(self, take, dtypes, name_of):
        for dtype in dtypes:
            for kind in range(5):
                with self.subTest(dtype=dtype, kind=kind):
                    tensor, expected = list(self.kinds(dtype))[kind]

                    def take_checked(exporter):
                        array = take(exporter)
                        self.assertEqual(name_of(array), dtype)
                        return array

                    self.check(take_checked, lambda array: array.tolist(), tensor, expected)

    @needs_numpy
    def test_numpy_takes_what_goes_out(self):
        self.check_peer(np.from_dlpack, zc.NUMPY_DTYPES, lambda array: array.dtype.name)

    @needs_torch
    def test_torch_takes_what_goes_out(self):
        dtypes = ["int8", "int16", "int32", "int64", "uint8", "float32", "float64", "float16", "bfloat16", "complex64", "complex128"]
        self.check_peer(torch.from_dlpack, dtypes, lambda tensor: str(tensor.dtype).split(".")[1])

    def check_refusal(self, take, dtype):
        """A peer that does not know a type leaves the capsule alone, and its exporter ends the tensor."""
        exporter = zc.Exporter(self.context, self.context.iota(dtype, [3]))
        managed = exporter.managed
        try:
            array = take(exporter)
        except (BufferError, RuntimeError):
            array = None
        del exporter, array
        self.assertEqual(managed.deleted, 1)

    @needs_numpy
    def test_numpy_taking_or_refusing_bool_ends_it_once(self):
        self.check_refusal(np.from_dlpack, "bool")

    @needs_torch
    def test_torch_taking_or_refusing_unsigned_types_ends_them_once(self):
        for dtype in ("bool", "uint16", "uint32", "uint64"):
            self.check_refusal(torch.from_dlpack, dtype)

    def test_a_capsule_that_nobody_takes_ends_its_tensor(self):
        exporter = zc.Exporter(self.context, self.context.iota("int32", [3]))
        managed, capsule = exporter.managed, exporter.__dlpack__()
        self.context.release()
        self.assertEqual(managed.deleted, 0)
        del exporter, capsule
        self.assertEqual((managed.deleted, self.context.held_bytes()), (1, 0))

    @needs_torch
    def test_writing_to_the_copy_changes_nobody_else(self):
        z = self.context
        x = z.iota("float32", [4])
        tensor = torch.from_dlpack(zc.Exporter(z, x))
        tensor.fill_(9)
        self.assertEqual(self.values(x)[2], [0, 1, 2, 3])
