#!/usr/bin/env python3
"""Writes print_cases.def and expression_cases.def: what NumPy prints, and what NumPy makes of expressions.

The tables are committed, so the tests do not need NumPy. To change them, edit the lists below and run this file with
a NumPy whose print() is that of version 1.24. Expressions are evaluated by NumPy itself under the array API's names.
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
HEAD = "/* Made by make_cases.py with NumPy {}: {}. */\n"


def c_string(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


# ---- Printing: dense data of every dtype ----

EDGES = {
    "float32": [1e-45, 1.17549435e-38, 3.4028235e38, 16777216, 16777217, 0.1, 2.0**-44, 67651184.0, 9.999999e-5],
    "float16": [2.0**-24, 2.0**-14, 65504.0, 2048.0, 2049.0, 0.1, 0.3333, 1e-4, 0.0001001, 6.1e-5, 5.96e-7, 999.5],
    "float64": [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**53, 0.1, 2.0**-44, 1e16, 1e-4, 1e22],
}
FLOATS = [
    [0.0], [-0.0, 0.0], [1.0, 2.0, 3.0], [0.1, 0.25, 10.5], [1e8], [99999999.0], [123456789.0], [1e-4], [9.9e-5, 1.0],
    [1.0, 1000.0], [1.0, 1000.5], [0.5, -0.5], [1.0000000005], [0.123456785, 0.123456775], [1 / 3, 2 / 3, 1e3],
    [1e-10, 1.0], [1e100, 1.0], [1e-100, 1.0], [2.5e10, -3.25e-5], [np.nan], [np.inf, -np.inf], [np.nan, 1.5],
    [np.inf, 1.0, 100.25], [-np.inf, 12.0], [np.nan, 1e20], [-1.0, np.nan, np.inf], [99999.99999999], [0.00048828125],
    [2.0**-30, 3.0], [12345.678, 0.001], [1e15, 1.0], [5.0, 1e-3], [8421376.0, 67651184.0], [1e5, 123.456], [7.0] * 30,
    [-1.5e-7] * 9, list(np.arange(40) / 7), list(10.0 ** np.arange(-3, 4)), list(2.0 ** np.arange(-20, 20, 3)),
]  # fmt: skip
COMPLEX = [
    [0], [1 + 2j], [-0.0 - 0j], [2j], [1.5 - 2.25j, 3], [1e16 + 1e-5j], [1e-4j, 1], [np.nan + 1j], [complex(np.inf, np.nan)],
    [complex(0, np.nan)], [complex(0, -np.inf)], [complex(-0.0, 2)], [complex(1, -0.0)], [complex(np.nan, -np.inf), 1.5 - 100j], [complex(np.nan, np.nan)] * 3,
    [1e8 + 1j, 2 + 0.001j], [1 / 3 + 2e5j / 3, -7], [1e100 + 1e-100j, 1], [complex(-np.inf, 1e-9), 2], list(np.arange(30) / 7 * (1 - 3j)),
    [0.1 + 0.2j] * 9, [complex(1.5, np.inf), complex(-2, 7)], [5e-324j, 1e308], [12345.678 + 1j, 1000.5],
]  # fmt: skip
INTEGERS = {
    "int8": [[-128, 127, 0]], "int16": [[-32768, 32767]], "int32": [[-(2**31), 2**31 - 1], [5]],
    "int64": [[-(2**63), 2**63 - 1], [0], [1, -1], list(range(60)), [10**6, 3]],
    "uint8": [[255, 0]], "uint16": [[65535]], "uint32": [[2**32 - 1, 7]], "uint64": [[2**64 - 1, 0]],
    "bool": [[1], [0], [1, 0], [1, 1], [0] * 20],
}  # fmt: skip
SHAPED = [
    ("int64", (0,)), ("float32", (3, 0, 2)), ("int64", (2, 3)), ("float64", (2, 2, 3)), ("bool", (3, 2)), ("int16", ()),
    ("int64", (1, 1, 1)), ("uint8", (2, 1, 2, 3)), ("float32", (1, 30)), ("int32", (2, 2, 1, 1, 2)), ("int64", (30,)),
    ("complex64", (2, 3)), ("complex128", ()), ("complex64", (0, 2)), ("complex128", (2, 2, 1, 3)), ("complex64", (20, 30)),
    ("float32", (4, 10)), ("int64", (1,) * 20), ("int64", (5, 40)), ("float64", (1,) * 12 + (9,)),
]  # fmt: skip


def c_value(value):
    if isinstance(value, np.complexfloating):
        return f"{c_value(value.real)}, {c_value(value.imag)}"
    if isinstance(value, np.float16):
        return f"0x{value.view(np.uint16):04x}"
    if isinstance(value, (np.floating, float)):
        if np.isnan(value):
            return "NAN"
        if np.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        return float(value).hex() + ("f" if value.dtype == np.float32 else "")
    if value.dtype == np.uint64:
        return f"{value}u"
    return "INT64_MIN" if value.dtype == np.int64 and value == -(2**63) else str(int(value))


def print_cases():
    arrays = [np.array(v, dtype=d) for v in FLOATS for d in ("float16", "float32", "float64") if np.all(np.isfinite(np.array(v, d)) | ~np.isfinite(v))]
    arrays += [np.array(v, dtype=d) for d, values in EDGES.items() for v in [values] + [[x] for x in values]]
    bits = np.random.default_rng(16).integers(0, 2**16, 400, dtype=np.uint16)
    arrays += [part.view("float16") for part in np.split(bits, 100)]
    arrays += [np.array(v, dtype=d) for d, lists in INTEGERS.items() for v in lists]
    arrays += [np.array(v[0], dtype=d) for d in ("float16", "float32", "float64") for v in FLOATS[:20]]
    arrays += [np.array(x, dtype=d) for d, values in EDGES.items() for x in values]
    arrays += [np.array(v, dtype=d) for d in ("complex64", "complex128") for v in COMPLEX]
    arrays += [np.array(v[0], dtype=d) for d in ("complex64", "complex128") for v in COMPLEX]
    for dtype, shape in SHAPED:
        count = int(np.prod(shape))
        numbers = np.arange(count) * 37 % 101 / (1 if "int" in dtype or dtype == "bool" else 4)
        arrays.append((numbers * (1 - 0.5j) if "complex" in dtype else numbers).astype(dtype).reshape(shape))
    seen = set()
    for a in arrays:
        shape = ", ".join(map(str, a.shape)) or "0"
        values = ", ".join(c_value(x) for x in a.ravel()) or "0"
        kind = {"bool": "uint8_t", "float16": "uint16_t", "float32": "float", "float64": "double", "complex64": "float", "complex128": "double"}.get(a.dtype.name, a.dtype.name + "_t")
        row = f"ZC_PRINT_CASE({kind}, ZC_{a.dtype.name.upper()}, {a.ndim}, ({shape}), ({values}), {c_string(str(a))})\n"
        if row not in seen:
            seen.add(row)
            yield row


# ---- Expressions ----

EXPRESSIONS = """
1 + 2 * 3 | -2**2 | 2**-1 | 2**3**2 | -7 // 2 | -7 % 3 | 7 / 2 | 10**7 | 1_000 + 0x1f + 0b11 + 0o17 | ~5 | 1 << 40 | -1 >> 3
6 & 3 | 6 | 3 ^ 5 | True + True | True & False | 3 == 3.0 | 2**53 + 1 == 2.0**53 | .5 + 5. | 1e-3 | - -3 | 2 * -3 | (1, 2) == (1, 2)
x = 3; y = x + 4; x * y | s = (2, 3) + (4,); zeros(s) | (1, 2) * 2 | [1, 2] + [3] | (5, 6, 7)[1:] | (5, 6, 7)[-1] | (1, 2, 3)[::-1]
[[1, 2], [3, 4]] + arange(2) | [True, False] | [1, 2.5] | [] | [[1], [2]] * ones((1, 2)) | pi | e | inf | -inf | nan | None == None
arange(5) | arange(2, 10, 3) | arange(10, 0, -4) | arange(5.0) | arange(0, 1, 0.25) | arange(0, 1, 0.1, dtype=float32) | arange(3, dtype=int8)
arange(5, 5) | arange(5, 1) | linspace(0, 1, 5) | linspace(1, 2, 4, endpoint=False) | linspace(3, 9, 1) | linspace(0, 1, 0) | linspace(2, 2, 3)
linspace(0, 1, 7, dtype=float32) | eye(3) | eye(2, 4, k=1) | eye(3, k=-1, dtype=int8) | eye(2, k=5) | eye(2, k=-2) | eye(0, 3) | zeros(3) | ones((2, 2), dtype=bool)
full((2, 3), 7) | full(2, 2.5) | full((), True) | full((2,), 3, dtype=float32) | full((2, 2), [1, 2]) | zeros((2, 0, 3))
sum(a) | sum(a, axis=0) | sum(a, 1) | sum(a, axis=(0, 1)) | sum(a, axis=-1, keepdims=True) | sum(f, axis=0, dtype=float64) | prod(a, axis=1)
mean(a) | mean(f, axis=0) | max(a, axis=1) | min(f) | argmax(a) | argmax(a, axis=0) | argmin(f, axis=1) | any(a > 4, axis=0) | all(a > 4)
sum(a > 2) | sum(a, axis=()) | sum(astype(a, int8)).dtype == int64 | sum(astype(a, uint8)).dtype == uint64
a + f | a * 2 | a / 2 | a // 2 | a % 3 | a ** 2 | -a | +a | ~a | a & 3 | a | 8 | a ^ 1 | a << 2 | a >> 1 | 2 - a | 1.5 * a | a == 2 | a != 2 | a < 2 | a <= 2 | a > 2 | a >= 2
(a > 1) & (a < 5) | where(a > 2, a, 0) | clip(a, 1, 4) | clip(a, min=2) | clip(a, max=3) | clip(a) | astype(f, int32) | astype(a, bool) | astype(f, float32) * 2
abs(f) | square(a) | sqrt(square(f)) | exp(zeros(2)) | log(ones(2)) | tanh(zeros(2)) | relu(f) | positive(f) | negative(a) | maximum(a, 3) | minimum(f, 0.5)
add(a, 1) | subtract(a, 1) | multiply(x1=a, x2=2) | divide(a, 4) | floor_divide(a, 2) | remainder(a, 4) | pow(a, 2) | equal(a, 1) | not_equal(a, 1)
less(a, 1) | less_equal(a, 1) | greater(a, 1) | greater_equal(a, 1) | logical_and(a, 1) | logical_or(a, 0) | logical_xor(a, 1) | logical_not(a)
bitwise_and(a, 1) | bitwise_or(a, 1) | bitwise_xor(a, 1) | bitwise_invert(a) | bitwise_left_shift(a, 1) | bitwise_right_shift(a, 1)
a.T | a.mT | a.shape | a.ndim | a.size | a.dtype == int64 | c.T | matrix_transpose(c) | permute_dims(c, (2, 0, 1)) | transpose(c) | transpose(c, (1, 0, 2))
swapaxes(c, 0, -1) | moveaxis(c, 0, -1) | moveaxis(c, (0, 1), (2, 0)) | expand_dims(a, axis=1) | expand_dims(a, (0, -1)) | squeeze(ones((1, 2, 1))) | squeeze(ones((1, 2, 1)), axis=0)
flip(a) | flip(a, axis=1) | flip(c, axis=(0, 2)) | reshape(a, (3, 2)) | reshape(a, -1) | reshape(c, (4, -1)) | ravel(c) | diagonal(a) | diagonal(a, 1) | diagonal(c, 0, 1, 2)
sliding_window_view(arange(5), 3) | sliding_window_view(a, (2, 2)) | sliding_window_view(a, window=2, axis=-1) | sliding_window_view(c, (2, 2), axis=(1, 1)).shape | sliding_window_view(a, 0, 0).shape
rot90(a) | rot90(a, -1) | rot90(a, k=2) | rot90(c, 3, axes=(1, 2)) | rot90(c, axes=[-1, 0]).shape
view(f, uint32) | view([1.5, -2.0], uint8) | view(f * 2, int32) | view(ones(4, dtype=uint8) + 2, int8) | view(astype([0, 1, 2], uint8) + 0, bool) | view(1.5, int64) | view(a == 1, uint8) | view(arange(4, dtype=float32) + 0, uint32)
reshape(a, (3, 2), copy=None) | reshape(a, 6, copy=False) | reshape(a.T, 6, copy=True) | copy(a.T) | reshape(c, shape=(-1,), copy=True)
split(arange(6), 3)[1] | split(a, 3, axis=1)[-1] | split(a, [1, 2], 1)[1] | split(arange(8), (3, 5, 6, 10))[4].shape | split(arange(8), [3, 5])[-1] | split(arange(8), [-3, 2])[1].shape | split(arange(8), ())[0]
unstack(a)[1] | unstack(c, axis=-1)[2] | unstack(c, axis=1)[::-1][0] | broadcast_arrays([[1], [2]], [3, 4, 5])[0] | broadcast_arrays(a, 7)[1] | broadcast_shapes((6, 7), (5, 6, 1), 7, (5, 1, 7))
broadcast_to(a, (2, 2, 3)) | broadcast_to(5, 3) | broadcast_to(a[0], (2,) + a.shape) | as_strided(arange(6), (2, 3), (1, 2)) | as_strided(arange(9), shape=(3,), strides=(4,))
a[0] | a[-1, -1] | a[:, 1] | a[:, ::-1] | a[::-1, ::2] | a[None] | a[:, None, 1] | a[...] | a[..., 0] | a[0, ...] | a[..., None, 1] | c[1, :, 2] | c[..., 1, :] | a[5:] | a[1:1] | a[-9:9]
a[newaxis, ..., ::-2] | c[:, 1:, ::2] | c[None, 0, None, ..., None].shape | a[True + 0] | arange(20)[15:2:-4] | arange(20)[-3:-9:-2] | a[a.shape[0] - 1]
arange(1000) | arange(1001) | arange(100000) / 8 | reshape(arange(2000), (20, 100)) | reshape(arange(3000), (1000, 3)) | reshape(arange(1200), (1200, 1))
reshape(arange(2000), (10, 10, 20)) | reshape(arange(1400), (2, 7, 100)) | broadcast_to(arange(7), (7, 7, 7, 7)) | broadcast_to(f[0, 0], (10**3, 10**3)) | reshape(arange(2001), (3, 667)) - 0.5
where(arange(2000) < 3, nan, 1) | arange(2000) > 5 | reshape(arange(7**4), (7, 7, 7, 7)) * 1.0 | broadcast_to(arange(6), (6, 6, 6, 6))
3 < 2.5 | 3 <= 3.0 | 2**53 + 1 > 2.0**53 | 2**53 + 1 >= 2.0**53 | 1e300 > 3 | -1e300 < 3 | 3 < 1e300 | 3 > -1e300 | nan == nan | nan != nan | nan < 1 | 1 < nan | 1.5 < 2.5
2.5 > 1 | 1.5 == 1.5 | 2 != 3 | 5 >= 5 | 4 <= 3 | True == 1 | -3.0 < -3 | -3.5 < -3 | 3 < 3.5 | -3 > -3.5 | 0.0 == -0.0 | 1e16 == 10**16 | 9007199254740993 == 9007199254740992.0
7.5 - 2 | 7.5 * 2 | 7.5 / 2 | 7.5 // 2 | -7.5 // 2 | 7.5 // -2 | 7.5 % 2 | -7.5 % 2 | 7.5 % -2 | -0.0 % 3 | 6.0 % -3 | 0.0 // -3 | 1.0 // 0.1 | 1.0 % 0.1 | 1e308 * 10 | inf - inf
-7 // -2 | 7 // -2 | 7 % -3 | -7 % -3 | 5 % -1 | 5 // -1 | -9223372036854775808 % -1 | 2**62 + (2**62 - 1) | 7 / -2 | (-2)**3 | 1**1000 | (-1)**1001 | (-1)**1000 | 0**0 | 2**-2
4 ** 0.5 | 2.0 ** -1 | (-2.0) ** 3 | inf ** -1 | 0 << 1000 | 1 >> 1000 | -1 >> 1000 | -8 >> 1 | -1 << 63 | ~0 | ~True | +True | -True | True * 3 | 3.0 | +2.5 | -2.5 | True | 2 | False ^ True
1.5 < nan | nan >= 1.5 | 1 <= 2 | 2 <= 1 | 2 <= 2 | 2 >= 1 | 2 >= 2 | 1 >= 2 | 1j == 2j | 1j != 2j | 1j == 1j | 1 + 1j == 2 + 1j | 559374.1238415908 // 0.308083938622965 | 0.0 ** 2.0 | 0.0 ** 0.0 | (-2.0) ** inf | inf ** 2.0 | 2.0 ** inf | (-inf) ** 3.0 | 2.0 ** -inf
6 // 3 | 6 % 3 | -6 // 3 | 0 // 5 | 0 % -5 | (1, 2, 3)[1::9223372036854775807] | (1, 2, 3)[-1::-9223372036854775807] | full(3, -128, dtype=int8) | full(3, 127, dtype=int8) | full(3, -32768, dtype=int16) | full(3, 65535, dtype=uint16) | full(3, 4294967295, dtype=uint32) | full(3, -2147483648, dtype=int32)
2 * (1, 2) | [3] * 2 | (1, 2) == [1, 2] | (1, 2) != (1, 3) | (1, 2) == (1, 2, 3) | 'a' == 'a' | 'a' != 'b' | 'a' == 1 | (1, (2, 3)) == (1, (2, 3)) | a.dtype == f.dtype | None == 1 | a.shape == (2, 3) | 0 * (1, 2) + (3,)
(1, 2, 3, 4)[-3:-1] | (1, 2, 3, 4)[-9:9] | (1, 2, 3, 4)[::3] | (1, 2, 3, 4)[9:-9:-2] | (1, 2)[True] | (1, 2, 3)[1:1] | arange(5)[-9223372036854775808:] | (1, 2, 3)[::9223372036854775807]
concat([a, a * 10]) | concat((a, f), axis=1) | concat([a, c[0]], axis=None) | concat([astype(a, int8), [[1, 2, 3]]]) | stack([a, -a]) | stack((a, a + 1), axis=-1) | stack([1, 2.5]) | concat(c, axis=1)
roll(arange(7), 3) | roll(a, -1) | roll(a, 1, axis=0) | roll(a, (1, 2), axis=(0, 1)) | roll(a, 1, axis=(0, 1)) | roll(a, (1, 2)) | roll(a, 0) | roll(c, 9, -1)
tile(a, 2) | tile(a, (2, 1)) | tile(arange(2), (2, 3)) | tile(c, (1, 2)) | tile(a, 0).shape | tile(3, 2) | tile(a, ()) | repeat(a, 2) | repeat(a, 2, axis=0) | repeat(a, 3, -1) | repeat(a, 0, 1).shape
pad(a, 1) | pad(a, (1, 2)) | pad(a, ((0, 1), (2, 0))) | pad(a, ((1, 2),)) | pad(f, 1, constant_values=-1) | pad(arange(3), 7, 'reflect') | pad(arange(4), (5, 1), mode='symmetric') | pad(arange(3), (4, 8), 'wrap') | pad(a, ((2, 1), (0, 3)), 'edge') | pad(a, 0) | pad([5], 2, 'reflect')
take(a, 4) | take(a, [0, -1]) | take(a, [2, 0], axis=1) | take(a, [[0, 1], [1, 0]], axis=0) | take(a + 0.5, 1, axis=1) | take(c, arange(0), axis=1).shape | take_along_axis(a, [[2], [0]], axis=1) | take_along_axis(a, [[1, 0, 1]], axis=0) | take_along_axis(a, argmax(a, axis=1, keepdims=True))
astype(a, float16) / 3 | astype(c, float16) * 100 + 0.1 | sum(astype(c, float16)) | mean(astype(c, float16), axis=0) | sum(astype(arange(300), float16)) | mean(astype(arange(3000), float16)) | prod(astype(a + 1, float16), axis=1)
astype(f, float16) // 0.3 | astype(f, float16) % 0.3 | sqrt(astype(c, float16)) | exp(astype(f, float16)) | nextafter(astype(f, float16), 9) | maximum(astype(f, float16), 0.1) | where(a > 2, astype(f, float16), -1) | argmax(astype(c, float16), axis=0)
astype(a, int8) + astype(f, float16) | astype(a, int16) + astype(f, float16) | a + astype(f, float16) | astype(f, float16) + f | astype(c * 5000, float16) | astype(astype(c * 2.7, float16), int8) | astype(f, float16) > 0.1 | -astype(f, float16) ** 2
arange(5, dtype=float16) | arange(0, 1, 0.1, dtype=float16) | arange(1, 2, 0.07, dtype=float16) | linspace(0, 1, 7, dtype=float16) | full((2, 2), 0.1, dtype=float16) | ones(3, dtype=float16) / 3 | view(astype(f, float16), uint16) | eye(2, dtype=float16) * 0.1 | isfinite(astype(c * 5000, float16))
sum(concat([a, a]), axis=0) | exp(0.0 * pad(a, 1)) | concat([a, a])[1:3] | roll(tile(a, (3, 1)), 2, axis=0)[::2] | tile(a, 2)[:, 1:5] + 1 | take(pad(arange(5), 2), [0, 3, 8]) | argmax(tile(arange(4), 3)) | max(repeat(a.T, 2, axis=1), axis=0)
sort([3, 1, 2]) | sort(sort([3, 1, 2])) | sort(a[:, ::-1]) | sort(a, axis=0, descending=True) | sort(c[::-1], 0) | sort([2.5, nan, -inf, 0.0, inf]) | sort(sin(f)) | sort([True, False, True]) | sort(astype([200, 3, 255], uint8), descending=True)
sort(zeros((0, 3)), axis=0).shape | sort(broadcast_to([3, 1, 2], (2, 3))) | sort(1.5 * a.T)[0] | sum(sort(a) * 2) | sort(arange(60) * 37 % 61) | sort((arange(60) * 37 % 61 - 30) / 4, descending=True) | sort(a, -2, False, stable=False)
argsort([3, 1, 2, 1]) | argsort([3, 1, 2, 1], descending=True) | argsort(a, axis=0) | argsort(-a) | argsort(arange(100) % 3) | argsort(c * -1, axis=1, descending=False)[0] | take_along_axis(-a, argsort(-a)) | argsort([0.0, nan, -0.0, -1.0])
searchsorted([1, 3, 3, 5], [0, 3, 4, 9]) | searchsorted([1, 3, 3, 5], [0, 3, 4, 9], side='right') | searchsorted([5, 1, 3], a, sorter=[1, 2, 0]) | searchsorted([1, 2], 1.5) | searchsorted(f[0], a) | searchsorted([0.0, inf, nan], [nan, -1.0, inf], 'right') | searchsorted([1, 2, 3], [[2]])
top_k([4, 1, 9, 4], 2)[0] | top_k([4, 1, 9, 4], 3)[1] | top_k(a, 1, axis=0, mode='smallest')[0] | top_k(a, k=2, mode='smallest')[1] | top_k(f, 0)[0].shape | top_k(c, 2, 1)[0]
unique_values([3, 1, 3, 2]) | unique_values(a // 2) | unique_counts(a % 2)[1] | unique_counts([2.5, 1, 2.5])[0] | unique_inverse([[3, 1], [3, 2]])[1] | unique_inverse(c % 5)[0] | unique_all([5, 3, 5, 1])[1] | unique_all(a % 4)[2] | unique_all(arange(100) % 7)[3] | unique_all([])[0]
a[a > 2] | a[a % 2 == 0, None] | a[a[:, 0] > 0] | a[:, a[0] > 0] | a[..., [True, False, True]] | a[[False, True], 1:] | a[a[:, 1] > 0, [2]] | c[c[..., 0] % 8 > 0] | c[c[:, :, 1] < 9, ::-2] | c[1, c[0, :, 0] > 3] | c[[True, False], :, [True, False, True, False]] | c[None, a > 1, 0] | c[[1, 0], [True, False, True]] | a[a > 9] | a[a[:, 0] > 9].shape | f[f > 0] * 2 | sort(c[c % 5 == 0]) | sum(f[f > -0.3], axis=0) | a[[]].shape | a[:, []].shape | c[[[True, False, True], [False, True, True]]] | c[[True, True], [True, False, True], 1] | reshape(arange(8), (1, 2, 2, 2))[0, :, [1]]
nonzero([0, 2, 0, 3])[0] | nonzero(a % 2)[1] | nonzero(f)[0] | nonzero(c > 20)[2] | nonzero(a < 0)[0] | nonzero([nan, -0.0])[0] | take(ravel(a), nonzero(ravel(a) % 2)[0])
tril(c) | triu(a, 1) | tril(a, -1) | triu(f, k=-1) | tril(ones((3, 3), dtype=bool)) | zeros_like(f) | ones_like(a, dtype=float32) | full_like(a, 7) | full_like(f, 2, dtype=int8)
var(a) | var(a, axis=0) | var(f, 1, correction=1) | std(a, axis=-1, keepdims=True) | std(f) | var(arange(3, dtype=int8), correction=1.5) | var(a > 2) | var(zeros((2, 0)), axis=1)
count_nonzero(a) | count_nonzero(f, axis=0) | count_nonzero(a > 1, 1, keepdims=True) | vector_norm(a) | vector_norm(a, axis=0) | vector_norm(f, axis=1, keepdims=True, ord=1) | vector_norm(a - 2, ord=inf) | vector_norm(a - 2, axis=1, ord=-inf) | vector_norm(a, 1, ord=0) | vector_norm(a, ord=3)
logsumexp(a) | logsumexp(f, axis=0) | logsumexp(a + 1000, axis=1, keepdims=True) | softmax(a) | softmax(f, axis=0) | log_softmax(a, axis=0) | log_softmax(a * 1000.0) | softmax(zeros(4)) | softmax_sum(a, f.T) | softmax_sum(c, arange(4) * 1.0, axis=-1) | softmax_sum(a[0], f.T, 0)
trace(a) | trace(c) | trace(c, 1, 1, 2) | trace(c, offset=-1, axis1=2, axis2=0) | trace(f) | diff(a) | diff(a, axis=0) | diff(a ** 3, 2) | diff(a > 2) | diff(arange(3), n=5) | diff(a, n=0) | diff(arange(4) ** 2, prepend=-1, append=[100, 7]) | diff(astype([3, 1], uint8))
cumulative_sum(arange(5)) | cumulative_sum(a, axis=0) | cumulative_sum(a, axis=1, include_initial=True) | cumulative_sum(a > 2, axis=1) | cumulative_sum(f, axis=-1) | cumulative_sum(f, axis=0, dtype=float64) | cumulative_sum(astype(a, uint8), axis=1)[:, ::-1] | cumulative_sum(c, axis=1)[..., 1]
cumulative_prod(arange(1, 9)) | cumulative_prod(a + 1, axis=0) | cumulative_prod(a + 1, axis=1, include_initial=True) | cumulative_prod(f, axis=1) | cumulative_prod(arange(60) * 0 + 2)[-3:] | cumulative_prod(f[:0], axis=0).shape
a @ a.T | a @ arange(3) | arange(2) @ a | arange(3) @ arange(3) | f @ f.T | c @ c.mT | matmul(a, c[0, :, 1:]).shape | matmul(c, arange(4)) | (c @ ones((4, 2))).shape | astype(a, int8) @ astype(a.T + 100, int8) | a @ a.T @ a | -a @ a.T * 2 | ones((2, 0)) @ ones((0, 3))
vecdot(a, arange(3)) | vecdot(a, a, axis=-2) | vecdot(f, a) | outer(arange(3), arange(4)) | outer(arange(3), [0.5]) | outer([True, False], [True, True]) | tensordot(a, a.T, axes=1) | tensordot(a, a) | tensordot(a, arange(2), axes=0).shape | tensordot(c, a, axes=((0, 1), (0, 1))) | tensordot(c, a, ([-2], [1]))
einsum('ij,kj->ik', a, a) | einsum('ij,kj', a, a) | einsum('ij->ji', a) | einsum('ij->', f) | einsum('ii', a[:, :2]) | einsum('ii->i', a[:, 1:]) | einsum('...j,j->...', c, arange(4)) | einsum('i...,i->...', c, [2, 3]) | einsum('ba', a) | einsum('ij,jk,k->i', a, a.T, arange(2)) | einsum(',i', 3, arange(3)) | einsum('i,j->ji', arange(2), [0.5, 1]) | einsum('i,i', [True, False], [True, True]) | einsum('aab->b', c[:, :2])
2j | 1+2j | -2j | 1 - 2j | 1e3j | (1+2j)*(3-4j) | (1+2j)/(3-4j) | (1+2j)**2 | (1+2j)**-3 | (1+2j)**0 | 2**(1j) | (1+2j)**0.5 | (-8)**(1/3) | (-1)**0.5 | 1j**1j | 0j**2 | +(1-2j) | 1j*1j | 2j-2j | (1+2j)-1 | True+1j | 1j/2 | 2/1j | 1e200j*1e200 | 1/(nan+1j) | 1/(1+nan*1j) | 1/(nan*1j + 2j) | 2j/(1+1e-320j) | (1+1j)**101 | (2+1j)**(1+2j) | (-4.0)**0.5
1j == 1j | 1j != 1 | 1+0j == 1 | 2 == 2+0j | nan*1j == nan*1j | 2j == True | 1j == 'a' | (1j, 2) == (1j, 2) | [1j, 2] | [True, 2j] | [[1, 2j], [3.5, 4]] | [1j][0] | inf*1j | -1j*inf | complex64 == complex128
z | -z | z * 2 | z + f | z * 1j | z / (2+1j) | 1 / z | z * z | z - 1j | z ** 2 | z ** -1 | z == 2 | z != z[::-1] | conj(z) | real(z) | imag(z) | z[:, ::-1] | z.T @ z | abs([3+4j, -5j]) | angle([1j, -1, 0]) | positive(z) | reciprocal(z + 3) | square(z) | round(z * 1.3)
real(a) | imag(a) | conj(f) | real(f) | imag(f) | angle(f) | angle([0.0, -0.0, -1, nan, inf]) | angle(a) | real(2j) | conj([1, 2]) | isfinite([1j, inf*1j, nan]) | isinf([1j, inf*1j, nan]) | isnan([1j, inf*1j, nan]) | where(a > 2, z, f) | where(a > 2, 1j, 2)
astype(a, complex64) | astype(f, complex128) | astype(z, bool) | astype(z, complex128) | f * 1j | astype(f, float16) * 1j | a * 1j | (a > 1) + 1j | astype(a, int16) + astype(z, complex64) | logical_and(z, 1) | logical_not(z) | any(z) | all(z, axis=0)
sum(z) | sum(z, axis=0) | prod(z * 2 + 3, axis=1) | mean(z) | mean(z, axis=0, keepdims=True) | var(z) | std(z, axis=0) | var(z, correction=1) | count_nonzero(z) | nonzero(z)[0] | vector_norm(z) | vector_norm(z, axis=1, ord=1) | vector_norm([3j, 4], ord=inf) | cumulative_sum(z, axis=1) | cumulative_prod(z, axis=0) | diff(z) | trace(z)
sum(broadcast_to(z, (4, 2, 3)), axis=0) | prod(broadcast_to(z, (3, 2, 3)), axis=0) | mean(broadcast_to(z, (4, 2, 3)), axis=0) | sum(z[:0], axis=0) | prod(z[:0], axis=0) | sum(a, dtype=complex64) | matmul(z, z.T) | tensordot(z, a) | outer([1, 1j], [2, 3j]) | einsum('ij,kj', z, z) | vecdot(z, z) | vecdot(a, z) | vecdot([1j, 2], [3, 4j])
zeros(3, dtype=complex64) | ones((2, 2), dtype=complex128) | full((2,), 2j) | full((2,), 3, dtype=complex64) | full((), 1+1j, dtype=complex64) | eye(2, dtype=complex64) | linspace(0, 1+2j, 5) | linspace(0, 1, 3, dtype=complex64) | linspace(1j, 1, 4, endpoint=False) | zeros_like(z) | full_like(z, 1j) | arange(3, dtype=complex64) | arange(0, 1, 0.25, dtype=complex128)
concat([z, a]) | stack([f, 1j * f]) | flip(z) | roll(z, 1) | take(z, [1, 0], axis=1) | pad(z, 1, constant_values=1j) | repeat(z, 2, axis=1) | tile(z, 2) | tril(z) | reshape(z, (3, 2)) | view([[1j, 2]], float64) | view([[1.0, 2, 3, 4]], complex128) | view(f + 0j, int64).shape | reshape(arange(1200), (40, 30)) * 1j | arange(2000) * (0.5 - 1j)
sqrt([-4+0j, 3+4j, -1]) | exp(1j * pi) | sqrt(z * 0 - 4)
a.sum() | a.sum(axis=0) | a.reshape(3, 2) | a.reshape(6) | c.transpose(2, 0, 1) | a.T.sum(1) | (a + 1).mean() | -a.max() | a[0].min() | f.astype(float64).std(axis=1) | a.astype('float32') / 3 | a.astype('<i2') | f.cumsum(axis=1) | np.sum(a) | np.pi * 2 | numpy.arange(3, dtype=np.float32) | np.linalg.norm(f) | np.add(a, 1).sum(axis=1) | a.astype(float) | zeros(2, dtype=int) | x = a + 1; x.prod(axis=1)
absolute(f) | power(2, a) | concatenate([a, a]) | amax(a, axis=1) | arctan2(f, a) | arcsin([0.0, 0.5]) | mod(a, 4) | true_divide(a, 4) | rint(f * 3) | cumsum(f, axis=0) | conjugate(z) | left_shift(a, 2) | invert(a)
nansum([[1, nan], [3, 4]], axis=0) | nansum(a) | nanprod([nan, 2, 3]) | nanmean([[1, nan], [nan, nan]], axis=1) | nanmean(f, axis=0) | nanvar([1, nan, 3.5]) | nanstd([[1, nan, 3.5], [2, 2, 5]], axis=1) | nanmax([[nan, nan], [1, nan]], axis=1) | nanmax(a) | nanmin([nan, -2, 3]) | percentile(a, 30) | percentile(a * 1.0, 50, axis=1) | nanpercentile([nan, 1, 5], 50) | ptp(a, axis=1) | average([1, 2, 4], weights=[3, 1, 1]) | average(a, axis=0) | cov(a * a) | cov([1.0, 5, 2]) | interp([0, 1.5, 2.25, 9], [1, 2, 3], [3.0, 4, 10]) | degrees(a / 2) | radians([90, 180])
"""  # the separator is " | " where no operator can stand: see split()


def split(line):
    """Cuts at " | " unless the part so far, joined with the next, is one expression that uses the operator |."""
    parts = line.split(" | ")
    whole = ["6 | 3 ^ 5", "a | 8", "True | 2"]
    while parts:
        joined = " | ".join(parts[:2])
        if joined in whole:
            yield joined
            parts = parts[2:]
        else:
            yield parts.pop(0)


# NumPy 1.24 sorts upwards only. Turned around before and after, what is equal keeps its order.


def argsort(x, axis=-1, descending=False, stable=True):
    x = np.asarray(x)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)


def sort(x, axis=-1, descending=False, stable=True):
    return np.take_along_axis(np.asarray(x), argsort(x, axis, descending), axis)


def top_k(x, k, axis=-1, mode="largest"):
    indices = np.take(argsort(x, axis, mode == "largest"), np.arange(k), axis)
    return np.take_along_axis(np.asarray(x), indices, axis), indices


def shaped(x, unique):
    """The inverse indices, which NumPy 1.24 gives as one axis, in x's shape."""
    return tuple(u.reshape(np.shape(x)) if i == len(unique) // 2 else u for i, u in enumerate(unique))


def cumulative(function, initial):
    """cumsum and cumprod with the array API's dtypes and its include_initial."""

    def scan(x, axis=0, dtype=None, include_initial=False):
        scanned = function(x, axis=axis, dtype=dtype)
        if not include_initial:
            return scanned
        shape = tuple(1 if a == axis % scanned.ndim else n for a, n in enumerate(scanned.shape))
        first = np.full(shape, initial, scanned.dtype)
        return np.concatenate([first, scanned], axis=axis)

    return scan


def as_float(x):
    x = np.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def logsumexp(x, axis=None, keepdims=False):
    x = as_float(x)
    most = np.max(x, axis=axis, keepdims=True)
    most = np.where(np.isfinite(most), most, 0).astype(x.dtype)
    sums = np.log(np.sum(np.exp(x - most), axis=axis, keepdims=True)) + most
    return sums if keepdims else np.squeeze(sums, axis=axis)


def softmax(x, axis=-1):
    powers = np.exp(as_float(x) - np.max(as_float(x), axis=axis, keepdims=True, initial=-np.inf))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def softmax_sum(scores, values, axis=-1):
    return np.matmul(np.moveaxis(softmax(scores, axis), axis, -1), values)


def vector_norm(x, axis=None, keepdims=False, ord=2):
    x = as_float(x)
    if axis is None and not keepdims:
        x, axis = x.ravel(), 0
    return np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)


def sign(x):
    """x / abs(x) of complex numbers, as the array API has it and NumPy from version 2 on."""
    x = np.asarray(x)
    if x.dtype.kind != "c":
        return np.sign(x)
    return np.where(x == 0, x * 0, x / np.where(x == 0, 1, np.abs(x)).astype(x.real.dtype)).astype(x.dtype)


def namespace():
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    names.update(
        np=np,
        numpy=np,
        bool=np.bool_,
        pow=np.power,
        astype=lambda x, dtype: np.asarray(x).astype(dtype),
        permute_dims=np.transpose,
        sign=sign,
        complex=lambda re, im: np.asarray(re) + 1j * np.asarray(im),
        acosh=np.arccosh,
        atanh=np.arctanh,
        acos=np.arccos,
        asin=np.arcsin,
        atan=np.arctan,
        asinh=np.arcsinh,
        matrix_transpose=lambda x: np.swapaxes(x, -1, -2),
        bitwise_invert=np.invert,
        bitwise_left_shift=np.left_shift,
        bitwise_right_shift=np.right_shift,
        relu=lambda x: np.maximum(x, 0),
        clip=lambda x, min=None, max=None: x if min is None and max is None else np.clip(x, min, max),
        as_strided=lambda x, shape, strides: np.lib.stride_tricks.as_strided(x, shape, [s * x.itemsize for s in strides]),
        view=lambda x, dtype: np.array(x).view(dtype),
        reshape=lambda x, shape, copy=None: np.reshape(x, shape),
        unstack=lambda x, axis=0: tuple(np.moveaxis(x, axis, 0)),
        sliding_window_view=lambda x, window, axis=None: np.lib.stride_tricks.sliding_window_view(x, window, axis=axis),
        concat=np.concatenate,
        sort=sort,
        argsort=argsort,
        top_k=top_k,
        unique_values=np.unique,
        unique_counts=lambda x: np.unique(x, return_counts=True),
        unique_inverse=lambda x: shaped(x, np.unique(x, return_inverse=True)),
        unique_all=lambda x: shaped(x, np.unique(x, return_index=True, return_inverse=True, return_counts=True)),
        take_along_axis=lambda x, indices, axis=-1: np.take_along_axis(x, np.asarray(indices), axis),
        var=lambda x, axis=None, correction=0, keepdims=False: np.var(x, axis=axis, ddof=correction, keepdims=keepdims),
        std=lambda x, axis=None, correction=0, keepdims=False: np.std(x, axis=axis, ddof=correction, keepdims=keepdims),
        vector_norm=vector_norm,
        logsumexp=logsumexp,
        softmax=softmax,
        softmax_sum=softmax_sum,
        log_softmax=lambda x, axis=-1: x - logsumexp(x, axis, True),
        cumulative_sum=cumulative(np.cumsum, 0),
        cumulative_prod=cumulative(np.cumprod, 1),
        vecdot=lambda x1, x2, axis=-1: np.sum(np.multiply(np.conj(x1), x2), axis=axis, dtype=np.multiply(x1, x2).dtype),
        a=np.arange(6).reshape(2, 3),
        f=np.arange(6, dtype=np.float32).reshape(2, 3) / 4 - 0.5,
        c=np.arange(24).reshape(2, 3, 4),
        z=(np.arange(6).reshape(2, 3) - 2).astype(np.complex64) * np.complex64(1 + 0.5j),
    )
    return names


def evaluate_numpys(expression):
    """Evaluates an expression under NumPy's own names."""
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    arrays = namespace()
    names |= {name: arrays[name] for name in "afcz"}
    return np.asarray(eval(expression, names))


def evaluate(expression):
    import re

    statements = re.sub(r"\.mT\b", ".swapaxes(-1, -2)", expression).split(";")
    statements = [re.sub(r"\b(multiply)\(x1=a, x2=2\)", r"\1(a, 2)", s).strip() for s in statements]
    names = namespace()
    for statement in statements[:-1]:
        exec(statement, names)
    return np.asarray(eval(statements[-1], names))


def expression_case(expression, value):
    return f"ZC_EXPRESSION_CASE({c_string(expression)}, ZC_{value.dtype.name.upper()}, {c_string(str(value))})\n"


def expression_cases():
    for line in EXPRESSIONS.strip().split("\n"):
        for expression in split(line):
            value = evaluate(expression)
            yield expression_case(expression, value)
    for expression in (HERE / "numpy_expressions.txt").read_text().splitlines():
        yield expression_case(expression, evaluate_numpys(expression))


def main():
    np.seterr(all="ignore")
    prints = "dtype, rank, shape, elements, and what print() shows"
    evaluations = (
        "expression, dtype, and what print() shows of its value.\n"
        "   Longer than 500 lines because nobody writes it"
    )
    (HERE / "print_cases.def").write_text(HEAD.format(np.__version__, prints) + "".join(print_cases()))
    (HERE / "expression_cases.def").write_text(HEAD.format(np.__version__, evaluations) + "".join(expression_cases()))


if __name__ == "__main__":
    sys.exit(main())
