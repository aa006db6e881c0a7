#include "materialize/rewrite/in_place.h"

#include "materialize/plan/memory.h"
#include "materialize/rewrite/saved.h"

#include <string.h>

/* A value that reads a slot which a stage copies before an update. */
typedef struct reader {
    int32_t stage, value;
} reader;

/* Writers and readers of a slot. */
typedef struct traffic {
    int32_t first, writer;   /* first and last stage that write it, or -1 */
    int32_t copier;          /* last stage that copies it in its order before an update, or -1 */
    int32_t readers, listed; /* number of readers where it is copied, and their end in the list */
    bool is_over;            /* it is an input's memory that an update has taken over */
} traffic;

typedef struct pass {
    zc_plan *plan;
    zc_stage **stages; /* [count]: as they were */
    int32_t count;
    traffic *slots; /* [slot_count] */
    int32_t slot_count;
    reader *readers;
    bool *thins; /* [count]: stages that pick less than they did */
} pass;

/* ---- Copies before updates ---- */

/* Finds the load of a stage that copies a temporary, or an input that is taken over, in its order, before the stage
 * behind it updates that. The base of an update that a view misses may become a piece of what another one updates:
 * behind other pieces it is no copy. */
static const zc_value *find_copied(const pass *p, int32_t s)
{
    const zc_plan *plan = p->plan;
    const zc_stage *stage = p->stages[s], *update = s + 1 < p->count ? p->stages[s + 1] : NULL;
    const zc_value *load = zc_stage_result(stage);
    if (stage->reason != ZC_STAGE_BASE || stage->store.updates || !zc_stage_is_copy(stage) ||
        load->kind != ZC_VALUE_LOAD || update == NULL || !update->store.updates ||
        update->store.slot != stage->store.slot || p->slots[stage->store.slot].first != s ||
        load->slot >= p->slot_count) /* it copies what was saved */
        return NULL;
    const zc_slot *from = &plan->slots[load->slot], *to = &plan->slots[stage->store.slot];
    bool is_same = (from->kind == ZC_SLOT_TEMPORARY || from->is_taken) && from->elements == to->elements &&
                   (to->kind == ZC_SLOT_TEMPORARY || plan->target == NULL || zc_slot_is_bought(to));
    return is_same && zc_value_is_at_store(stage, load) ? load : NULL;
}

/* False when nothing is copied so. */
static bool find_traffic(pass *p)
{
    bool found = false;
    for (int32_t s = 0; s < p->slot_count; s++)
        p->slots[s] = (traffic){.first = -1, .writer = -1, .copier = -1};
    for (int32_t s = 0; s < p->count; s++) {
        traffic *stored = &p->slots[p->stages[s]->store.slot];
        stored->first = stored->first < 0 ? s : stored->first;
        stored->writer = s;
        const zc_value *copied = find_copied(p, s);
        if (copied != NULL)
            p->slots[copied->slot].copier = s;
        found |= copied != NULL;
    }
    return found;
}

/* Counts or lists the readers of slots that are copied. */
static void look_at_readers(pass *p, bool lists)
{
    for (int32_t s = 0; s < p->count; s++) {
        const zc_stage *stage = p->stages[s];
        for (int32_t v = 0; v < stage->value_count; v++) {
            traffic *read = zc_value_reads(&stage->values[v]) ? &p->slots[stage->values[v].slot] : NULL;
            if (read == NULL || read->copier < 0)
                continue;
            if (lists)
                p->readers[read->listed++] = (reader){s, v};
            else
                read->readers++;
        }
    }
}

static bool list_readers(pass *p)
{
    int32_t sum = 0;
    look_at_readers(p, false);
    for (int32_t s = 0; s < p->slot_count; s++) {
        p->slots[s].listed = sum;
        sum += p->slots[s].readers;
    }
    p->readers = zc_arena_take(p->plan->scratch, (size_t)sum, sizeof *p->readers);
    p->thins = zc_arena_take(p->plan->scratch, (size_t)p->count, sizeof *p->thins);
    if (p->readers == NULL || p->thins == NULL)
        return false;
    memset(p->thins, 0, (size_t)p->count * sizeof *p->thins);
    look_at_readers(p, true);
    return true;
}

