#include "materialize/plan/order.h"

#include <string.h>

typedef struct visit {
    int32_t stage;
    int32_t next; /* to look at next: a value, then the base, then a reader of that */
} visit;

typedef struct walk {
    const zc_plan *plan;
    int32_t *writer; /* of each slot, or -1: the last one, */
    int32_t *before; /* and of each stage: the writer of the same slot before it, or -1 */
    char *seen;      /* per stage */
    char *needed;    /* likewise: a result depends on it; NULL: not known yet */
    int32_t *reader; /* [readers]: stages that read the bases of updates in place, of one base after the other; */
    int32_t *first;  /* [slot_count + 1]: where those of each slot begin */
    int32_t readers;
    visit *stack;
    int32_t depth;
    int32_t *order; /* the stages, in theirs */
    int32_t count;
} walk;

/* Visits a stage and those before it that write the same slot. The pieces of one slot do not depend on each other, so
 * the first of them, which comes to lie on top, may be done while the others wait: they are done in their order. */
static void enter(walk *w, int32_t last)
{
    for (int32_t stage = last; stage >= 0; stage = w->before[stage]) {
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
        int32_t slot = zc_plan_walk(w->plan, s)->store.slot;
        w->before[s] = w->writer[slot];
        w->writer[slot] = s;
    }
}

/* ---- Readers of bases ---- */

static bool has_bases(const zc_plan *plan)
{
    int32_t s = 0;
    while (s < plan->stage_count && zc_plan_walk(plan, s)->store.base < 0)
        s++;
    return s < plan->stage_count;
}

/* Counts the readers of slots, or lists those of bases where they belong. */
static void look_at_readers(walk *w, const char *is_base, bool lists)
{
    for (int32_t s = 0; s < w->plan->stage_count; s++) {
        const zc_stage *stage = zc_plan_walk(w->plan, s);
        for (int32_t v = 0; v < stage->value_count; v++) {
            if (!zc_value_reads(&stage->values[v]) || !is_base[stage->values[v].slot])
                continue;
            int32_t *end = &w->first[stage->values[v].slot + 1];
            if (lists)
                w->reader[*end] = s;
            (*end)++;
        }
    }
}

/* Lists who reads the bases of updates in place, in the order of stages. False when memory is out. */
static bool list_readers(walk *w, zc_arena *arena)
{
    const size_t slots = (size_t)w->plan->slot_count;
    char *is_base = zc_arena_take(arena, slots, sizeof *is_base);
    w->first = zc_arena_take(arena, slots + 1, sizeof *w->first);
    if (is_base == NULL || w->first == NULL)
        return false;
    memset(is_base, 0, slots);
    memset(w->first, 0, (slots + 1) * sizeof *w->first);
    for (int32_t s = 0; s < w->plan->stage_count; s++) {
        if (w->plan->stages[s]->store.base >= 0)
            is_base[w->plan->stages[s]->store.base] = 1;
    }
    look_at_readers(w, is_base, false);
    for (size_t s = 1; s <= slots; s++)
        w->first[s] += w->first[s - 1];
    w->readers = w->first[slots];
    w->reader = zc_arena_take(arena, (size_t)w->readers, sizeof *w->reader);
    if (w->reader == NULL)
        return false;
    memmove(w->first + 1, w->first, slots * sizeof *w->first); /* where each begins, and moves on to where it ends */
    w->first[0] = 0;
    look_at_readers(w, is_base, true);
    zc_arena_give_back(arena, is_base, slots, sizeof *is_base);
    return true;
}

/* ---- Walking ---- */

/* Enters the stages that an update in place waits for besides those it reads from: the one that made its base, and all
 * that read that before it in the order so far, which no such wait runs against; so it finds them all before it. False
 * when there is no more. */
static bool enter_for_base(walk *w, const zc_stage *stage, int32_t s, int32_t next)
{
    if (stage->store.base < 0)
        return false;
    if (next == 0) {
        enter(w, w->writer[stage->store.base]);
        return true;
    }
    if (w->needed == NULL || next > w->first[stage->store.base + 1] - w->first[stage->store.base])
        return false;
    const int32_t reader = w->reader[w->first[stage->store.base] + next - 1];
    if (reader < s && w->needed[reader] != 0)
        enter(w, reader);
    return true;
}

/* Orders what writes a slot, and what that needs. */
static void run(walk *w, int32_t slot)
{
    enter(w, w->writer[slot]);
    while (w->depth > 0) {
        visit *top = &w->stack[w->depth - 1];
        const int32_t s = top->stage, next = top->next++;
        const zc_stage *stage = w->plan->stages[s];
        if (next < stage->value_count) {
            if (zc_value_reads(&stage->values[next]))
                enter(w, w->writer[stage->values[next].slot]);
        } else if (!enter_for_base(w, stage, s, next - stage->value_count)) {
            w->order[w->count++] = s;
            w->depth--;
        }
    }
}

static void run_all(walk *w)
{
    memset(w->seen, 0, (size_t)w->plan->stage_count);
    w->count = 0;
    for (int32_t i = 0; i < w->plan->result_count; i++)
        run(w, w->plan->results[i].slot);
    for (int32_t s = 0; s < w->plan->slot_count; s++) {
        if (zc_slot_is_bought(&w->plan->slots[s]))
            run(w, s);
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
        if (stage->store.base >= 0 && plan->slots[stage->store.base].kind == ZC_SLOT_INPUT)
            number_slot(n, stage->store.base);
    }
}

static void renumber_stage(zc_stage *stage, const numbering *n)
{
    stage->store.slot = n->number[stage->store.slot];
    stage->store.base = stage->store.base >= 0 ? n->number[stage->store.base] : -1;
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
        number_slot(&n, zc_plan_walk(plan, s)->store.slot);
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

/* Tells whether the stages stand in that order as they are. */
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
    if (w->needed == NULL)
        return;
    zc_arena_give_back(&plan->arena, w->needed, stages, sizeof *w->needed);
    zc_arena_give_back(&plan->arena, w->first, slots + 1, sizeof *w->first);
    zc_arena_give_back(&plan->arena, w->reader, (size_t)w->readers, sizeof *w->reader);
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
    find_writers(&w);
    run_all(&w);
    if (has_bases(plan)) {
        w.needed = zc_arena_copy(&plan->arena, w.seen, stages, sizeof *w.seen);
        if (w.needed == NULL || !list_readers(&w, &plan->arena))
            return ZC_ERROR_MEMORY;
        run_all(&w);
    }
    zc_status status = is_in_order(&w) ? ZC_OK : put_in_order(plan, &w);
    end(plan, &w, slots, stages);
    return status;
}
