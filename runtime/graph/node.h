/*
 * A node: something with elements, in the graph that recording builds.
 *
 * A node has a shape and is thought of as a dense row-major storage of that shape, whether or not its data exists;
 * every view of it is over that storage. Its operands are edges: another node and a view over it, whose shape is the
 * node's `domain` (the node's own shape; of a reduction what is reduced, of a scatter the values). Of a concat the
 * operands' shapes are slabs of the domain, one after the other along an axis.
 *
 * Invariant 1: a node is immutable, except that realising sets `data`, once (realise.h), and that a node with data may
 * give up its operands (keep.h): its edges lead to no node then. One that a single handle leads to, and nothing else,
 * may become another node with other elements in the same data (zc_assign): with a new serial, and nothing known of
 * them.
 * Invariant 2: a leaf has data from the start; its rank is 1, one axis over its buffer.
 * Invariant 3: references go from consumers to operands only, so the graph has no cycles and counting suffices.
 * Nodes are freed without recursion: dead nodes link the list of those to free next.
 * Invariant 4: the serial of a node is larger than those of its operands, and of two nodes that one thread records in
 * one context the later one's is larger. The same calls of one thread give the same serials, those of every new context
 * begin anew. What is computed from a node has a larger serial, too, also where it forgets its operands. A leaf of a
 * copy that stands for an element read of another node (materialize/assign.c) has a serial just below that node's.
 */
#ifndef ZC_RUNTIME_GRAPH_NODE_H
#define ZC_RUNTIME_GRAPH_NODE_H

#include "runtime/dtypes/scalar.h"
#include "runtime/memory/buffer.h"
#include "runtime/ops/ops.h"
#include "views/view.h"

typedef enum zc_node_kind {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign) ZC_NODE_##NAME,
#define ZC_COMPUTED_NODE                                                 ZC_GIVEN_NODE
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    ZC_NODE_KINDS
} zc_node_kind;

typedef struct zc_node zc_node;
typedef struct zc_history zc_history;

/* An operand. The strides are over the operand's storage, one per axis of the consumer's domain. */
typedef struct zc_edge {
    zc_node *node;
    int64_t offset;
    const int64_t *stride;
} zc_edge;

/* Public function that records positions, named in errors about them. */
typedef enum zc_take_kind { ZC_TAKE, ZC_TAKE_ALONG_AXIS, ZC_TAKE_SORTED, ZC_GATHER, ZC_UPDATED } zc_take_kind;

/* Axis that a take moves along. Edge 0 shows, for every element of the result, element 0 of the taken axes; edge i + 1
 * its position along axis i of them, int64 and unchecked: -extent .. extent-1 is meant. */
typedef struct zc_taken_axis {
    int64_t extent;
    int64_t stride; /* over the first operand's storage */
    int64_t axis;   /* the caller's number of it; -1: all elements in a row */
} zc_taken_axis;

/* Attributes of a scatter: offset and strides place element (0, 0 ...) of its domain, and the others, over the node
 * itself. The base's edge is over the node's own shape. */
typedef struct zc_scattered {
    int32_t named; /* zc_take_kind: function that recorded the positions */
    int32_t moved_count;
    int64_t has_base;
    int64_t offset;
    const zc_taken_axis *moved; /* [moved_count]: axes moved along by operands 1, 2 ... */
    const int64_t *stride;      /* [domain_rank] */
    bool is_assigned;           /* took the place of its base (zc_assign), which changes no element */
} zc_scattered;

/* The functions that read a source, with a chunk, which is never NULL. */
typedef struct zc_sourced {
    zc_source from;
    uint64_t address; /* of this: no two sources that exist have the same */
} zc_sourced;

