/*
 * Floating-point numbers as decimal digits: the fewest that read back as the same number, or a given count.
 *
 * Invariant: digits are rounded once, from the exact value, halves to even. The fewest digits are also the nearest
 * ones among those that are as few (the shortest round-trip notation that Python and NumPy print). The locale does not
 * matter; printf() rounds as the floating-point environment says, which is to be the usual one.
 */
#ifndef ZC_MATH_DECIMAL_DIGITS_H
#define ZC_MATH_DECIMAL_DIGITS_H

#include <stdio.h>
#include <stdlib.h>

#include "math/decimal/read.h"

enum { ZC_MAX_DIGITS = 17 };

/* The floating-point format that a number comes from, whose neighbours its digits must tell it from. */
typedef enum zc_precision {
    ZC_PRECISION_DOUBLE,
    ZC_PRECISION_SINGLE,
    ZC_PRECISION_HALF,
    ZC_PRECISION_BFLOAT16
} zc_precision;

/* digit[0].digit[1]digit[2]... x 10^exponent. Only digit[0] may be 0, and then the number is 0. No trailing zeros. */
typedef struct zc_digits {
    bool is_negative;
    int count;
    char digit[ZC_MAX_DIGITS]; /* '0' to '9' */
    int exponent;
} zc_digits;

enum { ZC_NUMBER_BYTES = 48 };

/* ---- Formats ---- */

/* first: every decimal of so many digits survives the format; last: every number survives as many digits. */
typedef struct zc_digits_format {
    int bits, least_exponent, first, last;
} zc_digits_format;

static const zc_digits_format zc_digits_formats[] = {[ZC_PRECISION_DOUBLE] = {53, -1074, 15, 17},
                                                     [ZC_PRECISION_SINGLE] = {24, -149, 6, 9},
                                                     [ZC_PRECISION_HALF] = {11, -24, 3, 5},
                                                     [ZC_PRECISION_BFLOAT16] = {8, -133, 2, 4}};

/* The number of that format nearest to the value, halves to even; what is too large for it stays finite. */
static inline double zc_precision_round(zc_precision precision, double value)
{
    int exponent;
    (void)frexp(value, &exponent);
    const zc_digits_format *f = &zc_digits_formats[precision];
    int unit = exponent - f->bits < f->least_exponent ? f->least_exponent : exponent - f->bits;
    return precision == ZC_PRECISION_DOUBLE ? value : ldexp(nearbyint(ldexp(value, -unit)), unit);
}

/* ---- Text ---- */

static inline char *zc_digits_put(char *at, const zc_digits *d, int from, int to)
{
    for (int i = from; i < to; i++)
        *at++ = i >= 0 && i < d->count ? d->digit[i] : '0';
    return at;
}

/* "1.25e-07": fraction digits are filled up with zeros to `fraction` (the point stays, as in "1.e+10"), the exponent
 * to `exponent_width` digits. Returns the length. */
static inline int zc_digits_write_scientific(const zc_digits *d, int fraction, int exponent_width, char *text)
{
    char *at = text;
    if (d->is_negative)
        *at++ = '-';
    *at++ = d->digit[0];
    *at++ = '.';
    at = zc_digits_put(at, d, 1, d->count > fraction + 1 ? d->count : fraction + 1);
    at += sprintf(at, "e%c%0*d", d->exponent < 0 ? '-' : '+', exponent_width, abs(d->exponent));
    return (int)(at - text);
}

/* "0.125", "12." */
static inline int zc_digits_write_positional(const zc_digits *d, char *text)
{
    char *at = text;
    if (d->is_negative)
        *at++ = '-';
    if (d->exponent < 0)
        *at++ = '0';
    else
        at = zc_digits_put(at, d, 0, d->exponent + 1);
    *at++ = '.';
    if (d->exponent + 1 < d->count)
        at = zc_digits_put(at, d, d->exponent + 1, d->count);
    *at = '\0';
    return (int)(at - text);
}

/* ---- Digits ---- */

