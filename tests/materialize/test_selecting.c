/*
 * Selections: the first elements of lines, recorded and selected as the lines are made. The results are those of the
 * definition (a stable order, NaN above all numbers), whichever executor, block length, axis and number of threads.
 */
#include <math.h>

#include "materialize/plan/group.h"
#include "tests/materialize/grouped.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"

enum { ROWS = 23, MOST_LINE = 3000, MOST_K = 128 };

static const zc_dtype dtypes[] = {ZC_FLOAT32, ZC_FLOAT64, ZC_INT8,     ZC_UINT8, ZC_INT64,
                                  ZC_BOOL,    ZC_FLOAT16, ZC_BFLOAT16, ZC_UINT32};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Numbers that are often equal, with zeros of both signs and NaN. */
static double draw_number(int64_t i)
{
    const int64_t number = zc_random_range(-60, 60);
    return i % 101 == 7 ? NAN : i % 53 == 5 ? -0.0 : (double)number / 2;
}

static zc_tensor *draw(zc_context *ctx, const double *numbers, int64_t extent, zc_dtype dtype)
{
    const zc_tensor *x =
        zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(ROWS, extent), numbers, (size_t)(ROWS * extent) * sizeof *numbers);
    const bool is_float = zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT;
    return zc_astype(is_float ? x : zc_where(zc_isnan(x), zc_weak_float(ctx, 3), zc_abs(x)), dtype);
}

/* Tells an element that comes before another of a larger number. */
static bool comes_before(double x, double y, bool largest)
{
    if (isnan(x) || isnan(y))
        return largest ? isnan(x) && !isnan(y) : !isnan(x);
    return largest ? x > y : x < y;
}

static void expect_line(const double *line, int64_t extent, int64_t step, int64_t k, bool largest, const double *values,
                        const int64_t *indices, int64_t result_step)
{
    int64_t order[MOST_K + 1]; /* of the best so far, and one that is none any more */
    for (int64_t i = 0; i < extent; i++) {
        int64_t at = zc_smaller(i, k);
        for (; at > 0 && comes_before(line[i * step], line[order[at - 1] * step], largest); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int64_t i = 0; i < k; i++) {
        cr_assert_eq(indices[i * result_step], order[i]);
        const double value = values[i * result_step], wanted = line[order[i] * step];
        cr_assert((isnan(value) && isnan(wanted)) || (value == wanted && signbit(value) == signbit(wanted)));
    }
}

/* Selects by a context, along either axis, of what is computed. */
static void check(zc_context *ctx, const double *numbers, int64_t extent, zc_dtype dtype, int axis, int64_t k,
                  bool largest)
{
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = zc_multiply(draw(ctx, numbers, extent, dtype), zc_astype(zc_weak_int(ctx, 1), dtype));
    zc_tensor *made[2], *out[2] = {NULL}, *all = NULL;
    cr_assert_eq(zc_top_k(x, k, axis, largest, &made[0], &made[1]), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_null(zc_data(made[0]), "nothing is computed yet");
    const zc_tensor *const asked[] = {zc_astype(made[0], ZC_FLOAT64), made[1]};
    cr_assert_eq(zc_materialize_all(2, asked, out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(zc_astype(x, ZC_FLOAT64), &all), ZC_OK);
    const double *lines = zc_data(all), *values = zc_data(out[0]);
    const int64_t *indices = zc_data(out[1]);
    for (int64_t line = 0; line < (axis == 1 ? ROWS : extent); line += axis == 1 ? 1 : 17) {
        if (axis == 1)
            expect_line(lines + line * extent, extent, 1, k, largest, values + line * k, indices + line * k, 1);
        else
            expect_line(lines + line, ROWS, extent, k, largest, values + line, indices + line, extent);
    }
    zc_scope_end(scope);
}

Test(selecting, gives_what_sorting_leaves_first)
{
    static const int64_t extents[] = {2, 5, 200, 1500, MOST_LINE};
    static const int64_t lengths[] = {NO_GROUPS, BY_BYTES, 1, 3};
    static double numbers[ROWS * MOST_LINE];
    zc_random_begin("selecting");
    for (int64_t i = 0; i < ROWS * MOST_LINE; i++)
        numbers[i] = draw_number(i);
    for (int d = 0; d < DTYPES; d++) {
        for (size_t e = 0; e < sizeof extents / sizeof *extents; e += (size_t)(1 + zc_test_stride() / 4)) {
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                zc_context *ctx = context_of(lengths[l], 1 + (int)l % 3);
                const int64_t most = zc_smaller(extents[e], MOST_K), k = zc_random_range(1, most);
                check(ctx, numbers, extents[e], dtypes[d], 1, k, zc_random_bool());
                check(ctx, numbers, extents[e], dtypes[d], 0, zc_random_range(1, ROWS), zc_random_bool());
                zc_context_free(ctx);
            }
        }
    }
}

Test(selecting, is_what_the_reference_selects)
{
    static double numbers[ROWS * MOST_LINE];
    zc_random_begin("selecting/reference");
    for (int64_t i = 0; i < ROWS * MOST_LINE; i++)
        numbers[i] = draw_number(i);
    for (int d = 0; d < DTYPES; d += zc_test_stride()) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .executor = ZC_EXECUTOR_REFERENCE});
        check(ctx, numbers, 70, dtypes[d], 1, zc_random_range(1, 70), d % 2 == 0);
        check(ctx, numbers, 70, dtypes[d], 0, 1, d % 2 == 1);
        zc_context_free(ctx);
    }
}

