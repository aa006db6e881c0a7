/*
 * Functions that the command has by a row of the library's tables: every elementwise operation and every reduction, and
 * what eval makes of a call is what the library's function of that name makes.
 */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <string.h>

#include "tools/command/session.h"

typedef zc_tensor *unary(const zc_tensor *x);
typedef zc_tensor *binary(const zc_tensor *x, const zc_tensor *y);
typedef zc_tensor *ternary(const zc_tensor *x, const zc_tensor *y, const zc_tensor *z);
typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

typedef struct operation {
    const char *name;
    unary *unary;
    binary *binary;
    ternary *ternary;
    reduction *reduction;
} operation;

static const operation operations[] = {
#define ROW_1(name)                                     {#name, .unary = zc_##name},
#define ROW_2(name)                                     {#name, .binary = zc_##name},
#define ROW_3(name)                                     {#name, .ternary = zc_##name},
#define ZC_OP(NAME, name, arity, ...)                   ROW_##arity(name)
#define ZC_REDUCTION(NAME, name, combine, padding, ...) {#name, .reduction = zc_##name},
#include "runtime/ops/ops.def"
#include "runtime/ops/reductions.def"
};

enum { ELEMENTS = 4, OPERATIONS = sizeof operations / sizeof operations[0] };

/* Operands that no operation takes for each other; the first as bools for where. */
static const char operands[] = "x = [7, 0, 5, 9]; y = [2, 3, 1, 2]; z = [1, 6, 4, 5]; b = greater(x, 5)\n";
static const int64_t x_values[] = {7, 0, 5, 9}, y_values[] = {2, 3, 1, 2}, z_values[] = {1, 6, 4, 5};

static zc_tensor *tensor_of(zc_context *ctx, const int64_t *values)
{
    return zc_from_data(ctx, ZC_INT64, 1, (const int64_t[]){ELEMENTS}, values, ELEMENTS * sizeof *values);
}

static zc_tensor *call_library(zc_context *ctx, const operation *o)
{
    zc_tensor *x = tensor_of(ctx, x_values), *y = tensor_of(ctx, y_values), *z = tensor_of(ctx, z_values);
    zc_tensor *five = zc_weak_int(ctx, 5), *b = zc_greater(x, five);
    bool takes_bools = strcmp(o->name, "where") == 0;
    zc_tensor *result = o->unary != NULL     ? o->unary(x)
                        : o->binary != NULL  ? o->binary(x, y)
                        : o->ternary != NULL ? o->ternary(takes_bools ? b : x, y, z)
                                             : o->reduction(x, 1, (const int[]){0}, false);
    zc_tensor *dense = NULL;
    cr_assert_eq(zc_materialize(result, &dense), ZC_OK, "%s: %s", o->name, zc_error_text(ctx));
    zc_tensor *all[] = {x, y, z, five, b, result};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        zc_release(all[i]);
    return dense;
}

static void expect_the_same(const operation *o, const char *call)
{
    char text[256];
    zc_fault fault = {0};
    zc_session session;
    zc_tensor *dense = NULL;
    (void)snprintf(text, sizeof text, "%s%s(%s", operands, o->name, call);
    zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = text};
    bool ok =
        zc_session_begin(&session, &request, &fault) && zc_materialize(session.results.tensors[0], &dense) == ZC_OK;
    cr_expect(ok, "%s: %s", o->name, fault.text);
    if (ok) {
        zc_tensor *wanted = call_library(session.ctx, o);
        size_t bytes = (size_t)zc_size(wanted) * zc_dtype_bytes(zc_dtype_of(wanted));
        cr_expect(zc_dtype_of(dense) == zc_dtype_of(wanted) && zc_size(dense) == zc_size(wanted) &&
                      memcmp(zc_data(dense), zc_data(wanted), bytes) == 0,
                  "%s is another function", o->name);
        zc_release(wanted);
    }
    zc_release(dense);
    zc_session_end(&session);
}

Test(functions, of_every_row_are_the_librarys)
{
    cr_assert_geq((int)OPERATIONS, 78 + 9);
    for (int i = 0; i < OPERATIONS; i++) {
        const operation *o = &operations[i];
        bool takes_bools = strcmp(o->name, "where") == 0;
        expect_the_same(o, o->unary != NULL     ? "x)"
                           : o->binary != NULL  ? "x, y)"
                           : o->ternary == NULL ? "x, axis=0)"
                           : takes_bools        ? "b, y, z)"
                                                : "x, y, z)");
    }
}

static void expect_calls(const char *expression, bool wanted)
{
    zc_fault fault = {0};
    zc_session session;
    zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = expression};
    cr_expect_eq(zc_session_begin(&session, &request, &fault), wanted, "%s: %s", expression, fault.text);
    zc_session_end(&session);
}

/* Parameters have the standard's names, which a row of functions.def can change. */
Test(functions, take_arguments_by_name)
{
    expect_calls("subtract(x2=1, x1=5)", true);
    expect_calls("fma(z=1, x=5, y=2.5)", true);
    expect_calls("sum(x=[1, 2], axis=0, keepdims=True, dtype=float32)", true);
    expect_calls("max(x=[1, 2], axis=0, dtype=float32)", false);
    expect_calls("where(condition=True, x1=1, x2=2)", true);
    expect_calls("where(x=True, y=1, z=2)", false);
    expect_calls("lerp(start=0, end=1, weight=0.5)", true);
    expect_calls("clip(5, min=2)", true);
    expect_calls("gelu(1.5, approximate='tanh')", true);
}
