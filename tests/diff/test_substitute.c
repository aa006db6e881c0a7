/*
 * Substitution: what is made of computed elements in the place of recorded ones has the bits of what was recorded, for
 * expressions of every kind; other inputs give what recording over them gives; and what does not fit is refused.
 */
#include "tests/diff/expression.h"
#include "tests/diff/same.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 400, MOST_REPLACED = 3 };

/* The elements of t as data that nobody knows anything of. */
static zc_tensor *as_data(const pool *p, const zc_tensor *t)
{
    const zc_tensor *made = materialized(p, t);
    return zc_from_data(p->ctx, zc_dtype_of(t), zc_rank(t), zc_shape(t), zc_data(made),
                        (size_t)zc_size(t) * zc_dtype_bytes(zc_dtype_of(t)));
}

static pool new_pool(void)
{
    pool p = {.ctx = zc_context_new(&(zc_options){.threads = (int)zc_random_range(1, 2)})};
    p.scope = zc_scope_begin(p.ctx);
    return p;
}

static void free_pool(pool *p)
{
    zc_scope_end(p->scope);
    zc_context_free(p->ctx);
}

/* True where something was replaced. */
static bool check_expression(void)
{
    const zc_tensor *nodes[MOST_REPLACED], *by[MOST_REPLACED], *wanted;
    zc_tensor *got = NULL;
    pool p = new_pool(), other = new_pool();
    pool both[2] = {p, other};
    expression_record(both, 2);
    const int n = (int)zc_random_range(1, MOST_REPLACED);
    for (int i = 0; i < n; i++) {
        const int which = (int)zc_random_range(0, both[0].count - 1);
        nodes[i] = both[0].items[which];
        by[i] = zc_adopt(both[0].ctx, as_data(&both[1], both[1].items[which]));
    }
    wanted = both[0].items[zc_random_range(0, both[0].count - 1)];
    const zc_status status = zc_substitute(1, &wanted, n, nodes, by, &got);
    cr_assert(status == ZC_OK || status == ZC_ERROR_ARGUMENT, "%s", zc_error_text(both[0].ctx));
    cr_assert_eq(got != NULL, status == ZC_OK);
    zc_error_clear(both[0].ctx);
    if (status == ZC_OK)
        expect_same(materialized(&both[0], wanted), materialized(&both[0], got), 0, "substituted");
    free_pool(&both[1]);
    free_pool(&both[0]);
    return status == ZC_OK;
}

Test(substitute, computed_elements_keep_the_bits)
{
    int done = 0;
    zc_skip_of_one_thread();
    zc_random_begin("substitute/bits");
    for (int i = 0; i < zc_test_count(EXPRESSIONS); i++)
        done += check_expression();
    cr_assert_gt(done, zc_test_count(EXPRESSIONS) / 4);
}

static zc_tensor *numbers(zc_context *ctx, int64_t rows, int64_t columns, int seed)
{
    float values[4096];
    for (int64_t i = 0; i < rows * columns; i++)
        values[i] = (float)((i * 7919 + seed) % 1000) / 999;
    return zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(rows, columns), values, (size_t)(rows * columns) * sizeof *values);
}

/* A column repeated over rows: its sum along them is by rule. */
static zc_tensor *spread(const zc_tensor *column)
{
    return zc_broadcast_to(zc_exp(column), ZC_SHAPE(3, 1000));
}

