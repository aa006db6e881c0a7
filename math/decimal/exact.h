/*
 * Decimal text beside a binary number, compared exactly: what decides where a number lies next to the middle of two.
 *
 * Invariant: both sides are integers of less than 32 ZC_BIG_WORDS bits. Of the decimal at most 800 digits are taken,
 * which is more than the middle of two doubles has, and the caller compares only numbers that are nearly equal.
 */
#ifndef ZC_MATH_DECIMAL_EXACT_H
#define ZC_MATH_DECIMAL_EXACT_H

#include <stdbool.h>
#include <stdint.h>

enum { ZC_BIG_WORDS = 128, ZC_BIG_DIGITS = 800 };

typedef struct zc_big {
    int count;
    uint32_t words[ZC_BIG_WORDS]; /* the lowest first; 0 behind count */
} zc_big;

static inline void zc_big_multiply_add(zc_big *big, uint32_t factor, uint32_t summand)
{
    uint64_t carry = summand;
    for (int i = 0; i < big->count; i++) {
        carry += (uint64_t)big->words[i] * factor;
        big->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0)
        big->words[big->count++] = (uint32_t)carry;
}

/* Times 5^exponent. */
static inline void zc_big_multiply_fives(zc_big *big, int64_t exponent)
{
    for (; exponent >= 13; exponent -= 13)
        zc_big_multiply_add(big, 1220703125, 0);
    for (; exponent > 0; exponent--)
        zc_big_multiply_add(big, 5, 0);
}

/* Times 2^bits. */
static inline void zc_big_shift(zc_big *big, int64_t bits)
{
    for (; bits >= 31; bits -= 31)
        zc_big_multiply_add(big, UINT32_C(1) << 31, 0);
    zc_big_multiply_add(big, UINT32_C(1) << (bits > 0 ? bits : 0), 0);
}

static inline int zc_big_compare(const zc_big *a, const zc_big *b)
{
    for (int i = ZC_BIG_WORDS - 1; i >= 0; i--) {
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    }
    return 0;
}

/* Takes the digits between first and last, and passes over a point and leading zeros. Returns how many it left. */
static inline int64_t zc_big_take(zc_big *big, const char *first, const char *last, bool *is_cut)
{
    int64_t left = 0;
    int count = 0;
    *big = (zc_big){.count = 0};
    for (const char *at = first; at < last; at++) {
        if (*at == '.' || (count == 0 && *at == '0'))
            continue;
        if (count < ZC_BIG_DIGITS) {
            zc_big_multiply_add(big, 10, (uint32_t)(*at - '0'));
            count++;
        } else {
            *is_cut |= *at != '0';
            left++;
        }
    }
    return left;
}

/* The order of the decimal whose last digit has that exponent of ten, and number x 2^unit: below 0, 0, above 0. */
__attribute__((noinline, cold, unused)) static int zc_decimal_compare(const char *first, const char *last,
                                                                      int64_t exponent, uint64_t number, int unit)
{
    zc_big decimal, binary = {.count = 2, .words = {(uint32_t)number, (uint32_t)(number >> 32)}};
    binary.count -= binary.words[1] == 0;
    bool is_cut = false;
    exponent += zc_big_take(&decimal, first, last, &is_cut);
    zc_big_multiply_fives(exponent > 0 ? &decimal : &binary, exponent > 0 ? exponent : -exponent);
    const int64_t twos = exponent - unit;
    zc_big_shift(twos > 0 ? &decimal : &binary, twos > 0 ? twos : -twos);
    const int order = zc_big_compare(&decimal, &binary);
    return order == 0 && is_cut ? 1 : order;
}

#endif
