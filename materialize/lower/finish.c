/* What becomes of a stage whose values are all there: hoisting, the axes it need not walk, and where it stores. */
#include "materialize/lower/lower.h"
#include "runtime/graph/invariance.h"

#include <string.h>

uint64_t zc_all_axes(int rank)
{
    return rank == 64 ? UINT64_MAX : (UINT64_C(1) << rank) - 1;
}

/* The reduced axes: all but those of one element and those that the node reduces by rule, whatever the loads move
 * along. That is a matter of the recorded expression, and so are the bits of the result. */
static uint64_t reduced_axes_to_walk(const zc_stage *stage)
{
    uint64_t axes = 0;
    for (int a = 0; a < stage->rank; a++)
        axes |= (uint64_t)(stage->shape[a] != 1) << a;
    return axes & ~zc_all_axes(stage->kept) & ~stage->by_rule;
}

/* The others: those along which the result varies; all of a refined domain. */
static uint64_t kept_axes_to_walk(const zc_stage *stage)
{
    uint64_t kept = zc_all_axes(stage->kept);
    return stage->origin != NULL ? kept : zc_stage_result(stage)->axes & kept;
}

uint64_t zc_axes_to_walk(const zc_stage *stage)
{
    uint64_t axes = kept_axes_to_walk(stage) | reduced_axes_to_walk(stage);
    for (int a = 0; a < stage->rank; a++)
        axes |= (uint64_t)(stage->shape[a] == 0) << a;
    return axes;
}

void zc_compact_place(const zc_view *part, uint64_t walked, zc_view *place)
{
    zc_view stored;
    zc_view_drop_axes(part, ~walked & zc_all_axes(part->rank), &stored);
    zc_view_row_major(stored.rank, stored.shape, &stored);
    zc_view_copy(part, place);
    place->offset = 0;
    for (int a = 0, from = 0; a < part->rank; a++)
        place->stride[a] = (walked >> a & 1) != 0 ? stored.stride[from++] : 0;
}

/* Where the part's elements stand when the stage stores only the axes in `walked`. A refined stage stores all. */
static void place_part(const zc_stage *stage, const zc_view *part, uint64_t walked, zc_view *place)
{
    if (stage->origin == NULL)
        zc_compact_place(part, walked, place);
    else
        zc_view_row_major(part->rank, part->shape, place);
}

/* Row-major in memory of its own, or as the caller's memory wants it. */
static bool store_output(zc_plan *plan, zc_stage *stage)
{
    const zc_view *target = plan->target;
    stage->result_dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    stage->store_slot = ZC_OUTPUT_SLOT;
    stage->store_stride = zc_arena_take(&plan->arena, (size_t)stage->kept, sizeof *stage->store_stride);
    if (stage->store_stride == NULL)
        return false;
    if (target != NULL) {
        stage->store_offset = target->offset;
        for (int a = 0; a < stage->kept; a++) /* proven: inside the target */
            stage->store_stride[a] =
                stage->origin == NULL ? target->stride[a] : target->stride[stage->origin[a]] * stage->multiple[a];
    } else {
        zc_shape_row_major(stage->kept, stage->shape, stage->store_stride);
    }
    plan->slots[ZC_OUTPUT_SLOT].elements =
        target != NULL ? plan->target_elements : zc_stage_extent(stage, 0, stage->kept);
    return zc_plan_add_stage(plan, stage) == ZC_OK;
}

bool zc_close_stage(zc_lowering *lowering, zc_stage *stage, uint64_t walked)
{
    bool hoisted;
    if (!zc_hoist(lowering, stage, zc_stage_extent_along(stage, walked), &hoisted))
        return false;
    if (!hoisted && walked == zc_all_axes(stage->rank))
        return true;
    zc_stage needed;
    if (!zc_stage_extract(lowering->plan, stage, stage->value_count - 1, walked, &needed))
        return false;
    *stage = needed;
    return true;
}

/* The axes of what was asked for that are stored: all, or those that are not invariant. */
static uint64_t axes_to_store(const zc_plan *plan, zc_layout layout)
{
    uint64_t all = zc_all_axes(plan->root_view.rank);
    if (layout == ZC_LAYOUT_DENSE || zc_view_size(&plan->root_view) == 0)
        return all;
    return all & ~zc_invariant_axes(plan->root, &plan->root_view);
}

/* The stage's axes that those axes of the part are, or were split into. */
static uint64_t axes_of_stage(const zc_stage *stage, uint64_t stored)
{
    uint64_t axes = 0;
    for (int a = 0; a < stage->rank; a++)
        axes |= (stored >> (stage->origin == NULL ? a : stage->origin[a]) & 1) << a;
    return axes;
}

