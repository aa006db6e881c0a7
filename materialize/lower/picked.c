#include "materialize/lower/picked.h"

#include "materialize/lower/needed.h"
#include "materialize/lower/reduce.h"
#include "materialize/lower/steps.h"
#include "materialize/stages/source.h"
#include "views/compose.h"

#include <string.h>

/* ---- Positions ---- */

static zc_step *positions_of(const zc_positions *p, int i)
{
    return p->draft->gathered[p->gathered[i]].check->arg[0];
}

/* Tells positions in memory, or numbers, of which the draft's domain sees one at each place, none of them by positions
 * in turn. */
static bool are_known(const zc_lowering *l, const zc_step *positions, int rank)
{
    const zc_value *value = &positions->value;
    if (value->node_stride == NULL || value->node_rank < rank)
        return false;
    for (int a = rank; a < value->node_rank; a++) {
        if (value->node_stride[a] != 0)
            return false;
    }
    const zc_needed *needed = zc_needed_of(l, value->node);
    return needed->data != NULL || zc_node_is_given(value->node);
}

/* Finds the positions that move a view of a draft's. False where there are none, or they are not known. */
static bool find_positions(zc_lowering *l, const zc_draft *draft, const zc_view *view, zc_positions *out)
{
    const int rank = draft->stage->rank;
    out->draft = draft;
    out->count = 0;
    for (int a = rank; a < view->rank; a++) {
        if (view->stride[a] == 0)
            continue;
        zc_step *positions = zc_draft_check(draft, a)->arg[0];
        if (!zc_step_catch_up(l->plan, positions) || !are_known(l, positions, rank))
            return false;
        out->gathered[out->count++] = a - rank;
    }
    return out->count > 0;
}

/* Tells an axis of a domain of `rank` axes along which positions move an operand; theirs come behind the domain's.
 * `axis`: of the positions' domain, by axis of this one. */
static bool is_moved(const zc_positions *p, const int *axis, const zc_view *seen, int rank, int a)
{
    bool moves = false;
    for (int i = 0; i < p->count && axis[a] >= 0 && !moves; i++)
        moves = seen->stride[rank + i] != 0 && positions_of(p, i)->value.node_stride[axis[a]] != 0;
    return moves && seen->shape[a] > 1;
}

/* Tells an axis along which an operand moves, perhaps by positions. */
static bool moves_along(const zc_positions *p, const int *axis, const zc_view *seen, int rank, int a)
{
    return (seen->stride[a] != 0 && seen->shape[a] > 1) || is_moved(p, axis, seen, rank, a);
}

/* Elements of a domain of `rank` axes along those on which an operand moves. */
static int64_t count_picked(const zc_positions *p, const int *axis, const zc_view *seen, int rank)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++) {
        if (moves_along(p, axis, seen, rank, a))
            size *= seen->shape[a]; /* proven: at most the domain's */
    }
    return size;
}

static void add_axis(const zc_view *from, int axis, zc_view *to)
{
    to->shape[to->rank] = from->shape[axis];
    to->stride[to->rank++] = from->stride[axis];
}

/* Arranges what a draft sees through positions of its own: the axes of its domain, then one for each of the positions.
 */
static void arrange(const zc_positions *p, const zc_view *view, zc_view *seen, int *axis)
{
    const int rank = p->draft->stage->rank;
    zc_view_copy(view, seen);
    seen->rank = rank;
    for (int i = 0; i < p->count; i++)
        add_axis(view, rank + p->gathered[i], seen);
    for (int a = 0; a < rank; a++)
        axis[a] = a;
}

/* Positions as a draft sees them. */
static zc_step *use_positions(zc_lowering *l, zc_draft *draft, const int *axis, const zc_step *positions)
{
    const zc_value *value = &positions->value;
    zc_view view;
    view.rank = draft->stage->rank;
    view.offset = value->node_offset;
    zc_copy_list(view.rank, draft->stage->shape, view.shape);
    for (int a = 0; a < view.rank; a++)
        view.stride[a] = axis[a] < 0 ? 0 : value->node_stride[axis[a]];
    return zc_use(l, draft, zc_needed_of(l, value->node), &view, positions->origin);
}

/* The step of a draft that sees a node through positions, along gathered axes of its own, and checks these whether it
 * reads anything by them or not. seen: axes of its domain, then those of the positions. NULL when memory is out. */
