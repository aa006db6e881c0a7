/*
 * zc_eval(): an expression of the command's language, with the caller's tensors under names.
 */
#include <string.h>

#include "expressions/api/apart.h"
#include "expressions/evaluate/evaluator.h"
#include "expressions/language/lexer.h"
#include "expressions/language/parser.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/dtypes/scalar.h"
#include "runtime/graph/tensor.h"

/* ---- Names ---- */

typedef struct name {
    const char *text;
    size_t length;
} name;

static const char blanks[] = " \t\n";

/* Takes the next name of a list between commas, which *at moves behind. */
static name next_name(const char **at)
{
    const char *from = *at + strspn(*at, blanks);
    const size_t length = strcspn(from, ","), own = strcspn(from, ", \t\n");
    *at = from + length + (from[length] == ',');
    return (name){from, own + strspn(from + own, blanks) == length ? own : length};
}

static int count_names(const char *names)
{
    int count = 0;
    while (*names != '\0') {
        (void)next_name(&names);
        count++;
    }
    return count;
}

/* ---- Values ---- */

/* A weak constant is the number that it was made of. */
static zc_object number_of(const zc_tensor *t)
{
    zc_scalar element = {.words = {0}};
    (void)zc_peek(t, element.bytes); /* constants are there */
    switch (zc_tensor_dtype(t)) {
    case ZC_BOOL:
        return (zc_object){.kind = ZC_OBJECT_BOOL, .truth = element.bytes[0] != 0};
    case ZC_INT64:
        return zc_object_integer(element.int64);
    case ZC_UINT64:
        return (zc_object){.kind = ZC_OBJECT_LARGE, .magnitude = element.words[0]};
    case ZC_FLOAT64:
        return (zc_object){.kind = ZC_OBJECT_FLOAT, .real = element.float64};
    default:
        return (zc_object){.kind = ZC_OBJECT_COMPLEX, .point = {element.complex128[0], element.complex128[1]}};
    }
}

static bool check_tensor(const zc_evaluator *e, name n, const zc_tensor *t)
{
    if (t->ctx != e->ctx)
        return zc_fault_refuse(e->fault, "%.*s belongs to another context; zc_adopt takes it into this one",
                               (int)n.length, n.text);
    if (zc_evaluator_is_bound(e, n.text, n.length))
        return zc_fault_refuse(e->fault, "%.*s stands for two tensors", (int)n.length, n.text);
    return true;
}

/* A number that is differentiated by becomes a variable: it is no tensor that y could be made of. */
static bool bind_name(zc_evaluator *e, name n, const zc_tensor *t)
{
    if (zc_tensor_is_weak(t))
        return zc_evaluator_bind_variable(e, n.text, n.length, number_of(t));
    zc_evaluator_bind(e, n.text, n.length,
                      (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = zc_retain((zc_tensor *)(uintptr_t)t)});
    return true;
}

static bool bind_names(zc_evaluator *e, const char *names, int count, const zc_tensor *const *tensors)
{
    const char *list = names;
    const int given = names == NULL ? 0 : count_names(names);
    if (given != count)
        return zc_fault_refuse(e->fault, "there are %d names and %d tensors", given, count);
    for (int i = 0; i < count; i++) {
        const name n = next_name(&names);
        if (!zc_is_name(n.text, n.length))
            return zc_fault_refuse(e->fault, "'%.64s' is no list of names", list);
        const zc_tensor *t = tensors != NULL ? tensors[i] : NULL;
        if (t == NULL) {
            (void)zc_fault_refuse(e->fault, "%.*s is NULL", (int)n.length, n.text);
            return false;
        }
        if (!check_tensor(e, n, t) || !bind_name(e, n, t))
            return false;
    }
    return true;
}

/* ---- The expression ---- */

/* Takes the only result, with its reference. */
static zc_tensor *take_result(zc_evaluator *e)
{
    zc_results results = {0};
    zc_tensor *result = NULL;
    if (zc_evaluator_run(e, &results)) {
        if (results.count == 1)
            result = zc_retain(results.tensors[0]);
        else
            (void)zc_fault_refuse(e->fault, "the expression has %d results, not one", results.count);
    }
    zc_results_free(&results);
    return result;
}

static zc_tensor *evaluate(zc_context *ctx, const char *expression, const char *names, int count,
                           const zc_tensor *const *tensors, zc_fault *fault)
{
    zc_program program = {0};
    zc_evaluator evaluator = {0};
    zc_tensor *result = NULL;
    if (zc_parse(expression, strlen(expression), &program, fault) &&
        zc_evaluator_begin(&evaluator, ctx, &program, fault) && bind_names(&evaluator, names, count, tensors))
        result = take_result(&evaluator);
    zc_evaluator_end(&evaluator);
    zc_program_free(&program);
    return result;
}

/* Hands a result to the scope that is open. One that somebody else holds gets another handle. */
static zc_tensor *hand_over(zc_context *ctx, zc_tensor *result)
{
    zc_tensor *handle = result != NULL ? zc_adopt(ctx, result) : NULL;
    zc_release(result);
    return handle;
}

zc_tensor *zc_eval(zc_context *ctx, const char *expression, const char *names, int count,
                   const zc_tensor *const *tensors)
{
    if (zc_refuse_no_context(ctx, "eval"))
        return NULL;
    if (expression == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "eval", "the expression is NULL");
        return NULL;
    }
    ZC_DEFAULT_FLOATS();
    zc_apart apart;
    zc_apart_begin(&apart, ctx);
    zc_tensor *result = evaluate(ctx, expression, names, count, tensors, &apart.fault);
    (void)zc_apart_end(&apart, "eval");
    return hand_over(ctx, result);
}
