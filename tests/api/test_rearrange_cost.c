/*
 * What rearranging costs: nothing while it is recorded; a slice of a concat what a slice of its operand costs; a tile
 * or a repeat in an expression no copy; a take of something lazy just what is taken. And positions that lie outside of
 * their axis, which are found when they are read.
 */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

/* ---- Recording ---- */

Test(rearrange_cost, recording_takes_no_data_memory_and_scopes_own_the_results)
{
    bench b = begin();
    const int64_t twice[] = {2, 2}, huge[] = {INT64_C(1) << 40, 1};
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3, 4), *p = OF(b.ctx, ZC_INT64, 3, -1, 0), *out = NULL;
    cr_assert(zc_materialize(x, &x) == ZC_OK && zc_materialize(p, &p) == ZC_OK);
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    zc_context_trim(b.ctx);
    int64_t headers = zc_memory_usage(b.ctx).header_bytes;
    zc_scope *inner = zc_scope_begin(b.ctx);
    zc_tensor *grid = zc_reshape(x, ZC_SHAPE(2, 2)), *e = zc_exp(grid);
    const zc_tensor *const both[] = {e, zc_broadcast_to(grid, ZC_SHAPE(2, 2))};
    const zc_tensor *const made[] = {
        zc_concat(b.ctx, 2, both, 0),
        zc_stack(b.ctx, 2, both, 1),
        zc_roll(e, 2, (const int64_t[]){1, 1}, (const int[]){0, 1}),
        zc_pad(e, 2, twice, huge, ZC_PAD_EDGE, NULL),
        zc_pad(e, 2, twice, twice, ZC_PAD_REFLECT, NULL),
        zc_tile(e, 2, huge),
        zc_repeat(e, INT64_C(1) << 40, 0),
        zc_take(e, p, 0),
        zc_take_along_axis(e, zc_astype(grid, ZC_INT64), 0),
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        cr_assert_not_null(made[i], "case %zu: %s", i, zc_error_text(b.ctx));
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held, "recording took data memory");
    zc_tensor *kept = zc_keep(zc_tile(x, 1, (const int64_t[]){2}));
    zc_scope_end(inner);
    cr_assert_eq(zc_materialize(kept, &out), ZC_OK);
    cr_assert_eq(((const double *)zc_data(out))[7], 4);
    zc_release(kept);
    zc_release(zc_keep(out));
    zc_context_trim(b.ctx);
    cr_assert_eq(zc_memory_usage(b.ctx).header_bytes, headers, "the scope left something behind");
    finish(b);
}

/* ---- Slices of concats ---- */

Test(rearrange_cost, a_slice_inside_one_operand_computes_nothing_else)
{
    bench b = begin();
    zc_tensor *huge = zc_exp(zc_astype(zc_iota(b.ctx, INT64_C(1) << 40), ZC_FLOAT64)),
              *x = OF(b.ctx, ZC_FLOAT64, 5, 6, 7);
    zc_tensor *row = zc_concat(b.ctx, 3, (const zc_tensor *const[]){huge, zc_negative(x), huge}, 0);
    int64_t at = INT64_C(1) << 40;
    zc_tensor *inside = zc_slice(row, 0, at, at + 3, 1), *backwards = zc_slice(row, 0, at + 2, at, -1);
    cr_assert_eq(value_at(inside, 1), -6);
    cr_assert_eq(value_at(backwards, 0), -7);
    cr_assert_eq(cost_of(inside).written_bytes, 3 * 8);
    cr_assert_eq(cost_of(zc_sum(inside, ZC_ALL_AXES, false)).written_bytes, 8);
    cr_assert_eq(value_at(zc_index(row, 0, 0), 0), 1);
    zc_tensor *across = zc_slice(row, 0, at - 1, at + 1, 1); /* seen across the border: two elements, each once */
    cr_assert_eq(cost_of(across).written_bytes, 2 * 8);
    cr_assert_eq(value_at(across, 1), -5);
    cr_assert_eq(cost_of(row).written_bytes, (2 * at + 3 + at) * 8, "both ends are one tensor, computed once");
    char *text = NULL;
    cr_assert_eq(zc_explain(inside, ZC_TEXT, &text), ZC_OK);
    cr_assert_null(strstr(text, "exp"), "a slice of one operand computes another one:\n%s", text);
    cr_assert_null(strstr(text, "stage 2"));
    zc_text_free(b.ctx, text);
    finish(b);
}