static zc_step *use_along(zc_lowering *l, zc_draft *draft, const zc_positions *p, const int *axis, zc_needed *needed,
                          zc_view *seen, int64_t origin)
{
    const int rank = draft->stage->rank;
    int64_t along[ZC_MAX_RANK];
    zc_step **checks = zc_arena_take(l->plan->scratch, (size_t)p->count, sizeof *checks);
    const zc_node *taken_by = p->draft->gathered[p->gathered[0]].check->value.node;
    int count = 0;
    if (checks == NULL)
        return NULL;
    zc_copy_list(p->count, seen->stride + rank, along);
    seen->rank = rank;
    for (int i = 0; i < p->count; i++) {
        const zc_value *check = &p->draft->gathered[p->gathered[i]].check->value;
        const zc_taken_axis taken = {.extent = check->extent, .axis = check->axis};
        zc_step *positions = use_positions(l, draft, axis, positions_of(p, i));
        if (positions == NULL)
            return NULL;
        const int to =
            zc_draft_gather(l->plan, check->node, (zc_take_kind)check->op, zc_step_resolve(positions), &taken);
        if (to < 0)
            return NULL;
        zc_draft_add_axes(draft, to, seen);
        seen->stride[to] += along[i]; /* proven: inside the operand */
        checks[count++] = zc_draft_check(draft, to);
    }
    zc_step *same = zc_use(l, draft, needed, seen, origin), *step = zc_draft_see(l->plan, draft, taken_by, seen);
    if (same == NULL || step == NULL)
        return NULL;
    step->same = same;
    step->checks = checks;
    step->check_count = (uint8_t)count;
    step->value.dtype = same->value.dtype;
    draft->guard_count += count;
    return step;
}

/* ---- Copies ---- */

/* Copies what a domain picks of an operand to a new slot, which it reads through *through. False when memory is out. */
static bool copy(zc_lowering *l, zc_needed *needed, const zc_positions *p, const int *axis, const zc_view *seen,
                 int64_t origin, int rank, int32_t *slot, zc_view *through)
{
    const zc_dtype dtype = (zc_dtype)needed->node->dtype;
    zc_view domain = {.rank = 0, .offset = 0}, own = {.rank = 0, .offset = seen->offset};
    zc_positions moving = {.draft = p->draft};
    int from[ZC_MAX_RANK] = {0}, at[ZC_MAX_RANK];
    int64_t step[ZC_MAX_RANK];
    through->rank = rank;
    through->offset = 0;
    for (int a = 0; a < rank; a++) {
        through->shape[a] = seen->shape[a];
        through->stride[a] = 0;
        if (!moves_along(p, axis, seen, rank, a))
            continue;
        from[own.rank] = axis[a];
        at[own.rank] = a;
        add_axis(seen, a, &domain);
        add_axis(seen, a, &own);
    }
    zc_shape_row_major(domain.rank, domain.shape, step);
    for (int a = 0; a < domain.rank; a++)
        through->stride[at[a]] = step[a];
    for (int i = 0; i < p->count; i++) {
        if (seen->stride[rank + i] == 0) /* others check them */
            continue;
        moving.gathered[moving.count++] = p->gathered[i];
        add_axis(seen, rank + i, &own);
    }
    *slot = zc_plan_add_slot(l->plan, ZC_SLOT_TEMPORARY, dtype, zc_view_size(&domain));
    zc_draft *draft = *slot >= 0 ? zc_begin_stored(l, &domain, domain.rank, *slot, ZC_STAGE_GATHERED) : NULL;
    if (draft == NULL)
        return false;
    draft->stage->store.dtype = dtype;
    draft->result = use_along(l, draft, &moving, from, needed, &own, origin);
    return draft->result != NULL;
}

/* Marks positions as checked by an earlier stage. */
static void set_checked(const zc_positions *p, zc_draft *draft)
{
    for (int i = 0; i < p->count; i++)
        draft->gathered[p->gathered[i]].is_checked = true;
}

/* Least number of reads of each element that is picked, and least size of a domain, for which these are copied. */
enum { LEAST_TIMES = 16, LEAST_SIZE = 1 << 16 };

/* Tells elements of which a domain reads each so often that they are copied. */
static bool are_copied(const zc_lowering *l, int64_t size, int64_t domain)
{
    const bool may_copy = l->policy != ZC_POLICY_LEAN && l->policy != ZC_POLICY_EAGER;
    return may_copy && domain >= LEAST_SIZE && size <= domain / LEAST_TIMES;
}

