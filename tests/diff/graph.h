/*
 * A random lazy graph, and beside it what the eager oracle has for each of its tensors.
 *
 * A graph grows step by step from a few leaves; every step is taken by the library, which records it, and by the
 * oracle, which computes it. All elements are int64, so equality is exact; the integers wrap in both.
 */
#ifndef ZC_TESTS_DIFF_GRAPH_H
#define ZC_TESTS_DIFF_GRAPH_H

#include "tests/diff/eager.h"
#include "zerocast.h"

enum { MOST_ITEMS = 24, MOST_SIZE = 4000 };

typedef struct item {
    zc_tensor *lazy;
    eager array;
} item;

typedef struct graph {
    zc_context *ctx;
    zc_scope *scope;
    item items[MOST_ITEMS];
    int count;
    bool may_fail; /* allocations do: a step that made nothing is left out */
} graph;

/* A random number below count, and a random item. */
int pick(int count);
const item *pick_item(const graph *g);

/* Keeps a step's results. The library must have made it. */
void keep(graph *g, zc_tensor *lazy, eager array);

/* Expects `t` to have the elements that the oracle has in `array`; `how` says what was done. */
void expect_elements(const graph *g, const zc_tensor *t, const eager *array, const char *how);

/* Leaves, then so many random steps. */
void grow(graph *g, int steps);

/* One step of those that rearrange elements: concat and what is like it. */
void add_rearranged(graph *g);

#endif
