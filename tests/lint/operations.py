#!/usr/bin/env python3
"""docs/operations.md: every elementwise operation with its dtypes, and how exact it is. Made from the tables of the code.

    operations.py            write it
    operations.py --check    exit code 1 when it is not what would be written
"""

import re
import sys

from api import HEADER, ROOT

TARGET = ROOT / "docs" / "operations.md"
OPERATIONS = ROOT / "runtime" / "ops" / "ops.def"
BOUNDS = ROOT / "tests" / "materialize" / "kernels" / "accuracy.def"
COMPLEX_BOUNDS = ROOT / "tests" / "materialize" / "kernels" / "accuracy_complex.def"

TAKES = {
    "ANY": "every dtype",
    "ANY_SIGNLESS": "every dtype",
    "NUMBER": "integers, floats",
    "SIGNLESS": "integers, floats",
    "BLOCKS": "integers, floats",
    "BITS": "bool, integers",
    "SHIFT": "bool, integers",
    "FLOAT": "floats",
    "RANGED": "floats",
    "FORMAT": "floats",
    "TRUTH": "truth values",
    "SELECT": "bool, then every dtype",
}

# Results of complex operands, in the words of the table.
COMPLEX = {"SAME": "yes", "BOOL": "yes", "REAL": "real", "NO": ""}

GRADIENTS = {"PASSED": "yes", "CHOICE": "yes", "RULE": "yes", "SINGULAR": "yes", "ZERO": "0", "NONE": ""}

HEAD = """# Elementwise operations

Made by `tests/lint/operations.py` from `runtime/ops/ops.def`, `include/zerocast.h`, `tests/materialize/kernels/accuracy.def` and
`tests/materialize/kernels/accuracy_complex.def`; do not edit. Operations of floats take integers and bool as float64. Operations of truth values take every dtype as "not zero".
Unless an error is given, results are exact or each step of the stated formula is rounded once, to nearest.

An error is the bound that the tests hold an operation to, in units of the last place (0.5 is correctly rounded), against
MPFR, over arguments of every magnitude. The bits do not depend on the machine. Of `logaddexp`, whose result may be much
smaller than its operands, it is in units of a sixteenth of the larger operand there. In float16 and bfloat16 every
operation is that of float32, rounded to 16 bits, so errors stay below 0.501, and what is exact or rounded once stays so.

Complex operands are taken where the column says so: what they give is complex too (or bool), or real, as `abs` is.
The error is the distance of two points of the plane, in units of the last place of the result's size, in complex128; of
`pow` in 1 + |y log x| such units. In complex64, products and quotients have the same bounds, and functions 0.75. `real`,
`imag`, `conj` and `complex` are exact, and their rules are in `zerocast.h`.

A gradient of 0 is that of a result that moves in steps; where there is none, `vjp` refuses.

"""


def operations():
    """(name, domain, result, result of complex operands, gradient) of every row."""
    return re.findall(r"^ZC_OP\(\w+,\s*(\w+),\s*\d,\s*(\w+),\s*(\w+),\s*(\w+),\s*\d+,\s*(\w+)", OPERATIONS.read_text(), flags=re.M)


def declarations():
    """name -> (names of the operands, remark behind the declaration)."""
    found = {}
    pattern = r"^ZC_API zc_tensor \*zc_(\w+)\(([^;]*?)\);[ \t]*(?:/\*(.*?)\*/)?"
    for name, parameters, remark in re.findall(pattern, HEADER.read_text(), flags=re.M | re.S):
        names = ", ".join(re.findall(r"(\w+)(?=,|$)", parameters))
        found[name] = (names, " ".join(remark.split()))
    return found


def bounds():
    """name -> (error in float64, in float32)."""
    rows = re.findall(r"^ZC_ACCURACY\((\w+),[^,]*,[^,]*,\s*([\d.]+),\s*([\d.]+)\)", BOUNDS.read_text(), flags=re.M)
    return {name: errors for name, *errors in rows}


def complex_bounds():
    """name -> error in complex128"""
    return dict(re.findall(r"^ZC_COMPLEX_ACCURACY\((\w+),[^,]*,\s*([\d.]+),", COMPLEX_BOUNDS.read_text(), flags=re.M))


def text():
    declared, errors, complex_errors = declarations(), bounds(), complex_bounds()
    titles = ["operation", "takes", "gives", "float64", "float32", "complex", "error", "gradient", "remark"]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name, domain, result, of_complex, gradient in operations():
        operands, remark = declared[name]
        in_float64, in_float32 = errors.get(name, ("", ""))
        gives = "bool" if result == "BOOL" else "the same"
        remark = remark.replace("|", "\\|").replace("*", "\\*")
        facts = [f"`{name}({operands})`", TAKES[domain], gives, in_float64, in_float32, COMPLEX[of_complex]]
        facts += [complex_errors.get(name, ""), GRADIENTS[gradient], remark]
        lines.append(f"| {' | '.join(facts)} |")
    return HEAD + "\n".join(lines) + "\n"


def main():
    wanted = text()
    if sys.argv[1:] != ["--check"]:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(wanted)
        return 0
    if TARGET.exists() and TARGET.read_text() == wanted:
        return 0
    print("docs/operations.md is not what tests/lint/operations.py makes of the tables: run it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
