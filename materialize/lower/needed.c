#include "materialize/lower/needed.h"

#include "materialize/lower/equal.h"

#include <string.h>

/* A node on the way down to its operands. */
typedef struct visit {
    const zc_node *node;
    int edge;         /* edge to look at next */
    int32_t operands; /* place of the operands found in l->operands */
} visit;

typedef struct walk {
    zc_lowering *l;
    visit *stack;
    int32_t depth, room;
} walk;

static int32_t find_index(const zc_lowering *l, const zc_node *node)
{
    size_t cursor = 0;
    int32_t at;
    while ((at = zc_table_next(&l->table, zc_hash_address(node), &cursor)) >= 0) {
        if (l->needed[at].node == node) /* LCOV_EXCL_BR_LINE: it differs only where hashes collide */
            return at;
    }
    return -1;
}

zc_needed *zc_needed_of(const zc_lowering *l, const zc_node *node)
{
    return zc_needed_resolve(l, find_index(l, node));
}

/* Values of last_use that are no place in the order. */
enum { NEVER_FREED = -1, FREED = -2 };

uint32_t zc_cost_of_operand(const zc_needed *operand)
{
    if (operand->kind == ZC_NODE_CONSTANT)
        return 0;
    bool is_inlined = operand->is_made && operand->consumers == 1 && operand->may_fuse;
    return is_inlined && operand->cost > 1 ? operand->cost : 1;
}

bool zc_is_spread(const zc_needed *needed)
{
    static const double cached_bytes = 1 << 20, least_spread = 4;
    const double size = (double)needed->node->size;
    return needed->may_fuse && size * needed->item_bytes > cached_bytes && size > (double)needed->base * least_spread;
}

/* The elements in memory that an operand stands for. */
static float base_of_operand(const zc_needed *operand)
{
    if (operand->data == NULL && zc_node_is_given(operand->node))
        return 0;
    return operand->is_made && operand->may_fuse ? operand->base : (float)operand->node->size;
}

/* Tells a comparison of positions, of which the executor fills truths as memory is filled (tile/program/positions.h).
 */
static bool compares_positions(const zc_needed *needed)
{
    const zc_node *node = needed->node;
    if (!needed->is_made || needed->kind != ZC_NODE_MAP || !zc_op_compares((zc_op)node->op))
        return false;
    bool are_positions = true;
    for (int i = 0; i < node->edge_count; i++)
        are_positions &= node->edges[i].node->kind == ZC_NODE_IOTA || node->edges[i].node->kind == ZC_NODE_CONSTANT;
    return are_positions && node->edges[0].node->dtype == ZC_INT64;
}

static void estimate(const zc_lowering *l, zc_needed *needed)
{
    const bool is_map = needed->is_made && needed->kind == ZC_NODE_MAP, is_filled = compares_positions(needed);
    uint64_t cost = needed->cost, depth = is_map ? needed->cost : 0;
    for (int32_t i = 0; needed->is_made && needed->kind != ZC_NODE_CONCAT && i < needed->operand_count; i++) {
        const zc_needed *operand = zc_needed_operand(l, needed, i);
        cost += is_filled ? 0 : zc_cost_of_operand(operand);
        needed->base += base_of_operand(operand);
        depth += is_map ? operand->depth : 0;
    }
    needed->cost = cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost;
    needed->depth = depth > UINT16_MAX ? UINT16_MAX : (uint16_t)depth;
}

/* Room for the operands of one node more. */
static bool make_operand_room(zc_lowering *l, int count)
{
    void *operands = l->operands;
    while (l->operand_room - l->operand_count < count) {
        if (!zc_arena_make_room(l->plan->scratch, &operands, l->operand_room, &l->operand_room, sizeof *l->operands))
            return false;
        l->operands = operands;
    }
    l->operand_count += count;
    return true;
}

static bool push(walk *w, const zc_node *node)
{
    zc_lowering *l = w->l;
    zc_arena *arena = l->plan->scratch;
    void *stack = w->stack;
    if (!zc_arena_make_room(arena, &stack, w->depth, &w->room, sizeof *w->stack))
        return false;
    w->stack = stack;
    w->stack[w->depth++] = (visit){node, 0, l->operand_count};
    return make_operand_room(l, zc_node_data(node) == NULL ? node->edge_count : 0);
}

