/*
 * A walk over a recorded graph: the nodes that some of them are made of, each once, in the order of recording.
 */
#ifndef ZC_RUNTIME_GRAPH_WALK_H
#define ZC_RUNTIME_GRAPH_WALK_H

#include "runtime/graph/node.h"
#include "runtime/memory/table.h"

typedef struct zc_walk {
    zc_arena *arena;
    const zc_node **nodes; /* [count]: operands come before what is made of them */
    int32_t count, room;
    zc_table numbers; /* of nodes by their addresses, in the order in which they were found */
    int32_t *place;   /* [count]: of each of them, where it is in `nodes` */
} zc_walk;

/* Tells a node whose operands are not looked at. */
typedef bool zc_walk_ends(const void *user, const zc_node *node);

/* The data of a node that somebody asked for, or that has no operands any more; NULL: it is to be computed. */
const zc_buffer *zc_asked_data(const zc_node *node);

/* Walks from some nodes; between zc_graph_follow_begin() and zc_graph_follow_end(), also as long as the nodes are
 * looked at. ends NULL: everywhere. False when memory is out. */
bool zc_walk_all(zc_walk *walk, int count, const zc_node *const *from, zc_walk_ends *ends, const void *user);

/* The place of a node in walk->nodes, or -1. */
int32_t zc_walk_place(const zc_walk *walk, const zc_node *node);

#endif
