/* Expressions: the tensors that calls would have recorded, and one sentence for each that is none. */
#include "tests/api/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/failing.h"

static void expect_same(const zc_tensor *t, const zc_tensor *wanted)
{
    zc_tensor *a = result_of(t), *b = result_of(wanted);
    cr_assert_eq(zc_dtype_of(a), zc_dtype_of(b));
    cr_assert_eq(zc_rank(a), zc_rank(b));
    for (int i = 0; i < zc_rank(a); i++)
        cr_assert_eq(zc_shape(a)[i], zc_shape(b)[i]);
    const size_t bytes = (size_t)zc_size(a) * zc_dtype_bytes(zc_dtype_of(a));
    cr_expect_eq(memcmp(zc_data(a), zc_data(b), bytes), 0);
}

/* ---- What calls would give ---- */

Test(eval, gives_what_calls_give)
{
    bench b = begin();
    zc_tensor *w = OF(b.ctx, ZC_FLOAT32, 0.1, -7, 3), *g = OF(b.ctx, ZC_FLOAT32, 1e-3, 2, 1e30);
    zc_tensor *u = zc_reshape(zc_arange(b.ctx, 0, 35, 1, ZC_FLOAT64), ZC_SHAPE(5, 7));
    expect_same(zc_eval(b.ctx, "w - 0.1 * g", ZC_NAMED(w, g)),
                zc_subtract(w, zc_multiply(zc_weak_float(b.ctx, 0.1), g)));
    expect_same(zc_eval(b.ctx, "c = u[1:-1, 1:-1]; pad(c * 2, 1)", ZC_NAMED(u)),
                zc_pad(zc_multiply(zc_slice(zc_slice(u, 0, 1, -1, 1), 1, 1, -1, 1), zc_weak_int(b.ctx, 2)),
                       ZC_SHAPE(1, 1), LENGTHS(1, 1), ZC_PAD_CONSTANT, NULL));
    expect_same(zc_eval(b.ctx, "mean(u, axis=0) @ u.T", ZC_NAMED(u)),
                zc_matmul(zc_mean(u, ZC_AXES(0), false), zc_matrix_transpose(u)));
    zc_tensor *sorted = NULL;
    cr_assert_eq(zc_sort(w, 0, true, &sorted), ZC_OK);
    expect_same(zc_eval(b.ctx, "sort(w, descending=True)", ZC_NAMED(w)), sorted);
    expect_same(zc_eval(b.ctx, "arange(6.)[::2]", NULL, 0, NULL), OF(b.ctx, ZC_FLOAT64, 0, 2, 4));
    finish(b);
}

Test(eval, takes_weak_constants_as_numbers)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT32, 1, 2), *bytes = OF(b.ctx, ZC_UINT8, 250, 3);
    zc_tensor *half = zc_weak_float(b.ctx, 0.5), *two = zc_weak_int(b.ctx, 2), *yes = zc_weak_bool(b.ctx, true);
    zc_tensor *most = zc_weak_uint(b.ctx, UINT64_MAX), *turn = zc_weak_complex(b.ctx, 0, 1);
    zc_tensor *scaled = zc_eval(b.ctx, "x * (half + two)", ZC_NAMED(x, half, two));
    cr_assert_eq(zc_dtype_of(scaled), ZC_FLOAT32);
    EXPECT(scaled, 2.5, 5);
    EXPECT(zc_eval(b.ctx, "reshape(arange(4), (two, -1))[1]", ZC_NAMED(two)), 2, 3);
    EXPECT(zc_eval(b.ctx, "sum(x, keepdims=yes)", ZC_NAMED(x, yes)), 3);
    EXPECT(zc_eval(b.ctx, "x_1 + Y", "\n x_1 ,\tY", ZC_TENSORS(x, half)), 1.5, 2.5);
    zc_tensor *wrapped = zc_eval(b.ctx, "bytes + two", ZC_NAMED(bytes, two));
    cr_assert_eq(zc_dtype_of(wrapped), ZC_UINT8);
    EXPECT(wrapped, 252, 5);
    uint64_t element = 0;
    zc_tensor *kept = result_of(zc_eval(b.ctx, "most", ZC_NAMED(most)));
    memcpy(&element, zc_data(kept), sizeof element);
    cr_expect_eq(element, UINT64_MAX);
    EXPECT(zc_real(zc_eval(b.ctx, "turn * turn * x", ZC_NAMED(turn, x))), -1, -2);
    finish(b);
}

