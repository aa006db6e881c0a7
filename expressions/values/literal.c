#include "expressions/values/literal.h"

#include <string.h>

#include "expressions/base/memory.h"
#include "expressions/values/number.h"

/* ---- Nested lists ---- */

typedef struct nest {
    const char *function;
    zc_fault *fault;
    int rank;
    int64_t shape[ZC_MAX_RANK];
    int64_t size;
    zc_object_kind kind; /* of the elements: the highest of bool < integer < large < float < complex */
    bool has_negative;   /* integer, beside which large ones are floats, as in NumPy */
    unsigned char *next;
} nest;

/* The first items say what the shape would be. */
static bool measure(nest *n, zc_object value)
{
    n->size = 1;
    while (zc_object_is_sequence(value)) {
        int64_t count = value.sequence->count;
        n->shape[n->rank++] = count;
        if (count > ZC_MAX_LITERAL_ELEMENTS / n->size)
            return zc_fault_refuse(n->fault, "%s: a list spells out %d elements at most", n->function,
                                   ZC_MAX_LITERAL_ELEMENTS);
        n->size *= count;
        if (count == 0)
            break;
        value = value.sequence->items[0];
    }
    return true;
}

static bool check_items(nest *n, zc_object value, int axis)
{
    if (zc_object_is_number(value) && axis == n->rank) {
        if (value.kind > n->kind)
            n->kind = value.kind;
        n->has_negative = n->has_negative || (value.kind == ZC_OBJECT_INTEGER && value.integer < 0);
        return true;
    }
    if (!zc_object_is_number(value) && !zc_object_is_sequence(value))
        return zc_fault_refuse(n->fault, "%s: a list that stands for an array holds numbers, not %s", n->function,
                               zc_object_describe(value));
    if (axis == n->rank || zc_object_is_number(value) || value.sequence->count != n->shape[axis])
        return zc_fault_refuse(n->fault, "%s: the lists along axis %d differ in length", n->function, axis);
    for (int64_t i = 0; i < n->shape[axis]; i++) {
        if (!check_items(n, value.sequence->items[i], axis + 1)) /* recursion: sequences nest ZC_MAX_RANK deep */
            return false;
    }
    return true;
}

static zc_dtype dtype_of(zc_object_kind kind)
{
    static const zc_dtype dtypes[] = {[ZC_OBJECT_BOOL] = ZC_BOOL,
                                      [ZC_OBJECT_INTEGER] = ZC_INT64,
                                      [ZC_OBJECT_LARGE] = ZC_UINT64,
                                      [ZC_OBJECT_FLOAT] = ZC_FLOAT64,
                                      [ZC_OBJECT_COMPLEX] = ZC_COMPLEX128};
    return dtypes[kind];
}

static void put(nest *n, const void *element, size_t bytes)
{
    memcpy(n->next, element, bytes);
    n->next += bytes;
}

static void fill(nest *n, zc_object value)
{
    if (zc_object_is_sequence(value)) {
        for (int64_t i = 0; i < value.sequence->count; i++)
            fill(n, value.sequence->items[i]); /* recursion: sequences nest ZC_MAX_RANK deep */
        return;
    }
    int64_t integer = 0;
    zc_point point = zc_number_as_point(value);
    if (!zc_object_as_integer(value, &integer) && value.kind == ZC_OBJECT_LARGE)
        integer = (int64_t)value.magnitude; /* the same bits */
    uint8_t truth = integer != 0;
    if (n->kind == ZC_OBJECT_COMPLEX)
        put(n, &point, sizeof point);
    else if (n->kind == ZC_OBJECT_FLOAT)
        put(n, &point.real, sizeof point.real);
    else if (n->kind >= ZC_OBJECT_INTEGER)
        put(n, &integer, sizeof integer);
    else
        put(n, &truth, sizeof truth);
}

static zc_tensor *array_of(zc_context *ctx, zc_object value, const char *function, zc_fault *fault)
{
    nest n = {.function = function, .fault = fault, .kind = ZC_OBJECT_BOOL};
    if (!measure(&n, value) || !check_items(&n, value, 0))
        return NULL;
    if (n.size == 0 || (n.kind == ZC_OBJECT_LARGE && n.has_negative))
        n.kind = ZC_OBJECT_FLOAT;
    zc_dtype dtype = dtype_of(n.kind);
    size_t bytes = (size_t)n.size * zc_dtype_bytes(dtype);
    unsigned char *data = zc_memory_take(fault, bytes + 1);
    if (data == NULL)
        return NULL;
    n.next = data;
    fill(&n, value);
    zc_tensor *array = zc_from_data(ctx, dtype, n.rank, n.shape, data, bytes);
    if (array == NULL)
        (void)zc_fault_library(fault, ctx);
    zc_memory_give(data);
    return array;
}

/* ---- Numbers ---- */

static zc_tensor *constant_of(zc_context *ctx, zc_object value, zc_strength strength)
{
    uint8_t truth = value.kind == ZC_OBJECT_BOOL && value.truth;
    switch (value.kind) {
    case ZC_OBJECT_BOOL:
        return strength == ZC_WEAK ? zc_weak_bool(ctx, value.truth) : zc_constant(ctx, ZC_BOOL, &truth);
    case ZC_OBJECT_LARGE:
        return strength == ZC_WEAK ? zc_weak_uint(ctx, value.magnitude) : zc_constant(ctx, ZC_UINT64, &value.magnitude);
    case ZC_OBJECT_INTEGER:
        return strength == ZC_WEAK ? zc_weak_int(ctx, value.integer) : zc_constant(ctx, ZC_INT64, &value.integer);
    case ZC_OBJECT_COMPLEX:
        return strength == ZC_WEAK ? zc_weak_complex(ctx, value.point.real, value.point.imag)
                                   : zc_constant(ctx, ZC_COMPLEX128, &value.point);
    default:
        return strength == ZC_WEAK ? zc_weak_float(ctx, value.real) : zc_constant(ctx, ZC_FLOAT64, &value.real);
    }
}

zc_tensor *zc_literal_tensor(zc_context *ctx, zc_object value, zc_strength strength, const char *function,
                             zc_fault *fault)
{
    if (value.kind == ZC_OBJECT_TENSOR)
        return zc_retain(value.tensor);
    if (zc_object_is_sequence(value))
        return array_of(ctx, value, function, fault);
    if (!zc_object_is_number(value)) {
        (void)zc_fault_refuse(fault, "%s: takes a tensor or a number, not %s", function, zc_object_describe(value));
        return NULL;
    }
    zc_tensor *constant = constant_of(ctx, value, strength);
    if (constant == NULL)
        (void)zc_fault_library(fault, ctx);
    return constant;
}
