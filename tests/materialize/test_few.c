/* Elements that are computed without a plan: every operation on every dtype as the reference executor computes it, and
 * what is left to a plan. */
#include "materialize/run/few.h"

#include "runtime/graph/keep.h"
#include "runtime/record/record.h"
#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { LINE = 5 };

/* Elements in memory of which the second is looked at: small numbers, so that integers divide and shift by them. */
static zc_tensor *draw(zc_context *ctx, zc_dtype dtype, const int64_t *numbers)
{
    zc_tensor *out = NULL;
    const zc_tensor *line = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(LINE), numbers, LINE * sizeof *numbers);
    cr_assert_eq(zc_materialize(zc_astype(line, dtype), &out), ZC_OK, "%s", zc_error_text(ctx));
    return out;
}

/* The bytes of op of the second elements, and their dtype. False where the operation does not take the dtype. */
static bool compute(zc_context *ctx, zc_op op, zc_dtype dtype, int64_t (*numbers)[LINE], void *bytes, zc_dtype *made)
{
    const zc_tensor *operands[ZC_MAX_ARITY] = {NULL};
    const int arity = zc_op_describe(op)->arity;
    zc_scope *scope = zc_scope_begin(ctx);
    for (int i = 0; i < arity; i++)
        operands[i] = zc_index(draw(ctx, op == ZC_OP_WHERE && i == 0 ? ZC_BOOL : dtype, numbers[i]), 0, 1);
    const zc_tensor *t = zc_record_map(op, operands, arity);
    if (t != NULL) {
        *made = zc_dtype_of(t);
        cr_assert_eq(zc_materialize_into(t, bytes, zc_dtype_bytes(*made), NULL, 0), ZC_OK, "%s", zc_error_text(ctx));
    }
    zc_error_clear(ctx);
    zc_scope_end(scope);
    return t != NULL;
}

/* Tells equal bits, but a NaN is a NaN. */
static bool are_same(zc_dtype dtype, const unsigned char *a, const unsigned char *b)
{
    const zc_dtype part = part_of(dtype);
    bool are = true;
    for (size_t at = 0; at < zc_dtype_bytes(dtype); at += zc_dtype_bytes(part))
        are &= part_bits(part, a + at) == part_bits(part, b + at);
    return are;
}

Test(element, operations_have_the_reference_executors_bits)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_context *reference = zc_context_new(&(zc_options){.threads = 1, .executor = ZC_EXECUTOR_REFERENCE});
    zc_random_begin("element");
    int compared = 0;
    for (int op = 0; op < ZC_OP_ROWS; op++) {
        for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
            int64_t numbers[ZC_MAX_ARITY][LINE];
            unsigned char ours[16] = {0}, theirs[16] = {0};
            for (int i = 0; i < ZC_MAX_ARITY * LINE; i++)
                numbers[i / LINE][i % LINE] = zc_random_range(1, 5);
            zc_dtype made = ZC_BOOL, wanted = ZC_BOOL;
            const bool takes = compute(ctx, (zc_op)op, (zc_dtype)d, numbers, ours, &made);
            cr_assert_eq(compute(reference, (zc_op)op, (zc_dtype)d, numbers, theirs, &wanted), takes);
            cr_assert(made == wanted && are_same(made, ours, theirs), "operation %d on dtype %d", op, d);
            compared += takes;
        }
    }
    cr_expect_gt(compared, 300);
    zc_context_free(ctx);
    zc_context_free(reference);
}

static bool is_element(const zc_tensor *t)
{
    zc_scalar element;
    zc_few known;
    zc_graph_follow_begin();
    const bool is_computed = zc_compute_element(t, NULL, &element, &known);
    zc_graph_follow_end();
    return is_computed;
}

Test(element, few_operations_on_elements_in_memory_need_no_plan)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *line = draw(ctx, ZC_FLOAT32, (int64_t[]){1, 2, 3, 4, 5}), *x = zc_index(line, 0, 1);
    zc_tensor *sixteen = x, *out = NULL;
    for (int i = 0; i < 16; i++)
        sixteen = zc_exp(sixteen);
    cr_expect(is_element(x));
    cr_expect(is_element(zc_add(zc_multiply(x, x), zc_weak_float(ctx, 1))));
    cr_expect(is_element(zc_index(zc_iota(ctx, 100), 0, 7)));
    cr_expect(is_element(sixteen));
    cr_expect_not(is_element(zc_exp(sixteen)), "one too many");
    cr_assert_eq(zc_materialize(sixteen, &out), ZC_OK);
    cr_expect(is_element(zc_exp(sixteen)), "now that it is in memory");
    cr_expect_not(is_element(line), "five elements");
    cr_expect(is_element(zc_index(zc_exp(line), 0, 1)), "one of five, alone");
    cr_expect_not(is_element(zc_slice(zc_exp(line), 0, 1, 3, 1)), "two of them");
    cr_expect_not(is_element(zc_exp(zc_sum(line, ZC_ALL_AXES, false))));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Whoever has asked to stop is heard also where there is nothing to plan. */
