/*
 * The one broadcast constructor, under every dialect.
 *
 * Each front end (NumPy, TensorFlow, later nGraph, XLA ...) validates by its own rules and words, then builds the
 * same thing here. The dialects differ in what they refuse, not in what they make. The front ends themselves are
 * view operations (view_ops.def): broadcast_to and tf_broadcast_to live in broadcast.c.
 */
#ifndef ZC_VIEWS_BROADCAST_H
#define ZC_VIEWS_BROADCAST_H

#include "views/view.h"

/* Axis d of `in` becomes axis dims[d] of a view of `shape`. Stride 0 where a result axis is unmapped, or where in's
 * size is 1 and the result's is not; else in's stride. The caller has checked: dims are distinct and in range, in's
 * size is 1 or equals the result's, the shape went through zc_shape_size. out is not in. */
void zc_view_broadcast(const zc_view *in, int rank, const int64_t *shape, const int *dims, zc_view *out);

#endif
