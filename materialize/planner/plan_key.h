/*
 * What a plan depends on, as words: requests with equal keys have equal plans, up to the memory that their inputs lie
 * in.
 *
 * The nodes are numbered in the order they are met from the results on; a key has what lowering may ask of each.
 * Constants are part of it, the elements of inputs are not. Graphs of more than ZC_KEY_NODES nodes have no key: plans
 * of theirs are too large to be kept. A plan needs no node once it is made.
 */
#ifndef ZC_MATERIALIZE_PLANNER_PLAN_KEY_H
#define ZC_MATERIALIZE_PLANNER_PLAN_KEY_H

#include "materialize/plan/plan.h"
#include "runtime/memory/table.h"

enum { ZC_KEY_NODES = 1024, ZC_KEY_WORDS = 32 * ZC_KEY_NODES };
enum { ZC_KEY_FEW_NODES = 32, ZC_KEY_FEW_WORDS = 512 }; /* that take no memory of the heap */

typedef struct zc_key_node {
    const zc_node *node;
    const zc_buffer *data; /* that the node had when it was looked at, or NULL */
    int32_t edges;         /* of nodes of the key, to it */
} zc_key_node;

typedef struct zc_plan_key {
    uint64_t hash;
    int32_t word_count, node_count;
    int64_t *words;
    zc_key_node *nodes; /* [node_count] */
    int32_t word_room, node_room;
    zc_arena arena;
    zc_table
        numbers; /* of more than a few: of nodes by their addresses, and of the first with the data at an address */
    zc_key_node few_nodes[ZC_KEY_FEW_NODES];
    int64_t few_words[ZC_KEY_FEW_WORDS];
} zc_plan_key;

/* The key of what is asked for. False when it has none, or memory is out. Cost O(nodes + edges). It is freed either
 * way. */
bool zc_plan_key_make(const zc_plan_request *request, zc_plan_key *key);
void zc_plan_key_free(zc_plan_key *key);

/* The first of the nodes that is at this address, or whose data is; -1 when there is none. */
int32_t zc_plan_key_find(const zc_plan_key *key, const void *address);

#endif
