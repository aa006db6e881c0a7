#!/usr/bin/env python3
"""Random expressions in the command's language, against NumPy.

    random_expressions.py ZEROCAST [COUNT [SEED]]

Each expression is a few statements over arrays from files, in either byte order and layout. NumPy evaluates the same
text (make_cases.namespace). The command evaluates it by both executors, with one thread and with two, as a file, as
JSON, and as a window of it. Those agree bit for bit, but for what a NaN is made of. Against NumPy: integers, bool,
views, rearranging, scans, and floats made by + - * / and sqrt are equal, NaN being NaN and 0 being -0; sums may be
off by 2 n eps times the sum of sizes, transcendental functions by 8 eps of their value. Complex numbers are finite,
and their distance in the plane counts; what is made of + - * / is equal, too. Where an expression went beyond that,
nothing that jumps is made of it.

The seed of every expression is printed when it fails; ZC_TEST_SEED=n with COUNT 1 repeats one. ZC_TEST_SCALE makes
the test so many times longer. Without NumPy it is skipped.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

# With AVX-512 NumPy 1 rounds a complex product once in some of its loops and twice in others, by shapes and strides.
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "AVX512F AVX512CD AVX512_SKX")
try:
    import numpy as np

    from make_cases import namespace
except ImportError:
    print("skipped: there is no NumPy")
    sys.exit(0)

QUICK = 60
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
MOST_ELEMENTS = 20000


class Node:
    """A name of the expression: NumPy's value, and how far each element may be off (None: not at all)."""

    def __init__(self, name, value, off=None):
        self.name, self.value, self.off = name, value, off

    kind = property(lambda self: self.value.dtype.kind)
    is_complex = property(lambda self: self.kind == "c")
    rank = property(lambda self: self.value.ndim)
    is_exact = property(lambda self: self.off is None)


# ---- Inputs ----


def random_array(r, shape, dtype):
    size = int(np.prod(shape))
    if dtype == "bool":
        values = [r.random() < 0.5 for _ in range(size)]
    elif dtype in INTEGERS:
        info = np.iinfo(dtype)
        extremes = [info.min, info.max, 0, 1]
        values = [r.choice(extremes) if r.random() < 0.05 else r.randint(max(info.min, -9), 9) for _ in range(size)]
    elif dtype in COMPLEX:
        values = [complex(r.uniform(-4, 4), r.choice([0.0, r.uniform(-4, 4)])) for _ in range(size)]
    else:
        special = [0.0, 1.0, float("inf"), float("nan"), 1e-30]
        rare = r.choice([0, 0, 0.05])
        values = [r.choice(special) if r.random() < rare else r.uniform(-4, 4) for _ in range(size)]
    array = np.array(values, dtype=dtype).reshape(shape)
    return np.asfortranarray(array) if r.random() < 0.3 else array


def random_inputs(r):
    shape = [r.choice([1, 2, 3, 3, 4, 5]) for _ in range(r.randint(0, 4))]
    if shape and r.random() < 0.1:
        shape[r.randrange(len(shape))] = r.choice([0, 33, 1025])
    for _ in range(r.randint(1, 3)):
        own = [1 if r.random() < 0.2 else n for n in shape][r.choice([0, 0, 0, 1]) :]
        yield random_array(r, own, r.choice(INTEGERS + FLOATS * 4 + COMPLEX * 3 + ["bool"]))


# ---- Steps: each gives a text over the names of its operands, and how exact the result is ----

VIEW, EXACT, SUM, CLOSE = "view", "exact", "sum", "close"


def numeric(n):
    return n.kind != "b"


def pick_axis(r, n):
    return r.randrange(-n.rank, n.rank)


def slices(r, n):
    parts = []
    for extent in n.value.shape:
        low, high = sorted((r.randint(0, extent), r.randint(0, extent)))
        choices = [":", "::-1", f"{low}:{high}", f"{low}::{r.randint(1, 3)}", "None, :"]
        parts.append(str(r.randrange(-extent, extent)) if extent and r.random() < 0.15 else r.choice(choices))
    return f"{n.name}[{', '.join(parts)}]" if parts else f"{n.name}[None]"


