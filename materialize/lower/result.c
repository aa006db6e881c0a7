#include "materialize/lower/result.h"

#include "materialize/lower/needed.h"
#include "materialize/lower/steps.h"
#include "runtime/graph/invariance.h"

#include <string.h>

/* ---- Slots ---- */

/* The axes of what was asked for that are stored: all, or those along which elements differ. */
static uint64_t axes_to_store(const zc_lowering *l, const zc_node *node, const zc_view *view)
{
    uint64_t all = zc_all_axes(view->rank);
    if (l->layout == ZC_LAYOUT_DENSE || zc_view_size(view) == 0)
        return all;
    zc_view distinct;
    zc_distinct_view(node, view, &distinct);
    return all & ~zc_view_broadcast_axes(&distinct);
}

/* Finds the view of a result that is stored, and the axes that it has: elements are row-major, with stride 0 along axes
 * that are not stored. */
static uint64_t find_stored(const zc_lowering *l, const zc_plan_result *result, zc_view *stored)
{
    zc_view view;
    zc_tensor_view(result->asked, &view);
    uint64_t axes = axes_to_store(l, result->asked->node, &view);
    zc_view_drop_axes(&view, ~axes & zc_all_axes(view.rank), stored);
    return axes;
}

/* Adds an output. False when memory is out. */
static bool add_output(zc_lowering *l, zc_plan_result *result)
{
    zc_plan *plan = l->plan;
    zc_view stored;
    (void)find_stored(l, result, &stored);
    int64_t elements = plan->target != NULL ? plan->target_elements : zc_view_size(&stored);
    result->slot = zc_plan_add_slot(plan, ZC_SLOT_OUTPUT, zc_dtype_of(result->asked), elements);
    return result->slot >= 0;
}

static bool place_in_output(zc_lowering *l, zc_plan_result *result)
{
    zc_view stored;
    int64_t own[ZC_MAX_RANK];
    int rank = result->asked->rank;
    uint64_t axes = find_stored(l, result, &stored);
    int64_t *stride = zc_arena_take(&l->plan->arena, (size_t)rank, sizeof *stride);
    if (stride == NULL)
        return false;
    zc_shape_row_major(stored.rank, stored.shape, own);
    for (int a = 0, from = 0; a < rank; a++)
        stride[a] = (axes >> a & 1) != 0 ? own[from++] : 0;
    result->stride = stride;
    return true;
}

/* Makes data that is dense already the result. */
static bool place_in_input(zc_lowering *l, const zc_needed *needed, zc_plan_result *result)
{
    const zc_tensor *t = result->asked;
    result->slot = zc_plan_add_input(l->plan, zc_dtype_of(t), needed->node->size, needed->data, 0);
    result->offset = t->offset;
    result->stride = zc_arena_copy(&l->plan->arena, t->dims + t->rank, (size_t)t->rank, sizeof *t->dims);
    return result->slot >= 0 && result->stride != NULL;
}

/* ---- Results that are asked for twice ---- */

static uint64_t hash_of(const zc_needed *needed, const zc_view *view)
{
    uint64_t hash = zc_hash_word((uint64_t)(uintptr_t)needed->node, (uint64_t)view->offset);
    for (int a = 0; a < view->rank; a++)
        hash = zc_hash_word(zc_hash_word(hash, (uint64_t)view->shape[a]), (uint64_t)view->stride[a]);
    return hash;
}

/* Finds an earlier result that shows the same of the same node, or -1; else this one is to be found from now on. */
static bool find_same(zc_lowering *l, const zc_needed *needed, int32_t at, int32_t *same)
{
    zc_view view, other;
    size_t cursor = 0;
    zc_result_asked(l->plan, at, &view);
    uint64_t hash = hash_of(needed, &view);
    while ((*same = zc_table_next(&l->results, hash, &cursor)) >= 0) {
        zc_result_asked(l->plan, *same, &other);
        const zc_needed *known = zc_needed_of(l, l->plan->results[*same].asked->node);
        bool is_it =
            known == needed && zc_view_equal(&view, &other); /* LCOV_EXCL_BR_LINE: it is unless hashes collide */
        if (is_it)                                           /* LCOV_EXCL_BR_LINE: likewise */
            return true;
    }
    return zc_table_add(&l->results, hash, at);
}

/* ---- Stages ---- */

