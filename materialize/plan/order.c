/*
 * Puts the stages in an order in which every temporary is written before it is read, and drops those whose results
 * nothing reads. A depth-first walk from the stage that makes the output, with a stack of its own.
 */
#include "materialize/plan/plan.h"

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
    zc_stage *ordered;
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
        int32_t slot = w->plan->stages[s].store_slot;
        w->before[s] = w->writer[slot];
        w->writer[slot] = s;
    }
}

static void run(walk *w)
{
    enter(w, ZC_OUTPUT_SLOT);
    while (w->depth > 0) {
        visit *top = &w->stack[w->depth - 1];
        const zc_stage *stage = &w->plan->stages[top->stage];
        if (top->value == stage->value_count) {
            w->ordered[w->count++] = *stage;
            w->depth--;
            continue;
        }
        const zc_value *value = &stage->values[top->value++];
        if (zc_value_reads(value))
            enter(w, value->slot);
    }
}

zc_status zc_plan_order(zc_plan *plan)
{
    size_t stages = (size_t)plan->stage_count, slots = (size_t)plan->slot_count;
    walk w = {.plan = plan,
              .writer = zc_arena_take(&plan->arena, slots, sizeof *w.writer),
              .before = zc_arena_take(&plan->arena, stages, sizeof *w.before),
              .seen = zc_arena_take(&plan->arena, stages, sizeof *w.seen),
              .stack = zc_arena_take(&plan->arena, stages, sizeof *w.stack),
              .ordered = zc_arena_take(&plan->arena, stages, sizeof *w.ordered)};
    if (w.writer == NULL || w.before == NULL || w.seen == NULL || w.stack == NULL || w.ordered == NULL)
        return ZC_ERROR_MEMORY;
    memset(w.seen, 0, stages);
    find_writers(&w);
    run(&w);
    plan->stages = w.ordered;
    plan->stage_count = w.count;
    return ZC_OK;
}
