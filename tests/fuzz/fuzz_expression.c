/*
 * The expression language: any source is recorded and planned, or refused with a sentence and an exit code. Nothing is
 * computed: an expression may ask for more work than a fuzzer has time.
 */
#include "tests/fuzz/target.h"

#include <string.h>

#include "expressions/evaluate/evaluator.h"
#include "expressions/language/parser.h"

enum { LIMIT = 1 << 20 };

static void plan(zc_context *ctx, const zc_results *results)
{
    const zc_tensor *const *tensors = (const zc_tensor *const *)results->tensors;
    static const char first[] = {[ZC_TEXT] = 'r', [ZC_JSON] = '{', [ZC_DOT] = 'd', [ZC_BRIEF] = 'r'};
    zc_cost cost;
    zc_error_clear(ctx);
    if (zc_cost_of_all(results->count, tensors, &cost) == ZC_OK)
        claim(cost.logical_bytes >= 0 && cost.held_bytes >= 0 && cost.peak_bytes >= 0);
    else
        claim(zc_error_text(ctx)[0] != '\0');
    for (int format = ZC_TEXT; format <= ZC_BRIEF; format++) {
        char *text = NULL;
        if (zc_explain_all(results->count, tensors, (zc_format)format, &text) == ZC_OK)
            claim(text[0] == first[format]);
        zc_text_free(ctx, text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = LIMIT, .threads = 1});
    zc_program program = {0};
    zc_fault fault = {.status = ZC_OK};
    zc_evaluator evaluator;
    if (zc_parse((const char *)data, size, &program, &fault)) {
        zc_results results = {0};
        if (zc_evaluator_begin(&evaluator, ctx, &program, &fault)) {
            zc_tensor *x = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(3, 4), values, sizeof values);
            (void)zc_evaluator_bind_variable(&evaluator, "x", 1, (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = x});
            if (zc_evaluator_run(&evaluator, &results))
                plan(ctx, &results);
        }
        zc_results_free(&results);
        zc_evaluator_end(&evaluator);
    }
    claim(fault.status == ZC_OK || fault.text[0] != '\0');
    zc_program_free(&program);
    claim(zc_memory_usage(ctx).held_bytes == 0);
    zc_context_free(ctx);
    return 0;
}
