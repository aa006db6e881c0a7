#include "runtime/graph/node.h"

#include <limits.h>
#include <string.h>

#include "runtime/graph/history.h"
#include "runtime/graph/invariance.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/never_negative.h"
#include "runtime/graph/pending.h"
#include "runtime/graph/variables.h"

static size_t array_bytes(int count)
{
    return (size_t)count * sizeof(int64_t);
}

static int domain_rank_of(const zc_node_spec *spec)
{
    return spec->domain != NULL ? spec->domain->rank : spec->rank;
}

/* Arrays that a node's block holds besides its edges and its shape. */
typedef struct arrays {
    bool has_domain, has_base;
    int taken_count;
} arrays;

static size_t bytes_of_arrays(zc_node_kind kind, int edge_count, int rank, int domain_rank, arrays has)
{
    return (has.has_domain ? array_bytes(domain_rank) : 0) +
           (kind == ZC_NODE_CONCAT ? array_bytes(edge_count) + sizeof(int64_t) : 0) +
           (kind == ZC_NODE_SCATTER ? sizeof(zc_scattered) + array_bytes(domain_rank) : 0) +
           (kind == ZC_NODE_SOURCE ? sizeof(zc_sourced) + array_bytes(rank) : 0) +
           (size_t)has.taken_count * sizeof(zc_taken_axis) + (has.has_base ? array_bytes(rank) : 0);
}

/* The same of every kind: the node, its edges with their strides, its shape. */
static size_t bytes_of_edges(int edge_count, int rank, int domain_rank)
{
    return sizeof(zc_node) + array_bytes(rank) + (size_t)edge_count * (sizeof(zc_edge) + array_bytes(domain_rank));
}

static size_t bytes_of_spec(const zc_node_spec *spec)
{
    const int domain_rank = domain_rank_of(spec);
    const size_t bytes = bytes_of_edges(spec->edge_count, spec->rank, domain_rank);
    if (spec->kind == ZC_NODE_MAP)
        return bytes;
    const arrays has = {spec->domain != NULL, spec->has_base, spec->taken_count};
    return bytes + bytes_of_arrays(spec->kind, spec->edge_count, spec->rank, domain_rank, has);
}

/* The same of a node that was made of it. */
static size_t bytes_of_node(const zc_node *node)
{
    const size_t bytes = bytes_of_edges(node->edge_count, node->rank, node->domain_rank);
    const bool is_scatter = node->kind == ZC_NODE_SCATTER;
    if (node->kind == ZC_NODE_MAP)
        return bytes;
    const bool has_domain = zc_node_has_domain((zc_node_kind)node->kind);
    const int taken_count = is_scatter                   ? node->scattered->moved_count
                            : node->kind == ZC_NODE_TAKE ? node->edge_count - 1
                                                         : 0;
    const arrays has = {has_domain, is_scatter && node->scattered->has_base != 0, taken_count};
    return bytes + bytes_of_arrays((zc_node_kind)node->kind, node->edge_count, node->rank, node->domain_rank, has);
}

static const int64_t *place_array(int64_t **next, int count, const int64_t *from)
{
    int64_t *to = *next;
    for (int i = 0; i < count; i++)
        to[i] = from[i];
    *next += count;
    return to;
}

/* The edges of a concat, and where its operands begin; their extents add up to the node's. */
static void place_slabs(zc_node *node, int64_t **next, const zc_node_spec *spec)
{
    int64_t *start = *next;
    node->start = start;
    *next += spec->edge_count + 1;
    start[0] = 0;
    for (int i = 0; i < spec->edge_count; i++) {
        zc_view view;
        spec->source(spec->user, i, &node->edges[i].node, &view);
        (void)zc_node_retain(node->edges[i].node);
        (void)zc_checked_add(start[i], view.shape[spec->op], &start[i + 1]);
        node->edges[i].offset = view.offset;
        node->edges[i].stride = place_array(next, node->domain_rank, view.stride);
    }
}

static void place_edges(zc_node *node, int64_t **next, const zc_node_spec *spec)
{
    for (int i = 0; i < spec->edge_count; i++) {
        node->edges[i].node = zc_node_retain(spec->edges[i].node);
        node->edges[i].offset = spec->edges[i].offset;
        bool is_base = spec->has_base && i == spec->edge_count - 1;
        node->edges[i].stride = place_array(next, is_base ? node->rank : node->domain_rank, spec->edges[i].stride);
    }
}

static const zc_taken_axis *place_taken(int64_t **next, const zc_node_spec *spec)
{
    zc_taken_axis *taken = (void *)*next;
    for (int i = 0; i < spec->taken_count; i++)
        taken[i] = spec->taken[i];
    *next = (void *)(taken + spec->taken_count);
    return taken;
}

