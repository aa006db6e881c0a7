/*
 * Windows of graphs are written as what they need: with the bits of the whole, and no more of the data.
 */

#include "tests/diff/expression.h"
#include "tests/diff/matrices.h"
#include "tests/diff/same.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 400, MOST_WINDOWS = 3 };

static const zc_tensor *random_window(const zc_tensor *t)
{
    for (int a = 0; a < zc_rank(t); a++) {
        const int64_t extent = zc_shape(t)[a], first = extent == 0 ? 0 : zc_random_range(0, extent - 1);
        const int64_t end = zc_random_range(first, extent), stride = zc_random_range(1, 3);
        if (zc_random_range(0, 3) > 0)
            t = zc_slice(t, a, first, zc_random_bool() ? end : ZC_NONE, stride);
        if (zc_random_range(0, 5) == 0)
            t = zc_flip(t, 1, &a);
    }
    return t;
}

/* Reads in `ctx` what was written elsewhere, over copies of the inputs. */
static zc_status read_again(zc_context *ctx, const zc_serialized *s, int count, zc_tensor **out)
{
    size_t size;
    const zc_tensor *const *inputs, *own[64];
    const void *bytes = zc_serialized_bytes(s, &size);
    const int input_count = zc_serialized_inputs(s, &inputs);
    cr_assert_leq(input_count, 64);
    for (int i = 0; i < input_count; i++) {
        const size_t data_bytes = (size_t)zc_size(inputs[i]) * zc_dtype_bytes(zc_dtype_of(inputs[i]));
        own[i] = zc_from_data(ctx, zc_dtype_of(inputs[i]), 1, zc_shape(inputs[i]), zc_data(inputs[i]), data_bytes);
    }
    return zc_deserialize(ctx, bytes, size, input_count, own, count, out);
}

static void check_windows(void)
{
    zc_tensor *got[MOST_WINDOWS];
    const zc_tensor *windows[MOST_WINDOWS];
    zc_serialized *s = NULL;
    pool p = {.ctx = zc_context_new(&(zc_options){.threads = 1})}, other = {.ctx = zc_context_new(NULL)};
    p.scope = zc_scope_begin(p.ctx);
    other.scope = zc_scope_begin(other.ctx);
    expression e = expression_draw(zc_random_bool());
    expression_add_leaves(&e, &p, 1);
    for (int i = 0; i < e.step_count; i++) {
        expression_step(&p, &e.steps[i]);
        if (zc_random_range(0, 9) == 0)
            (void)materialized(&p, p.items[zc_random_range(0, p.count - 1)]);
    }
    expression_free(&e);
    const int count = (int)zc_random_range(1, MOST_WINDOWS);
    for (int i = 0; i < count; i++)
        windows[i] = random_window(p.items[zc_random_range(0, p.count - 1)]);
    cr_assert_eq(zc_serialize(count, windows, &s), ZC_OK, "%s", zc_error_text(p.ctx));
    cr_assert_eq(read_again(other.ctx, s, count, got), ZC_OK, "%s", zc_error_text(other.ctx));
    zc_serialized_free(s);
    for (int i = 0; i < count; i++)
        expect_same(materialized(&p, windows[i]), materialized(&other, got[i]), 0, "a window read again");
    zc_scope_end(other.scope);
    zc_context_free(other.ctx);
    zc_scope_end(p.scope);
    zc_context_free(p.ctx);
}

Test(serialize_windows, windows_keep_their_bits)
{
    zc_random_begin("serialize/windows");
    for (int i = 0; i < zc_test_count(EXPRESSIONS); i++)
        check_windows();
}

/* ---- Bytes ---- */

enum { ROWS = 300, COLUMNS = 200 };

