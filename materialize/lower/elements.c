#include "materialize/lower/elements.h"

#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"

/* The stage that makes a region. */
static bool make_region(zc_lowering *l, zc_needed *needed, const zc_region *region, zc_stage_reason reason,
                        zc_inline_function *inline_node)
{
    const zc_node *node = needed->node;
    bool inlined = false;
    zc_draft *draft = zc_begin_stored(l, &region->view, region->view.rank, region->slot, reason);
    if (draft == NULL)
        return false;
    draft->stage->store.dtype = (zc_dtype)node->dtype;
    draft->result = zc_draft_see(l->plan, draft, node, &region->view);
    needed->steps = draft->result;
    if (draft->result == NULL)
        return false;
    return inline_node(l, needed, &inlined) && inlined;
}

bool zc_store_elements(zc_lowering *l, zc_needed *needed, zc_stage_reason reason, zc_inline_function *inline_node)
{
    int count = l->region_count >= 0 ? l->region_count : zc_find_regions(l, needed, true, -1);
    if (!zc_see_parts(l, needed->node, count, zc_can_see_operands))
        count = zc_find_regions(l, needed, false, -1);
    for (int i = 0; i < count; i++) {
        if (!zc_add_temporary(l, &l->regions[i], needed->node))
            return false;
    }
    if (!zc_load_regions(l, needed, -1))
        return false;
    for (int i = 0; i < count; i++) {
        if (!make_region(l, needed, &l->regions[i], reason, inline_node))
            return false;
    }
    return true;
}
