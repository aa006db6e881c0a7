/* Workers that small programs keep: each run begins anew, whatever became of the one before. */
#include <stdio.h>
#include <string.h>

#include "materialize/planner/plan_cache.h"
#include "materialize/tile/program/program.h"
#include "tests/support/zc_test.h"

enum { N = 6 };

/* Tells a program with a worker of its own, the first of the plan that was kept for what t asks for. */
static bool keeps_worker(const zc_tensor *t)
{
    zc_plan *plan = NULL;
    const zc_plan_request request = {.count = 1, .tensors = &t, .function = "test", .buys = true};
    cr_assert_eq(zc_plan_get(&request, &plan), ZC_OK);
    const zc_tile_program *program = plan->stages[0]->prepared;
    cr_assert_not_null(program);
    const bool keeps = program->worker != NULL;
    zc_plan_put_back(plan);
    return keeps;
}

static zc_tensor *integers(zc_context *ctx, const int64_t *numbers)
{
    return zc_from_data(ctx, ZC_INT64, ZC_SHAPE(N), numbers, N * sizeof *numbers);
}

/* Computes t, which may fail, and ends it. */
static zc_status compute(zc_tensor *t, void *to, size_t bytes)
{
    cr_assert_not_null(t);
    zc_status status = zc_materialize_into(t, to, bytes, NULL, 0);
    zc_release(t);
    return status;
}

Test(kept_workers, are_of_small_programs)
{
    static const float numbers[1 << 14] = {1, 2, 3};
    zc_context *ctx = zc_context_new(NULL);
    for (int64_t n = 16; n <= 1 << 14; n <<= 10) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, 1, &n, numbers, (size_t)n * sizeof *numbers), *out;
        cr_assert_eq(zc_materialize(zc_exp(zc_multiply(x, x)), &out), ZC_OK);
        cr_expect_eq(keeps_worker(zc_exp(zc_multiply(x, x))), n == 16);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* A table of values, as there are enough of them, that is made in the first unit of a run. */
Test(kept_workers, look_values_up_that_are_others_in_each_run)
{
    enum { VALUES = 40 };
    zc_context *ctx = zc_context_new(NULL);
    static const int64_t x[N] = {0, 1, 2, 3, 4, 5};
    for (int64_t run = 0; run < 5; run++) {
        int64_t values[VALUES];
        bool among[N];
        for (int64_t i = 0; i < VALUES; i++)
            values[i] = i < 2 ? run + i : 1000 * i;
        zc_tensor *a = integers(ctx, x), *b = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(VALUES), values, sizeof values);
        cr_assert_eq(compute(zc_isin(a, b), among, sizeof among), ZC_OK);
        for (int64_t i = 0; i < N; i++)
            cr_expect_eq(among[i], i == run || i == run + 1, "run %lld, %lld", (long long)run, (long long)i);
        zc_release(a);
        zc_release(b);
    }
    zc_context_free(ctx);
}

Test(kept_workers, forget_a_wrong_position)
{
    zc_context *ctx = zc_context_new(NULL);
    static const int64_t x[N] = {10, 11, 12, 13, 14, 15};
    for (int64_t run = 0; run < 6; run++) {
        const int64_t positions[N] = {5, 4, 3, 2, run % 2 == 0 ? 1 : 6 + run, 0};
        int64_t taken[N] = {0};
        zc_tensor *a = integers(ctx, x), *b = integers(ctx, positions);
        const zc_status status = compute(zc_take(a, b, 0), taken, sizeof taken);
        cr_expect_eq(status, run % 2 == 0 ? ZC_OK : ZC_ERROR_INDEX);
        for (int i = 0; i < N && run % 2 == 0; i++)
            cr_expect_eq(taken[i], 15 - i);
        char told[32];
        (void)snprintf(told, sizeof told, "position %lld ", (long long)(6 + run));
        cr_expect(status == ZC_OK || strstr(zc_error_text(ctx), told) != NULL, "%s", zc_error_text(ctx));
        zc_error_clear(ctx);
        zc_release(a);
        zc_release(b);
    }
    zc_context_free(ctx);
}

static bool stop(void *user, int64_t done, int64_t total)
{
    (void)user, (void)done, (void)total;
    return false;
}

Test(kept_workers, forget_that_they_were_stopped)
{
    zc_context *ctx = zc_context_new(NULL);
    static const int64_t x[N] = {10, 11, 12, 13, 14, 15};
    zc_tensor *a = integers(ctx, x);
    for (int run = 0; run < 4; run++) {
        int64_t sum = 0;
        zc_set_progress(ctx, run == 2 ? stop : NULL, NULL);
        zc_tensor *square = zc_square(a);
        const zc_status status = compute(zc_sum(square, ZC_ALL_AXES, false), &sum, sizeof sum);
        zc_release(square);
        cr_expect_eq(status, run == 2 ? ZC_CANCELLED : ZC_OK);
        cr_expect(status != ZC_OK || sum == 955);
    }
    zc_release(a);
    zc_context_free(ctx);
}
