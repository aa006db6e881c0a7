#include "tools/base/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Formats ---- */

/* first: every decimal of so many digits survives the format; last: every number survives as many digits. */
typedef struct format {
    int bits, least_exponent, first, last;
} format;

static const format formats[] = {[ZC_PRECISION_DOUBLE] = {53, -1074, 15, 17},
                                 [ZC_PRECISION_SINGLE] = {24, -149, 6, 9},
                                 [ZC_PRECISION_HALF] = {11, -24, 3, 5},
                                 [ZC_PRECISION_BFLOAT16] = {8, -133, 2, 4}};

double zc_precision_round(zc_precision precision, double value)
{
    int exponent;
    (void)frexp(value, &exponent);
    const format *f = &formats[precision];
    int unit = exponent - f->bits < f->least_exponent ? f->least_exponent : exponent - f->bits;
    return precision == ZC_PRECISION_DOUBLE ? value : ldexp(nearbyint(ldexp(value, -unit)), unit);
}

/* ---- Digits ---- */

/* Reads what printf made of a number with %.Ne: "-d.ddde-xx". */
static zc_digits parse(const char *text)
{
    zc_digits d = {.is_negative = *text == '-'};
    const char *exponent = strchr(text, 'e');
    for (const char *c = text; c < exponent; c++) {
        if (*c >= '0') /* no sign, no point */
            d.digit[d.count++] = *c;
    }
    d.exponent = atoi(exponent + 1);
    while (d.count > 1 && d.digit[d.count - 1] == '0')
        d.count--;
    if (d.digit[0] == '0')
        d.exponent = 0;
    return d;
}

static zc_digits round_to(double value, int count)
{
    char text[ZC_NUMBER_BYTES];
    (void)snprintf(text, sizeof text, "%.*e", count - 1, value);
    return parse(text);
}

/* A decimal of few digits is no nearer to the middle of two numbers of 16 bits than double can tell. */
static bool reads_back(const zc_digits *d, double value, zc_precision precision)
{
    char text[ZC_NUMBER_BYTES];
    (void)zc_digits_write_scientific(d, 0, 1, text);
    if (precision == ZC_PRECISION_SINGLE)
        return strtof(text, NULL) == (float)value;
    return zc_precision_round(precision, strtod(text, NULL)) == value;
}

/* Away from zero by one in the last of `count` digits. */
static zc_digits next_above(zc_digits d, int count)
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

static bool is_power_of_two(double value)
{
    int exponent;
    return fabs(frexp(value, &exponent)) == 0.5;
}

/* Powers of two have a wider gap above than below, so the nearest digits may miss while the next above hit. */
zc_digits zc_digits_rounded(double value, zc_precision precision, int count)
{
    zc_digits nearest = round_to(value, count);
    if (!is_power_of_two(value) || reads_back(&nearest, value, precision))
        return nearest;
    zc_digits above = next_above(nearest, count);
    return reads_back(&above, value, precision) ? above : nearest;
}

/* More digits are tried only where those that every decimal survives with do not do. Subnormal numbers have fewer bits:
 * they start from one digit. */
zc_digits zc_digits_shortest(double value, zc_precision precision)
{
    const format *f = &formats[precision];
    bool is_subnormal = fabs(value) < ldexp(1, f->least_exponent + f->bits - 1);
    for (int count = is_subnormal ? 1 : f->first; count < f->last; count++) {
        zc_digits d = zc_digits_rounded(value, precision, count);
        if (reads_back(&d, value, precision))
            return d;
    }
    return round_to(value, f->last);
}

/* ---- Text ---- */

static char *put_digits(char *at, const zc_digits *d, int from, int to)
{
    for (int i = from; i < to; i++)
        *at++ = i >= 0 && i < d->count ? d->digit[i] : '0';
    return at;
}

int zc_digits_write_scientific(const zc_digits *d, int fraction, int exponent_width, char *text)
{
    char *at = text;
    if (d->is_negative)
        *at++ = '-';
    *at++ = d->digit[0];
    *at++ = '.';
    at = put_digits(at, d, 1, d->count > fraction + 1 ? d->count : fraction + 1);
    at += sprintf(at, "e%c%0*d", d->exponent < 0 ? '-' : '+', exponent_width, abs(d->exponent));
    return (int)(at - text);
}

int zc_digits_write_positional(const zc_digits *d, char *text)
{
    char *at = text;
    if (d->is_negative)
        *at++ = '-';
    if (d->exponent < 0)
        *at++ = '0';
    else
        at = put_digits(at, d, 0, d->exponent + 1);
    *at++ = '.';
    if (d->exponent + 1 < d->count)
        at = put_digits(at, d, d->exponent + 1, d->count);
    *at = '\0';
    return (int)(at - text);
}

/* "1.e+16" without its point. */
static int write_short_scientific(const zc_digits *d, char *text)
{
    int length = zc_digits_write_scientific(d, 0, 2, text);
    char *point = strchr(text, '.');
    if (point[1] != 'e')
        return length;
    memmove(point, point + 1, strlen(point));
    return length - 1;
}

int zc_digits_write_repr(double value, zc_precision precision, char *text)
{
    zc_digits d = zc_digits_shortest(value, precision);
    double magnitude = fabs(value);
    if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16))
        return write_short_scientific(&d, text);
    int length = zc_digits_write_positional(&d, text);
    if (text[length - 1] == '.')
        text[length++] = '0';
    text[length] = '\0';
    return length;
}
