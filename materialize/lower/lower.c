#include "materialize/lower/lower.h"

#include "materialize/lower/concat.h"
#include "materialize/lower/emit.h"
#include "materialize/lower/forward.h"
#include "materialize/lower/gather.h"
#include "materialize/lower/map.h"
#include "materialize/lower/needed.h"
#include "materialize/lower/reduction.h"
#include "materialize/lower/scan.h"
#include "materialize/lower/scatter.h"
#include "materialize/lower/steps.h"

#include <string.h>

#include "runtime/graph/invariance.h"

/* ---- Drafts ---- */

zc_draft *zc_begin_stored(zc_lowering *l, const zc_view *domain, int kept, int32_t slot, zc_stage_reason reason)
{
    zc_draft *draft = zc_draft_begin(l->plan, domain, kept, reason);
    if (draft == NULL)
        return NULL;
    zc_stage *stage = &draft->stage;
    draft->next = l->drafts;
    l->drafts = draft;
    stage->store_slot = slot;
    stage->store_stride = zc_arena_take(&l->plan->arena, (size_t)kept, sizeof *stage->store_stride);
    if (stage->store_stride == NULL)
        return NULL;
    zc_shape_row_major(kept, domain->shape, stage->store_stride);
    return draft;
}

void zc_move_behind(zc_lowering *l, zc_draft *other)
{
    zc_draft *moved = l->drafts;
    l->drafts = moved->next;
    moved->next = other->next;
    other->next = moved;
}

bool zc_add_temporary(zc_lowering *l, zc_region *region, zc_dtype dtype)
{
    int64_t elements = region->is_part ? zc_view_size(&region->view) : zc_box_size(&region->box);
    region->slot = zc_plan_add_slot(l->plan, ZC_SLOT_TEMPORARY, dtype, elements, NULL);
    return region->slot >= 0;
}

/* ---- The result ---- */

static uint64_t all_axes(int rank)
{
    return rank == 64 ? UINT64_MAX : (UINT64_C(1) << rank) - 1;
}

/* The axes of what was asked for that are stored: all, or those that are not invariant. */
static uint64_t axes_to_store(const zc_plan *plan, zc_layout layout)
{
    uint64_t all = all_axes(plan->root_view.rank);
    if (layout == ZC_LAYOUT_DENSE || zc_view_size(&plan->root_view) == 0)
        return all;
    return all & ~zc_invariant_axes(plan->root, &plan->root_view);
}

/* How the result's elements stand in the output: row-major, with stride 0 along axes that are not stored. */
static void place_output(zc_plan *plan, const zc_view *stored, uint64_t axes)
{
    int64_t own[ZC_MAX_RANK];
    zc_shape_row_major(stored->rank, stored->shape, own);
    zc_view_copy(&plan->root_view, &plan->output_view);
    plan->output_view.offset = 0;
    for (int a = 0, from = 0; a < plan->root_view.rank; a++)
        plan->output_view.stride[a] = (axes >> a & 1) != 0 ? own[from++] : 0;
}

static bool begin_result(zc_lowering *l)
{
    zc_plan *plan = l->plan;
    const zc_view *target = plan->target;
    zc_view stored;
    uint64_t axes = axes_to_store(plan, l->layout);
    zc_view_drop_axes(&plan->root_view, ~axes & all_axes(plan->root_view.rank), &stored);
    place_output(plan, &stored, axes);
    plan->slots[ZC_OUTPUT_SLOT].elements = target != NULL ? plan->target_elements : zc_view_size(&stored);
    zc_draft *draft = zc_begin_stored(l, &stored, stored.rank, ZC_OUTPUT_SLOT, ZC_STAGE_RESULT);
    if (draft == NULL)
        return false;
    zc_stage *stage = &draft->stage;
    stage->result_dtype = (zc_dtype)plan->root->dtype;
    if (target != NULL) {
        stage->store_offset = target->offset;
        memcpy(stage->store_stride, target->stride, (size_t)stage->kept * sizeof *stage->store_stride);
    }
    draft->result = zc_use(l, draft, plan->root, &stored);
    return draft->result != NULL;
}

/* ---- Deciding ---- */

