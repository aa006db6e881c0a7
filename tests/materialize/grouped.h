/* Contexts whose groups have blocks of a given length, and what tests of groups expect. */
#ifndef ZC_TESTS_MATERIALIZE_GROUPED_H
#define ZC_TESTS_MATERIALIZE_GROUPED_H

#include <inttypes.h>
#include <string.h>

#include "materialize/plan/verify.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { NO_GROUPS = 0, BY_BYTES = -1 };

static inline zc_context *context_of(int64_t block_length, int threads)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads});
    ctx->block_length = block_length;
    return ctx;
}

static inline void expect_same_bytes(const zc_tensor *wanted, const zc_tensor *got, const char *of, int64_t length)
{
    const size_t bytes = (size_t)zc_size(wanted) * zc_dtype_bytes(zc_dtype_of(wanted));
    cr_assert_eq(zc_size(wanted), zc_size(got));
    cr_assert_eq(memcmp(zc_data(wanted), zc_data(got), bytes), 0, "%s in blocks of %" PRId64, of, length);
}

/* Squares of distances between all pairs of rows. */
static inline zc_tensor *distances_of(const zc_tensor *x, const zc_tensor *y)
{
    const zc_tensor *apart = zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(y, 0));
    return zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
}

/* Rows in memory of multiples of 1/97. */
static inline zc_tensor *rows_of(zc_context *ctx, zc_dtype dtype, int64_t count, int64_t width, int64_t seed)
{
    const zc_tensor *number =
        zc_remainder(zc_multiply(zc_add(zc_iota(ctx, width * count), zc_weak_int(ctx, seed)), zc_weak_int(ctx, 7919)),
                     zc_weak_int(ctx, 97));
    const zc_tensor *scaled = zc_divide(zc_astype(number, dtype), zc_weak_float(ctx, 97));
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_reshape(scaled, ZC_SHAPE(count, width)), &out), ZC_OK);
    return out;
}

/* Points whose coordinates are multiples of 1/97. */
static inline zc_tensor *points_of(zc_context *ctx, int64_t count, int64_t width, int64_t seed)
{
    return rows_of(ctx, ZC_FLOAT32, count, width, seed);
}

/* Materializes a tensor, and expects the peak that its cost tells. */
static inline zc_tensor *compute(zc_context *ctx, const zc_tensor *t)
{
    zc_cost cost;
    zc_tensor *out = NULL;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(ctx));
    const int64_t before = zc_memory_usage(ctx).held_bytes;
    zc_memory_reset_peak(ctx);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_eq(zc_memory_usage(ctx).peak_bytes - before, cost.peak_bytes);
    return out;
}

/* A program over so many points of so many coordinates. */
typedef zc_tensor *program_of_points(zc_context *ctx, int64_t count, int64_t width);

/* Expects that a program gives the same bits in blocks of a length as without groups. */
static inline void expect_same_in_blocks(const char *name, program_of_points *make, int64_t count, int64_t width,
                                         int64_t length, int threads)
{
    zc_context *alone = context_of(NO_GROUPS, 2), *ctx = context_of(length, threads);
    zc_scope *outer = zc_scope_begin(alone), *scope = zc_scope_begin(ctx);
    const zc_tensor *wanted = compute(alone, make(alone, count, width));
    expect_same_bytes(wanted, compute(ctx, make(ctx, count, width)), name, length);
    zc_scope_end(scope);
    zc_scope_end(outer);
    zc_context_free(ctx);
    zc_context_free(alone);
}

/* The same in blocks of few points, of various lengths, and in those of many that planning chooses, unless pairs take
 * minutes. */
static inline void expect_same_in_all_blocks(const char *name, program_of_points *make, int64_t few, int64_t many)
{
    static const int64_t lengths[] = {1, 7, 16};
    const int step = zc_test_stride() > 1 ? 2 : 1;
    for (int l = 0; l < 3; l += step)
        expect_same_in_blocks(name, make, few, 3, lengths[l], 1 + l % 3);
    if (zc_test_long_stride() == 1)
        expect_same_in_blocks(name, make, many, 3, BY_BYTES, 1);
}

/* Expects that the plan of what is made is accepted, and refused once it is broken in each of the ways. */
static inline void expect_refusals(zc_tensor *(*make)(zc_context *), int64_t block_length, int count,
                                   void (*const *breakages)(zc_plan *))
{
    for (int i = 0; i < count; i++) {
        zc_context *ctx = context_of(block_length, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_plan plan;
        zc_reason why;
        cr_assert_eq(zc_plan_of(make(ctx), &plan), ZC_OK);
        cr_assert_eq(zc_plan_verify(&plan, &why), ZC_OK, "%s", why.text);
        breakages[i](&plan);
        cr_expect_eq(zc_plan_verify(&plan, &why), ZC_ERROR_INTERNAL, "breakage %d is accepted", i);
        zc_plan_free(&plan);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

#endif
