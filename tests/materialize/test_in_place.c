/*
 * Updates in place: how much a chain of updates works, writes and holds, counted by hand; what is saved before an
 * update, and which one of several goes on in the memory; that verification refuses what would read or write too late.
 *
 * Longer than 500 lines because each kind of chain is counted, and each way to break one is a function.
 */
#include <string.h>

#include "materialize/plan/memory.h"
#include "materialize/plan/verify.h"
#include "materialize/stages/contract.h"
#include "materialize/stages/reduce.h"
#include "materialize/stages/scan.h"
#include "materialize/stages/scatter.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/zc_test.h"

typedef struct table {
    zc_context *ctx;
    zc_scope *scope;
} table;

static table begin(void)
{
    table t = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    t.scope = zc_scope_begin(t.ctx);
    return t;
}

static void end(table *t)
{
    zc_scope_end(t->scope);
    cr_assert_eq(zc_memory_usage(t->ctx).held_bytes, 0);
    zc_context_free(t->ctx);
}

static zc_tensor *numbers(table *t, int rank, const int64_t *shape)
{
    static double values[10000];
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    for (int64_t i = 0; i < size; i++)
        values[i] = (double)(i * 37 % 101);
    return zc_from_data(t->ctx, ZC_FLOAT64, rank, shape, values, (size_t)size * sizeof *values);
}

static zc_tensor *number(table *t, double value)
{
    return zc_weak_float(t->ctx, value);
}

/* t with the elements that `places` shows of its numbers set. */
static zc_tensor *set(const zc_tensor *t, zc_tensor *places, const zc_tensor *values)
{
    return zc_update(t, places, values, ZC_UPDATE_SET);
}

static zc_tensor *row_of(const zc_tensor *t, int64_t i)
{
    return zc_index(t, 0, i);
}

/* x[k:, ...] along an axis. */
static zc_tensor *from(const zc_tensor *x, int axis, int64_t k)
{
    return zc_slice(x, axis, k, ZC_NONE, 1);
}

static void expect_cost(const zc_tensor *t, int64_t work, int64_t written, int64_t peak)
{
    zc_cost cost;
    cr_assert_not_null(t);
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    cr_expect_eq(cost.work, work, "work is %ld, not %ld", (long)cost.work, (long)work);
    cr_expect_eq(cost.written_bytes, written, "%ld bytes are written, not %ld", (long)cost.written_bytes,
                 (long)written);
    cr_expect_eq(cost.peak_bytes, peak, "the peak is %ld, not %ld", (long)cost.peak_bytes, (long)peak);
}

static int count_reason(const zc_tensor *t, zc_stage_reason reason)
{
    zc_plan plan;
    int count = 0;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (int32_t s = 0; s < plan.stage_count; s++)
        count += plan.stages[s]->reason == reason;
    zc_plan_free(&plan);
    return count;
}

/* ---- Chains ---- */

enum { ROWS = 50, COLUMNS = 40, ITEM = 8 };

/* t[0] = x; t[i + 1] = a * t[i] + b */
static zc_tensor *fill_rows(table *t, int rows)
{
    zc_tensor *filled = zc_full(t->ctx, 2, (const int64_t[]){rows + 1, COLUMNS}, ZC_FLOAT64, 0);
    filled = set(filled, row_of(zc_places(filled), 0), numbers(t, ZC_SHAPE(COLUMNS)));
    for (int i = 0; i < rows; i++) {
        zc_tensor *values = zc_add(zc_multiply(row_of(filled, i), number(t, .5)), number(t, 1));
        filled = set(filled, row_of(zc_places(filled), i + 1), values);
    }
    return filled;
}

