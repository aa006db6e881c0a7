#include "materialize/lower/emit.h"

#include <string.h>

#include "materialize/stages/reduce.h"

/* The values of a finished stage, and the steps that are still to become some. */
typedef struct emission {
    zc_plan *plan;
    const zc_draft *draft;
    zc_stage *stage;
    zc_step **stack;
    int32_t depth;
} emission;

static const zc_gathered_axis *find_gathered(const zc_draft *draft, const zc_step *check)
{
    int i = 0;
    while (draft->gathered[i].check != check)
        i++;
    return &draft->gathered[i];
}

static void push(emission *e, zc_step *step)
{
    step = zc_step_resolve(step);
    if (step->at < 0)
        e->stack[e->depth++] = step;
}

/* Pushes the operands that are emitted before the step; deep ones last, so that the stack gives them first: fewer
 * values are alive at once. */
static void push_operands(emission *e, const zc_step *step)
{
    zc_step *operand[ZC_MAX_ARITY];
    int count = step->same == NULL ? step->value.arity : 0;
    for (int i = 0; i < count; i++) {
        zc_step *moved = zc_step_resolve(step->arg[count - 1 - i]);
        int at = i;
        for (; at > 0 && operand[at - 1]->depth > moved->depth; at--)
            operand[at] = operand[at - 1];
        operand[at] = moved;
    }
    for (int i = 0; i < count; i++)
        push(e, operand[i]);
    for (int i = 0; i < step->check_count; i++) {
        const zc_gathered_axis *gathered = find_gathered(e->draft, step->checks[i]);
        if (gathered->is_read || !gathered->is_checked)
            push(e, step->checks[i]);
    }
    if (step->same != NULL)
        push(e, step->same);
}

static int32_t add_value(emission *e, zc_value value)
{
    zc_stage *stage = e->stage;
    for (int i = 0; i < value.arity; i++)
        value.axes |= stage->values[value.arg[i]].axes;
    stage->values[stage->value_count] = value;
    return stage->value_count++;
}

static void add_access(emission *e, int64_t offset, const int64_t *stride, zc_value *value)
{
    zc_stage *stage = e->stage;
    value->access = stage->access_count++;
    stage->offset[value->access] = offset;
    zc_copy_list(stage->rank, stride, stage->stride + (size_t)value->access * (size_t)stage->rank);
    for (int a = 0; a < stage->rank; a++)
        value->axes |= (uint64_t)(stride[a] != 0) << a;
}

/* The elements per step of each index check of a load. */
static bool set_gathered_strides(emission *e, const zc_step *step, zc_value *value)
{
    int64_t *steps = zc_arena_take(&e->plan->arena, (size_t)value->arity, sizeof *steps);
    if (steps == NULL)
        return false;
    int count = 0;
    for (int a = step->rank; a < step->load_rank; a++) {
        if (step->load_stride[a] != 0)
            steps[count++] = step->load_stride[a];
    }
    value->pick_stride = steps;
    return true;
}

static const zc_scalar nothing = {0};

/* The value of a gather: its operand's, which is made to depend on the checks that no load depends on, so that their
 * positions are checked all the same, unless an earlier stage does. */
static int32_t emit_gather(emission *e, const zc_step *step)
{
    const zc_node *node = step->value.node;
    int32_t value = zc_step_resolve(step->same)->at;
    for (int i = 0; i < step->check_count; i++) {
        const zc_gathered_axis *gathered = find_gathered(e->draft, step->checks[i]);
        if (gathered->is_read || gathered->is_checked)
            continue;
        zc_value zero = {.kind = ZC_VALUE_CONSTANT, .dtype = ZC_INT64, .constant = &nothing, .node = node};
        int32_t below = add_value(e, zero);
        zc_value inside = {.kind = ZC_VALUE_OP,
                           .op = ZC_OP_GREATER_EQUAL,
                           .dtype = ZC_BOOL,
                           .arity = 2,
                           .arg = {step->checks[i]->at, below},
                           .node = node};
        int32_t is_inside = add_value(e, inside);
        zc_value guarded = {.kind = ZC_VALUE_OP,
                            .op = ZC_OP_WHERE,
                            .dtype = e->stage->values[value].dtype,
                            .arity = 3,
                            .arg = {is_inside, value, value},
                            .node = node};
        value = add_value(e, guarded);
    }
    return value;
}

static bool emit(emission *e, zc_step *step)
{
    if (!zc_step_catch_up(e->plan, step))
        return false;
    if (step->same != NULL) {
        step->at = emit_gather(e, step);
        return true;
    }
    zc_value value = step->value;
    for (int i = 0; i < value.arity; i++)
        value.arg[i] = zc_step_resolve(step->arg[i])->at;
    if (value.kind == ZC_VALUE_PICK && !set_gathered_strides(e, step, &value))
        return false;
    if (zc_value_moves(&value))
        add_access(e, step->load_offset, step->load_stride, &value);
    step->at = add_value(e, value);
    return true;
}

/* Emits a step with all that it needs. */
static bool emit_all(emission *e, zc_step *root)
{
    e->stack[e->depth++] = zc_step_resolve(root);
    while (e->depth > 0) {
        zc_step *step = e->stack[e->depth - 1];
        if (step->at < 0 && !step->is_visited) {
            step->is_visited = true;
            push_operands(e, step);
        } else {
            e->depth--;
            if (step->at < 0 && !emit(e, step))
                return false;
        }
    }
    return true;
}

