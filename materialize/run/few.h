/*
 * Elements of a tensor of few, computed from the graph: for loops that read or write a number or a row a step, whose
 * plan would take longer than its run.
 *
 * What has more than a few operations, or reads elements that are not in memory, is left to a plan. The bits are the
 * same: both call the kernels.
 */
#ifndef ZC_MATERIALIZE_RUN_FEW_H
#define ZC_MATERIALIZE_RUN_FEW_H

#include "runtime/graph/tensor.h"

/* Most elements of a tensor; and those for which there is room on the stack: a short row, or a number. */
enum { ZC_FEW = 4096, ZC_FEW_ON_STACK = 512 };

/* Counts of nodes and reads behind such elements. */
typedef struct zc_few {
    int computed;           /* nodes, each as often as it is read */
    const zc_node *watched; /* node whose reads are counted */
    int reads;              /* each as often as what reads it is computed */
    zc_sources sources;     /* of floats: the buffers that gradients would pass to */
} zc_few;

/* Computes t's elements, row-major, where t has one; of each node that is made for it, that element alone which is
 * read. Also counts reads of the data of `watched`, which may be NULL. False where it is left to a plan, also where
 * somebody has asked that the work stop. To be called in a walk that follows edges. */
bool zc_compute_element(const zc_tensor *t, const zc_node *watched, zc_scalar *element, zc_few *few);

/* The same of t of up to ZC_FEW elements, and of all of each node that is made for them. */
bool zc_compute_few(const zc_tensor *t, const zc_node *watched, void *elements, zc_few *few);

/* A buffer for t's elements; NULL where there is no memory for it, or the limit of the context forbids it. */
zc_buffer *zc_few_buffer(const zc_tensor *t, const zc_few *few);

/* The same, which holds them. */
zc_buffer *zc_store_few(const zc_tensor *t, const void *elements, const zc_few *few);

/* Lets t's node, of which t shows all in order, keep those. False where there is no memory, or the node is being
 * computed. */
bool zc_keep_few(const zc_tensor *t, const void *elements, const zc_few *few);

#endif
