/*
 * The windows that refusals name: each is planned before it is named, so it fits.
 */
#include "tests/api/values.h"
#include "tests/support/zc_test.h"

typedef zc_tensor *refused_result(const zc_tensor *x);

static zc_tensor *result_of_a_chain(const zc_tensor *x)
{
    return zc_exp(zc_sin(x));
}

static zc_tensor *result_along_columns(const zc_tensor *x)
{
    return zc_softmax(x, 0);
}

static zc_tensor *result_along_rows(const zc_tensor *x)
{
    return zc_log_softmax(x, 1);
}

static zc_tensor *reversed_sums_of_pairs(const zc_tensor *x)
{
    zc_tensor *rows = zc_sum(x, ZC_AXES(1), false);
    return zc_flip(zc_sum(zc_abs(zc_subtract(zc_expand_dims(rows, 1), rows)), ZC_AXES(1), true), ZC_ALL_AXES);
}

static zc_tensor *product_with_itself(const zc_tensor *x)
{
    return zc_matmul(zc_exp(x), zc_matrix_transpose(zc_exp(x)));
}

static zc_tensor *padded_differences(const zc_tensor *x)
{
    zc_tensor *inner = zc_multiply(zc_slice(x, 0, 1, ZC_NONE, 1), zc_slice(zc_exp(x), 0, ZC_NONE, -1, 1));
    return zc_pad(inner, 2, (const int64_t[]){3, 1}, (const int64_t[]){40, 0}, ZC_PAD_REFLECT, NULL);
}

static zc_tensor *running_sums(const zc_tensor *x)
{
    return zc_cumulative_sum(zc_exp(x), 1, false);
}

/* Whatever is refused: a window that is named fits, at the beginning and at the end. */
Test(limit, windows_that_are_named_fit)
{
    static refused_result *const results[] = {
        result_of_a_chain,   result_along_columns, result_along_rows, reversed_sums_of_pairs,
        product_with_itself, padded_differences,   running_sums};
    static double values[257 * 64];
    int named = 0;
    for (size_t r = 0; r < sizeof results / sizeof *results; r++) {
        for (int64_t limit = 100; limit < 1 << 20; limit += limit / 3) {
            bench b = begin_with((zc_options){.memory_limit = limit, .threads = 1});
            zc_tensor *x = zc_import(b.ctx, ZC_FLOAT64, ZC_SHAPE(257, 64), NULL, 0, values, sizeof values, NULL, NULL);
            zc_tensor *t = results[r](x), *out = NULL;
            zc_budget budget;
            bool is_refused = zc_materialize(t, &out) == ZC_ERROR_BUDGET && zc_error_budget(b.ctx, &budget);
            zc_error_clear(b.ctx);
            if (is_refused && budget.window_axis >= 0) {
                int64_t extent = zc_shape(t)[budget.window_axis], count = budget.window_count;
                const int64_t first[] = {0, extent - count};
                named++;
                for (int i = 0; i < 2; i++) {
                    zc_tensor *window = zc_slice(t, budget.window_axis, first[i], first[i] + count, 1);
                    cr_expect_eq(zc_materialize(window, &out), ZC_OK, "result %zu within %lld: %s", r, (long long)limit,
                                 zc_error_text(b.ctx));
                    zc_error_clear(b.ctx);
                    zc_release(out);
                }
            }
            finish(b);
        }
    }
    cr_expect_geq(named, 60);
}

/* The context keeps its first failure, whatever a search for a window meets. */
Test(limit, a_failure_from_before_stays)
{
    bench b = begin_with((zc_options){.memory_limit = 1000});
    zc_tensor *x = zc_iota(b.ctx, 1000), *out = NULL;
    cr_assert_null(zc_index(x, 0, 1000));
    cr_assert_eq(zc_materialize(zc_negative(x), &out), ZC_ERROR_BUDGET);
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_INDEX);
    zc_error_clear(b.ctx);
    finish(b);
}