struct zc_node {
    _Atomic int64_t references; /* of edges and handles; and in units of ZC_HANDLE those of handles once more */
    zc_heap *heap;
    uint64_t serial;           /* the order of recording */
    _Atomic(zc_buffer *) data; /* NULL until realised */
    uint8_t kind;
    uint8_t op; /* zc_op of a map, zc_scan of a scan, zc_update_op of a scatter, zc_reduction of a reduce, zc_take_kind
                   of a take, the axis of a concat; of a select ZC_REDUCTION_MAX or MIN, by what it begins with, or
                   their ARGMAX and ARGMIN */
    uint8_t dtype;
    bool is_weak : 1;           /* a constant that takes the dtype of the tensor it meets */
    bool is_explicit_copy : 1;  /* a copy that was asked for: its elements are in memory before they are read */
    bool is_variable : 1;       /* to differentiate by (variables.h) */
    bool is_constant : 1;       /* gradients end here (zc_stop_gradient) */
    bool is_foreign : 1;        /* made of variables of another context (variables.h) */
    bool is_never_negative : 1; /* no element is below zero (never_negative.h) */
    bool is_watched : 1;        /* it may be all that holds the data of operands (pending.h) */
    bool is_replaced : 1;       /* an update of it was assigned in its place (keep.h) */
    uint8_t place;              /* of a variable */
    uint8_t rank, domain_rank;
    _Atomic uint8_t realising; /* the process whose thread is at it (realise.c), or 0; under the graph's lock */
    int edge_count;
    _Atomic uint16_t rent;      /* work that runs spent on it, in parts of that of storing all of it (keep.h) */
    uint8_t pending;            /* of a watched one: its entry in the list (pending.c) */
    uint8_t depth;              /* nodes above each other that it was recorded on and that had no data, or 255 */
    _Atomic uint64_t variables; /* the places of the variables it is made of, as a bit set (variables.h) */
    int64_t size;               /* elements */
    uint64_t invariant;         /* its axes along which no element changes, as a bit set (invariance.h) */
    union {
        zc_scalar constant;         /* a constant */
        zc_history *history;        /* of a leaf of computed elements, or NULL (history.h) */
        const int64_t *start;       /* [edge_count + 1], of a concat: where each operand begins along the axis */
        const zc_taken_axis *taken; /* [edge_count - 1], of a take */
        const zc_scattered *scattered;
        const zc_sourced *sourced;
        struct {
            uint64_t reduced; /* of a reduce, a select and a contract: the axes of its domain that disappear, as a bit
                                 set; of a scan its axis */
            uint64_t by_rule; /* of a reduce and a contract: those of them that are invariant, which are reduced without
                                 a walk */
        };
    };
    union {
        const int64_t *shape; /* [rank] */
        zc_node *next_dead;   /* of a node without references, while it waits to be freed */
    };
    zc_edge edges[]; /* [edge_count], then the arrays */
};

/* Tells nodes whose domain is not their shape. */
static inline bool zc_node_has_domain(zc_node_kind kind)
{
    return kind == ZC_NODE_REDUCE || kind == ZC_NODE_SELECT || kind == ZC_NODE_CONTRACT || kind == ZC_NODE_SCATTER;
}

/* [domain_rank]: the shape itself unless the node has a domain, which follows it. */
static inline const int64_t *zc_node_domain_shape(const zc_node *node)
{
    return zc_node_has_domain((zc_node_kind)node->kind) ? node->shape + node->rank : node->shape;
}

/* The edge that shows a node as that view, whose strides it borrows. */
static inline zc_edge zc_edge_of(zc_node *node, const zc_view *view)
{
    return (zc_edge){node, view->offset, view->stride};
}

/* Operand i of a new node, and the view that its edge shows. */
typedef void zc_edge_source(const void *user, int i, zc_node **node, zc_view *view);

/* Description of a new node; edges and shapes are copied, the operands' references are taken. */
typedef struct zc_node_spec {
    zc_node_kind kind;
    int op;
    zc_dtype dtype;
    int rank;
    const int64_t *shape; /* through zc_shape_size */
    int64_t size;
    uint64_t reduced;
    int edge_count;
    const zc_edge *edges;   /* [edge_count], over the domain; unused for a concat */
    zc_edge_source *source; /* function that supplies the edges of a concat, which may have any number of them */
    const void *user;
    const zc_view *domain; /* of kinds that have one, any view of its shape; for others the domain is the shape */
    zc_buffer *data;       /* a leaf: the node takes this reference when it is made */
    zc_scalar constant;
    const zc_source *from;      /* of a source; copied */
    const zc_taken_axis *taken; /* [taken_count]: a take's, or a scatter's; copied */
    int taken_count;
    zc_take_kind named;   /* of a scatter */
    const zc_view *place; /* of a scatter: places of its domain's elements */
    bool has_base;        /* of a scatter: the last edge is the base, over the shape */
    bool is_assigned;     /* of a scatter: it takes the place of its base (zc_assign) */
    bool is_weak, is_explicit_copy;
    bool is_variable, is_constant; /* of gradients */
} zc_node_spec;

