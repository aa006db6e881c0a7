/*
 * Floating-point numbers as decimal digits: the shortest that read back as the same number, cut to a precision.
 *
 * Source: NumPy's format_float_positional and format_float_scientific in their `unique` mode.
 */
#ifndef ZC_TOOLS_DIGITS_H
#define ZC_TOOLS_DIGITS_H

#include <stdbool.h>

/* Room for any text these functions write. */
enum { DIGITS_BYTES = 400 };

/* "12.5", "3." : no exponent, at most `precision` digits after the point, no zeros at the end. */
void digits_positional(char *text, double x, bool is_float32, int precision);

/* "1.25e+10", "2.e-05": one digit before the point, at most `precision` after it, no zeros at the end; the exponent has
 * a sign and at least two digits. */
void digits_scientific(char *text, double x, bool is_float32, int precision);

/* As str() shows a NumPy scalar: positional from 1e-4 to below 1e16 with at least one digit after the point, else
 * scientific ("1e+16"). nan, inf and -inf as words. */
void digits_scalar(char *text, double x, bool is_float32);

#endif
