#include "materialize/lower/scatter.h"

#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "views/overlap.h"

static zc_step *use_operand(zc_lowering *l, zc_draft *draft, const zc_node *node, int operand)
{
    zc_view edge;
    zc_node_edge_view(node, operand, &edge);
    return zc_use(l, draft, node->edges[operand].node, &edge);
}

/* The positions gather axes, which move the store. */
static bool move_store(zc_lowering *l, zc_draft *draft, const zc_node *node)
{
    const zc_scattered *scattered = node->scattered;
    const size_t count = (size_t)scattered->moved_count;
    zc_stage *stage = &draft->stage;
    stage->store_move = zc_arena_take(&l->plan->arena, count, sizeof *stage->store_move);
    draft->moves = zc_arena_take(&l->plan->arena, count, sizeof(zc_step *));
    if (stage->store_move == NULL || draft->moves == NULL)
        return false;
    for (int i = 0; i < scattered->moved_count; i++) {
        zc_step *positions = use_operand(l, draft, node, i + 1);
        if (positions == NULL)
            return false;
        positions = zc_step_resolve(positions);
        int axis = zc_draft_gather(l->plan, node, scattered->named, positions, &scattered->moved[i]);
        if (axis < 0)
            return false;
        draft->moves[i] = zc_draft_check(draft, axis);
        stage->store_move[i].stride = scattered->moved[i].stride;
    }
    stage->store_moves = scattered->moved_count;
    return true;
}

bool zc_lower_scatter(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    zc_view domain, place;
    zc_region *region = &l->regions[0];
    region->is_part = false;
    zc_box_whole(node->rank, node->shape, &region->box);
    zc_box_view(&region->box, node->shape, 0, &region->view);
    zc_view_row_major(node->domain_rank, zc_node_domain_shape(node), &domain);
    zc_node_place(node, &place);
    if (!zc_add_temporary(l, region, (zc_dtype)node->dtype))
        return false;
    zc_draft *draft = zc_begin_stored(l, &domain, domain.rank, region->slot, ZC_STAGE_SCATTER);
    if (draft == NULL)
        return false;
    zc_stage *stage = &draft->stage;
    draft->may_split = false;
    stage->clears = true;
    stage->adds = node->scattered->moved_count > 0 || !zc_view_is_injective(&place);
    stage->result_dtype = (zc_dtype)node->dtype;
    stage->store_offset = place.offset;
    stage->store_stride = zc_arena_copy(&l->plan->arena, place.stride, (size_t)place.rank, sizeof *place.stride);
    if (stage->store_stride == NULL || !move_store(l, draft, node))
        return false;
    draft->result = use_operand(l, draft, node, 0);
    return draft->result != NULL && zc_load_regions(l, needed, -1);
}