/* One of the node's steps that is the same as another one by now, or NULL; looked for among the first few. */
static zc_step *find_same(const zc_needed *needed, const zc_step *step)
{
    zc_view view, other;
    zc_step *known = needed->steps;
    zc_step_view(step, &view);
    for (int i = 0; known != NULL && i < ZC_MOST_STEPS; known = known->next, i++) {
        zc_step_view(known, &other);
        if (known->draft == step->draft && zc_view_equal(&view, &other))
            return known;
    }
    return NULL;
}

/* Brings the steps of a node up to date, and makes those one that are the same by now. */
static bool gather_steps(zc_lowering *l, zc_needed *needed)
{
    bool were_split = false;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        were_split |= step->draft->split_count > 0;
    if (!zc_catch_up(l, needed))
        return false;
    if (!were_split)
        return true;
    zc_step *others = needed->steps;
    needed->steps = NULL;
    needed->step_count = 0;
    while (others != NULL) {
        zc_step *step = others;
        others = step->next;
        step->same = find_same(needed, step);
        if (step->same != NULL)
            continue;
        step->next = needed->steps;
        needed->steps = step;
        needed->step_count++;
    }
    return true;
}

static bool decide(zc_lowering *l, zc_needed *needed)
{
    static bool (*const lower[])(zc_lowering *, zc_needed *) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient)    /* read where they are seen */
#define ZC_COMPUTED_NODE(NAME, name, attributes, invariant, gradient) [ZC_NODE_##NAME] = zc_lower_##name,
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    if (!gather_steps(l, needed))
        return false;
    return lower[needed->node->kind](l, needed);
}

/* From consumers to producers. */
static bool decide_all(zc_lowering *l)
{
    for (int32_t i = l->needed_count - 1; i >= 0; i--) {
        if (zc_progress_stops(&l->plan->ctx->progress))
            return false;
        zc_needed *needed = &l->needed[l->order[i]];
        if (needed->steps != NULL && !decide(l, needed))
            return false;
    }
    return true;
}

/* ---- Finishing ---- */

/* Stages of producers come before those of their consumers, and pieces in the order of their slabs. */
static bool finish_drafts(zc_lowering *l)
{
    zc_plan *plan = l->plan;
    for (zc_draft *draft = l->drafts; draft != NULL; draft = draft->next) {
        zc_stage stage;
        if (draft->is_replaced)
            continue;
        if (zc_progress_stops(&plan->ctx->progress) || !zc_draft_emit(plan, draft, &stage) ||
            zc_plan_add_stage(plan, &stage) != ZC_OK)
            return false;
    }
    return true;
}

static bool make_stages(zc_lowering *l)
{
    zc_plan *plan = l->plan;
    return zc_plan_add_slot(plan, ZC_SLOT_OUTPUT, (zc_dtype)plan->root->dtype, 0, NULL) == ZC_OUTPUT_SLOT &&
           zc_find_needed(l, plan->root) && begin_result(l) && decide_all(l) && finish_drafts(l) &&
           zc_forward_copies(plan, l->policy);
}

zc_status zc_plan_lower(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function)
{
    zc_arena scratch;
    zc_region regions[ZC_MOST_REGIONS + 1];
    zc_lowering l = {.plan = plan,
                     .policy = policy,
                     .layout = layout,
                     .table.arena = &scratch,
                     .equals.arena = &scratch,
                     .seen.arena = &scratch,
                     .regions = regions};
    zc_arena_init(&scratch, plan->ctx->heap);
    scratch.limit = plan->arena.limit;
    plan->scratch = &scratch;
    bool lowered = make_stages(&l), failed = scratch.failed || plan->arena.failed;
    plan->eager_bytes = lowered ? zc_eager_bytes(&l) : 0;
    plan->scratch = NULL;
    plan->plan_bytes = scratch.bytes;
    zc_arena_free(&scratch);
    if (lowered)
        return ZC_OK;
    if (scratch.is_over || plan->arena.is_over)
        return zc_plan_refuse_size(plan, function);
    if (failed)
        return zc_fail_memory(plan->ctx, function);
    if (zc_progress_stops(&plan->ctx->progress)) /* LCOV_EXCL_BR_LINE: nothing else is left */
        return zc_fail_cancelled(plan->ctx, function);
    /* LCOV_EXCL_START: nothing else is left */
    return zc_fail(plan->ctx, ZC_ERROR_INTERNAL, function, "the graph could not be lowered");
    /* LCOV_EXCL_STOP */
}