/* ---- Values to save ---- */

/* Tells whether the reader's elements are written over before or while it reads. */
static bool comes_late(const pass *p, const reader *r, int32_t update)
{
    return r->stage > update ||
           (r->stage == update && !zc_value_may_stay(p->stages[update], &p->stages[update]->values[r->value]));
}

/* Counts elements of the stage's domain along the axes along which a value varies. */
static int64_t count_elements(const zc_stage *stage, int32_t v)
{
    int64_t elements = 1;
    for (int a = 0; a < stage->rank; a++) {
        if ((stage->values[v].axes >> a & 1) != 0)
            elements *= zc_stage_extent_of(stage, v, a); /* proven: a part of the domain */
    }
    return elements;
}

/* Tells whether all that the value depends on is there before a stage. */
static bool can_be_saved(const pass *p, const reader *r, int32_t before)
{
    const zc_stage *stage = p->stages[r->stage];
    const zc_value *value = &stage->values[r->value];
    if (value->kind == ZC_VALUE_LOAD)
        return true;
    if (r->value >= 64)
        return false;
    const uint64_t under = zc_stage_values_under(stage, r->value);
    for (int32_t v = 0; v < r->value; v++) {
        const int32_t slot = (under >> v & 1) != 0 && zc_value_reads(&stage->values[v]) ? stage->values[v].slot : -1;
        if (slot >= 0 && slot < p->slot_count && p->slots[slot].writer >= before)
            return false;
    }
    return true;
}

/* Tells memory of an input. */
static bool is_over(const pass *p, int32_t slot)
{
    return p->plan->slots[slot].kind == ZC_SLOT_INPUT || p->slots[slot].is_over;
}

/* Tells a reader of slot `from` that has to be given the elements that the update behind the copy of stage s writes
 * over. The elements that an update of an input writes are made before it, so it reads nothing late itself. */
static bool is_late(const pass *p, const reader *r, int32_t s, int32_t from)
{
    return r->stage != s && !(r->stage == s + 1 && is_over(p, from)) && comes_late(p, r, s + 1);
}

/* Tells the slot of an update that was found to take over the node whose elements another one has. An update in between
 * may have been lost, since what it puts is put anew: then it hands no memory on. */
static bool takes_over(const zc_slot *to, const zc_slot *from)
{
    if (!from->is_taken || !to->takes_over || to->node == NULL)
        return false;
    const zc_node *base = to->node->edges[zc_node_base(to->node)].node;
    return from->kind == ZC_SLOT_INPUT ? zc_node_data(base) == from->buffer : from->node == base;
}

/* Tells an update whose positions can be checked before it. */
static bool can_be_put(const zc_stage *update)
{
    int count = 0;
    if (update->kind->put != NULL)
        (void)zc_stage_besides(update, &count);
    return count == 0 || update->value_count <= 64;
}

/* Tells whether the update behind the copy of stage s can be made in place, by saving less than the copy stores. */
static bool may_continue(const pass *p, int32_t s, int32_t from)
{
    const traffic *copied = &p->slots[from];
    const zc_slot *slots = p->plan->slots;
    const int64_t most = zc_stage_extent(p->stages[s], 0, p->stages[s]->kept);
    int64_t saved = 0;
    if (is_over(p, from) &&
        (!takes_over(&slots[p->stages[s + 1]->store.slot], &slots[from]) || !can_be_put(p->stages[s + 1])))
        return false;
    if (copied->copier != s)
        return false;
    for (int32_t i = copied->listed - copied->readers; i < copied->listed; i++) {
        const reader *r = &p->readers[i];
        if (!is_late(p, r, s, from))
            continue;
        saved = zc_saturating_add(saved, count_elements(p->stages[r->stage], r->value));
        if (saved >= most || !can_be_saved(p, r, s))
            return false;
    }
    return true;
}