/* Adds a node behind its operands. */
static bool add(zc_lowering *l, const zc_node *node, int32_t operands)
{
    zc_arena *arena = l->plan->scratch;
    void *needed = l->needed;
    uint64_t hash;
    int32_t at = l->needed_count, same = zc_find_equal(l, node, operands, &hash);
    if (!zc_arena_make_room(arena, &needed, at, &l->needed_room, sizeof *l->needed))
        return false;
    l->needed = needed;
    l->needed[at] = (zc_needed){
        .node = node,
        .data = same < 0 ? zc_node_data(node) : NULL,
        .same = same,
        .cost = node->kind == ZC_NODE_MAP ? (uint32_t)zc_op_describe((zc_op)node->op)->cost : 1,
        .operands = operands,
        .last_use = NEVER_FREED,
        .serial = node->serial,
        .result = -1,
        .bought = -1,
        .kind = node->kind,
        .item_bytes = (uint8_t)zc_dtype_bytes((zc_dtype)node->dtype),
        .may_fuse = (node->kind == ZC_NODE_MAP || node->kind == ZC_NODE_TAKE) && !node->is_explicit_copy,
    };
    l->needed[at].operand_count = l->needed[at].data == NULL ? node->edge_count : 0;
    l->needed[at].is_made = l->needed[at].data == NULL && !zc_node_is_given(node);
    l->needed_count++;
    l->has_updates |= node->kind == ZC_NODE_SCATTER;
    l->has_concats |= node->kind == ZC_NODE_CONCAT && l->needed[at].is_made;
    l->plan->made_of |= zc_node_has_gradients(node) ? zc_source_bit(node->serial) : 0;
    if (same >= 0) {
        l->needed[same].serial = (uint64_t)zc_smaller((int64_t)node->serial, (int64_t)l->needed[same].serial);
        l->needed[same].has_equal = l->needed[at].has_equal = true;
    }
    bool is_listed = hash == 0 || same >= 0 || zc_table_add(&l->equals, hash, at);
    return is_listed && zc_table_add(&l->table, zc_hash_address(node), at);
}

static bool find(walk *w)
{
    zc_lowering *l = w->l;
    while (w->depth > 0) {
        visit *top = &w->stack[w->depth - 1];
        const zc_node *node = top->node;
        if (zc_progress_stops(&l->plan->ctx->progress))
            return false;
        if (top->edge < node->edge_count && zc_node_data(node) == NULL) {
            const zc_node *operand = node->edges[top->edge].node;
            int32_t at = find_index(l, operand);
            if (at >= 0)
                l->operands[top->operands + top->edge++] = at;
            else if (!push(w, operand))
                return false;
            continue;
        }
        w->depth--;
        if (w->depth >= ZC_NODES_AHEAD)
            zc_fetch_node(w->stack[w->depth - ZC_NODES_AHEAD].node);
        if (!add(l, node, top->operands))
            return false;
    }
    return true;
}

enum { FIRST_RUN = 16 };

/* Merges two runs, each in the order of recording; often one is behind the other already. */
static void merge(const zc_needed *needed, const int32_t *from, int32_t first, int32_t second, int32_t end, int32_t *to)
{
    int32_t a = first, b = second;
    if (second == end || needed[from[second - 1]].serial < needed[from[second]].serial) {
        memcpy(to + first, from + first, (size_t)(end - first) * sizeof *to);
        return;
    }
    for (int32_t i = first; i < end; i++) {
        bool takes_first = a < second && (b == end || needed[from[a]].serial < needed[from[b]].serial);
        to[i] = takes_first ? from[a++] : from[b++];
    }
}

/* Sorts runs of a few nodes each: what is found is hardly out of order, and mostly by a few places. Whether all of it
 * is in order then. */
static bool sort_runs(const zc_needed *needed, int32_t count, int32_t *order)
{
    bool is_sorted = true;
    for (int32_t i = 0; i < count; i++) {
        const uint64_t serial = needed[i].serial;
        int32_t at = i;
        for (; at % FIRST_RUN != 0 && needed[order[at - 1]].serial > serial; at--)
            order[at] = order[at - 1];
        order[at] = i;
        is_sorted &= at % FIRST_RUN != 0 || at == 0 || needed[order[at - 1]].serial < serial;
    }
    return is_sorted;
}