/* ---- Lines of all pairs ---- */

static zc_tensor *distances(zc_context *ctx, int64_t rows, int64_t columns)
{
    const zc_tensor *x = zc_sin(zc_reshape(zc_iota(ctx, 3 * rows), ZC_SHAPE(rows, 1, 3)));
    const zc_tensor *y = zc_cos(zc_reshape(zc_iota(ctx, 3 * columns), ZC_SHAPE(1, columns, 3)));
    return zc_sum(zc_square(zc_astype(zc_subtract(x, y), ZC_FLOAT32)), ZC_AXES(2), false);
}

static zc_cost cost_of(const zc_tensor *const *all, int count)
{
    zc_cost cost;
    cr_assert_eq(zc_cost_of_all(count, all, &cost), ZC_OK);
    return cost;
}

/* 4,000 by 5,000 distances take 80 MB; the nearest ten of each row, with their distances, 480 KB. */
Test(selecting, nearest_points_need_no_matrix)
{
    zc_skip_of_one_thread();
    for (int axis = 0; axis < 2; axis++) {
        zc_context *ctx = context_of(BY_BYTES, 1), *alone = context_of(NO_GROUPS, 1);
        zc_scope *scope = zc_scope_begin(ctx), *other = zc_scope_begin(alone);
        zc_tensor *made[2], *wanted[2], *out[2] = {NULL}, *expected[2] = {NULL};
        cr_assert_eq(zc_top_k(distances(ctx, 4000, 5000), 10, axis, false, &made[0], &made[1]), ZC_OK);
        cr_assert_eq(zc_top_k(distances(alone, 4000, 5000), 10, axis, false, &wanted[0], &wanted[1]), ZC_OK);
        const zc_cost cost = cost_of((const zc_tensor *const *)made, 2);
        cr_expect_leq(cost.peak_bytes, 3 << 20, "axis %d: %" PRId64, axis, cost.peak_bytes);
        cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const *)made, out), ZC_OK);
        cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const *)wanted, expected), ZC_OK);
        expect_same_bytes(expected[0], out[0], "distances", axis);
        expect_same_bytes(expected[1], out[1], "numbers", axis);
        zc_scope_end(other);
        zc_scope_end(scope);
        zc_context_free(alone);
        zc_context_free(ctx);
    }
}

/* A window of the results is selected alone, of the rows that it shows. */
Test(selecting, computes_what_is_shown)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *values, *indices, *out = NULL, *all = NULL;
    cr_assert_eq(zc_top_k(distances(ctx, 300, 200), 20, 1, true, &values, &indices), ZC_OK);
    const zc_tensor *window = zc_slice(zc_slice(indices, 0, 250, 240, -2), 1, 3, 9, 2);
    cr_assert_eq(zc_materialize(window, &out), ZC_OK);
    cr_assert_eq(zc_materialize(indices, &all), ZC_OK);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 3; j++)
            cr_expect_eq(((const int64_t *)zc_data(out))[i * 3 + j],
                         ((const int64_t *)zc_data(all))[(250 - 2 * i) * 20 + 3 + 2 * j]);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The elements that are taken get the gradient, and no others. */
