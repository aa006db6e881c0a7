/*
 * Recording: from public calls to nodes. Checks, promotes, broadcasts, and makes a node; computes nothing.
 */
#ifndef ZC_RUNTIME_RECORD_RECORD_H
#define ZC_RUNTIME_RECORD_RECORD_H

#include "runtime/graph/tensor.h"

/* op applied to operands of one context: dtypes brought together, shapes broadcast. NULL operands give NULL. */
zc_tensor *zc_record_map(zc_op op, const zc_tensor *const *operands, int count);

/* The dtype in which operands of one context, none of them NULL, meet. Fails for `function` when a weak integer does
 * not fit, or when the contexts differ. */
zc_status zc_record_promote(const char *function, const zc_tensor *const *operands, int count, zc_dtype *dtype);

/* Refuses a number that is no dtype; true: it did. */
bool zc_record_refuse_dtype(zc_context *ctx, zc_dtype dtype, const char *function);

/* Fails for `function` when operands are of different contexts. */
zc_status zc_record_check_contexts(const char *function, const zc_tensor *const *operands, int count);

/* The dtype in which operands meet, whether they fit in it or not. */
zc_dtype zc_record_meeting(const zc_tensor *const *operands, int count);

/* Tells whether the dtype, if it is one of integers, has an element for t, if that is a weak integer. */
bool zc_record_fits(const zc_tensor *t, zc_dtype dtype);

/* Returns t for operations that go by value: a weak integer that does not fit in the dtype of `other` is one of its own
 * dtype. A new reference; NULL when that fails. */
zc_tensor *zc_record_by_value(const zc_tensor *t, const zc_tensor *other);

/* A map of one operand, the elements that a view of t's node shows. The caller keeps *edge and *seen until the node is
 * made. */
zc_node_spec zc_record_unary(const zc_tensor *t, const zc_view *seen, zc_op op, zc_dtype dtype, zc_edge *edge);

/* A node that repeats t in row-major order; NULL when the allocator fails. */
zc_node *zc_record_copy(const zc_tensor *t);

/* The same, where gradients end (zc_stop_gradient). */
zc_node *zc_record_held(const zc_tensor *t);

/* t converted, as a new reference to a node over which *view shows it; *view is t's own shape. A constant is
 * converted at once. NULL when the allocator fails. */
zc_node *zc_record_cast(const zc_tensor *t, zc_dtype dtype, zc_view *view);

/* The same with t's bits kept, for a dtype of the same size. A bool is 0 or 1, and any other byte counts as true. */
zc_node *zc_record_bitcast(const zc_tensor *t, zc_dtype dtype, zc_view *view);

/* op applied to operands that are of the right dtype already. */
zc_tensor *zc_record_converted(zc_op op, zc_dtype meeting, const zc_tensor *const *operands);

/* A new node of rank 0 that holds one element; NULL when the allocator fails. */
zc_node *zc_record_constant(zc_heap *heap, zc_dtype dtype, zc_scalar value, bool is_weak);

#endif
