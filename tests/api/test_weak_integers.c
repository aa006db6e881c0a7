/*
 * Weak integers that a dtype has no element for: refused by arithmetic, taken by value where elements are compared or
 * looked for, and the dtype's end as a bound of clip.
 */
#include <string.h>

#include "tests/api/values.h"

static const zc_dtype small[] = {ZC_INT8, ZC_INT16, ZC_INT32, ZC_UINT8, ZC_UINT16, ZC_UINT32};
static const int64_t lowest[] = {INT8_MIN, INT16_MIN, INT32_MIN, 0, 0, 0};
static const int64_t highest[] = {INT8_MAX, INT16_MAX, INT32_MAX, UINT8_MAX, UINT16_MAX, UINT32_MAX};
enum { SMALL = sizeof small / sizeof *small };

static const int64_t numbers[] = {INT64_MIN, -(INT64_C(1) << 40), -40000,   -129, -128, -1, 0, 1, 5, 127, 128, 255, 256,
                                  65536,     INT64_C(1) << 32,    INT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* 0, 1, and both ends of the dtype. */
static zc_tensor *elements_of(bench b, int d)
{
    return OF(b.ctx, small[d], 0, 1, (double)lowest[d], (double)highest[d]);
}

static int64_t clipped(int64_t x, int64_t low, int64_t high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

Test(weak_integers, that_bound_nothing_are_the_ends_of_the_dtype)
{
    for (int d = 0; d < SMALL; d++) {
        for (int i = 0; i < NUMBERS * NUMBERS; i++) {
            const int64_t low = numbers[i / NUMBERS], high = numbers[i % NUMBERS];
            bench b = begin();
            zc_tensor *x = elements_of(b, d), *got = zc_clip(x, zc_weak_int(b.ctx, low), zc_weak_int(b.ctx, high));
            const bool fits = low <= highest[d] && high >= lowest[d];
            cr_assert_eq(got != NULL, fits, "%s, %lld, %lld", zc_dtype_name(small[d]), (long long)low, (long long)high);
            cr_expect_eq(zc_error_status(b.ctx), fits ? ZC_OK : ZC_ERROR_OVERFLOW);
            for (int64_t k = 0; fits && k < 4; k++)
                cr_expect_eq(integer_at(got, k), clipped(integer_at(x, k), low, high));
            cr_expect(!fits || zc_dtype_of(got) == small[d]);
            finish(b);
        }
    }
}

Test(weak_integers, are_found_and_compared_by_value)
{
    for (int d = 0; d < SMALL; d++) {
        for (int i = 0; i < NUMBERS; i++) {
            bench b = begin();
            zc_tensor *x = elements_of(b, d), *number = zc_weak_int(b.ctx, numbers[i]), *place = NULL;
            zc_tensor *found = zc_isin(x, number), *equal = zc_equal(number, x), *less = zc_less(x, number);
            for (int64_t k = 0; k < 4; k++) {
                cr_expect_eq(integer_at(found, k), integer_at(x, k) == numbers[i]);
                cr_expect_eq(integer_at(equal, k), integer_at(x, k) == numbers[i]);
                cr_expect_eq(integer_at(less, k), integer_at(x, k) < numbers[i]);
            }
            zc_tensor *ordered = OF(b.ctx, small[d], (double)lowest[d], (double)highest[d]);
            cr_assert_eq(zc_searchsorted(ordered, number, false, NULL, &place), ZC_OK, "%s", zc_error_text(b.ctx));
            cr_expect_eq(integer_at(place, 0), (lowest[d] < numbers[i]) + (highest[d] < numbers[i]));
            finish(b);
        }
    }
}

/* zc_weak_uint: beyond int64 it is a uint64, or what it meets. */
Test(weak_integers, beyond_int64_take_the_dtype_of_what_they_meet)
{
    static const uint64_t large = (UINT64_C(1) << 63) + 5;
    for (int dtype = 0; dtype < ZC_DTYPE_COUNT; dtype++) {
        bench b = begin();
        const bool is_integer = dtype >= ZC_INT8 && dtype < ZC_UINT64;
        zc_tensor *x = OF(b.ctx, (zc_dtype)dtype, 0, 1), *sum = zc_add(zc_weak_uint(b.ctx, large), x), *out = NULL;
        zc_tensor *less = dtype < ZC_COMPLEX64 ? zc_less(x, zc_weak_uint(b.ctx, large)) : NULL;
        cr_assert_eq(sum == NULL, is_integer, "%s", zc_dtype_name((zc_dtype)dtype));
        if (is_integer) {
            cr_expect_not_null(strstr(zc_error_text(b.ctx), "add: the integer 9223372036854775813 does not fit in"));
            zc_error_clear(b.ctx);
        } else {
            cr_expect_eq(zc_dtype_of(sum), dtype == ZC_BOOL ? ZC_UINT64 : (zc_dtype)dtype);
        }
        if (dtype == ZC_UINT64 || dtype == ZC_BOOL) {
            cr_assert_eq(zc_materialize(sum, &out), ZC_OK);
            cr_expect_eq(((const uint64_t *)zc_data(out))[1], large + 1);
        }
        cr_expect(less == NULL || (integer_at(less, 0) == 1 && integer_at(less, 1) == 1), "%s", zc_error_text(b.ctx));
        finish(b);
    }
    bench b = begin();
    zc_tensor *same = zc_weak_uint(b.ctx, 7), *lone = zc_weak_uint(b.ctx, large);
    cr_expect(zc_dtype_of(same) == ZC_INT64 && zc_is_weak(same) && integer_at(same, 0) == 7);
    cr_expect(zc_dtype_of(lone) == ZC_UINT64 && zc_is_weak(lone));
    cr_expect_eq(zc_dtype_of(zc_add(lone, same)), ZC_UINT64, "two numbers are uint64");
    expect_refused(b, zc_add(lone, zc_weak_int(b.ctx, -1)), ZC_ERROR_OVERFLOW,
                   "add: the integer -1 does not fit in uint64");
    zc_tensor *signs = zc_clip(OF(b.ctx, ZC_INT64, -3, 3), zc_weak_int(b.ctx, -1), lone);
    cr_expect(zc_dtype_of(signs) == ZC_INT64 && integer_at(signs, 0) == -1 && integer_at(signs, 1) == 3);
    expect_refused(b, zc_clip(OF(b.ctx, ZC_INT64, -3, 3), lone, lone), ZC_ERROR_OVERFLOW,
                   "clip: the integer 9223372036854775813 does not fit in int64");
    expect_refused(b, zc_clip(OF(b.ctx, ZC_UINT64, 3), same, zc_weak_int(b.ctx, -1)), ZC_ERROR_OVERFLOW,
                   "clip: the integer -1 does not fit in uint64");
    cr_expect_null(zc_weak_uint(NULL, 1));
    cr_expect_null(zc_clip(NULL, same, same));
    cr_expect_null(zc_isin(NULL, same));
    finish(b);
}
