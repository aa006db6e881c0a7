"""Fused multiply-adds stand only where a function is defined with them.

    contraction.py avx2_floats.c.o...

The elementary functions are made of fused multiply-adds (math/floats/fused.h). Elsewhere a * b + c rounds twice in every
instruction set, or the same expression has other bits on another machine. The build says -ffp-contract=off, and still gcc
12 makes vfmaddsub of a * b + c and d * e - f beside each other. So this reads the machine code: nobody writes an
alternating instruction, and the others belong to functions that the headers of elementary functions define, or that
call those, and to the kernels of contractions. Within these functions machine code cannot tell what was written from what was contracted: there the tests
compare the bits of every table with those of the portable one, whose baseline has no such instruction.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

# Functions that the headers of elementary functions, and of blocks of them, define, by names without a dtype; and the
# operations on complex numbers and the calls of fma that lie outside those headers.
TOP = Path(__file__).resolve().parents[2]
MATH, BLOCKS = TOP / "math", TOP / "materialize" / "kernels" / "templates"
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\) ?")
DEFINED = re.compile(r"^(?:static|ZC_COMPLEX_FN|ZC_APART_FMA)\b[^;={]*?\b(\w+)\([^;]*$", re.M)
FLOATS = "float16|bfloat16|float32|float64|complex64|complex128"
ON_PURPOSE = {"fma", "abs", "sign", "angle", "sqrt", "contract", "contract_lanes", "contract_inner", "contract_batches", "contract_row", "contract_narrow", "contract_squares"}  # materialize/kernels/contract/contract.c
# materialize/kernels/elements/logsumexp_tmpl.h: a sum and its factor are rounded together.
ON_PURPOSE |= {f"{kernel}_LOGADDEXP" for kernel in ("run", "tree", "columns", "rows")}
ON_PURPOSE |= {"log_sum_absorb", "log_sum_join", "fold_line", "fold_lines"}
HEADERS = [header for folder in ("complex", "double", "single") for header in sorted((MATH / folder).glob("*.h"))]
HEADERS += [MATH / "floats" / "fused.h", BLOCKS / "near_powers.h", BLOCKS / "planes.h"]
for header in HEADERS:
    ON_PURPOSE |= {re.sub(rf"^map_|_(?:{FLOATS})$", "", name) for name in DEFINED.findall(ATTRIBUTE.sub("", header.read_text()))}
# uint32 to float as high * 65536 + low: the product is exact, so rounding it changes nothing.
EXACT = re.compile(r"zc_cast_UINT32_(float32|complex64)_\w+$")

FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
FUSED = re.compile(r"\t(vfn?m(?:add|sub)\w*|fn?m(?:add|sub|la|ls)\w*)\b")
ALTERNATING = re.compile(r"vfm(addsub|subadd)")
FORMS = "[XYZ]|[XY]_UNIFORM|BOTH"  # of a step: which operand comes from where
CLONE = r"\.(?:part|isra|constprop|cold)[.\d]*"
# zc_step_fma_X_float32_avx2; of static functions map_sin_near_float32, sqrt_complex64.
ENDS = [rf"(?:_(?:{end}))?" for end in ("(?:near|far|apart)(?=_float)", FORMS, FLOATS, r"avx\w+|portable")]
NAME = re.compile(rf"^(?:zc_)?(?:map_|step_)?(\w+?){''.join(ENDS)}(?:{CLONE})*$")


def is_on_purpose(function):
    return EXACT.match(function) is not None or NAME.match(function)[1] in ON_PURPOSE


def findings(assembly):
    """(function, instruction) for each that nobody wrote; how many were read."""
    function, found, count = "", [], 0
    for line in assembly.splitlines():
        start, fused = FUNCTION.match(line), FUSED.search(line)
        function = start[1] if start else function
        if fused:
            count += 1
            if ALTERNATING.match(fused[1]) or not is_on_purpose(function):
                found.append((function, fused[1]))
    return found, count


def check_self():
    """The rules find what they should."""
    def text(function, instruction):
        return f"0000000000000040 <{function}>:\n      40:\t{instruction} %ymm0,%ymm1,%ymm2"

    bad = [("zc_map_multiply_complex64_avx2", "vfmaddsub231ps"), ("zc_rows_ADD_float32_avx512", "vfmadd231ps")]
    bad += [("map_multiply_complex64", "vfmaddsub231ps"), ("map_exp_float64", "vfmsubadd213pd"), ("run_sum", "vfmadd231sd")]
    bad += [("zc_step_multiply_add_X_float32_avx2", "vfmadd132ps"), ("map_lerp_float64.cold", "vfnmadd132pd")]
    bad += [("zc_step_multiply_add_UNIFORM_float32_avx512", "vfmadd132ps")]
    good = [("zc_step_fma_Z_float64_avx512", "vfmadd231pd"), ("zc_step_fma_X_UNIFORM_float32_avx2", "vfmadd132ps")]
    good += [("map_exp_float64", "vfmsub213pd"), ("run_sum", "vmulpd"), ("zc_contract_float64_avx2", "vfmadd231pd")]
    assert all(findings(text(*case))[0] for case in bad), "a fused instruction was not found"
    assert not any(findings(text(*case))[0] for case in good), "an instruction was found that is on purpose"


def calls_of_libm(path):
    """What the C library computes by the machine it runs on: a kernel has its own (math/floats/fused.h)."""
    run = subprocess.run(["nm", "-u", path], check=True, capture_output=True, text=True)
    return sorted({"fma", "fmaf", "fmal"} & set(run.stdout.split()))


def main(objects):
    check_self()
    failed, total = 0, 0
    for path in objects:
        for name in calls_of_libm(path):
            print(f"{path}: calls the C library's {name}")
            failed += 1
        run = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True)
        found, count = findings(run.stdout)
        total += count
        for (function, instruction), times in Counter(found).items():
            print(f"{path}: {function} has {instruction}, {times} times: a * b + c is to be rounded twice")
        failed += len(found)
    print(f"{total} fused instructions in {len(objects)} objects, {failed} of them by accident")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
