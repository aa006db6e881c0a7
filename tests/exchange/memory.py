"""The library as a running process loads it: over the system's allocator, unless jemalloc was preloaded."""

import ctypes
import unittest

import zerocast as zc


class TestMemory(unittest.TestCase):
    """More than there is, is refused; what is given back can be used again."""

    def test_more_than_there_is(self):
        context = zc.Context(poisons=False)
        one = context.iota("int8", (1,))
        huge = context.broadcast_to(one, *zc.sizes((1 << 60,)))
        with self.assertRaisesRegex(zc.Failed, "^materialize: out of memory$"):
            context.materialize(huge)
        zc.lib.zc_error_clear(ctypes.c_void_p(context.ctx))
        zc.lib.zc_context_trim(ctypes.c_void_p(context.ctx))
        context.materialize(context.broadcast_to(one, *zc.sizes((1 << 20,))))
        self.assertGreaterEqual(context.held_bytes(), 1 << 20)
        context.free()
