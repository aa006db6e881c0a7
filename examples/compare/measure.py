"""Times and memory of the programs of this folder, by zerocast, NumPy and XLA (jax.jit): the table of README.md.

    measure.py                           five rounds; writes the table between its marks in README.md
    measure.py PROGRAM LIBRARY [SIZE]    one process: prints seconds, bytes, and the sums of the results

A process is pinned to one processor. XLA has compiled before its clock starts. Memory is the most that the process holds
during the first run, less what it held before: temporaries and results, without inputs. Time is the process's own, the
median of the runs after the first, which go on for two seconds. The processes of a round take turns, and the table has
the medians of five rounds.
"""

import ctypes
import gc
import importlib
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

PROGRAMS = "digits", "kernel_regression", "training_step", "convolution_block", "elementwise", "power_iteration"
LIBRARIES = "zerocast", "numpy", "xla"
ROUNDS = 5
README = Path(__file__).resolve().parents[2] / "README.md"
BEGIN, END = "<!-- made by examples/compare/measure.py -->\n", "<!-- ends -->"


def prepare(program, library, arrays):
    """A function without arguments that computes the program's results, all of them in memory when it returns."""
    run = getattr(program, f"by_{library}")
    if library == "numpy":
        return lambda: run(np, *arrays)
    if library == "xla":
        import jax

        given = [jax.device_put(array) for array in arrays]
        compiled = jax.jit(lambda *arrays: run(jax.numpy, *arrays)).lower(*given).compile()
        return lambda: jax.block_until_ready(compiled(*given))
    import zerocast as zc

    given = [zc.asarray(array) for array in arrays]

    def alone():
        with zc.config(threads=1):
            return run(zc, *given)

    return alone


def status(field):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024


def peak_of(run):
    """The results of a run, and by how many bytes the process's resident memory grows for it at most."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # the peak begins anew
    before = status("VmRSS")
    results = run()
    return results, status("VmHWM") - before


def seconds_of(run):
    taken = []
    while sum(taken) < 2 and len(taken) < 200:
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def measure(name, library, size=None):
    program = importlib.import_module(name)
    run = prepare(program, library, program.inputs(program.LARGE if size is None else size))
    results, peak = peak_of(run)
    sums = [float(np.sum(np.asarray(result), dtype=np.float64)) for result in results]
    del results
    print(seconds_of(run), peak, *sums)


def ask(name, library):
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    }
    command = [sys.executable, __file__, name, library]
    shown = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()
    seconds, peak, *sums = map(float, shown)
    return seconds, peak, sums


def time_text(seconds):
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.{0 if seconds >= 0.01 else 1 if seconds >= 0.001 else 2}f} ms"


def memory_text(peak):
    return f"{peak / 1e6:,.0f} MB" if peak >= 1e7 else f"{peak / 1e6:.1f} MB" if peak >= 1e5 else "< 0.1 MB"


def table():
    found = {}
    for number in range(ROUNDS):
        for name in PROGRAMS:
            for library in LIBRARIES[:: -1 if number % 2 else 1]:
                seconds, peak, sums = ask(name, library)
                found.setdefault((name, library), []).append((seconds, peak))
                assert np.allclose(sums, found.setdefault(name, sums), rtol=1e-3, atol=1e-2), (name, library, sums, found[name])
                print(number, name, library, f"{seconds:.4f} s, {peak / 1e6:.1f} MB", file=sys.stderr)
    rows = ["| one thread | zerocast | NumPy | XLA |", "|---|---|---|---|"]
    for name in PROGRAMS:
        middle = [map(statistics.median, zip(*found[name, library])) for library in LIBRARIES]
        cells = [f"{time_text(seconds)}, {memory_text(peak)}" for seconds, peak in middle]
        title = importlib.import_module(name).NAME
        rows.append(f"| [{title}](examples/compare/{name}.py) | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def main(arguments):
    if len(arguments) > 1:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        name, library, *size = arguments
        measure(name, library, *map(int, size))
        return
    rows = table()
    head, rest = README.read_text().split(BEGIN)
    README.write_text(f"{head}{BEGIN}{rows}{END}{rest.split(END, 1)[1]}")


if __name__ == "__main__":
    main(sys.argv[1:])
