#!/usr/bin/env python3
"""What NumPy, numexpr and PyTorch take for a case of the benchmark.

    peers.py CASE

Reads lines from standard input:

    load THREADS ELEMENTS PARAMETERS   behind it x and y (ELEMENTS float32 each) and the parameters;
                                       answered with the runners that the installed packages have for the case
    time RUNNER REPEATS                answered with the seconds of one run
    result RUNNER                      answered with a count of bytes, a newline and the bytes

Each case is a function that returns its runners, each of which returns its result:

    numpy, torch           as one writes it
    numpy_out, torch_out   step by step into memory that exists
    numexpr                into memory that exists
"""

import os
import sys
import time

# Before the packages start their threads: a thread that waits must not take a processor from those that are measured.
os.environ.update(OMP_WAIT_POLICY="passive", GOMP_SPINCOUNT="0", KMP_BLOCKTIME="0")
os.environ.update(NUMEXPR_MAX_THREADS="2", NUMEXPR_NUM_THREADS="1")

try:
    import numpy as np
except ImportError:
    sys.exit()
try:
    import numexpr as ne
except ImportError:
    ne = None
try:
    import torch
except ImportError:
    torch = None

F = np.float32
COEFFICIENTS = [-0.25, 0.75, -1.5, 0.375, 1.25, -0.625]


def columns_of(a):
    return min(a.size, 1024)


def expression(text, out, **names):
    """numexpr's runner: constants are float32, too, or it would compute in float64."""
    return lambda: ne.evaluate(text, local_dict=names, out=out, casting="same_kind")


# ---- Chains ----


def clamp(x, y, p):
    out = np.zeros_like(x)

    def numpy_out():
        np.multiply(x, F(1.5), out=out)
        np.add(out, y, out=out)
        np.maximum(out, F(0), out=out)
        return np.clip(out, F(0.125), F(0.75), out=out)

    runners = {"numpy": lambda: np.clip(np.maximum(x * F(1.5) + y, F(0)), F(0.125), F(0.75)), "numpy_out": numpy_out}
    if ne:
        text = "where(x * s + y < low, low, where(x * s + y > high, high, x * s + y))"
        runners["numexpr"] = expression(text, out, x=x, y=y, s=F(1.5), low=F(0.125), high=F(0.75))
    if torch:
        tx, ty, tout = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(out)

        def torch_out():
            torch.mul(tx, 1.5, out=tout)
            return tout.add_(ty).relu_().clamp_(0.125, 0.75)

        runners["torch"] = lambda: torch.clamp(torch.relu(tx * 1.5 + ty), 0.125, 0.75)
        runners["torch_out"] = torch_out
    return runners


def length(x, y, p):
    out, other = np.zeros_like(x), np.zeros_like(x)

    def numpy_out():
        np.multiply(x, x, out=out)
        np.multiply(y, y, out=other)
        np.add(out, other, out=out)
        return np.sqrt(out, out=out)

    runners = {"numpy": lambda: np.sqrt(x * x + y * y), "numpy_out": numpy_out}
    if ne:
        runners["numexpr"] = expression("sqrt(x * x + y * y)", out, x=x, y=y)
    if torch:
        tx, ty, tout, tother = map(torch.from_numpy, (x, y, out, other))

        def torch_out():
            torch.mul(tx, tx, out=tout)
            torch.mul(ty, ty, out=tother)
            return tout.add_(tother).sqrt_()

        runners["torch"] = lambda: torch.sqrt(tx * tx + ty * ty)
        runners["torch_out"] = torch_out
    return runners


