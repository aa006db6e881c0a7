#!/usr/bin/env python3
"""docs/numerics/functions.md: the definition of every elementary function. Made from the C that computes them.

    specify.py            write it
    specify.py --check    exit code 1 when it is not what would be written
"""

import re
import sys
from pathlib import Path

from c_subset import Translator, constants_of, functions_of, literal, plain_name, structs_of

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "numerics" / "functions.md"

# Sections: a title, and the files that they are made from.
SECTIONS = [
    ("Bits, powers of 2 and pairs", ["math/double/base.h", "math/single/base.h"]),
    ("Polynomials", ["math/double/polynomials.h", "math/single/polynomials.h"]),
    ("Exponentials and hyperbolic functions", ["math/double/exp.h", "math/single/exp.h"]),
    ("Logarithms and inverse hyperbolic functions", ["math/double/log.h", "math/single/log.h"]),
    ("Sigmoid, silu, softplus, logaddexp", ["math/double/activation.h", "math/single/activation.h"]),
    ("The error function and gelu", ["math/double/normal.h", "math/single/normal.h"]),
    ("Powers and roots", ["math/double/power.h", "math/single/power.h"]),
    ("sin, cos, tan", ["math/single/trigonometric.h", "math/double/trigonometric.h"]),
    ("asin, acos, atan, atan2", ["math/double/inverse.h", "math/single/inverse.h"]),
    ("Remainders and other formulas of floats", ["runtime/ops/elements_float_tmpl.h"]),
    ("Complex numbers", ["math/complex/field_tmpl.h", "math/complex/complex.h", "runtime/ops/elements_complex_tmpl.h"]),
]

# Functions that the document's language has of its own, and those that are written by hand below.
PRIMITIVE = {"choose", "select_pair", "point"}
BY_HAND = {
    "reduce_far": '''def reduce_far(x: float64) -> angle:
    # two_over_pi(n) is the whole part of 2^n 2/pi. |x| = m 2^e; bits worth whole turns are left out, and of the
    # product 224 bits are kept: the quadrant's two, and 222 behind the point.
    e = (bits64(abs(x)) >> 52) - 1075
    m = bits64(x) % 2**52 + 2**52
    product = m * (two_over_pi(e + 222) % 2**224) % 2**224
    quadrant = (product + 2**221) >> 222  # the nearest one
    fraction = product % 2**222
    is_below = fraction >= 2**221  # then 1 less the fraction counts, downwards
    if is_below:
        fraction = 2**222 - 1 - fraction
    first = float64(fraction >> 169) * 2.0**-53
    second = float64((fraction >> 116) % 2**53) * 2.0**-106
    third = float64((fraction >> 63) % 2**53) * 2.0**-159
    sum = two_sum(first, second)
    half_pi = pair(2.0 * QUARTER_PI, 2.0 * QUARTER_PI_REST)
    r = multiply_pairs(fast_two_sum(sum.high, sum.low + third), half_pi)
    if is_below != (x < 0):
        r = pair(-r.high, -r.low)
    return angle(r, -quadrant if x < 0 else quadrant)''',
    "whole_power": '''def whole_power(x: complex128, n: int) -> complex128:
    # Squares and multiplies.
    left = abs(n)
    result = None
    while left > 0:
        if left % 2 == 1:
            result = x if result is None else times(result, x)
        x = times(x, x)
        left = left // 2
    return inverse(result) if n < 0 else result''',
}
CALLED_BY_HAND = {"reduce_far": ["two_sum", "fast_two_sum", "multiply_pairs"], "whole_power": ["times", "inverse"]}
USED_BY_HAND = {"reduce_far": ["ZC_QUARTER_PI", "ZC_QUARTER_PI_REST"]}
# Formulas of more than an operation that floats and complex numbers share with their parts' types.
FORMULAS = ["lerp", "remainder", "floor_divide"]
COMPLEX_FORMULAS = ["times", "over", "inverse", "sign"]