/* Reads what printf made of a number with %.Ne: "-d.ddde-xx". */
static inline zc_digits zc_digits_parse(const char *text)
{
    zc_digits d = {.is_negative = *text == '-'};
    const char *exponent = strchr(text, 'e');
    for (const char *c = text; c < exponent; c++) {
        if (zc_is_digit(*c)) /* no sign, no point, of whatever locale */
            d.digit[d.count++] = *c;
    }
    d.exponent = atoi(exponent + 1);
    while (d.count > 1 && d.digit[d.count - 1] == '0')
        d.count--;
    if (d.digit[0] == '0')
        d.exponent = 0;
    return d;
}

static inline zc_digits zc_digits_nearest(double value, int count)
{
    char text[ZC_NUMBER_BYTES];
    (void)snprintf(text, sizeof text, "%.*e", count - 1, value);
    return zc_digits_parse(text);
}

static inline bool zc_digits_read_back(const zc_digits *d, double value, zc_precision precision)
{
    char text[ZC_NUMBER_BYTES];
    zc_decimal read = {.digits = 0};
    const zc_digits_format *f = &zc_digits_formats[precision];
    const int length = zc_digits_write_scientific(d, 0, 1, text);
    (void)zc_decimal_scan(text, text + length, &read); /* of a number in full */
    return zc_decimal_magnitude(&read, f->bits, f->least_exponent) == fabs(value);
}

/* Away from zero by one in the last of `count` digits. */
static inline zc_digits zc_digits_next_above(zc_digits d, int count)
{
    while (d.count < count)
        d.digit[d.count++] = '0';
    while (d.count > 0 && d.digit[d.count - 1] == '9')
        d.count--;
    if (d.count == 0) {
        d.digit[d.count++] = '1';
        d.exponent++;
    } else {
        d.digit[d.count - 1]++;
    }
    return d;
}

static inline bool zc_digits_is_power_of_two(double value)
{
    int exponent;
    return fabs(frexp(value, &exponent)) == 0.5;
}

/* At most `count` digits: the nearest ones, unless only the next above read back as the number. Powers of two have a
 * wider gap above than below, so the nearest digits may miss while the next above hit. */
static inline zc_digits zc_digits_rounded(double value, zc_precision precision, int count)
{
    zc_digits nearest = zc_digits_nearest(value, count);
    if (!zc_digits_is_power_of_two(value) || zc_digits_read_back(&nearest, value, precision))
        return nearest;
    zc_digits above = zc_digits_next_above(nearest, count);
    return zc_digits_read_back(&above, value, precision) ? above : nearest;
}

/* The fewest digits of a finite number of that format. More are tried only where those that every decimal survives with
 * do not do. Subnormal numbers have fewer bits: they start from one digit. */
static inline zc_digits zc_digits_shortest(double value, zc_precision precision)
{
    const zc_digits_format *f = &zc_digits_formats[precision];
    bool is_subnormal = fabs(value) < ldexp(1, f->least_exponent + f->bits - 1);
    for (int count = is_subnormal ? 1 : f->first; count < f->last; count++) {
        zc_digits d = zc_digits_rounded(value, precision, count);
        if (zc_digits_read_back(&d, value, precision))
            return d;
    }
    return zc_digits_nearest(value, f->last);
}

/* ---- As Python shows them ---- */

/* "1.e+16" without its point. */
static inline int zc_digits_write_short(const zc_digits *d, char *text)
{
    int length = zc_digits_write_scientific(d, 0, 2, text);
    char *point = strchr(text, '.');
    if (point[1] != 'e')
        return length;
    memmove(point, point + 1, strlen(point));
    return length - 1;
}

/* As Python shows a number: "0.1", "1e+16", "-0.0"; exponents from 1e16 on and below 1e-4. */
static inline int zc_digits_write_repr(double value, zc_precision precision, char *text)
{
    zc_digits d = zc_digits_shortest(value, precision);
    double magnitude = fabs(value);
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16))
        return zc_digits_write_short(&d, text);
    int length = zc_digits_write_positional(&d, text);
    if (text[length - 1] == '.')
        text[length++] = '0';
    text[length] = '\0';
    return length;
}

#endif
