#!/usr/bin/env python3
"""Loops that read or write a number, a mask or a view in each step, by NumPy and by zerocast.

    ./dev python loops [--elements N]... [--filter WORD] [--times N] [--long]

Each loop runs in a process of its own, NumPy's and ours in turns, both pinned to one processor. Printed are the shortest
times of one run, ours relative to NumPy's, the peak resident memory beyond that of the imports, and values that differ.
--long multiplies the steps of loops with a fixed number of them by ten, to see that time grows linearly.
"""

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import time

import numpy as np

MOST_TIME = 2.0
MOST_MEMORY = 16.0


def points(n, columns, seed=1):
    return np.random.default_rng(seed).standard_normal((n // columns, columns))


def gradient_descent(xp, n, steps):
    x = xp.asarray(points(n, 10))
    y = xp.asarray(points(n // 10, 1, 2)[:, 0])
    w = xp.zeros(10)
    losses = []
    for _ in range(20 * steps):
        r = x @ w - y
        losses.append(float(xp.mean(r * r)))
        w = w - 0.1 / (n // 10) * (x.T @ r)
    return losses[-1], len(losses)


def jacobi(xp, n, steps):
    side = math.isqrt(n)
    u = xp.asarray(np.pad(np.ones((side, 1)), ((0, 0), (0, side - 1))))
    for step in range(40 * steps):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        change = float(xp.max(xp.abs(new - u)))
        u = new
        if change < 1e-9:
            break
    return change, step


def k_means(xp, n, steps):
    x = xp.asarray(points(n, 4))
    centers = x[:8]
    labels = xp.zeros(n // 4, dtype="int64")
    for step in range(30 * steps):
        distances = xp.sum((x[:, None] - centers[None]) ** 2, axis=2)
        new = xp.argmin(distances, axis=1)
        if bool(xp.all(new == labels)):
            break
        labels = new
        centers = xp.stack([xp.sum(xp.where((labels == k)[:, None], x, 0.0), axis=0) / xp.sum(labels == k) for k in range(8)])
    return float(xp.sum(centers)), step


def rnn(xp, n, steps):
    width = math.isqrt(n)
    w = xp.asarray(points(width * width, width) / math.sqrt(width))
    u = xp.asarray(points(width * 8, 8))
    inputs = xp.asarray(points(8 * 50 * steps, 8))
    h = xp.zeros(width)
    norms = 0.0
    for t in range(50 * steps):
        h = xp.tanh(w @ h + u @ inputs[t])
        norms += float(xp.sum(h * h))
    return (norms,)


def suppress(xp, n, steps):
    """Non-maximum suppression: of overlapping boxes the one with the highest score stays."""
    rng = np.random.default_rng(3)
    corners = rng.random((n // 4, 2)) * math.sqrt(n)
    boxes = xp.asarray(np.concatenate([corners, corners + 1 + rng.random((n // 4, 2)) * 9], axis=1))
    x0, y0, x1, y1 = (boxes[:, k] for k in range(4))
    areas = (x1 - x0) * (y1 - y0)
    scores = xp.asarray(rng.random(n // 4))
    kept = []
    for _ in range(60 * steps):
        best = int(xp.argmax(scores))
        if float(scores[best]) < 0:
            break
        kept.append(best)
        wide = xp.minimum(x1, x1[best]) - xp.maximum(x0, x0[best])
        high = xp.minimum(y1, y1[best]) - xp.maximum(y0, y0[best])
        both = xp.clip(wide, 0, None) * xp.clip(high, 0, None)
        overlap = both / (areas + areas[best] - both)
        scores = xp.where(overlap > 0.5, -1.0, scores)
    return sum(kept), len(kept)


def sieve(xp, n, steps):
    prime = xp.ones(n, dtype=bool)
    prime[:2] = False
    for p in range(2, math.isqrt(n) + 1):
        if prime[p]:
            prime[p * p :: p] = False
    return (int(xp.sum(prime)),)


def mandelbrot(xp, n, steps):
    side = math.isqrt(n)
    re, im = np.meshgrid(np.linspace(-2, 1, side), np.linspace(-1.5, 1.5, side))
    c = xp.asarray(re + 1j * im)
    z = xp.zeros((side, side), dtype="complex128")
    count = xp.zeros((side, side), dtype="int64")
    for _ in range(20 * steps):
        inside = xp.abs(z) <= 2
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] += 1
    return (int(xp.sum(count)),)


def line_search(xp, n, steps):
    a = xp.asarray(1 + np.arange(n) / n * 30)
    x = xp.ones(n)
    values = []
    for _ in range(15 * steps):
        value = 0.5 * float(xp.sum(a * x * x))
        values.append(value)
        slope = a * x
        square = float(xp.sum(slope * slope))
        t = 1.0
        while 0.5 * float(xp.sum(a * (x - t * slope) ** 2)) > value - 0.25 * t * square and t > 1e-12:
            t *= 0.5
        x = x - t * slope
    return values[-1], len(values)


def newton(xp, n, steps):
    a = xp.asarray(1 + np.arange(n) / n * 99)
    for _ in range(steps):
        x = a * 1.0
        for step in range(60):
            new = (2 * x + a / (x * x)) / 3
            change = float(xp.max(xp.abs(new - x)))
            x = new
            if change < 1e-13:
                break
    return float(xp.sum(x)), step


def bisection(xp, n, steps):
    a = xp.asarray(1 + np.arange(n) / n * 99)
    for _ in range(steps):
        low, high = xp.zeros(n), a * 1.0
        for step in range(60):
            middle = 0.5 * (low + high)
            above = middle * middle * middle > a
            low, high = xp.where(above, low, middle), xp.where(above, middle, high)
            if float(xp.max(high - low)) < 1e-9:
                break
    return float(xp.sum(low)), step


def animation(xp, n, steps):
    side = math.isqrt(n)
    u = np.zeros((side, side))
    u[side // 2, side // 2] = 1.0
    u = xp.asarray(u)
    old = u
    frames = []
    for step in range(40 * steps):
        around = xp.roll(u, 1, axis=0) + xp.roll(u, -1, axis=0) + xp.roll(u, 1, axis=1) + xp.roll(u, -1, axis=1)
        u, old = 2 * u - old + 0.2 * (around - 4 * u), u
        if step % 10 == 0:
            frames.append(np.asarray(u[:: max(1, side // 50), :: max(1, side // 50)]).copy())
    return float(sum(f.sum() for f in frames)), len(frames)


def queue(xp, n, steps):
    values = np.random.default_rng(4).standard_normal(n + 100 * steps)
    a = xp.asarray(values[:n])
    means = 0.0
    for k in range(100 * steps):
        a = xp.concat([a, xp.asarray(values[n + k : n + k + 1])])
        means += float(xp.mean(a[-n // 2 :]))
    return (means,)


def adam(xp, n, steps):
    rng = np.random.default_rng(5)
    target = xp.asarray(rng.standard_normal(n))
    w, m, v = xp.zeros(n), xp.zeros(n), xp.zeros(n)
    losses = 0.0
    for t in range(1, 40 * steps):
        error = w - target
        losses += float(xp.mean(error * error))
        g = 2 * error / n
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w = w - 0.01 * (m / (1 - 0.9**t)) / (xp.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return (losses,)


def power_iteration(xp, n, steps):
    side = math.isqrt(n)
    a = points(side * side, side)
    a = xp.asarray(a @ a.T)
    x = xp.ones(side)
    for _ in range(50 * steps):
        x = a @ x
        norm = float(xp.sqrt(xp.sum(x * x)))
        x = x / norm
    return (norm,)


def rows(xp, n, steps):
    side = math.isqrt(n)
    m = xp.asarray(points(side * side, side))
    for _ in range(steps):
        for row in m:
            row -= xp.mean(row)
            row /= xp.sqrt(xp.mean(row * row))
    return (float(xp.sum(m * m)),)


def swaps(xp, n, steps):
    side = math.isqrt(n)
    m = xp.asarray(points(side * side, side))
    for k in range(100 * steps):
        i, j = k % side, (7 * k + 3) % side
        t = m[i].copy()
        m[i] = m[j]
        m[j] = t
        if float(m[i, 0]) > 1e9:
            break
    return (float(xp.sum(m[::3, 0])),)


def listed_rows(xp, n, steps):
    """Rows that change places and rows that are added to, by lists of them."""
    side = math.isqrt(n)
    rng = np.random.default_rng(6)
    m = xp.asarray(points(side * side, side))
    for i, j in rng.integers(0, side, (100 * steps, 2)).tolist():
        m[[i, j]] = m[[j, i]]
        m[[i, j, 0]] += 1.0
    return (float(xp.sum(m[::3, 0])),)


def elimination(xp, n, steps):
    """Gaussian elimination with pivots."""
    side = math.isqrt(n)
    m = xp.asarray(points(side * side, side))
    for k in range(min(side, 100)):
        pivot = k + int(xp.argmax(xp.abs(m[k:, k])))
        if pivot != k:
            m[[k, pivot]] = m[[pivot, k]]
        factors = m[k + 1 :, k] / m[k, k]
        m[k + 1 :] -= factors[:, None] * m[k]
    return (float(xp.sum(xp.abs(m[0]))),)


def shortest_paths(xp, n, steps):
    """Floyd and Warshall's lengths of the shortest paths between all nodes."""
    side = math.isqrt(n)
    d = xp.asarray(np.random.default_rng(7).random((side, side)) * 10)
    for k in range(min(side, 100)):
        d = xp.minimum(d, d[:, k, None] + d[k])
        if float(d[0, -1]) < 0:
            break
    return (float(xp.sum(d)),)


LOOPS = [
    gradient_descent, jacobi, k_means, rnn, suppress, sieve, mandelbrot, line_search, newton, bisection, animation, queue,
    adam, power_iteration, rows, swaps, listed_rows, elimination, shortest_paths,
]  # fmt: skip


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def run(name, library, n, steps):
    """The result of one process: seconds of the best of three runs, or of more that take 50 ms together, MB of the
    first, values."""
    xp = importlib.import_module(library)
    loop = next(f for f in LOOPS if f.__name__ == name)
    loop(xp, 100, 1)
    before = resident()
    times = []
    peak = None
    while len(times) < 3 or sum(times) < 0.05:
        start = time.perf_counter()
        values = loop(xp, n, steps)
        times.append(time.perf_counter() - start)
        peak = peak or resident()
    print(json.dumps({"seconds": min(times), "memory": peak - before, "values": values}))


def measure(loop, library, n, steps):
    program = [sys.executable, __file__, "--run", loop.__name__, library, str(n), str(steps)]
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", ZEROCAST_THREADS="1")
    return json.loads(subprocess.run(program, stdout=subprocess.PIPE, check=True, env=environment).stdout)


def is_near(one, other):
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in zip(one, other, strict=True))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--elements", type=int, action="append")
    arguments.add_argument("--filter", default="")
    arguments.add_argument("--times", type=int, default=3)
    arguments.add_argument("--long", action="store_true")
    options = arguments.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    missed = 0
    print(f"{'loop':18}{'elements':>9}{'NumPy ms':>11}{'ours ms':>11}{'ratio':>7}{'NumPy MB':>10}{'ours MB':>9}")
    for n in options.elements or [10**4, 10**6]:
        for loop in LOOPS:
            if options.filter not in loop.__name__:
                continue
            steps = (10 if n <= 10**5 else 1) * (10 if options.long else 1)
            ratios, theirs, ours = [], [], []
            for _ in range(options.times):
                theirs.append(measure(loop, "numpy", n, steps))
                ours.append(measure(loop, "zerocast", n, steps))
                ratios.append(ours[-1]["seconds"] / theirs[-1]["seconds"])
            ratio = sorted(ratios)[len(ratios) // 2]
            memory = [max(m["memory"] for m in side) for side in (theirs, ours)]
            marks = " time" * (ratio > MOST_TIME) + " memory" * (memory[1] > memory[0] + MOST_MEMORY)
            marks += " values" * (not is_near(theirs[-1]["values"], ours[-1]["values"]))
            missed += bool(marks)
            best = [1000 * min(m["seconds"] for m in side) for side in (theirs, ours)]
            print(
                f"{loop.__name__:18}{n:9}{best[0]:11.2f}{best[1]:11.2f}{ratio:7.2f}{memory[0]:10.1f}{memory[1]:9.1f}{marks}",
                flush=True,
            )
    return bool(missed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        sys.exit(main())
