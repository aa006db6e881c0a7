/* A row in the table of executors is all it takes: the new executor is asked first, and the others run what it
 * declines. */
#include <string.h>

#include "tests/executors/toy_executor.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

static void expect_executor(const zc_tensor *t, const char *name)
{
    char *text = NULL;
    cr_assert_eq(zc_explain(t, ZC_TEXT, &text), ZC_OK);
    cr_expect_not_null(strstr(text, name), "no %s in %s", name, text);
    zc_text_free(zc_context_of(t), text);
}

static double sum_of(const zc_tensor *t)
{
    zc_tensor *out = NULL;
    double sum = 0;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (int64_t i = 0; i < zc_size(out); i++)
        sum += ((const double *)zc_data(out))[i];
    return sum;
}

Test(toy_executor, runs_what_it_takes_and_nothing_else)
{
    for (int64_t limit = 0; limit <= 1 << 20; limit += 1 << 20) { /* plans that are kept, and plans that are not */
        zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = limit});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *filled = zc_full(ctx, ZC_SHAPE(30, 20), ZC_FLOAT64, 0.5), *sum = zc_sum(filled, ZC_AXES(1), false);
        zc_tensor *counted = zc_astype(zc_iota(ctx, 10), ZC_FLOAT64);
        expect_executor(filled, "run by toy, strategy none");
        expect_executor(counted, "run by tile, strategy map");
        cr_expect_eq(toy_executor_alive(), 0, "what was explained was released");
        for (int run = 0; run < 2; run++) {
            cr_expect_eq(sum_of(filled), 300);
            cr_expect_eq(sum_of(sum), 300);
            cr_expect_eq(sum_of(counted), 45);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
        cr_expect_eq(toy_executor_alive(), 0);
    }
}

Test(toy_executor, stands_back_when_the_reference_is_asked_for)
{
    zc_context *ctx = zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_REFERENCE});
    zc_tensor *filled = zc_full(ctx, ZC_SHAPE(3), ZC_FLOAT64, 0.5);
    expect_executor(filled, "run by reference");
    zc_release(filled);
    zc_context_free(ctx);
}