/* The elements that a window takes along, which are read again with its bits. */
static int64_t elements_of(zc_context *ctx, const zc_tensor *window)
{
    zc_serialized *s = NULL;
    zc_tensor *got = NULL, *made = NULL, *wanted = NULL;
    const zc_tensor *const *inputs;
    int64_t elements = 0;
    cr_assert_eq(zc_serialize(1, &window, &s), ZC_OK, "%s", zc_error_text(ctx));
    for (int i = 0, count = zc_serialized_inputs(s, &inputs); i < count; i++)
        elements += zc_size(inputs[i]);
    cr_assert_eq(read_again(ctx, s, 1, &got), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(got, &made), ZC_OK);
    cr_assert_eq(zc_materialize(window, &wanted), ZC_OK);
    expect_same(wanted, made, 0, "a window");
    zc_serialized_free(s);
    return elements;
}

static zc_tensor *computed(const zc_tensor *t)
{
    zc_tensor *made = NULL;
    (void)zc_materialize(t, &made);
    return made;
}

static const zc_tensor *rows_of(const zc_tensor *t, int64_t first, int64_t end)
{
    return zc_slice(t, 0, first, end, 1);
}

Test(serialize_windows, a_window_takes_what_it_needs)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx, ROWS, COLUMNS), *y = numbers(ctx, COLUMNS, ROWS);
    const zc_tensor *mean = computed(zc_mean(x, ZC_AXES(0), false)),
                    *deviation = computed(zc_std(x, ZC_AXES(0), 0, false));
    const zc_tensor *z = zc_divide(zc_subtract(x, mean), deviation);
    const zc_tensor *joined =
        zc_concat(ctx, 3, (const zc_tensor *[]){x, zc_exp(x), zc_negative(numbers(ctx, 50, COLUMNS))}, 0);
    const zc_tensor *at = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(4), (const int64_t[]){9, 1, -1, 150}, 32);
    zc_tensor *values = NULL, *places = NULL;
    cr_assert_eq(zc_top_k(zc_exp(x), 5, 1, true, &values, &places), ZC_OK);
    cr_expect_eq(elements_of(ctx, rows_of(z, 0, 10)), 10 * COLUMNS + 2 * COLUMNS);
    cr_expect_eq(elements_of(ctx, rows_of(zc_exp(rows_of(z, 20, 200)), 7, 9)), 2 * COLUMNS + 2 * COLUMNS);
    cr_expect_eq(elements_of(ctx, zc_slice(z, 1, 5, 15, 1)), 10 * ROWS + 2 * 10);
    cr_expect_eq(elements_of(ctx, zc_slice(z, 0, 0, ZC_NONE, 100)), 3 * COLUMNS + 2 * COLUMNS);
    cr_expect_eq(elements_of(ctx, rows_of(zc_sum(zc_exp(x), ZC_AXES(1), false), 3, 5)), 2 * COLUMNS);
    cr_expect_eq(elements_of(ctx, zc_slice(zc_sum(zc_exp(x), ZC_AXES(0), false), 0, 3, 5, 1)), 2 * ROWS);
    cr_expect_eq(elements_of(ctx, rows_of(zc_matmul(zc_exp(x), y), 0, 2)), 2 * COLUMNS + COLUMNS * ROWS);
    cr_expect_eq(elements_of(ctx, zc_slice(rows_of(zc_matmul(x, zc_exp(y)), 0, 2), 1, 8, 9, 1)), 2 * COLUMNS + COLUMNS);
    cr_expect_eq(elements_of(ctx, rows_of(zc_cumulative_sum(x, 0, false), 5, 6)), 6 * COLUMNS);
    cr_expect_eq(elements_of(ctx, zc_slice(zc_cumulative_sum(x, 0, false), 1, 5, 6, 1)), ROWS);
    cr_expect_eq(elements_of(ctx, rows_of(joined, ROWS + 5, ROWS + 8)), 3 * COLUMNS);
    cr_expect_eq(elements_of(ctx, rows_of(joined, ROWS - 2, ROWS + 3)), ROWS * COLUMNS);
    cr_expect_eq(elements_of(ctx, zc_slice(zc_take(x, at, 0), 1, 3, 5, 1)), 2 * ROWS + 4);
    cr_expect_eq(elements_of(ctx, rows_of(zc_take(x, at, 0), 1, 2)), ROWS * COLUMNS + 1);
    cr_expect_eq(elements_of(ctx, rows_of(values, 7, 9)), 2 * COLUMNS);
    cr_expect_eq(elements_of(ctx, zc_slice(places, 1, 1, 3, 1)), ROWS * COLUMNS);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A reduction over axes along which nothing changes stays one by rule, although its operand is cut. */
