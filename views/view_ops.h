/*
 * View operations: each takes a view and arguments and gives the view of the result, or refuses with a sentence.
 *
 * Pure functions on views that satisfy the invariants of view.h, whose results satisfy them too and reach nothing
 * their argument does not reach. out may be the same object as in. One function here and one row in view_ops.def make
 * an operation: runtime/record/view_api.c turns the row into the public zc_NAME().
 */
#ifndef ZC_VIEWS_VIEW_OPS_H
#define ZC_VIEWS_VIEW_OPS_H

#include "views/view.h"

/* The prototype of a row. */
#define ZC_UNPACK(...)                       __VA_ARGS__
#define ZC_DECLARE_VIEW_OP(name, parameters) ZC_DECLARE_VIEW_OP_(name, ZC_UNPACK parameters)
#define ZC_DECLARE_VIEW_OP_(name, ...)                                                                                 \
    zc_status zc_view_##name(const zc_view *in, __VA_ARGS__, zc_view *out, zc_reason *why);

#define ZC_VIEW_OP(name, label, parameters, arguments) ZC_DECLARE_VIEW_OP(name, parameters)
#define ZC_VIEW_OP_0(name, label)                      zc_status zc_view_##name(const zc_view *in, zc_view *out, zc_reason *why);
#include "views/view_ops.def"
#undef ZC_VIEW_OP
#undef ZC_VIEW_OP_0

/* The elements of `in` in row-major order under another shape (one size may be -1). *affine says whether strides can
 * show it: when false, *out is the row-major view of the new shape over a dense copy of `in`. */
zc_status zc_view_reshape(const zc_view *in, int rank, const int64_t *shape, bool *affine, zc_view *out,
                          zc_reason *why);

/* The bytes of `in` as elements of another size, one of the sizes a multiple of the other (NumPy's ndarray.view): the
 * last axis, whose elements must be consecutive, grows or shrinks by the factor. */
zc_status zc_view_bitcast(const zc_view *in, size_t from_bytes, size_t to_bytes, zc_view *out, zc_reason *why);

#endif
