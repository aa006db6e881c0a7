#include "expressions/functions/arguments.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "expressions/functions/binder.h"
#include "expressions/values/element.h"
#include "expressions/values/literal.h"
#include "expressions/values/wide.h"

static bool refuse(zc_call *call, int i, const char *wanted, zc_object got)
{
    char name[ZC_PARAMETER_BYTES];
    return zc_fault_refuse(call->fault, "%s: %s is %s, not %s", call->function->name,
                           zc_parameter_name(call->function, i, name), wanted, zc_object_describe(got));
}

bool zc_argument_is_none(const zc_call *call, int i)
{
    return call->arguments[i].kind == ZC_OBJECT_NONE;
}

const zc_tensor *zc_argument_tensor(zc_call *call, int i)
{
    if (call->arguments[i].kind == ZC_OBJECT_TENSOR)
        return call->arguments[i].tensor;
    call->owned[i] = zc_literal_tensor(call->ctx, call->arguments[i], ZC_WEAK, call->function->name, call->fault);
    return call->owned[i];
}

zc_tensor *zc_call_keep(zc_scope *scope, zc_tensor *result)
{
    zc_tensor *kept = result != NULL ? zc_keep(result) : NULL;
    zc_scope_end(scope);
    return kept;
}

bool zc_argument_is_complex(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128;
}

bool zc_arguments_have_one_shape(const zc_tensor *a, const zc_tensor *b)
{
    int i = 0;
    while (i < zc_rank(a) && i < zc_rank(b) && zc_shape(a)[i] == zc_shape(b)[i])
        i++;
    return i == zc_rank(a) && i == zc_rank(b);
}

/* The items of a list argument, or the one value that stands for a list of one. */
static const zc_object *items_of(const zc_object *value, int64_t *count)
{
    bool is_sequence = zc_object_is_sequence(*value);
    *count = is_sequence ? value->sequence->count : 1;
    return is_sequence ? value->sequence->items : value;
}

bool zc_argument_shape(zc_call *call, int i, int *rank, int64_t shape[ZC_MAX_RANK])
{
    int64_t count;
    const zc_object *items = items_of(&call->arguments[i], &count);
    if (count > ZC_MAX_RANK)
        return zc_fault_refuse(call->fault, "%s: %lld sizes are more than the highest rank, %d", call->function->name,
                               (long long)count, ZC_MAX_RANK);
    for (int64_t k = 0; k < count; k++) {
        if (!zc_object_as_integer(items[k], &shape[k]))
            return refuse(call, i, "an integer or a tuple of integers", items[k]);
    }
    *rank = (int)count;
    return true;
}

static bool as_axis(zc_call *call, int i, zc_object value, const char *wanted, int *axis)
{
    int64_t integer;
    if (!zc_object_as_integer(value, &integer))
        return refuse(call, i, wanted, value);
    if (integer < INT_MIN || integer > INT_MAX)
        return zc_fault_refuse(call->fault, "%s: axis %lld is out of bounds", call->function->name, (long long)integer);
    *axis = (int)integer;
    return true;
}

bool zc_argument_axes(zc_call *call, int i, int *count, int axes[ZC_MAX_RANK])
{
    if (zc_argument_is_none(call, i)) {
        *count = -1;
        return true;
    }
    int64_t given;
    const zc_object *items = items_of(&call->arguments[i], &given);
    if (given > ZC_MAX_RANK)
        return zc_fault_refuse(call->fault, "%s: %lld axes are more than the highest rank, %d", call->function->name,
                               (long long)given, ZC_MAX_RANK);
    for (int64_t k = 0; k < given; k++) {
        if (!as_axis(call, i, items[k], "an integer or a tuple of integers", &axes[k]))
            return false;
    }
    *count = (int)given;
    return true;
}

bool zc_argument_axis(zc_call *call, int i, int *axis)
{
    return as_axis(call, i, call->arguments[i], "an integer", axis);
}

bool zc_argument_integer(zc_call *call, int i, int64_t *integer)
{
    if (!zc_object_as_integer(call->arguments[i], integer))
        return refuse(call, i, "an integer", call->arguments[i]);
    return true;
}