Test(in_place, rows_of_a_table_cost_what_they_are)
{
    table t = begin();
    for (int rows = ROWS; rows <= 4 * ROWS; rows *= 2) {
        const int64_t first = 2 * COLUMNS,
                      others = 4 * (int64_t)COLUMNS * rows; /* a load and a store; two operations */
        const int64_t all = (int64_t)(rows + 1) * COLUMNS * ITEM, stored = (rows + 1) * (int64_t)COLUMNS * ITEM;
        zc_tensor *filled = fill_rows(&t, rows), *last = row_of(filled, -1);
        expect_cost(last, first + others, stored, COLUMNS * ITEM); /* each row stands where the one before stood */
        expect_cost(filled, first + others, stored, all);
        expect_cost(from(filled, 0, 1), first + others, stored, all);
    }
    end(&t);
}

/* y[:, j] = x[:, j] + .5 * y[:, j - 1] */
Test(in_place, columns_cost_what_they_are)
{
    table t = begin();
    zc_tensor *x = numbers(&t, ZC_SHAPE(ROWS, COLUMNS));
    zc_tensor *y = zc_full(t.ctx, 2, (const int64_t[]){ROWS, COLUMNS}, ZC_FLOAT64, 0);
    y = set(y, zc_index(zc_places(y), 1, 0), zc_index(x, 1, 0));
    for (int j = 1; j < COLUMNS; j++) {
        zc_tensor *before = zc_multiply(zc_index(y, 1, j - 1), number(&t, .5));
        y = set(y, zc_index(zc_places(y), 1, j), zc_add(zc_index(x, 1, j), before));
    }
    expect_cost(y, 2 * ROWS + 5 * (int64_t)ROWS * (COLUMNS - 1), ROWS * COLUMNS * ITEM, ROWS * COLUMNS * ITEM);
    cr_expect_eq(count_reason(y, ZC_STAGE_BASE) + count_reason(y, ZC_STAGE_SAVED), 0);
    end(&t);
}

/* x[i + 1] = x[i] + 1 of what is long: it is copied once. */
Test(in_place, what_is_given_is_copied_once)
{
    enum { LONG = 10000, STEPS = 100 };
    table t = begin();
    zc_tensor *x = numbers(&t, ZC_SHAPE(LONG)), *y = x;
    for (int i = 0; i < STEPS; i++) {
        zc_tensor *value = zc_add(zc_slice(y, 0, i, i + 1, 1), number(&t, 1));
        y = set(y, zc_slice(zc_places(y), 0, i + 1, i + 2, 1), value);
    }
    expect_cost(y, 2 * LONG + 3 * STEPS, (LONG + STEPS - 1) * ITEM, LONG * ITEM);
    zc_tensor *made = NULL;
    cr_assert_eq(zc_materialize(y, &made), ZC_OK);
    cr_expect_eq(((const double *)zc_data(made))[STEPS], (double)STEPS);
    cr_expect_eq(((const double *)zc_data(x))[STEPS], STEPS * 37 % 101);
    end(&t);
}

/* The last of a[k+1:, k+1:] -= a[k+1:, k] * a[k, k+1:]: work by the sum of squares, memory once. */
Test(in_place, trailing_updates_read_what_they_write)
{
    enum { N = 12 };
    table t = begin();
    zc_tensor *a = zc_add(numbers(&t, ZC_SHAPE(N, N)), number(&t, 1));
    int64_t work = 3 * N * N, written = N * N;
    for (int k = 0; k + 1 < N; k++) {
        const int64_t m = N - 1 - k;
        zc_tensor *column = zc_index(from(a, 0, k + 1), 1, k), *row = row_of(from(a, 1, k + 1), k);
        zc_tensor *rest = from(from(a, 0, k + 1), 1, k + 1), *places = zc_places(a);
        zc_tensor *product = zc_multiply(zc_reshape(column, ZC_SHAPE(m, 1)), row);
        a = set(a, from(from(places, 0, k + 1), 1, k + 1), zc_subtract(rest, product));
        work += 6 * m * m; /* three loads, two operations, a store */
        written += m * m;
    }
    expect_cost(a, work, written * ITEM, N * N * ITEM);
    end(&t);
}

