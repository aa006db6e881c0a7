#!/usr/bin/env python3
"""DLPack against the libraries it is for: NumPy and PyTorch, as they are installed, and structures written by hand.

Values are compared with the peer's own, deleters are counted, and memory that the library gives back is overwritten, so
that a reader who comes too late is seen. The peers of Debian 12 speak DLPack's legacy form; the versioned one is
read through its declaration.

    test_exchange.py LIBZEROCAST.so
"""

import sys
import unittest

import hostile
import in_from_peers
import memory
import out_to_peers
import versioned
import zerocast as zc
from case import np, torch


def main():
    zc.load(sys.argv[1])
    for name, peer in (("NumPy", np), ("PyTorch", torch)):
        print(name, peer.__version__ if peer is not None else "is not installed: its tests are skipped")
    suite = unittest.TestSuite()
    for module in (versioned, hostile, memory, out_to_peers, in_from_peers):
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    failed = len({test.id().split(" ")[0] for test, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
