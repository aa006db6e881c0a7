/*
 * Functions that the command has by a row of the library's tables: every elementwise operation and every reduction, and
 * what eval makes of a call is what the library's function of that name makes.
 */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <string.h>

#include "expressions/functions/meaning.h"
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
#undef ZC_OP
#undef ZC_REDUCTION
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

/* ---- What they mean ---- */

/* All names of the table, each once. */
static const char *const names[] = {
#define ZC_FUNCTION(name, ...)         name,
#define ZC_CALL_FUNCTION(name, ...)    name,
#define ZC_TUPLE_FUNCTION(name, ...)   name,
#define ZC_DEFINED_FUNCTION(name, ...) name,
#include "expressions/functions/functions.def"
#undef ZC_FUNCTION
#undef ZC_CALL_FUNCTION
#undef ZC_TUPLE_FUNCTION
#undef ZC_DEFINED_FUNCTION
};

enum { NAMES = sizeof names / sizeof names[0] };

Test(functions, have_a_meaning_each)
{
    int rows, computing = 0;
    const zc_meaning *meanings = zc_meanings(&rows);
    cr_assert(rows > 100 && meanings[0].name == NULL);
    for (int i = 0; i < NAMES; i++)
        cr_expect_not_null(zc_meaning_find(names[i]), "help.def has no row of %s", names[i]);
    for (int i = 0; i < rows; i++) {
        cr_expect_gt(strlen(meanings[i].text), 0);
        cr_expect_lt(strlen(meanings[i].text), 110, "%s", meanings[i].text);
        cr_expect(i + 1 < rows ? meanings[i].name != NULL || meanings[i + 1].name != NULL : meanings[i].name != NULL,
                  "the topic '%s' has no functions", meanings[i].text);
        if (meanings[i].name == NULL)
            continue;
        computing += meanings[i].computes;
        cr_expect_not_null(zc_function_find(meanings[i].name), "there is no function %s", meanings[i].name);
        cr_expect(zc_meaning_find(meanings[i].name) == &meanings[i], "%s has two rows", meanings[i].name);
    }
    cr_expect(computing > 0 && computing <= ZC_MAX_COMPUTED);
}

/* A call that computes takes data memory before anything is asked for; others take none. */
Test(functions, compute_as_their_meaning_says)
{
    static const char *const calls[] = {"sort(x)",
                                        "argsort(x)",
                                        "top_k(x, 2)",
                                        "searchsorted(x, x)",
                                        "unique_values(x)",
                                        "unique_counts(x)",
                                        "quantile(x, 0.3)",
                                        "median(x)",
                                        "nanmedian(x)",
                                        "nanquantile(x, 0.5)",
                                        "stop_gradient(x)",
                                        "unique_inverse(x)",
                                        "unique_all(x)",
                                        "nonzero(x)",
                                        "sum(x)",
                                        "isin(x, x)",
                                        "cumulative_sum(x)",
                                        "take(x, [0, 1])",
                                        "roll(x, 1)",
                                        "count_nonzero(x)",
                                        "matmul(x, x)",
                                        "scatter_add(x, [1], [2])",
                                        "argmax(x)"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char text[256], name[32];
        zc_fault fault = {0};
        zc_session session;
        (void)snprintf(text, sizeof text, "x = arange(100000); %s", calls[i]);
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(calls[i], "("), calls[i]);
        zc_request request = {.subcommand = ZC_SUBCOMMAND_EVAL, .expression = text};
        cr_assert(zc_session_begin(&session, &request, &fault), "%s", fault.text);
        const bool computed = zc_memory_usage(session.ctx).peak_bytes > 1000;
        cr_expect_eq(computed, zc_meaning_find(name)->computes, "%s", name);
        cr_expect_eq(session.evaluator.computed_count, computed ? 1 : 0, "%s", name);
        zc_session_end(&session);
    }
}