bool zc_finish_result(zc_lowering *lowering, zc_layout layout, zc_stage *stage)
{
    zc_plan *plan = lowering->plan;
    uint64_t stored = axes_to_store(plan, layout);
    stage->reason = ZC_STAGE_RESULT;
    zc_compact_place(&plan->root_view, stored, &plan->output_view);
    return zc_close_stage(lowering, stage, axes_of_stage(stage, stored)) && store_output(plan, stage);
}

bool zc_finish_part(zc_lowering *lowering, const zc_node *node, const zc_view *part, zc_stage *stage)
{
    zc_view place;
    uint64_t walked = zc_axes_to_walk(stage);
    place_part(stage, part, walked, &place);
    if (!zc_close_stage(lowering, stage, walked))
        return false;
    int32_t slot = zc_store_in_temporary(lowering->plan, stage);
    return slot >= 0 && zc_lowering_add(lowering, node, part, slot, &place) >= 0;
}

/* The axes along which the pieces of an assembly lie side by side, or vary. */
static uint64_t axes_of_pieces(const zc_piece *pieces)
{
    uint64_t axes = 0;
    for (const zc_piece *piece = pieces; piece != NULL; piece = piece->next) {
        axes |= zc_axes_to_walk(&piece->stage);
        for (int i = 0; i < piece->slab_count; i++)
            axes |= UINT64_C(1) << piece->slabs[i].axis;
    }
    return axes;
}

/* A piece stores where its slab of the place begins; of the part's axes, those in `walked` are left. */
static bool store_piece(zc_plan *plan, zc_piece *piece, int32_t slot, uint64_t walked, const zc_view *stored)
{
    zc_stage *stage = &piece->stage;
    stage->slabs = piece->slabs;
    stage->slab_count = piece->slab_count;
    stage->reason = ZC_STAGE_PIECE;
    stage->result_dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    stage->store_slot = slot;
    stage->store_offset = 0;
    for (int i = 0; i < stage->slab_count; i++) {
        zc_slab *slab = &stage->slabs[i];
        slab->axis = __builtin_popcountll(walked & ((UINT64_C(1) << slab->axis) - 1));
        stage->store_offset += slab->first * stored->stride[slab->axis]; /* proven: inside the slot */
    }
    stage->store_stride = zc_arena_copy(&plan->arena, stored->stride, (size_t)stored->rank, sizeof *stored->stride);
    return stage->store_stride != NULL && zc_plan_add_stage(plan, stage) == ZC_OK;
}

bool zc_finish_assembly(zc_lowering *lowering, const zc_node *node, const zc_view *part, zc_piece *pieces)
{
    zc_plan *plan = lowering->plan;
    uint64_t walked = axes_of_pieces(pieces);
    zc_view stored, place;
    zc_view_drop_axes(part, ~walked & zc_all_axes(part->rank), &stored);
    zc_view_row_major(stored.rank, stored.shape, &stored);
    zc_compact_place(part, walked, &place);
    int32_t slot = zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, (zc_dtype)node->dtype, zc_view_size(&stored), NULL);
    if (slot < 0)
        return false;
    for (zc_piece *piece = pieces; piece != NULL; piece = piece->next) {
        if (!zc_close_stage(lowering, &piece->stage, walked) || !store_piece(plan, piece, slot, walked, &stored))
            return false;
    }
    return zc_lowering_add(lowering, node, part, slot, &place) >= 0;
}

/* When the last stage only copies a temporary as it stands, all of it and to the same places, the temporary is the
 * output. */
void zc_drop_last_copy(zc_plan *plan)
{
    const zc_stage *last = &plan->stages[plan->stage_count - 1];
    const zc_value *load = zc_stage_result(last);
    const zc_slot *from = &plan->slots[load->slot];
    if (last->value_count != 1 || load->kind != ZC_VALUE_LOAD || from->kind != ZC_SLOT_TEMPORARY ||
        from->elements > plan->slots[ZC_OUTPUT_SLOT].elements || last->offset[load->access] != 0 ||
        last->store_offset != 0 || from->elements != zc_stage_extent(last, 0, last->rank) ||
        memcmp(last->stride + (size_t)load->access * (size_t)last->rank, last->store_stride,
               (size_t)last->rank * sizeof(int64_t)) != 0)
        return;
    int32_t temporary = load->slot;
    plan->stage_count--;
    for (int32_t s = 0; s < plan->stage_count; s++) {
        zc_stage *stage = &plan->stages[s];
        if (stage->store_slot == temporary) /* what else would read it, would not be part of the result */
            stage->store_slot = ZC_OUTPUT_SLOT;
    }
}
