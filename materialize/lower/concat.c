#include "materialize/lower/concat.h"

#include <string.h>

#include "materialize/lower/needed.h"
#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "materialize/rewrite/runs.h"
#include "materialize/stages/runs.h"
#include "views/compose.h"

/* Motion of a view through a concat. An index of the concat is (row, coordinate along the axis, rest). */
typedef struct motion {
    zc_view row;        /* strides: rows per step */
    zc_view coordinate; /* strides: along the concat's axis */
} motion;

/* Finds how a view moves through a concat. False when a step changes row or coordinate by different amounts at
 * different places. */
static bool find_motion(const zc_node *node, const zc_view *view, motion *out)
{
    zc_view axes;
    axes.rank = node->rank;
    axes.offset = 0;
    int64_t rows = 1;
    for (int a = node->rank - 1; a >= 0; a--) {
        axes.shape[a] = node->shape[a];
        axes.stride[a] = a < node->op && node->shape[a] != 1 ? rows : 0;
        rows *= a < node->op ? node->shape[a] : 1; /* proven: at most the node's size */
    }
    if (!zc_view_compose(&axes, view, &out->row))
        return false;
    for (int a = 0; a < node->rank; a++)
        axes.stride[a] = a == node->op && node->shape[a] != 1;
    return zc_view_compose(&axes, view, &out->coordinate);
}

/* Finds the operand that holds a coordinate. */
static int find_operand(const zc_node *node, int64_t coordinate)
{
    int low = 0, high = node->edge_count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (node->start[middle] <= coordinate)
            low = middle;
        else
            high = middle - 1;
    }
    return low; /* the last that begins there: the ones before it are empty */
}

/* The operand that a view stays inside of, or -1. */
static int only_operand(const zc_node *node, const zc_view *coordinate)
{
    int64_t lowest, highest;
    zc_view_reach(coordinate, &lowest, &highest);
    int operand = find_operand(node, lowest);
    return highest < node->start[operand + 1] ? operand : -1;
}

/* Sees operand k's node through a view of the concat that stays inside that operand. Per element: the operand has (its
 * extent) instead of (the concat's) coordinates per row, and begins `start` further on. */
static bool see_operand(const zc_node *node, const zc_view *view, const motion *moved, int k, zc_view *out)
{
    int64_t rest = 1;
    for (int a = node->op + 1; a < node->rank; a++)
        rest *= node->shape[a]; /* proven: at most the node's size */
    int64_t missing = (node->shape[node->op] - (node->start[k + 1] - node->start[k])) * rest; /* proven: likewise */
    zc_view own, edge;
    zc_view_copy(view, &own);
    (void)zc_checked_advance(own.offset, -moved->row.offset, missing, &own.offset);
    (void)zc_checked_advance(own.offset, -node->start[k], rest, &own.offset);
    for (int a = 0; a < own.rank; a++)
        (void)zc_checked_advance(own.stride[a], -moved->row.stride[a], missing, &own.stride[a]);
    zc_view_canonicalise(&own);
    zc_node_edge_view(node, k, &edge);
    return zc_view_compose(&edge, &own, out);
}

/* ---- Passing on ---- */

/* Makes the step see the operand that it shows, if it shows but one. An eager plan does not: the operand may be freed
 * by then. */
static bool pass_on(zc_lowering *l, zc_step *step, bool *passed)
{
    *passed = false;
    if (l->policy == ZC_POLICY_EAGER)
        return true;
    const zc_node *node = step->value.node;
    zc_view view, shown;
    motion moved;
    zc_step_view(step, &view);
    int operand = find_motion(node, &view, &moved) ? only_operand(node, &moved.coordinate) : -1;
    *passed = operand >= 0 && see_operand(node, &view, &moved, operand, &shown);
    if (!*passed)
        return true;
    step->same = zc_use_operand(l, step->draft, operand, &shown);
    return step->same != NULL;
}

