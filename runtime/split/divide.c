/*
 * The choice of shared nodes and of the families of pieces.
 *
 * A node is shared where its blocks, or the ranges of a shared node above, would compute more of it together than there
 * is, and that is not little. That is found out of the first block: what it demands of a node, times the blocks.
 */
#include "runtime/split/divide.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/pending.h"
#include "runtime/graph/scope.h"
#include "runtime/serialize/demand.h"

static const char function[] = "division_make";

/* Parts of the limit: what may be computed again, what a range reads, and a shared node takes at most; and the part of
 * what a range reads that its states are at most. */
enum { AGAIN_PART = 16, RANGE_PART = 8, NODE_PART = 4, STATE_PART = 4 };

/* Operands of a node that may be shared: a scatter has a base, updates, and positions along its axes. */
enum { MOST_OPERANDS = 2 + ZC_MAX_RANK };

/* The first of several equal pieces, and what it demands. */
typedef struct user {
    const zc_tensor *t;
    int64_t times;
    zc_demand demand;
} user;

typedef struct choice {
    zc_division *s;
    zc_arena arena; /* of demands */
    user *users;    /* [user_count]: the tensors, and the shared nodes */
    int user_count;
    zc_walk walk;
} choice;

/* ---- Blocks ---- */

int64_t zc_divided_blocks(const zc_divided *d, int axis)
{
    const int64_t extent = d->t->dims[axis];
    return extent == 0 ? 1 : zc_divide_up(extent, d->chunk[axis]);
}

int64_t zc_divided_count(const zc_divided *d)
{
    int64_t count = 1;
    for (int a = 0; a < d->t->rank; a++)
        count *= zc_divided_blocks(d, a); /* proven: at most the size, or 1 for each extent of 0 */
    return count;
}

void zc_divided_block(const zc_divided *d, int64_t number, int64_t *first, int64_t *count)
{
    for (int a = d->t->rank - 1; a >= 0; a--) {
        const int64_t blocks = zc_divided_blocks(d, a), extent = d->t->dims[a];
        first[a] = number % blocks * d->chunk[a]; /* proven: inside the axis */
        count[a] = zc_smaller(d->chunk[a], extent - first[a]);
        number /= blocks;
    }
}

const zc_tensor *zc_window_of(const zc_tensor *t, const int64_t *first, const int64_t *count)
{
    zc_view view;
    zc_tensor_view(t, &view);
    for (int a = 0; a < view.rank; a++) {
        view.offset += first[a] * view.stride[a]; /* proven: an element of the view, or none is there */
        view.shape[a] = count[a];
    }
    zc_view_canonicalise(&view);
    return zc_tensor_new(t->ctx, zc_node_retain(t->node), &view, function);
}

/* ---- Shared nodes ---- */

/* zc_walk_ends */
static bool is_shared(const void *division, const zc_node *node)
{
    const zc_division *s = division;
    bool is_one = false;
    for (int i = 0; i < s->shared_count && !is_one; i++)
        is_one = s->shared[i].t->node == node;
    return is_one;
}

/* Finds what all users demand, up to what is shared. */
static zc_status find_demands(choice *c)
{
    zc_arena_clear(&c->arena);
    for (int i = 0; i < c->user_count; i++) {
        user *u = &c->users[i];
        u->demand = (zc_demand){.arena = &c->arena, .ends = is_shared, .user = c->s};
        if (!zc_demand_find(&u->demand, 1, &u->t))
            return zc_fail_memory(c->s->ctx, function);
    }
    return ZC_OK;
}

/* Bytes of so many elements; saturated. */
static int64_t bytes_of(int64_t elements, zc_dtype dtype)
{
    int64_t bytes;
    return zc_checked_multiply(elements, (int64_t)zc_dtype_bytes(dtype), &bytes) ? bytes : INT64_MAX;
}

