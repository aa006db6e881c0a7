#include "materialize/lower/steps.h"

#include "materialize/lower/needed.h"
#include "materialize/lower/picked.h"
#include "runtime/graph/invariance.h"
#include "views/compose.h"

#include <string.h>

static uint64_t hash_of(const zc_draft *draft, const zc_node *node, const zc_view *view, int64_t origin)
{
    uint64_t hash = zc_hash_word((uint64_t)(uintptr_t)draft, (uint64_t)(uintptr_t)node);
    hash = zc_hash_word(zc_hash_word(hash, (uint64_t)view->offset), (uint64_t)origin);
    for (int a = 0; a < view->rank; a++) {
        if (a < draft->stage->rank || view->stride[a] != 0) /* axes gathered later are no difference */
            hash = zc_hash_word(zc_hash_word(hash, (uint64_t)a), (uint64_t)view->stride[a]);
    }
    return hash;
}

/* LCOV_EXCL_START: it differs only where hashes collide */
static bool is_same(const zc_step *step, const zc_draft *draft, const zc_node *node, const zc_view *view,
                    int64_t origin)
{
    const zc_value *value = &step->value;
    if (!step->is_listed || step->draft != draft || value->node != node || value->node_offset != view->offset ||
        step->origin != origin || step->splits != draft->split_count)
        return false;
    for (int a = 0; a < value->node_rank || a < view->rank; a++) {
        int64_t known = a < value->node_rank ? value->node_stride[a] : 0;
        if (known != (a < view->rank ? view->stride[a] : 0))
            return false;
    }
    return true;
}
/* LCOV_EXCL_STOP */

static zc_step *find(const zc_lowering *l, uint64_t hash, const zc_draft *draft, const zc_node *node,
                     const zc_view *view, int64_t origin)
{
    size_t cursor = 0;
    int32_t at;
    while ((at = zc_table_next(&l->seen, hash, &cursor)) >= 0) {
        if (is_same(l->steps[at], draft, node, view, origin)) /* LCOV_EXCL_BR_LINE: likewise */
            return l->steps[at];
    }
    return NULL;
}

/* ---- Nodes that are given ---- */

static bool read_leaf(zc_lowering *l, zc_step *step, zc_needed *needed, const zc_view *view)
{
    const zc_node *node = step->value.node;
    zc_dtype dtype = (zc_dtype)node->dtype;
    bool is_copied = false;
    if (step->draft->gathered_count > 0 && !zc_copy_picked(l, step, needed, view, &is_copied))
        return false;
    if (is_copied)
        return true;
    int32_t slot = zc_plan_add_input(l->plan, dtype, node->size, needed->data, step->origin);
    return slot >= 0 && zc_step_load(l->plan, step, slot, dtype, view);
}

static bool read_constant(zc_lowering *l, zc_step *step, zc_needed *needed, const zc_view *view)
{
    (void)needed;
    (void)view;
    step->value.kind = ZC_VALUE_CONSTANT;
    step->value.constant = zc_arena_copy(&l->plan->arena, &step->value.node->constant, 1, sizeof(zc_scalar));
    return step->value.constant != NULL;
}

static bool read_iota(zc_lowering *l, zc_step *step, zc_needed *needed, const zc_view *view)
{
    (void)needed;
    if (zc_draft_count_gathered(step->draft, view) > 0) {
        step->same = zc_draft_position(l->plan, step);
        return step->same != NULL;
    }
    step->value.kind = ZC_VALUE_INDEX;
    step->load_offset = step->value.node_offset;
    step->load_stride = step->value.node_stride;
    step->load_rank = step->rank;
    return true;
}

/* Tells whether a step needs no decision: it sees a node that has data or is given, or has no elements. */
static bool is_read(const zc_needed *needed, const zc_draft *draft)
{
    return needed->data != NULL || draft->size == 0 || zc_node_is_given(needed->node);
}

/* False when memory is out. */
static bool read(zc_lowering *l, zc_step *step, zc_needed *needed, const zc_view *view)
{
    static bool (*const readers[])(zc_lowering *, zc_step *, zc_needed *, const zc_view *) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign)    [ZC_NODE_##NAME] = read_##name,
#define ZC_COMPUTED_NODE(NAME, name, attributes, invariant, gradient, sign) /* decided later */
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    if (step->draft->size == 0) { /* an element of it, which nobody will ask for */
        step->value.kind = ZC_VALUE_CONSTANT;
        step->value.constant = zc_arena_copy(&l->plan->arena, &(zc_scalar){0}, 1, sizeof(zc_scalar));
        return step->value.constant != NULL;
    }
    return (needed->data != NULL ? read_leaf : readers[needed->node->kind])(l, step, needed, view);
}