/* Sorts the nodes into the order in which they were recorded. */
static bool sort(zc_lowering *l)
{
    int32_t count = l->needed_count;
    int32_t *order = zc_arena_take(l->plan->scratch, (size_t)count, sizeof *order);
    int32_t *other = zc_arena_take(l->plan->scratch, (size_t)count, sizeof *other);
    if (order == NULL || other == NULL)
        return false;
    bool is_sorted = sort_runs(l->needed, count, order);
    for (int64_t run = is_sorted ? count : FIRST_RUN; run < count; run *= 2) { /* proven: twice an int32 */
        for (int64_t first = 0; first < count; first += 2 * run) {             /* proven: three times an int32 */
            const int64_t second = zc_smaller(first + run, count), end = zc_smaller(second + run, count);
            merge(l->needed, order, (int32_t)first, (int32_t)second, (int32_t)end, other);
        }
        int32_t *swapped = order;
        order = other;
        other = swapped;
    }
    zc_arena_give_back(l->plan->scratch, other, (size_t)count, sizeof *other);
    l->order = order;
    return true;
}

/* Counts the consumers of operands, and finds the last one. */
static void look_at_consumers(zc_lowering *l)
{
    for (int32_t p = 0; p < l->needed_count; p++) {
        const zc_needed *needed = &l->needed[l->order[p]];
        for (int32_t e = 0; e < needed->operand_count; e++) {
            l->needed[l->operands[needed->operands + e]].last_use = p;
            if (needed->same < 0)
                zc_needed_operand(l, needed, e)->consumers++;
        }
    }
}

static bool find_all(zc_lowering *l)
{
    walk w = {.l = l};
    const zc_plan *plan = l->plan;
    for (int32_t i = 0; i < plan->result_count; i++) {
        const zc_node *node = plan->results[i].asked->node;
        if (find_index(l, node) < 0 && (!push(&w, node) || !find(&w)))
            return false;
    }
    for (int i = 0; i < plan->due_count; i++) {
        if (find_index(l, plan->due[i]) < 0 && (!push(&w, plan->due[i]) || !find(&w)))
            return false;
    }
    zc_arena_give_back(plan->scratch, w.stack, (size_t)w.room, sizeof *w.stack);
    return true;
}

bool zc_find_needed(zc_lowering *l)
{
    if (!find_all(l) || !sort(l))
        return false;
    for (int32_t i = 0; i < l->plan->result_count; i++)
        zc_needed_of(l, l->plan->results[i].asked->node)->consumers++;
    for (int i = 0; i < l->plan->due_count; i++) {
        zc_needed *due = zc_needed_of(l, l->plan->due[i]);
        due->consumers++;
        due->is_due = true;
    }
    for (int i = 0; i < l->plan->apart_count; i++) {
        const int32_t apart = find_index(l, l->plan->apart[i]); /* none below what another thread realised meanwhile */
        if (apart >= 0)                                         /* LCOV_EXCL_BR_LINE: up to other threads */
            l->needed[apart].is_apart = l->needed[apart].data != NULL;
    }
    look_at_consumers(l);
    for (int32_t i = 0; i < l->needed_count; i++)
        estimate(l, &l->needed[i]);
    return true;
}

/* Bytes that an eager runtime stores of a node. Equal nodes may store less than their consumers demand together. */
static int64_t bytes_of(const zc_lowering *l, const zc_needed *needed)
{
    int64_t bytes;
    if (!needed->is_made || needed->has_equal || (needed->last_use == NEVER_FREED && l->plan->target != NULL))
        return 0;
    bool counts = zc_checked_multiply(needed->demanded, (int64_t)needed->item_bytes, &bytes);
    return counts ? bytes : INT64_MAX;
}

/* Finds the values of an update of something that exists before anything is computed, if they are made for it alone; or
 * NULL. */
static const zc_needed *find_put(const zc_lowering *l, const zc_needed *needed)
{
    if (!needed->is_made || needed->kind != ZC_NODE_SCATTER || zc_node_base(needed->node) < 0 ||
        zc_needed_operand(l, needed, zc_node_base(needed->node))->is_made)
        return NULL;
    const zc_needed *put = zc_needed_operand(l, needed, 0);
    return put->is_made && put->consumers == 1 ? put : NULL;
}

/* Finds when an eager runtime begins with what serves a node alone, and adds what updates store from there on: it
 * copies what is there, and then computes what is put there. Bytes per place in the order. */