/* One reference for the caller; NULL when the allocator fails (nothing is taken then). */
zc_node *zc_node_new(zc_heap *heap, const zc_node_spec *spec);

/* The unit of handles in a node's counter, and how many a node may have. */
#define ZC_HANDLE       (INT64_C(1) << 36)
#define ZC_MOST_HANDLES (INT64_C(1) << 26)

/* Edges and handles that lead to a node, and handles alone, at the moment. */
static inline int64_t zc_node_references(const zc_node *node)
{
    return atomic_load_explicit(&((zc_node *)(uintptr_t)node)->references, memory_order_relaxed) % ZC_HANDLE;
}

static inline int64_t zc_node_handles(const zc_node *node)
{
    return atomic_load_explicit(&((zc_node *)(uintptr_t)node)->references, memory_order_relaxed) / ZC_HANDLE;
}

zc_node *zc_node_retain(zc_node *node);
void zc_node_release(zc_node *node); /* node may be NULL */

/* Retains a node that another thread may be about to free; false where it is. Its memory is there meanwhile. */
bool zc_node_try_retain(zc_node *node);

/* Ends a handle, with the reference that it is. */
void zc_node_release_handle(zc_node *node);

/* The buffer of a realised node, or NULL. */
static inline zc_buffer *zc_node_data(const zc_node *node)
{
    return atomic_load_explicit(&((zc_node *)(uintptr_t)node)->data, memory_order_acquire);
}

/* Tells whether the node's elements exist before anything is computed, whatever its data. */
static inline bool zc_node_is_given(const zc_node *node)
{
    switch (node->kind) {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign) case ZC_NODE_##NAME:
#define ZC_COMPUTED_NODE(NAME, name, attributes, invariant, gradient, sign)
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
        return true;
    default:
        return false;
    }
}

/* Tells a node of floats or complex numbers at which gradients do not end. */
static inline bool zc_node_has_gradients(const zc_node *node)
{
    return zc_dtype_describe((zc_dtype)node->dtype)->kind >= ZC_KIND_FLOAT && !node->is_constant;
}

/* The edge of a scatter's base, or -1. */
static inline int zc_node_base(const zc_node *node)
{
    return node->scattered->has_base != 0 ? node->edge_count - 1 : -1;
}

/* Axes of operand i's view: the domain's; of a scatter's base the node's own. */
static inline int zc_node_edge_rank(const zc_node *node, int i)
{
    return node->kind == ZC_NODE_SCATTER && i == zc_node_base(node) ? node->rank : node->domain_rank;
}

/* Serials below that of a leaf or an update that no node gets: those of copies of elements that were read of it. */
enum { ZC_LENT_SERIALS = 16 };

static inline bool zc_node_has_lent_serials(const zc_node *node)
{
    return node->kind == ZC_NODE_LEAF || node->kind == ZC_NODE_SCATTER;
}

/* Gives a node the next serial of its heap. */
void zc_node_set_serial(zc_node *node);

/* Nodes that a heap makes from now on have larger serials than `node`, which may be of another heap. */
void zc_node_precede(const zc_node *node, zc_heap *heap);

/* Places of a scatter's elements, as a view of its domain over the node. */
void zc_node_place(const zc_node *node, zc_view *out);

/* The view of operand i over its node, in the consumer's domain. */
void zc_node_edge_view(const zc_node *node, int i, zc_view *out);

/* Tells an update of some elements of a base that it shows as it is. */
bool zc_node_updates_part(const zc_node *node);

#endif