/* ---- Steps ---- */

/* Makes room in the list of steps by forgetting those of drafts that are finished. */
static bool list_anew(zc_lowering *l)
{
    if (!zc_table_reserve(&l->seen, (size_t)l->step_count + (size_t)l->step_count / 2))
        return false;
    zc_table_clear(&l->seen);
    for (int32_t i = 0; i < l->step_count; i++) {
        if (l->steps[i]->is_listed)
            (void)zc_table_add(&l->seen, l->steps[i]->seen, i); /* there is room */
    }
    return true;
}

/* Lets the step be found by its hash. */
static bool list(zc_lowering *l, zc_step *step, uint64_t hash)
{
    void *steps = l->steps;
    if (zc_table_is_full(&l->seen) && !list_anew(l))
        return false;
    if (step->listed_at < 0) {
        if (!zc_arena_make_room(l->plan->scratch, &steps, l->step_count, &l->step_room, sizeof *l->steps))
            return false;
        l->steps = steps;
        step->listed_at = l->step_count;
        l->steps[l->step_count++] = step;
    }
    step->is_listed = true;
    step->seen = (uint32_t)hash;
    return zc_table_add(&l->seen, hash, step->listed_at);
}

/* Lets a step wait for its node to be decided on. */
static void wait(zc_lowering *l, zc_needed *needed, zc_step *step)
{
    step->is_open = true;
    step->next = needed->steps;
    needed->steps = step;
    needed->step_count++;
    step->draft->open_count += needed != l->at;
}

zc_step *zc_use(zc_lowering *l, zc_draft *draft, zc_needed *needed, const zc_view *view, int64_t origin)
{
    const zc_node *node = needed->node;
    zc_view distinct;
    if (node->invariant != 0) {
        zc_invariant_view(node, view, &distinct);
        view = &distinct;
    }
    uint64_t hash = hash_of(draft, node, view, origin);
    zc_step *step = find(l, hash, draft, node, view, origin);
    if (step != NULL)
        return step;
    step = zc_draft_see(l->plan, draft, node, view);
    if (step == NULL || !list(l, step, hash))
        return NULL;
    step->depth = needed->depth;
    step->origin = origin;
    if (is_read(needed, draft))
        return read(l, step, needed, view) ? step : NULL;
    wait(l, needed, step);
    return step;
}

zc_step *zc_use_operand(zc_lowering *l, zc_draft *draft, int operand, const zc_view *view)
{
    zc_needed *needed = zc_needed_operand(l, l->at, operand);
    return zc_use(l, draft, needed, view, zc_origin_of(needed, l->at, operand));
}

/* ---- Sections of a draft ---- */

/* Lets what a moved step refers to be moved, too, and be found as the step was. False when memory is out. */
static bool place(zc_lowering *l, zc_step *const *moved, zc_step *step, bool is_listed)
{
    zc_view view;
    step->same = step->same != NULL ? moved[step->same->at] : NULL;
    for (int i = 0; i < ZC_MAX_ARITY; i++)
        step->arg[i] = step->arg[i] != NULL ? moved[step->arg[i]->at] : NULL;
    if (step->is_open)
        wait(l, zc_needed_of(l, step->value.node), step);
    if (!is_listed)
        return true;
    zc_step_view(step, &view);
    return list(l, step, hash_of(step->draft, step->value.node, &view, step->origin));
}

static bool move_steps(zc_lowering *l, zc_draft *whole, zc_draft *section, int axis, int64_t first)
{
    const size_t count = (size_t)whole->step_count;
    zc_step **moved = zc_arena_take(l->plan->scratch, count, sizeof *moved);
    int32_t at = 0;
    bool done = moved != NULL;
    for (zc_step *step = whole->steps; step != NULL && done; step = step->other) {
        moved[at] = zc_draft_move_step(l->plan, section, step, axis, first);
        done = moved[at] != NULL;
        step->at = at++;
    }
    at = 0;
    for (const zc_step *step = whole->steps; step != NULL && done; step = step->other)
        done = place(l, moved, moved[at++], step->is_listed);
    section->result = done ? moved[whole->result->at] : NULL;
    for (zc_step *step = whole->steps; step != NULL; step = step->other)
        step->at = -1;
    zc_arena_give_back(l->plan->scratch, (void *)moved, count, sizeof *moved);
    return done;
}

