#include "materialize/execute/evaluator.h"

#include "materialize/execute/value_kernel.h"

zc_evaluator *zc_evaluator_new(const zc_stage *stage, char *const *slots, zc_arena *arena)
{
    zc_evaluator *e = zc_arena_take(arena, 1, sizeof *e);
    if (e == NULL)
        return NULL;
    *e = (zc_evaluator){.stage = stage,
                        .slots = slots,
                        .values = zc_arena_take(arena, (size_t)stage->value_count, sizeof *e->values),
                        .position = zc_arena_take(arena, (size_t)stage->rank, sizeof *e->position)};
    return e->values != NULL && e->position != NULL ? e : NULL;
}

static int64_t position_of(const zc_evaluator *e, int32_t access)
{
    const zc_stage *stage = e->stage;
    const int64_t *stride = stage->stride + (size_t)access * (size_t)stage->rank;
    int64_t at = stage->offset[access];
    for (int a = 0; a < stage->rank; a++)
        at += e->position[a] * stride[a]; /* proven: verified to be inside */
    return at;
}

const void *zc_evaluator_element(const zc_evaluator *e, const zc_value *value)
{
    int64_t at = position_of(e, value->access);
    for (int i = 0; i < value->arity; i++)
        at += e->values[value->arg[i]].int64 * value->pick_stride[i]; /* proven: verified to be inside */
    return e->slots[value->slot] + (size_t)at * zc_dtype_bytes((zc_dtype)value->dtype);
}

const zc_scalar *zc_evaluate(zc_evaluator *e)
{
    const zc_stage *stage = e->stage;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if (value->kind == ZC_VALUE_CONSTANT) {
            e->values[v] = *value->constant;
        } else if (value->kind == ZC_VALUE_INDEX) {
            e->values[v].int64 = position_of(e, value->access);
        } else if (zc_value_reads(value)) {
            zc_kernels_portable.map[ZC_OP_COPY][value->dtype](e->values[v].bytes, zc_evaluator_element(e, value), NULL,
                                                              NULL, 1);
        } else if (value->kind == ZC_VALUE_CHECK) {
            e->values[v].int64 = *zc_check_positions(&zc_kernels_portable, stage, v, &e->values[value->arg[0]].int64,
                                                     &e->values[v].int64, 1, e->bad_index);
        } else {
            const void *arg[ZC_MAX_ARITY] = {NULL};
            for (int i = 0; i < value->arity; i++)
                arg[i] = e->values[value->arg[i]].bytes;
            zc_kernel_of(&zc_kernels_portable, stage, value)(e->values[v].bytes, arg[0], arg[1], arg[2], 1);
        }
    }
    return &e->values[stage->value_count - 1];
}

bool zc_evaluator_advance(zc_evaluator *e, int first, int last, int done)
{
    if (!zc_thread_progress_add(&e->progress, (int64_t)done * zc_stage_values_each(e->stage)))
        return false;
    for (int a = last - 1; a >= first; a--) {
        if (++e->position[a] < e->stage->shape[a])
            return true;
        e->position[a] = 0;
    }
    return false;
}