/* Each update adds to two rows at positions: rows by positions work as they are many. */
Test(in_place, positions_add_up_in_one_memory)
{
    enum { STEPS = 20 };
    table t = begin();
    const int64_t at[] = {3, 3};
    zc_tensor *rows = zc_from_data(t.ctx, ZC_INT64, ZC_SHAPE(2), at, sizeof at);
    zc_tensor *sum = zc_add(numbers(&t, ZC_SHAPE(ROWS, COLUMNS)), number(&t, 1)), *values = row_of(sum, 0);
    for (int i = 0; i < STEPS; i++) {
        zc_tensor *places = zc_take(zc_places(sum), rows, 0);
        sum = zc_update(sum, places, zc_multiply(row_of(sum, i + 10), number(&t, 2)), ZC_UPDATE_ADD);
    }
    zc_cost cost;
    cr_assert_eq(zc_cost_of(sum, &cost), ZC_OK);
    cr_expect_leq(cost.written_bytes, (ROWS * COLUMNS + STEPS * 3 * COLUMNS) * ITEM);
    cr_expect_leq(cost.work, 3 * ROWS * COLUMNS + STEPS * COLUMNS * 12);
    cr_expect_leq(cost.peak_bytes, (ROWS + 2) * COLUMNS * ITEM);
    cr_assert_not_null(values);
    end(&t);
}

/* ---- What reads too late ---- */

/* Rows change places: the one that is written over first is saved. */
Test(in_place, what_is_read_after_it_is_written_over_is_saved)
{
    enum { SWAPS = 10 };
    table t = begin();
    zc_tensor *x = zc_exp(numbers(&t, ZC_SHAPE(ROWS, COLUMNS))), *places = zc_places(x), *swapped = x;
    for (int i = 0; i < SWAPS; i++) {
        zc_tensor *first = row_of(swapped, i), *second = row_of(swapped, ROWS - 1 - i);
        swapped = set(swapped, row_of(places, i), second);
        swapped = set(swapped, row_of(places, ROWS - 1 - i), first);
    }
    cr_expect_eq(count_reason(swapped, ZC_STAGE_SAVED), SWAPS);
    cr_expect_eq(count_reason(swapped, ZC_STAGE_BASE), 0);
    zc_cost cost;
    cr_assert_eq(zc_cost_of(swapped, &cost), ZC_OK);
    cr_expect_eq(cost.written_bytes, (ROWS + 3 * SWAPS) * COLUMNS * ITEM);
    cr_expect_eq(cost.peak_bytes, (ROWS + 1) * COLUMNS * ITEM);
    zc_tensor *both[] = {NULL, NULL};
    cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const[]){x, swapped}, both), ZC_OK);
    const double *was = zc_data(both[0]), *is = zc_data(both[1]);
    for (int64_t i = 0; i < (int64_t)ROWS * COLUMNS; i++) {
        const int64_t row = i / COLUMNS, other = row < SWAPS || row >= ROWS - SWAPS ? ROWS - 1 - row : row;
        cr_assert_eq(is[i], was[other * COLUMNS + i % COLUMNS]);
    }
    end(&t);
}

/* x[1:n+1] = x[0:n] + 1, over and over: what is read where others are written is saved. Of all but one element the
 * copy with the rest is no more, so that is made. */
Test(in_place, shifts_read_what_was_there)
{
    enum { LONG = 100, STEPS = 3 };
    static const struct {
        int64_t length;
        int saved;
    } cases[] = {{8, STEPS - 1}, {LONG - 1, 0}};
    table t = begin();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t length = cases[c].length;
        zc_tensor *x = zc_add(zc_square(numbers(&t, ZC_SHAPE(LONG))), number(&t, 1)), *made = NULL;
        double expected[LONG];
        for (int i = 0; i < LONG; i++)
            expected[i] = (i * 37 % 101) * (i * 37 % 101) + 1;
        for (int i = 0; i < STEPS; i++) {
            zc_tensor *values = zc_add(zc_slice(x, 0, 0, length, 1), number(&t, 1));
            x = set(x, zc_slice(zc_places(x), 0, 1, length + 1, 1), values);
            for (int64_t k = length; k > 0; k--)
                expected[k] = expected[k - 1] + 1;
        }
        cr_expect_eq(count_reason(x, ZC_STAGE_SAVED), cases[c].saved);
        cr_assert_eq(zc_materialize(x, &made), ZC_OK, "%s", zc_error_text(t.ctx));
        cr_expect_arr_eq(zc_data(made), expected, sizeof expected);
    }
    end(&t);
}