/* ---- Tile and repeat in expressions ---- */

Test(rearrange_cost, tile_and_repeat_in_an_expression_write_no_copy)
{
    bench b = begin();
    zc_tensor *x = zc_reshape(OF(b.ctx, ZC_FLOAT64, 1, 2, 3, 4, 5, 6), ZC_SHAPE(2, 3)), *grid = NULL;
    cr_assert_eq(zc_materialize(x, &grid), ZC_OK);
    zc_tensor *tiled = zc_tile(grid, 2, (const int64_t[]){1200, 1200}),
              *repeated = zc_repeat(zc_repeat(grid, 1200, 0), 1200, 1);
    int64_t elements = INT64_C(6) * 1200 * 1200;
    cr_assert_lt(cost_of(zc_add(tiled, repeated)).written_bytes, elements * 8 + 1000); /* a few sums may be hoisted */
    zc_tensor *sum = zc_sum(zc_multiply(tiled, repeated), ZC_ALL_AXES, false);
    cr_assert_lt(cost_of(sum).written_bytes, 1000);
    cr_assert_eq(value_at(sum, 0), 21.0 * 21.0 * 1200 * 1200 / 6);
    zc_tensor *window =
        zc_slice(zc_exp(zc_tile(zc_log(grid), 2, (const int64_t[]){INT64_C(1) << 40, 1})), 0, -3, ZC_NONE, 1);
    cr_assert_leq(cost_of(window).written_bytes, (9 + 6) * 8);
    cr_assert_float_eq(value_at(window, 3), 1, 1e-12); /* the last three rows are 1, 0, 1 of the tile */
    finish(b);
}

/* ---- Takes of something lazy ---- */

Test(rearrange_cost, a_take_computes_what_is_taken)
{
    bench b = begin();
    zc_tensor *huge = zc_exp(zc_astype(zc_iota(b.ctx, INT64_C(1000000000000)), ZC_FLOAT64)),
              *three = OF(b.ctx, ZC_INT64, 3);
    zc_tensor *taken = zc_take(huge, three, 0);
    cr_assert_float_eq(value_at(taken, 0), 20.085536923187668, 1e-13);
    cr_assert_eq(value_at(zc_take(zc_iota(b.ctx, INT64_MAX), OF(b.ctx, ZC_INT64, -1), 0), 0), 0x1p63);
    cr_assert_leq(cost_of(taken).written_bytes, 8 + 8); /* the positions are cast here, so they may be written */
    zc_tensor *row = zc_take(zc_broadcast_to(huge, ZC_SHAPE(1000, INT64_C(1000000000000))), three, 1);
    cr_assert_leq(cost_of(row).written_bytes, 1000 * 8 + 2 * 8);
    zc_tensor *along = zc_take_along_axis(zc_reshape(huge, ZC_SHAPE(1000, 1000000000)),
                                          zc_broadcast_to(zc_weak_int(b.ctx, 2), ZC_SHAPE(1000, 1)), 1);
    cr_assert_float_eq(value_at(along, 0), 7.38905609893065, 1e-13);
    finish(b);
}

/* ---- Positions outside ---- */

/* The sentence of a failure, and nothing computed. */
static void expect_stray(bench b, const zc_tensor *t, const char *sentence)
{
    zc_tensor *out = NULL;
    int64_t held = zc_memory_usage(b.ctx).held_bytes;
    cr_assert_not_null(t, "%s", zc_error_text(b.ctx));
    cr_assert_eq(zc_materialize(t, &out), ZC_ERROR_INDEX);
    cr_assert_null(out);
    cr_assert_str_eq(zc_error_text(b.ctx), sentence);
    cr_assert_eq(zc_memory_usage(b.ctx).held_bytes, held, "a failed run left data memory");
    zc_error_clear(b.ctx);
}

