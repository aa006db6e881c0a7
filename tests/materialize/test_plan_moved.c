/*
 * Plans found again for what is read further on in the same memory, as the steps of a loop over its rows do: the same
 * plan where all moves together, another one where distances differ or where a place in memory matters, and the bits
 * that a context which has planned nothing yet computes.
 */
#include <string.h>

#include "materialize/planner/plan_cache.h"
#include "runtime/graph/keep.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { SIZE = 600, ROW = 20 };

/* The plan for t; it stays readable until the context makes others. */
static const zc_plan *plan_of(const zc_tensor *t)
{
    zc_plan *plan = NULL;
    const zc_plan_request request = {.count = 1, .tensors = &t, .function = "test", .buys = true};
    zc_graph_follow_begin(); /* as a run does, which alone takes over */
    cr_assert_eq(zc_plan_get(&request, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    zc_graph_follow_end();
    cr_assert(plan->is_kept);
    zc_plan_put_back(plan);
    return plan;
}

static zc_tensor *numbers(zc_context *ctx)
{
    double values[SIZE];
    for (int i = 0; i < SIZE; i++)
        values[i] = (i * 37 % 101 - 40) / 8.0;
    return zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(SIZE), values, sizeof values);
}

static zc_tensor *part(const zc_tensor *t, int64_t from, int64_t count)
{
    return zc_slice(t, 0, from, from + count, 1);
}

/* ---- Which plans are equal ---- */

static zc_tensor *sum_of_two(const zc_tensor *x, int64_t first, int64_t second)
{
    return zc_add(zc_negative(part(x, first, 3)), part(x, second, 3));
}

Test(plan_moved, is_found_at_any_distance)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx);
    const zc_plan *plan = plan_of(sum_of_two(x, 0, 7));
    cr_expect_eq(plan_of(sum_of_two(x, 100, 107)), plan);
    cr_expect_eq(plan_of(sum_of_two(x, SIZE - 10, SIZE - 3)), plan);
    cr_expect_eq(plan_of(sum_of_two(x, 0, 8)), plan, "another distance");
    cr_expect_eq(plan_of(sum_of_two(x, 7, 0)), plan, "the other way around");
    const zc_plan *same = plan_of(sum_of_two(x, 5, 5));
    cr_expect_neq(same, plan, "no distance");
    cr_expect_eq(plan_of(sum_of_two(x, 50, 50)), same);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Each of several inputs moves by its own. */
Test(plan_moved, is_found_for_several_inputs)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx), *y = numbers(ctx);
    const zc_plan *plan = plan_of(zc_add(part(x, 0, 3), part(y, 9, 3)));
    cr_expect_eq(plan_of(zc_add(part(x, 20, 3), part(y, 4, 3))), plan);
    cr_expect_eq(plan_of(zc_add(part(x, 3, 3), part(y, 3, 3))), plan);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A plan of an update of one element and a reading of another one, of memory that may be taken over or is held. */
static const zc_plan *plan_of_update(zc_context *ctx, int64_t read, int64_t to, int64_t seen, bool is_held)
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_keep(numbers(ctx));
    zc_tensor *updated = zc_keep(
        zc_update(x, part(zc_places(x), to, 1), zc_add(part(x, read, 1), zc_weak_float(ctx, 7)), ZC_UPDATE_SET));
    zc_scope_end(scope);
    if (!is_held)
        zc_release(x);
    zc_tensor *asked = part(updated, seen, 1);
    const zc_plan *plan = plan_of(asked);
    zc_release(asked);
    zc_release(updated);
    if (is_held)
        zc_release(x);
    return plan;
}

/* Memory that an update takes over is written further on, too; what it copies has its place. */
Test(plan_moved, is_found_where_memory_is_taken_over)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    const zc_plan *plan = plan_of_update(ctx, 99, 100, 100, false);
    cr_expect_eq(plan_of_update(ctx, 300, 301, 301, false), plan);
    cr_expect_eq(plan_of_update(ctx, 0, 1, 1, false), plan);
    cr_expect_neq(plan_of_update(ctx, 300, 302, 302, false), plan, "another distance");
    cr_expect_neq(plan_of_update(ctx, 300, 301, 300, false), plan, "another element is read");
    const zc_plan *held = plan_of_update(ctx, 99, 100, 100, true);
    cr_expect_neq(held, plan);
    cr_expect_neq(plan_of_update(ctx, 300, 301, 301, true), held);
    zc_context_free(ctx);
}

/* ---- Bits ---- */

