#include "materialize/lower/draft.h"

#include <string.h>

#include "materialize/stages/map.h"

bool zc_draft_begin(zc_plan *plan, const zc_view *domain, int kept, zc_stage_reason reason, zc_draft *draft)
{
    zc_stage *stage = draft->stage;
    zc_stage_init(stage, &zc_stage_kind_map, reason);
    stage->rank = domain->rank;
    stage->kept = kept;
    *draft = (zc_draft){.stage = stage, .first_rank = domain->rank, .first_kept = kept, .may_split = true};
    stage->shape = zc_arena_copy(&plan->arena, domain->shape, (size_t)domain->rank, sizeof *stage->shape);
    draft->size = zc_view_size(domain);
    return stage->shape != NULL;
}

/* ---- Steps ---- */

static zc_step *add_step(zc_plan *plan, zc_draft *draft, zc_value value)
{
    zc_step *step = plan->spare_steps;
    int32_t listed_at = -1;
    if (step != NULL) {
        listed_at = step->listed_at;
        plan->spare_steps = step->other;
    } else if ((step = zc_arena_take(plan->scratch, 1, sizeof *step)) == NULL) {
        return NULL;
    }
    *step = (zc_step){.draft = draft,
                      .other = draft->steps,
                      .value = value,
                      .at = -1,
                      .listed_at = listed_at,
                      .rank = (uint8_t)draft->stage->rank,
                      .splits = (uint8_t)draft->split_count};
    draft->steps = step;
    draft->step_count++;
    return step;
}

void zc_draft_end_steps(zc_plan *plan, zc_draft *draft)
{
    while (draft->steps != NULL) {
        zc_step *step = draft->steps;
        draft->steps = step->other;
        step->draft = NULL;
        step->is_listed = false;
        step->other = plan->spare_steps;
        plan->spare_steps = step;
    }
}

zc_step *zc_draft_see(zc_plan *plan, zc_draft *draft, const zc_node *node, const zc_view *view)
{
    const int64_t *stride = zc_arena_copy(&plan->arena, view->stride, (size_t)view->rank, sizeof *stride);
    zc_value value = {.dtype = node->dtype,
                      .node = node,
                      .node_offset = view->offset,
                      .node_rank = view->rank,
                      .node_stride = stride};
    return stride != NULL ? add_step(plan, draft, value) : NULL;
}

/* Moves an offset along an axis; the strides that are left then: an axis of one element has none. NULL when memory is
 * out. */
static const int64_t *move_along(zc_arena *arena, const zc_draft *draft, int axis, int64_t first, int rank,
                                 const int64_t *stride, int64_t *offset)
{
    (void)zc_checked_advance(*offset, first, stride[axis], offset); /* inside what is seen */
    if (draft->stage->shape[axis] > 1 || stride[axis] == 0)
        return stride;
    int64_t *left = zc_arena_copy(arena, stride, (size_t)rank, sizeof *left);
    if (left != NULL)
        left[axis] = 0;
    return left;
}

zc_step *zc_draft_move_step(zc_plan *plan, zc_draft *draft, const zc_step *step, int axis, int64_t first)
{
    zc_step *moved = add_step(plan, draft, step->value);
    if (moved == NULL)
        return NULL;
    moved->same = step->same;
    memcpy((void *)moved->arg, (const void *)step->arg, sizeof moved->arg);
    moved->load_offset = step->load_offset;
    moved->load_rank = step->load_rank;
    moved->depth = step->depth;
    moved->origin = step->origin;
    moved->is_open = step->is_open;
    if (step->load_stride != NULL)
        moved->load_stride =
            move_along(plan->scratch, draft, axis, first, step->load_rank, step->load_stride, &moved->load_offset);
    if (step->value.node_stride != NULL)
        moved->value.node_stride = move_along(&plan->arena, draft, axis, first, step->value.node_rank,
                                              step->value.node_stride, &moved->value.node_offset);
    return plan->arena.failed || plan->scratch->failed ? NULL : moved;
}

void zc_step_view(const zc_step *step, zc_view *out)
{
    const zc_draft *draft = step->draft;
    int rank = draft->stage->rank;
    out->rank = step->value.node_rank;
    out->offset = step->value.node_offset;
    zc_copy_list(rank, draft->stage->shape, out->shape);
    for (int a = rank; a < out->rank; a++)
        out->shape[a] = draft->gathered[a - rank].check->value.extent;
    zc_copy_list(out->rank, step->value.node_stride, out->stride);
}

zc_step *zc_step_resolve(zc_step *step)
{
    zc_step *last = step;
    while (last->same != NULL && last->check_count == 0)
        last = last->same;
    while (step != last) { /* the way is shorter the next time: a chain of concats has as many steps as concats */
        zc_step *next = step->same;
        step->same = last;
        step = next;
    }
    return last;
}

/* ---- Steps that no node stands for ---- */