def positions(r, n):
    """A subscript with lists of positions, of one length or 1, and masks of as many truths, among slices and integers."""
    length, parts, shape = r.randint(1, 3), [], list(n.value.shape)
    while shape:
        axes = r.randint(1, min(len(shape), 3)) if r.random() < 0.4 else 1
        size, extent = int(np.prod(shape[:axes])), shape[0]
        count = r.choice((1, length))
        choices = [":", "::-1", "None, :"]
        if extent > 0:
            at = [r.randrange(-extent, extent) for _ in range(count)]
            choices += [str(at), str(at), str(at[0])]
        part = r.choice(choices)
        if 0 < count <= size <= 200 and r.random() < 0.4:
            truths = np.zeros(size, dtype=bool)
            truths[r.sample(range(size), count)] = True
            part = str(truths.reshape(shape[:axes]).tolist())
            extent = None
        del shape[: axes if extent is None else 1]
        parts.append(part)
    if r.random() < 0.3:
        parts[r.randrange(len(parts)) :] = ["..."]
    return f"{n.name}[{', '.join(parts)}]"


def masks(r, n):
    """A subscript by a mask that is computed, over all axes, leading or last ones."""
    test = f"{n.name} == {n.name}" if r.random() < 0.2 else f"astype({n.name}, bool)"
    if n.rank == 1 or r.random() < 0.4:
        return f"{n.name}[{test}]"
    axis = r.choice((0, -1))
    if n.value.shape[axis] == 0:
        return f"{n.name}[{test}]"
    reduced = f"all({test}, axis={axis})"
    if axis == -1:
        return r.choice((f"{n.name}[{reduced}]", f"{n.name}[{reduced}, ::-1]", f"{n.name}[{reduced}, 0]"))
    return r.choice((f"{n.name}[:, {reduced}]", f"{n.name}[..., {reduced}]", f"{n.name}[0, {reduced}]"))


def view_step(r, n):
    axes = r.sample(range(n.rank), n.rank)
    shape = n.value.shape
    choices = [f"permute_dims({n.name}, ({''.join(f'{a}, ' for a in axes)}))", f"reshape({n.name}, -1)", slices(r, n)]
    choices.append(f"broadcast_to({n.name}, {(r.randint(0, 3),) + shape})")
    choices.append(f"expand_dims({n.name}, axis={r.randint(-n.rank - 1, n.rank)})")
    if n.rank > 0:
        axis = pick_axis(r, n)
        choices += [f"flip({n.name}, axis={axis})", f"roll({n.name}, {r.randint(-7, 7)}, axis={axis})"]
        choices += [f"repeat({n.name}, {r.randint(0, 3)}, axis={axis})", f"tile({n.name}, {r.randint(1, 3)})"]
        choices += [f"concat([{n.name}, flip({n.name}), {n.name}], axis={axis})", f"stack([{n.name}, {n.name}], axis={axis})"]
        choices += [f"moveaxis({n.name}, {axis}, {pick_axis(r, n)})", positions(r, n), positions(r, n)]
        choices += [masks(r, n)] * (2 if n.is_exact else 0)
        if shape[axis] > 0:
            at = [r.randrange(-shape[axis], shape[axis]) for _ in range(r.randint(1, 4))]
            choices += [f"take({n.name}, {at}, axis={axis})", f"split({n.name}, [1], axis={axis})[{r.randint(0, 1)}]"]
            choices += [f"sliding_window_view({n.name}, {r.randint(1, shape[axis])}, axis={axis})"]
            modes = "reflect symmetric edge".split()
            choices += [f"pad({n.name}, {(r.randint(0, 4), r.randint(0, 4))}, '{r.choice(modes)}')"] * (0 not in shape)
            choices += [f"pad({n.name}, 1, 'wrap')"] * (0 not in shape)  # by more than there is, NumPy 1 is wrong
        choices += [f"pad({n.name}, {r.randint(0, 2)})"]
    if n.rank > 1:
        choices += [f"diagonal({n.name}, {r.randint(-1, 2)})", f"matrix_transpose({n.name})", f"swapaxes({n.name}, 0, -1)"]
    return r.choice(choices), VIEW