/* A tensor that two updates begin with is copied for the first one; the second goes on in its memory. */
Test(in_place, the_last_of_several_updates_goes_on)
{
    table t = begin();
    zc_tensor *x = zc_exp(numbers(&t, ZC_SHAPE(ROWS, COLUMNS))), *places = zc_places(x), *made[2];
    zc_tensor *sum = zc_sum(x, ZC_AXES(0), false);
    zc_tensor *first = set(x, row_of(places, 1), sum), *second = set(x, row_of(places, 2), sum);
    const zc_tensor *both[] = {first, second};
    zc_plan plan;
    cr_assert_eq(zc_plan_make(&(zc_plan_request){.count = 2, .tensors = both, .function = "test"}, &plan), ZC_OK);
    int bases = 0, continued = 0;
    for (int32_t s = 0; s < plan.stage_count; s++) {
        bases += plan.stages[s]->reason == ZC_STAGE_BASE;
        continued += plan.stages[s]->store.base >= 0;
    }
    cr_expect(bases == 1 && continued == 1);
    cr_expect_eq(plan.peak_bytes, (2 * ROWS + 1) * COLUMNS * ITEM);
    zc_plan_free(&plan);
    cr_assert_eq(zc_materialize_all(2, both, made), ZC_OK);
    const double *a = zc_data(made[0]), *b = zc_data(made[1]);
    cr_expect(a[0] == b[0] && a[COLUMNS] == b[2 * COLUMNS] && a[2 * COLUMNS] != b[2 * COLUMNS]);
    end(&t);
}

/* Half of a table that an update has missed becomes a piece of what the next update begins with: it is no copy of all
 * that is there. */
Test(in_place, a_piece_is_no_base)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        table t = begin();
        zc_tensor *x = numbers(&t, ZC_SHAPE(2 * ROWS, COLUMNS)), *made = NULL;
        zc_tensor *sums = zc_cumulative_sum(x, 0, false);
        zc_tensor *other = sign > 0 ? sums : zc_cumulative_sum(zc_negative(x), 0, false);
        zc_tensor *missed = set(sums, row_of(zc_places(sums), 1), number(&t, 5));
        const zc_tensor *halves[] = {zc_slice(other, 0, 0, ROWS, 1), from(missed, 0, ROWS)};
        zc_tensor *both = zc_concat(t.ctx, 2, halves, 0);
        zc_tensor *last = set(both, row_of(zc_places(both), 2), number(&t, 7));
        cr_assert_eq(zc_materialize(last, &made), ZC_OK, "%s", zc_error_text(t.ctx));
        const double *seen = zc_data(made);
        for (int c = 0; c < COLUMNS; c++) {
            double sum = 0;
            for (int r = 0; r < 2 * ROWS; r++) {
                sum += (r * COLUMNS + c) * 37 % 101;
                cr_expect_eq(seen[r * COLUMNS + c], r == 2 ? 7 : r < ROWS ? sign * sum : sum);
            }
        }
        end(&t);
    }
}

/* Values put at positions may be made of what is there, which other values at the same positions write over: it is
 * picked before. Rows that are taken twice are put twice. */