Test(substitute, invariant_axes_stay)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *repeated = zc_sqrt(spread(numbers(ctx, 3, 1, 5)));
    const zc_tensor *sum = zc_sum(repeated, ZC_AXES(1), false);
    pool p = {.ctx = ctx};
    const zc_tensor *data = as_data(&p, repeated);
    zc_tensor *got = NULL;
    cr_assert_eq(zc_substitute(1, &sum, 1, &repeated, &data, &got), ZC_OK);
    expect_same(materialized(&p, sum), materialized(&p, got), 0, "summed by rule");
    /* walked before, and by rule if it were recorded now */
    const zc_tensor *x = numbers(ctx, 40, 100, 5), *first = zc_slice(x, 1, 0, 1, 1);
    const zc_tensor *walked[] = {zc_sum(x, ZC_AXES(1), false), zc_sum(zc_exp(x), ZC_AXES(1), false)};
    const zc_tensor *flat = zc_broadcast_to(first, ZC_SHAPE(40, 100)), *dense = as_data(&p, flat);
    zc_tensor *by_flat[2], *by_dense[2];
    cr_assert_eq(zc_substitute(2, walked, 1, &x, &flat, by_flat), ZC_OK);
    cr_assert_eq(zc_substitute(2, walked, 1, &x, &dense, by_dense), ZC_OK);
    for (int i = 0; i < 2; i++)
        expect_same(materialized(&p, by_dense[i]), materialized(&p, by_flat[i]), 0, "summed by walking");
    expect_same(materialized(&p, zc_sum(dense, ZC_AXES(1), false)), materialized(&p, by_dense[0]), 0, "recorded");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static zc_tensor *expression_of(const zc_tensor *x)
{
    const zc_tensor *centered = zc_subtract(x, zc_mean(x, ZC_AXES(0), false));
    const zc_tensor *both =
        zc_concat(zc_context_of(x), 2, (const zc_tensor *[]){zc_exp(x), zc_flip(centered, ZC_AXES(1))}, 0);
    const zc_tensor *product = zc_matmul(both, zc_matrix_transpose(zc_cumulative_sum(x, 1, false)));
    return zc_take_along_axis(product, zc_argmax(product, ZC_AXES(1), true), 1);
}

/* Reads x in an order that no strides of a turned x lead through, and updates of what is made of it. */
static zc_tensor *rearranged(const zc_tensor *x)
{
    const int64_t rows[] = {3, 0, -1, 3};
    const zc_tensor *flat = zc_exp(zc_reshape(x, ZC_SHAPE(zc_size(x))));
    const zc_tensor *at = zc_from_data(zc_context_of(x), ZC_INT64, ZC_SHAPE(4), rows, sizeof rows);
    const zc_tensor *back = zc_reshape(flat, 2, zc_shape(x)), *places = zc_places(back);
    const zc_tensor *added = zc_update(back, zc_take(places, at, 0), zc_slice(x, 0, 0, 4, 1), ZC_UPDATE_ADD);
    return zc_update(added, zc_slice(places, 1, 1, 9, 2), zc_slice(zc_sqrt(x), 1, 0, 4, 1), ZC_UPDATE_SET);
}

/* The same expression of another input, however that is seen. */
Test(substitute, other_inputs_give_other_results)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    pool p = {.ctx = ctx};
    const zc_tensor *x = numbers(ctx, 30, 40, 1), *y = numbers(ctx, 40, 30, 2), *turned = zc_matrix_transpose(y);
    const zc_tensor *of_x[] = {expression_of(x), x, zc_slice(x, 0, 3, 9, 2), rearranged(x)};
    const zc_tensor *from = zc_matrix_transpose(zc_expand_dims(x, 0)), *to = zc_expand_dims(y, 0);
    zc_tensor *out[4];
    cr_assert_eq(zc_substitute(4, of_x, 1, &x, &turned, out), ZC_OK, "%s", zc_error_text(ctx));
    expect_same(materialized(&p, rearranged(turned)), materialized(&p, out[3]), 0, "in another order");
    expect_same(materialized(&p, expression_of(turned)), materialized(&p, out[0]), 0, "of another input");
    expect_same(materialized(&p, turned), materialized(&p, out[1]), 0, "the input itself");
    expect_same(materialized(&p, zc_slice(turned, 0, 3, 9, 2)), materialized(&p, out[2]), 0, "a window of it");
    const zc_tensor *recorded = zc_exp(x);
    of_x[0] = rearranged(recorded);
    of_x[1] = zc_reshape(recorded, ZC_SHAPE(1200));
    cr_assert_eq(zc_substitute(2, of_x, 1, &recorded, &turned, out), ZC_OK, "%s", zc_error_text(ctx));
    expect_same(materialized(&p, rearranged(turned)), materialized(&p, out[0]), 0, "of what was recorded");
    expect_same(materialized(&p, zc_reshape(turned, ZC_SHAPE(1200))), materialized(&p, out[1]), 0, "a view of it");
    of_x[0] = expression_of(x);
    of_x[1] = x;
    const zc_tensor *variable = zc_variable(turned);
    cr_assert_eq(zc_substitute(1, of_x, 1, &x, &variable, out), ZC_OK, "%s", zc_error_text(ctx));
    const zc_tensor *slope = zc_grad(zc_sum(expression_of(variable), ZC_ALL_AXES, false), variable);
    expect_same(materialized(&p, slope), materialized(&p, zc_grad(zc_sum(out[0], ZC_ALL_AXES, false), variable)), 0,
                "a gradient");
    cr_assert_eq(zc_substitute(3, of_x, 1, &from, &to, out), ZC_OK, "%s", zc_error_text(ctx));
    expect_same(materialized(&p, expression_of(turned)), materialized(&p, out[0]), 0, "by a turned one");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Numbers that are computed as they are needed, in the place of others. */
