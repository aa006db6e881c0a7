/*
 * Gradients through calls that compute at once: they pass where a variable lies below, and are refused where they would
 * be cut. The law: a function with a computing call inside has the gradient of the function without it, or of one that
 * picks the same elements by hand.
 *
 * Longer than 500 lines because each call that computes has a twin that records.
 */
#include <math.h>

#include "tests/api/values.h"

enum { COUNT = 6 };

static const double values[COUNT] = {3, -1, 2, 3.5, 0.25, -4};

/* values, of shape (2, 3). */
static zc_tensor *data(zc_context *ctx)
{
    return zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2, 3), values, sizeof values);
}

/* Numbers of different sizes, so that gradients in wrong places show. */
static zc_tensor *weigh(zc_context *ctx, const zc_tensor *y)
{
    zc_tensor *index = zc_reshape(zc_iota(ctx, zc_size(y)), zc_rank(y), zc_shape(y));
    return zc_sum(zc_multiply(y, zc_add(index, zc_weak_float(ctx, 1))), ZC_ALL_AXES, false);
}

typedef zc_tensor *function(zc_context *ctx, const zc_tensor *x);

static zc_tensor *ok(zc_context *ctx, zc_status status, zc_tensor *const *t)
{
    cr_assert_eq(status, ZC_OK, "%s", zc_error_text(ctx));
    return *t;
}

static zc_tensor *materialized(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    return ok(ctx, zc_materialize(zc_exp(x), &out), &out);
}

static zc_tensor *not_materialized(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    return zc_exp(x);
}

/* Materializes a view that is no whole node, twice. */
static zc_tensor *materialized_view(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL, *again = NULL;
    out = ok(ctx, zc_materialize(zc_slice(zc_matrix_transpose(zc_square(x)), 0, 0, 3, 2), &out), &out);
    return ok(ctx, zc_materialize(zc_flip(out, ZC_ALL_AXES), &again), &again);
}

static zc_tensor *not_materialized_view(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    return zc_flip(zc_slice(zc_matrix_transpose(zc_square(x)), 0, 0, 3, 2), ZC_ALL_AXES);
}

/* The variable itself exists already. */
static zc_tensor *materialized_variable(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    return zc_square(ok(ctx, zc_materialize(zc_slice(x, 1, 1, 3, 1), &out), &out));
}

static zc_tensor *not_materialized_variable(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    return zc_square(zc_slice(x, 1, 1, 3, 1));
}

static zc_tensor *materialized_together(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out[2] = {NULL};
    const zc_tensor *const both[] = {zc_sin(x), zc_sum(x, ZC_AXES(1), true)};
    cr_assert_eq(zc_materialize_all(2, both, out), ZC_OK, "%s", zc_error_text(ctx));
    return zc_multiply(out[0], out[1]);
}

static zc_tensor *not_materialized_together(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    return zc_multiply(zc_sin(x), zc_sum(x, ZC_AXES(1), true));
}

static zc_tensor *compacted(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    return ok(ctx, zc_compact(zc_broadcast_to(zc_expand_dims(zc_exp(x), 1), ZC_SHAPE(4, 2, 5, 3)), &out), &out);
}

static zc_tensor *not_compacted(zc_context *ctx, const zc_tensor *x)
{
    (void)ctx;
    return zc_broadcast_to(zc_expand_dims(zc_exp(x), 1), ZC_SHAPE(4, 2, 5, 3));
}

static zc_tensor *sorted(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    return ok(ctx, zc_sort(zc_square(x), 1, true, &out), &out);
}

static zc_tensor *gathered(zc_context *ctx, const zc_tensor *x)
{
    static const int64_t order[COUNT] = {0, 2, 1, 2, 0, 1};
    return zc_take_along_axis(zc_square(x), zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2, 3), order, sizeof order), 1);
}

static zc_tensor *largest(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL, *index = NULL;
    cr_assert_eq(zc_top_k(x, 2, -1, true, &out, &index), ZC_OK, "%s", zc_error_text(ctx));
    return zc_exp(out);
}

