/*
 * Invariant axes: axes along which no element of a node changes, because its recording says so.
 *
 * A reduction over invariant axes goes by rule instead of walking them, which rounds differently. So that the bits of a
 * result depend on the recorded expression alone, invariance is decided when a node is recorded, from its operands'
 * invariant axes and its edges. Planning neither widens nor narrows it, and it stays when the node gets data.
 *
 *     kind             invariant are
 *     map, take        the axes that are invariant in every operand
 *     concat           the same, without the axis of the concat
 *     scan             the operand's, without the axis of the scan
 *     reduce, contract those of all operands that are kept
 *     leaf, constant, index range, scatter    none
 *
 * An axis of one element or none is never invariant: there is nothing along it.
 */
#ifndef ZC_RUNTIME_GRAPH_INVARIANCE_H
#define ZC_RUNTIME_GRAPH_INVARIANCE_H

#include "runtime/graph/node.h"

/* The axes of a view of the node along which its elements do not change, as a bit set. */
uint64_t zc_invariant_axes(const zc_node *node, const zc_view *view);

/* The same elements as *view shows of the node, with stride 0 along those axes. out may be view. */
void zc_invariant_view(const zc_node *node, const zc_view *view, zc_view *out);

/* The same with stride 0 along axes of which one element is enough. Equal elements of a node that is made of a variable
 * have gradients of their own, unless the view itself repeats one. out may be view. */
void zc_distinct_view(const zc_node *node, const zc_view *view, zc_view *out);

/* Sets the invariant axes of a node that is complete otherwise; of a reduction those that it reduces by rule, too. */
void zc_invariance_set(zc_node *node);

#endif
