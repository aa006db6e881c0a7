/*
 * Decimal text to the nearest binary number, halves to even. Computed in integers alone: neither the locale nor the
 * direction of rounding of the process matters.
 *
 * Up to 19 digits are one integer, and a product of it and a power of ten, both of 64 bits, tells the nearest number in
 * all but one of a thousand cases; exact.h decides the others.
 */
#ifndef ZC_MATH_DECIMAL_READ_H
#define ZC_MATH_DECIMAL_READ_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "math/decimal/exact.h"
#include "math/decimal/powers.h"

/* A decimal number: digits x 10^exponent, and what follows the first 19 digits. */
typedef struct zc_decimal {
    uint64_t digits; /* the first 19 that count */
    int64_t exponent;
    bool is_negative;
    bool is_integer;             /* without point and exponent */
    bool is_cut;                 /* there are more digits, and one of them is not 0 */
    const char *first, *last;    /* all digits, and the point if there is one */
    int64_t last_digit_exponent; /* of the last of all digits */
} zc_decimal;

enum { ZC_DECIMAL_DIGITS = 19, ZC_DOUBLE_BITS = 53, ZC_DOUBLE_LEAST = -1074 };

static inline bool zc_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* Takes the first 19 digits that count. */
__attribute__((noinline, cold, unused)) static void zc_decimal_take_first(zc_decimal *d)
{
    const char *at = d->first;
    int count = 0;
    int64_t left = 0;
    d->digits = 0;
    for (; at < d->last; at++) {
        if (!zc_is_digit(*at) || (count == 0 && *at == '0'))
            continue;
        if (count < ZC_DECIMAL_DIGITS) {
            d->digits = d->digits * 10 + (uint64_t)(*at - '0');
            count++;
        } else {
            d->is_cut |= *at != '0';
            left++;
        }
    }
    d->exponent = d->last_digit_exponent + left;
}

/* An exponent's digits; one that no number of digits could make up for stays as it is. */
static inline const char *zc_decimal_scan_exponent(const char *at, const char *end, int64_t *exponent)
{
    const bool is_signed = at < end && (*at == '-' || *at == '+'), is_negative = is_signed && *at == '-';
    const char *first = at += is_signed;
    int64_t value = 0;
    for (; at < end && zc_is_digit(*at); at++)
        value = value < INT64_MAX / 100 ? value * 10 + (*at - '0') : value;
    *exponent = is_negative ? -value : value;
    return at == first ? NULL : at;
}

/* Appends digits; eight at a time where there are as many. */
static inline const char *zc_decimal_append(const char *at, const char *end, uint64_t *digits)
{
    uint64_t value = *digits;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        word -= UINT64_MAX / 255 * '0';
        if (((word | (word + UINT64_MAX / 255 * 0x76)) & UINT64_MAX / 255 * 0x80) != 0)
            break;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        word = word * 10 + (word >> 8); /* pairs, in every second byte; then fours, then all */
        word = ((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
                (word >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
               32;
        value = value * 100000000 + word;
    }
    for (; at < end && zc_is_digit(*at); at++)
        value = value * 10 + (uint64_t)(*at - '0');
    *digits = value;
    return at;
}

/* Scans the number that the text begins with: a sign, digits with a point or without, an exponent. Returns the place
 * behind it, or NULL where there is none. */
static inline const char *zc_decimal_scan(const char *at, const char *end, zc_decimal *d)
{
    uint64_t digits = 0;
    int64_t exponent = 0;
    d->is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    d->first = at;
    for (; at < end && zc_is_digit(*at); at++)
        digits = digits * 10 + (uint64_t)(*at - '0');
    const char *point = at;
    int64_t count = at - d->first, fraction = 0;
    d->is_integer = at == end || (*at != '.' && (*at | 0x20) != 'e');
    if (at < end && *at == '.') {
        at = zc_decimal_append(at + 1, end, &digits);
        fraction = at - point - 1;
        count += fraction;
    }
    if (count == 0)
        return NULL;
    d->last = at;
    if (at < end && (*at | 0x20) == 'e') {
        at = zc_decimal_scan_exponent(at + 1, end, &exponent);
        if (at == NULL)
            return NULL;
    }
    d->digits = digits;
    d->is_cut = false;
    d->exponent = d->last_digit_exponent = exponent - fraction;
    if (count > ZC_DECIMAL_DIGITS)
        zc_decimal_take_first(d);
    return at;
}

/* ---- To binary ---- */

/* The upper half of a product. */
static inline uint64_t zc_high_product(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
#else
    const uint64_t a_high = a >> 32, a_low = a & UINT32_MAX, b_high = b >> 32, b_low = b & UINT32_MAX;
    const uint64_t middle = a_high * b_low + (a_low * b_low >> 32), other = a_low * b_high + (middle & UINT32_MAX);
    return a_high * b_high + (middle >> 32) + (other >> 32);
#endif
}

/* significand x 2^unit, which is exact or above all numbers. */
static inline double zc_decimal_compose(uint64_t significand, int64_t unit)
{
    double value;
    const uint64_t bits = ((uint64_t)(unit - ZC_DOUBLE_LEAST) << 52) + significand; /* carries into the exponent */
    if (significand >> 52 == 0 || unit > 971)
        return ldexp((double)significand, (int)unit);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Compares the number with half a unit above the significand, where the product does not tell. */
static inline bool zc_decimal_is_above(const zc_decimal *d, uint64_t significand, int64_t unit)
{
    const int order =
        zc_decimal_compare(d->first, d->last, d->last_digit_exponent, 2 * significand + 1, (int)(unit - 1));
    return order > 0 || (order == 0 && (significand & 1) != 0);
}

/* The magnitude as the nearest number of so many bits, whose last is at least 2^least. */
static inline double zc_decimal_magnitude(const zc_decimal *d, int bits, int least)
{
    if (d->digits == 0 || d->exponent < ZC_LEAST_POWER_OF_TEN)
        return 0; /* 10^19 x 10^-343 is below half of the least number */
    if (d->exponent > ZC_MOST_POWER_OF_TEN)
        return (double)INFINITY;
    const int zeros = __builtin_clzll(d->digits);
    const uint64_t power = zc_powers_of_ten[d->exponent - ZC_LEAST_POWER_OF_TEN];
    const uint64_t product = zc_high_product(d->digits << zeros, power);
    const int binary = (int)((d->exponent * 217706) >> 16); /* the exponent of the power's first bit */
    int drop = 64 - bits - !(product >> 63);
    int64_t unit = binary + 1 - zeros + drop;
    if (unit < least) {
        drop += (int)(least - unit);
        unit = least;
    }
    if (drop > 64) /* below half of the least number */
        return 0;
    /* The number lies above the product by less than `error` of its units. */
    const uint64_t error = d->is_cut ? 20 : 2, half = UINT64_C(1) << (drop - 1);
    const uint64_t significand = drop == 64 ? 0 : product >> drop, rest = product & (half | (half - 1));
    bool is_above = rest > half; /* as likely as not, so it is no branch */
    if (rest <= half && rest + error > half)
        is_above = zc_decimal_is_above(d, significand, unit);
    return zc_decimal_compose(significand + is_above, unit);
}

/* The nearest double; beyond the largest one infinity. */
static inline double zc_decimal_double(const zc_decimal *d)
{
    const double magnitude = zc_decimal_magnitude(d, ZC_DOUBLE_BITS, ZC_DOUBLE_LEAST);
    return copysign(magnitude, d->is_negative ? -1.0 : 1.0);
}

#endif
