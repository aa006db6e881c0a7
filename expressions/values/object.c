#include "expressions/values/object.h"

#include <string.h>

#include "expressions/base/memory.h"
#include "expressions/values/number.h"

static bool holds_sequence(zc_object value)
{
    return value.kind == ZC_OBJECT_TUPLE || value.kind == ZC_OBJECT_LIST || value.kind == ZC_OBJECT_SLICE;
}

static int depth_of(zc_object value)
{
    return holds_sequence(value) ? value.sequence->depth : 0;
}

bool zc_object_make_sequence(zc_object_kind kind, zc_object *items, size_t count, zc_object *result, zc_fault *fault)
{
    zc_sequence *sequence = zc_memory_take(fault, sizeof *sequence + count * sizeof *items);
    int depth = 1;
    for (size_t i = 0; i < count; i++) {
        if (depth_of(items[i]) >= depth)
            depth = depth_of(items[i]) + 1;
    }
    if (sequence == NULL || depth > ZC_MAX_RANK) {
        for (size_t i = 0; i < count; i++)
            zc_object_release(items[i]);
        zc_memory_give(sequence);
        return zc_fault_refuse(fault, "tuples and lists nest at most %d deep", ZC_MAX_RANK);
    }
    sequence->references = 1;
    sequence->count = (int64_t)count;
    sequence->depth = depth;
    if (count > 0)
        memcpy(sequence->items, items, count * sizeof *items);
    *result = (zc_object){.kind = kind, .sequence = sequence};
    return true;
}

zc_object zc_object_copy(zc_object value)
{
    if (holds_sequence(value))
        value.sequence->references++;
    else if (value.kind == ZC_OBJECT_TENSOR)
        (void)zc_retain(value.tensor);
    return value;
}

void zc_object_release(zc_object value)
{
    if (value.kind == ZC_OBJECT_TENSOR) {
        zc_release(value.tensor);
    } else if (holds_sequence(value) && --value.sequence->references == 0) {
        for (int64_t i = 0; i < value.sequence->count; i++)
            zc_object_release(value.sequence->items[i]); /* recursion: sequences nest ZC_MAX_RANK deep */
        zc_memory_give(value.sequence);
    }
}

bool zc_object_is_number(zc_object value)
{
    return value.kind >= ZC_OBJECT_BOOL && value.kind <= ZC_OBJECT_COMPLEX;
}

bool zc_object_is_sequence(zc_object value)
{
    return value.kind == ZC_OBJECT_TUPLE || value.kind == ZC_OBJECT_LIST;
}

const char *zc_object_describe(zc_object value)
{
    static const char *const names[] = {
        [ZC_OBJECT_NONE] = "None",
        [ZC_OBJECT_BOOL] = "a bool",
        [ZC_OBJECT_INTEGER] = "an integer",
        [ZC_OBJECT_LARGE] = "an integer beyond int64",
        [ZC_OBJECT_FLOAT] = "a float",
        [ZC_OBJECT_COMPLEX] = "a complex number",
        [ZC_OBJECT_STRING] = "a string",
        [ZC_OBJECT_DTYPE] = "a dtype",
        [ZC_OBJECT_ELLIPSIS] = "an ellipsis",
        [ZC_OBJECT_SLICE] = "a slice",
        [ZC_OBJECT_TUPLE] = "a tuple",
        [ZC_OBJECT_LIST] = "a list",
        [ZC_OBJECT_TENSOR] = "a tensor",
    };
    return names[value.kind];
}

static bool sequences_equal(const zc_sequence *a, const zc_sequence *b)
{
    if (a->count != b->count)
        return false;
    for (int64_t i = 0; i < a->count; i++) {
        if (!zc_object_equal(a->items[i], b->items[i])) /* recursion: sequences nest ZC_MAX_RANK deep */
            return false;
    }
    return true;
}

bool zc_object_equal(zc_object a, zc_object b)
{
    if (zc_object_is_number(a) && zc_object_is_number(b))
        return zc_number_compare(a, b) == ZC_ORDER_EQUAL;
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case ZC_OBJECT_STRING:
        return strcmp(a.string, b.string) == 0;
    case ZC_OBJECT_DTYPE:
        return a.dtype == b.dtype;
    case ZC_OBJECT_SLICE:
    case ZC_OBJECT_TUPLE:
    case ZC_OBJECT_LIST:
        return sequences_equal(a.sequence, b.sequence);
    case ZC_OBJECT_TENSOR:
        return a.tensor == b.tensor;
    default:
        return true;
    }
}

bool zc_object_as_integer(zc_object value, int64_t *integer)
{
    if (value.kind == ZC_OBJECT_BOOL)
        *integer = value.truth ? 1 : 0;
    else if (value.kind == ZC_OBJECT_INTEGER)
        *integer = value.integer;
    else
        return false;
    return true;
}