def unary_step(r, n):
    choices = []
    if n.is_complex:
        return complex_step(r, n)
    if n.rank == 0:  # where NumPy 1 looks at the values of both it and a number
        return (f"{r.choice(['abs', 'square'])}({n.name})", EXACT) if numeric(n) and n.is_exact else None
    if numeric(n) and n.is_exact:
        choices += [f"-{n.name}", f"square({n.name})", f"abs({n.name})", f"sign({n.name})", f"relu({n.name})"] * 2
        choices += [f"clip({n.name}, 1, 3)", f"{n.name} * 3", f"{n.name} + 2", f"{n.name} % 3"]
    if n.kind in "iub":
        choices += [f"~{n.name}", f"astype({n.name}, {r.choice(INTEGERS + FLOATS)})"]
    if n.kind in "iu":
        choices += [f"{n.name} << 3", f"{n.name} >> 1", f"{n.name} // 3", f"{n.name} & 5", f"{n.name} ** 2"]
    if n.kind == "f" and n.is_exact:
        choices += [f"{f}({n.name})" for f in "floor ceil trunc round isnan isfinite isinf signbit".split()]
        choices += [f"sqrt(abs({n.name}))", f"{n.name} / 3", f"reciprocal({n.name} * {n.name} + 1)"]
        choices += [f"astype({n.name}, {r.choice(FLOATS)})", f"{n.name} > 0.5", f"{n.name} * 0.1"]
        if np.all(np.abs(n.value) < 100):
            choices += [f"astype({n.name}, {r.choice(INTEGERS[:4])})"]
    if n.is_exact:
        choices += [f"astype({n.name}, bool)", f"logical_not({n.name})"]
    if not choices:
        return f"-{n.name}", VIEW  # and so is how far it may be off
    return r.choice(choices), EXACT


def complex_step(r, n):
    if not n.is_exact or n.rank == 0:
        return f"-{n.name}", VIEW
    choices = [f"-{n.name}", f"conj({n.name})", f"real({n.name})", f"imag({n.name})", f"{n.name} * 2j", f"{n.name} - (1 + 2j)"]
    choices += [f"square({n.name})", f"round({n.name})", f"isfinite({n.name})", f"{n.name} / (3 - 1j)", f"{n.name} == 1"]
    choices += [f"astype({n.name}, {r.choice(COMPLEX + ['bool'])})", f"logical_not({n.name})", f"conj({n.name}) * {n.name}"]
    choices += [f"1 / ({n.name} + 9)", f"complex(imag({n.name}), real({n.name}))", f"where(imag({n.name}) > 0, {n.name}, 1j)"]
    return r.choice(choices), EXACT


def function_step(r, n):
    if n.is_complex and n.is_exact and n.rank > 0 and np.all(np.abs(n.value) < 30):
        names = "exp expm1 sin cos tanh sinh cosh sqrt log log2 log10 log1p asin acos atan asinh acosh atanh abs angle sign".split()
        names += ["reciprocal", "0.5 **", "1.5j **", "3 **"]
        name = r.choice(names)
        argument = f"({n.name} + 5j)" if name in ("log1p", "log", "log2", "log10", "atanh", "atan", "reciprocal") else f"({n.name})"
        return f"{name} {argument}", CLOSE
    if n.kind != "f" or not n.is_exact or n.rank == 0:
        return None
    names = "exp expm1 sin cos tan tanh atan asinh sinh cosh cbrt exp2".split()
    text = r.choice([f"{r.choice(names)}({n.name})", f"log(abs({n.name}) + 0.5)", f"hypot({n.name}, 2)", f"{n.name} ** 2"])
    return text, CLOSE