zc_step *zc_draft_derive(zc_plan *plan, const zc_node *node, zc_op op, zc_step *x, zc_step *y)
{
    zc_value value = {.kind = ZC_VALUE_OP,
                      .op = (uint8_t)op,
                      .dtype = (uint8_t)zc_op_result(zc_op_describe(op), (zc_dtype)x->value.dtype),
                      .arity = 2,
                      .node = node};
    zc_step *step = add_step(plan, x->draft, value);
    if (step != NULL) {
        step->arg[0] = x;
        step->arg[1] = y;
    }
    return step;
}

zc_step *zc_draft_number(zc_plan *plan, zc_draft *draft, const zc_node *node, int64_t number)
{
    const zc_scalar *constant = zc_arena_copy(&plan->arena, &(zc_scalar){.int64 = number}, 1, sizeof *constant);
    const zc_value value = {.kind = ZC_VALUE_CONSTANT, .dtype = ZC_INT64, .constant = constant, .node = node};
    return constant != NULL ? add_step(plan, draft, value) : NULL;
}

/* position + check * stride, of a gathered axis; without a position, just that. */
static zc_step *add_gathered_position(zc_plan *plan, zc_draft *draft, const zc_node *node, zc_step *position,
                                      zc_gathered_axis *gathered, int64_t stride)
{
    gathered->is_read = true;
    zc_step *step = zc_draft_number(plan, draft, node, stride);
    if (step != NULL)
        step = zc_draft_derive(plan, node, ZC_OP_MULTIPLY, gathered->check, step);
    return step == NULL || position == NULL ? step : zc_draft_derive(plan, node, ZC_OP_ADD, position, step);
}

zc_step *zc_draft_position(zc_plan *plan, const zc_step *step)
{
    zc_draft *draft = step->draft;
    const zc_node *node = step->value.node;
    zc_step *position = add_step(plan, draft, (zc_value){.kind = ZC_VALUE_INDEX, .dtype = ZC_INT64, .node = node});
    if (position == NULL)
        return NULL;
    position->rank = position->load_rank = step->rank;
    position->splits = step->splits;
    position->load_offset = step->value.node_offset;
    position->load_stride = step->value.node_stride;
    for (int a = step->rank; a < step->value.node_rank && position != NULL; a++) {
        int64_t stride = step->value.node_stride[a];
        if (stride != 0)
            position = add_gathered_position(plan, draft, node, position, &draft->gathered[a - step->rank], stride);
    }
    return position;
}

/* ---- Gathered axes ---- */

bool zc_draft_has_room(const zc_draft *draft, int count)
{
    return draft->stage->rank + draft->gathered_count + count <= ZC_MAX_RANK;
}

int zc_draft_count_gathered(const zc_draft *draft, const zc_view *view)
{
    int count = 0;
    for (int a = draft->stage->rank; a < view->rank; a++)
        count += view->stride[a] != 0;
    return count;
}

zc_step *zc_draft_check(const zc_draft *draft, int axis)
{
    return draft->gathered[axis - draft->stage->rank].check;
}

void zc_draft_add_axes(const zc_draft *draft, int last, zc_view *view)
{
    for (; view->rank <= last; view->rank++) {
        view->shape[view->rank] = zc_draft_check(draft, view->rank)->value.extent;
        view->stride[view->rank] = 0;
    }
}

zc_step *zc_draft_check_positions(zc_plan *plan, const zc_node *node, zc_take_kind kind, zc_step *positions,
                                  const zc_taken_axis *axis)
{
    zc_step *check = add_step(plan, positions->draft,
                              (zc_value){.kind = ZC_VALUE_CHECK,
                                         .op = (uint8_t)kind,
                                         .dtype = ZC_INT64,
                                         .arity = 1,
                                         .extent = axis->extent,
                                         .axis = axis->axis,
                                         .node = node});
    if (check != NULL)
        check->arg[0] = positions;
    return check;
}

int zc_draft_gather(zc_plan *plan, const zc_node *node, zc_take_kind kind, zc_step *positions,
                    const zc_taken_axis *axis)
{
    zc_draft *draft = positions->draft;
    for (int i = 0; i < draft->gathered_count; i++) {
        const zc_step *check = draft->gathered[i].check;
        if (check->value.extent == axis->extent && check->arg[0] == positions)
            return draft->stage->rank + i;
    }
    void *axes = draft->gathered;
    if (!zc_draft_has_room(draft, 1) || !zc_arena_make_room(plan->scratch, &axes, draft->gathered_count,
                                                            &draft->gathered_room, sizeof *draft->gathered))
        return -1;
    draft->gathered = axes;
    zc_step *check = zc_draft_check_positions(plan, node, kind, positions, axis);
    if (check == NULL)
        return -1;
    draft->gathered[draft->gathered_count] = (zc_gathered_axis){.check = check};
    return draft->stage->rank + draft->gathered_count++;
}

/* ---- Loads ---- */

/* Joins the moves along all gathered axes of a load into one check, counted from the lowest place, which the load's
 * offset becomes. NULL when memory is out. */