Test(in_place, what_is_picked_beside_what_is_put_is_saved)
{
    table t = begin();
    const int64_t at[] = {1, 3, 3};
    zc_tensor *rows = zc_from_data(t.ctx, ZC_INT64, ZC_SHAPE(3), at, sizeof at);
    zc_tensor *x = zc_square(numbers(&t, ZC_SHAPE(ROWS, 4))), *y = x, *made = NULL;
    for (int i = 0; i < 3; i++)
        y = set(y, zc_take(zc_places(x), rows, 0), zc_multiply(zc_take(y, rows, 0), number(&t, 2)));
    zc_plan plan;
    cr_assert_eq(zc_plan_of(y, &plan), ZC_OK);
    int saved = 0;
    for (int32_t s = 0; s < plan.stage_count; s++) {
        const zc_stage *stage = plan.stages[s];
        saved += stage->reason == ZC_STAGE_SAVED;
        for (int32_t v = 0; v < stage->value_count; v++)
            cr_expect(stage->reason != ZC_STAGE_SCATTER || stage->store.base < 0 ||
                      stage->values[v].kind != ZC_VALUE_PICK);
    }
    cr_expect_eq(saved, 2);
    zc_plan_free(&plan);
    cr_assert_eq(zc_materialize(y, &made), ZC_OK);
    for (int64_t i = 0; i < (int64_t)ROWS * 4; i++) {
        const double was = (double)(i * 37 % 101), factor = i / 4 == 1 || i / 4 == 3 ? 8 : 1;
        cr_expect_eq(((const double *)zc_data(made))[i], was * was * factor, "%ld", (long)i);
    }
    end(&t);
}

/* The caller's memory is written by the last update alone: it may be larger, and what is there stays until then. */
Test(in_place, the_memory_of_the_caller_is_written_once)
{
    table t = begin();
    zc_tensor *filled = fill_rows(&t, ROWS), *made = NULL;
    static double into[(ROWS + 1) * 2 * COLUMNS];
    const int64_t strides[] = {COLUMNS, 1}, wide[] = {2 * COLUMNS, 1};
    cr_assert_eq(zc_materialize_into(filled, into, sizeof into, strides, 0), ZC_OK, "%s", zc_error_text(t.ctx));
    cr_assert_eq(zc_materialize(filled, &made), ZC_OK);
    cr_expect_arr_eq(into, zc_data(made), (ROWS + 1) * COLUMNS * sizeof *into);
    cr_assert_eq(zc_materialize_into(fill_rows(&t, ROWS), into, sizeof into, wide, 0), ZC_OK);
    for (int64_t i = 0; i < (int64_t)(ROWS + 1) * COLUMNS; i++)
        cr_assert_eq(into[i / COLUMNS * 2 * COLUMNS + i % COLUMNS], ((const double *)zc_data(made))[i]);
    end(&t);
}

/* Results of a loop that reads what it writes, and results that it has on the way: each stays what it was. */
Test(in_place, results_on_the_way_stay)
{
    table t = begin();
    zc_tensor *x = zc_square(numbers(&t, ZC_SHAPE(COLUMNS)));
    const zc_tensor *wanted[4];
    zc_tensor *made[4];
    for (int i = 0; i < 4; i++) {
        x = set(x, zc_slice(zc_places(x), 0, i, i + 1, 1), number(&t, -1));
        wanted[i] = i == 1 ? zc_flip(x, 1, (const int[]){0}) : x;
    }
    cr_assert_eq(zc_materialize_all(4, wanted, made), ZC_OK);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            const double expected = k <= i ? -1 : (double)(k * 37 % 101) * (k * 37 % 101);
            cr_assert_eq(((const double *)zc_data(made[i]))[i == 1 ? COLUMNS - 1 - k : k], expected, "%d %d", i, k);
        }
    }
    end(&t);
}

/* ---- Fusion ---- */

