#include "materialize/plan/order.h"

#include <string.h>

typedef struct visit {
    int32_t stage;
    int32_t value; /* to look at next */
} visit;

typedef struct walk {
    const zc_plan *plan;
    int32_t *writer; /* of each slot, or -1: the last one, */
    int32_t *before; /* and of each stage: the writer of the same slot before it, or -1 */
    char *seen;      /* per stage */
    visit *stack;
    int32_t depth;
    int32_t *order; /* the stages, in theirs */
    int32_t count;
} walk;

/* Visits what writes a slot. The pieces of one slot do not depend on each other, so the first of them, which comes to
 * lie on top, may be done while the others wait: they are done in their order. */
static void enter(walk *w, int32_t slot)
{
    for (int32_t stage = w->writer[slot]; stage >= 0; stage = w->before[stage]) {
        if (w->seen[stage] != 0)
            continue;
        w->seen[stage] = 1;
        w->stack[w->depth++] = (visit){stage, 0};
    }
}

static void find_writers(walk *w)
{
    for (int32_t s = 0; s < w->plan->slot_count; s++)
        w->writer[s] = -1;
    for (int32_t s = 0; s < w->plan->stage_count; s++) {
        int32_t slot = zc_plan_walk(w->plan, s)->store_slot;
        w->before[s] = w->writer[slot];
        w->writer[slot] = s;
    }
}

/* Orders what writes a slot, and what that needs. */
static void run(walk *w, int32_t slot)
{
    enter(w, slot);
    while (w->depth > 0) {
        visit *top = &w->stack[w->depth - 1];
        const zc_stage *stage = w->plan->stages[top->stage];
        if (top->value == stage->value_count) {
            w->order[w->count++] = top->stage;
            w->depth--;
            continue;
        }
        const zc_value *value = &stage->values[top->value++];
        if (zc_value_reads(value))
            enter(w, value->slot);
    }
}

/* ---- Numbers of slots ---- */

typedef struct numbering {
    int32_t *number; /* of each slot, or -1; */
    int32_t count;
} numbering;

static void number_slot(numbering *n, int32_t slot)
{
    if (n->number[slot] < 0)
        n->number[slot] = n->count++;
}

static void number_results(const zc_plan *plan, zc_slot_kind kind, numbering *n)
{
    for (int32_t i = 0; i < plan->result_count; i++) {
        if (plan->slots[plan->results[i].slot].kind == kind)
            number_slot(n, plan->results[i].slot);
    }
}

static void number_inputs(const zc_plan *plan, numbering *n)
{
    for (int32_t s = 0; s < plan->stage_count; s++) {
        const zc_stage *stage = zc_plan_walk(plan, s);
        for (int32_t v = 0; v < stage->value_count; v++) {
            const zc_value *value = &stage->values[v];
            if (zc_value_reads(value) && plan->slots[value->slot].kind == ZC_SLOT_INPUT)
                number_slot(n, value->slot);
        }
    }
}

static void renumber_stage(zc_stage *stage, const numbering *n)
{
    stage->store_slot = n->number[stage->store_slot];
    for (int32_t v = 0; v < stage->value_count; v++) {
        if (zc_value_reads(&stage->values[v]))
            stage->values[v].slot = n->number[stage->values[v].slot];
    }
}

bool zc_plan_number_slots(zc_plan *plan)
{
    size_t count = (size_t)plan->slot_count;
    numbering n = {.number = zc_arena_take(&plan->arena, count, sizeof *n.number)};
    zc_slot *slots = zc_arena_take(&plan->arena, count, sizeof *slots);
    if (n.number == NULL || slots == NULL)
        return false;
    memset(n.number, -1, count * sizeof *n.number);
    number_results(plan, ZC_SLOT_OUTPUT, &n);
    number_inputs(plan, &n);
    number_results(plan, ZC_SLOT_INPUT, &n);
    for (int32_t s = 0; s < plan->stage_count; s++)
        number_slot(&n, zc_plan_walk(plan, s)->store_slot);
    for (int32_t s = 0; s < plan->stage_count; s++)
        renumber_stage(zc_plan_walk(plan, s), &n);
    for (int32_t i = 0; i < plan->result_count; i++)
        plan->results[i].slot = n.number[plan->results[i].slot];
    for (int32_t s = 0; s < plan->slot_count; s++) {
        if (n.number[s] >= 0)
            slots[n.number[s]] = plan->slots[s];
    }
    plan->slots = slots;
    plan->slot_count = plan->slot_room = n.count;
    return zc_plan_list_inputs(plan);
}

/* Whether the stages stand in that order as they are. */
static bool is_in_order(const walk *w)
{
    int32_t at = 0;
    while (at < w->count && w->order[at] == at)
        at++;
    return at == w->plan->stage_count;
}

static zc_status put_in_order(zc_plan *plan, const walk *w)
{
    zc_stage **ordered = zc_arena_take(&plan->arena, (size_t)w->count, sizeof(zc_stage *));
    if (ordered == NULL)
        return ZC_ERROR_MEMORY;
    for (int32_t at = 0; at < w->count; at++)
        ordered[at] = plan->stages[w->order[at]];
    plan->stages = ordered;
    plan->stage_count = w->count;
    return ZC_OK;
}

/* Gives back what the walk took. */
static void end(zc_plan *plan, const walk *w, size_t slots, size_t stages)
{
    zc_arena_give_back(&plan->arena, w->writer, slots, sizeof *w->writer);
    zc_arena_give_back(&plan->arena, w->before, stages, sizeof *w->before);
    zc_arena_give_back(&plan->arena, w->seen, stages, sizeof *w->seen);
    zc_arena_give_back(&plan->arena, w->stack, stages, sizeof *w->stack);
    zc_arena_give_back(&plan->arena, w->order, stages, sizeof *w->order);
}

zc_status zc_plan_order(zc_plan *plan)
{
    size_t stages = (size_t)plan->stage_count, slots = (size_t)plan->slot_count;
    walk w = {.plan = plan,
              .writer = zc_arena_take(&plan->arena, slots, sizeof *w.writer),
              .before = zc_arena_take(&plan->arena, stages, sizeof *w.before),
              .seen = zc_arena_take(&plan->arena, stages, sizeof *w.seen),
              .stack = zc_arena_take(&plan->arena, stages, sizeof *w.stack),
              .order = zc_arena_take(&plan->arena, stages, sizeof *w.order)};
    if (w.writer == NULL || w.before == NULL || w.seen == NULL || w.stack == NULL || w.order == NULL)
        return ZC_ERROR_MEMORY;
    memset(w.seen, 0, stages);
    find_writers(&w);
    for (int32_t i = 0; i < plan->result_count; i++)
        run(&w, plan->results[i].slot);
    for (int32_t s = 0; s < plan->slot_count; s++) {
        if (zc_slot_is_bought(&plan->slots[s]))
            run(&w, s);
    }
    zc_status status = is_in_order(&w) ? ZC_OK : put_in_order(plan, &w);
    end(plan, &w, slots, stages);
    return status;
}