def binary_step(r, n, m):
    if not (n.is_exact and m.is_exact):
        return None
    if n.value.dtype != m.value.dtype and (n.rank == 0 or m.rank == 0):  # NumPy 1 looks at the values then
        return None
    try:
        np.broadcast_shapes(n.value.shape, m.value.shape)
    except ValueError:  # of which == would make False
        return None
    if n.is_complex or m.is_complex:
        return complex_binary_step(r, n, m)
    choices = [f"{n.name} + {m.name}", f"{n.name} * {m.name}", f"maximum({n.name}, {m.name})", f"minimum({n.name}, {m.name})"]
    choices += [f"logical_{f}({n.name}, {m.name})" for f in ("and", "or", "xor")]
    choices += [f"where({n.name} == {n.name}, {m.name}, {n.name})"]
    kinds = {n.kind, m.kind}
    if kinds != {"i", "u"}:
        choices += [f"{n.name} {op} {m.name}" for op in ("<", "<=", ">", ">=", "==", "!=")]
    if "b" not in kinds:
        choices += [f"{n.name} - {m.name}"] * 2
    if kinds <= set("iu"):
        choices += [f"{n.name} {op} {m.name}" for op in ("//", "%", "/")]
        choices += [f"{n.name} << ({n.name} & 7)", f"{n.name} >> ({n.name} & 7)"] * (n.rank > 0)
    if kinds <= set("iub") and np.result_type(n.value, m.value).kind != "f":
        choices += [f"{n.name} {op} {m.name}" for op in ("&", "|", "^")]
    if kinds == {"f"}:
        choices += [f"{n.name} / {m.name}", f"copysign({n.name}, {m.name})", f"nextafter({n.name}, {m.name})"]
    return r.choice(choices), EXACT


def complex_binary_step(r, n, m):
    choices = [f"{n.name} {op} {m.name}" for op in ("+", "*", "==", "!=")] + [f"logical_and({n.name}, {m.name})"]
    if n.kind != "b" and m.kind != "b":
        choices += [f"{n.name} - {m.name}"]
        choices += [f"{n.name} / ({m.name} * {m.name} + 9j)"] * (m.rank > 0)  # of rank 0, NumPy 1 widens it by the 9j
    choices += [f"where({n.name} == {n.name}, {m.name}, {n.name})"]
    return r.choice(choices), EXACT


def reduction_step(r, n):
    if not n.is_exact:
        return None
    if n.is_complex:
        name = r.choice(["sum", "sum", "mean", "any", "all", "count_nonzero", "var", "std", "vector_norm"])
        axis = pick_axis(r, n) if n.rank else None
        if name in ("var", "std", "vector_norm"):
            return (f"{name}({n.name}, axis={axis})", CLOSE + name) if n.rank and np.all(np.abs(n.value) < 100) else None
        return f"{name}({n.name}, axis={axis}, keepdims={r.random() < 0.5})", SUM if name in ("sum", "mean") else EXACT
    axis = r.choice([None, pick_axis(r, n)]) if n.rank else None
    keywords = f"axis={axis}, keepdims={r.random() < 0.5}"
    exact = ["any", "all", "count_nonzero", "max", "min"] + ([] if n.kind == "f" else ["sum", "prod"])
    sums = ["mean"] + (["sum", "sum"] if n.kind == "f" else [])
    name = r.choice(exact + sums)
    if r.random() < 0.15:
        return f"{r.choice(['argmax', 'argmin'])}({n.name}, axis={axis})", EXACT
    return f"{name}({n.name}, {keywords})", SUM if name in sums else EXACT


def spread_step(r, n):
    if not n.is_exact or n.rank == 0 or n.kind not in "fiu" or n.value.dtype.itemsize * 8 < 32:
        return None
    axis = pick_axis(r, n)
    name = r.choice(["var", "std", "logsumexp", "softmax", "vector_norm"])
    if n.value.shape[axis] == 0 or not np.all(np.abs(n.value.astype(float)) < 100):
        return None
    return f"{name}({n.name}, axis={axis})", CLOSE + name