/* t[1] = .5 * x + .25 * roll(x, 1) + .25 * roll(x, -1): two rolls and one pass that writes into the table. */
Test(in_place, values_are_computed_in_the_pass_that_puts_them)
{
    table t = begin();
    const int64_t forward = 1, back = -1;
    zc_tensor *x = numbers(&t, ZC_SHAPE(1000)), *given = numbers(&t, ZC_SHAPE(5, 1000));
    zc_tensor *sum = zc_multiply(x, number(&t, .5));
    sum = zc_add(sum, zc_multiply(zc_roll(x, 1, &forward, (const int[]){0}), number(&t, .25)));
    sum = zc_add(sum, zc_multiply(zc_roll(x, 1, &back, (const int[]){0}), number(&t, .25)));
    zc_tensor *updated = set(given, row_of(zc_places(given), 1), sum);
    zc_plan plan;
    cr_assert_eq(zc_plan_of(updated, &plan), ZC_OK);
    cr_assert_eq(plan.stage_count, 4);
    int operations = 0;
    const zc_stage *last = plan.stages[3];
    for (int32_t v = 0; v < last->value_count; v++)
        operations += last->values[v].kind == ZC_VALUE_OP;
    cr_expect(last->reason == ZC_STAGE_SCATTER && operations == 5);
    zc_plan_free(&plan);
    expect_cost(updated, 2 * 5000 + 2 * 2000 + 1000 * (3 + 5 + 1), (5000 + 2000) * ITEM, (5000 + 2000) * ITEM);
    end(&t);
}

/* Sums, running sums and contractions store what they make where an update puts it. */
Test(in_place, reductions_scans_and_contractions_store_at_the_place)
{
    table t = begin();
    zc_tensor *x = zc_square(numbers(&t, ZC_SHAPE(ROWS, COLUMNS))), *places = zc_places(x), *made[2];
    zc_tensor *square = numbers(&t, ZC_SHAPE(ROWS, ROWS));
    zc_tensor *y = set(x, row_of(places, 9), zc_sum(zc_slice(x, 0, 0, 9, 1), ZC_AXES(0), false));
    y = set(y, row_of(places, 4), zc_cumulative_sum(row_of(y, 5), 0, false));
    y = set(y, zc_index(places, 1, 2), zc_matmul(square, zc_index(y, 1, 1)));
    zc_plan plan;
    cr_assert_eq(zc_plan_of(y, &plan), ZC_OK);
    cr_assert_eq(plan.stage_count, 4);
    cr_expect(plan.stages[1]->kind == &zc_stage_kind_reduce && plan.stages[2]->kind == &zc_stage_kind_scan &&
              plan.stages[3]->kind == &zc_stage_kind_contract);
    cr_expect(plan.stages[1]->store.updates && plan.stages[1]->store.base < 0); /* what is there was made where it is */
    for (int32_t s = 2; s < plan.stage_count; s++)
        cr_expect(plan.stages[s]->store.updates && plan.stages[s]->store.base == plan.stages[s - 1]->store.slot, "%d",
                  (int)s);
    zc_plan_free(&plan);
    cr_assert_eq(zc_materialize_all(2, (const zc_tensor *const[]){y, x}, made), ZC_OK);
    const double *is = zc_data(made[0]), *was = zc_data(made[1]);
    double running = 0;
    for (int k = 0; k < COLUMNS; k++) {
        double sum = 0;
        for (int i = 0; i < 9; i++)
            sum += was[i * COLUMNS + k];
        running += was[5 * COLUMNS + k];
        cr_expect(k == 2 || (is[9 * COLUMNS + k] == sum && is[4 * COLUMNS + k] == running), "%d", k);
    }
    end(&t);
}

/* ---- Verification ---- */

/* exp(x) with a row that its other rows make, and another one that that row makes. */
static zc_tensor *make_chain(table *t)
{
    zc_tensor *x = zc_exp(numbers(t, ZC_SHAPE(4, 8))), *places = zc_places(x);
    x = set(x, row_of(places, 1), zc_add(row_of(x, 0), row_of(x, 2)));
    return set(x, row_of(places, 2), zc_negative(row_of(x, 1)));
}

static zc_stage *find_continued(zc_plan *plan)
{
    int32_t s = 0;
    while (plan->stages[s]->store.base < 0)
        s++;
    return plan->stages[s];
}

static void break_read(zc_plan *plan)
{
    zc_stage *first = find_continued(plan); /* of the row that it writes */
    for (int32_t v = 0; v < first->value_count; v++) {
        if (first->values[v].kind == ZC_VALUE_LOAD)
            first->offset[first->values[v].access] = first->store.offset + 1;
    }
}

