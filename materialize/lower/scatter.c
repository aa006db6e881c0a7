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

/* The positions move the store. */
static bool move_store(zc_lowering *l, zc_draft *draft, const zc_node *node)
{
    const zc_scattered *scattered = node->scattered;
    const size_t count = (size_t)scattered->moved_count;
    zc_stage *stage = &draft->stage;
    stage->store_move = zc_arena_take(&l->plan->arena, count, sizeof *stage->store_move);
    draft->moves = zc_arena_take(l->plan->scratch, count, sizeof(zc_step *));
    if (stage->store_move == NULL || draft->moves == NULL)
        return false;
    for (int i = 0; i < scattered->moved_count; i++) {
        zc_step *positions = use_operand(l, draft, node, i + 1);
        if (positions == NULL)
            return false;
        draft->moves[i] = zc_draft_check_positions(l->plan, node, (zc_take_kind)scattered->named,
                                                   zc_step_resolve(positions), &scattered->moved[i]);
        if (draft->moves[i] == NULL)
            return false;
        stage->store_move[i].stride = scattered->moved[i].stride;
    }
    stage->store_moves = scattered->moved_count;
    return true;
}

/* The stage that makes what is there before elements are put: in the slot, as the node's elements stand. */
static bool make_base(zc_lowering *l, const zc_node *node, const zc_region *region)
{
    int base = zc_node_base(node);
    zc_view edge;
    if (base < 0)
        return true;
    zc_node_edge_view(node, base, &edge);
    zc_draft *draft = zc_begin_stored(l, &edge, edge.rank, region->slot, ZC_STAGE_BASE);
    if (draft == NULL)
        return false;
    draft->stage.result_dtype = (zc_dtype)node->dtype;
    draft->result = zc_use(l, draft, node->edges[base].node, &edge);
    return draft->result != NULL;
}

static bool put_elements(zc_lowering *l, const zc_node *node, const zc_region *region)
{
    zc_view domain, place;
    zc_view_row_major(node->domain_rank, zc_node_domain_shape(node), &domain);
    zc_node_place(node, &place);
    zc_draft *draft = zc_begin_stored(l, &domain, domain.rank, region->slot, ZC_STAGE_SCATTER);
    if (draft == NULL)
        return false;
    zc_stage *stage = &draft->stage;
    bool may_meet = node->scattered->moved_count > 0 || !zc_view_is_injective(&place);
    draft->may_split = false;
    stage->update = (zc_update_op)node->op;
    stage->updates = zc_node_base(node) >= 0;
    stage->clears = stage->updates ? 0 : node->size;
    stage->scatters = may_meet || (stage->updates && stage->update != ZC_UPDATE_SET);
    stage->result_dtype = (zc_dtype)node->dtype;
    stage->store_offset = place.offset;
    stage->store_stride = zc_arena_copy(&l->plan->arena, place.stride, (size_t)place.rank, sizeof *place.stride);
    if (stage->store_stride == NULL || !move_store(l, draft, node))
        return false;
    draft->result = use_operand(l, draft, node, 0);
    return draft->result != NULL;
}

bool zc_lower_scatter(zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    zc_region *region = &l->regions[0];
    region->is_part = false;
    zc_box_whole(node->rank, node->shape, &region->box);
    zc_box_view(&region->box, node->shape, 0, &region->view);
    needed->demanded = node->size;
    return zc_add_temporary(l, region, (zc_dtype)node->dtype) && put_elements(l, node, region) &&
           make_base(l, node, region) && zc_load_regions(l, needed, -1);
}