static zc_tensor *largest_by_hand(zc_context *ctx, const zc_tensor *x)
{
    static const int64_t order[] = {0, 2, 0, 1};
    return zc_exp(zc_take_along_axis(x, zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2, 2), order, sizeof order), 1));
}

static zc_tensor *unique(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL, *counts = NULL;
    cr_assert_eq(zc_unique_counts(zc_round(x), &out, &counts), ZC_OK);
    return ok(ctx, zc_unique_values(zc_square(x), &out), &out);
}

static zc_tensor *unique_by_hand(zc_context *ctx, const zc_tensor *x)
{
    static const int64_t order[] = {4, 1, 2, 0, 3, 5};
    zc_tensor *flat = zc_reshape(zc_square(x), ZC_SHAPE(-1));
    return zc_take(flat, zc_from_data(ctx, ZC_INT64, ZC_SHAPE(COUNT), order, sizeof order), 0);
}

static const struct {
    const char *name;
    function *computing, *recorded;
} pairs[] = {{"materialize", materialized, not_materialized},
             {"a view", materialized_view, not_materialized_view},
             {"the variable", materialized_variable, not_materialized_variable},
             {"materialize_all", materialized_together, not_materialized_together},
             {"compact", compacted, not_compacted},
             {"sort", sorted, gathered},
             {"top_k", largest, largest_by_hand},
             {"unique", unique, unique_by_hand}};

enum { PAIRS = sizeof pairs / sizeof *pairs };

static void expect_equal(zc_context *ctx, const zc_tensor *got, const zc_tensor *wanted, const char *name)
{
    zc_tensor *out[2] = {NULL};
    const zc_tensor *const both[] = {got, wanted};
    cr_assert_eq(zc_materialize_all(2, both, out), ZC_OK, "%s: %s", name, zc_error_text(ctx));
    const double *a = zc_data(out[0]), *b = zc_data(out[1]);
    for (int64_t i = 0; i < zc_size(wanted); i++)
        cr_expect_eq(a[i], b[i], "%s: element %lld is %g, not %g", name, (long long)i, a[i], b[i]);
}

Test(variables, gradients_pass_what_is_computed_at_once)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    for (int p = 0; p < PAIRS; p++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_variable(data(ctx)), *plain = data(ctx);
        zc_tensor *y = weigh(ctx, pairs[p].computing(ctx, x)), *same = weigh(ctx, pairs[p].recorded(ctx, plain));
        expect_equal(ctx, y, same, pairs[p].name);
        expect_equal(ctx, zc_grad(y, x), zc_grad(same, plain), pairs[p].name);
        zc_scope_end(scope);
    }
    finish(b);
}

/* Twice: the gradient of the sum of the first gradient's squares. */
Test(variables, second_gradients_pass_too)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    for (int p = 0; p < PAIRS; p++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_variable(data(ctx)), *plain = data(ctx);
        zc_tensor *first = zc_grad(weigh(ctx, pairs[p].computing(ctx, x)), x), *kept = NULL;
        cr_assert_eq(zc_materialize(first, &kept), ZC_OK, "%s", zc_error_text(ctx));
        zc_tensor *wanted = zc_grad(zc_square(zc_grad(weigh(ctx, pairs[p].recorded(ctx, plain)), plain)), plain);
        expect_equal(ctx, zc_grad(zc_square(kept), x), wanted, pairs[p].name);
        zc_scope_end(scope);
    }
    finish(b);
}

