#include "materialize/run/take_over.h"

#include "materialize/plan/memory.h"
#include "runtime/graph/keep.h"
#include "views/nest.h"

#include <string.h>

/* ---- Writing ---- */

/* Copies elements along a line; a constant `item` makes each copy one instruction. */
static inline void copy_items(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count,
                              size_t item)
{
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
        copy_items(to, to_stride, from, from_stride, count, item);
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

typedef struct update {
    const zc_plan *plan;
    const zc_stage *stage;
} update;

static void write_elements(const void *user, void *memory)
{
    const update *u = user;
    const zc_stage *stage = u->stage;
    const zc_value *value = zc_stage_result(stage);
    const bool is_load = value->kind == ZC_VALUE_LOAD;
    const int64_t item = (int64_t)zc_dtype_bytes(stage->store.dtype);
    const char *from =
        is_load ? u->plan->at[value->slot] + stage->offset[value->access] * item : (const char *)value->constant->bytes;
    const int64_t *stride = stage->stride + (is_load ? (size_t)value->access * (size_t)stage->rank : 0);
    int64_t shape[ZC_MAX_RANK], strides[2 * ZC_MAX_RANK];
    zc_nest nest = {.rank = stage->rank,
                    .kept = stage->rank,
                    .operands = 2,
                    .pitch = ZC_MAX_RANK,
                    .shape = shape,
                    .stride = strides};
    for (int a = 0; a < stage->rank; a++) {
        shape[a] = stage->shape[a];
        strides[a] = stage->store.stride[a] * item;                /* proven: inside memory, in bytes */
        strides[ZC_MAX_RANK + a] = is_load ? stride[a] * item : 0; /* proven: inside memory, in bytes */
    }
    zc_nest_simplify(&nest);
    const int64_t shift = zc_slot_shift(u->plan, zc_slot_memory(u->plan, stage->store.base));
    copy_nest(&nest, (char *)memory + (stage->store.offset + shift) * item, from, (size_t)item); /* proven: likewise */
}

/* ---- Runs ---- */

bool zc_take_over(zc_plan *plan, const zc_stage *stage)
{
    zc_node *node = (zc_node *)(uintptr_t)plan->slots[stage->store.slot].node;
    zc_sources sources;
    zc_plan_list_sources(plan, &sources);
    zc_node *first = zc_node_take_over(node, write_elements, &(update){plan, stage});
    if (first == NULL)
        return false;
    zc_buffer *data = zc_node_data(node);
    atomic_store(&data->number, 0); /* what was computed from it before, is not from these elements */
    data->sources.count = 0;
    if (zc_node_has_gradients(node))
        data->sources = sources;
    plan->takeovers[plan->takeover_count++] = (zc_takeover){zc_node_retain(node), first};
    return true;
}

void zc_end_takeovers(zc_plan *plan)
{
    for (int32_t i = 0; i < plan->takeover_count; i++) {
        zc_node_end_operands(plan->takeovers[i].node, plan->takeovers[i].first);
        zc_node_release(plan->takeovers[i].node);
    }
    plan->takeover_count = 0;
}
