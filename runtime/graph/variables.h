/*
 * Gradient variables: which nodes are made of one that somebody can still differentiate by.
 *
 * Each variable of a heap has one of 64 places, and each node the set of the places of the variables that it is made
 * of. A variable that has no handle any more cannot be differentiated by, so what was made of it need not remember how.
 * Where more variables have handles, some share a place and keep each other's history, which costs memory and nothing
 * else. So does what is made of another context's variables, whose handles are not counted here.
 */
#ifndef ZC_RUNTIME_GRAPH_VARIABLES_H
#define ZC_RUNTIME_GRAPH_VARIABLES_H

#include "runtime/graph/history.h"
#include "runtime/graph/node.h"

static inline uint64_t zc_variables_of(const zc_node *node)
{
    return atomic_load_explicit(&((zc_node *)(uintptr_t)node)->variables, memory_order_relaxed);
}

/* Gives a new node that is a variable a place of its own. */
void zc_variable_place(zc_node *node);

/* Adds an operand's variables to a node's. */
void zc_variables_inherit(zc_node *node, const zc_node *operand);

/* Tells whether a node is, or may be, made of a variable. */
bool zc_node_is_made_of(const zc_node *node, const zc_node *variable);

/* The places of variables with a handle among those that a node is made of. */
uint64_t zc_variables_held(const zc_node *node);

/* Tells a node that is made of a variable that has a handle. */
static inline bool zc_node_varies(const zc_node *node)
{
    return zc_variables_of(node) != 0 && zc_variables_held(node) != 0;
}

/* Counts a handle on a node that is a variable. */
static inline void zc_variable_hold(zc_node *node)
{
    if (node->is_variable)
        (void)zc_count(&node->heap->handles[node->place], 1);
}

/* Counts one less; behind the last one, histories that it needed are forgotten. */
static inline void zc_variable_drop(zc_node *node)
{
    if (node->is_variable && zc_count(&node->heap->handles[node->place], -1) == 1)
        zc_history_forget(node->heap);
}

#endif