static void check_strays(bench b)
{
    enum { N = 100000 };
    static int64_t at[N];
    for (int64_t i = 0; i < N; i++)
        at[i] = i == 70000 ? -5 : i == 200 || i == 99000 ? 4 : i == 60000 ? 9 : i % 4;
    zc_tensor *x = zc_iota(b.ctx, 4), *p = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(N), at, sizeof at);
    const char *lowest = "take: position -5 is out of bounds for an axis of size 4";
    expect_stray(b, zc_take(x, p, 0), lowest);
    expect_stray(b, zc_sum(zc_take(zc_negative(x), p, 0), ZC_ALL_AXES, false), lowest);
    expect_stray(b, zc_take_along_axis(x, p, 0), "take_along_axis: position -5 is out of bounds for an axis of size 4");
    expect_stray(b, zc_take(x, zc_slice(p, 0, 0, 60000, 1), 0),
                 "take: position 4 is out of bounds for an axis of size 4");
    expect_stray(b, zc_any(zc_greater(zc_take(x, p, 0), zc_weak_int(b.ctx, 0)), ZC_ALL_AXES, false), lowest);
    cr_assert_eq(integer_at(zc_take(zc_iota(b.ctx, 4), zc_slice(p, 0, 0, 200, 1), 0), 199), 3,
                 "the context is of no use");
}

Test(rearrange_cost, positions_outside_are_told_alike_by_every_executor)
{
    for (int threads = 1; threads <= 3; threads++) {
        for (zc_executor executor = ZC_EXECUTOR_TILE; executor <= ZC_EXECUTOR_REFERENCE; executor++) {
            bench b = begin_with((zc_options){.threads = threads, .executor = executor});
            check_strays(b);
            finish(b);
        }
    }
}

/* Positions of any width, or in a tensor that is the same at all of them, are not read unchecked. */
Test(rearrange_cost, positions_are_checked_though_nothing_depends_on_them)
{
    bench b = begin();
    zc_tensor *same = zc_broadcast_to(OF(b.ctx, ZC_FLOAT32, 7), ZC_SHAPE(5)), *p = OF(b.ctx, ZC_INT64, 0, 5);
    expect_stray(b, zc_take(same, p, 0), "take: position 5 is out of bounds for an axis of size 5");
    expect_stray(b, zc_take(zc_full(b.ctx, ZC_SHAPE(5), ZC_INT64, 1), p, 0),
                 "take: position 5 is out of bounds for an axis of size 5");
    expect_stray(b, zc_sum(zc_take(same, zc_broadcast_to(p, ZC_SHAPE(1000, 2)), 0), ZC_ALL_AXES, false),
                 "take: position 5 is out of bounds for an axis of size 5");
    const uint64_t far[] = {UINT64_C(1) << 63, 0};
    expect_stray(b, zc_take(same, zc_from_data(b.ctx, ZC_UINT64, ZC_SHAPE(2), far, sizeof far), 0),
                 "take: position 9223372036854775807 is out of bounds for an axis of size 5");
    expect_stray(b, zc_take(same, zc_weak_int(b.ctx, INT64_MIN), 0),
                 "take: position -9223372036854775808 is out of bounds for an axis of size 5");
    cr_assert_eq(value_at(zc_take(same, zc_slice(p, 0, 0, 1, 1), 0), 0), 7);
    cr_assert_eq(value_at(zc_take(zc_iota(b.ctx, 3), OF(b.ctx, ZC_UINT64, 2), 0), 0), 2);
    finish(b);
}

/* ---- Many tensors ---- */