/* Something that is made of parts of x and y, which may be one, at these places. */
static zc_tensor *make(const zc_tensor *x, const zc_tensor *y, int what, int64_t at, int64_t other)
{
    zc_context *ctx = zc_context_of(x);
    static const int64_t order[] = {3, 1, 1, 0};
    zc_tensor *positions = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(4), order, sizeof order);
    zc_tensor *row = part(x, at, ROW), *block = zc_reshape(part(x, at, 4 * ROW), ZC_SHAPE(4, ROW)), *sum = NULL;
    switch (what) {
    case 0:
        return zc_sum(row, ZC_ALL_AXES, false);
    case 1:
        return zc_subtract(row, part(y, other, ROW));
    case 2:
        return zc_matmul(block, zc_matrix_transpose(block));
    case 3:
        return zc_matmul(zc_exp(block), part(y, other, ROW));
    case 4:
        return zc_take(block, positions, 0);
    case 5:
        return zc_take(zc_multiply(block, block), positions, 1);
    case 6:
        return zc_cumulative_sum(block, 1, false);
    case 7:
        return zc_concat(ctx, 3, (const zc_tensor *const[]){row, part(y, other, 5), part(x, at + 7, 9)}, 0);
    case 8:
        return zc_update(row, part(zc_places(row), 3, 4), part(y, other, 4), ZC_UPDATE_SET);
    case 9:
        return zc_update(part(y, other, ROW), part(zc_places(row), 3, 4), part(x, at, 4), ZC_UPDATE_ADD);
    case 10:
        return zc_grad(zc_multiply(zc_tanh(row), part(y, other, ROW)), x);
    case 11:
        return zc_multiply(row, zc_max(zc_flip(row, ZC_AXES(0)), ZC_ALL_AXES, false));
    case 12:
        return zc_add(zc_astype(zc_bitcast(row, ZC_INT64), ZC_FLOAT64), part(x, at + 1, ROW));
    case 13:
        return zc_sum(zc_sliding_window_view(part(x, at, ROW + 4), 1, (const int64_t[]){5}, ZC_AXES(0)), ZC_AXES(1),
                      false);
    case 14:
        sum = zc_sum(block, ZC_AXES(1), true);
        return zc_divide(block, zc_add(zc_abs(sum), zc_weak_float(ctx, 1)));
    default:
        return zc_update(x, zc_take(part(zc_places(x), at, ROW), positions, 0), part(y, other, 4), ZC_UPDATE_SET);
    }
}

enum { GRAPHS = 16 };

