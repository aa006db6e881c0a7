/*
 * Functions about dtypes: they give a dtype or a truth, and look at no element.
 */
#include <string.h>

#include "expressions/base/memory.h"
#include "expressions/functions/arguments.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"

/* A tensor that stands for an argument, with a reference for the caller: of a dtype an element of it. */
static zc_tensor *stand_in(zc_call *call, zc_object value)
{
    if (value.kind == ZC_OBJECT_DTYPE)
        return zc_full(call->ctx, ZC_SCALAR_SHAPE, value.dtype, 0);
    return zc_literal_tensor(call->ctx, value, ZC_WEAK, call->function->name, call->fault);
}

static bool meet(zc_call *call, const zc_object *values, int count, zc_dtype *dtype)
{
    zc_tensor **tensors = zc_memory_take(call->fault, (size_t)count * sizeof *tensors);
    if (tensors == NULL)
        return false;
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        tensors[i] = stand_in(call, values[i]);
        ok = tensors[i] != NULL;
    }
    ok = ok && zc_result_type(count, (const zc_tensor *const *)tensors, dtype) == ZC_OK;
    for (int i = 0; i < count; i++)
        zc_release(tensors[i]);
    zc_memory_give(tensors);
    return ok;
}

bool zc_call_result_type(zc_call *call, zc_object *result)
{
    result->kind = ZC_OBJECT_DTYPE;
    if (call->rest_count == 0)
        return zc_fault_refuse(call->fault, "%s: there is nothing to meet", call->function->name);
    return meet(call, call->rest, (int)call->rest_count, &result->dtype);
}

/* Argument i, which is a dtype or has one. */
static bool read_dtype(zc_call *call, int i, zc_dtype *dtype)
{
    zc_object value = call->arguments[i];
    if (value.kind != ZC_OBJECT_DTYPE && value.kind != ZC_OBJECT_TENSOR)
        return zc_fault_refuse(call->fault, "%s: takes dtypes and tensors, not %s", call->function->name,
                               zc_object_describe(value));
    *dtype = value.kind == ZC_OBJECT_DTYPE ? value.dtype : zc_dtype_of(value.tensor);
    return true;
}

/* Tells whether nothing of the first is lost in the second: they meet in the second. */
bool zc_call_can_cast(zc_call *call, zc_object *result)
{
    zc_dtype from = ZC_BOOL, to = ZC_BOOL, meeting = ZC_BOOL;
    if (!read_dtype(call, 0, &from) || !read_dtype(call, 1, &to))
        return false;
    const zc_object both[] = {{.kind = ZC_OBJECT_DTYPE, .dtype = from}, {.kind = ZC_OBJECT_DTYPE, .dtype = to}};
    if (!meet(call, both, 2, &meeting))
        return false;
    *result = (zc_object){.kind = ZC_OBJECT_BOOL, .truth = meeting == to};
    return true;
}

/* ---- Kinds ---- */

typedef struct kind {
    const char *name;
    uint32_t dtypes; /* a bit each */
} kind;

#define BIT(dtype) (UINT32_C(1) << ZC_##dtype)

enum {
    SIGNED = BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(INT64),
    UNSIGNED = BIT(UINT8) | BIT(UINT16) | BIT(UINT32) | BIT(UINT64),
    REAL = BIT(FLOAT16) | BIT(BFLOAT16) | BIT(FLOAT32) | BIT(FLOAT64),
    COMPLEX = BIT(COMPLEX64) | BIT(COMPLEX128)
};

static const kind kinds[] = {{"bool", BIT(BOOL)},
                             {"signed integer", SIGNED},
                             {"unsigned integer", UNSIGNED},
                             {"integral", SIGNED | UNSIGNED},
                             {"real floating", REAL},
                             {"complex floating", COMPLEX},
                             {"numeric", SIGNED | UNSIGNED | REAL | COMPLEX}};

/* The dtypes of a kind, which is a dtype or the name of one of the array API's kinds. */
static bool read_kind(zc_call *call, zc_object value, uint32_t *dtypes)
{
    if (value.kind == ZC_OBJECT_DTYPE) {
        *dtypes = UINT32_C(1) << value.dtype;
        return true;
    }
    if (value.kind != ZC_OBJECT_STRING)
        return zc_fault_refuse(call->fault, "%s: a kind is a dtype or a string, not %s", call->function->name,
                               zc_object_describe(value));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, value.string) == 0) {
            *dtypes = kinds[i].dtypes;
            return true;
        }
    }
    return zc_fault_refuse(call->fault, "%s: there is no kind '%.64s'", call->function->name, value.string);
}

bool zc_call_isdtype(zc_call *call, zc_object *result)
{
    zc_dtype dtype = ZC_BOOL;
    zc_object value = call->arguments[1];
    uint32_t dtypes = 0, all = 0;
    if (!read_dtype(call, 0, &dtype))
        return false;
    bool is_list = value.kind == ZC_OBJECT_TUPLE;
    for (int64_t i = 0; i < (is_list ? value.sequence->count : 1); i++, all |= dtypes) {
        if (!read_kind(call, is_list ? value.sequence->items[i] : value, &dtypes))
            return false;
    }
    *result = (zc_object){.kind = ZC_OBJECT_BOOL, .truth = (all >> dtype & 1) != 0};
    return true;
}