/* Bytes that a node reads where all of it is computed. */
static int64_t read_bytes(const zc_node *node)
{
    int64_t size;
    const zc_dtype dtype = (zc_dtype)node->edges[0].node->dtype;
    const zc_status status = zc_shape_size(node->domain_rank, zc_node_domain_shape(node), &size, NULL);
    return status == ZC_OK ? bytes_of(size, dtype) : INT64_MAX; /* LCOV_EXCL_BR_LINE: of selections of 2^63 */
}

/* Tells a node that is worth a piece of its own: what it reads is much, what it gives is little. */
static bool is_candidate(const zc_division *s, const zc_node *node)
{
    switch (node->kind) {
    case ZC_NODE_REDUCE:
    case ZC_NODE_CONTRACT:
    case ZC_NODE_SELECT:
    case ZC_NODE_SCAN:
    case ZC_NODE_SCATTER:
        return node->size > 0 && read_bytes(node) > s->limit / AGAIN_PART &&
               bytes_of(node->size, (zc_dtype)node->dtype) <= s->limit / NODE_PART;
    default:
        return false;
    }
}

/* Elements of its operands that a reduction reads of which that box is made, each once; saturated. */
static int64_t read_elements(const zc_node *node, const zc_box *box)
{
    int64_t elements = 0;
    for (int i = 0; i < node->edge_count; i++) {
        zc_view view;
        (void)zc_demand_edge(node, box, i, &view);
        zc_view_drop_axes(&view, zc_view_broadcast_axes(&view), &view);
        elements = zc_saturating_add(elements, zc_view_size(&view));
    }
    return elements;
}

/* Divides the numbers of a reduction: into ranges of 2^k steps that read no more than their part of the limit. States
 * are to be few beside what they are made of. */
static void find_range(const zc_division *s, zc_shared *shared)
{
    zc_box all;
    const zc_parted *p = &shared->parted;
    zc_box_whole(p->node->rank, p->node->shape, &all);
    const int64_t each = zc_larger(read_elements(p->node, &all) / zc_larger(p->numbers, 1), 1);
    const int64_t row = bytes_of(each, (zc_dtype)p->node->edges[0].node->dtype);
    const int64_t most = zc_larger(s->limit / RANGE_PART / row, 1);
    shared->range = p->step;
    while (shared->range <= most / 2 && shared->range < p->numbers)
        shared->range *= 2;
    shared->has_parts =
        p->numbers > shared->range && shared->t->size <= zc_saturating_multiply(each, shared->range) / STATE_PART;
}

/* Tells a user that would compute more of a node than there is, with all its equals; or, of what is made in parts, read
 * more than twice what there is; or need all of it alone: several may make it then. */
static bool needs_shared(const user *u, const zc_shared *shared)
{
    zc_box all, box;
    const zc_node *node = shared->t->node;
    const int32_t place = zc_walk_place(&u->demand.walk, node);
    if (place < 0 || !u->demand.nodes[place].is_used)
        return false;
    zc_demand_box(&u->demand.nodes[place], &box);
    if (u->times == 1)
        return shared->has_parts && zc_box_size(&box) == node->size;
    if (zc_saturating_multiply(zc_box_size(&box), u->times) > node->size + node->size / 8)
        return true;
    zc_box_whole(node->rank, node->shape, &all);
    return shared->has_parts &&
           zc_saturating_multiply(read_elements(node, &box), u->times) / 2 > read_elements(node, &all);
}

static bool is_worth_sharing(const choice *c, const zc_shared *shared)
{
    bool is_worth = false;
    for (int i = 0; i < c->user_count && !is_worth; i++)
        is_worth = needs_shared(&c->users[i], shared);
    return is_worth;
}

/* Adds the first range of a shared node. */
static zc_status add_range(choice *c, const zc_shared *shared)
{
    int n = 0;
    zc_tensor *states[ZC_MOST_STATES];
    const zc_status status = zc_part(shared->t, 0, shared->range, &n, states);
    const int64_t times = zc_divide_up(shared->parted.numbers, shared->range);
    for (int i = 0; i < n; i++)
        c->users[c->user_count++] = (user){.t = states[i], .times = times};
    return status;
}