static void place_scattered(zc_node *node, int64_t **next, const zc_node_spec *spec)
{
    zc_scattered *scattered = (void *)*next;
    *next = (void *)(scattered + 1);
    node->scattered = scattered;
    scattered->named = (int32_t)spec->named;
    scattered->has_base = spec->has_base;
    scattered->is_assigned = spec->is_assigned;
    scattered->moved_count = spec->taken_count;
    scattered->moved = place_taken(next, spec);
    scattered->offset = spec->place->offset;
    scattered->stride = place_array(next, node->domain_rank, spec->place->stride);
}

/* A source without chunks has those of one element. */
static void place_source(zc_node *node, int64_t **next, const zc_node_spec *spec)
{
    zc_sourced *sourced = (void *)*next;
    int64_t *chunk = (void *)(sourced + 1);
    *sourced = (zc_sourced){*spec->from, (uintptr_t)sourced};
    sourced->from.chunk = chunk;
    for (int a = 0; a < node->rank; a++)
        chunk[a] = spec->from->chunk != NULL ? spec->from->chunk[a] : 1;
    *next = chunk + node->rank;
    node->sourced = sourced;
}

/* The arrays follow the edges in the node's own block. */
static void place_arrays(zc_node *node, const zc_node_spec *spec)
{
    int64_t *next = (int64_t *)(void *)&node->edges[spec->edge_count];
    node->shape = place_array(&next, spec->rank, spec->shape);
    if (spec->domain != NULL)
        (void)place_array(&next, node->domain_rank, spec->domain->shape);
    if (spec->kind == ZC_NODE_CONCAT)
        place_slabs(node, &next, spec);
    else
        place_edges(node, &next, spec);
    if (spec->kind == ZC_NODE_SCATTER)
        place_scattered(node, &next, spec);
    else if (spec->kind == ZC_NODE_SOURCE)
        place_source(node, &next, spec);
    else if (spec->kind == ZC_NODE_TAKE)
        node->taken = place_taken(&next, spec);
}

/* Sets the members that only some kinds of nodes have. */
static void set_attributes(zc_node *node, const zc_node_spec *spec)
{
    if (spec->kind == ZC_NODE_LEAF)
        node->history = NULL;
    if (spec->kind == ZC_NODE_REDUCE || spec->kind == ZC_NODE_SELECT || spec->kind == ZC_NODE_CONTRACT ||
        spec->kind == ZC_NODE_SCAN) {
        node->reduced = spec->reduced;
    } else if (spec->kind == ZC_NODE_CONSTANT) {
        memset(&node->constant, 0, sizeof node->constant); /* all of it is compared (attributes.h) */
        memcpy(&node->constant, &spec->constant, zc_dtype_bytes(spec->dtype));
    }
}

static void raise_to(_Atomic int64_t *counter, int64_t least)
{
    int64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    bool is_there = now >= least;
    while (!is_there) {
        is_there = atomic_compare_exchange_weak(counter, &now, least); /* LCOV_EXCL_BR_LINE: up to other threads */
        is_there = is_there || now >= least;                           /* LCOV_EXCL_BR_LINE: likewise */
    }
}

void zc_node_precede(const zc_node *node, zc_heap *heap)
{
    if (node->heap != heap)
        raise_to(&heap->serials, (int64_t)node->serial);
}

/* Tells an operand that is large, or of many more elements than what is made of it. */
static bool is_much(const zc_node *operand, const zc_node *made)
{
    enum { LARGE = 8192, PART = 8 };
    return operand->size >= LARGE || made->size <= operand->size / PART;
}

/* Sets variables, which gradients pass to, and watches a node where one of its first few operands is much, or recorded
 * on many others. */
static void set_by_operands(zc_node *node)
{
    enum { LOOKED_AT = 4, DEEP = 64 };
    bool reads_much = false;
    for (int i = 0; i < node->edge_count; i++) {
        const zc_node *operand = node->edges[i].node;
        reads_much |= i < LOOKED_AT && is_much(operand, node);
        if (operand->depth >= node->depth && node->depth < UINT8_MAX && zc_node_data(operand) == NULL)
            node->depth = (uint8_t)(operand->depth + (operand->depth < UINT8_MAX));
        if (zc_variables_of(operand) != 0 && !node->is_constant)
            zc_variables_inherit(node, operand);
    }
    node->is_watched = reads_much || node->depth >= DEEP;
    if (node->is_watched)
        zc_pending_add(node);
}

void zc_node_set_serial(zc_node *node)
{
    const int64_t step = zc_node_has_lent_serials(node) ? 1 + ZC_LENT_SERIALS : 1;
    node->serial = (uint64_t)(zc_count(&node->heap->serials, step) + step);
}

