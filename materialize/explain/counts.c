#include "materialize/explain/counts.h"

#include <string.h>

#include "materialize/lower/region.h"
#include "materialize/plan/memory.h"

/* A value, and the next one of the same node. */
typedef struct use {
    const zc_stage *stage;
    const zc_value *value;
    int32_t next; /* or -1 */
    bool is_listed;
} use;

typedef struct counting {
    zc_plan *plan;
    zc_counts *counts;
    use *uses; /* [use_count], in the order of stages and values */
    int32_t use_count;
    zc_table heads;   /* the first use of each node */
    bool *is_counted; /* [slot_count]: the elements of what is no input */
    zc_region *regions;
} counting;

static bool is_temporary(const zc_plan *plan, int32_t slot)
{
    return plan->slots[slot].kind == ZC_SLOT_TEMPORARY;
}

/* Tells whether the value is an element of the node computed, not a position on the way to it. */
static bool computes(const use *u)
{
    return u->value->kind == ZC_VALUE_OP && u->value->op == u->value->node->op && u->value->node_rank > 0;
}

static bool loads(const counting *c, const use *u)
{
    return zc_value_reads(u->value) && c->plan->slots[u->value->slot].kind != ZC_SLOT_INPUT;
}

/* Tells whether a use is the value that a stage stores for others to load. */
static bool is_stored(const counting *c, const use *u)
{
    return u->value == zc_stage_result(u->stage) && !u->stage->kind->reduces &&
           is_temporary(c->plan, u->stage->store.slot);
}

/* ---- Uses of a node ---- */

static uint64_t hash_of(const zc_node *node)
{
    return zc_hash_word(1, (uint64_t)(uintptr_t)node);
}

static int32_t find_head(const counting *c, const zc_node *node)
{
    size_t cursor = 0;
    int32_t at;
    while ((at = zc_table_next(&c->heads, hash_of(node), &cursor)) >= 0) {
        if (c->uses[at].value->node == node) /* LCOV_EXCL_BR_LINE: it differs only where hashes collide */
            return at;
    }
    return -1;
}

static bool list_use(counting *c, int32_t at)
{
    use *u = &c->uses[at];
    u->next = -1;
    if (u->value->node == NULL || !(computes(u) || loads(c, u)))
        return true;
    u->is_listed = true;
    int32_t head = find_head(c, u->value->node);
    if (head < 0)
        return zc_table_add(&c->heads, hash_of(u->value->node), at);
    u->next = c->uses[head].next;
    c->uses[head].next = at;
    return true;
}

/* ---- Counts of a node ---- */

/* By its operations; of what only other stages make (a reduction, a scan) by what is stored. */
static int64_t count_computed(const counting *c, int32_t head)
{
    int64_t operations = 0, stored = 0;
    bool has_operation = false;
    for (int32_t i = head; i >= 0; i = c->uses[i].next) {
        const use *u = &c->uses[i];
        if (computes(u)) {
            has_operation = true;
            operations = zc_saturating_add(operations, zc_stage_extent_along(u->stage, u->value->axes));
        } else if (!c->is_counted[u->value->slot]) {
            const zc_slot *slot = &c->plan->slots[u->value->slot];
            const bool is_made = c->plan->stages[slot->first_stage]->reason != ZC_STAGE_SAVED;
            c->is_counted[u->value->slot] = true;
            stored = zc_saturating_add(stored, is_made ? zc_slot_stored(c->plan, u->value->slot) : 0);
        }
    }
    return has_operation ? operations : stored;
}

/* The box that a value sees of its node: all of it where positions are computed. */
static void find_box(const use *u, zc_box *box)
{
    const zc_value *value = u->value;
    const zc_node *node = value->node;
    zc_view view = {.rank = u->stage->rank, .offset = value->node_offset};
    bool is_gathered = false;
    for (int a = u->stage->rank; a < value->node_rank; a++)
        is_gathered |= value->node_stride[a] != 0;
    if (is_gathered || zc_stage_extent(u->stage, 0, u->stage->rank) == 0) {
        zc_box_whole(node->rank, node->shape, box);
        return;
    }
    for (int a = 0; a < view.rank; a++) {
        view.shape[a] = zc_stage_extent_of(u->stage, (int32_t)(value - u->stage->values), a);
        view.stride[a] = a < value->node_rank ? value->node_stride[a] : 0;
    }
    zc_box_of_view(&view, node->rank, node->shape, box);
}

static int64_t count_needed(const counting *c, int32_t head)
{
    const zc_node *node = c->uses[head].value->node;
    int64_t needed = 0;
    int count = 0;
    for (int32_t i = head; i >= 0; i = c->uses[i].next) {
        if (is_stored(c, &c->uses[i]))
            continue;
        find_box(&c->uses[i], &c->regions[count].box);
        count = zc_add_region(c->regions, count, node->shape);
    }
    for (int i = 0; i < count; i++)
        needed = zc_saturating_add(needed, zc_box_size(&c->regions[i].box));
    return needed;
}

/* Joined regions may hold a little more than is seen. */
static zc_node_count count_node(const counting *c, int32_t head)
{
    int64_t computed = count_computed(c, head), needed = count_needed(c, head);
    return (zc_node_count){computed, needed < computed ? needed : computed};
}

static bool count_all(counting *c)
{
    for (int32_t i = 0; i < c->use_count; i++) {
        if (!list_use(c, i))
            return false;
    }
    for (int32_t i = 0; i < c->use_count; i++) {
        const zc_node *node = c->uses[i].value->node;
        int32_t head = c->uses[i].is_listed ? find_head(c, node) : -1;
        if (head == i)
            c->counts->nodes[i] = count_node(c, i);
        else if (head >= 0)
            c->counts->nodes[i] = c->counts->nodes[head];
    }
    return true;
}

bool zc_counts_make(zc_plan *plan, zc_counts *counts)
{
    zc_arena *arena = &plan->arena;
    counting c = {.plan = plan, .counts = counts, .heads = {.arena = arena}};
    size_t values = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        values += (size_t)plan->stages[s]->value_count;
    counts->plan = plan;
    counts->first = zc_arena_take(arena, (size_t)plan->stage_count, sizeof *counts->first);
    counts->nodes = zc_arena_take(arena, values, sizeof *counts->nodes);
    c.uses = zc_arena_take(arena, values, sizeof *c.uses);
    c.regions = zc_arena_take(arena, ZC_MOST_REGIONS + 1, sizeof *c.regions);
    c.is_counted = zc_arena_take(arena, (size_t)plan->slot_count, sizeof *c.is_counted);
    if (counts->first == NULL || counts->nodes == NULL || c.uses == NULL || c.regions == NULL || c.is_counted == NULL)
        return false;
    memset(c.is_counted, 0, (size_t)plan->slot_count * sizeof *c.is_counted);
    memset(counts->nodes, 0, values * sizeof *counts->nodes);
    for (int32_t s = 0; s < plan->stage_count; s++) {
        counts->first[s] = c.use_count;
        plan->stages[s]->number = s;
        for (int32_t v = 0; v < plan->stages[s]->value_count; v++)
            c.uses[c.use_count++] = (use){plan->stages[s], &plan->stages[s]->values[v], -1, false};
    }
    return count_all(&c);
}

zc_node_count zc_counts_of(const zc_counts *counts, const zc_stage *stage, int32_t v)
{
    return counts->nodes[counts->first[stage->number] + v];
}