Test(variables, a_gradient_that_would_be_cut_is_refused)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    for (int p = 0; p < PAIRS; p++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = data(ctx), *other = data(ctx), *computed = pairs[p].computing(ctx, x);
        zc_tensor *y = zc_add(weigh(ctx, computed), zc_sum(zc_multiply(x, other), ZC_ALL_AXES, false));
        const bool is_cut =
            pairs[p].computing != materialized_variable && /* the memory of a plain view is handed out */
            pairs[p].computing != largest;                 /* and that is recorded */
        if (is_cut) {
            cr_expect_null(zc_grad(y, x), "%s", pairs[p].name);
            cr_expect_eq(zc_error_status(ctx), ZC_ERROR_ARGUMENT, "%s", zc_error_text(ctx));
            zc_error_clear(ctx);
        }
        expect_equal(ctx, zc_grad(y, other), x, "of another tensor");
        zc_scope_end(scope);
    }
    finish(b);
}

/* Computed from a result that was computed from x, and so on; and from more tensors than a result tells apart. */
Test(variables, sources_are_known_through_many_results)
{
    enum { TENSORS = 20 };
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = data(ctx), *t[TENSORS], *step = NULL, *all = NULL;
    cr_assert_eq(zc_materialize(zc_exp(x), &step), ZC_OK);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(zc_materialize(zc_cos(step), &step), ZC_OK);
    cr_expect_null(zc_grad(step, x));
    zc_error_clear(ctx);
    zc_tensor *sum = step;
    for (int i = 0; i < TENSORS; i++) {
        t[i] = data(ctx);
        sum = zc_add(sum, t[i]);
    }
    cr_assert_eq(zc_materialize(sum, &all), ZC_OK);
    zc_tensor *young = data(ctx), *y = zc_multiply(all, young);
    cr_expect_null(zc_grad(y, x));
    for (int i = 0; i < TENSORS; i++)
        cr_expect_null(zc_grad(y, t[i]), "tensor %d", i);
    zc_error_clear(ctx);
    expect_equal(ctx, zc_grad(y, young), all, "a tensor that came later");
    finish(b);
}

/* An x that is still to be computed has no memory to know it by: what was computed after it counts. */
Test(variables, a_younger_result_is_refused_where_x_is_still_to_be_computed)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *before = NULL, *after = NULL, *base = data(ctx);
    cr_assert_eq(zc_materialize(zc_sin(base), &before), ZC_OK);
    zc_tensor *x = zc_exp(base);
    cr_assert_eq(zc_materialize(zc_cos(x), &after), ZC_OK);
    expect_equal(ctx, zc_grad(zc_multiply(x, before), x), before, "a result from before");
    cr_expect_null(zc_grad(zc_multiply(x, after), x));
    zc_error_clear(ctx);
    zc_tensor *v = zc_variable(x);
    expect_equal(ctx, zc_grad(zc_multiply(v, after), v), after, "held constant, since v came later");
    finish(b);
}

Test(variables, gradients_stop_where_they_are_told)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = zc_variable(data(ctx)), *plain = data(ctx), *held = NULL, *out = NULL;
    expect_equal(ctx, zc_grad(zc_multiply(x, zc_stop_gradient(x)), x), plain, "of the variable");
    expect_equal(ctx, zc_grad(zc_multiply(x, zc_stop_gradient(zc_exp(x))), x), zc_exp(plain), "of what is recorded");
    cr_assert_eq(zc_materialize(zc_exp(plain), &out), ZC_OK);
    expect_equal(ctx, zc_grad(zc_multiply(plain, zc_stop_gradient(out)), plain), out, "of what was computed");
    cr_assert_eq(zc_materialize(zc_stop_gradient(zc_exp(plain)), &held), ZC_OK);
    expect_equal(ctx, zc_grad(zc_multiply(plain, held), plain), held, "of what was held constant before");
    cr_expect(zc_varies(x) && zc_varies(zc_exp(x)) && !zc_varies(zc_stop_gradient(zc_exp(x))));
    cr_expect(!zc_varies(held) && !zc_varies(zc_greater(x, plain)) && !zc_varies(NULL));
    zc_tensor *flags = zc_stop_gradient(zc_greater(plain, zc_weak_float(ctx, 0)));
    cr_expect_eq(zc_dtype_of(flags), ZC_BOOL, "any dtype is held");
    finish(b);
}