static void break_late(zc_plan *plan)
{
    zc_stage *last = plan->stages[plan->stage_count - 1], *first = find_continued(plan);
    for (int32_t v = 0; v < last->value_count; v++) {
        if (last->values[v].kind == ZC_VALUE_LOAD)
            last->values[v].slot = first->store.base; /* what it was before the first update */
    }
}

static void break_base(zc_plan *plan)
{
    zc_stage *last = plan->stages[plan->stage_count - 1];
    last->store.base = find_continued(plan)->store.base;
}

/* Updates something that is not there yet. */
static void break_base_later(zc_plan *plan)
{
    find_continued(plan)->store.base = plan->stages[plan->stage_count - 1]->store.slot;
}

/* Another update has begun in its slot. */
static void break_base_twice(zc_plan *plan)
{
    zc_stage *last = plan->stages[plan->stage_count - 1];
    last->store.base = find_continued(plan)->store.base;
    last->store.slot = find_continued(plan)->store.slot;
}

static void break_base_slot(zc_plan *plan)
{
    find_continued(plan)->store.base = plan->slot_count;
}

static void break_base_self(zc_plan *plan)
{
    zc_stage *first = find_continued(plan);
    first->store.base = first->store.slot;
}

static void break_base_flag(zc_plan *plan)
{
    find_continued(plan)->store.updates = false;
}

static void break_base_clears(zc_plan *plan)
{
    find_continued(plan)->store.clears = 1;
}

static void break_base_memory(zc_plan *plan)
{
    zc_stage *first = find_continued(plan);
    plan->slots[first->store.base].memory = first->store.base;
    plan->slots[first->store.slot].memory = first->store.slot;
}

static void break_base_dtype(zc_plan *plan)
{
    const zc_stage *first = find_continued(plan);
    plan->slots[first->store.base].elements--;
}

static void break_base_order(zc_plan *plan)
{
    zc_stage *first = plan->stages[0];
    plan->stages[0] = plan->stages[1];
    plan->stages[1] = first;
}