/* Adds the operands of one that is made in no parts. */
static zc_status add_operands(choice *c, const zc_shared *shared)
{
    const zc_node *node = shared->t->node;
    for (int i = 0; i < node->edge_count; i++) {
        zc_view view;
        zc_node_edge_view(node, i, &view);
        const zc_tensor *t = zc_tensor_new(c->s->ctx, zc_node_retain(node->edges[i].node), &view, function);
        if (t == NULL)
            return zc_error_status(c->s->ctx);
        c->users[c->user_count++] = (user){.t = t, .times = 1};
    }
    return ZC_OK;
}

/* Shares a node, which demands nothing then: what makes it does. */
static zc_status share(choice *c, const zc_shared *chosen)
{
    zc_division *s = c->s;
    const zc_status status = chosen->has_parts ? add_range(c, chosen) : add_operands(c, chosen);
    if (status != ZC_OK)
        return status;
    zc_shared *shared = &s->shared[s->shared_count++];
    *shared = *chosen;
    shared->t = zc_keep(chosen->t);
    return find_demands(c);
}

static zc_status try_to_share(choice *c, const zc_node *node)
{
    zc_division *s = c->s;
    zc_shared shared = {.range = 0};
    if (s->shared_count == ZC_MOST_NEEDS || !is_candidate(s, node))
        return ZC_OK;
    shared.t = zc_tensor_of_node(s->ctx, zc_node_retain((zc_node *)(uintptr_t)node), function);
    if (shared.t == NULL)
        return zc_error_status(s->ctx);
    if (zc_parted_is(node) && zc_parted_read(shared.t, function, &shared.parted) == ZC_OK)
        find_range(s, &shared);
    return is_worth_sharing(c, &shared) ? share(c, &shared) : ZC_OK;
}

/* From the results down, so that what uses a node is known when it is looked at. */
static zc_status choose(choice *c)
{
    int64_t first[ZC_MAX_RANK] = {0}, count[ZC_MAX_RANK] = {0};
    zc_division *s = c->s;
    for (int i = 0; i < s->count; i++) {
        zc_divided *d = &s->tensors[i];
        zc_divided_block(d, 0, first, count);
        c->users[c->user_count++] = (user){.t = zc_window_of(d->t, first, count), .times = zc_divided_count(d)};
        if (c->users[i].t == NULL)
            return zc_error_status(s->ctx);
    }
    zc_status status = find_demands(c);
    for (int32_t n = c->walk.count; n > 0 && status == ZC_OK; n--)
        status = try_to_share(c, c->walk.nodes[n - 1]);
    return status;
}

/* ---- Families ---- */

/* Finds the shared nodes that a node is made of, or is. */
static zc_status find_needs(zc_division *s, zc_arena *arena, const zc_tensor *t, bool is_itself, zc_needs *needs)
{
    zc_arena_clear(arena);
    zc_walk walk = {.arena = arena};
    const zc_node *below[MOST_OPERANDS] = {t->node};
    needs->count = 0;
    const int edges = is_itself ? 0 : t->node->edge_count;
    for (int i = 0; i < edges; i++)
        below[i] = t->node->edges[i].node;
    if (!zc_walk_all(&walk, is_itself ? 1 : edges, below, is_shared, s))
        return zc_fail_memory(s->ctx, function);
    for (int i = 0; i < s->shared_count; i++) {
        if (zc_walk_place(&walk, s->shared[i].t->node) >= 0)
            needs->at[needs->count++] = i;
    }
    return ZC_OK;
}

static int64_t add_family(zc_division *s, zc_piece_kind kind, int of, int64_t count, int64_t length)
{
    s->families[s->family_count++] =
        (zc_family){.kind = kind, .of = of, .first = s->pieces, .count = count, .length = length};
    s->pieces = zc_saturating_add(s->pieces, count);
    return s->pieces - 1;
}