zc_node *zc_node_new(zc_heap *heap, const zc_node_spec *spec)
{
    size_t bytes = bytes_of_spec(spec);
    zc_node *node = bytes > INT_MAX ? NULL : zc_heap_take(heap, bytes);
    if (node == NULL)
        return NULL;
    (void)zc_count(&heap->nodes, 1);
    atomic_init(&node->references, 1);
    node->heap = heap;
    atomic_init(&node->data, spec->data);
    atomic_init(&node->realising, 0);
    atomic_init(&node->rent, 0);
    node->kind = (uint8_t)spec->kind;
    node->op = (uint8_t)spec->op;
    node->dtype = (uint8_t)spec->dtype;
    node->edge_count = spec->edge_count;
    node->is_weak = spec->is_weak;
    node->is_explicit_copy = spec->is_explicit_copy;
    node->is_variable = spec->is_variable;
    node->is_constant = spec->is_constant;
    node->is_foreign = node->is_watched = node->is_replaced = false;
    node->place = node->depth = 0;
    atomic_init(&node->variables, 0);
    node->rank = (uint8_t)spec->rank;
    node->domain_rank = (uint8_t)domain_rank_of(spec);
    node->size = spec->size;
    set_attributes(node, spec);
    place_arrays(node, spec);
    zc_node_set_serial(node); /* operands of other heaps precede it */
    if (node->is_variable)
        zc_variable_place(node);
    zc_invariance_set(node);
    zc_never_negative_set(node);
    set_by_operands(node);
    return node;
}

zc_node *zc_node_retain(zc_node *node)
{
    (void)zc_count(&node->references, 1);
    return node;
}

/* Frees a node that nothing leads to any more. */
static void end(zc_node *node)
{
    node->next_dead = NULL;
    zc_node *dead = node;
    while (dead != NULL) {
        zc_node *current = dead;
        dead = current->next_dead;
        zc_node *origin = current->kind == ZC_NODE_LEAF ? zc_history_end(current) : NULL;
        if (zc_node_data(current) != NULL)
            zc_kept_remove(current);
        zc_buffer *data = zc_node_data(current); /* read now: as long as it was listed, another thread could take it */
        if (current->is_watched)
            zc_pending_remove(current);
        for (int i = origin != NULL ? -1 : 0; i < current->edge_count; i++) {
            zc_node *operand = i < 0 ? origin : current->edges[i].node;
            if (operand != NULL && zc_count(&operand->references, -1) == 1) {
                operand->next_dead = dead;
                dead = operand;
            }
        }
        if (data != NULL)
            zc_buffer_release(data);
        if (current->kind == ZC_NODE_SOURCE && current->sourced->from.release != NULL)
            current->sourced->from.release(current->sourced->from.user);
        (void)zc_count(&current->heap->nodes, -1);
        zc_heap_give(current->heap, current, bytes_of_node(current));
    }
}

bool zc_node_try_retain(zc_node *node)
{
    int64_t references = atomic_load(&node->references);
    bool is_retained = false;
    while (references > 0 && !is_retained)
        is_retained = atomic_compare_exchange_weak(&node->references, &references, references + 1);
    return is_retained;
}

void zc_node_release(zc_node *node)
{
    if (node != NULL && zc_count(&node->references, -1) == 1) /* which zc_node_try_retain() must see */
        end(node);
}

void zc_node_release_handle(zc_node *node)
{
    if (zc_count(&node->references, -(ZC_HANDLE + 1)) == ZC_HANDLE + 1)
        end(node);
}

void zc_node_place(const zc_node *node, zc_view *out)
{
    out->rank = node->domain_rank;
    out->offset = node->scattered->offset;
    if (out->rank > 0) {
        memcpy(out->shape, zc_node_domain_shape(node), array_bytes(out->rank));
        memcpy(out->stride, node->scattered->stride, array_bytes(out->rank));
    }
}

void zc_node_edge_view(const zc_node *node, int i, zc_view *out)
{
    bool is_base = node->kind == ZC_NODE_SCATTER && i == zc_node_base(node);
    out->rank = is_base ? node->rank : node->domain_rank;
    out->offset = node->edges[i].offset;
    zc_copy_list(out->rank, is_base ? node->shape : zc_node_domain_shape(node), out->shape);
    zc_copy_list(out->rank, node->edges[i].stride, out->stride);
    if (node->kind == ZC_NODE_CONCAT)
        out->shape[node->op] = node->start[i + 1] - node->start[i];
}
bool zc_node_updates_part(const zc_node *node)
{
    zc_view edge;
    if (node->kind != ZC_NODE_SCATTER || zc_node_base(node) < 0)
        return false;
    const zc_node *base = node->edges[zc_node_base(node)].node;
    zc_node_edge_view(node, zc_node_base(node), &edge);
    return base->invariant == 0 && base->size == node->size && zc_view_is_identity(&edge, base->size);
}