/* Each element of a variable is one, also where it was made of a number. */
Test(variables, of_a_broadcast_has_elements_of_its_own)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = zc_variable(zc_full(ctx, ZC_SHAPE(2, 3), ZC_FLOAT64, 2)), *w = data(ctx);
    expect_equal(ctx, zc_grad(zc_multiply(x, w), x), w, "of a number");
    zc_tensor *row = zc_variable(zc_broadcast_to(zc_index(w, 0, 1), ZC_SHAPE(2, 3)));
    expect_equal(ctx, zc_grad(zc_multiply(row, w), row), w, "of a row");
    cr_expect_null(zc_variable(zc_iota(ctx, 3)));
    cr_expect_eq(zc_error_status(ctx), ZC_ERROR_DTYPE);
    zc_error_clear(ctx);
    cr_expect_null(zc_variable(NULL));
    cr_expect_null(zc_stop_gradient(NULL));
    finish(b);
}

/* Results of one variable are forgotten in any order; more variables than there are places share them. */
Test(variables, many_have_results_that_end_in_any_order)
{
    enum { VARIABLES = 80, RESULTS = 3 };
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *v[VARIABLES], *made[VARIABLES][RESULTS];
    for (int i = 0; i < VARIABLES; i++) {
        zc_tensor *x = data(ctx);
        v[i] = zc_variable(x);
        for (int k = 0; k < RESULTS; k++) {
            zc_tensor *y = zc_exp(v[i]);
            cr_assert_eq(zc_materialize(y, &made[i][k]), ZC_OK);
            zc_release(y);
        }
        zc_release(x);
    }
    for (int i = 0; i < VARIABLES; i++) {
        zc_release(made[i][1]);
        zc_tensor *gradient = zc_grad(made[i][0], v[i]);
        cr_expect_not_null(gradient, "%s", zc_error_text(ctx));
        zc_release(gradient);
        zc_release(i % 2 == 0 ? made[i][2] : v[i]);
    }
    for (int i = 0; i < VARIABLES; i++) {
        zc_release(i % 2 == 0 ? v[i] : made[i][2]);
        zc_release(made[i][0]);
    }
    cr_expect_eq(zc_memory_usage(ctx).nodes, 0);
    finish(b);
}

/* Gradients pass through what is computed in another context, beside variables of its own, too. */
Test(variables, of_another_context_are_differentiated_by)
{
    const bench b = begin(), there = begin();
    zc_context *ctx = b.ctx, *other = there.ctx;
    zc_tensor *v = zc_variable(data(ctx)), *x = zc_adopt(other, v), *out = NULL;
    expect_equal(other, zc_grad(zc_square(x), x), zc_multiply(data(other), zc_weak_float(other, 2)), "recorded");
    cr_assert_eq(zc_materialize(zc_square(x), &out), ZC_OK);
    expect_equal(other, zc_grad(out, x), zc_multiply(data(other), zc_weak_float(other, 2)), "computed");
    zc_tensor *factor = data(other); /* is not made of it, and has no gradient */
    expect_equal(other, zc_grad(zc_multiply(x, factor), x), factor, "beside data");
    zc_tensor *bits = zc_bitcast(zc_bitcast(x, ZC_INT64), ZC_FLOAT64);
    cr_assert_eq(zc_materialize(bits, &out), ZC_OK);
    cr_expect_null(zc_grad(zc_multiply(x, bits), x), "its bits");
    zc_error_clear(other);
    zc_tensor *own = zc_variable(data(other));
    cr_assert_eq(zc_materialize(zc_multiply(x, own), &out), ZC_OK);
    expect_equal(other, zc_grad(out, x), own, "beside one of its own");
    finish(there);
    finish(b);
}

