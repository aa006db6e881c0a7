#!/usr/bin/env python3
"""Writes math/decimal/powers.h: the first 64 bits of the powers of ten from 10^-342 to 10^308, rounded down.

The table is committed, so the library needs no Python."""

from pathlib import Path

LEAST, MOST = -342, 308


def first_bits(exponent):
    """The 64 highest bits of 10^exponent."""
    numerator, denominator = (10**exponent, 1) if exponent >= 0 else (1, 10**-exponent)
    shift = 64 + denominator.bit_length() - numerator.bit_length()
    bits = (numerator << shift) // denominator if shift >= 0 else (numerator >> -shift) // denominator
    return bits >> 1 if bits >> 64 else bits


def main():
    words = [f"0x{first_bits(exponent):016x}," for exponent in range(LEAST, MOST + 1)]
    lines = ["    " + " ".join(words[i : i + 5]) for i in range(0, len(words), 5)]
    text = f"""/* The first 64 bits of powers of ten, rounded down: those of 10^e stand at e + {-LEAST}. Made by powers.py. */
#ifndef ZC_MATH_DECIMAL_POWERS_H
#define ZC_MATH_DECIMAL_POWERS_H

#include <stdint.h>

enum {{ ZC_LEAST_POWER_OF_TEN = {LEAST}, ZC_MOST_POWER_OF_TEN = {MOST} }};

static const uint64_t zc_powers_of_ten[{MOST - LEAST + 1}] = {{
""" + "\n".join(lines) + """
};

#endif
"""
    (Path(__file__).parent / "powers.h").write_text(text)


if __name__ == "__main__":
    main()
