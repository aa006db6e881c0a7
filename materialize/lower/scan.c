#include "materialize/lower/scan.h"

#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "materialize/stages/scan.h"
#include "views/compose.h"

/* The region as a domain, the scan's axis last; and where its elements are stored, row-major. */
static void view_region(const zc_node *node, const zc_region *region, int axis, zc_view *domain, int64_t *store)
{
    zc_box others = region->box, own = region->box;
    zc_view view, stored;
    uint64_t scanned = UINT64_C(1) << axis;
    zc_box_view(&others, node->shape, scanned, &view);
    for (int k = 0; k < own.rank; k++) {
        own.first[k] = 0;
        own.step[k] = 1;
    }
    zc_box_view(&own, region->box.count, scanned, &stored);
    int last = 0;
    for (int k = 0; k < axis; k++)
        last += region->box.count[k] != 1;
    domain->rank = 0;
    domain->offset = view.offset;
    for (int a = 0; a <= view.rank; a++) {
        int from = a < view.rank ? a : last;
        if (a == last)
            continue;
        domain->shape[domain->rank] = view.shape[from];
        domain->stride[domain->rank] = view.stride[from];
        store[domain->rank++] = stored.stride[from];
    }
}

/* The operand's elements in another order: strides that they have. */
static zc_step *use_operand(zc_lowering *l, zc_draft *draft, const zc_node *node, int operand, const zc_view *domain)
{
    zc_view edge, shown;
    zc_node_edge_view(node, operand, &edge);
    (void)zc_view_compose(&edge, domain, &shown);
    return zc_use_operand(l, draft, operand, &shown);
}

/* The factors of a recurrence. */
static bool use_factors(zc_lowering *l, zc_draft *draft, const zc_node *node, const zc_view *domain)
{
    draft->besides = zc_arena_take(l->plan->scratch, 1, sizeof(zc_step *));
    if (draft->besides == NULL)
        return false;
    draft->besides[0] = use_operand(l, draft, node, 1, domain);
    return draft->besides[0] != NULL;
}

static bool make_region(zc_lowering *l, const zc_node *node, const zc_region *region, zc_stage_reason reason, int axis)
{
    zc_view domain;
    int64_t store[ZC_MAX_RANK];
    view_region(node, region, axis, &domain, store);
    zc_draft *draft = zc_begin_stored(l, &domain, domain.rank, region->slot, reason);
    if (draft == NULL)
        return false;
    zc_stage *stage = draft->stage;
    draft->may_split = false;
    stage->kind = &zc_stage_kind_scan;
    stage->scan.scan = (zc_scan)node->op;
    stage->store.dtype = (zc_dtype)node->dtype;
    stage->store.stride = zc_arena_copy(&l->plan->arena, store, (size_t)domain.rank, sizeof *store);
    draft->result = use_operand(l, draft, node, 0, &domain);
    if (stage->store.stride == NULL || draft->result == NULL)
        return false;
    return node->edge_count < 2 || use_factors(l, draft, node, &domain);
}

bool zc_store_scan(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    const zc_node *node = needed->node;
    int axis = __builtin_ctzll(node->reduced);
    int count = zc_find_regions(l, needed, false, axis);
    for (int i = 0; i < count; i++) {
        if (!zc_add_temporary(l, &l->regions[i], node) || !make_region(l, node, &l->regions[i], reason, axis))
            return false;
    }
    return zc_load_regions(l, needed, axis);
}
