#!/usr/bin/env python3
"""Every function of the array API 2024.12 is a function of the command under its name, or docs/array_api.md says why not.
Every special case that the document lists is a row of tests/api/special_cases*.def, with the result that it tells.

    array_api.py         check; prints what is missing, exit code 1 when there is anything
"""

import re
import sys

from api import ROOT

FUNCTIONS = ROOT / "expressions" / "functions" / "functions.def"
# Whose rows are functions of the command, too.
TABLES = [ROOT / "runtime" / "ops" / "ops.def", ROOT / "runtime" / "ops" / "reductions.def"]
DOCUMENT = ROOT / "docs" / "array_api.md"
CASES = "".join(path.read_text() for path in sorted((ROOT / "tests" / "api").glob("special_cases*.def")))

# The standard's own list, by its chapters (the extensions for linear algebra and Fourier transforms are not part of it).
STANDARD = {
    "Elementwise functions": """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
        bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1
        floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10
        logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal
        positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc""",
    "Creation functions": """arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones
        ones_like tril triu zeros zeros_like""",
    "Data type functions": "astype can_cast finfo iinfo isdtype result_type",
    "Indexing functions": "take take_along_axis",
    "Linear algebra functions": "matmul matrix_transpose tensordot vecdot",
    "Manipulation functions": """broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat
        reshape roll squeeze stack tile unstack""",
    "Searching functions": "argmax argmin count_nonzero nonzero searchsorted where",
    "Set functions": "unique_all unique_counts unique_inverse unique_values",
    "Sorting functions": "argsort sort",
    "Statistical functions": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "Utility functions": "all any diff",
}


def find_untested_cases():
    """The cases of the document's table that no row of the tests' tables holds."""
    rows = set(re.findall(r"^ZC_SPECIAL_\w+\((.*?)\)(?: /\*.*)?$", CASES, re.M))
    listed = re.findall(r"^\| `(\w+)\(([^`]*)\)` \|.*\| `([^`]*)` \|$", DOCUMENT.read_text(), re.M)
    return len(listed), [f"{name}({operands})" for name, operands, result in listed
                         if f"{name}, {operands}, {result}" not in rows]


def main():
    count, untested = find_untested_cases()
    for case in untested:
        print(f"{case}: {DOCUMENT.name} lists it, and no row of special_cases*.def has that result")
    ours = set(re.findall(r'_FUNCTION\(\s*"(\w+)"', FUNCTIONS.read_text()))
    for table in TABLES:
        ours |= set(re.findall(r"^ZC_\w+\(\w+,\s*(\w+)", table.read_text(), re.M))
    told = set(re.findall(r"^\| `(\w+)` \|", DOCUMENT.read_text(), re.M))
    wanted = {name for names in STANDARD.values() for name in names.split()}
    for name in sorted(wanted - ours - told):
        print(f"{name}: neither a function of the command nor explained in {DOCUMENT.name}")
    for name in sorted(told - wanted):
        print(f"{name}: {DOCUMENT.name} explains what is no function of the standard")
    print(f"{len(wanted & ours)} of the standard's {len(wanted)} functions under their names")
    print(f"{count} special cases where the standard and NumPy part, each a row of the tests" if count else "no cases")
    return bool((wanted - ours - told) | (told - wanted)) or bool(untested) or count == 0


if __name__ == "__main__":
    sys.exit(main())