bool zc_pass_on_concat(zc_lowering *l, zc_needed *needed)
{
    zc_step *left = NULL;
    needed->demanded = zc_larger(needed->demanded, zc_find_shown(needed)); /* fewer steps are left after each cut */
    needed->step_count = 0;
    for (zc_step *step = needed->steps, *next; step != NULL; step = next) {
        bool passed;
        next = step->next;
        step->is_open = false;
        if (step->draft->is_replaced)
            continue;
        if (!pass_on(l, step, &passed))
            return false;
        if (passed)
            continue;
        step->next = left;
        left = step;
        needed->step_count++;
    }
    needed->steps = left;
    return true;
}

/* ---- Pieces ---- */

/* Finds the axis of a view along which the coordinate moves; the first where none does, -1 where several do. */
static int find_axis(const zc_view *coordinate)
{
    int moving = 0, count = 0;
    for (int a = 0; a < coordinate->rank; a++) {
        if (coordinate->stride[a] != 0) {
            moving = a;
            count++;
        }
    }
    return count > 1 ? -1 : moving;
}

/* Most slabs inside each other: a piece carries its own and all around it. */
enum { MOST_SLABS = 16 };

/* A view of a concat that is assembled, and the draft that would store it. */
typedef struct assembly {
    const zc_node *node;
    zc_draft *whole;
    zc_view view;
    motion moved;
    int axis;               /* axis of the view along which the coordinate moves */
    int64_t count;          /* number of pieces along it */
    zc_stage_reason reason; /* reason of the pieces */
    bool is_plain;          /* the view is all of the concat in its order: pieces are its operands */
} assembly;

static bool holds(const zc_node *node, int operand, int64_t coordinate)
{
    return operand >= 0 && operand < node->edge_count && node->start[operand] <= coordinate &&
           coordinate < node->start[operand + 1];
}

/* Finds the operand of the piece that begins at `first` along the axis, and returns the piece's length. *operand is
 * that of the piece before, or any: it is looked for beside it first. */
static int64_t measure_piece(const assembly *a, int64_t first, int *operand)
{
    const zc_view *coordinate = &a->moved.coordinate;
    int64_t step = coordinate->stride[a->axis];
    int64_t at = coordinate->offset + first * step; /* proven: a coordinate of the concat */
    *operand += holds(a->node, *operand, at) ? 0 : step > 0 ? 1 : -1;
    if (!holds(a->node, *operand, at))
        *operand = find_operand(a->node, at);
    if (step == 0)
        return coordinate->shape[a->axis] - first;
    int64_t ahead = step > 0 ? a->node->start[*operand + 1] - 1 - at : at - a->node->start[*operand];
    return zc_smaller(ahead / (step > 0 ? step : -step) + 1, coordinate->shape[a->axis] - first);
}

/* Sees the piece's operand, in the shape that the piece stores. */
static bool see_piece(const assembly *a, int64_t first, int64_t length, int operand, zc_view *out)
{
    zc_view view;
    motion moved;
    if (a->is_plain) {
        zc_node_edge_view(a->node, operand, out);
        return true;
    }
    zc_view_copy(&a->view, &view);
    view.shape[a->axis] = length;
    (void)zc_checked_advance(view.offset, first, view.stride[a->axis], &view.offset);
    zc_view_canonicalise(&view);
    (void)find_motion(a->node, &view, &moved); /* as of the whole view */
    return see_operand(a->node, &view, &moved, operand, out);
}

/* Tells whether each piece is a view of an operand. */
static bool can_assemble(assembly *a)
{
    zc_view shown;
    int operand = 0;
    a->is_plain = false;
    a->count = 0;
    a->axis = find_motion(a->node, &a->view, &a->moved) ? find_axis(&a->moved.coordinate) : -1;
    if (a->axis < 0 || a->view.rank == 0) /* of an eager plan, which passes no element on, either */
        return false;
    a->is_plain = a->axis == a->node->op &&
                  zc_shape_equal(a->view.rank, a->view.shape, a->node->rank, a->node->shape) &&
                  zc_view_is_identity(&a->view, a->node->size);
    for (int64_t first = 0, length; first < a->view.shape[a->axis]; first += length, a->count++) {
        length = measure_piece(a, first, &operand);
        if (!a->is_plain && !see_piece(a, first, length, operand, &shown))
            return false;
    }
    return true;
}

/* Adds the slabs of a piece: those of the whole, and its own, which is one with the last of these along the same axis,
 * and none if the piece is all of the whole. */
