#include "tests/materialize/tile/strategy_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { TILE, TILE_BY_TWO, REFERENCE, WAYS };

static int64_t size_of(const extents *e)
{
    int64_t size = 1;
    for (int a = 0; a < e->rank; a++)
        size *= e->of[a];
    return size;
}

/* Small numbers, quarters where they are floats, with -0.0 and perhaps NaN among those: of many, it hides the others.
 */
static double draw_value(zc_dtype dtype, bool has_nan)
{
    if (dtype < ZC_FLOAT32)
        return (double)zc_random_range(-3, 3);
    const int64_t number = zc_random_range(-13, 12);
    return number == 12 && has_nan ? NAN : number == -13 ? -0.0 : (double)number / 4;
}

/* Dense memory of those numbers in the dtype. */
static zc_tensor *operand(zc_context *ctx, zc_dtype dtype, const extents *e, const double *values)
{
    zc_tensor *out = NULL;
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT64, e->rank, e->of, values, (size_t)size_of(e) * sizeof *values);
    if (dtype >= ZC_COMPLEX64)
        t = zc_complex(t, zc_flip(t, ZC_ALL_AXES));
    cr_assert_eq(zc_materialize(zc_astype(t, dtype), &out), ZC_OK, "%s", zc_error_text(ctx));
    return out;
}

/* Tells whether explain names the strategy for a stage; "none": whether it names no other. */
static bool is_run_by(const zc_tensor *t, const char *strategy)
{
    static const char key[] = "\"strategy\": \"";
    const bool is_none = strcmp(strategy, "none") == 0;
    const size_t length = strlen(strategy);
    char *text = NULL;
    cr_assert_eq(zc_explain(t, ZC_JSON, &text), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    int stages = 0, found = 0;
    for (const char *at = strstr(text, key); at != NULL; at = strstr(at + 1, key), stages++)
        found += strncmp(at + sizeof key - 1, strategy, length) == 0 && at[sizeof key - 1 + length] == '"';
    zc_text_free(zc_context_of(t), text);
    return is_none ? found == stages : found > 0;
}

static void expect_strategy(zc_context *const *contexts, const strategy_case *c, zc_dtype dtype, const char *how)
{
    const int64_t x_size = size_of(&c->x), y_size = size_of(&c->y);
    double *values = malloc((size_t)(x_size + y_size + 1) * sizeof *values);
    const bool has_nan = zc_random_bool();
    for (int64_t i = 0; i < x_size + y_size; i++)
        values[i] = draw_value(dtype, has_nan);
    zc_scope *scopes[WAYS];
    zc_tensor *results[WAYS] = {NULL};
    for (int w = 0; w < WAYS; w++) {
        scopes[w] = zc_scope_begin(contexts[w]);
        const zc_tensor *x = operand(contexts[w], dtype, &c->x, values);
        const zc_tensor *t = c->make(x, operand(contexts[w], dtype, &c->y, values + x_size));
        cr_assert_not_null(t, "%s: %s", how, zc_error_text(contexts[w]));
        const bool is_denied = c->strategy[0] == '!';
        if (w != REFERENCE)
            cr_expect_neq(is_run_by(t, c->strategy + is_denied), is_denied, "%s: %s", how, zc_dtype_name(dtype));
        cr_assert_eq(zc_materialize(t, &results[w]), ZC_OK, "%s: %s", how, zc_error_text(contexts[w]));
    }
    expect_same(results[REFERENCE], results[TILE], 0, how);
    expect_same(results[REFERENCE], results[TILE_BY_TWO], 0, how);
    for (int w = 0; w < WAYS; w++)
        zc_scope_end(scopes[w]);
    free(values);
}

void expect_strategies(const char *test, const strategy_case *cases, int count, unsigned dtypes)
{
    static const zc_options ways[WAYS] = {[TILE] = {.executor = ZC_EXECUTOR_TILE, .threads = 1},
                                          [TILE_BY_TWO] = {.executor = ZC_EXECUTOR_TILE, .threads = 2},
                                          [REFERENCE] = {.executor = ZC_EXECUTOR_REFERENCE, .threads = 1}};
    zc_context *contexts[WAYS];
    for (int w = 0; w < WAYS; w++)
        contexts[w] = zc_context_new(&ways[w]);
    zc_random_begin(test);
    int pairs = 0; /* of a case and a dtype */
    for (int i = 0; i < count; i++) {
        char how[64];
        (void)snprintf(how, sizeof how, "%s, case %d, %s", test, i, cases[i].strategy);
        for (int dtype = 0; dtype < ZC_DTYPE_COUNT; dtype++) {
            if ((dtypes >> dtype & 1) != 0 && pairs++ % zc_test_stride() == 0)
                expect_strategy(contexts, &cases[i], (zc_dtype)dtype, how);
        }
    }
    for (int w = 0; w < WAYS; w++)
        zc_context_free(contexts[w]);
}

void expect_bits_of_reference(drawn_result *make, const void *drawn, const char *how)
{
    static const zc_options ways[] = {{.executor = ZC_EXECUTOR_REFERENCE, .threads = 1},
                                      {.executor = ZC_EXECUTOR_TILE, .threads = 1},
                                      {.executor = ZC_EXECUTOR_TILE, .threads = 3}};
    enum { COUNT = sizeof ways / sizeof *ways };
    zc_tensor *results[COUNT];
    zc_context *contexts[COUNT];
    for (int w = 0; w < COUNT; w++) {
        contexts[w] = zc_context_new(&ways[w]);
        zc_scope *scope = zc_scope_begin(contexts[w]);
        results[w] = zc_retain(make(contexts[w], drawn));
        zc_scope_end(scope);
        expect_same(results[0], results[w], 0, how);
    }
    for (int w = 0; w < COUNT; w++) {
        zc_release(results[w]);
        zc_context_free(contexts[w]);
    }
}

zc_tensor *last_sum(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_sum(x, ZC_AXES(-1), false);
}
