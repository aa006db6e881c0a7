#include "materialize/execute/copy.h"

#include "runtime/dtypes/scalar.h"
#include "views/nest.h"

#include <string.h>

/* Copies one element to a line; a constant stride makes stores of many elements. */
static inline void fill_items(char *to, int64_t stride, const char *from, int64_t count, size_t item)
{
    zc_scalar element;
    memcpy(element.bytes, from, item);
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * stride, element.bytes, item); /* proven: verified to be inside */
}

/* Copies elements along a line; a constant `item` makes each copy one instruction. */
static inline void copy_items(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count,
                              size_t item)
{
    if (from_stride == 0 && to_stride == (int64_t)item)
        fill_items(to, (int64_t)item, from, count, item);
    else if (from_stride == 0)
        fill_items(to, to_stride, from, count, item);
    else
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i * to_stride, from + i * from_stride, item); /* proven: both are verified to be inside */
}

/* Copies elements along a line, `item` bytes each; strides in bytes. */
static void copy_line(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count, size_t item)
{
    if (to_stride == (int64_t)item && from_stride == (int64_t)item) {
        memcpy(to, from, (size_t)count * item);
        return;
    }
    switch (item) {
    case 1:
        copy_items(to, to_stride, from, from_stride, count, 1);
        break;
    case 2:
        copy_items(to, to_stride, from, from_stride, count, 2);
        break;
    case 4:
        copy_items(to, to_stride, from, from_stride, count, 4);
        break;
    case 8:
        copy_items(to, to_stride, from, from_stride, count, 8);
        break;
    default:
        copy_items(to, to_stride, from, from_stride, count, 16);
    }
}

/* Copies every element of a nest of two operands, with strides in bytes, from the second to the first. */
static void copy_nest(const zc_nest *nest, char *to, const char *from, size_t item)
{
    const int64_t *to_stride = nest->stride, *from_stride = nest->stride + nest->pitch;
    const int last = nest->rank - 1;
    int64_t at[ZC_MAX_RANK] = {0};
    int a = last;
    if (last < 0) {
        memcpy(to, from, item);
        return;
    }
    while (a >= 0) {
        copy_line(to, to_stride[last], from, from_stride[last], nest->shape[last], item);
        for (a = last - 1; a >= 0 && ++at[a] == nest->shape[a]; a--) {
            at[a] = 0;
            to -= (nest->shape[a] - 1) * to_stride[a];     /* proven: back to where this axis began */
            from -= (nest->shape[a] - 1) * from_stride[a]; /* proven: back to where this axis began */
        }
        if (a >= 0) {
            to += to_stride[a];
            from += from_stride[a];
        }
    }
}

void zc_copy_to_places(const zc_view *places, void *memory, const int64_t *from_stride, const void *from, size_t item)
{
    int64_t shape[ZC_MAX_RANK], strides[2 * ZC_MAX_RANK];
    const int64_t bytes = (int64_t)item;
    zc_nest nest = {.rank = places->rank,
                    .kept = places->rank,
                    .operands = 2,
                    .pitch = ZC_MAX_RANK,
                    .shape = shape,
                    .stride = strides};
    for (int a = 0; a < places->rank; a++) {
        shape[a] = places->shape[a];
        strides[a] = places->stride[a] * bytes;            /* proven: inside memory, in bytes */
        strides[ZC_MAX_RANK + a] = from_stride[a] * bytes; /* proven: likewise */
    }
    zc_nest_simplify(&nest);
    copy_nest(&nest, (char *)memory + places->offset * bytes, from, item); /* proven: likewise */
}

/* A constant `item` makes each copy one instruction. */
static inline void copy_numbered(char *to, const char *from, const int64_t *numbers, int64_t count, size_t item)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (size_t)i * item, from + (size_t)numbers[i] * item, item);
}

void zc_copy_numbered(void *to, const void *from, const int64_t *numbers, int64_t count, size_t item)
{
    switch (item) {
    case 4:
        copy_numbered(to, from, numbers, count, 4);
        break;
    case 8:
        copy_numbered(to, from, numbers, count, 8);
        break;
    default:
        copy_numbered(to, from, numbers, count, item);
    }
}

void zc_copy_to_numbered(const zc_view *shape, void *memory, const int64_t *numbers, const int64_t *from_stride,
                         const void *from, size_t item)
{
    int64_t at[ZC_MAX_RANK] = {0}, place = 0;
    char *to = memory;
    int a = 0;
    for (int64_t i = 0; a >= 0; i++) {
        memcpy(to + (size_t)numbers[i] * item, (const char *)from + (size_t)place * item, item); /* proven: inside */
        for (a = shape->rank - 1; a >= 0 && ++at[a] == shape->shape[a]; a--) {
            at[a] = 0;
            place -= (shape->shape[a] - 1) * from_stride[a]; /* proven: back to where this axis began */
        }
        place += a >= 0 ? from_stride[a] : 0;
    }
}