HEAD = """# Elementary functions, to the bit

Longer than 500 lines because it is made from the code, function by function: by `tests/numerics/specify.py` from `math/` and `runtime/ops/elements_*.h`;
do not edit. `tests/numerics/test_functions.py` reads nothing but this page: it runs its definitions with an arithmetic of exact whole
numbers, and compares every bit with what the library computes. [numerics.md](../numerics.md) has the rest of the contract.

## How to read it

The definitions are in Python's notation. A number is a float32, a float64, or a whole number. A parameter's type stands behind its name,
a result's behind the arrow; `real` is either type of float, the same for all of a function.

| written | means |
|---|---|
| `x + y`, `x - y`, `x * y`, `x / y`, `sqrt(x)` | IEEE-754's operation in the operands' type, rounded once to nearest, ties to even; subnormal numbers are kept. Operands have the same type. What is not in parentheses goes from left to right |
| `fma(x, y, z)` | x * y + z, rounded once |
| `-x`, `abs(x)` | x with the other sign; without its sign |
| `0.5`, `2.0**-54`, `1`, `number("0x1.8p+1")`, `inf`, `nan` | that number, in the type of what it meets; hexadecimal digits are C's |
| `float32(x)`, `float64(x)` | x in that type, rounded once |
| `x < y`, `x == y` ... | IEEE-754's: false with NaN, and -0.0 is 0.0; `x != y` is true with NaN |
| `a if c else b` | a where c is true, else b; `c & d`, `c \\| d`, `not c` of truths |
| `bits64(x)`, `bits32(x)` | the bits of a float as a whole number that is not negative; the sign's is the highest |
| `from_bits64(n)`, `from_bits32(n)` | the float with those bits, of n modulo 2^64 or 2^32 |
| `int32(n)`, `uint32(n)`, `int64(n)`, `uint64(n)` | the number of that range that is n modulo 2^width. As types of parameters and results, too |
| `n >> k`, `n << k`, `n & m`, `n ^ m`, `~n` | of whole numbers of any size, negative ones in two's complement; `>>` rounds down |
| `exponent32(n)` | `int32(n << 23)`: n in the place of a float32's exponent |
| `integer(x)` | the whole number x |
| `horner(z, "c", "d", ..., "e")` | Horner's rule with those numbers: p = c, p = fma(p, z, d), ..., fma(p, z, e) |
| `pair(high, low)` and others | several values under one name; `p.high` is one of them |
| `copysign(x, y)`, `floor(x)`, `fmod(x, y)` | C's functions, which are exact |
| `point(x, y)`, `z.real`, `z.imag` | a complex number and its parts; `z == 0` compares both |

No operation traps. Where a definition computes something that a later line does not choose (a quotient by 0, bits of NaN), any value may
stand there. A NaN is any NaN. Comments say `float` and `double` for float32 and float64.

Complex numbers: `NAME_complex64(z)` is `NAME_complex128(z)` of both parts in float64, each part of the result rounded to float32; so is
`pow`. But `times`, `over`, `inverse` and `sign` are of either type. `square(z)` is `times(z, z)`; `abs` and `angle` are `hypot` and `atan2`
of the parts, in their type; `hypot(x, y)` in `sign` is that of the parts' type. float16 and bfloat16 are computed in float32, then rounded.

"""


def field_template(text):
    text = re.sub(r"ZC_FIELD\((\w+)\)", r"\1", text)
    text = re.sub(r"ZC_M\((\w+)\)", r"\1", text)
    return text.replace("ZC_PART_T", "real").replace("ZC_T", "complex")


def float_template(text):
    text = re.sub(r"ZC_[EM]\((\w+)\)", r"\1", text)
    return text.replace("ZC_T", "real")


def complex_template(text):
    text = re.sub(r"ZC_E\(real\)", "__builtin_creal", text)
    text = re.sub(r"ZC_E\(imag\)", "__builtin_cimag", text)
    text = re.sub(r"ZC_E\(complex\)", "point", text)
    text = re.sub(r"ZC_(?:E|M|PART)\((\w+)\)", r"\1", text)
    return text.replace("ZC_PART_T", "real").replace("ZC_T", "complex")


TEMPLATES = {"math/complex/field_tmpl.h": field_template, "runtime/ops/elements_float_tmpl.h": float_template, "runtime/ops/elements_complex_tmpl.h": complex_template}


def source(name):
    text = TEMPLATES.get(name, lambda t: t)((ROOT / name).read_text())
    return re.sub(r"\b(times|over|inverse)_complex128\b", r"\1", text)


def roots(known):
    """The functions behind the rows of ops.def, in its order."""
    names = re.findall(r"^ZC_OP\(\w+,\s*(\w+),", (ROOT / "runtime" / "ops" / "ops.def").read_text(), flags=re.M)
    found = [f"{name}_{dtype}" for name in names for dtype in ("float32", "float64", "complex128")]
    return [name for name in found if name in known] + FORMULAS + COMPLEX_FORMULAS


