/* The nodes that the results need. */
#ifndef ZC_MATERIALIZE_LOWER_NEEDED_H
#define ZC_MATERIALIZE_LOWER_NEEDED_H

#include "materialize/lower/lower.h"

/* Nodes were recorded one by one, and lie where each found room: those that come next are asked for while one is looked
 * at. */
enum { ZC_NODES_AHEAD = 4 };

static inline void zc_fetch_node(const zc_node *node)
{
    const char *block = (const char *)node;
    for (size_t at = 0; at < sizeof *node + 2 * sizeof(zc_edge); at += ZC_DATA_ALIGNMENT)
        __builtin_prefetch(block + at);
}

/* The work of an operand's element for a consumer that is inlined: nothing of a constant, a load of what is in memory
 * or will be, and all of it where it has no other consumer. */
uint32_t zc_cost_of_operand(const zc_needed *operand);

/* Tells a node whose elements outgrow the caches and are several times as many as all that it is made of: they are as
 * well computed again. */
bool zc_is_spread(const zc_needed *needed);

/* Finds them, counts their consumers and estimates their costs. False when memory is out, or the work is to stop. */
bool zc_find_needed(zc_lowering *l);

/* Fewest bytes that an eager runtime holds at once, of the elements that are demanded of each node, from its recording
 * to that of its last consumer. To be asked once. */
int64_t zc_eager_bytes(const zc_lowering *l);

/* Lower bound of zc_eager_bytes() where no nodes are kept for equal ones: the only result and the maps of its shape
 * that it is made of, all of which it demands. 0 where nothing is certain. */
int64_t zc_certain_bytes(const zc_lowering *l);

/* Finds the entry of a node that is needed, or of the one that stands for it. */
zc_needed *zc_needed_of(const zc_lowering *l, const zc_node *node);

/* Returns the node itself, or the one that stands for it. */
static inline zc_needed *zc_needed_resolve(const zc_lowering *l, int32_t at)
{
    zc_needed *needed = &l->needed[at];
    return needed->same < 0 ? needed : &l->needed[needed->same];
}

/* Returns an operand, resolved. */
static inline zc_needed *zc_needed_operand(const zc_lowering *l, const zc_needed *needed, int operand)
{
    return zc_needed_resolve(l, l->operands[needed->operands + operand]);
}

/* Bytes of all elements of the node. */
static inline double zc_needed_bytes(const zc_needed *needed)
{
    return (double)needed->node->size * needed->item_bytes;
}

/* The origin of the slot from which a node with data is read through an edge. */
static inline int64_t zc_origin_of(const zc_needed *read, const zc_needed *consumer, int operand)
{
    return read->is_apart ? consumer->node->edges[operand].offset : 0;
}

#endif