bool zc_argument_flag(zc_call *call, int i, bool *flag)
{
    int64_t integer;
    if (!zc_object_as_integer(call->arguments[i], &integer))
        return refuse(call, i, "True or False", call->arguments[i]);
    *flag = integer != 0;
    return true;
}

/* "'a', 'b' or 'c'" */
static void list_names(const char *const *names, int count, char *text, size_t room)
{
    text[0] = '\0';
    for (int k = 0; k < count; k++) {
        const char *before = k == 0 ? "" : k == count - 1 ? " or " : ", ";
        size_t used = strlen(text);
        (void)snprintf(text + used, room - used, "%s'%s'", before, names[k]);
    }
}

bool zc_argument_choice(zc_call *call, int i, const char *const *names, int count, int *choice)
{
    char name[ZC_PARAMETER_BYTES], known[256];
    zc_object value = call->arguments[i];
    *choice = 0;
    if (value.kind == ZC_OBJECT_NONE)
        return true;
    for (int k = 0; value.kind == ZC_OBJECT_STRING && k < count; k++) {
        if (strcmp(value.string, names[k]) == 0) {
            *choice = k;
            return true;
        }
    }
    list_names(names, count, known, sizeof known);
    return zc_fault_refuse(call->fault, "%s: %s is %s, not %s", call->function->name,
                           zc_parameter_name(call->function, i, name), known,
                           value.kind == ZC_OBJECT_STRING ? value.string : zc_object_describe(value));
}

bool zc_argument_number(zc_call *call, int i, zc_object *number)
{
    zc_object value = call->arguments[i];
    if (value.kind == ZC_OBJECT_COMPLEX)
        return refuse(call, i, "a real number", value);
    return zc_argument_point(call, i, number);
}

bool zc_argument_point(zc_call *call, int i, zc_object *number)
{
    if (!zc_object_is_number(call->arguments[i]))
        return refuse(call, i, "a number", call->arguments[i]);
    *number = call->arguments[i];
    return true;
}

bool zc_argument_dtype(zc_call *call, int i, zc_dtype *dtype)
{
    const zc_object value = call->arguments[i];
    if (value.kind == ZC_OBJECT_DTYPE)
        *dtype = value.dtype;
    else if (value.kind == ZC_OBJECT_STRING && !zc_dtype_by_text(value.string, dtype))
        return zc_fault_refuse(call->fault, "%s: '%.64s' is no dtype; 'float32' is one, and 'f4'", call->function->name,
                               value.string);
    else if (value.kind != ZC_OBJECT_STRING && !zc_argument_is_none(call, i))
        return refuse(call, i, "a dtype, such as float32", value);
    return true;
}

/* Tells whether an integer is an element of the dtype, or the dtype is none of integers. */
static bool holds_integer(zc_dtype dtype, zc_wide value)
{
    if (dtype < ZC_INT8 || dtype > ZC_UINT64)
        return true;
    const uint64_t all = UINT64_MAX >> (64 - 8 * zc_dtype_bytes(dtype));
    if (dtype >= ZC_UINT8)
        return !value.is_negative && value.magnitude <= all;
    return value.magnitude <= all / 2 + (value.is_negative ? 1 : 0);
}

bool zc_argument_fits(zc_call *call, zc_object value, zc_dtype dtype)
{
    zc_wide integer;
    if (zc_wide_read(value, &integer) && !holds_integer(dtype, integer))
        return zc_fault_refuse(call->fault, "%s: the integer %s%llu does not fit in %s", call->function->name,
                               integer.is_negative ? "-" : "", (unsigned long long)integer.magnitude,
                               zc_dtype_name(dtype));
    bool fits = true;
    for (int64_t i = 0; zc_object_is_sequence(value) && i < value.sequence->count && fits; i++)
        fits = zc_argument_fits(call, value.sequence->items[i], dtype); /* recursion: as deep as the rank */
    return fits;
}

bool zc_argument_binds(zc_object value, const zc_tensor *x, bool is_high)
{
    zc_wide integer;
    if (!zc_wide_read(value, &integer) || zc_is_weak(x) || holds_integer(zc_dtype_of(x), integer))
        return true;
    return integer.is_negative == is_high;
}