zc_draft *zc_begin_section(zc_lowering *l, zc_draft *whole, int axis, int64_t first, int64_t length,
                           zc_stage_reason reason)
{
    const zc_stage *stage = whole->stage;
    zc_view domain = {.rank = stage->rank};
    zc_copy_list(stage->rank, stage->shape, domain.shape);
    domain.shape[axis] = length;
    zc_draft *section = zc_begin_stored(l, &domain, stage->kept, stage->store.slot, reason);
    if (section == NULL)
        return NULL;
    section->may_split = false;
    section->sections = whole->sections;
    section->stage->kind = stage->kind;
    section->stage->store.dtype = stage->store.dtype;
    section->stage->store.offset =
        stage->store.offset + first * stage->store.stride[axis]; /* proven: inside the slot */
    section->stage->store.stride = stage->store.stride;
    return move_steps(l, whole, section, axis, first) ? section : NULL;
}

bool zc_catch_up(zc_lowering *l, zc_needed *needed)
{
    bool done = !(l->plan->arena.failed || l->plan->scratch->failed);
    for (zc_step *step = needed->steps; step != NULL && done; step = step->next)
        done = zc_step_catch_up(l->plan, step);
    return done;
}

int zc_count_steps(const zc_needed *needed, const zc_draft *draft)
{
    int count = 0;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        count += step->draft == draft;
    return count;
}

bool zc_see_operand(const zc_step *step, int i, zc_view *out)
{
    zc_view view, edge;
    zc_step_view(step, &view);
    zc_node_edge_view(step->value.node, i, &edge);
    return zc_view_compose(&edge, &view, out);
}

bool zc_can_see_operands(const zc_node *node, const zc_view *view)
{
    zc_view edge, shown;
    for (int i = 0; i < node->edge_count; i++) {
        zc_node_edge_view(node, i, &edge);
        if (!zc_view_compose(&edge, view, &shown))
            return false;
    }
    return true;
}

/* A split of the view's axes under which all operands of the node can be seen. */
static bool find_split(const zc_node *node, const zc_view *view, zc_axis_split *split)
{
    zc_view finer;
    if (!zc_view_split(view, node->rank, node->shape, split) || split->rank == view->rank)
        return false;
    zc_view_apply_split(view, split, &finer);
    return zc_can_see_operands(node, &finer);
}

bool zc_split_for(zc_lowering *l, zc_step *step)
{
    zc_draft *draft = step->draft;
    zc_axis_split split;
    zc_view view;
    zc_step_view(step, &view);
    if (!draft->may_split || draft->split_count == ZC_MOST_SPLITS || zc_draft_count_gathered(draft, &view) > 0)
        return false;
    view.rank = draft->stage->rank;
    if (!find_split(step->value.node, &view, &split) || split.rank + draft->gathered_count > ZC_MAX_RANK)
        return false;
    return zc_draft_split(l->plan, draft, &split) && zc_step_catch_up(l->plan, step);
}

/* ---- What rules ask ---- */

bool zc_stores_step(const zc_lowering *l, zc_step *step)
{
    const zc_stage *stage = step->draft->stage;
    bool is_smaller = (stage->reason == ZC_STAGE_RESULT || stage->reason == ZC_STAGE_KEPT) &&
                      step->draft->size <= step->value.node->size;
    bool takes_it = l->policy != ZC_POLICY_EAGER || is_smaller;
    return takes_it && stage->kind->is_elementwise && stage->store.clears == 0 && !stage->store.updates &&
           zc_step_resolve(step->draft->result) == step;
}

bool zc_is_stored_by_all(const zc_lowering *l, const zc_needed *needed)
{
    for (zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (!zc_stores_step(l, step))
            return false;
    }
    return true;
}

int32_t zc_count_views(const zc_needed *needed)
{
    double count = 0;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next)
        count += step->draft->sections != NULL ? 1.0 / *step->draft->sections : 1;
    return count > 1 ? (int32_t)(count + 0.5) : 1;
}

bool zc_is_contracted(const zc_needed *needed)
{
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (step->draft->stage->kind->packs_operands)
            return true;
    }
    return false;
}

bool zc_is_factor_step(const zc_step *step)
{
    if (!step->draft->stage->kind->packs_operands)
        return false;
    const zc_step *product = zc_step_resolve(step->draft->result);
    return zc_step_resolve(product->arg[0]) == step || zc_step_resolve(product->arg[1]) == step;
}
