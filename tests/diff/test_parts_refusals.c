/*
 * Reductions in parts: what is no part is refused, states that do not fit are, and nothing is left where memory is out.
 */
#include <stdio.h>
#include <string.h>

#include "tests/diff/matrices.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* ---- Refusals ---- */

static void expect_refused(zc_context *ctx, zc_status status, const char *text)
{
    cr_expect_eq(status, ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(ctx), text);
    zc_error_clear(ctx);
}

static zc_status numbers_of(const zc_tensor *r)
{
    int64_t numbers = -1, step = -1;
    const zc_status status = zc_part_numbers(r, &numbers, &step);
    cr_expect(status == ZC_OK || (numbers == 0 && step == 0));
    return status;
}

static zc_status part_of_numbers(const zc_tensor *r, int64_t first, int64_t count)
{
    int n = -1;
    zc_tensor *states[ZC_MOST_STATES];
    const zc_status status = zc_part(r, first, count, &n, states);
    cr_expect(status == ZC_OK || n == 0);
    return status;
}

static zc_status join_status(const zc_tensor *r, int ranges, const int64_t *begin, int n,
                             const zc_tensor *const *states)
{
    zc_tensor *joined = zc_join(r, ranges, begin, n, states);
    cr_expect_null(joined);
    return zc_error_status(zc_context_of(r));
}

Test(parts_refusals, what_is_no_part_is_refused)
{
    static const char none[] = "part_numbers: r is no reduction that is made in parts: ";
    char text[256];
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx, 3, 2500), *r = zc_sum(zc_exp(x), ZC_AXES(1), false);
    zc_tensor *made = NULL;
    expect_refused(ctx, part_of_numbers(r, 0, 0), "part: 0 numbers from 0 on are no range of 2500");
    expect_refused(ctx, part_of_numbers(r, 1, INT64_MAX),
                   "part: 9223372036854775807 numbers from 1 on are no range of 2500");
    expect_refused(
        ctx, part_of_numbers(r, 512, 512),
        "part: numbers 512 to 1024 are no range of 2500, which begins at a multiple of 1024 and ends at one or "
        "with the last number");
    snprintf(text, sizeof text, "%sit is a result of something else", none);
    expect_refused(ctx, numbers_of(zc_exp(x)), text);
    const zc_tensor *computed = zc_sum(x, ZC_AXES(0), false);
    cr_assert_eq(zc_materialize(computed, &made), ZC_OK);
    snprintf(text, sizeof text, "%sit has been computed", none);
    expect_refused(ctx, numbers_of(computed), text);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(parts_refusals, states_that_do_not_fit_are_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx, 3, 2500), *r = zc_sum(zc_exp(x), ZC_AXES(1), false);
    const int64_t all[] = {0, 2048, 2500}, some[] = {0, 2048}, wrong[] = {0, 2047, 2500};
    const zc_tensor *states[4];
    zc_tensor *made[2][ZC_MOST_STATES];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(zc_part(r, all[i], all[i + 1] - all[i], &n, made[i]), ZC_OK);
        cr_assert_eq(n, 1);
        states[i] = made[i][0];
    }
    expect_refused(ctx, join_status(r, 1, some, 1, states), "join: the ranges do not cover all 2500 numbers");
    expect_refused(ctx, join_status(r, 0, NULL, 0, NULL), "join: the ranges do not cover all 2500 numbers");
    expect_refused(ctx, join_status(r, 2, all, 1, states), "join: there are 1 states, and more in these ranges");
    states[2] = states[1];
    expect_refused(ctx, join_status(r, 2, all, 3, states), "join: there are 3 states, and 2 in these ranges");
    expect_refused(
        ctx, join_status(r, 2, wrong, 2, states),
        "join: numbers 0 to 2047 are no range of 2500, which begins at a multiple of 1024 and ends at one or "
        "with the last number");
    expect_refused(ctx, join_status(r, -1, all, 2, states),
                   "join: there are -1 ranges and 2 states, or no list of where they begin");
    states[1] = zc_astype(states[0], ZC_FLOAT64);
    expect_refused(
        ctx, join_status(r, 2, all, 2, states),
        "join: states[1] is of float64 and shape (3,), and that of numbers 2048 to 2500 of float32 and (3,)");
    states[1] = NULL;
    expect_refused(ctx, join_status(r, 2, all, 2, states), "join: states[1] is NULL");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The error where there is no context. */
static void expect_lost(zc_status status, const char *text)
{
    cr_expect_eq(status, ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(NULL), text);
    zc_error_clear(NULL);
}