/* Ranges, and the levels of their joins, up to one piece. */
static void add_shared(zc_division *s, int i)
{
    zc_shared *shared = &s->shared[i];
    const int64_t numbers = shared->parted.numbers;
    if (!shared->has_parts) {
        shared->last = add_family(s, ZC_PIECE_NODE, i, 1, 0);
        return;
    }
    int64_t length = shared->range, count = zc_divide_up(numbers, length);
    (void)add_family(s, ZC_PIECE_RANGE, i, count, length);
    while (count > 1) {
        count = zc_divide_up(count, ZC_MOST_JOINED);
        length = length > numbers / ZC_MOST_JOINED ? numbers : length * ZC_MOST_JOINED;
        shared->last = add_family(s, ZC_PIECE_JOIN, i, count, length);
    }
}

/* Operands before what is made of them: the other way round than they were found. */
static void turn_shared(zc_division *s)
{
    for (int i = 0, k = s->shared_count - 1; i < k; i++, k--) {
        const zc_shared other = s->shared[i];
        s->shared[i] = s->shared[k];
        s->shared[k] = other;
    }
}

static zc_status add_families(zc_division *s, zc_arena *arena)
{
    const size_t most = (size_t)s->count + ZC_MOST_NEEDS * (size_t)(1 + ZC_MOST_LEVELS);
    zc_status status = ZC_OK;
    s->families = zc_arena_take(&s->arena, most, sizeof *s->families);
    if (s->families == NULL)
        return zc_fail_memory(s->ctx, function);
    turn_shared(s);
    for (int i = 0; i < s->shared_count && status == ZC_OK; i++) {
        status = find_needs(s, arena, s->shared[i].t, false, &s->shared[i].needs);
        add_shared(s, i);
    }
    for (int i = 0; i < s->count && status == ZC_OK; i++) {
        status = find_needs(s, arena, s->tensors[i].t, true, &s->tensors[i].needs);
        (void)add_family(s, ZC_PIECE_BLOCK, i, zc_divided_count(&s->tensors[i]), 0);
    }
    if (status == ZC_OK && s->pieces == INT64_MAX)
        return zc_fail(s->ctx, ZC_ERROR_OVERFLOW, function, "there are more pieces than int64 counts");
    return status;
}

/* The most users: the tensors, and of each shared node its state, or its operands. */
static zc_status make_users(choice *c)
{
    zc_division *s = c->s;
    const zc_node **from = zc_arena_take(&s->arena, (size_t)s->count, sizeof *from);
    c->walk = (zc_walk){.arena = &s->arena};
    c->users = zc_arena_take(&s->arena, (size_t)s->count + ZC_MOST_NEEDS * (size_t)MOST_OPERANDS, sizeof *c->users);
    s->shared = zc_arena_take(&s->arena, ZC_MOST_NEEDS, sizeof *s->shared);
    if (s->arena.failed)
        return zc_fail_memory(s->ctx, function);
    for (int i = 0; i < s->count; i++)
        from[i] = s->tensors[i].t->node;
    return zc_walk_all(&c->walk, s->count, from, NULL, NULL) ? ZC_OK : zc_fail_memory(s->ctx, function);
}

zc_status zc_division_divide(zc_division *s)
{
    choice c = {.s = s};
    zc_scope *scope = zc_scope_begin(s->ctx);
    if (scope == NULL)
        return zc_error_status(s->ctx);
    zc_arena_init(&c.arena, s->ctx->heap);
    zc_graph_follow_begin();
    zc_status status = make_users(&c);
    if (status == ZC_OK)
        status = choose(&c);
    if (status == ZC_OK)
        status = add_families(s, &c.arena);
    for (int32_t n = 0; n < c.walk.count && c.walk.place != NULL; n++)
        zc_pending_forget(c.walk.nodes[n]);
    zc_graph_follow_end();
    zc_arena_free(&c.arena);
    zc_scope_end(scope);
    return status;
}