bool zc_copy_picked(zc_lowering *l, zc_step *step, zc_needed *needed, const zc_view *view, bool *is_copied)
{
    zc_draft *draft = step->draft;
    const int rank = draft->stage->rank;
    zc_positions positions;
    zc_view seen, through;
    int axis[ZC_MAX_RANK];
    int32_t slot;
    *is_copied = false;
    if (!are_copied(l, 1, draft->size) || !find_positions(l, draft, view, &positions))
        return true;
    arrange(&positions, view, &seen, axis);
    if (!are_copied(l, count_picked(&positions, axis, &seen, rank), draft->size))
        return true;
    if (!copy(l, needed, &positions, axis, &seen, step->origin, rank, &slot, &through))
        return false;
    set_checked(&positions, draft);
    *is_copied = true;
    return zc_step_load(l->plan, step, slot, (zc_dtype)needed->node->dtype, &through);
}

/* Tells elements of a source that are picked in boxes, along the axes behind those that positions move. */
static bool are_boxes(const zc_positions *p, const int *axis, const zc_view *seen, int rank, const zc_node *source)
{
    zc_view moving;
    int moved = 0;
    zc_view_copy(seen, &moving);
    for (int a = 0; a < rank; a++) {
        if (!moves_along(p, axis, seen, rank, a))
            moving.shape[a] = 1;
        else if (is_moved(p, axis, seen, rank, a))
            moved = a + 1;
    }
    return zc_source_shows_boxes(source, &moving, moved, rank);
}

bool zc_pick_apart(zc_lowering *l, zc_step *step, zc_needed *needed, zc_step **picking)
{
    zc_draft *draft = step->draft;
    const int rank = draft->stage->rank;
    zc_positions positions;
    zc_view view, seen, through;
    int axis[ZC_MAX_RANK];
    int32_t slot;
    *picking = NULL;
    zc_step_view(step, &view);
    if (draft->gathered_count == 0 || !find_positions(l, draft, &view, &positions))
        return true;
    arrange(&positions, &view, &seen, axis);
    if (count_picked(&positions, axis, &seen, rank) > needed->node->size / 2 ||
        !are_boxes(&positions, axis, &seen, rank, needed->node))
        return true;
    if (!copy(l, needed, &positions, axis, &seen, step->origin, rank, &slot, &through))
        return false;
    *picking = needed->steps; /* the latest that sees it */
    needed->steps = (*picking)->next;
    needed->step_count--;
    (*picking)->is_open = false;
    set_checked(&positions, draft);
    return zc_step_load(l->plan, step, slot, (zc_dtype)needed->node->dtype, &through);
}

/* ---- Results ---- */

/* Number of results for each that is picked, from which on few are. Where block lengths are forced, any are. */
enum { MANY = 64 };

/* Number of operands of operands that are looked at. */
enum { MOST_SIGHTS = 16 };

bool zc_find_picked(zc_lowering *l, const zc_step *step, zc_picked *picked)
{
    const int rank = step->rank;
    zc_view view, seen;
    int axis[ZC_MAX_RANK];
    zc_step_view(step, &view);
    if (step->draft->gathered_count == 0 || !find_positions(l, step->draft, &view, &picked->positions))
        return false;
    arrange(&picked->positions, &view, &seen, axis);
    picked->view.offset = view.offset;
    picked->view.rank = 0;
    picked->size = 1;
    for (int a = 0; a < rank; a++) {
        if (!moves_along(&picked->positions, axis, &seen, rank, a))
            continue;
        picked->axis[picked->view.rank] = a;
        picked->size *= view.shape[a]; /* proven: in the step's domain */
        add_axis(&view, a, &picked->view);
    }
    picked->rank = picked->view.rank;
    for (int a = picked->rank; a < ZC_MAX_RANK; a++)
        picked->axis[a] = -1;
    for (int i = 0; i < picked->positions.count; i++)
        add_axis(&seen, rank + i, &picked->view);
    picked->is_few = picked->size <= step->value.node->size / MANY || l->plan->ctx->block_length > 0;
    return zc_is_worth_picking(l, picked);
}