Test(parts_refusals, arguments_that_are_missing_are_refused)
{
    static const char nowhere[] = "there is nowhere to put the states";
    char text[128];
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    int n = 5;
    zc_tensor *out[ZC_MOST_STATES];
    const int64_t all[] = {0, 2500}, end[] = {2048, 2500}, past[] = {0, 4096}, turned[] = {1024, 0},
                  below[] = {-1024, 0};
    const zc_tensor *x = numbers(ctx, 3, 2500), *r = zc_sum(zc_exp(x), ZC_AXES(1), false);
    const zc_tensor *state = zc_full(ctx, ZC_SHAPE(3), ZC_FLOAT32, 1),
                    *other = zc_full(ctx, ZC_SHAPE(1), ZC_FLOAT32, 1);
    zc_error_clear(NULL); /* tests may share a process, and with it the thread's failure */
    expect_lost(zc_part_numbers(NULL, NULL, NULL), "part_numbers: r is NULL");
    cr_expect_eq(zc_part_numbers(r, NULL, NULL), ZC_OK);
    expect_lost(zc_part(NULL, 0, 1, NULL, out), "part: r is NULL");
    snprintf(text, sizeof text, "part: %s", nowhere);
    expect_refused(ctx, zc_part(r, 0, 2500, NULL, out), text);
    expect_refused(ctx, zc_part(r, 0, 2500, &n, NULL), text);
    cr_expect_eq(n, 0);
    expect_refused(ctx, part_of_numbers(r, -1, 5), "part: 5 numbers from -1 on are no range of 2500");
    expect_refused(ctx, part_of_numbers(zc_exp(x), 0, 1),
                   "part: r is no reduction that is made in parts: it is a result of something else");
    cr_expect_null(zc_join(NULL, 1, all, 1, &state));
    expect_lost(zc_error_status(NULL), "join: r is NULL");
    expect_lost(zc_join_parts(NULL, 1, all, 1, &state, NULL, out), "join_parts: r is NULL");
    snprintf(text, sizeof text, "join_parts: %s", nowhere);
    expect_refused(ctx, zc_join_parts(r, 1, all, 1, &state, NULL, out), text);
    expect_refused(ctx, zc_join_parts(r, 1, all, 1, &state, &n, NULL), text);
    expect_refused(ctx, join_status(r, 1, all, -1, &state),
                   "join: there are 1 ranges and -1 states, or no list of where they begin");
    expect_refused(ctx, join_status(r, 1, NULL, 1, &state),
                   "join: there are 1 ranges and 1 states, or no list of where they begin");
    expect_refused(ctx, join_status(r, 1, end, 1, &state), "join: the ranges do not cover all 2500 numbers");
    expect_refused(ctx, join_status(zc_exp(x), 1, all, 1, &state),
                   "join: r is no reduction that is made in parts: it is a result of something else");
    expect_refused(ctx, join_status(r, 1, all, 1, &other),
                   "join: states[0] is of float32 and shape (1,), and that of numbers 0 to 2500 of float32 and (3,)");
    for (int i = 0; i < 3; i++) {
        const int64_t *begin = i == 0 ? past : i == 1 ? turned : below;
        snprintf(text, sizeof text, "join: numbers %ld to %ld are no range of 2500,", (long)begin[0], (long)begin[1]);
        cr_expect_eq(join_status(r, 1, begin, 1, &state), ZC_ERROR_ARGUMENT);
        cr_expect_eq(strncmp(zc_error_text(ctx), text, strlen(text)), 0, "%s", zc_error_text(ctx));
        zc_error_clear(ctx);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Conversions that no strides lead through, too many, or that have been computed; a part of log sums; and a reduction
 * of as many axes as there may be. */
Test(parts_refusals, what_leads_to_no_reduction_is_refused)
{
    static const char none[] = "part_numbers: r is no reduction that is made in parts: ";
    char text[256];
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t shape[ZC_MAX_RANK];
    zc_tensor *made = NULL, *states[ZC_MOST_STATES];
    int n = 0;
    const zc_tensor *x = numbers(ctx, 20, 2500), *sum = zc_sum(zc_reshape(x, ZC_SHAPE(4, 5, 2500)), ZC_AXES(2), false);
    const zc_tensor *converted = zc_astype(zc_exp(zc_matrix_transpose(sum)), ZC_FLOAT64);
    snprintf(text, sizeof text, "%sit is a result of something else", none);
    expect_refused(ctx, numbers_of(converted), text);
    snprintf(text, sizeof text, "%sit is converted in a way that no strides express", none);
    const zc_tensor *flat = zc_reshape(zc_astype(zc_matrix_transpose(sum), ZC_FLOAT64), ZC_SHAPE(20));
    expect_refused(ctx, numbers_of(flat), text);
    const zc_tensor *often = sum;
    for (int i = 0; i < 9; i++)
        often = zc_astype(often, i % 2 == 0 ? ZC_FLOAT16 : ZC_FLOAT32);
    expect_refused(ctx, numbers_of(often), text);
    snprintf(text, sizeof text, "%sit has been computed", none);
    const zc_tensor *computed = zc_astype(sum, ZC_FLOAT64);
    cr_assert_eq(zc_materialize(computed, &made), ZC_OK);
    expect_refused(ctx, numbers_of(computed), text);
    cr_assert_eq(zc_part(zc_logsumexp(x, ZC_AXES(1), false), 0, 1024, &n, states), ZC_OK);
    snprintf(text, sizeof text, "%sit is a result of something else", none);
    expect_refused(ctx, numbers_of(states[0]), text);
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a < 2 ? zc_shape(x)[a] : 1;
    snprintf(text, sizeof text, "%sit has too many axes", none);
    expect_refused(ctx, numbers_of(zc_sum(zc_reshape(x, ZC_MAX_RANK, shape), ZC_ALL_AXES, false)), text);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Memory ---- */

/* A view of a reduction that no strides lead through: to its result, or to its operand. */
static const zc_tensor *sideways(zc_context *ctx, bool is_operand)
{
    const zc_tensor *x = zc_reshape(numbers(ctx, 4, 5000), ZC_SHAPE(2, 5000, 2));
    const zc_tensor *sum = is_operand ? zc_logsumexp(zc_permute_dims(x, 3, (const int[]){2, 0, 1}), ZC_AXES(2), false)
                                      : zc_sum(x, ZC_AXES(1), false);
    return zc_reshape(sum, ZC_SHAPE(4));
}

static const zc_tensor *reduction_of(const zc_tensor *x, int which)
{
    zc_tensor *values = NULL, *places = NULL;
    switch (which) {
    case 0:
        return zc_mean(zc_exp(x), ZC_ALL_AXES, false);
    case 1:
        return zc_argmax(zc_exp(x), ZC_AXES(1), true);
    case 2:
        return zc_matmul(zc_exp(x), zc_matrix_transpose(x));
    case 3:
        (void)zc_top_k(x, 3, 1, true, &values, &places);
        return places;
    case 4:
        return zc_logsumexp(zc_exp(x), ZC_AXES(1), false);
    case 5:
        return zc_mean(zc_complex(x, zc_exp(x)), ZC_AXES(1), false);
    case 6:
        return zc_reshape(
            zc_mean(zc_reshape(numbers(zc_context_of(x), 4, 5000), ZC_SHAPE(2, 5000, 2)), ZC_AXES(1), false),
            ZC_SHAPE(4));
    case 7:
    case 8:
        return sideways(zc_context_of(x), which == 7);
    default:
        return zc_sum(zc_broadcast_to(zc_expand_dims(x, 0), ZC_SHAPE(7, 2, 5000)), ZC_ALL_AXES, false);
    }
}

/* The same elements, the other way round in memory. */
static zc_tensor *turned(zc_tensor *t)
{
    return zc_rank(t) < 2 ? t : zc_matrix_transpose(zc_copy(zc_matrix_transpose(t)));
}

/* The join, where every allocation may fail. NULL: one did, or there is one that is not to be made. */
static zc_tensor *try_join(zc_context *ctx, const zc_tensor *r, zc_status *status)
{
    int n[2] = {0, 0};
    int64_t numbers, step;
    zc_tensor *states[2 * ZC_MOST_STATES], *joined = NULL;
    *status = zc_part_numbers(r, &numbers, &step);
    const int64_t begin[] = {0, 4096, numbers};
    for (int i = 0; i < 2 && *status == ZC_OK; i++)
        *status = zc_part(r, begin[i], begin[i + 1] - begin[i], &n[i], states + (i == 0 ? 0 : n[0]));
    if (*status == ZC_OK) {
        int count = 0;
        zc_tensor *all[ZC_MOST_STATES];
        *status = zc_join_parts(r, 2, begin, n[0] + n[1], (const zc_tensor *const *)states, &count, all);
        for (int i = 0; i < count; i++)
            all[i] = turned(all[i]);
        if (*status == ZC_OK)
            joined = zc_join(r, 1, (const int64_t[]){0, numbers}, count, (const zc_tensor *const *)all);
        *status = joined != NULL ? ZC_OK : zc_error_status(ctx);
    }
    return joined;
}

Test(parts_refusals, nothing_is_left_where_memory_is_out)
{
    zc_skip_of_one_thread();
    for (int which = 0; which < 10; which++) {
        zc_failing state = {0};
        const zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *joined = NULL;
        const zc_tensor *r = reduction_of(numbers(ctx, 2, 5000), which);
        for (int64_t k = 1; joined == NULL; k++) {
            zc_status status;
            zc_scope *inner = zc_scope_begin(ctx);
            state.fail_at = state.calls + k;
            joined = try_join(ctx, r, &status);
            state.fail_at = 0;
            cr_assert_eq(status, joined != NULL ? ZC_OK : ZC_ERROR_MEMORY, "%d: %s", (int)status, zc_error_text(ctx));
            zc_error_clear(ctx);
            zc_scope_end(inner);
            zc_failing_count();
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect_eq(state.blocks, 0);
        cr_expect_eq(state.faults, 0);
    }
}