/* Gradients flow through another handle of the variable's own memory, and through plain views of it. */
Test(variables, the_same_memory_is_the_same_tensor)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = data(ctx), *same = NULL, *rows = NULL;
    cr_assert_eq(zc_materialize(x, &same), ZC_OK);
    cr_assert_eq(zc_materialize(zc_slice(x, 0, 0, 1, 1), &rows), ZC_OK);
    expect_equal(ctx, zc_grad(zc_sum(zc_square(same), ZC_ALL_AXES, false), x), zc_multiply(x, zc_weak_float(ctx, 2)),
                 "what exists");
    cr_expect_not_null(zc_grad(zc_sum(rows, ZC_ALL_AXES, false), x));
    zc_tensor *bits = zc_bitcast(zc_bitcast(x, ZC_INT64), ZC_FLOAT64);
    cr_expect_null(zc_grad(zc_multiply(x, bits), x), "its bits");
    zc_error_clear(ctx);
    finish(b);
}

/* Elements that are held constant stay so where they travel. */
Test(variables, held_elements_travel)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = data(ctx), *y = zc_multiply(x, zc_stop_gradient(zc_exp(x))), *out = NULL;
    const zc_tensor *const *inputs = NULL, *written = y;
    zc_serialized *s = NULL;
    size_t size = 0;
    cr_assert_eq(zc_serialize(1, &written, &s), ZC_OK);
    const void *bytes = zc_serialized_bytes(s, &size);
    int count = zc_serialized_inputs(s, &inputs);
    cr_assert_eq(count, 1);
    zc_tensor *own = zc_variable(inputs[0]);
    const zc_tensor *given = own;
    cr_assert_eq(zc_deserialize(ctx, bytes, size, 1, &given, 1, &out), ZC_OK, "%s", zc_error_text(ctx));
    expect_equal(ctx, out, y, "the elements");
    expect_equal(ctx, zc_grad(out, own), zc_exp(zc_reshape(x, ZC_SHAPE(-1))), "the gradient");
    zc_serialized_free(s);
    finish(b);
}

/* A loop that takes a new variable in each step holds one step's memory. */
Test(variables, a_loop_of_steps_holds_one_step)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), values, sizeof values);
    zc_memory first = {0}, last = {0};
    for (int i = 0; i < 200; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *v = zc_variable(x), *ordered = NULL, *next = NULL;
        cr_assert_eq(zc_sort(zc_square(v), 0, false, &ordered), ZC_OK);
        zc_tensor *step = zc_multiply(zc_grad(weigh(ctx, ordered), v), zc_weak_float(ctx, 1e-3));
        cr_assert_eq(zc_materialize(zc_subtract(x, step), &next), ZC_OK, "%s", zc_error_text(ctx));
        zc_keep(next);
        zc_scope_end(scope);
        zc_release(x);
        x = next;
        last = zc_memory_usage(ctx);
        first = i == 0 ? last : first;
    }
    cr_expect_eq(last.nodes, first.nodes);
    cr_expect_eq(last.held_bytes, first.held_bytes);
    zc_release(x);
    finish(b);
}

/* A view that shows an element more than once, by steps or by windows. */
Test(variables, of_windows_has_elements_of_its_own)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *row = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), values, sizeof values);
    zc_tensor *windows = zc_sliding_window_view(row, 1, (const int64_t[]){3}, 1, (const int[]){0});
    zc_tensor *x = zc_variable(windows);
    expect_equal(ctx, zc_grad(zc_multiply(x, windows), x), windows, "of windows");
    finish(b);
}