def scan_step(r, n):
    if not n.is_exact or n.rank == 0:
        return None
    name = r.choice(["cumulative_sum", "cumulative_prod"])
    if n.is_complex:
        name = "cumulative_sum"
    text = f"{name}({n.name}, axis={pick_axis(r, n)}, include_initial={r.random() < 0.3})"
    return r.choice([text, text, f"diff({n.name}, axis={pick_axis(r, n)})"]), EXACT


def contraction_step(r, n):
    if not n.is_exact or not 1 <= n.rank <= 3 or n.kind == "b":
        return None
    letters = "ijk"[: n.rank]
    texts = [f"einsum('{letters},{letters}->{''.join(r.sample(letters, r.randint(0, n.rank)))}', {n.name}, {n.name})"]
    texts += [f"tensordot({n.name}, {n.name}, axes=(({n.rank - 1},), ({n.rank - 1},)))", f"vecdot({n.name}, {n.name})"]
    if n.rank > 1:
        texts += [f"{n.name} @ matrix_transpose({n.name})", f"{n.name} @ {n.name}[..., 0]"]
    if n.rank == 1:
        texts += [f"outer({n.name}, {n.name})"]
    return r.choice(texts), "contraction" if n.kind in "fc" else EXACT


# ---- How far a result may be off ----


def allowance(kind, text, operands, value):
    """None where it has to be equal; NaN where anything goes."""
    if kind == EXACT or (kind != VIEW and value.dtype.kind not in "fc"):
        return None
    x = operands[0]
    if kind == VIEW:
        return None if x.is_exact else np.abs(evaluate(text, {x.name: x.off}))
    eps = float(np.finfo(value.dtype).eps)
    with np.errstate(all="ignore"):
        size = np.abs(widest(x.value))
        if kind == CLOSE:
            growth = 40 if "**" in text and x.is_complex else 1  # of a power, with the exponential that it is
            return 8 * growth * eps * np.abs(widest(value)) + float(np.finfo(value.dtype).tiny)
        terms = max(x.value.size, 1)
        if kind == SUM:
            return np.full(value.shape, 2 * terms * eps * np.sum(size))
        if kind == "contraction":
            return np.full(value.shape, 2 * terms * eps * np.max(size, initial=0) ** 2 * terms)
        off = 8 * terms * eps * (1 + np.max(size, initial=0)) ** 2
        return np.full(value.shape, off**0.5 if kind == CLOSE + "std" else off)  # near 0 a root is off by the root


