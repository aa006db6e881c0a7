#!/usr/bin/env python3
"""docs/numerics/functions.md against the library: the definitions of the page give the same bits.

    test_functions.py ZEROCAST [NAME ...]

The page's code is all that is run: with the arithmetic of whole numbers in arithmetic.py, on random arguments of every
size and around the places where functions change. The library is asked through the command. Prints the seed;
ZC_TEST_SEED=n repeats a run, ZC_TEST_SCALE=k makes it k times longer. Names choose functions, as exp_float64.
"""

import ast
import collections
import inspect
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from arithmetic import FLOAT32, FLOAT64, NAMES, Point, Real, float32, float64

PAGE = Path(__file__).resolve().parents[2] / "docs" / "numerics" / "functions.md"
ARGUMENTS = 150
# Functions that the page describes in words: those that are made of others, and those of types of their own.
OPERATORS = {"remainder": "x % y", "floor_divide": "x // y", "times": "x * y", "over": "x / y", "inverse": "reciprocal(x)"}
GENERIC = {"lerp": 3, "remainder": 2, "floor_divide": 2}
GENERIC_COMPLEX = {"times": 2, "over": 2, "inverse": 1, "sign": 1}
DESCR = {"float32": "<f4", "float64": "<f8", "complex64": "<c8", "complex128": "<c16"}
FORMATS = {"float32": FLOAT32, "float64": FLOAT64, "complex64": FLOAT32, "complex128": FLOAT64}


# ---- The page ----


def typed(function, names):
    """The function with its arguments and results in the types that its definition names."""
    parameters = [names.get(p.annotation) for p in inspect.signature(function).parameters.values()]
    results = re.sub(r"[()]", "", str(inspect.signature(function).return_annotation)).split(", ")

    def call(*given):
        assert len(given) == len(parameters), function.__name__
        value = function(*[kind(g) if kind else g for kind, g in zip(parameters, given)])
        kinds = [names.get(r) for r in results]
        if len(kinds) == 1:
            return kinds[0](value) if kinds[0] else value
        return tuple(kind(v) if kind else v for kind, v in zip(kinds, value))

    return call


def definitions():
    """Everything that the page defines, by name."""
    text = PAGE.read_text()
    names = dict(NAMES)
    conversions = {k: NAMES[k] for k in ("float32", "float64", "int32", "uint32", "int64", "uint64", "complex64", "complex128")}
    for name, fields in re.findall(r"^- (\w+): (.*)$", text.split("```python")[0].split("Structures")[1], flags=re.M):
        names[name] = collections.namedtuple(name, re.findall(r"(\w+) \(", fields))
    names["hypot"] = lambda x, y: names["hypot_float32" if isinstance(x, float32) else "hypot_float64"](x, y)
    for code in re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        module = ast.parse(code)
        for node in module.body:
            if isinstance(node, ast.FunctionDef):  # types are names, not values
                for argument in node.args.args:
                    argument.annotation = ast.Constant(ast.unparse(argument.annotation))
                node.returns = ast.Constant(ast.unparse(node.returns))
        exec(compile(ast.fix_missing_locations(module), str(PAGE), "exec"), names)
        for node in module.body:
            if isinstance(node, ast.FunctionDef):
                names[node.name] = typed(names[node.name], conversions)
    return names


# ---- Arguments ----

# Around these, and their powers of 2, functions change what they do.
TURNS = [0.0, 0.25, 0.5, 0.675, 0.75, 0.8, 0.85, 1.0, 1.2, 1.35, math.sqrt(0.5), math.sqrt(2), math.tan(math.pi / 8), 2.0, 3.0, 4.0, 6.0, 10.0, 11.0, 14.5, 16.0,
         17.0, 20.0, 22.0, 24.0, 30.0, 38.0, 39.0, 40.0, 60.0, 80.0, 87.0, 88.7, 89.4, 104.0, 110.0, 125.0, 128.0, 151.0, 700.0, 709.7, 710.4, 720.0, 745.1,
         1021.0, 1024.0, 1074.0, math.pi, math.pi / 2, math.pi / 4, math.e, 1e15, 2.0**16, 2.0**20, 2.0**28, 2.0**30, 2.0**52, 2.0**-13, 2.0**-25, 2.0**-28,
         2.0**-54, 2.0**-126, 2.0**-149, 2.0**-1022, 2.0**-1074, 2.0**60, 2.0**127, 2.0**400, 2.0**450, 2.0**1000, math.inf, math.nan]  # fmt: skip


def draw(r, f):
    """A float: of every size, of ordinary size, or near a place where something changes."""
    way = r.random()
    if way < 0.25:
        return f.of_bits(r.getrandbits(32 if f is FLOAT32 else 64))
    if way < 0.75:
        value = r.uniform(-1, 1) * 2.0 ** r.uniform(-12, 11)
    else:
        value = r.choice(TURNS) * r.choice([1, 1, -1]) * (1 + r.choice([0, 0, 1, -1]) * 2.0 ** -r.uniform(3, 53))
    return float(Real_of(f, value))


def Real_of(f, value):
    return (float32 if f is FLOAT32 else float64).of(value).value


def powers(r, f, x):
    """An exponent that keeps the power of x within reach of the ends, mostly; or one that means an operation."""
    if r.random() < 0.3 or not 0 < abs(x) < math.inf or abs(x) == 1:
        return float(r.choice([2, 3, 0.5, -1, 0, 1, 7, -2, 2.5, 1e9, 2.0**53 - 1, r.randint(-20, 20)]))
    return Real_of(f, r.uniform(-1.1, 1.1) * f.most / max(abs(math.log2(abs(x))), 1e-3))