/* Results that are not made of a variable hand nothing on to it, also where its own data is what they are made of. */
Test(variables, data_beside_a_variable_is_constant)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *first = zc_variable(data(ctx)), *start = data(ctx), *second = zc_variable(start);
    zc_tensor *doubled = NULL, *held = NULL, *out[2] = {NULL};
    cr_assert_eq(zc_materialize(zc_add(start, start), &doubled), ZC_OK);
    cr_assert_eq(zc_materialize(zc_exp(zc_stop_gradient(second)), &held), ZC_OK);
    zc_tensor *y = zc_add(zc_multiply(second, zc_add(zc_add(start, doubled), held)), first);
    cr_assert_eq(zc_vjp(y, NULL, 2, (const zc_tensor *const[]){first, second}, out), ZC_OK, "%s", zc_error_text(ctx));
    expect_equal(ctx, out[0], zc_full(ctx, ZC_SHAPE(2, 3), ZC_FLOAT64, 1), "of the first variable");
    expect_equal(ctx, out[1], zc_add(zc_add(start, doubled), held), "of the second one");
    finish(b);
}

/* Parameters that are variables, each of which the next step's is made of. */
Test(variables, a_loop_over_several_variables_goes_on)
{
    enum { PARAMETERS = 20, STEPS = 100 };
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *p[PARAMETERS], *next[PARAMETERS], *out[PARAMETERS];
    zc_memory first = {0}, last = {0};
    for (int i = 0; i < PARAMETERS; i++) {
        zc_tensor *start = data(ctx);
        p[i] = zc_variable(start);
        zc_release(start);
    }
    for (int step = 0; step < STEPS; step++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *y = zc_weak_float(ctx, 0), *moved = NULL;
        for (int i = 0; i < PARAMETERS; i++)
            y = zc_add(y, zc_square(p[i]));
        cr_assert_eq(zc_vjp(y, NULL, PARAMETERS, (const zc_tensor *const *)p, out), ZC_OK, "%s", zc_error_text(ctx));
        for (int i = 0; i < PARAMETERS; i++) { /* the gradient is 2 p: a step of a quarter halves */
            cr_assert_eq(zc_materialize(zc_subtract(p[i], zc_multiply(out[i], zc_weak_float(ctx, 0.25))), &moved),
                         ZC_OK);
            next[i] = zc_keep(zc_variable(moved));
        }
        zc_scope_end(scope);
        for (int i = 0; i < PARAMETERS; i++) {
            zc_release(p[i]);
            p[i] = next[i];
        }
        last = zc_memory_usage(ctx);
        first = step == 0 ? last : first;
    }
    cr_expect_eq(last.nodes, first.nodes, "%lld nodes, then %lld", (long long)first.nodes, (long long)last.nodes);
    zc_scope *scope = zc_scope_begin(ctx);
    expect_equal(ctx, p[PARAMETERS - 1], zc_multiply(data(ctx), zc_weak_float(ctx, ldexp(1, -STEPS))), "the last step");
    zc_scope_end(scope);
    for (int i = 0; i < PARAMETERS; i++)
        zc_release(p[i]);
    finish(b);
}

/* In another context, whose first nodes are recorded when the variable's context has recorded many. */
Test(variables, gradients_pass_through_another_context)
{
    zc_context *ctx = zc_context_new(NULL), *other = zc_context_new(NULL); /* each holds memory of the other */
    zc_scope *scope = zc_scope_begin(ctx), *others = zc_scope_begin(other);
    for (int i = 0; i < 20; i++)
        (void)data(ctx);
    zc_tensor *x = zc_variable(data(ctx)), *recorded = zc_exp(data(ctx)), *cut = NULL, *ordered = NULL, *again = NULL;
    zc_tensor *adopted = zc_adopt(other, x), *adopted_recorded = zc_adopt(other, recorded), *back = NULL;
    cr_assert_eq(zc_sort(adopted_recorded, 1, false, &cut), ZC_OK);
    cr_expect_null(zc_grad(cut, adopted_recorded), "what forgot x is refused");
    zc_error_clear(other);
    cr_assert_eq(zc_sort(adopted, 1, false, &ordered), ZC_OK);
    cr_expect(zc_varies(ordered));
    cr_assert_eq(zc_materialize(zc_square(ordered), &again), ZC_OK);
    zc_release(zc_keep(zc_variable(again))); /* the last variable of its context */
    zc_tensor *wanted = zc_multiply(data(other), zc_weak_float(other, 2));
    expect_equal(other, zc_grad(again, adopted), wanted, "in the other context");
    cr_assert_eq(zc_materialize(zc_negative(zc_adopt(ctx, again)), &back), ZC_OK);
    expect_equal(ctx, zc_grad(back, x), zc_negative(zc_adopt(ctx, wanted)), "and back");
    zc_scope_end(others);
    zc_scope_end(scope);
    zc_context_free(other);
    zc_context_free(ctx);
}