Test(rearrange_cost, a_hundred_thousand_tensors_are_put_in_a_row)
{
    zc_skip_of_one_thread();
    enum { COUNT = 100000 };
    bench b = begin_with((zc_options){.threads = 1});
    static const zc_tensor *tensors[COUNT];
    zc_tensor *x = zc_iota(b.ctx, 2), *out = NULL;
    for (int i = 0; i < COUNT; i++)
        tensors[i] = zc_multiply(x, zc_weak_int(b.ctx, i));
    zc_tensor *row = zc_concat(b.ctx, COUNT, tensors, 0);
    cr_assert_eq(cost_of(row).written_bytes, 2 * 8 * COUNT);
    cr_assert_eq(zc_materialize(row, &out), ZC_OK, "%s", zc_error_text(b.ctx));
    const int64_t *data = zc_data(out);
    for (int i = 0; i < COUNT; i++)
        cr_assert(data[2 * i] == 0 && data[2 * i + 1] == i);
    cr_assert_eq(integer_at(zc_index(zc_stack(b.ctx, COUNT, tensors, 1), 1, 77777), 1), 77777);
    finish(b);
}

/* Each concat ends in the one before it: freed from the outside in, without recursion. */
Test(rearrange_cost, a_deep_chain_of_concats_is_freed)
{
    zc_skip_of_one_thread();
    bench b = begin();
    zc_tensor *x = zc_iota(b.ctx, 1), *chain = zc_keep(zc_roll(x, 0, NULL, NULL));
    for (int i = 0; i < 200000; i++) {
        zc_tensor *longer = zc_keep(zc_concat(b.ctx, 2, (const zc_tensor *const[]){chain, x}, 0));
        zc_release(chain);
        chain = longer;
    }
    cr_assert_eq(integer_at(zc_index(chain, 0, 0), 0), 0);
    zc_release(chain);
    finish(b);
}

/* Windows over a concat, of a part that crosses from one operand into the next. */
Test(rearrange_cost, windows_cross_from_one_operand_into_the_next)
{
    bench b = begin();
    zc_tensor *low = zc_iota(b.ctx, 10), *high = zc_add(low, zc_weak_int(b.ctx, 100));
    zc_tensor *row = zc_slice(zc_concat(b.ctx, TENSORS(low, high), 0), 0, 8, 12, 1);
    EXPECT(zc_sliding_window_view(row, ZC_SHAPE(2), ZC_AXES(0)), 8, 9, 9, 100, 100, 101);
    finish(b);
}

/* Steps that run across the rows of what repeats one, computed once and spread out once for both. */
Test(rearrange_cost, steps_across_the_rows_of_a_repetition)
{
    enum { N = 12, STEP = 5, COUNT = 28 };
    bench b = begin();
    double wanted[COUNT];
    for (int64_t k = 0; k < COUNT; k++)
        wanted[k] = (double)(k * STEP % N * (k * STEP % N) + (k * STEP + 1) % N * ((k * STEP + 1) % N));
    zc_tensor *wide = zc_square(zc_broadcast_to(zc_iota(b.ctx, N), ZC_SHAPE(N, N)));
    zc_tensor *flat = zc_reshape(wide, ZC_SHAPE(N * N));
    zc_tensor *first = zc_slice(flat, 0, 0, COUNT * STEP, STEP), *second = zc_slice(flat, 0, 1, COUNT * STEP, STEP);
    expect_values(zc_add(first, second), COUNT, wanted);
    finish(b);
}

/* A part of sums that runs across their rows. */
Test(rearrange_cost, steps_across_the_rows_of_sums)
{
    bench b = begin();
    zc_tensor *sums = zc_sum(count_to(b, ZC_SHAPE(6, 2, 6)), ZC_AXES(1), false); /* 24 i + 2 j + 6 */
    zc_tensor *steps = zc_slice(zc_reshape(sums, ZC_SHAPE(36)), 0, 0, ZC_NONE, 4);
    EXPECT(steps, 6, 14, 34, 54, 62, 82, 102, 110, 130);
    finish(b);
}

/* Two positions that are outside: the first check's is told, wherever the second one's lies. */
Test(rearrange_cost, the_first_of_two_checks_is_told)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(4)), *out = NULL;
    zc_tensor *first = zc_take(x, OF(b.ctx, ZC_INT64, 0, 1, 7, 2), 0),
              *second = zc_take(x, OF(b.ctx, ZC_INT64, 9, 8, 6, 5), 0);
    cr_assert_eq(zc_materialize(zc_add(first, second), &out), ZC_ERROR_INDEX);
    cr_expect_str_eq(zc_error_text(b.ctx), "take: position 7 is out of bounds for an axis of size 4");
    finish(b);
}

