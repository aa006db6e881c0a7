"""Structures nobody should send: refused in a sentence, their deleter called once; and odd ones that are right."""

import ctypes
from ctypes import c_int64, c_void_p

import zerocast as zc
from case import Case


def hostile_changes():
    """(name, change of a good DLTensor over 8 doubles): each must be refused."""
    far = (c_int64 * 2)(2**62, 1)
    changes = {
        "a GPU": lambda t: setattr(t.device, "device_type", 2),
        "device 0": lambda t: setattr(t.device, "device_type", 0),
        "rank -1": lambda t: setattr(t, "ndim", -1),
        "rank 65": lambda t: setattr(t, "ndim", 65),
        "rank of 2^31": lambda t: setattr(t, "ndim", -(2**31)),
        "no shape": lambda t: setattr(t, "shape", None),
        "a negative extent": lambda t: setattr(t, "shape", (c_int64 * 2)(-1, 4)),
        "2^62 x 4 elements": lambda t: setattr(t, "shape", far),
        "0 x 2^62 x ...": lambda t: setattr(t, "shape", (c_int64 * 2)(2**63 - 1, 2**63 - 1)),
        "more than the memory": lambda t: setattr(t, "shape", (c_int64 * 2)(3, 4)),
        "strides of 2^62": lambda t: setattr(t, "strides", far),
        "strides that wrap": lambda t: setattr(t, "strides", (c_int64 * 2)(-(2**63), 1)),
        "backwards out of the memory": lambda t: setattr(t, "strides", (c_int64 * 2)(-4, 1)),
        "an offset past the end": lambda t: setattr(t, "byte_offset", 64),
        "an offset of 2^64 - 8": lambda t: setattr(t, "byte_offset", 2**64 - 8),
        "an odd offset": lambda t: setattr(t, "byte_offset", 4),
        "no data": lambda t: setattr(t, "data", None),
        "odd data": lambda t: setattr(t, "data", t.data + 1),
        "two lanes": lambda t: setattr(t.dtype, "lanes", 2),
        "no lanes": lambda t: setattr(t.dtype, "lanes", 0),
        "7 bits": lambda t: setattr(t.dtype, "bits", 7),
        "128 bits": lambda t: setattr(t.dtype, "bits", 128),
        "an unknown type": lambda t: setattr(t.dtype, "code", 200),
        "complex numbers of 16-bit parts": lambda t: (setattr(t.dtype, "code", 5), setattr(t.dtype, "bits", 32)),
    }
    return changes.items()


class Hostile(Case):
    def offer(self, form, change, size=64, **fields):
        """Offers a structure over 8 doubles, (2, 4), to the library: its tensor or None, and the deletions."""
        memory = (ctypes.c_double * 8)(*range(8))
        deletions = []
        deleter = zc.Deleter(deletions.append)
        struct = form(deleter=ctypes.cast(deleter, c_void_p).value, **fields)
        struct.dl_tensor = zc.DLTensor(
            ctypes.addressof(memory), zc.DLDevice(zc.CPU, 0), 2, zc.dl_dtype("float64"), (c_int64 * 2)(2, 4), None, 0
        )
        change(struct.dl_tensor)
        call = zc.lib.zc_from_dlpack if form is zc.DLManagedTensorVersioned else zc.lib.zc_from_dlpack_legacy
        self.kept = (memory, deleter, struct)
        return call(self.context.ctx, ctypes.addressof(struct), ctypes.addressof(memory), size), deletions

    def forms(self):
        yield zc.DLManagedTensor, {}
        yield zc.DLManagedTensorVersioned, {"major": 1, "minor": 9}

    def assert_refused(self, tensor, deletions):
        self.assertIsNone(tensor)
        self.assertEqual(len(deletions), 1, "the deleter of what is refused runs once")
        sentence = zc.lib.zc_error_text(self.context.ctx).decode()
        self.assertRegex(sentence, r"^from_dlpack(_legacy)?: .{10,}")
        zc.lib.zc_error_clear(self.context.ctx)

    def test_what_cannot_be_viewed_is_refused_and_ended_once(self):
        for form, fields in self.forms():
            for name, change in hostile_changes():
                with self.subTest(name, form=form.__name__):
                    self.assert_refused(*self.offer(form, change, **fields))
            with self.subTest("memory too small", form=form.__name__):
                self.assert_refused(*self.offer(form, lambda t: None, size=63, **fields))

    def test_other_major_versions_are_refused_unread(self):
        for major in (0, 2, 2**32 - 1):
            tensor = self.offer(zc.DLManagedTensorVersioned, lambda t: setattr(t, "shape", None), major=major)
            self.assert_refused(*tensor)

    def test_what_can_be_viewed_is_taken_and_ended_once(self):
        good = {
            "as it is": lambda t: None,
            "a later offset": lambda t: (setattr(t, "byte_offset", 32), setattr(t, "shape", (c_int64 * 2)(1, 4))),
            "rank 0": lambda t: (setattr(t, "ndim", 0), setattr(t, "shape", None)),
            "no elements": lambda t: setattr(t, "shape", (c_int64 * 2)(0, 4)),
            "repeated": lambda t: setattr(t, "strides", (c_int64 * 2)(0, 1)),
            "wild strides of axes of size 1": lambda t: (
                setattr(t, "shape", (c_int64 * 2)(1, 4)),
                setattr(t, "strides", (c_int64 * 2)(2**62, 1)),
            ),
        }
        for form, fields in self.forms():
            for name, change in good.items():
                with self.subTest(name, form=form.__name__):
                    tensor, deletions = self.offer(form, change, **fields)
                    self.context.keep(tensor)
                    self.values(tensor)
                    self.assertEqual(len(deletions), 0)
                    self.context.release()
                    self.assertEqual(len(deletions), 1)

    def test_bools_of_other_bytes_are_true_and_copied_as_1(self):
        def as_bool(t):
            t.dtype, t.ndim, t.shape = zc.dl_dtype("bool"), 1, (c_int64 * 1)(8)
            ctypes.memmove(t.data, bytes([0, 1, 2, 255, 0, 128, 1, 0]), 8)

        tensor, deletions = self.offer(zc.DLManagedTensor, as_bool)
        copy = zc.Managed(self.context, self.context.keep(tensor), legacy=True)
        at = copy.tensor().data
        self.assertEqual(list((ctypes.c_uint8 * 8).from_address(at)), [0, 1, 1, 1, 0, 1, 1, 0])
        copy.end()
        self.context.release()
        self.assertEqual(len(deletions), 1)