static bool add_slab(zc_lowering *l, const assembly *a, int64_t first, int64_t length, zc_stage *piece)
{
    const zc_stage *whole = a->whole->stage;
    const zc_slab own = {a->axis, first, length, whole->shape[a->axis]};
    if (length < own.whole)
        return zc_store_add_slab(&l->plan->arena, &whole->store, own, &piece->store);
    piece->store.slabs = whole->store.slabs;
    piece->store.slab_count = whole->store.slab_count;
    return true;
}

static zc_draft *begin_piece(zc_lowering *l, const assembly *a, int64_t first, int64_t length, int operand)
{
    const zc_stage *whole = a->whole->stage;
    zc_view shown;
    if (!see_piece(a, first, length, operand, &shown)) /* LCOV_EXCL_BR_LINE: can_assemble() */
        return NULL;                                   /* LCOV_EXCL_LINE: likewise */
    zc_draft *draft = zc_begin_stored(l, &shown, shown.rank, whole->store.slot, a->reason);
    if (draft == NULL)
        return NULL;
    zc_stage *piece = draft->stage;
    draft->may_split = false;
    piece->store.dtype = (zc_dtype)a->node->dtype;
    piece->store.offset = whole->store.offset + first * whole->store.stride[a->axis]; /* proven: inside the slot */
    piece->store.stride = whole->store.stride;
    draft->result = zc_use_operand(l, draft, operand, &shown);
    return draft->result != NULL && add_slab(l, a, first, length, piece) ? draft : NULL;
}

/* ---- Runs: small pieces of what is given, in one stage at once ---- */

/* Tells whether an operand's piece is a run that is known already. */
static bool is_given_run(const zc_lowering *l, const assembly *a, int operand, int64_t length)
{
    const zc_needed *needed = zc_needed_operand(l, l->at, operand);
    const int64_t line = zc_view_size(&a->view) / a->view.shape[a->axis];
    bool is_given = needed->data != NULL || needed->node->kind == ZC_NODE_CONSTANT;
    return is_given && needed->node->invariant == 0 && zc_may_join_runs(l->policy, (zc_dtype)a->node->dtype) &&
           line <= ZC_MOST_RUN_ELEMENTS / length;
}

/* Counts such pieces side by side from `first` on, and finds where they end. */
static int32_t count_given_runs(const zc_lowering *l, const assembly *a, int64_t first, int64_t *end)
{
    int32_t count = 0;
    int operand = 0;
    *end = first;
    while (*end < a->view.shape[a->axis]) {
        int64_t length = measure_piece(a, *end, &operand);
        if (!is_given_run(l, a, operand, length))
            break;
        *end += length;
        count++;
    }
    return count;
}

static bool add_run(zc_lowering *l, const assembly *a, int64_t first, int64_t length, int operand, zc_stage *stage)
{
    const zc_needed *needed = zc_needed_operand(l, l->at, operand);
    const zc_node *node = needed->node;
    const int32_t v = zc_runs_add(stage, length);
    int64_t *stride = stage->stride + (size_t)v * (size_t)stage->rank; /* of a constant, for explain alone */
    zc_view shown;
    if (!see_piece(a, first, length, operand, &shown)) /* LCOV_EXCL_BR_LINE: can_assemble() */
        return false;                                  /* LCOV_EXCL_LINE: likewise */
    memcpy(stride, shown.stride, (size_t)stage->rank * sizeof *stride);
    zc_value *value = &stage->values[v];
    *value = (zc_value){.dtype = node->dtype, .node = node, .node_offset = shown.offset, .node_rank = stage->rank};
    value->node_stride = stride;
    stage->offset[v] = shown.offset;
    if (needed->data == NULL) {
        value->kind = ZC_VALUE_CONSTANT;
        value->constant = zc_arena_copy(&l->plan->arena, &node->constant, 1, sizeof node->constant);
        return value->constant != NULL;
    }
    value->access = v;
    for (int k = 0; k < stage->rank; k++)
        value->axes |= (uint64_t)(stride[k] != 0) << k;
    value->slot = zc_plan_add_input(l->plan, (zc_dtype)node->dtype, node->size, needed->data,
                                    zc_origin_of(needed, l->at, operand));
    return value->slot >= 0;
}