static zc_draft *begin(zc_lowering *l, const zc_plan_result *result)
{
    const zc_view *target = l->plan->target;
    zc_view stored;
    (void)find_stored(l, result, &stored);
    zc_draft *draft = zc_begin_stored(l, &stored, stored.rank, result->slot, ZC_STAGE_RESULT);
    if (draft == NULL)
        return NULL;
    zc_stage *stage = draft->stage;
    stage->store.dtype = zc_dtype_of(result->asked);
    if (target != NULL) {
        stage->store.offset = target->offset;
        memcpy(stage->store.stride, target->stride, (size_t)stage->kept * sizeof *stage->store.stride);
    }
    draft->result = zc_use(l, draft, zc_needed_of(l, result->asked->node), &stored, 0);
    return draft->result != NULL ? draft : NULL;
}

/* Begins a draft that is placed later. */
static bool begin_late(zc_lowering *l, int32_t at)
{
    zc_draft *draft = begin(l, &l->plan->results[at]);
    if (draft == NULL)
        return false;
    l->drafts = draft->next;
    draft->next = NULL;
    draft->is_late = true;
    l->late[at] = draft;
    return true;
}

/* Tells whether all of the node is asked for, as it is stored. */
static bool is_whole(const zc_lowering *l, const zc_needed *needed, const zc_view *view)
{
    return l->layout == ZC_LAYOUT_DENSE && needed->data == NULL && zc_view_is_identity(view, needed->node->size);
}

static bool begin_result(zc_lowering *l, int32_t at)
{
    zc_plan *plan = l->plan;
    zc_plan_result *result = &plan->results[at];
    zc_needed *needed = zc_needed_of(l, result->asked->node);
    zc_view view;
    int32_t same;
    zc_tensor_view(result->asked, &view);
    bool exists = needed->data != NULL && zc_view_is_dense(&view);
    if (exists && l->layout == ZC_LAYOUT_DENSE && plan->target == NULL)
        return place_in_input(l, needed, result);
    bool is_node = is_whole(l, needed, &view);
    if (is_node)
        same = needed->result;
    else if (!find_same(l, needed, at, &same))
        return false;
    if (!place_in_output(l, result))
        return false;
    if (same >= 0) {
        result->slot = plan->results[same].slot;
        return true;
    }
    if (!add_output(l, result))
        return false;
    if (!is_node)
        return begin_late(l, at);
    needed->result = at;
    return true;
}

bool zc_begin_views(zc_lowering *l)
{
    int32_t count = l->plan->result_count;
    l->late = zc_arena_take(l->plan->scratch, (size_t)count, sizeof(zc_draft *));
    for (int32_t i = 0; l->late != NULL && i < count; i++)
        l->late[i] = NULL;
    for (int32_t i = 0; i < count; i++) {
        if (l->late == NULL || zc_progress_stops(&l->plan->ctx->progress) || !begin_result(l, i))
            return false;
    }
    return true;
}

/* The stage that stores a node which is bought. */
static bool begin_bought(zc_lowering *l, const zc_needed *needed)
{
    const zc_node *node = needed->node;
    zc_view all;
    zc_view_row_major(node->rank, node->shape, &all);
    zc_draft *draft = zc_begin_stored(l, &all, node->rank, needed->bought, ZC_STAGE_KEPT);
    if (draft == NULL)
        return false;
    draft->stage->store.dtype = (zc_dtype)node->dtype;
    draft->result = zc_use(l, draft, zc_needed_of(l, node), &all, 0);
    return draft->result != NULL;
}

bool zc_begin_whole(zc_lowering *l, const zc_needed *needed)
{
    if (needed->bought >= 0)
        return begin_bought(l, needed);
    return needed->result < 0 || begin(l, &l->plan->results[needed->result]) != NULL;
}

/* ---- When a copy is made ---- */

zc_draft *zc_find_late(const zc_needed *needed)
{
    zc_step *step = needed->steps;
    if (step == NULL || step->next != NULL || !step->draft->is_late || zc_step_resolve(step->draft->result) != step)
        return NULL;
    return step->draft;
}

void zc_place_late(zc_lowering *l, zc_draft *late)
{
    if (!late->is_replaced && zc_step_resolve(late->result)->value.kind != ZC_VALUE_OP)
        return;
    zc_draft *last = late;
    while (last->next != NULL)
        last = last->next;
    last->next = l->drafts;
    l->drafts = late;
    late->is_late = false;
}