static void add_early(const zc_lowering *l, int32_t *begins, int64_t *early)
{
    for (int32_t p = 0; p < l->needed_count; p++) {
        const zc_needed *needed = &l->needed[l->order[p]];
        int32_t *own = &begins[l->order[p]];
        *own = p;
        early[p] = 0;
        for (int32_t i = 0; i < needed->operand_count; i++) {
            const zc_needed *operand = zc_needed_operand(l, needed, i);
            if (operand->is_made && operand->consumers == 1)
                *own = (int32_t)zc_smaller(*own, begins[operand - l->needed]);
        }
        const zc_needed *put = find_put(l, needed);
        if (put != NULL) {
            int64_t *from = &early[begins[put - l->needed]];
            *from = zc_saturating_add(*from, bytes_of(l, needed));
        }
    }
}

/* NULL when there are no updates, or memory is out. */
static int64_t *find_early(const zc_lowering *l)
{
    zc_arena *scratch = l->plan->scratch;
    const size_t count = (size_t)l->needed_count;
    if (!l->has_updates)
        return NULL;
    int64_t *early = zc_arena_take(scratch, count, sizeof *early);
    int32_t *begins = zc_arena_take(scratch, count, sizeof *begins);
    if (early == NULL || begins == NULL)
        return NULL;
    memset(begins, 0, count * sizeof *begins);
    add_early(l, begins, early);
    zc_arena_give_back(scratch, begins, count, sizeof *begins);
    return early;
}

int64_t zc_eager_bytes(const zc_lowering *l)
{
    int64_t most = 0, alive = 0, *early = find_early(l);
    for (int32_t p = 0; p < l->needed_count; p++) {
        const zc_needed *needed = &l->needed[l->order[p]];
        if (!zc_checked_add(alive, bytes_of(l, needed), &alive) ||
            (early != NULL && !zc_checked_add(alive, early[p], &alive)))
            return INT64_MAX;
        if (early != NULL && find_put(l, needed) != NULL)
            alive -= bytes_of(l, needed); /* proven: it was added before */
        most = zc_larger(most, alive);
        for (int32_t i = 0; i < needed->operand_count; i++) {
            zc_needed *operand = &l->needed[l->operands[needed->operands + i]];
            if (operand->last_use != p || operand->bought >= 0)
                continue;
            alive -= bytes_of(l, operand); /* proven: it was added */
            operand->last_use = FREED;
        }
    }
    if (early != NULL)
        zc_arena_give_back(l->plan->scratch, early, (size_t)l->needed_count, sizeof *early);
    return most;
}

/* Tells a map of which whatever sees all of it, element by element, demands all, and that is stored or computed so. */
static bool is_whole_map(const zc_node *node)
{
    return node->kind == ZC_NODE_MAP && node->invariant == 0 && !node->is_explicit_copy && zc_node_data(node) == NULL;
}

/* Bytes of all of a node. Saturates. */
static int64_t all_bytes(const zc_node *node)
{
    int64_t bytes;
    return zc_checked_multiply(node->size, (int64_t)zc_dtype_bytes((zc_dtype)node->dtype), &bytes) ? bytes : INT64_MAX;
}

/* Tells an operand that was counted before: it is another one's, too. */
static bool is_repeated(const zc_node *node, int edge)
{
    int e = 0;
    while (node->edges[e].node != node->edges[edge].node)
        e++;
    return e < edge;
}

int64_t zc_certain_bytes(const zc_lowering *l)
{
    const zc_tensor *asked = l->plan->results[0].asked;
    const zc_node *node = asked->node;
    zc_view view;
    int64_t bytes = 0;
    zc_tensor_view(asked, &view);
    if (l->plan->result_count > 1 || l->layout != ZC_LAYOUT_DENSE || l->has_concats || l->has_updates ||
        !is_whole_map(node) || !zc_view_is_identity(&view, node->size))
        return 0;
    for (int e = 0; e < node->edge_count; e++) {
        const zc_node *operand = node->edges[e].node;
        zc_node_edge_view(node, e, &view);
        if (is_whole_map(operand) && !is_repeated(node, e) && zc_view_is_identity(&view, operand->size))
            bytes = zc_saturating_add(bytes, all_bytes(operand));
    }
    return l->plan->target != NULL ? bytes : zc_saturating_add(bytes, all_bytes(node));
}