Test(substitute, positions_are_put_in_the_place_of_numbers)
{
    const int64_t numbers_of[] = {7, -1, 4, 100};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t sum = 0;
    zc_tensor *got = NULL;
    const zc_tensor *x = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(4), numbers_of, sizeof numbers_of), *at = zc_iota(ctx, 4);
    const zc_tensor *product = zc_vecdot(x, zc_multiply(x, x), -1);
    cr_assert_eq(zc_substitute(1, &product, 1, &x, &at, &got), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_item_int64(got, &sum), ZC_OK);
    cr_expect_eq(sum, 0 + 1 + 8 + 27);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Counts the elements that are read. */
static const char *read_numbers(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    double *to = elements;
    for (int64_t i = 0; i < count[0]; i++)
        *to++ = (double)((start[0] + i) % 1013) / 7;
    *(int64_t *)user += count[0];
    return NULL;
}

/* A part of a reduction reads its part of a source, and what is put in the source's place is read instead of it. */
Test(substitute, a_source_is_read_by_parts)
{
    enum { LENGTH = 50000 };
    int64_t elements = 0;
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    pool p = {.ctx = ctx};
    const zc_source source = {.user = &elements, .read = read_numbers};
    const zc_tensor *x = zc_from_source(ctx, ZC_FLOAT64, ZC_SHAPE(LENGTH), &source);
    const zc_tensor *same = zc_from_source(ctx, ZC_FLOAT64, ZC_SHAPE(LENGTH), &source);
    const zc_tensor *sum = zc_sum(zc_exp(x), ZC_ALL_AXES, false), *data = as_data(&p, same);
    int n = 0;
    zc_tensor *states[ZC_MOST_STATES], *got = NULL;
    cr_assert_eq(elements, LENGTH);
    elements = 0;
    cr_assert_eq(zc_part(sum, 8 * 1024, 8 * 1024, &n, states), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(n, 1);
    (void)materialized(&p, states[0]);
    cr_expect_eq(elements, 8 * 1024, "%ld", (long)elements);
    elements = 0;
    cr_assert_eq(zc_substitute(1, &sum, 1, &x, &data, &got), ZC_OK, "%s", zc_error_text(ctx));
    const zc_tensor *made = materialized(&p, got);
    cr_expect_eq(elements, 0);
    expect_same(materialized(&p, sum), made, 0, "of data");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

static void expect_refused(zc_context *ctx, const zc_tensor *t, const zc_tensor *node, const zc_tensor *by,
                           zc_status status, const char *text)
{
    zc_tensor *out = NULL;
    cr_expect_eq(zc_substitute(1, &t, 1, &node, &by, &out), status);
    cr_expect_null(out);
    cr_expect_str_eq(zc_error_text(ctx), text);
    zc_error_clear(ctx);
}

Test(substitute, what_does_not_fit_is_refused)
{
    zc_context *ctx = zc_context_new(NULL), *elsewhere = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx, 3, 4, 1), *y = zc_exp(x), *row = zc_index(x, 0, 1);
    zc_tensor *foreign = zc_full(elsewhere, ZC_SHAPE(3, 4), ZC_FLOAT32, 1);
    expect_refused(ctx, y, x, zc_full(ctx, ZC_SHAPE(3, 4), ZC_FLOAT64, 1), ZC_ERROR_DTYPE,
                   "substitute: by[0] is of float64, but nodes[0] of float32");
    expect_refused(ctx, y, x, zc_full(ctx, ZC_SHAPE(4, 3), ZC_FLOAT32, 1), ZC_ERROR_SHAPE,
                   "substitute: by[0] has shape (4, 3), but nodes[0] (3, 4)");
    expect_refused(ctx, y, row, zc_full(ctx, ZC_SHAPE(4), ZC_FLOAT32, 1), ZC_ERROR_ARGUMENT,
                   "substitute: a tensor to be replaced shows all elements of what was recorded, each once");
    expect_refused(ctx, y, x, foreign, ZC_ERROR_ARGUMENT,
                   "substitute: operands belong to different contexts; zc_adopt brings them together");
    expect_refused(ctx, y, NULL, x, ZC_ERROR_ARGUMENT, "substitute: nodes[0] is NULL");
    expect_refused(ctx, y, x, NULL, ZC_ERROR_ARGUMENT, "substitute: by[0] is NULL");
    expect_refused(ctx, y, foreign, x, ZC_ERROR_ARGUMENT,
                   "substitute: operands belong to different contexts; zc_adopt brings them together");
    zc_tensor *out = NULL;
    const struct {
        int count, n;
        const zc_tensor *const *tensors;
        zc_tensor **out;
        const char *text;
    } calls[] = {
        {0, 1, &y, &out, "substitute: there are no tensors, or nowhere to put the results"},
        {1, -1, &y, &out, "substitute: there are no tensors, or nowhere to put the results"},
        {1, 1, &y, NULL, "substitute: there are no tensors, or nowhere to put the results"},
        {1, 1, NULL, &out, "substitute: tensors is NULL"},
    };
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(zc_substitute(calls[i].count, calls[i].tensors, calls[i].n, &x, &x, calls[i].out),
                     ZC_ERROR_ARGUMENT);
        cr_expect_str_eq(zc_error_text(NULL), calls[i].text);
        zc_error_clear(NULL);
    }
    zc_release(foreign);
    zc_scope_end(scope);
    zc_context_free(ctx);
    zc_context_free(elsewhere);
}

