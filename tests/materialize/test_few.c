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
    cr_expect_not(is_element(zc_index(zc_exp(line), 0, 1)), "one of five that are computed");
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