Test(element, a_request_to_stop_is_met)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = zc_index(draw(ctx, ZC_FLOAT32, (int64_t[]){1, 2, 3, 4, 5}), 0, 1);
    zc_tensor *out = NULL;
    zc_cancel(ctx);
    cr_expect_eq(zc_materialize(zc_exp(x), &out), ZC_CANCELLED);
    zc_error_clear(ctx);
    cr_expect_eq(zc_materialize(zc_exp(x), &out), ZC_OK);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A loop that joins one element a step and reads each of the results computes each once. */
Test(element, results_stay_in_memory)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *line = draw(ctx, ZC_INT64, (int64_t[]){1, 2, 3, 4, 5}), *sum = zc_index(line, 0, 0), *out = NULL;
    for (int i = 0; i < 100; i++) {
        sum = zc_add(sum, zc_index(line, 0, i % LINE));
        cr_assert_eq(zc_materialize(sum, &out), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert(is_element(zc_negative(sum)));
    }
    cr_expect_eq(*(const int64_t *)zc_data(out), 301);
    int64_t read = 0;
    for (int i = 0; i < 1000; i++) {
        sum = zc_add(sum, zc_index(line, 0, i % LINE));
        cr_assert(zc_peek(sum, &read));
    }
    cr_expect_eq(read, 3301);
    cr_expect_not(zc_peek(line, &read));
    cr_expect_not(zc_peek(zc_sum(line, ZC_ALL_AXES, false), &read));
    cr_expect_not(zc_peek(NULL, &read));
    cr_expect_not(zc_peek(sum, NULL));
    cr_expect_eq(read, 3301);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Elements of nodes of many ---- */

enum { SIDE = 6, STEPS_MOST = 7 };

/* A table made of one, by an operation, a view, a gather or a broadcast of a row or a column of it. */
static zc_tensor *next_table(zc_context *ctx, const zc_tensor *x)
{
    const int64_t at = zc_random_range(0, SIDE - 1);
    const zc_tensor *row = zc_index(x, 0, at), *line = zc_index(x, 1, at), *column = zc_expand_dims(line, 1);
    switch (zc_random_range(0, 6)) {
    case 0:
        return zc_minimum(x, zc_add(column, row));
    case 1:
        return zc_multiply(zc_permute_dims(x, ZC_AXES(1, 0)), zc_weak_float(ctx, 0.5));
    case 2:
        return zc_where(zc_greater(x, row), zc_negative(x), zc_flip(x, ZC_AXES(zc_random_bool())));
    case 3:
        return zc_roll(x, 1, &at, (const int[]){1});
    case 4:
        return zc_take(x, zc_remainder(zc_astype(zc_floor(zc_abs(line)), ZC_INT64), zc_weak_int(ctx, SIDE)),
                       zc_random_bool());
    case 5:
        return zc_broadcast_to(zc_slice(x, 0, at, at + 1, 1), ZC_SHAPE(SIDE, SIDE));
    default:
        return zc_add(zc_astype(zc_reshape(zc_iota(ctx, SIDE * SIDE), ZC_SHAPE(SIDE, SIDE)), ZC_FLOAT64), x);
    }
}

/* A table that is made in some steps of one in memory. */
static zc_tensor *draw_table(zc_context *ctx)
{
    double numbers[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        numbers[i] = (double)zc_random_range(-20, 20) / 4;
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(SIDE, SIDE), numbers, sizeof numbers);
    for (int64_t i = zc_random_range(1, STEPS_MOST); i > 0 && x != NULL; i--)
        x = next_table(ctx, x);
    cr_assert_not_null(x, "%s", zc_error_text(ctx));
    return x;
}

Test(element, elements_of_tables_are_those_of_the_reference_executor)
{
    enum { PROGRAMS = 2000 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_context *reference = zc_context_new(&(zc_options){.threads = 1, .executor = ZC_EXECUTOR_REFERENCE});
    zc_random_begin("elements of tables");
    int read = 0, all = zc_test_count(PROGRAMS);
    for (int i = 0; i < all; i++) {
        double wanted[SIDE * SIDE], element = 0;
        zc_scope *scope = zc_scope_begin(ctx), *other = zc_scope_begin(reference);
        const zc_random_place place = zc_random_mark();
        const zc_tensor *same = draw_table(reference);
        zc_random_return(&place);
        const zc_tensor *x = draw_table(ctx);
        cr_assert_eq(zc_materialize_into(same, wanted, sizeof wanted, NULL, 0), ZC_OK, "%s", zc_error_text(reference));
        for (int64_t e = zc_random_range(0, 3); e < SIDE * SIDE; e += 5) {
            if (!zc_peek(zc_index(zc_index(x, 0, e / SIDE), 0, e % SIDE), &element))
                continue;
            cr_assert_eq(memcmp(&element, &wanted[e], sizeof element), 0, "program %d, element %d: %g is not %g", i,
                         (int)e, element, wanted[e]);
            read++;
        }
        zc_scope_end(scope);
        zc_scope_end(other);
    }
    cr_expect_gt(read, 2 * all, "%d elements of %d tables", read, all);
    zc_context_free(ctx);
    zc_context_free(reference);
}

/* ---- Left to a plan ---- */

enum { MOST = ZC_FEW_ON_STACK };

static bool are_few(const zc_tensor *t)
{
    static zc_scalar elements[ZC_FEW];
    zc_few known;
    cr_assert_not_null(t);
    zc_graph_follow_begin();
    const bool are = zc_compute_few(t, NULL, elements, &known);
    zc_graph_follow_end();
    return are;
}

static zc_tensor *at(const zc_tensor *t, int64_t first, int64_t second)
{
    const int64_t positions[] = {first, second};
    return zc_take(t, zc_from_data(zc_context_of(t), ZC_INT64, ZC_SHAPE(2), positions, sizeof positions), 0);
}

Test(element, positions_that_are_none_and_what_is_no_map_need_a_plan)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *line = draw(ctx, ZC_INT64, (int64_t[]){0, 1, 2, 1, 0}), *sums = zc_cumulative_sum(line, 0, false);
    cr_expect(are_few(at(line, 4, -5)));
    cr_expect_not(are_few(at(line, 1, 5)));
    cr_expect_not(are_few(at(line, -6, 1)));
    cr_expect_not(is_element(zc_index(at(line, 1, 5), 0, 1)));
    cr_expect_not(is_element(zc_index(at(line, -6, 1), 0, 0)));
    cr_expect(is_element(zc_index(at(line, -6, 1), 0, 1)), "another one is outside");
    cr_expect_not(are_few(at(sums, 0, 1)), "a scan");
    cr_expect_not(are_few(zc_take(line, sums, 0)));
    cr_expect_not(is_element(zc_index(zc_take(line, sums, 0), 0, 1)));
    cr_expect_not(are_few(at(zc_broadcast_to(zc_weak_int(ctx, 3), ZC_SHAPE(LINE)), 0, 1)), "a constant");
    cr_expect_not(are_few(zc_slice(line, 0, 1, 1, 1)), "none");
    cr_expect_not(are_few(zc_slice(zc_negative(zc_iota(ctx, ZC_FEW + 1)), 0, 0, 2, 1)), "two of too many");
    cr_expect_not(are_few(at(zc_negative(zc_iota(ctx, ZC_FEW + 1)), 0, 1)), "two of too many, by positions");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Room is there for four lines of the widest elements. */
Test(element, what_takes_more_room_needs_a_plan)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *line = NULL;
    cr_assert_eq(zc_materialize(zc_astype(zc_iota(ctx, MOST), ZC_COMPLEX128), &line), ZC_OK);
    const zc_tensor *three = zc_negative(zc_negative(zc_negative(line))), *one = zc_index(line, 0, 1);
    cr_expect(are_few(zc_negative(three)));
    cr_expect_not(are_few(zc_negative(zc_negative(three))));
    cr_expect_not(are_few(zc_multiply(three, zc_negative(one))), "an element");
    zc_tensor *order = zc_flip(zc_iota(ctx, MOST), ZC_ALL_AXES), *places = NULL;
    cr_assert_eq(zc_materialize(order, &places), ZC_OK);
    cr_expect(are_few(zc_take(line, places, 0)));
    cr_expect_not(are_few(zc_take(zc_take(zc_take(line, places, 0), places, 0), places, 0)));
    zc_scope_end(scope);
    zc_context_free(ctx);
}