Test(selecting, hands_gradients_to_what_is_taken)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    static const double numbers[] = {3, 1, 2, 5, 9, 4}, wanted[] = {6, 0, 4, 10, 18, 0};
    zc_tensor *x = zc_variable(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 3), numbers, sizeof numbers));
    zc_tensor *values, *indices, *out = NULL;
    cr_assert_eq(zc_top_k(zc_square(x), 2, 1, true, &values, &indices), ZC_OK);
    cr_assert_eq(zc_materialize(zc_grad(zc_sum(values, ZC_ALL_AXES, false), x), &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_arr_eq(zc_data(out), wanted, sizeof wanted);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The same by what is no variable; and of many lines without their matrix. */
Test(selecting, has_a_gradient_wherever_it_is_asked_for)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    static const double numbers[] = {3, 1, 2, 5, 9, 4}, wanted[] = {0, 2, 4, 10, 0, 8};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 3), numbers, sizeof numbers);
    zc_tensor *values, *indices, *slope = NULL, *out = NULL;
    cr_assert_eq(zc_top_k(zc_square(x), 2, 1, false, &values, &indices), ZC_OK);
    values = zc_add(values, zc_multiply(zc_astype(indices, ZC_FLOAT64), zc_weak_float(ctx, 0)));
    const zc_tensor *loss = zc_sum(values, ZC_ALL_AXES, false), *by = x;
    cr_assert_eq(zc_vjp(loss, NULL, 1, &by, &slope), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(slope, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_arr_eq(zc_data(out), wanted, sizeof wanted);
    zc_tensor *y = zc_variable(zc_reshape(zc_astype(zc_iota(ctx, 15000), ZC_FLOAT32), ZC_SHAPE(5000, 3)));
    const zc_tensor *z = zc_reshape(zc_sin(zc_astype(zc_iota(ctx, 9000), ZC_FLOAT32)), ZC_SHAPE(3000, 3));
    const zc_tensor *d = zc_sum(zc_square(zc_subtract(zc_expand_dims(z, 1), zc_sin(y))), ZC_AXES(2), false);
    cr_assert_eq(zc_top_k(d, 5, 1, false, &values, &indices), ZC_OK);
    const zc_tensor *const all[] = {zc_grad(zc_sum(values, ZC_ALL_AXES, false), y)};
    const zc_cost cost = cost_of(all, 1);
    cr_expect_leq(cost.peak_bytes, 8 << 20, "%" PRId64, cost.peak_bytes);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A long line is never in memory: ten of a million elements take no million. */
Test(selecting, of_one_line_holds_no_line)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *values, *indices;
    cr_assert_eq(zc_top_k(zc_abs(zc_sin(zc_astype(zc_iota(ctx, 1000000), ZC_FLOAT32))), 10, 0, true, &values, &indices),
                 ZC_OK);
    cr_expect_leq(cost_of((const zc_tensor *const *)&values, 1).peak_bytes, 1000);
    zc_scope_end(scope);
    zc_context_free(ctx);
    ctx = zc_context_new(&(zc_options){.threads = 2, .memory_limit = 1 << 20}); /* where threads share what it is of */
    scope = zc_scope_begin(ctx);
    const zc_tensor *line = zc_abs(zc_sin(zc_astype(zc_iota(ctx, 1000000), ZC_FLOAT32)));
    cr_assert_eq(zc_top_k(line, 10, 0, true, &values, &indices), ZC_OK);
    cr_expect_leq(cost_of((const zc_tensor *const *)&values, 1).peak_bytes, 1 << 20);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* More than are recorded are selected at once, and hand gradients on, too. */
Test(selecting, many_are_computed_at_once)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = zc_variable(zc_astype(zc_iota(ctx, 5000), ZC_FLOAT64));
    zc_tensor *values, *indices, *out = NULL;
    cr_assert_eq(zc_top_k(zc_square(x), 200, 0, true, &values, &indices), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_not_null(zc_data(indices));
    cr_assert_eq(zc_materialize(zc_grad(zc_sum(values, ZC_ALL_AXES, false), x), &out), ZC_OK, "%s", zc_error_text(ctx));
    for (int64_t i = 0; i < 5000; i++)
        cr_assert_float_eq(((const double *)zc_data(out))[i], i < 4800 ? 0 : 2 * (double)i, 0);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static bool stop_at_third(void *user, int64_t done, int64_t total)
{
    (void)done, (void)total;
    return ++*(int *)user < 3;
}

Test(selecting, stops_within_a_line)
{
    int calls = 0;
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *values, *indices, *out = NULL;
    const zc_tensor *line = zc_sin(zc_cos(zc_astype(zc_iota(ctx, 20000000), ZC_FLOAT64)));
    cr_assert_eq(zc_top_k(line, 3, 0, true, &values, &indices), ZC_OK);
    zc_set_progress(ctx, stop_at_third, &calls);
    cr_expect_eq(zc_materialize(values, &out), ZC_CANCELLED);
    cr_expect_null(out);
    zc_error_clear(ctx);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(selecting, leaves_nothing_where_memory_fails)
{
    bool is_reached = true;
    for (int64_t k = 1; is_reached; k++) {
        zc_failing state = {0};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        ctx->block_length = 3;
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *d = distances(ctx, 11, 40);
        zc_tensor *values = NULL, *indices = NULL, *out = NULL;
        state.fail_at = state.calls + k;
        zc_status status = zc_top_k(d, 4, 1, true, &values, &indices);
        if (status == ZC_OK)
            status = zc_materialize(zc_add(values, indices), &out);
        is_reached = state.calls >= state.fail_at;
        cr_expect(status == ZC_OK || zc_error_status(ctx) == ZC_ERROR_MEMORY, "%d", (int)status);
        state.fail_at = 0;
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect(state.blocks == 0 && state.faults == 0, "call %" PRId64 ": something is left", k);
    }
}

Test(selecting, is_explained)
{
    static const char *const told[2][2] = {
        {"least 7 of 90 elements each", "indices of the least 7 of 90 elements each"},
        {"largest 7 of 90 elements each", "indices of the largest 7 of 90 elements"}};
    for (int largest = 0; largest < 2; largest++) {
        zc_context *ctx = context_of(BY_BYTES, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *made[2];
        cr_assert_eq(zc_top_k(distances(ctx, 4, 90), 7, 1, largest != 0, &made[0], &made[1]), ZC_OK);
        for (int i = 0; i < 2; i++) {
            char *text = NULL, *json = NULL, *dot = NULL;
            cr_assert_eq(zc_explain(made[i], ZC_TEXT, &text), ZC_OK);
            cr_assert_eq(zc_explain(made[i], ZC_JSON, &json), ZC_OK);
            cr_assert_eq(zc_explain(made[i], ZC_DOT, &dot), ZC_OK);
            cr_expect_not_null(strstr(text, told[largest][i]), "%s", text);
            cr_expect_not_null(strstr(dot, told[largest][i]), "%s", dot);
            cr_expect_not_null(strstr(json, "\"selected\": 7"), "%s", json);
            zc_text_free(ctx, text);
            zc_text_free(ctx, json);
            zc_text_free(ctx, dot);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* ---- The law ---- */

static zc_stage *selection_of(const zc_plan *plan)
{
    int32_t s = 0;
    while (strcmp(plan->stages[s]->kind->name, "select") != 0)
        s++;
    return plan->stages[s];
}

static void break_count(zc_plan *plan)
{
    selection_of(plan)->shape[selection_of(plan)->kept] = 2;
}
static void break_reduction(zc_plan *plan)
{
    selection_of(plan)->reduce.reduction = ZC_REDUCTION_SUM;
}
static void break_index(zc_plan *plan)
{
    selection_of(plan)->reduce.reduction = ZC_REDUCTION_ARGMAX;
}
static void break_places(zc_plan *plan)
{
    selection_of(plan)->store.stride[selection_of(plan)->kept - 1] = 0;
}

/* Sorts lines where a selection has no room for its results. */
Test(selecting, is_not_for_the_highest_rank_and_the_largest_sizes)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 1 << 20});
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a + 1 < ZC_MAX_RANK ? 1 : 6;
    zc_tensor *line = zc_iota(ctx, 6), *values = NULL, *indices = NULL, *out = NULL;
    cr_assert_eq(zc_top_k(zc_reshape(line, ZC_MAX_RANK, shape), 2, ZC_MAX_RANK - 1, true, &values, &indices), ZC_OK);
    cr_assert_eq(zc_materialize(values, &out), ZC_OK);
    cr_expect(((const int64_t *)zc_data(out))[0] == 5 && ((const int64_t *)zc_data(out))[1] == 4);
    const zc_tensor *huge = zc_broadcast_to(line, ZC_SHAPE(INT64_C(1) << 57, 6));
    cr_expect_neq(zc_top_k(huge, 2, 1, true, &values, &indices), ZC_OK, "all of it would be sorted");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Each place sees elements of its own. */
static void break_sight(zc_plan *plan)
{
    zc_stage *stage = selection_of(plan);
    zc_value *value = &stage->values[stage->value_count - 1];
    int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    stride[stage->kept - 1] = 1;
    stride[stage->kept] = 0;
    value->axes = (value->axes | UINT64_C(1) << (stage->kept - 1)) & ~(UINT64_C(1) << stage->kept);
}
static void break_rank(zc_plan *plan)
{
    zc_stage *stage = selection_of(plan);
    stage->kept++;
    stage->reduce.invariant_count = 1;
}

static void break_line(zc_plan *plan)
{
    selection_of(plan)->kept = 0;
}
static void break_dtype(zc_plan *plan)
{
    zc_stage *stage = selection_of(plan);
    stage->values[stage->value_count - 1].dtype = stage->store.dtype = ZC_COMPLEX64;
}

static zc_tensor *five_largest(zc_context *ctx)
{
    zc_tensor *values, *indices;
    cr_assert_eq(zc_top_k(distances(ctx, 30, 40), 5, 1, true, &values, &indices), ZC_OK);
    return values;
}

Test(selecting, verification_refuses_what_selects_other_elements)
{
    static void (*const breakages[])(zc_plan *) = {break_count, break_reduction, break_index, break_places,
                                                   break_sight, break_rank,      break_line,  break_dtype};
    expect_refusals(five_largest, 4, (int)(sizeof breakages / sizeof *breakages), breakages);
}