/* Elements put back are those that the positions were made of, so they stand in the stage before them. */
Test(rearrange_cost, what_is_added_may_stand_before_its_positions)
{
    bench b = begin();
    zc_tensor *x = zc_astype(count_to(b, ZC_SHAPE(4)), ZC_FLOAT64), *gradient = NULL;
    zc_tensor *delta = OF(b.ctx, ZC_FLOAT64, 1, 3, 1), *taken = zc_take(x, zc_astype(delta, ZC_INT64), 0);
    cr_assert_eq(zc_vjp(taken, delta, 1, (const zc_tensor *const[]){x}, &gradient), ZC_OK, "%s", zc_error_text(b.ctx));
    EXPECT(gradient, 0, 2, 0, 3);
    zc_release(gradient);
    finish(b);
}

/* A rim of one element after the other, along axes that take turns: each is a slab inside all those around it. */
static int64_t plan_bytes_of_rims(int count)
{
    bench b = begin();
    zc_tensor *x = zc_full(b.ctx, ZC_SHAPE(1, 1), ZC_INT32, 0);
    for (int i = 0; i < count; i++) {
        int64_t shape[] = {zc_shape(x)[0], zc_shape(x)[1]};
        shape[i % 2] = 1;
        x = zc_concat(b.ctx, TENSORS(x, zc_full(b.ctx, 2, shape, ZC_INT32, i + 1)), i % 2);
    }
    int64_t bytes = cost_of(x).plan_bytes;
    if (count < 100) { /* the last that reached an element, or the one before it */
        zc_tensor *out = NULL;
        cr_assert_eq(zc_materialize(x, &out), ZC_OK, "%s", zc_error_text(b.ctx));
        for (int64_t i = 0, n = zc_shape(x)[1]; i < zc_size(x); i++) {
            int64_t row = i / n, column = i % n, down = row > 0 ? 2 * row - 1 : 0, along = 2 * column;
            cr_assert_eq(value_at(out, i), (double)(down > along ? down : along), "element %d", (int)i);
        }
    }
    finish(b);
    return bytes;
}

Test(rearrange_cost, plans_of_concats_in_concats_grow_with_their_number)
{
    (void)plan_bytes_of_rims(75);
    int64_t part = plan_bytes_of_rims(300), whole = plan_bytes_of_rims(1200);
    cr_expect_lt(whole, 5 * part, "%lld bytes for 300, %lld for 1200", (long long)part, (long long)whole);
}

/* y[i] = 0.9 y[i - 1] + 0.1 x[i], all rows in a table. An eager runtime loads 5 elements for each of the table,
 * computes 3 and stores 4. */
Test(rearrange_cost, short_rows_that_are_made_of_each_other_are_computed_once)
{
    enum { ROWS = 100, LENGTH = 50, EAGER = 12 };
    bench b = begin();
    zc_tensor *n = zc_astype(zc_iota(b.ctx, ROWS * LENGTH), ZC_FLOAT64), *given = NULL;
    cr_assert_eq(zc_materialize(zc_reshape(n, ZC_SHAPE(ROWS, LENGTH)), &given), ZC_OK, "%s", zc_error_text(b.ctx));
    const zc_tensor *rows[ROWS] = {zc_index(given, 0, 0)};
    for (int i = 1; i < ROWS; i++)
        rows[i] = zc_add(zc_multiply(rows[i - 1], zc_weak_float(b.ctx, 0.9)),
                         zc_multiply(zc_index(given, 0, i), zc_weak_float(b.ctx, 0.1)));
    int64_t work = cost_of(zc_stack(b.ctx, ROWS, rows, 0)).work;
    cr_expect_leq(work, EAGER * ROWS * LENGTH, "%ld", (long)work);
    zc_release(given);
    finish(b);
}