Test(serialize_windows, a_window_keeps_the_rule_of_its_reductions)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx, 3, 2000), *mean = zc_mean(x, ZC_AXES(1), true);
    const zc_tensor *spread = zc_broadcast_to(zc_exp(mean), ZC_SHAPE(3, 700));
    (void)elements_of(ctx, rows_of(zc_sum(zc_multiply(spread, zc_weak_float(ctx, 1.1)), ZC_AXES(1), false), 1, 2));
    const zc_tensor *turned = zc_reshape(zc_multiply(spread, spread), ZC_SHAPE(2100));
    (void)elements_of(ctx, zc_sum(zc_slice(turned, 0, 700, 1400, 1), ZC_ALL_AXES, false));
    (void)elements_of(ctx, zc_sum(turned, ZC_ALL_AXES, false));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Part of a logsumexp: complex numbers that no other reduction gives. */
Test(serialize_windows, log_sums_keep_their_bits)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    int n = 0;
    zc_tensor *states[ZC_MOST_STATES];
    cr_assert_eq(zc_part(zc_logsumexp(numbers(ctx, 3, 2500), ZC_AXES(1), false), 0, 2048, &n, states), ZC_OK);
    (void)elements_of(ctx, states[0]);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Elements that are copied out of a larger tensor, over the memory limit or where memory is out. */
Test(serialize_windows, no_room_for_a_copy_is_refused)
{
    zc_skip_of_one_thread();
    zc_failing state = {0};
    const zc_allocator allocator = zc_failing_allocator(&state);
    const int64_t whole = ROWS * COLUMNS * 4;
    zc_context *ctx =
        zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator, .memory_limit = whole + ROWS * 4 * 20});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx, ROWS, COLUMNS), *narrow = zc_slice(x, 1, 3, 5, 1),
                    *wide = zc_slice(x, 1, 0, 90, 1);
    zc_serialized *s = NULL;
    cr_expect_eq(zc_serialize(1, &wide, &s), ZC_ERROR_BUDGET, "%s", zc_error_text(ctx));
    cr_expect_null(s);
    zc_error_clear(ctx);
    for (int64_t k = 1; s == NULL; k++) {
        state.fail_at = state.calls + k;
        const zc_status status = zc_serialize(1, &narrow, &s);
        state.fail_at = 0;
        cr_assert_eq(status, s != NULL ? ZC_OK : ZC_ERROR_MEMORY, "%s", zc_error_text(ctx));
        zc_error_clear(ctx);
    }
    zc_serialized_free(s);
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_expect_eq(state.blocks, 0);
}

static const char *read_nothing(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    (void)user, (void)start, (void)count, (void)elements;
    return "nothing is read";
}

/* A window of another source, and what is still to be computed, stand for no source. */
Test(serialize_windows, inputs_that_are_no_whole_source_are_refused)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_source source = {.read = read_nothing};
    const zc_tensor *x = zc_from_source(ctx, ZC_FLOAT64, ZC_SHAPE(50), &source), *y = zc_exp(x);
    const zc_tensor *longer = zc_from_source(ctx, ZC_FLOAT64, ZC_SHAPE(100), &source);
    const zc_tensor *others[] = {zc_slice(longer, 0, 0, 50, 1), zc_slice(longer, 0, 50, 100, 1), y};
    zc_serialized *s = NULL;
    zc_tensor *got = NULL;
    size_t size;
    cr_assert_eq(zc_serialize(1, &y, &s), ZC_OK, "%s", zc_error_text(ctx));
    const void *bytes = zc_serialized_bytes(s, &size);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(zc_deserialize(ctx, bytes, size, 1, &others[i], 1, &got), ZC_ERROR_FORMAT);
        cr_expect_null(got);
        zc_error_clear(ctx);
    }
    cr_expect_eq(zc_deserialize(ctx, bytes, size, 1, &x, 1, &got), ZC_OK);
    zc_serialized_free(s);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
