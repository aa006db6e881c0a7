/*
 * The one broadcast constructor, under every dialect.
 *
 * Each front end (NumPy, TensorFlow, nGraph, XLA ...) validates by its own rules and words, then builds the
 * same thing here. The dialects differ in what they refuse, not in what they make. The front ends themselves are
 * view operations (view_ops.def): NumPy's and TensorFlow's live in broadcast.c, the others in dialect_*.c.
 */
#ifndef ZC_VIEWS_BROADCAST_H
#define ZC_VIEWS_BROADCAST_H

#include "views/view.h"

/* Axis d of `in` becomes axis dims[d] of a view of `shape`. Stride 0 where a result axis is unmapped, or where in's
 * size is 1 and the result's is not; else in's stride. The caller has checked: dims are distinct and in range, in's
 * size is 1 or equals the result's, the shape went through zc_shape_size. out may be in, shape may not be out's. */
void zc_view_broadcast(const zc_view *in, int rank, const int64_t *shape, const int *dims, zc_view *out);

/* The same with in's axes side by side, the first at axis `first` of the result. */
void zc_view_broadcast_from(const zc_view *in, int first, int rank, const int64_t *shape, zc_view *out);

/* The same aligned at the right, as NumPy and most others have it. */
void zc_view_broadcast_right(const zc_view *in, int rank, const int64_t *shape, zc_view *out);

#endif