static zc_step *join_gathered(zc_plan *plan, zc_step *step, const zc_view *view)
{
    zc_draft *draft = step->draft;
    const zc_node *node = step->value.node;
    zc_taken_axis joined = {.extent = 1, .axis = -1};
    zc_step *position = NULL;
    int64_t lowest = 0;
    for (int a = step->rank; a < view->rank; a++) {
        int64_t reach, stride = view->stride[a], last = view->shape[a] - 1;
        if (stride == 0)
            continue;
        position = add_gathered_position(plan, draft, node, position, &draft->gathered[a - step->rank], stride);
        (void)zc_checked_multiply(last < 0 ? 0 : last, stride, &reach); /* all of it inside the node */
        (void)zc_checked_add(joined.extent, reach < 0 ? -reach : reach, &joined.extent);
        (void)zc_checked_add(lowest, reach < 0 ? reach : 0, &lowest);
        if (position == NULL)
            return NULL;
    }
    zc_step *back = zc_draft_number(plan, draft, node, -lowest);
    position = back != NULL && position != NULL ? zc_draft_derive(plan, node, ZC_OP_ADD, position, back) : NULL;
    step->load_offset += lowest; /* proven: inside the node */
    return position != NULL ? zc_draft_check_positions(plan, node, ZC_GATHER, position, &joined) : NULL;
}

static void move_by(zc_step *step, zc_step *check)
{
    step->value.kind = ZC_VALUE_PICK;
    step->arg[step->value.arity++] = check;
}

bool zc_step_load(zc_plan *plan, zc_step *step, int32_t slot, zc_dtype dtype, const zc_view *view)
{
    int64_t stride[ZC_MAX_RANK];
    int rank = view->rank;
    zc_copy_list(rank, view->stride, stride);
    step->value.kind = ZC_VALUE_LOAD;
    step->value.slot = slot;
    step->value.dtype = (uint8_t)dtype;
    step->load_offset = view->offset;
    if (zc_draft_count_gathered(step->draft, view) > ZC_MAX_ARITY) {
        zc_step *check = join_gathered(plan, step, view);
        if (check == NULL)
            return false;
        move_by(step, check);
        rank = step->rank + 1;
        stride[step->rank] = 1;
    } else {
        for (int a = step->rank; a < rank; a++) {
            if (stride[a] == 0)
                continue;
            step->draft->gathered[a - step->rank].is_read = true;
            move_by(step, step->draft->gathered[a - step->rank].check);
        }
    }
    step->load_rank = (uint8_t)rank;
    step->load_stride = zc_arena_copy(plan->scratch, stride, (size_t)rank, sizeof *stride);
    return step->load_stride != NULL;
}

/* ---- Splits ---- */

const int64_t *zc_strides_catch_up(zc_arena *arena, const zc_draft *draft, int splits, int rank, int count,
                                   const int64_t *stride)
{
    zc_view view, finer;
    if (stride == NULL)
        return NULL;
    view.rank = rank;
    view.offset = 0;
    memcpy(view.stride, stride, (size_t)rank * sizeof *stride);
    for (int i = splits; i < draft->split_count; i++) {
        zc_view_apply_split(&view, draft->split[i], &finer);
        zc_view_copy(&finer, &view);
    }
    int64_t *out = zc_arena_take(arena, (size_t)(view.rank + count - rank), sizeof *out);
    if (out == NULL)
        return NULL;
    memcpy(out, view.stride, (size_t)view.rank * sizeof *out);
    memcpy(out + view.rank, stride + rank, (size_t)(count - rank) * sizeof *out);
    return out;
}

bool zc_step_catch_up(zc_plan *plan, zc_step *step)
{
    const zc_draft *draft = step->draft;
    if (step->splits == draft->split_count)
        return true;
    int added = draft->stage->rank - step->rank, rank = step->value.node_rank;
    const int64_t *load = step->load_stride, *node = step->value.node_stride;
    step->load_stride = zc_strides_catch_up(plan->scratch, draft, step->splits, step->rank, step->load_rank, load);
    step->load_rank = (uint8_t)(step->load_rank + (load != NULL ? added : 0));
    step->value.node_stride = zc_strides_catch_up(&plan->arena, draft, step->splits, step->rank, rank, node);
    if (plan->arena.failed || plan->scratch->failed)
        return false;
    step->value.node_rank += node != NULL ? added : 0;
    step->rank = (uint8_t)draft->stage->rank;
    step->splits = (uint8_t)draft->split_count;
    return true;
}

bool zc_draft_split(zc_plan *plan, zc_draft *draft, const zc_axis_split *split)
{
    zc_stage *stage = draft->stage;
    zc_axis_split *kept_split = zc_arena_copy(plan->scratch, split, 1, sizeof *split);
    int64_t *shape = zc_arena_copy(&plan->arena, split->shape, (size_t)split->rank, sizeof *shape);
    if (draft->split == NULL)
        draft->split = zc_arena_take(plan->scratch, ZC_MOST_SPLITS, sizeof(zc_axis_split *));
    if (kept_split == NULL || shape == NULL || draft->split == NULL)
        return false;
    int kept = 0;
    for (int a = 0; a < split->rank; a++)
        kept += split->origin[a] < stage->kept;
    draft->split[draft->split_count++] = kept_split;
    stage->shape = shape;
    stage->rank = split->rank;
    stage->kept = kept;
    return true;
}
