/* Which temporaries stay in memory without a handle, as programs see it: of what is read in part. */
#include "tests/api/values.h"

enum { SIDE = 64, SIZE = SIDE * SIDE };

static double number_of(zc_context *ctx, const zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    return *(const double *)zc_data(out);
}

/* A square of numbers that is in memory. */
static zc_tensor *square_of(zc_context *ctx)
{
    zc_tensor *out = NULL;
    zc_tensor *numbers = zc_divide(zc_astype(zc_iota(ctx, SIZE), ZC_FLOAT64), zc_weak_float(ctx, SIZE));
    cr_assert_eq(zc_materialize(zc_reshape(numbers, ZC_SHAPE(SIDE, SIDE)), &out), ZC_OK);
    return out;
}

static zc_tensor *multiplied(const zc_tensor *x)
{
    return zc_divide(zc_matmul(x, x), zc_weak_float(zc_context_of(x), SIDE));
}

/* A loop that shows a part of what it makes every few steps goes on from the step before, so it computes each once. */
Test(keeping_parts, steps_that_are_shown_in_part_are_not_computed_twice)
{
    enum { READS = 400, STEPS = 5 };
    bench b = begin();
    zc_tensor *x = zc_keep(square_of(b.ctx)), *out = NULL;
    const double step = (double)cost_of(multiplied(x)).work;
    double work = 0;
    for (int read = 0; read < READS; read++) {
        for (int i = 0; i < STEPS; i++) { /* of which only the last has a handle */
            zc_scope *scope = zc_scope_begin(b.ctx);
            zc_tensor *next = zc_keep(multiplied(x));
            zc_scope_end(scope);
            zc_release(x);
            x = next;
        }
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *shown = zc_slice(zc_index(x, 0, 0), 0, 0, 4, 1);
        work += (double)cost_of(shown).work;
        cr_assert_eq(zc_materialize(shown, &out), ZC_OK, "%s", zc_error_text(b.ctx));
        zc_scope_end(scope);
        cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, 16 << 20);
    }
    const double once = (double)(READS * STEPS) * step;
    cr_expect_lt(work, 1.1 * once, "%g for %g", work, once);
    zc_release(x);
    finish(b);
}

/* A list of small parts that nobody has read does not hold what they were taken of. */
Test(keeping_parts, parts_that_are_listed_hold_no_more_than_they_need)
{
    enum { STEPS = 200, LENGTH = 8000 };
    bench b = begin();
    zc_tensor *last[STEPS], *x = NULL;
    cr_assert_eq(zc_materialize(zc_astype(zc_iota(b.ctx, LENGTH), ZC_FLOAT64), &x), ZC_OK);
    for (int i = 0; i < STEPS; i++) {
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *sums = zc_cumulative_sum(zc_multiply(x, zc_weak_float(b.ctx, i)), 0, false);
        zc_tensor *one = zc_index(sums, 0, LENGTH - 1), *most = zc_max(sums, ZC_ALL_AXES, false);
        last[i] = zc_keep(zc_multiply(one, zc_weak_float(b.ctx, 2)));
        zc_release(one);
        zc_release(sums);
        (void)number_of(b.ctx, most);
        zc_scope_end(scope);
    }
    cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, 20 * LENGTH * 8);
    for (int i = 0; i < STEPS; i++)
        zc_release(last[i]);
    finish(b);
}
