#include "materialize/lower/source.h"

#include "materialize/lower/picked.h"
#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "materialize/stages/source.h"

/* Begins the stage that reads a region: its value is the number of the element. */
static bool read_region(zc_lowering *l, const zc_node *node, const zc_region *region, zc_stage_reason reason)
{
    zc_draft *draft = zc_begin_stored(l, &region->view, region->view.rank, region->slot, reason);
    if (draft == NULL)
        return false;
    draft->may_split = false;
    draft->stage->kind = &zc_stage_kind_source;
    draft->stage->store.dtype = (zc_dtype)node->dtype;
    zc_step *number = zc_draft_see(l->plan, draft, node, &region->view);
    draft->result = number;
    if (number == NULL)
        return false;
    number->value.kind = ZC_VALUE_INDEX;
    number->value.dtype = ZC_INT64;
    number->load_offset = number->value.node_offset;
    number->load_stride = number->value.node_stride;
    number->load_rank = number->rank;
    return true;
}

/* Lets steps that see few elements by positions load stages that read these: the others are left. False when memory is
 * out. */
static bool read_picked(zc_lowering *l, zc_needed *needed)
{
    zc_step *left = NULL;
    int32_t count = 0;
    while (needed->steps != NULL) {
        zc_step *step = needed->steps, *picking;
        if (!zc_pick_apart(l, step, needed, &picking))
            return false;
        needed->steps = step->next;
        if (picking == NULL) {
            step->next = left;
            left = step;
            count++;
            continue;
        }
        picking->draft->stage->kind = &zc_stage_kind_source;
        picking->same = zc_draft_position(l->plan, picking);
        if (picking->same == NULL)
            return false;
    }
    needed->steps = left;
    needed->step_count = count;
    return true;
}

bool zc_store_source(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    if (!read_picked(l, needed))
        return false;
    if (needed->steps == NULL)
        return true;
    const int count = zc_find_regions(l, needed, false, -1);
    for (int i = 0; i < count; i++) {
        if (!zc_add_temporary(l, &l->regions[i], needed->node) || !read_region(l, needed->node, &l->regions[i], reason))
            return false;
    }
    return zc_load_regions(l, needed, -1);
}
