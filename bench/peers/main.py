#!/usr/bin/env python3
"""What NumPy, XLA, numexpr and PyTorch take for the cases of the benchmark.

    main.py THREADS

Reads lines from standard input:

    load CASE X_DTYPE X_COUNT Y_DTYPE Y_COUNT PARAMETERS
                          behind it x, y and the parameters (float32); answered with the runners that the installed
                          packages have for the case
    time RUNNER REPEATS   answered with the seconds of one run
    peak RUNNER           answered with the bytes of data that a run takes at once, as Python's allocators see them
    result RUNNER         answered with a count of bytes, a newline and the bytes
    drop                  forgets the case; no answer

packages.py says what a case is; the other files hold the cases.
"""

import os
import sys
import time
import tracemalloc

THREADS = int(sys.argv[1])

# Before the packages start their threads: as many as ours has, and one that waits must not take a processor from those
# that are measured.
os.environ.update(OMP_WAIT_POLICY="passive", GOMP_SPINCOUNT="0", KMP_BLOCKTIME="0")
os.environ.update(OPENBLAS_THREAD_TIMEOUT="4")  # 2^4 turns of a loop; 2^26, its own choice, are 70 ms and more
os.environ.update(NUMEXPR_MAX_THREADS="2", NUMEXPR_NUM_THREADS=sys.argv[1])
os.environ.update(OPENBLAS_NUM_THREADS=sys.argv[1], OMP_NUM_THREADS=sys.argv[1], JAX_PLATFORMS="cpu")
if THREADS == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

try:
    import numpy as np
except ImportError:
    sys.exit()

import chains
import contractions
import functions
import gathers
import grids
import integers
import layout
import models
import orders
import pairs
import products
import programs
import reductions
import rows
import windows
from packages import jnp, ne, torch

FILES = (
    chains,
    contractions,
    functions,
    gathers,
    grids,
    integers,
    layout,
    models,
    orders,
    pairs,
    products,
    programs,
    reductions,
    rows,
    windows,
)


def read_array(dtype, count):
    kind = jnp.bfloat16 if dtype == "bfloat16" and jnp else np.dtype(dtype)
    data = np.zeros(count, kind)
    rest = memoryview(data.view(np.uint8))
    while len(rest) > 0:
        rest = rest[sys.stdin.buffer.readinto(rest) :]
    return data


def timed(run, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def peak(run):
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def load(case, x_dtype, x_count, y_dtype, y_count, parameters):
    if torch:
        torch.set_num_threads(THREADS)
    if ne:
        ne.set_num_threads(THREADS)
    x, y = read_array(x_dtype, int(x_count)), read_array(y_dtype, int(y_count))
    p = read_array("float32", int(parameters))
    return next(getattr(file, case) for file in FILES if hasattr(file, case))(x, y, p)


def send(result):
    data = np.ascontiguousarray(result)
    print(data.nbytes, flush=True)
    sys.stdout.buffer.write(data.reshape(-1).view(np.uint8).data)
    sys.stdout.buffer.flush()


def main():
    runners = {}
    while line := sys.stdin.buffer.readline():
        what, *rest = line.decode().split()
        if what == "drop":
            runners = {}
        elif what == "load":
            runners = {}  # before there are others: their memory goes first
            runners = load(*rest)
            print(*runners, flush=True)
        elif what == "time":
            print(timed(runners[rest[0]], int(rest[1])), flush=True)
        elif what == "peak":
            print(peak(runners[rest[0]]), flush=True)
        else:
            send(runners[rest[0]]())


main()