def polynomial(x, y, p):
    out = np.zeros_like(x)

    def numpy():
        r = F(0.5)
        for c in COEFFICIENTS:
            r = r * x + F(c)
        return r

    def numpy_out():
        np.multiply(x, F(0.5), out=out)
        np.add(out, F(COEFFICIENTS[0]), out=out)
        for c in COEFFICIENTS[1:]:
            np.multiply(out, x, out=out)
            np.add(out, F(c), out=out)
        return out

    runners = {"numpy": numpy, "numpy_out": numpy_out}
    if ne:
        text = "(((((c * x + c0) * x + c1) * x + c2) * x + c3) * x + c4) * x + c5"
        constants = {f"c{i}": F(c) for i, c in enumerate(COEFFICIENTS)}
        runners["numexpr"] = expression(text, out, x=x, c=F(0.5), **constants)
    if torch:
        tx, tout = torch.from_numpy(x), torch.from_numpy(out)

        def eager():
            r = 0.5
            for c in COEFFICIENTS:
                r = r * tx + c
            return r

        def torch_out():
            torch.mul(tx, 0.5, out=tout)
            tout.add_(COEFFICIENTS[0])
            for c in COEFFICIENTS[1:]:
                tout.mul_(tx).add_(c)
            return tout

        runners["torch"] = eager
        runners["torch_out"] = torch_out
    return runners


def normalise(x, y, p):
    columns = columns_of(x)
    x = x.reshape(-1, columns)
    rows, rest = len(x), p[2048:]
    weight, bias = p[:columns], p[columns : 2 * columns]
    mean, factor = rest[:rows, None], rest[rows : 2 * rows, None]
    out = np.zeros_like(x)

    def numpy_out():
        np.subtract(x, mean, out=out)
        np.multiply(out, factor, out=out)
        np.multiply(out, weight, out=out)
        return np.add(out, bias, out=out)

    runners = {"numpy": lambda: (x - mean) * factor * weight + bias, "numpy_out": numpy_out}
    if ne:
        text = "(x - mean) * factor * weight + bias"
        runners["numexpr"] = expression(text, out, x=x, mean=mean, factor=factor, weight=weight, bias=bias)
    if torch:
        tx, tmean, tfactor, tweight, tbias, tout = map(torch.from_numpy, (x, mean, factor, weight, bias, out))

        def torch_out():
            torch.sub(tx, tmean, out=tout)
            return tout.mul_(tfactor).mul_(tweight).add_(tbias)

        runners["torch"] = lambda: (tx - tmean) * tfactor * tweight + tbias
        runners["torch_out"] = torch_out
    return runners


def gelu(x, y, p):
    out, half = np.zeros_like(x), np.zeros_like(x)
    a, b = F(0.797884561), F(0.044715)

    def numpy_out():
        np.multiply(b, x, out=out)
        np.multiply(out, x, out=out)
        np.multiply(out, x, out=out)
        np.add(x, out, out=out)
        np.multiply(a, out, out=out)
        np.tanh(out, out=out)
        np.add(F(1), out, out=out)
        np.multiply(F(0.5), x, out=half)
        return np.multiply(half, out, out=out)

    runners = {
        "numpy": lambda: F(0.5) * x * (F(1) + np.tanh(a * (x + b * x * x * x))),
        "numpy_out": numpy_out,
    }
    if ne:
        text = "h * x * (one + tanh(a * (x + b * x * x * x)))"
        runners["numexpr"] = expression(text, out, x=x, a=a, b=b, h=F(0.5), one=F(1))
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: 0.5 * tx * (1 + torch.tanh(0.797884561 * (tx + 0.044715 * tx * tx * tx)))
        runners["torch_out"] = lambda: torch.nn.functional.gelu(tx, approximate="tanh")
    return runners


def five(x, y, p):
    out = np.zeros_like(x)
    runners = {"numpy": lambda: np.square(-((x + y) * x) + y)}
    if ne:
        runners["numexpr"] = expression("(y - (x + y) * x) * (y - (x + y) * x)", out, x=x, y=y)
    if torch:
        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        runners["torch"] = lambda: torch.square(-((tx + ty) * tx) + ty)
    return runners


# ---- Broadcasts, layout ----


def written(base, shape):
    """A broadcast written out: NumPy by copying the view, PyTorch by expand and contiguous."""
    out = np.zeros(shape, F)

    def numpy_out():
        np.copyto(out, base)
        return out

    runners = {"numpy": lambda: np.broadcast_to(base, shape).copy(), "numpy_out": numpy_out}
    if torch:
        tbase = torch.from_numpy(base)
        tout = torch.from_numpy(out)
        runners["torch"] = lambda: tbase.expand(shape).contiguous()
        runners["torch_out"] = lambda: tout.copy_(tbase)
    return runners