static int64_t compute(const zc_tensor *t, double *bits, size_t bytes)
{
    cr_assert_not_null(t);
    cr_assert_eq(zc_materialize_into(t, bits, bytes, NULL, 0), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return zc_size(t);
}

/* The same in a context of its own. */
static void compute_anew(int what, int64_t at, int64_t other, bool is_one, double *bits, size_t bytes)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx);
    (void)compute(make(x, is_one ? x : numbers(ctx), what, at, other), bits, bytes);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(plan_moved, computes_what_a_new_plan_computes)
{
    zc_random_begin("plan_moved");
    static double got[SIZE], wanted[SIZE];
    for (int graph = 0; graph < 2 * GRAPHS; graph++) {
        const int what = graph / 2;
        const bool is_one = graph % 2 != 0;
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *x = numbers(ctx), *y = is_one ? x : numbers(ctx);
        for (int i = 0; i < zc_test_count(30); i++) {
            zc_scope *inner = zc_scope_begin(ctx);
            const int64_t at = zc_random_range(0, SIZE - 4 * ROW), other = zc_random_range(0, SIZE - ROW);
            const int64_t size = compute(make(x, y, what, at, other), got, sizeof got);
            compute_anew(what, at, other, is_one, wanted, sizeof wanted);
            cr_assert_eq(memcmp(got, wanted, (size_t)size * sizeof *got), 0, "graph %d at %lld and %lld", what,
                         (long long)at, (long long)other);
            zc_scope_end(inner);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Parts that are asked for as they are, beside what is computed of them. */
Test(plan_moved, hands_out_what_is_there_where_it_is)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx);
    for (int64_t at = 0; at < 50; at++) {
        zc_tensor *asked[] = {part(x, at, ROW), zc_negative(part(x, at + 1, 1)), zc_negative(part(x, at, 1))}, *made[3];
        cr_assert_eq(zc_materialize_all(3, (const zc_tensor *const *)asked, made), ZC_OK);
        const double *whole = zc_data(x), *row = zc_data(made[0]), *next = zc_data(made[1]), *first = zc_data(made[2]);
        cr_assert_eq(row, whole + at);
        cr_assert_eq(*next, -whole[at + 1]);
        cr_assert_eq(*first, -whole[at]);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Updates that take memory over ---- */

enum { UPDATES = 3, MOST_ROWS = 300, MOST_COLUMNS = 5, NEAR = 3, MOST_LENGTH = 3 };

/* Rows `to` are set to what is made of rows `from`, both told from where the step is; of columns first to end - 1. */
typedef struct one_update {
    int64_t to, from, length;
    int how;
    bool is_late; /* it sees what the updates before it have made */
} one_update;

typedef struct moving_step {
    one_update update[UPDATES];
    int64_t rows, columns, first, end, seen;
    int count;
} moving_step;

static moving_step draw_step(void)
{
    moving_step s = {.rows = MOST_ROWS,
                     .columns = zc_random_range(1, MOST_COLUMNS),
                     .seen = zc_random_range(-NEAR, NEAR),
                     .count = (int)zc_random_range(1, UPDATES)};
    s.first = zc_random_range(0, s.columns - 1);
    s.end = zc_random_range(s.first + 1, s.columns);
    for (int u = 0; u < s.count; u++)
        s.update[u] = (one_update){.to = zc_random_range(-NEAR, NEAR),
                                   .from = zc_random_range(-NEAR, NEAR),
                                   .length = zc_random_range(1, MOST_LENGTH),
                                   .how = (int)zc_random_range(0, 5),
                                   .is_late = zc_random_bool()};
    return s;
}

static zc_tensor *rows_of(const moving_step *s, const zc_tensor *t, int64_t from, int64_t length)
{
    return zc_slice(part(t, from, length), 1, s->first, s->end, 1);
}

/* x, recorded, after the step at a row; takes x over. */
static zc_tensor *record_step(const moving_step *s, zc_tensor *x, int64_t at)
{
    zc_context *ctx = zc_context_of(x);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *now = x;
    for (int u = 0; u < s->count; u++) {
        const one_update *one = &s->update[u];
        const int64_t last = one->length - 1;
        zc_tensor *seen = rows_of(s, one->is_late ? now : x, at + one->from, one->length);
        zc_tensor *values = one->how == 0   ? seen
                            : one->how == 1 ? zc_add(seen, zc_weak_float(ctx, 1))
                            : one->how == 2 ? zc_cumulative_sum(seen, 0, false)
                            : one->how == 3 ? zc_astype(zc_weak_float(ctx, 7), ZC_FLOAT64)
                            : one->how == 4
                                ? zc_max(seen, ZC_AXES(0), true)
                                : zc_take(seen, zc_from_data(ctx, ZC_INT64, ZC_SHAPE(1), &last, sizeof last), 0);
        now = zc_update(now, rows_of(s, zc_places(now), at + one->to, one->length), values, ZC_UPDATE_SET);
        cr_assert_not_null(now, "%s", zc_error_text(ctx));
    }
    (void)zc_keep(now);
    zc_scope_end(scope);
    zc_release(x);
    return now;
}

/* The same of an array. */
static void set_rows(const moving_step *s, const one_update *one, const double *seen, double *now, int64_t at)
{
    double values[MOST_LENGTH], last = 0;
    for (int64_t c = s->first; c < s->end; c++) {
        double sum = 0, most = -1e300;
        for (int64_t r = 0; r < one->length; r++) {
            last = seen[(at + one->from + r) * s->columns + c];
            sum += last;
            most = last > most ? last : most;
            values[r] = one->how == 0 ? last : one->how == 1 ? last + 1 : one->how == 2 ? sum : 7;
        }
        for (int64_t r = 0; r < one->length; r++) {
            const double value = one->how == 4 ? most : one->how == 5 ? last : values[r];
            now[(at + one->to + r) * s->columns + c] = value;
        }
    }
}

static void run_step(const moving_step *s, double *x, int64_t at)
{
    double before[MOST_ROWS * MOST_COLUMNS], seen[MOST_ROWS * MOST_COLUMNS];
    const size_t bytes = (size_t)(s->rows * s->columns) * sizeof *x;
    memcpy(before, x, bytes);
    for (int u = 0; u < s->count; u++) {
        memcpy(seen, s->update[u].is_late ? x : before, bytes);
        set_rows(s, &s->update[u], seen, x, at);
    }
}

static bool are_equal(const zc_tensor *t, const double *wanted, size_t bytes)
{
    static double got[MOST_ROWS * MOST_COLUMNS];
    cr_assert_eq(zc_materialize_into(t, got, sizeof got, NULL, 0), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return memcmp(got, wanted, bytes) == 0;
}

static void expect_steps(moving_step *s, int number)
{
    enum { STEPS = 12 };
    const int64_t width = s->end - s->first;
    double values[MOST_ROWS * MOST_COLUMNS];
    const size_t row_bytes = (size_t)s->columns * sizeof *values;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (int64_t i = 0; i < s->rows * s->columns; i++)
        values[i] = (double)zc_random_range(-9, 9);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(s->rows, s->columns), values, (size_t)s->rows * row_bytes);
    for (int i = 0; i < STEPS; i++) {
        const int64_t at = zc_random_range(NEAR, s->rows - NEAR - MOST_LENGTH), row = at + s->seen;
        s->first = zc_random_range(0, zc_random_bool() ? 0 : s->columns - width);
        s->end = s->first + width;
        x = record_step(s, x, at);
        run_step(s, values, at);
        zc_tensor *seen = part(x, row, 1);
        cr_assert(are_equal(seen, values + row * s->columns, row_bytes), "program %d, step %d", number, i);
        zc_release(seen);
        if (zc_random_range(0, 5) == 0)
            cr_assert(are_equal(x, values, (size_t)s->rows * row_bytes), "program %d, after step %d", number, i);
    }
    zc_release(x);
    cr_expect_eq(zc_memory_usage(ctx).nodes, 0);
    zc_context_free(ctx);
}

Test(plan_moved, updates_what_it_is_moved_to)
{
    zc_random_begin("plan_moved/updates");
    for (int i = 0; i < zc_test_count(400); i++) {
        moving_step s = draw_step();
        expect_steps(&s, i);
    }
}