Test(eval, differentiates_by_the_tensor_that_a_name_stands_for)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3);
    zc_tensor *loss = zc_sum(zc_multiply(x, x), ZC_ALL_AXES, false);
    EXPECT(zc_eval(b.ctx, "grad(loss, x)", ZC_NAMED(loss, x)), 2, 4, 6);
    EXPECT(zc_eval(b.ctx, "x - 0.5 * grad(sum(x * x), x)", ZC_NAMED(x)), 0, 0, 0);
    EXPECT(zc_eval(b.ctx, "y = x + 1; grad(sum(y ** 3), y)", ZC_NAMED(x)), 12, 27, 48);
    zc_tensor *k = zc_weak_float(b.ctx, 3);
    EXPECT(zc_eval(b.ctx, "grad(k * k, k)", ZC_NAMED(k)), 6);
    EXPECT(zc_eval(b.ctx, "vjp(sum(x * k), k, 1.0)", ZC_NAMED(x, k)), 6);
    finish(b);
}

/* ---- Handles and scopes ---- */

Test(eval, gives_the_caller_a_handle_of_its_own)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = zc_from_data(ctx, ZC_INT32, ZC_SHAPE(2), (const int32_t[]){4, 5}, 8);
    zc_tensor *same = zc_eval(ctx, "x", ZC_NAMED(x));
    cr_assert_neq(same, x);
    zc_release(x);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *inside = zc_eval(ctx, "y = same * 2; z = y + y; z", ZC_NAMED(same)),
              *again = zc_eval(ctx, "inside", ZC_NAMED(inside));
    zc_tensor *kept = zc_keep(zc_eval(ctx, "again + 1", ZC_NAMED(again)));
    zc_scope_end(scope); /* ends inside and again */
    int32_t elements[2] = {0};
    cr_assert_eq(zc_copy_to(kept, ZC_INT32, elements, sizeof elements), ZC_OK);
    cr_expect(elements[0] == 17 && elements[1] == 21);
    zc_release(kept);
    zc_release(same);
    cr_expect_eq(zc_memory_usage(ctx).nodes, 0);
    zc_context_free(ctx);
}

/* ---- Refusals ---- */

Test(eval, refuses_in_one_sentence)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3), *y = OF(b.ctx, ZC_FLOAT64, 1, 2), *none = NULL;
    static const struct {
        const char *expression, *names;
        int count;
        zc_status status;
        const char *sentence;
    } rows[] = {
        {"x +", "x, y", 2, ZC_ERROR_FORMAT, "eval: syntax error at column 4: expected a value, found the end"},
        {"x;\n  y)", "x, y", 2, ZC_ERROR_FORMAT,
         "eval: syntax error at line 2, column 4: this bracket closes none that is open"},
        {"", "x, y", 2, ZC_ERROR_FORMAT, "eval: the expression is empty"},
        {"x + y", "x, y", 2, ZC_ERROR_SHAPE, NULL},
        {"sqroot(x)", "x, y", 2, ZC_ERROR_ARGUMENT, "eval: unknown function 'sqroot'; did you mean 'sqrt'?"},
        {"x + z", "x, y", 2, ZC_ERROR_ARGUMENT, NULL},
        {"x, y", "x, y", 2, ZC_ERROR_ARGUMENT, "eval: the expression has 2 results, not one"},
        {"x", "x", 2, ZC_ERROR_ARGUMENT, "eval: there are 1 names and 2 tensors"},
        {"x", "x, y, z", 2, ZC_ERROR_ARGUMENT, "eval: there are 3 names and 2 tensors"},
        {"x", "x,, y", 2, ZC_ERROR_ARGUMENT, "eval: there are 3 names and 2 tensors"},
        {"x", "x, ", 2, ZC_ERROR_ARGUMENT, "eval: 'x, ' is no list of names"},
        {"x", "x, a->y", 2, ZC_ERROR_ARGUMENT, "eval: 'x, a->y' is no list of names"},
        {"x", "2x, y", 2, ZC_ERROR_ARGUMENT, "eval: '2x, y' is no list of names"},
        {"x", NULL, 2, ZC_ERROR_ARGUMENT, "eval: there are 0 names and 2 tensors"},
        {"x", "x y, y", 2, ZC_ERROR_ARGUMENT, "eval: 'x y, y' is no list of names"},
        {"x[0.5]", "x, y", 2, ZC_ERROR_ARGUMENT, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const zc_tensor *const tensors[] = {x, y};
        cr_expect_null(zc_eval(b.ctx, rows[i].expression, rows[i].names, rows[i].count, tensors));
        cr_expect_eq(zc_error_status(b.ctx), rows[i].status, "%s: %s", rows[i].expression, zc_error_text(b.ctx));
        cr_expect(rows[i].sentence == NULL || strcmp(zc_error_text(b.ctx), rows[i].sentence) == 0, "%s",
                  zc_error_text(b.ctx));
        cr_expect_null(strchr(zc_error_text(b.ctx), '\n'));
        zc_error_clear(b.ctx);
    }
    expect_refused(b, zc_eval(b.ctx, "x", ZC_NAMED(none)), ZC_ERROR_ARGUMENT, "eval: none is NULL");
    expect_refused(b, zc_eval(b.ctx, "x", ZC_NAMED(x, y, x)), ZC_ERROR_ARGUMENT, "eval: x stands for two tensors");
    expect_refused(b, zc_eval(b.ctx, "1", "x", 1, NULL), ZC_ERROR_ARGUMENT, "eval: x is NULL");
    expect_refused(b, zc_eval(b.ctx, NULL, NULL, 0, NULL), ZC_ERROR_ARGUMENT, "eval: the expression is NULL");
    cr_expect_null(zc_eval(NULL, "1", NULL, 0, NULL));
    finish(b);
}