/* Bytes that are read as other elements are no elements of the variable's any more: that is refused, not cut. */
Test(variables, bits_and_parts_of_computed_elements_are_refused)
{
    const bench b = begin();
    zc_context *ctx = b.ctx;
    zc_tensor *x = zc_variable(data(ctx)), *z = NULL;
    cr_assert_eq(zc_materialize(zc_complex(zc_sin(x), x), &z), ZC_OK, "%s", zc_error_text(ctx));
    zc_tensor *const ways[] = {zc_real(z), zc_imag(z), zc_bitcast(zc_bitcast(x, ZC_INT64), ZC_FLOAT64)};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        zc_tensor *ordered = NULL;
        cr_assert_not_null(ways[i], "%s", zc_error_text(ctx));
        cr_assert_eq(zc_sort(ways[i], 1, false, &ordered), ZC_OK);
        cr_expect(zc_is_view(ways[i]) && zc_varies(ways[i]), "way %zu", i);
        cr_expect_null(zc_grad(zc_multiply(ways[i], x), x), "way %zu", i);
        cr_expect_null(zc_grad(ordered, x), "way %zu, sorted", i);
        cr_expect_eq(zc_error_status(ctx), ZC_ERROR_ARGUMENT, "%s", zc_error_text(ctx));
        zc_error_clear(ctx);
    }
    finish(b);
}

static zc_status call_sort(const zc_tensor *x, zc_tensor **out)
{
    return zc_sort(x, 1, false, out);
}

static zc_status call_top_k(const zc_tensor *x, zc_tensor **out)
{
    zc_tensor *index = NULL;
    return zc_top_k(x, 2, 0, true, out, &index);
}

static zc_status call_quantile(const zc_tensor *x, zc_tensor **out)
{
    return zc_quantile(x, zc_index(x, 0, 0), ZC_ALL_AXES, false, false, out);
}

static zc_status call_median(const zc_tensor *x, zc_tensor **out)
{
    return zc_median(x, ZC_AXES(0), false, true, out);
}

/* A call that remembers records, too: where the limit of nodes has no room for that, it says so. */
Test(variables, a_limit_of_nodes_is_told_as_such)
{
    static zc_status (*const calls[])(const zc_tensor *, zc_tensor **) = {
        call_sort, call_top_k, zc_unique_values, call_quantile, call_median, zc_materialize, zc_compact};
    static const double parts[COUNT] = {0.5, 0.25, 0.125, 1, 0, 0.75};
    enum { MOST = 60 };
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        int refused = 0, done = 0;
        for (int limit = 2; limit < MOST; limit++) {
            const bench b = begin_with((zc_options){.threads = 1, .node_limit = limit});
            zc_tensor *x = zc_variable(zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(2, 3), parts, sizeof parts));
            zc_tensor *out = NULL, *square = x == NULL ? NULL : zc_square(x);
            const zc_status status = square == NULL ? ZC_ERROR_BUDGET : calls[c](square, &out);
            cr_expect_eq(status, zc_error_status(b.ctx), "call %zu, limit %d: %d", c, limit, (int)status);
            cr_expect(status == ZC_OK || (status == ZC_ERROR_BUDGET && out == NULL), "call %zu, limit %d", c, limit);
            refused += square != NULL && status != ZC_OK;
            done += status == ZC_OK;
            finish(b);
        }
        cr_expect(done > 0 && (refused > 0 || c >= 5), "call %zu: %d are refused", c, refused);
    }
}