/* The finished stage of runs from `first` to `end`. */
static zc_draft *begin_runs(zc_lowering *l, const assembly *a, int32_t count, int64_t first, int64_t end)
{
    const zc_stage *whole = a->whole->stage;
    zc_view domain;
    int operand = 0;
    zc_view_copy(&a->view, &domain);
    domain.shape[a->axis] = end - first;
    zc_draft *draft = zc_begin_stored(l, &domain, domain.rank, whole->store.slot, a->reason);
    if (draft == NULL || !zc_runs_begin(&l->plan->arena, draft->stage, a->axis, count))
        return NULL;
    zc_stage *stage = draft->stage;
    draft->is_finished = true;
    stage->access_count = count;
    stage->store.dtype = (zc_dtype)a->node->dtype;
    stage->store.offset = whole->store.offset + first * whole->store.stride[a->axis]; /* proven: inside the slot */
    stage->store.stride = whole->store.stride;
    for (int64_t at = first, length; at < end; at += length) {
        length = measure_piece(a, at, &operand);
        if (!add_run(l, a, at, length, operand, stage))
            return NULL;
    }
    return add_slab(l, a, first, end - first, stage) ? draft : NULL;
}

/* The pieces replace the draft that would have stored the whole. */
static bool assemble(zc_lowering *l, const assembly *a)
{
    zc_draft *before = a->whole;
    int operand = 0;
    before->is_replaced = true;
    for (int64_t first = 0, length, end; first < a->view.shape[a->axis]; first += length) {
        length = measure_piece(a, first, &operand);
        int32_t runs = count_given_runs(l, a, first, &end);
        length = runs > 1 ? end - first : length;
        zc_draft *piece = runs > 1 ? begin_runs(l, a, runs, first, end) : begin_piece(l, a, first, length, operand);
        if (piece == NULL)
            return false;
        zc_move_behind(l, before);
        before = piece;
    }
    return true;
}

/* ---- Cutting ---- */

/* Limits of what is planned: drafts in the place of one, and steps of all of them when it is cut. A draft has at least
 * so many elements of each line for each section, since sections of short lines are strided, unless it is a small
 * section already. */
enum { MOST_CUT_STEPS = 4096, LEAST_CUT_LINE = 16 };

/* Tells a draft of which sections are drafts alike: that of a map which nothing else leads to. */
static bool has_sections(const zc_draft *draft)
{
    const zc_stage *stage = draft->stage;
    return stage->kind->is_elementwise && stage->reason != ZC_STAGE_BASE && !draft->is_late &&
           stage->store.clears == 0 && !stage->store.updates && stage->store.slab_count < MOST_SLABS &&
           draft->split_count == 0 && draft->gathered_count == 0 && draft->guard_count == 0;
}

/* Tells a step whose draft may be cut so that each section sees one operand, and finds how. */
static bool may_cut(const zc_lowering *l, zc_step *step, assembly *a)
{
    zc_draft *draft = step->draft;
    const int32_t there_are = draft->sections != NULL ? *draft->sections : 1;
    int64_t most = zc_smaller(ZC_MOST_CUT, MOST_CUT_STEPS / draft->step_count) + 1 - there_are;
    if (!has_sections(draft) || draft->size == 0 ||
        (!zc_may_be_cut_at_all(l, draft->size) && draft->sections == NULL) || zc_step_resolve(draft->result) == step)
        return false;
    a->node = step->value.node;
    a->whole = draft;
    zc_step_view(step, &a->view);
    if (!can_assemble(a))
        return false;
    if (draft->size >= ZC_LEAST_CUT)
        most = zc_smaller(most, zc_stage_extent(draft->stage, a->axis, draft->stage->rank) / LEAST_CUT_LINE);
    return a->count <= most;
}

bool zc_may_be_cut(zc_lowering *l, zc_needed *needed)
{
    assembly a;
    const bool cuts = l->policy == ZC_POLICY_FAST || l->policy == ZC_POLICY_LEAN;
    zc_step *step = needed->steps;
    while (cuts && step != NULL && may_cut(l, step, &a))
        step = step->next;
    return step == NULL;
}

