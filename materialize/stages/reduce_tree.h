/* The tree of execute/reducer.h, one element at a time. */
#ifndef ZC_MATERIALIZE_STAGES_REDUCE_TREE_H
#define ZC_MATERIALIZE_STAGES_REDUCE_TREE_H

#include "materialize/kernels/tables/dispatch.h"

enum { ZC_TREE_DIGITS = 64 };

typedef struct zc_reduce_tree {
    zc_map_kernel *combine;
    zc_scalar padding;
    zc_scalar lanes[ZC_LANES];
    zc_scalar digits[ZC_TREE_DIGITS];
    int64_t leaves;
} zc_reduce_tree;

zc_scalar zc_tree_join(const zc_reduce_tree *t, zc_scalar left, zc_scalar right);

/* Adds a run to the counter: runs of equal length are joined. */
void zc_tree_push(zc_reduce_tree *t, zc_scalar run);

void zc_tree_clear_lanes(zc_reduce_tree *t);

/* Pushes what the lanes hold, and clears them. */
void zc_tree_end_leaf(zc_reduce_tree *t);

/* The result; what the lanes hold belongs to it where a leaf is open. */
zc_scalar zc_tree_end(zc_reduce_tree *t, bool leaf_is_open);

#endif
