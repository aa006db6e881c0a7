/*
 * Truths along long axes: any, all and where the first one is, which end where one element decides, and how many there
 * are. One thread and two, bools as bytes of any value, decided at the ends and around those of tiles and sum blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { N = 200000 };

static const int64_t places[] = {0, 1, 15, 16, 1023, 1024, 16383, 16384, 65535, 100001, N - 1};
enum { PLACES = sizeof places / sizeof *places };

/* N bytes as bools, without a copy. */
static zc_tensor *bools(zc_context *ctx, const uint8_t *bytes)
{
    return zc_import(ctx, ZC_BOOL, ZC_SHAPE(N), NULL, 0, bytes, N, NULL, NULL);
}

static void expect_truths(bench b, const uint8_t *bytes)
{
    const double all = N;
    double count = 0;
    for (int64_t i = 0; i < N; i++)
        count += bytes[i] != 0;
    zc_tensor *x = bools(b.ctx, bytes), *rows = zc_reshape(x, ZC_SHAPE(20, N / 20));
    EXPECT(zc_any(x, ZC_ALL_AXES, false), count > 0);
    EXPECT(zc_all(x, ZC_ALL_AXES, false), count == all);
    EXPECT(zc_count_nonzero(x, ZC_ALL_AXES, false), count);
    EXPECT(zc_any(zc_logical_not(x), ZC_ALL_AXES, false), count < all);
    EXPECT(zc_sum(zc_logical_not(x), ZC_ALL_AXES, false), all - count);
    EXPECT(zc_sum(zc_count_nonzero(rows, ZC_AXES(1), false), ZC_ALL_AXES, false), count);
    EXPECT(zc_sum(zc_count_nonzero(zc_reshape(x, ZC_SHAPE(-1, 800)), ZC_AXES(1), false), ZC_ALL_AXES, false), count);
    EXPECT(zc_any(zc_any(rows, ZC_AXES(1), false), ZC_ALL_AXES, false), count > 0);
    EXPECT(zc_all(zc_all(rows, ZC_AXES(0), false), ZC_ALL_AXES, false), count == all);
}

Test(truths, are_decided_by_one_element_wherever_it_is)
{
    static uint8_t bytes[N];
    for (int threads = 1; threads <= 2; threads++) {
        bench b = begin_with((zc_options){.threads = threads});
        for (int falses = 0; falses < 2; falses++) {
            memset(bytes, falses == 0 ? 0 : 2, N);
            expect_truths(b, bytes);
            for (int p = 0; p < PLACES; p++) {
                bytes[places[p]] = falses == 0 ? 255 : 0;
                expect_truths(b, bytes);
                bytes[places[p]] = falses == 0 ? 0 : 2;
            }
        }
        finish(b);
    }
}

Test(truths, are_counted_whatever_bytes_they_are)
{
    static uint8_t bytes[N];
    bench b = begin();
    zc_random_begin("truths");
    for (int i = 0; i < 20; i++) {
        const int64_t seldom = zc_random_range(0, 200);
        for (int64_t k = 0; k < N; k++)
            bytes[k] = zc_random_range(0, seldom) == 0 ? 0 : (uint8_t)zc_random_u64();
        expect_truths(b, bytes);
    }
    finish(b);
}

/* A position outside is reported though the result was decided before it is read. */
Test(truths, that_are_decided_hide_no_bad_position)
{
    for (int executor = ZC_EXECUTOR_TILE; executor <= ZC_EXECUTOR_REFERENCE; executor++) {
        bench b = begin_with((zc_options){.executor = (zc_executor)executor, .threads = 1});
        zc_tensor *n = zc_iota(b.ctx, N), *x = NULL, *out = NULL;
        cr_assert_eq(zc_materialize(zc_less(n, zc_weak_int(b.ctx, 5)), &x), ZC_OK);
        zc_tensor *taken = zc_take(x, zc_where(zc_equal(n, zc_weak_int(b.ctx, N - 2)), zc_weak_int(b.ctx, N), n), 0);
        cr_expect_eq(zc_materialize(zc_any(taken, ZC_ALL_AXES, false), &out), ZC_ERROR_INDEX);
        zc_error_clear(b.ctx);
        EXPECT(zc_any(zc_take(x, zc_flip(n, ZC_AXES(0)), 0), ZC_ALL_AXES, false), 1);
        finish(b);
    }
}

/* Truths are bytes of any value. */
static void expect_first(bench b, int64_t place, bool is_true)
{
    static uint8_t bytes[N];
    for (int64_t i = 0; i < N; i++) {
        const bool truth = i == place || (i > place && i % 3 == 0) ? is_true : !is_true;
        bytes[i] = truth ? (uint8_t)(1 + i % 255) : 0;
    }
    zc_tensor *x = bools(b.ctx, bytes), *computed = zc_logical_not(zc_logical_not(x));
    zc_tensor *(*const of)(const zc_tensor *, int, const int *, bool) = is_true ? zc_argmax : zc_argmin;
    cr_expect_eq(integer_at(of(x, ZC_ALL_AXES, false), 0), place, "the first %d is at %ld", is_true, (long)place);
    cr_expect_eq(integer_at(of(computed, ZC_ALL_AXES, false), 0), place, "the first %d computed is at %ld", is_true,
                 (long)place);
}

Test(truths, the_first_of_bools_is_found)
{
    for (int threads = 1; threads <= 2; threads++) {
        bench b = begin_with((zc_options){.threads = threads});
        for (int i = 0; i < 2 * PLACES; i++)
            expect_first(b, places[i / 2], i % 2 == 1);
        finish(b);
    }
}
