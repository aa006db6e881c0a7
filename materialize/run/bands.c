#include "materialize/run/bands.h"

#include <string.h>

/* Results of more bytes than the caches hold are divided into bands of about so many bytes. Where bands are rows, which
 * meet the same columns, fewer than so many are not worth packing those for. Where more products are summed, another
 * pass over the results takes little of the time. */
enum { CACHED_BYTES = 1 << 21, BAND_BYTES = 1 << 18, LEAST_ROWS = 64, MOST_PRODUCTS = 128 };

/* Whether `next` makes each of its elements of that of `stage` at the same place, and stores it there. */
static bool follows(const zc_stage *stage, const zc_stage *next)
{
    const size_t row = (size_t)stage->kept * sizeof(int64_t);
    if (stage->member != NULL || next->member != NULL || !stage->kind->packs_operands || stage->store.slab_count > 0 ||
        stage->store.updates || next->store.overwritten != stage->store.slot)
        return false;
    /* LCOV_EXCL_BR_START: what is written over is read where it is stored, by the same axes but for extents of 1 */
    return next->store.base < 0 && zc_shape_equal(stage->kept, stage->shape, next->kept, next->shape) &&
           next->store.offset == stage->store.offset && memcmp(next->store.stride, stage->store.stride, row) == 0 &&
           zc_stage_has_no_positions(next);
    /* LCOV_EXCL_BR_STOP */
}

/* Whether what the contraction computes of its operands is another part in each band along the axis. */
static bool computes_other_parts(const zc_stage *stage, int axis)
{
    const zc_value *product = zc_stage_result(stage);
    for (int i = 0; i < product->arity; i++) {
        const zc_value *factor = &stage->values[product->arg[i]];
        if (factor->kind == ZC_VALUE_OP && (factor->axes >> axis & 1) == 0)
            return false;
    }
    return true;
}

/* The axis that bands divide: the first of some length; -1: none. */
static int leading_axis(const zc_stage *stage)
{
    for (int a = 0; a < stage->kept; a++) {
        if (stage->shape[a] > 1)
            return a;
    }
    return -1;
}

/* How many positions along the axis a band has, so that all bands are equal; 0: there are no bands. */
static int64_t find_length(const zc_stage *stage, int axis)
{
    const int64_t all = stage->shape[axis], rest = zc_stage_extent(stage, axis + 1, stage->kept);
    const int64_t each = rest * (int64_t)zc_dtype_bytes(stage->store.dtype); /* proven: not more than the slot's */
    if (each == 0 || all <= CACHED_BYTES / each || zc_stage_extent(stage, stage->kept, stage->rank) > MOST_PRODUCTS ||
        !computes_other_parts(stage, axis))
        return 0;
    const zc_value *product = zc_stage_result(stage);
    const uint64_t batches = stage->values[product->arg[0]].axes & stage->values[product->arg[1]].axes;
    const int64_t least = (batches >> axis & 1) != 0 ? 1 : LEAST_ROWS;
    const int64_t most = zc_larger(BAND_BYTES / each, least);
    for (int64_t length = zc_smaller(most, all / 2); length >= zc_larger(most / 2, least); length--) {
        if (all % length == 0)
            return length;
    }
    return 0;
}

/* The stage over one band. False when memory is out. */
static bool make_band(zc_plan *plan, zc_stage *stage, int axis, int64_t length)
{
    zc_stage *band = zc_arena_copy(&plan->arena, stage, 1, sizeof *stage);
    int64_t *shape = zc_arena_copy(&plan->arena, stage->shape, (size_t)stage->rank, sizeof *shape);
    int64_t *offset = zc_arena_copy(&plan->arena, stage->offset, (size_t)stage->access_count, sizeof *offset);
    if (band == NULL || shape == NULL || offset == NULL)
        return false;
    shape[axis] = length;
    band->shape = shape;
    band->offset = offset;
    band->is_band = true;
    stage->band = band;
    stage->band_axis = band->band_axis = axis;
    return true;
}

bool zc_plan_make_bands(zc_plan *plan)
{
    const bool is_alone = plan->ctx->options.threads == 1; /* threads would meet at the end of each band */
    for (int32_t s = 0; is_alone && s + 1 < plan->stage_count; s++) {
        zc_stage *stage = plan->stages[s], *next = plan->stages[s + 1];
        const int axis = follows(stage, next) ? leading_axis(stage) : -1;
        const int64_t length = axis >= 0 ? find_length(stage, axis) : 0;
        if (length == 0)
            continue;
        if (!make_band(plan, stage, axis, length) || !make_band(plan, next, axis, length))
            return false;
        stage->bands = stage->shape[axis] / length;
    }
    return true;
}

void zc_band_move(const zc_stage *stage, int64_t number)
{
    zc_stage *band = stage->band;
    const int axis = stage->band_axis;
    const int64_t by = number * band->shape[axis]; /* proven: inside the axis, as what follows is inside the slots */
    for (int32_t access = 0; access < stage->access_count; access++)
        (void)zc_checked_advance(stage->offset[access], by,
                                 stage->stride[(size_t)access * (size_t)stage->rank + (size_t)axis],
                                 &band->offset[access]);
    (void)zc_checked_advance(stage->store.offset, by, stage->store.stride[axis], &band->store.offset);
}
