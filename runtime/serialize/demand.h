/*
 * Demands on the nodes below some tensors: a box of each, which holds all elements that its users use.
 * A graph that is written, and every graph that is made of parts of another one, has no more than that.
 *
 * A box is demanded of a node as a whole: what its operands have to have for it follows from it alone (zc_demand_edge).
 * Along the axis of a scan, and along the places of a selection, boxes begin at 0; along the axis of a concat they have
 * no gaps; updates are demanded as a whole.
 */
#ifndef ZC_RUNTIME_SERIALIZE_DEMAND_H
#define ZC_RUNTIME_SERIALIZE_DEMAND_H

#include "runtime/graph/tensor.h"
#include "runtime/graph/walk.h"
#include "views/box.h"

/* A node that is demanded. Its elements are in `data`, or are to be computed; those of a source are its function's, in
 * memory too or not. */
typedef struct zc_demanded {
    const zc_node *node;
    const zc_buffer *data;
    int64_t *box;        /* of one that is computed: first, count and step of each axis; NULL: no element is used */
    int64_t first, last; /* of one with data: the elements that are used; first > last: none are */
    zc_view *part;       /* likewise: what all that uses it shows of it, or NULL: they differ, or nothing does */
    bool is_used;        /* something that is demanded is made of it */
    bool is_rows;        /* of the box */
    bool has_parts;      /* what uses it shows several parts */
    int32_t number;      /* of the caller's */
} zc_demanded;

typedef struct zc_demand {
    zc_arena *arena;
    zc_walk_ends *ends; /* nodes that demand nothing of their operands; NULL: those with data alone */
    const void *user;
    zc_walk walk;
    zc_demanded *nodes; /* [walk.count]: operands before what is made of them */
} zc_demand;

/* Finds what the tensors demand. False when memory is out. */
bool zc_demand_find(zc_demand *demand, int count, const zc_tensor *const *tensors);

/* A node that was found. */
zc_demanded *zc_demand_of(const zc_demand *demand, const zc_node *node);

/* The box of a node that is computed, or one element of one that nothing is used of. */
void zc_demand_box(const zc_demanded *demanded, zc_box *out);

/* Gives what a node of which that box is made shows of operand i, over the operand's storage: along the box, and of
 * what is taken from along the taken axes, too, which stand behind the others. False: nothing, of an operand of a
 * concat that has none of the box. */
bool zc_demand_edge(const zc_node *node, const zc_box *box, int i, zc_view *out);

/* The domain of a node of which that box is made. */
void zc_demand_domain(const zc_node *node, const zc_box *box, zc_box *out);

#endif
