#include "expressions/functions/function.h"

#include <string.h>

#include "expressions/base/suggest.h"
#include "expressions/functions/arguments.h"
#include "expressions/functions/binder.h"
#include "expressions/functions/call_views.h"
#include "expressions/functions/calls.h"

/* ---- The families: how the arguments of a row reach its function ---- */

static zc_tensor *run_unary(zc_call *call)
{
    const zc_tensor *x = zc_argument_tensor(call, 0);
    return x == NULL ? NULL : call->function->target.unary(x);
}

static zc_tensor *run_binary(zc_call *call)
{
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    return b == NULL ? NULL : call->function->target.binary(a, b);
}

static zc_tensor *run_ternary(zc_call *call)
{
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    const zc_tensor *c = b == NULL ? NULL : zc_argument_tensor(call, 2);
    return c == NULL ? NULL : call->function->target.ternary(a, b, c);
}

static zc_tensor *run_reduction(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    bool keepdims;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes) || !zc_argument_flag(call, 2, &keepdims))
        return NULL;
    return call->function->target.reduction(x, count, axes, keepdims);
}

/* With a dtype, the operand is converted before it is summed, and the result is of that dtype. */
static zc_tensor *run_accumulation(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    bool keepdims;
    zc_dtype dtype = ZC_DTYPE_COUNT;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes) || !zc_argument_dtype(call, 2, &dtype) ||
        !zc_argument_flag(call, 3, &keepdims))
        return NULL;
    if (dtype == ZC_DTYPE_COUNT)
        return call->function->target.accumulation(x, count, axes, keepdims);
    zc_tensor *converted = zc_astype(x, dtype);
    zc_tensor *sum = call->function->target.accumulation(converted, count, axes, keepdims);
    zc_tensor *result = zc_astype(sum, dtype);
    zc_release(converted);
    zc_release(sum);
    return result;
}

static zc_tensor *run_shape_view(zc_call *call)
{
    int rank;
    int64_t shape[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &rank, shape))
        return NULL;
    return call->function->target.shape_view(x, rank, shape);
}

/* A shape, and where its axes come from. */
static zc_tensor *run_placed_view(zc_call *call)
{
    int rank, count, axes[ZC_MAX_RANK];
    int64_t shape[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_shape(call, 1, &rank, shape) || !zc_argument_axes(call, 2, &count, axes))
        return NULL;
    return call->function->target.placed_view(x, rank, shape, count, axes);
}

static zc_tensor *run_axes_view(zc_call *call)
{
    int count, axes[ZC_MAX_RANK];
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axes(call, 1, &count, axes))
        return NULL;
    return call->function->target.axes_view(x, count, axes);
}

static zc_tensor *run_xla_binary(zc_call *call)
{
    int count, dims[ZC_MAX_RANK];
    const zc_tensor *a = zc_argument_tensor(call, 0);
    const zc_tensor *b = a == NULL ? NULL : zc_argument_tensor(call, 1);
    if (b == NULL || !zc_argument_axes(call, 2, &count, dims))
        return NULL;
    return zc_xla_binary(call->function->target.xla_binary, a, b, count < 0 ? 0 : count, dims);
}

static zc_tensor *run_axis_pair(zc_call *call)
{
    int axis1, axis2;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !zc_argument_axis(call, 1, &axis1) || !zc_argument_axis(call, 2, &axis2))
        return NULL;
    return call->function->target.axis_pair(x, axis1, axis2);
}

/* ---- The table ---- */

static const zc_function table[] = {
#define ZC_FUNCTION(name, parameters, family, function)                                                                \
    {name, parameters, run_##family, {.family = function}, NULL, NULL},
#define ZC_CALL_FUNCTION(name, parameters, function)  {name, parameters, function, {NULL}, NULL, NULL},
#define ZC_TUPLE_FUNCTION(name, parameters, function) {name, parameters, NULL, {NULL}, function, NULL},
#define ZC_DEFINED_FUNCTION(name, parameters, body)   {name, parameters, NULL, {NULL}, NULL, body},
#include "expressions/functions/functions.def"
#undef ZC_FUNCTION
#undef ZC_CALL_FUNCTION
#undef ZC_TUPLE_FUNCTION
#undef ZC_DEFINED_FUNCTION
};

enum { FUNCTION_COUNT = sizeof table / sizeof table[0] };

typedef struct alias {
    const char *alias, *name;
} alias;

static const alias aliases[] = {
#define ZC_ALIAS(alias, name) {alias, name},
#define ZC_PARAMETER_ALIAS(alias, name)
#include "expressions/functions/aliases.def"
#undef ZC_ALIAS
#undef ZC_PARAMETER_ALIAS
};

enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

const zc_function *zc_function_find(const char *name)
{
    for (int i = 0; i < ALIAS_COUNT; i++) {
        if (strcmp(aliases[i].alias, name) == 0)
            name = aliases[i].name;
    }
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (table[i].name[0] == name[0] && strcmp(table[i].name, name) == 0)
            return &table[i];
    }
    return NULL;
}

const char *zc_function_alias(int i, const char **name)
{
    if (i >= ALIAS_COUNT)
        return NULL;
    *name = aliases[i].name;
    return aliases[i].alias;
}

const char *zc_function_suggest(const char *name, char *buffer)
{
    zc_suggestion suggestion = zc_suggestion_begin(name);
    for (int i = 0; i < FUNCTION_COUNT; i++)
        zc_suggestion_offer(&suggestion, table[i].name);
    for (int i = 0; i < ALIAS_COUNT; i++)
        zc_suggestion_offer(&suggestion, aliases[i].alias);
    return zc_suggestion_text(&suggestion, buffer);
}

static bool run_tensor(zc_call *call, zc_object *result)
{
    *result = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = call->function->run(call)};
    return result->tensor != NULL;
}

bool zc_function_call(zc_call *call, const zc_object *positional, uint32_t positional_count, const zc_object *keywords,
                      uint32_t keyword_count, zc_object *result)
{
    if (!zc_bind(call, positional, positional_count, keywords, keyword_count)) {
        zc_object_release(call->spread);
        return false;
    }
    bool ok = call->function->run != NULL ? run_tensor(call, result) : call->function->run_tuple(call, result);
    for (int i = 0; i < ZC_MAX_PARAMETERS; i++)
        zc_release(call->owned[i]);
    zc_object_release(call->spread);
    if (!ok)
        return zc_fault_library(call->fault, call->ctx); /* unless the fault says more already */
    return true;
}