Test(eval, refuses_tensors_of_other_contexts)
{
    static const char *const expressions[] = {"-y", "y + 1", "reshape(y, (7,))", "concat([y, y])", "sort(y)", "1"};
    bench b = begin();
    zc_context *other = zc_context_new(NULL);
    zc_tensor *y = zc_from_data(other, ZC_FLOAT64, ZC_SHAPE(2), (const double[]){3, 4}, 16);
    for (int has_ended = 0; has_ended < 2; has_ended++) {
        for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
            expect_refused(b, zc_eval(b.ctx, expressions[i], ZC_NAMED(y)), ZC_ERROR_ARGUMENT,
                           "eval: y belongs to another context; zc_adopt takes it into this one");
        if (has_ended == 0)
            cr_expect_eq(zc_error_status(other), ZC_OK);
        if (has_ended == 0)
            zc_context_free(other);
    }
    y = zc_keep(y);
    zc_tensor *own = zc_adopt(b.ctx, y);
    EXPECT(zc_eval(b.ctx, "own + 1", ZC_NAMED(own)), 4, 5);
    zc_release(y);
    finish(b);
}

/* A failure keeps its figures, and those that are renamed their status. */
Test(eval, tells_the_figures_of_a_limit)
{
    bench b = begin_with((zc_options){.memory_limit = 1000});
    zc_budget budget = {0};
    cr_expect_null(zc_eval(b.ctx, "sort(arange(1000.))", NULL, 0, NULL));
    cr_expect(zc_error_budget(b.ctx, &budget) && budget.limit == 1000 && budget.need > 1000, "%s",
              zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    cr_expect_null(zc_eval(b.ctx, "grad(arange(3), arange(3.))", NULL, 0, NULL));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_DTYPE);
    cr_expect_str_eq(zc_error_text(b.ctx), "eval: grad: y is int64; floats have gradients");
    zc_error_clear(b.ctx);
    finish(b);
}

Test(eval, leaves_the_first_failure)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3);
    cr_expect_null(zc_reshape(x, ZC_SHAPE(7)));
    char *first = strdup(zc_error_text(b.ctx)), *text = NULL;
    cr_expect_null(zc_eval(b.ctx, "x +", ZC_NAMED(x)));
    cr_expect_str_eq(zc_error_text(b.ctx), first);
    EXPECT(zc_eval(b.ctx, "y = x * 2; grad(sum(y), y)", ZC_NAMED(x)), 1, 1, 1);
    cr_assert_eq(zc_text(x, &text), ZC_OK);
    zc_text_free(b.ctx, text);
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_SHAPE);
    cr_expect_str_eq(zc_error_text(b.ctx), first);
    free(first);
    zc_error_clear(b.ctx);
    finish(b);
}

/* ---- Memory ---- */

static const char *const programs[] = {
    "x = arange(6); y = reshape(x, (2, 3)); sum(y[y > 1]) + t",
    "split(t, 3)[1] + concat([t, [1, 2]])[0] + einsum('i->', t)",
    "a = (t, 2) + (3,); b = [a[1], a[2]] * 2; sum(b) + (((((((((((((((((((t)))))))))))))))))))",
    "u = unique_all([3, 1, 3])[2]; meshgrid(u, [3])[0] + broadcast_shapes((2, 1), (3,))[0] * can_cast(int8, int16)",
    "isin(t, [2]).T[::-1] if_",
};

