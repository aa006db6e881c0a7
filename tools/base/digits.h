/*
 * Floating-point numbers as decimal digits: the fewest that read back as the same number, or a given count.
 *
 * Invariant: digits are rounded once, from the exact value, halves to even. The fewest digits are also the nearest
 * ones among those that are as few (the shortest round-trip notation that Python and NumPy print).
 */
#ifndef ZC_TOOLS_BASE_DIGITS_H
#define ZC_TOOLS_BASE_DIGITS_H

#include "zerocast.h"

enum { ZC_MAX_DIGITS = 17 };

/* The floating-point format that a number comes from, whose neighbours its digits must tell it from. */
typedef enum zc_precision {
    ZC_PRECISION_DOUBLE,
    ZC_PRECISION_SINGLE,
    ZC_PRECISION_HALF,
    ZC_PRECISION_BFLOAT16
} zc_precision;

/* The number of that format nearest to the value, halves to even; what is too large for it stays finite. */
double zc_precision_round(zc_precision precision, double value);

/* digit[0].digit[1]digit[2]... x 10^exponent. Only digit[0] may be 0, and then the number is 0. No trailing zeros. */
typedef struct zc_digits {
    bool is_negative;
    int count;
    char digit[ZC_MAX_DIGITS]; /* '0' to '9' */
    int exponent;
} zc_digits;

/* The fewest digits of a finite number of that format. */
zc_digits zc_digits_shortest(double value, zc_precision precision);

/* At most `count` digits: the nearest ones, unless only the next above read back as the number (see digits.c). */
zc_digits zc_digits_rounded(double value, zc_precision precision, int count);

enum { ZC_NUMBER_BYTES = 48 };

/* "1.25e-07": fraction digits are filled up with zeros to `fraction` (the point stays, as in "1.e+10"), the exponent
 * to `exponent_width` digits. Returns the length. */
int zc_digits_write_scientific(const zc_digits *digits, int fraction, int exponent_width, char *text);

/* "0.125", "12." */
int zc_digits_write_positional(const zc_digits *digits, char *text);

/* As Python shows a number: "0.1", "1e+16", "-0.0"; exponents from 1e16 on and below 1e-4. */
int zc_digits_write_repr(double value, zc_precision precision, char *text);

#endif
