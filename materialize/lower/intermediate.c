/* Intermediate results: the table of them, and the temporaries they stand in. */
#include "materialize/lower/lower.h"

#include <string.h>

static uint64_t hash_part(const zc_node *node, const zc_view *part)
{
    uint64_t hash = zc_hash_word((uint64_t)(uintptr_t)node, (uint64_t)part->offset);
    for (int a = 0; a < part->rank; a++)
        hash = zc_hash_word(zc_hash_word(hash, (uint64_t)part->shape[a]), (uint64_t)part->stride[a]);
    return hash;
}

static bool is_part(const zc_intermediate *known, const zc_node *node, const zc_view *part)
{
    size_t bytes = (size_t)part->rank * sizeof(int64_t);
    /* LCOV_EXCL_BR_START: it differs only where hashes collide */
    return known->part.node == node && known->rank == part->rank && known->part.offset == part->offset &&
           memcmp(known->shape, part->shape, bytes) == 0 && memcmp(known->part.stride, part->stride, bytes) == 0;
    /* LCOV_EXCL_BR_STOP */
}

int32_t zc_lowering_find(const zc_lowering *lowering, const zc_node *node, const zc_view *part)
{
    size_t cursor = 0;
    uint64_t hash = hash_part(node, part);
    int32_t at;
    while ((at = zc_table_next(&lowering->table, hash, &cursor)) >= 0) {
        if (is_part(&lowering->intermediates[at], node, part)) /* LCOV_EXCL_BR_LINE: likewise */
            return at;
    }
    return -1;
}

int32_t zc_lowering_add_unlisted(zc_lowering *lowering, const zc_node *node, const zc_view *part, int32_t slot,
                                 const zc_view *place)
{
    zc_arena *arena = &lowering->plan->arena;
    void *intermediates = lowering->intermediates;
    if (!zc_arena_make_room(arena, &intermediates, lowering->count, &lowering->room, sizeof *lowering->intermediates))
        return -1;
    lowering->intermediates = intermediates;
    zc_intermediate made = {.part = {node, part->offset, part->rank,
                                     zc_arena_copy(arena, part->stride, (size_t)part->rank, sizeof(int64_t))},
                            .rank = part->rank,
                            .shape = zc_arena_copy(arena, part->shape, (size_t)part->rank, sizeof(int64_t)),
                            .slot = slot,
                            .offset = place->offset,
                            .stride = zc_arena_copy(arena, place->stride, (size_t)part->rank, sizeof(int64_t)),
                            .expanded = -1};
    if (made.part.stride == NULL || made.shape == NULL || made.stride == NULL)
        return -1;
    lowering->intermediates[lowering->count] = made;
    return lowering->count++;
}

int32_t zc_lowering_add(zc_lowering *lowering, const zc_node *node, const zc_view *part, int32_t slot,
                        const zc_view *place)
{
    int32_t at = zc_lowering_add_unlisted(lowering, node, part, slot, place);
    return at >= 0 && zc_table_add(&lowering->table, hash_part(node, part), at) ? at : -1;
}

void zc_intermediate_place(const zc_intermediate *from, zc_view *out)
{
    size_t bytes = (size_t)from->rank * sizeof(int64_t);
    out->rank = from->rank;
    out->offset = from->offset;
    memcpy(out->shape, from->shape, bytes);
    memcpy(out->stride, from->stride, bytes);
}

bool zc_may_spend(const zc_plan *plan, int64_t elements, zc_dtype dtype)
{
    int64_t limit = plan->ctx->options.memory_limit;
    return limit == 0 || elements <= limit / 4 / (int64_t)zc_dtype_bytes(dtype);
}

int32_t zc_store_in_temporary(zc_plan *plan, zc_stage *stage)
{
    const zc_value *result = zc_stage_result(stage);
    bool is_index = stage->reduces && zc_reduction_is_index(stage->reduction);
    stage->result_dtype = is_index ? ZC_INT64 : (zc_dtype)result->dtype;
    stage->store_slot =
        zc_plan_add_slot(plan, ZC_SLOT_TEMPORARY, stage->result_dtype, zc_stage_extent(stage, 0, stage->kept), NULL);
    stage->store_stride = zc_arena_take(&plan->arena, (size_t)stage->kept, sizeof *stage->store_stride);
    if (stage->store_slot < 0 || stage->store_stride == NULL)
        return -1;
    stage->store_offset = 0;
    zc_shape_row_major(stage->kept, stage->shape, stage->store_stride);
    return zc_plan_add_stage(plan, stage) == ZC_OK ? stage->store_slot : -1;
}

int32_t zc_lowering_expand(zc_lowering *lowering, int32_t at)
{
    if (lowering->intermediates[at].expanded >= 0)
        return lowering->intermediates[at].expanded;
    const zc_intermediate known = lowering->intermediates[at];
    zc_builder builder;
    if (!zc_builder_begin(&builder, lowering->plan, known.rank, known.shape))
        return -1;
    zc_dtype dtype = lowering->plan->slots[known.slot].dtype;
    if (zc_builder_load(&builder, &known.part, known.slot, dtype, known.offset, known.stride) < 0)
        return -1;
    builder.stage.reason = ZC_STAGE_EXPANDED;
    int32_t slot = zc_store_in_temporary(lowering->plan, &builder.stage);
    if (slot < 0)
        return -1;
    zc_view part, place;
    zc_intermediate_place(&known, &part);
    zc_view_row_major(known.rank, known.shape, &place);
    int32_t full = zc_lowering_add_unlisted(lowering, known.part.node, &part, slot, &place);
    if (full >= 0)
        lowering->intermediates[at].expanded = full;
    return full;
}
