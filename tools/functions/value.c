#include "tools/functions/value.h"

#include <stdlib.h>
#include <string.h>

#include "tools/functions/number.h"

static bool holds_sequence(zc_value value)
{
    return value.kind == ZC_VALUE_TUPLE || value.kind == ZC_VALUE_LIST || value.kind == ZC_VALUE_SLICE;
}

static int depth_of(zc_value value)
{
    return holds_sequence(value) ? value.sequence->depth : 0;
}

bool zc_value_make_sequence(zc_value_kind kind, zc_value *items, size_t count, zc_value *result, zc_fault *fault)
{
    zc_sequence *sequence = malloc(sizeof *sequence + count * sizeof *items);
    int depth = 1;
    for (size_t i = 0; i < count; i++) {
        if (depth_of(items[i]) >= depth)
            depth = depth_of(items[i]) + 1;
    }
    if (sequence == NULL || depth > ZC_MAX_RANK) {
        for (size_t i = 0; i < count; i++)
            zc_value_release(items[i]);
        free(sequence);
        return sequence == NULL ? zc_fault_memory(fault)
                                : zc_fault_refuse(fault, "tuples and lists nest at most %d deep", ZC_MAX_RANK);
    }
    sequence->references = 1;
    sequence->count = (int64_t)count;
    sequence->depth = depth;
    if (count > 0)
        memcpy(sequence->items, items, count * sizeof *items);
    *result = (zc_value){.kind = kind, .sequence = sequence};
    return true;
}

zc_value zc_value_copy(zc_value value)
{
    if (holds_sequence(value))
        value.sequence->references++;
    else if (value.kind == ZC_VALUE_TENSOR)
        (void)zc_retain(value.tensor);
    return value;
}

void zc_value_release(zc_value value)
{
    if (value.kind == ZC_VALUE_TENSOR) {
        zc_release(value.tensor);
    } else if (holds_sequence(value) && --value.sequence->references == 0) {
        for (int64_t i = 0; i < value.sequence->count; i++)
            zc_value_release(value.sequence->items[i]); /* recursion: sequences nest ZC_MAX_RANK deep */
        free(value.sequence);
    }
}

bool zc_value_is_number(zc_value value)
{
    return value.kind >= ZC_VALUE_BOOL && value.kind <= ZC_VALUE_COMPLEX;
}

bool zc_value_is_sequence(zc_value value)
{
    return value.kind == ZC_VALUE_TUPLE || value.kind == ZC_VALUE_LIST;
}

const char *zc_value_describe(zc_value value)
{
    static const char *const names[] = {
        [ZC_VALUE_NONE] = "None",
        [ZC_VALUE_BOOL] = "a bool",
        [ZC_VALUE_INTEGER] = "an integer",
        [ZC_VALUE_FLOAT] = "a float",
        [ZC_VALUE_COMPLEX] = "a complex number",
        [ZC_VALUE_STRING] = "a string",
        [ZC_VALUE_DTYPE] = "a dtype",
        [ZC_VALUE_ELLIPSIS] = "an ellipsis",
        [ZC_VALUE_SLICE] = "a slice",
        [ZC_VALUE_TUPLE] = "a tuple",
        [ZC_VALUE_LIST] = "a list",
        [ZC_VALUE_TENSOR] = "a tensor",
    };
    return names[value.kind];
}

static bool sequences_equal(const zc_sequence *a, const zc_sequence *b)
{
    if (a->count != b->count)
        return false;
    for (int64_t i = 0; i < a->count; i++) {
        if (!zc_value_equal(a->items[i], b->items[i])) /* recursion: sequences nest ZC_MAX_RANK deep */
            return false;
    }
    return true;
}

bool zc_value_equal(zc_value a, zc_value b)
{
    if (zc_value_is_number(a) && zc_value_is_number(b))
        return zc_number_compare(a, b) == ZC_ORDER_EQUAL;
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case ZC_VALUE_STRING:
        return strcmp(a.string, b.string) == 0;
    case ZC_VALUE_DTYPE:
        return a.dtype == b.dtype;
    case ZC_VALUE_SLICE:
    case ZC_VALUE_TUPLE:
    case ZC_VALUE_LIST:
        return sequences_equal(a.sequence, b.sequence);
    case ZC_VALUE_TENSOR:
        return a.tensor == b.tensor;
    default:
        return true;
    }
}

bool zc_value_as_integer(zc_value value, int64_t *integer)
{
    if (value.kind == ZC_VALUE_BOOL)
        *integer = value.truth ? 1 : 0;
    else if (value.kind == ZC_VALUE_INTEGER)
        *integer = value.integer;
    else
        return false;
    return true;
}