/* Every allocation of a substitution fails in turn. */
static void fail_each(zc_failing *state, const zc_tensor *y, const zc_tensor *x, const zc_tensor *by)
{
    zc_tensor *out = NULL;
    for (int64_t k = 1; out == NULL; k++) {
        state->fail_at = state->calls + k;
        const zc_status status = zc_substitute(1, &y, 1, &x, &by, &out);
        state->fail_at = 0;
        cr_assert_eq(status, out != NULL ? ZC_OK : ZC_ERROR_MEMORY, "%d: %s", (int)status,
                     zc_error_text(zc_context_of(y)));
        zc_error_clear(zc_context_of(y));
        zc_failing_count();
    }
}

Test(substitute, nothing_is_left_where_memory_is_out)
{
    zc_skip_of_one_thread();
    zc_failing state = {0};
    const zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .allocator = &allocator});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = numbers(ctx, 20, 10, 1), *turned = zc_matrix_transpose(numbers(ctx, 10, 20, 2));
    fail_each(&state, expression_of(x), x, zc_negative(x));
    const zc_tensor *recorded = zc_exp(x);
    fail_each(&state, rearranged(recorded), recorded, turned);
    fail_each(&state, zc_reshape(recorded, ZC_SHAPE(200)), recorded, turned);
    const zc_tensor *chain = x; /* where blocks of memory end moves with the length */
    for (int i = 1; i <= 300; i++) {
        chain = zc_tanh(chain);
        if (i % 20 == 0)
            fail_each(&state, chain, x, turned);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_expect_eq(state.blocks, 0);
    cr_expect_eq(state.faults, 0);
}