def arguments(r, name, dtype, arity, count):
    """`count` tuples of arguments, each of one number or, of complex ones, of two."""
    f = FORMATS[dtype]
    found = []
    for _ in range(count):
        row = [draw(r, f) for _ in range(arity * (2 if dtype.startswith("complex") else 1))]
        if name == "pow" and not dtype.startswith("complex"):
            row[0] = abs(row[0]) if r.random() < 0.7 else row[0]
            row[1] = powers(r, f, row[0])
        elif arity == 2 and r.random() < 0.5:
            row[1] = Real_of(f, row[0] * r.uniform(-2, 2))
        if name == "pow" and dtype.startswith("complex") and r.random() < 0.4:
            row[2:] = [float(r.randint(-9, 9)), 0.0]
        found.append(row)
    return found


# ---- The library ----


def write_npy(path, dtype, values):
    header = f"{{'descr': '{DESCR[dtype]}', 'fortran_order': False, 'shape': ({len(values) // (2 if dtype.startswith('complex') else 1)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = b"".join(struct.pack(FORMATS[dtype].code, v) for v in values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read_npy(path, dtype):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    header = data[10 : 10 + length].decode()
    assert f"'{DESCR[dtype]}'" in header, header
    code = FORMATS[dtype].code
    return [v for (v,) in struct.iter_unpack(code, data[10 + length :])]


def of_library(command, folder, expression, dtype, columns, executor):
    files = []
    for letter, column in zip("xyz", columns):
        write_npy(folder / f"{letter}.npy", dtype, column)
        files.append(f"{letter}={folder / letter}.npy")
    out = folder / "out.npy"
    subprocess.run([command, "eval", expression, *files, "-o", str(out), "--executor", executor], check=True)
    return read_npy(out, dtype)


# ---- Comparing ----


def same(a, b):
    return a != a and b != b if a != a or b != b else a == b and math.copysign(1, a) == math.copysign(1, b)


def of_page(names, function, dtype, row):
    """The definition's result, as the parts that it has."""
    kind = float32 if FORMATS[dtype] is FLOAT32 else float64
    if not dtype.startswith("complex"):
        return [kind.of(function(*[kind(v) for v in row])).value]
    is_generic = function in [names[g] for g in GENERIC_COMPLEX]
    part = kind if is_generic else float64
    value = function(*[Point(part(row[i]), part(row[i + 1])) for i in range(0, len(row), 2)])
    return [kind.of(value.real).value, kind.of(value.imag).value]


def cases(names):
    """(name, dtype, definition, how many arguments) of every function that the page gives."""
    for full in list(names):
        match = re.fullmatch(r"(\w+)_(float32|float64|complex128)", full)
        if not match or match[1] in ("round", "near") or full.startswith("software"):
            continue
        arity = 2 if match[1] in ("pow", "atan2", "hypot", "logaddexp") else 1
        if match[1] in PUBLIC:
            yield match[1], match[2], names[full], arity
            if match[2] == "complex128":
                yield match[1], "complex64", names[full], arity
    for name, arity in GENERIC.items():
        yield name, "float32", names[name], arity
        yield name, "float64", names[name], arity
    for name, arity in GENERIC_COMPLEX.items():
        yield name, "complex64", names[name], arity
        yield name, "complex128", names[name], arity


def public():
    """The names of operations in ops.def: the page has helpers besides."""
    rows = (PAGE.parents[2] / "runtime" / "ops" / "ops.def").read_text()
    return set(re.findall(r"^ZC_OP\(\w+,\s*(\w+),", rows, flags=re.M))


PUBLIC = public()


def check(command, folder, r, names, case, count):
    """How many results differ."""
    name, dtype, function, arity = case
    rows = arguments(r, name, dtype, arity, count)
    width = 2 if dtype.startswith("complex") else 1
    columns = [[v for row in rows for v in row[width * i : width * (i + 1)]] for i in range(arity)]
    expression = OPERATORS.get(name, f"{name}({', '.join('xyz'[:arity])})")
    wanted = [of_page(names, function, dtype, row) for row in rows]
    differ = 0
    for executor in ("tile", "reference"):
        got = of_library(command, folder, expression, dtype, columns, executor)
        for i, row in enumerate(rows):
            if not all(same(a, b) for a, b in zip(wanted[i], got[width * i : width * (i + 1)])):
                differ += 1
                if differ <= 3:
                    texts = [", ".join(v.hex() for v in values) for values in (row, wanted[i], got[width * i : width * (i + 1)])]
                    print(f"{name} in {dtype} of {texts[0]} is {texts[1]} by the page, {texts[2]} by the library ({executor})")
    return differ


def main():
    command, chosen = sys.argv[1], sys.argv[2:]
    seed = int(os.environ.get("ZC_TEST_SEED") or random.SystemRandom().getrandbits(32))
    count = ARGUMENTS * int(os.environ.get("ZC_TEST_SCALE") or 1)
    print(f"ZC_TEST_SEED={seed}")
    names, functions, differ = definitions(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(names):
            if chosen and f"{case[0]}_{case[1]}" not in chosen:
                continue
            r = random.Random(f"{seed} {case[0]} {case[1]}")
            functions += 1
            differ += check(command, Path(folder), r, names, case, count)
    print(f"{functions} functions of the page, {count} arguments each, {differ} results differ")
    return 1 if differ or functions == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