class Specification:
    def __init__(self):
        self.files = {name: source(name) for _, names in SECTIONS for name in names}
        everything = "".join(self.files.values())
        self.structs = structs_of(everything)
        self.constants = constants_of(everything)
        kinds = {name: "float32" if value.endswith("f") else "float64" for name, value in self.constants.items()}
        self.known, self.places = {}, {}
        for name, text in self.files.items():
            for f in functions_of(text):
                is_wanted = f.name in FORMULAS if name == "runtime/ops/elements_float_tmpl.h" else f.name == "sign" if name == "runtime/ops/elements_complex_tmpl.h" else True
                if f.name not in PRIMITIVE and is_wanted:
                    self.known[f.name], self.places[f.name] = f, name
        self.bodies, self.calls, self.used = {}, {}, {}
        left = roots(self.known)
        while left:
            name = left.pop()
            if name not in self.bodies:
                self.translate(name, kinds)
                left += self.calls[name]

    def translate(self, name, kinds):
        f = self.known[name]
        if name in BY_HAND:
            self.bodies[name], self.calls[name], self.used[name] = BY_HAND[name], CALLED_BY_HAND[name], USED_BY_HAND.get(name, [])
            return
        t = Translator(f, self.known, self.structs, kinds)
        t.statements()
        ins = ", ".join(f"{p}: {kind}" for p, kind in f.parameters if not kind.endswith("*"))
        results = [f.result] + [kind.rstrip("*") for _, kind in f.parameters if kind.endswith("*")]
        head = f"def {f.name}({ins}) -> {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}:"
        polynomial = re.fullmatch(r"p = (?:float32|float64)\((.*)\)((?:\n\s+p = fma\(p, z, .*\))*)\n\s+return fma\(p, z, (.*)\)", "\n".join(t.lines).strip())
        if polynomial:
            first, middle, last = polynomial.groups()
            terms = [first] + re.findall(r"p = fma\(p, z, (.*)\)", middle) + [last]
            terms = [re.sub(r"(-?)2\.0\*\*(-?\d+)", r'"\g<1>0x1p\2"', term) for term in terms]
            terms = [re.sub(r'(-?)number\("(.*)"\)', r'"\1\2"', term) for term in terms]
            t.lines = ["    return horner(z,"] + [f"        {line}" for line in wrapped(", ".join(terms) + ")", 105)]
        comment = [f"    # {line}" for line in wrapped(f.comment)]
        self.bodies[name] = "\n".join([head] + comment + t.lines)
        self.calls[name], self.used[name] = t.calls, t.used

    def constant(self, name):
        text = literal(self.constants[name])
        return f"{plain_name(name)} = {text.kind}({text.text})"

    def text(self):
        parts, named = [HEAD], set()
        structs = [f"{name}: {', '.join(f'{field} ({kind})' for field, kind in fields.items())}" for name, fields in self.structs.items() if self.is_needed(name)]
        for title, files in SECTIONS:
            names = [n for f in functions_in_order(self, files) for n in [f] if n in self.bodies]
            used = [c for n in names for c in self.used[n]]
            fresh = [c for c in dict.fromkeys(used) if c not in named]
            named |= set(fresh)
            parts.append(f"## {title}\n\n")
            if title == SECTIONS[0][0]:
                parts.append("Structures, and the types of their fields:\n\n" + "".join(f"- {line}\n" for line in structs) + "\n")
            prose = [paragraph for f in files for paragraph in [purpose((ROOT / f).read_text())] if paragraph]
            parts.append("".join(f"{line}\n" for p in prose for line in wrapped(p, 135) + [""]))
            if fresh:
                parts.append("```python\n" + "\n".join(self.constant(c) for c in fresh) + "\n```\n\n")
            parts.append("```python\n" + "\n\n".join(self.bodies[n] for n in names) + "\n```\n\n")
        return "".join(parts).rstrip() + "\n"

    def is_needed(self, struct):
        return any(re.search(rf"\b{struct}\b", body) for body in self.bodies.values())


def functions_in_order(specification, files):
    return [name for name, place in specification.places.items() if place in files]


def purpose(text):
    """The first paragraph of a file's head comment; made and included files have none that says more than their title."""
    match = re.match(r"/\*\n(.*?)\*/", text, re.S)
    if not match:
        return ""
    first = re.sub(r"^ \* ?", "", match.group(1), flags=re.M).split("\n\n")[0]
    first = " ".join(first.split())
    return "" if "made by coefficients.py" in first or "Included by" in first else first


def wrapped(text, width=110):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return lines + [line] if line else lines


def main():
    wanted = Specification().text()
    if sys.argv[1:] != ["--check"]:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(wanted)
        return 0
    if TARGET.exists() and TARGET.read_text() == wanted:
        return 0
    print("docs/numerics/functions.md is not what tests/numerics/specify.py makes of the code: run it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