def scalar(x, y, p):
    return written(x[:1], (x.size,))


def row(x, y, p):
    columns = columns_of(x)
    return written(x[:columns], (x.size // columns, columns))


def column(x, y, p):
    columns = columns_of(x)
    rows = x.size // columns
    return written(x[:rows, None], (rows, columns))


def transpose(x, y, p):
    x = x.reshape(round(x.size**0.5), -1)
    out = np.zeros_like(x)

    def numpy_out():
        np.copyto(out, x.T)
        return out

    runners = {"numpy": lambda: np.ascontiguousarray(x.T), "numpy_out": numpy_out}
    if torch:
        tx, tout = torch.from_numpy(x), torch.from_numpy(out)
        runners["torch"] = lambda: tx.T.contiguous()
        runners["torch_out"] = lambda: tout.copy_(tx.T)
    return runners


def concat(x, y, p):
    a, b = x[: x.size // 2], x[x.size // 2 :]
    out = np.zeros_like(x)
    runners = {"numpy": lambda: np.concatenate([a, b]), "numpy_out": lambda: np.concatenate([a, b], out=out)}
    if torch:
        ta, tb, tout = map(torch.from_numpy, (a, b, out))
        runners["torch"] = lambda: torch.cat([ta, tb])
        runners["torch_out"] = lambda: torch.cat([ta, tb], out=tout)
    return runners


def pad(x, y, p):
    columns = columns_of(x)
    rows = x.size // columns
    x = x[: (rows - 2) * (columns - 2)].reshape(rows - 2, columns - 2)
    runners = {"numpy": lambda: np.pad(x, 1)}
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: torch.nn.functional.pad(tx, (1, 1, 1, 1))
    return runners


# ---- Reductions ----


def summed(x, axis):
    runners = {"numpy": lambda: np.asarray(x.sum(axis=axis))}
    if ne and axis is None:
        runners["numexpr"] = lambda: np.asarray(ne.evaluate("sum(x)", local_dict={"x": x}), F)
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: tx.sum() if axis is None else tx.sum(dim=axis)
    return runners


def sum(x, y, p):
    return summed(x, None)


def sum_first(x, y, p):
    return summed(x.reshape(-1, columns_of(x)), 0)


def sum_middle(x, y, p):
    return summed(x.reshape(-1, 256, 256), 1)


def sum_last(x, y, p):
    return summed(x.reshape(-1, columns_of(x)), 1)


def softmax(x, y, p):
    x = x.reshape(-1, columns_of(x))

    def numpy():
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    runners = {"numpy": numpy}
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: torch.softmax(tx, 1)
    return runners


def distances8(x, y, p):
    x = x[: round(x.size**0.5) * 8].reshape(-1, 8)
    runners = {"numpy": lambda: ((x[:, None] - x) ** 2).sum(axis=2)}
    if torch:
        tx = torch.from_numpy(x)
        runners["torch"] = lambda: ((tx[:, None] - tx) ** 2).sum(dim=2)
    return runners


# ---- The conversation ----


def read_floats(count):
    data = np.zeros(count, F)
    rest = memoryview(data).cast("B")
    while len(rest) > 0:
        rest = rest[sys.stdin.buffer.readinto(rest) :]
    return data


def timed(run, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def load(case, threads, elements, parameters):
    if torch:
        torch.set_num_threads(threads)
    if ne:
        ne.set_num_threads(threads)
    x, y, p = read_floats(elements), read_floats(elements), read_floats(parameters)
    return globals()[case](x, y, p)


def send(result):
    data = np.ascontiguousarray(result)
    print(data.nbytes, flush=True)
    sys.stdout.buffer.write(data.data)
    sys.stdout.buffer.flush()


def main():
    runners = {}
    while line := sys.stdin.buffer.readline():
        what, *rest = line.decode().split()
        if what == "load":
            runners = {}  # before there are others: their memory goes first
            runners = load(sys.argv[1], *map(int, rest))
            print(*runners, flush=True)
        elif what == "time":
            print(timed(runners[rest[0]], int(rest[1])), flush=True)
        else:
            send(runners[rest[0]]())


main()