/* Every allocation fails in turn: of the language's and of what it records. */
Test(eval, survives_failing_allocations)
{
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        bool is_done = false;
        for (int k = 1; !is_done; k++) {
            zc_failing state = {0};
            const zc_allocator allocator = zc_failing_allocator(&state);
            const zc_options options = {.allocator = &allocator};
            zc_context *ctx = zc_context_new(&options);
            zc_tensor *t = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(3), (const int64_t[]){7, 8, 9}, 24);
            char *text = NULL;
            state.fail_at = state.calls + k;
            zc_tensor *result = zc_eval(ctx, programs[p], ZC_NAMED(t));
            const bool has_text = result != NULL && zc_text(result, &text) == ZC_OK;
            is_done = state.calls < state.fail_at;
            state.fail_at = 0;
            const zc_status wanted = has_text ? ZC_OK : is_done ? ZC_ERROR_FORMAT : ZC_ERROR_MEMORY;
            cr_expect_eq(zc_error_status(ctx), wanted, "program %zu, allocation %d: %s", p, k, zc_error_text(ctx));
            zc_text_free(ctx, text);
            zc_release(result);
            zc_release(t);
            zc_context_trim(ctx);
            cr_expect_eq(zc_memory_usage(ctx).nodes, 0);
            cr_expect_eq(zc_memory_usage(ctx).held_bytes, 0);
            zc_context_free(ctx);
            cr_assert_eq(state.blocks, 0, "program %zu, allocation %d", p, k);
            cr_assert_eq(state.faults, 0);
        }
    }
}

/* ---- Arrays as text ---- */

static void expect_printed(const zc_tensor *t, const char *wanted)
{
    char *text = NULL;
    cr_assert_eq(zc_text(t, &text), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    cr_expect_str_eq(text, wanted);
    zc_text_free(zc_context_of(t), text);
}

/* NumPy's print() wrote these. */
Test(text_of, arrays_is_numpys)
{
    bench b = begin();
    expect_printed(zc_full(b.ctx, ZC_SCALAR_SHAPE, ZC_UINT64, 3), "3");
    expect_printed(OF(b.ctx, ZC_FLOAT64, 1, -0.5, 1e-3), "[ 1.    -0.5    0.001]");
    expect_printed(zc_reshape(OF(b.ctx, ZC_INT32, 1, 20, -3, 4, 5, 6), ZC_SHAPE(2, 3)), "[[ 1 20 -3]\n [ 4  5  6]]");
    expect_printed(zc_equal(OF(b.ctx, ZC_INT8, 1, 2), zc_weak_int(b.ctx, 2)), "[False  True]");
    expect_printed(zc_full(b.ctx, ZC_SHAPE(0, 3), ZC_INT8, 1), "[]");
    expect_printed(zc_arange(b.ctx, 0, 2000, 1, ZC_INT64), "[   0    1    2 ... 1997 1998 1999]");
    expect_printed(zc_broadcast_to(zc_weak_int(b.ctx, 7), ZC_SHAPE(1000000, 1000000)),
                   "[[7 7 7 ... 7 7 7]\n [7 7 7 ... 7 7 7]\n [7 7 7 ... 7 7 7]\n ...\n [7 7 7 ... 7 7 7]\n"
                   " [7 7 7 ... 7 7 7]\n [7 7 7 ... 7 7 7]]");
    expect_printed(OF(b.ctx, ZC_FLOAT32, 0, (double)NAN, (double)INFINITY), "[ 0. nan inf]");
    finish(b);
}

Test(text_of, arrays_that_are_refused)
{
    bench b = begin();
    char *text = NULL;
    cr_expect_eq(zc_text(NULL, &text), ZC_ERROR_ARGUMENT);
    const zc_tensor *x = zc_full(b.ctx, ZC_SHAPE(2), ZC_INT8, 1);
    cr_expect_eq(zc_text(x, NULL), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(b.ctx), "text: text is NULL");
    zc_error_clear(b.ctx);
    int64_t shape[12];
    for (int i = 0; i < 12; i++)
        shape[i] = 6;
    cr_expect_eq(zc_text(zc_full(b.ctx, 12, shape, ZC_INT8, 1), &text), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(b.ctx),
                     "text: print: more than 1048576 elements would be shown; save them to a file");
    zc_error_clear(b.ctx);
    cr_expect_null(text);
    finish(b);
}
