/*
 * The element of a tensor of one, computed from the graph: for loops that read a number a step, whose plan would take
 * longer than its run.
 *
 * What has more than a few operations, or reads elements that are not in memory, is left to a plan. The bits are the
 * same: both call the kernels.
 */
#ifndef ZC_MATERIALIZE_RUN_ELEMENT_H
#define ZC_MATERIALIZE_RUN_ELEMENT_H

#include "runtime/graph/tensor.h"

typedef struct zc_element {
    zc_scalar value;
    int computed;           /* nodes, each as often as it is read */
    const zc_node *watched; /* whose reads are counted, */
    int reads;              /* each as often as what reads it is computed */
    zc_sources sources;     /* of floats: the buffers that gradients would pass to */
} zc_element;

/* Also counts reads of the data of `watched`, which may be NULL. False where it is left to a plan, also where somebody
 * has asked that the work stop. To be called in a walk that follows edges. */
bool zc_compute_element(const zc_tensor *t, const zc_node *watched, zc_element *element);

/* A buffer that holds t's element; NULL where there is no memory for it, or the limit of the context forbids it. */
zc_buffer *zc_store_element(const zc_tensor *t, const zc_element *element);

/* Lets t's node of one element keep that. False where there is no memory, or the node is being computed. */
bool zc_keep_element(const zc_tensor *t, const zc_element *element);

#endif