Test(in_place, verification_refuses_updates_that_write_over_what_is_read)
{
    static const struct {
        void (*apply)(zc_plan *plan);
        const char *rule;
    } cases[] = {
        {break_read, "what is updated was written before"},
        {break_late, "was not written over"},
        {break_base, "is written over"},
        {break_base_later, "what is updated was written before"},
        {break_base_twice, "what is updated was written before"},
        {break_base_slot, "what is updated was written"},
        {break_base_self, "what is updated was written before"},
        {break_base_flag, "what is updated was written"},
        {break_base_clears, "what is updated was written before"},
        {break_base_memory, "is written over"},
        {break_base_dtype, "breaks the rule"},
        {break_base_order, "written before"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = begin();
        zc_tensor *x = make_chain(&t);
        zc_plan plan;
        zc_reason why;
        cr_assert_eq(zc_plan_of(x, &plan), ZC_OK, "%s", zc_error_text(t.ctx));
        cr_assert_eq(plan.stage_count, 3);
        cr_assert_eq(zc_plan_verify(&plan, &why), ZC_OK, "%s", why.text);
        cases[i].apply(&plan);
        cr_expect_eq(zc_plan_verify(&plan, &why), ZC_ERROR_INTERNAL, "case %zu is accepted", i);
        cr_expect_not_null(strstr(why.text, cases[i].rule), "case %zu: %s", i, why.text);
        zc_plan_free(&plan);
        end(&t);
    }
}

/* Only temporaries of the same elements go on, in memory that is not the caller's; and what is read stays only where it
 * is certain that it is not written before. */
Test(in_place, what_goes_on_is_like_what_was_there)
{
    table t = begin();
    zc_plan plan;
    cr_assert_eq(zc_plan_of(make_chain(&t), &plan), ZC_OK);
    zc_stage *stage = find_continued(&plan), many = *stage;
    zc_slot *from = &plan.slots[stage->store.base], *to = &plan.slots[stage->store.slot];
    const zc_slot own = *from, next = *to;
    const zc_view target = {.rank = 0};
    cr_expect(zc_stage_may_continue(&plan, stage, stage->store.base));
    for (int i = 0; i < 4; i++) {
        from->kind = i == 0 ? ZC_SLOT_OUTPUT : ZC_SLOT_TEMPORARY;
        from->elements += i == 1;
        from->dtype = i == 2 ? ZC_INT64 : ZC_FLOAT64;
        to->kind = i == 3 ? ZC_SLOT_OUTPUT : ZC_SLOT_TEMPORARY;
        to->node = i == 3 ? NULL : next.node; /* a result's, which is not bought */
        plan.target = i == 3 ? &target : NULL;
        cr_expect_not(zc_stage_may_continue(&plan, stage, stage->store.base), "%d", i);
        *from = own;
        *to = next;
        plan.target = NULL;
    }
    int64_t extents[ZC_MAX_RANK], strides[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        extents[a] = 1 + (a == 0), strides[a] = 0;
    zc_value value = {.kind = ZC_VALUE_LOAD, .access = 0};
    many.rank = many.kept = ZC_MAX_RANK;
    many.shape = extents;
    many.stride = many.store.stride = strides;
    many.offset = &many.store.offset;
    cr_expect(zc_value_may_stay(&many, &value)); /* what is stored */
    many.kind = &zc_stage_kind_scatter;
    many.scatter = (zc_scatter_part){0};
    cr_expect_not(zc_value_may_stay(&many, &value)); /* twice at one place */
    value.kind = ZC_VALUE_PICK;
    value.arity = 1;
    cr_expect_not(zc_value_may_stay(&many, &value)); /* by positions along more axes than there may be */
    value.arity = 0;
    many.scatter = (zc_scatter_part){.moves = 1, .check = (int32_t[]){0}, .step = (int64_t[]){0}};
    cr_expect_not(zc_value_may_stay(&many, &value));
    zc_plan_free(&plan);
    end(&t);
}

/* ---- What is told ---- */

Test(in_place, explain_names_what_an_update_goes_on_from)
{
    static const char *const told[] = {"in place of temporary 2", "\"in_place_of\": 2", "label=\"in place\""};
    table t = begin();
    zc_tensor *x = make_chain(&t);
    for (int format = 0; format < 3; format++) {
        char *text = NULL;
        cr_assert_eq(zc_explain(x, (zc_format)format, &text), ZC_OK);
        cr_expect_not_null(strstr(text, told[format]), "%s", text);
        zc_text_free(t.ctx, text);
    }
    end(&t);
}

/* ---- Limits ---- */

/* Under a limit of the table and what is read at once the chain runs; below, it is refused, and nothing is held. */
Test(in_place, a_chain_needs_its_table_once)
{
    for (int64_t room = 0; room < 2; room++) {
        const int64_t bytes = (int64_t)(ROWS + 1) * COLUMNS * ITEM, given = COLUMNS * ITEM;
        table t = {.ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = given + bytes - 1 + room})};
        t.scope = zc_scope_begin(t.ctx);
        zc_tensor *made = NULL, *filled = fill_rows(&t, ROWS);
        cr_expect_eq(zc_materialize(filled, &made), room > 0 ? ZC_OK : ZC_ERROR_BUDGET);
        zc_error_clear(t.ctx);
        end(&t);
    }
}

/* Planning takes header memory in proportion to the updates. */
Test(in_place, long_chains_are_planned_in_little_memory)
{
    int64_t bytes[2];
    for (int i = 0; i < 2; i++) {
        table t = begin();
        zc_cost cost;
        cr_assert_eq(zc_cost_of(fill_rows(&t, 1000 * (i + 1)), &cost), ZC_OK);
        bytes[i] = cost.plan_bytes;
        end(&t);
    }
    cr_expect_lt(bytes[1], 3 * bytes[0], "%ld, then %ld bytes", (long)bytes[0], (long)bytes[1]);
}
