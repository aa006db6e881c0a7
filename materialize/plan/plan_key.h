/*
 * What a plan depends on, as words: requests with equal keys have equal plans, up to the memory that their inputs lie
 * in.
 *
 * The nodes are numbered in the order they are met from the results on; a key has what lowering may ask of each.
 * Constants are part of it, the elements of inputs are not. Only small graphs have keys: those for which planning takes
 * longer than running. A plan needs no node once it is made.
 */
#ifndef ZC_MATERIALIZE_PLAN_PLAN_KEY_H
#define ZC_MATERIALIZE_PLAN_PLAN_KEY_H

#include "materialize/plan/plan.h"

enum { ZC_KEY_NODES = 32, ZC_KEY_WORDS = 512 };

typedef struct zc_plan_key {
    uint64_t hash;
    int word_count, node_count;
    const zc_node *nodes[ZC_KEY_NODES];
    const zc_buffer *data[ZC_KEY_NODES]; /* of each node that had data when it was looked at, else NULL */
    int64_t words[ZC_KEY_WORDS];
} zc_plan_key;

/* The key of what is asked for. False when it has none. */
bool zc_plan_key_make(const zc_plan_request *request, zc_plan_key *key);

#endif
