/*
 * A node: something with elements, in the graph that recording builds.
 *
 * A node has a shape and is thought of as a dense row-major storage of that shape, whether or not its data exists;
 * every view of it is over that storage. Its operands are edges: another node and a view over it, whose shape is the
 * node's `domain` (the node's own shape; for a reduction, the shape that is reduced).
 *
 * Invariant 1: a node is immutable, except that realising sets `data`, once (realise.h).
 * Invariant 2: a leaf has data from the start; its rank is 1, one axis over its buffer.
 * Invariant 3: references go from consumers to operands only, so the graph has no cycles and counting suffices.
 * Nodes are freed without recursion: dead nodes link the list of those to free next.
 */
#ifndef ZC_RUNTIME_NODE_H
#define ZC_RUNTIME_NODE_H

#include "runtime/buffer.h"
#include "runtime/ops.h"
#include "runtime/scalar.h"
#include "views/view.h"

typedef enum zc_node_kind {
    ZC_NODE_LEAF,     /* data in a buffer */
    ZC_NODE_CONSTANT, /* one element, in the node */
    ZC_NODE_IOTA,     /* element i is i, int64 */
    ZC_NODE_MAP,      /* an operation on the elements of its operands */
    ZC_NODE_REDUCE    /* the first operand, joined over some axes */
} zc_node_kind;

typedef struct zc_node zc_node;

/* An operand. The strides are over the operand's storage, one per axis of the consumer's domain. */
typedef struct zc_edge {
    zc_node *node;
    int64_t offset;
    const int64_t *stride;
} zc_edge;

struct zc_node {
    _Atomic int64_t references;
    zc_heap *heap;
    _Atomic(zc_buffer *) data; /* NULL until realised */
    _Atomic int realising;     /* a thread is at it (realise.c) */
    int block_bytes;           /* of this node with its arrays */
    uint8_t kind;
    uint8_t op; /* zc_op of a map, zc_reduction of a reduce */
    uint8_t dtype;
    bool is_weak; /* a constant that takes the dtype of the tensor it meets */
    int edge_count;
    int rank;
    int domain_rank;
    uint32_t cost;      /* of one element, shared operands counted each time; saturates */
    uint64_t reduced;   /* a reduce: the axes of its domain that disappear, as a bit set */
    int64_t size;       /* elements */
    zc_scalar constant; /* a constant */
    union {
        const int64_t *shape; /* [rank] */
        zc_node *next_dead;   /* of a node without references, while it waits to be freed */
    };
    const int64_t *domain_shape; /* [domain_rank]; the shape itself unless the node is a reduce */
    zc_edge edges[];             /* [edge_count], then the arrays */
};

/* What a new node is; edges and shapes are copied, the operands' references are taken. */
typedef struct zc_node_spec {
    zc_node_kind kind;
    int op;
    zc_dtype dtype;
    int rank;
    const int64_t *shape; /* through zc_shape_size */
    int64_t size;
    uint64_t reduced;
    int edge_count;
    zc_node *const *operands;
    const zc_view *const *views; /* all of the domain's shape */
    zc_buffer *data;             /* a leaf: the node takes this reference when it is made */
    zc_scalar constant;
    bool is_weak;
} zc_node_spec;

/* One reference for the caller; NULL when the allocator fails (nothing is taken then). */
zc_node *zc_node_new(zc_heap *heap, const zc_node_spec *spec);

zc_node *zc_node_retain(zc_node *node);
void zc_node_release(zc_node *node); /* node may be NULL */

/* The buffer of a realised node, or NULL. */
static inline zc_buffer *zc_node_data(const zc_node *node)
{
    return atomic_load_explicit(&((zc_node *)(uintptr_t)node)->data, memory_order_acquire);
}

/* The view of operand i over its node, in the consumer's domain. */
void zc_node_edge_view(const zc_node *node, int i, zc_view *out);

#endif