/* ---- Saving ---- */

/* Lets value v be read from its saved elements. */
static void load_saved(zc_stage *stage, int32_t v, const zc_stage *saved)
{
    zc_value *value = &stage->values[v];
    int64_t *stride = stage->stride + (size_t)value->access * (size_t)stage->rank;
    value->kind = ZC_VALUE_LOAD;
    value->arity = 0;
    value->slot = saved->store.slot;
    stage->offset[value->access] = 0;
    for (int a = 0, at = 0; a < stage->rank; a++)
        stride[a] = (value->axes >> a & 1) != 0 ? saved->store.stride[at++] : 0;
}

/* Saves the reader's elements by a stage behind those that the plan has so far. False when memory is out. */
static bool save(const pass *p, const reader *r)
{
    zc_stage *stage = p->stages[r->stage];
    const int64_t elements = count_elements(stage, r->value);
    const zc_stage *saved = zc_add_saved(p->plan, stage, r->value, elements, ZC_STAGE_SAVED);
    if (saved == NULL)
        return false;
    p->thins[r->stage] |= stage->values[r->value].kind == ZC_VALUE_PICK;
    load_saved(stage, r->value, saved);
    return true;
}

static bool save_all(const pass *p, int32_t s, int32_t from)
{
    const traffic *copied = &p->slots[from];
    for (int32_t i = copied->listed - copied->readers; i < copied->listed; i++) {
        const reader *r = &p->readers[i];
        if (is_late(p, r, s, from) && !save(p, r))
            return false;
    }
    return true;
}

/* ---- The pass ---- */

/* Drops unused values of all stages of which a pick was saved. False when memory is out. */
static bool drop_all_unused(const pass *p)
{
    int32_t most = 0;
    for (int32_t s = 0; s < p->count; s++)
        most = p->thins[s] && p->stages[s]->value_count > most ? p->stages[s]->value_count : most;
    int32_t *at = most > 0 ? zc_arena_take(p->plan->scratch, (size_t)most, sizeof *at) : NULL;
    for (int32_t s = 0; at != NULL && s < p->count; s++) {
        if (p->thins[s])
            zc_drop_unused(p->stages[s], at);
    }
    return at != NULL || most == 0;
}

/* Lets the update behind the copy of stage s go on in the memory of a slot. False when memory is out. */
static bool continue_in(const pass *p, int32_t s, int32_t from)
{
    if (!save_all(p, s, from))
        return false;
    if (is_over(p, from))
        p->stages[s + 1] = zc_put_written(p->plan, p->stages[s + 1], from);
    zc_stage *update = p->stages[s + 1];
    if (update == NULL)
        return false;
    p->slots[update->store.slot].is_over = is_over(p, from);
    update->store.base = from;
    return true;
}

static bool has_copies(const zc_plan *plan)
{
    int32_t s = 0;
    while (s < plan->stage_count && plan->stages[s]->reason != ZC_STAGE_BASE)
        s++;
    return s < plan->stage_count;
}

bool zc_update_in_place(zc_plan *plan)
{
    pass p = {.plan = plan, .stages = plan->stages, .count = plan->stage_count, .slot_count = plan->slot_count};
    if (!has_copies(plan))
        return true;
    p.slots = zc_arena_take(plan->scratch, (size_t)p.slot_count, sizeof *p.slots);
    if (p.slots == NULL)
        return false;
    if (!find_traffic(&p))
        return true;
    if (!list_readers(&p))
        return false;
    plan->stages = NULL;
    plan->stage_count = plan->stage_room = 0;
    for (int32_t s = 0; s < p.count; s++) {
        const zc_value *load = find_copied(&p, s);
        const int32_t from = load != NULL && may_continue(&p, s, load->slot) ? load->slot : -1;
        if (from < 0 ? zc_plan_add_stage(plan, p.stages[s]) != ZC_OK : !continue_in(&p, s, from))
            return false;
    }
    return drop_all_unused(&p);
}