/* Lets sections take the place of a draft. */
static bool cut(zc_lowering *l, const assembly *a)
{
    zc_draft *whole = a->whole, *before = whole;
    int operand = 0;
    if (whole->sections == NULL &&
        (whole->sections = zc_arena_take(l->plan->scratch, 1, sizeof *whole->sections)) != NULL)
        *whole->sections = 1;
    if (whole->sections == NULL)
        return false;
    for (zc_step *step = whole->steps; step != NULL; step = step->other)
        step->is_open |= step->value.node == a->node && step->same == NULL; /* at hand, and not passed on */
    --*whole->sections;
    for (int64_t first = 0, length; first < a->view.shape[a->axis]; first += length) {
        length = measure_piece(a, first, &operand);
        zc_draft *section = zc_begin_section(l, whole, a->axis, first, length, a->reason);
        if (section == NULL || !add_slab(l, a, first, length, section->stage))
            return false;
        zc_move_behind(l, before);
        before = section;
        ++*whole->sections;
    }
    whole->is_replaced = l->has_cut = true;
    return true;
}

bool zc_cut_at_concat(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    assembly a;
    bool cuts = true;
    a.reason = reason;
    while (cuts) { /* each round cuts drafts once */
        cuts = false;
        for (zc_step *step = needed->steps; step != NULL; step = step->next) {
            if (step->draft->is_replaced || !may_cut(l, step, &a))
                continue;
            cuts = true;
            if (!cut(l, &a))
                return false;
        }
        if (cuts && !zc_pass_on_concat(l, needed))
            return false;
    }
    return true;
}

/* ---- The whole ---- */

/* Tells whether the only step of the concat is all that its draft stores, and can be assembled there. */
static bool is_all_that_is_stored(const zc_lowering *l, const zc_needed *needed, assembly *a)
{
    zc_step *step = needed->steps;
    zc_draft *draft = step->draft;
    if (step->next != NULL || draft->split_count > 0 || draft->stage->store.slab_count >= MOST_SLABS ||
        !zc_stores_step(l, step))
        return false;
    a->whole = draft;
    zc_step_view(step, &a->view);
    const bool is_gathered = zc_draft_count_gathered(draft, &a->view) > 0;
    a->view.rank = draft->stage->rank;
    return !is_gathered && can_assemble(a);
}

static bool store_region(zc_lowering *l, const zc_node *node, const zc_region *region, zc_stage_reason reason)
{
    assembly a; /* not cleared: most of it is room for the views of the greatest rank */
    a.node = node;
    a.reason = reason;
    if (region->is_part)
        zc_view_copy(&region->view, &a.view);
    else
        zc_box_view(&region->box, node->shape, UINT64_C(1) << node->op, &a.view);
    a.whole = zc_begin_stored(l, &a.view, a.view.rank, region->slot, reason);
    (void)can_assemble(&a); /* a box can be, and parts have been looked at */
    if (a.whole == NULL || !assemble(l, &a))
        return false;
    zc_end_first(l); /* the whole, behind which its pieces are */
    return true;
}

bool zc_assemble_concat(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    assembly a;
    a.node = needed->node;
    a.reason = reason;
    if (!is_all_that_is_stored(l, needed, &a))
        return true;
    needed->steps = NULL;
    return assemble(l, &a);
}

/* Tells a part that pieces of operands make up. */
static bool can_be_assembled(const zc_node *node, const zc_view *view)
{
    assembly a;
    a.node = node;
    zc_view_copy(view, &a.view);
    return can_assemble(&a);
}

bool zc_store_concat(zc_lowering *l, zc_needed *needed, zc_stage_reason reason)
{
    int count = zc_find_regions(l, needed, l->is_apart, -1);
    if (!zc_see_parts(l, needed->node, count, can_be_assembled))
        count = zc_find_regions(l, needed, false, -1);
    for (int i = 0; i < count; i++) {
        if (!zc_add_temporary(l, &l->regions[i], needed->node) ||
            !store_region(l, needed->node, &l->regions[i], reason))
            return false;
    }
    return zc_load_regions(l, needed, -1);
}