bool zc_is_picked(zc_lowering *l, const zc_needed *needed)
{
    zc_picked picked;
    int64_t size = 0;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        if (needed->step_count > ZC_MOST_STEPS || !zc_find_picked(l, step, &picked))
            return false;
        size += picked.size; /* proven: few times the node's size */
    }
    return size <= needed->node->size;
}

bool zc_is_picked_by_some(zc_lowering *l, const zc_needed *needed)
{
    zc_picked picked;
    const zc_step *step = needed->step_count <= ZC_MOST_STEPS ? needed->steps : NULL;
    while (step != NULL && !(zc_find_picked(l, step, &picked) && picked.is_few))
        step = step->next;
    return step != NULL || zc_is_picked(l, needed);
}

static bool is_picked(const zc_positions *p, const zc_view *seen, int rank)
{
    int i = 0;
    while (i < p->count && seen->stride[rank + i] == 0)
        i++;
    return i < p->count;
}

int64_t zc_picked_copied(const zc_picked *picked, const zc_view *seen, int rank)
{
    return is_picked(&picked->positions, seen, rank) ? count_picked(&picked->positions, picked->axis, seen, rank) : 0;
}

/* An operand, and how the results' domain sees it. */
typedef struct sight {
    const zc_needed *needed;
    zc_view view;
} sight;

/* Adds what a map is made of to a list. False where that is too long, or no strides express it. */
static bool add_operands(const zc_lowering *l, const sight *map, sight *list, int *count)
{
    const zc_node *node = map->needed->node;
    for (int i = 0; i < node->edge_count; i++) {
        zc_view edge;
        if (*count == MOST_SIGHTS)
            return false;
        list[*count].needed = zc_needed_operand(l, map->needed, i);
        zc_node_edge_view(node, i, &edge);
        if (!zc_view_compose(&edge, &map->view, &list[(*count)++].view))
            return false;
    }
    return true;
}

bool zc_reads_copies(zc_lowering *l, const zc_picked *picked, const zc_view *domain, const zc_view *seen)
{
    sight list[MOST_SIGHTS];
    int count = 1;
    list[0].needed = zc_needed_operand(l, l->at, 0);
    zc_view_copy(seen, &list[0].view);
    for (int i = 0; i < count; i++) {
        const zc_needed *needed = list[i].needed;
        if (!is_picked(&picked->positions, &list[i].view, domain->rank))
            continue;
        const int64_t size = zc_picked_copied(picked, &list[i].view, domain->rank);
        const bool is_map = needed->is_made && needed->kind == ZC_NODE_MAP && !needed->node->is_explicit_copy;
        if (is_map ? !add_operands(l, &list[i], list, &count)
                   : needed->is_made || !are_copied(l, size, zc_view_size(domain)))
            return false;
    }
    return true;
}

zc_step *zc_use_picked(zc_lowering *l, zc_draft *draft, const zc_picked *picked, int operand, zc_view *seen)
{
    const zc_positions *p = &picked->positions;
    const int rank = draft->stage->rank;
    zc_needed *needed = zc_needed_operand(l, l->at, operand);
    const int64_t origin = zc_origin_of(needed, l->at, operand);
    zc_view through;
    int32_t slot;
    if (!draft->stage->kind->packs_operands)
        return use_along(l, draft, p, picked->axis, needed, seen, origin);
    if (!is_picked(p, seen, rank)) {
        seen->rank = rank;
        return zc_use(l, draft, needed, seen, origin);
    }
    if (!copy(l, needed, p, picked->axis, seen, origin, rank, &slot, &through))
        return NULL;
    zc_step *load = zc_draft_see(l->plan, draft, needed->node, &through);
    if (load != NULL) {
        load->value.node_stride = NULL; /* the view is over the copy, not over the node */
        load->value.node_rank = 0;
    }
    return load != NULL && zc_step_load(l->plan, load, slot, (zc_dtype)needed->node->dtype, &through) ? load : NULL;
}

void zc_picked_through(const zc_picked *picked, zc_step *step, zc_view *out)
{
    int64_t own[ZC_MAX_RANK];
    zc_step_view(step, out);
    out->offset = 0;
    memset(out->stride, 0, (size_t)out->rank * sizeof *out->stride);
    zc_shape_row_major(picked->rank, picked->view.shape, own);
    for (int a = 0; a < picked->rank; a++)
        out->stride[picked->axis[a]] = own[a];
    set_checked(&picked->positions, step->draft);
}