/* Makes room for more than there was so far; the elements so far are gone. */
static bool widen(zc_arena *arena, void **array, int32_t *has, int64_t needed, size_t bytes_each)
{
    if (needed <= *has)
        return true;
    zc_arena_give_back(arena, *array, (size_t)*has, bytes_each);
    *has = (int32_t)zc_smaller(needed + needed / 8, INT32_MAX);
    *array = zc_arena_take(arena, (size_t)*has, bytes_each);
    bool has_all = needed <= *has;    /* else there are more than int32 counts */
    return has_all && *array != NULL; /* LCOV_EXCL_BR_LINE: it has, unless a graph is larger than memory */
}

/* Makes room for the values: a guarded check takes three more, and the last may have to be repeated. */
static bool make_room(emission *e, zc_emission_room *room)
{
    const zc_draft *draft = e->draft;
    zc_arena *arena = e->plan->scratch;
    int64_t steps = draft->step_count, values = steps + 3 * (int64_t)draft->guard_count + 1;
    int64_t waiting = (ZC_MAX_ARITY + 1) * steps + draft->guard_count + 1;
    void *value = room->value, *offset = room->offset, *stride = room->stride, *stack = room->stack;
    int32_t offsets = room->values;
    bool made = widen(arena, &offset, &offsets, values, sizeof *room->offset) &&
                widen(arena, &value, &room->values, values, sizeof *room->value) &&
                widen(arena, &stride, &room->strides, steps * zc_larger(e->stage->rank, 1), sizeof *room->stride) &&
                widen(arena, &stack, &room->steps, waiting, sizeof(zc_step *));
    e->stage->value_count = e->stage->access_count = 0;
    e->stage->values = room->value = value;
    e->stage->offset = room->offset = offset;
    e->stage->stride = room->stride = stride;
    e->stack = room->stack = stack;
    return made;
}

/* Copies what the stage has in the room to memory of its own. */
static bool keep(emission *e)
{
    zc_arena *arena = &e->plan->arena;
    zc_stage *stage = e->stage;
    const size_t accesses = (size_t)stage->access_count;
    stage->values = zc_arena_copy(arena, stage->values, (size_t)stage->value_count, sizeof *stage->values);
    stage->offset = zc_arena_copy(arena, stage->offset, accesses, sizeof *stage->offset);
    stage->stride = zc_arena_copy(arena, stage->stride, accesses * (size_t)stage->rank, sizeof *stage->stride);
    return stage->values != NULL && stage->offset != NULL && stage->stride != NULL;
}

/* The strides of the store and the weights of reduced axes, given for the domain as it began. */
static bool split_rows(zc_plan *plan, const zc_draft *draft, zc_stage *stage)
{
    int64_t row[ZC_MAX_RANK];
    const bool weighs = stage->kind->reduces;
    int kept = draft->first_kept, reduced = draft->first_rank - kept;
    if (draft->split_count == 0)
        return true;
    memset(row, 0, (size_t)draft->first_rank * sizeof *row);
    memcpy(row, stage->store.stride, (size_t)kept * sizeof *row);
    if (weighs)
        memcpy(row + kept, zc_stage_reduced(stage)->index_weight, (size_t)reduced * sizeof *row);
    int64_t *split =
        (int64_t *)(uintptr_t)zc_strides_catch_up(&plan->arena, draft, 0, draft->first_rank, draft->first_rank, row);
    if (split == NULL)
        return false;
    stage->store.stride = split;
    if (weighs)
        zc_reduce_set_weights(stage, split + stage->kept);
    return true;
}

/* Emits the values that the end of the stage reads besides its result. */
static bool emit_besides(emission *e)
{
    int count;
    int32_t *besides = zc_stage_besides_to_set(e->stage, &count);
    for (int i = 0; i < count; i++) {
        bool done = emit_all(e, e->draft->besides[i]);
        if (!done)        /* LCOV_EXCL_BR_LINE: memory is out where axes were split for them alone */
            return false; /* LCOV_EXCL_LINE: likewise */
        besides[i] = zc_step_resolve(e->draft->besides[i])->at;
    }
    return true;
}

/* The result is the last value. */
static void end_with_result(emission *e)
{
    int32_t result = zc_step_resolve(e->draft->result)->at;
    if (result == e->stage->value_count - 1)
        return;
    zc_value copy = e->stage->values[result];
    copy.kind = ZC_VALUE_OP;
    copy.op = ZC_OP_COPY;
    copy.arity = 1;
    copy.arg[0] = result;
    copy.node_rank = 0;
    copy.node_stride = NULL;
    (void)add_value(e, copy);
}

bool zc_draft_emit(zc_plan *plan, zc_draft *draft, zc_emission_room *room)
{
    zc_stage *out = draft->stage;
    emission e = {.plan = plan, .draft = draft, .stage = out};
    if (!make_room(&e, room) || !emit_besides(&e) || !emit_all(&e, draft->result))
        return false;
    end_with_result(&e);
    draft->is_finished = true;
    return keep(&e) && split_rows(plan, draft, out);
}