def widest(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def evaluate(text, names):
    values = namespace()
    values.update(names)
    with np.errstate(all="ignore"):
        return np.asarray(eval(text, values))


# ---- Expressions ----


def random_expression(r):
    nodes = [Node("xyz"[i], array) for i, array in enumerate(random_inputs(r))]
    inputs = {n.name: n.value for n in nodes}
    steps = [view_step] * 4 + [unary_step] * 3 + [binary_step] * 5 + [function_step, spread_step, scan_step, contraction_step]
    steps += [reduction_step] * 2
    lines, wanted = [], r.randint(1, 7)
    for _ in range(60):
        if len(lines) == wanted:
            break
        step = r.choice(steps)
        operands = [r.choice(nodes[-4:] if r.random() < 0.8 else nodes) for _ in range(2 if step is binary_step else 1)]
        made = step(r, *operands)
        if made is None:
            continue
        try:
            value = evaluate(made[0], {n.name: n.value for n in nodes})
            if value.size > MOST_ELEMENTS or value.ndim > 8:
                continue
            node = Node(f"t{len(lines)}", value, allowance(made[1], made[0], operands, value))
        except (ValueError, TypeError, IndexError, np.AxisError):
            continue  # no such operation on these
        nodes.append(node)
        lines.append(f"{node.name} = {made[0]}")
    lines.append(nodes[-1].name)
    return "; ".join(lines), inputs, nodes[-1]


# ---- The command ----


class Command:
    def __init__(self, path, folder):
        self.path, self.folder = path, Path(folder)

    def run(self, text, inputs, *options):
        files = [f"{name}={self.folder / name}.npy" for name in inputs]
        run = subprocess.run([self.path, "eval", text, *files, *options], capture_output=True, text=True, timeout=60)
        if run.returncode != 0:
            raise AssertionError(f"exit {run.returncode}: {run.stderr.strip()}")
        return run.stdout

    def file(self, text, inputs, *options):
        out = self.folder / "out.npy"
        self.run(text, inputs, "-o", str(out), "--quiet", *options)
        return np.load(out)


def stored(r, array):
    """The array as numpy.save may have found it: in either byte order, row-major or column-major."""
    array = np.array(array, order=r.choice("CCF"))
    return array.astype(array.dtype.newbyteorder(r.choice("<<>")))


def check_numbers(got, wanted):
    value = wanted.value
    assert got.dtype == value.dtype, f"dtype {got.dtype}, not {value.dtype}"
    assert got.shape == value.shape, f"shape {got.shape}, not {value.shape}"
    same = (got == value) | ((got != got) & (value != value))
    if not wanted.is_exact:
        with np.errstate(all="ignore"):
            distance = np.abs(widest(got) - widest(value))
            same |= (distance <= wanted.off) | ~np.isfinite(wanted.off)
    assert np.all(same), f"{got[~same][:4]}, not {value[~same][:4]} ({np.count_nonzero(~same)} elements)"


def bits(array):
    """Its bytes, with every NaN the same: sign and payload are not part of the contract."""
    parts = array.copy().view(array.real.dtype) if array.dtype.kind == "c" and array.ndim > 0 else array
    return (np.where(np.isnan(parts), np.nan, parts) if parts.dtype.kind in "fc" else parts).tobytes()


def flatten(data):
    return list(itertools.chain.from_iterable(map(flatten, data))) if isinstance(data, list) else [data]


def check(command, r):
    text, inputs, wanted = random_expression(r)
    storage = random.Random(text)  # apart, so that a seed's expression does not depend on it
    try:
        for name, array in inputs.items():
            np.save(command.folder / f"{name}.npy", stored(storage, array))
        got = command.file(text, inputs, "--threads", "1")
        check_numbers(got, wanted)
        for options in (["--threads", "2"], ["--executor", "reference", "--threads", "1"]):
            other = command.file(text, inputs, *options)
            assert bits(other) == bits(got), f"{' '.join(options)} gives other bits"
        facts = json.loads(command.run(text, inputs, "--json"))
        assert facts["dtype"] == str(got.dtype) and facts["shape"] == list(got.shape), "the JSON has another shape"
        if "data" in facts:
            parts = np.stack([got.real, got.imag], axis=-1) if got.dtype.kind == "c" else got
            numbers = np.array([float(v) if isinstance(v, str) else v for v in flatten(facts["data"])], parts.dtype)
            assert got.size == 0 or np.array_equal(numbers, parts.ravel(), equal_nan=got.dtype.kind in "fc"), "other JSON data"
        window = slices(r, Node(wanted.name, got))
        part = command.file(f"{text[: -len(wanted.name)]}{window}", inputs)
        assert bits(part) == bits(eval(window, {wanted.name: got})), f"{window} has other bits"
    except (AssertionError, subprocess.TimeoutExpired) as failure:
        shapes = ", ".join(f"{name} {a.dtype}{a.shape}" for name, a in inputs.items())
        print(f"{text}\n    with {shapes}\n    {failure}")
        return False
    return True


def main():
    scale = max(int(os.environ.get("ZC_TEST_SCALE", "1")), 1)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else QUICK * scale
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(os.environ.get("ZC_TEST_SEED", "20240229"))
    print(f"{count} expressions from ZC_TEST_SEED={seed} on")
    failed = 0
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        command = Command(sys.argv[1], folder)
        for one in range(seed, seed + count):
            if not check(command, random.Random(one)):
                print(f"    repeat: ZC_TEST_SEED={one}, COUNT 1")
                failed += 1
    print(f"{failed} of {count} expressions failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
