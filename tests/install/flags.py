#!/usr/bin/env python3
"""Each flag that changes arithmetic, given to a compiler before those of cmake/flags.cmake: what the compiler says that it
does is what it does without that flag. Of gcc these are its settings (-Q), of clang the arguments of its compiler proper.

    flags.py COMPILER
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = """-Ofast -ffast-math -fsingle-precision-constant -frounding-math -fcx-limited-range -fcx-fortran-rules
    -funsafe-math-optimizations -fno-signed-zeros -ffinite-math-only -fassociative-math -freciprocal-math -ftrapv
    -ffp-contract=fast -ffp-contract=on -fallow-store-data-races -fno-honor-nans -fno-honor-infinities -fapprox-func
    -ffp-model=fast -fdenormal-fp-math=positive-zero -fdenormal-fp-math=preserve-sign""".split()

# Differences without a meaning here: names of files; interposition and excess precision, which -Ofast sets and which there
# is none of; its level; and what clang still says of complex numbers, though it multiplies them by C's rules.
IGNORED = re.compile(r"-o <file>|semantic-interposition|excess-precision|^-Ofast$|^-O3$|^-fcx-|^-complex-range")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def takes(compiler, flag):
    return run(compiler, "-Werror", "-c", "-x", "c", os.devnull, "-o", os.devnull, flag).returncode == 0


def said(compiler, flags):
    """What the compiler does with these flags, as a set of lines."""
    if "clang" in compiler:
        text = run(compiler, "-###", "-c", "-x", "c", os.devnull, "-O3", *flags).stderr
        lines = [word for line in text.splitlines() if '"-cc1"' in line for word in re.findall(r'"([^"]*)"', line)]
        lines = [word for word in lines if "/" not in word]
    else:
        asked = ("common", "target", "c")
        lines = [line for what in asked for line in run(compiler, "-Q", "--help=" + what, "-O3", *flags).stdout.splitlines()]
    lines = {re.sub(r"\s+", " ", line.strip()) for line in lines}
    return {line for line in lines if not IGNORED.search(line)}


def ours(compiler):
    """The flags of cmake/flags.cmake that the compiler has."""
    with open(os.path.join(HERE, "../../cmake/flags.cmake"), encoding="utf-8") as file:
        listed = re.search(r"foreach\(\s*flag\s+([^)]*)\)", file.read()).group(1).split()
    return [flag for flag in listed if takes(compiler, flag)]


def main(compiler):
    given = ours(compiler)
    usual = said(compiler, given)
    asked = [flag for flag in FLAGS if takes(compiler, flag)]
    if compiler.startswith("clang"):
        asked.remove("-ftrapv")  # which cmake/flags.cmake leaves out
    left = {flag: said(compiler, [flag, *given]) ^ usual for flag in asked}
    for flag, differences in left.items():
        if differences:
            print(f"{compiler}: {flag} stays in force: {sorted(differences)}")
    unseen = [flag for flag in asked if said(compiler, [flag]) == said(compiler, [])]
    print(f"{compiler}: {len(asked)} flags; alone, these change nothing that is said: {unseen}")
    return 1 if any(left.values()) or len(usual) < 20 or len(unseen) * 2 > len(asked) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
