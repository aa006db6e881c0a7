/*
 * The one broadcast constructor, under every dialect.
 *
 * Each front end (NumPy, TensorFlow, nGraph, XLA ...) validates by its own rules and words, then builds the
 * same thing here. The dialects differ in what they refuse, not in what they make. The front ends themselves are
 * view operations: NumPy's and TensorFlow's (view_ops.def) live in broadcast.c, the others in dialects/.
 */
#ifndef ZC_VIEWS_BROADCAST_H
#define ZC_VIEWS_BROADCAST_H

#include "views/reason.h"
#include "views/view.h"

/* Axis d of `in` becomes axis dims[d] of a view of `shape`. Stride 0 where a result axis is unmapped, or where in's
 * size is 1 and the result's is not; else in's stride. The caller has checked: dims are distinct and in range, in's
 * size is 1 or equals the result's, the shape went through zc_shape_size. out may be in, shape may not be out's. */
void zc_view_broadcast(const zc_view *in, int rank, const int64_t *shape, const int *dims, zc_view *out);

/* The same with in's axes side by side, the first at axis `first` of the result. */
void zc_view_broadcast_from(const zc_view *in, int first, int rank, const int64_t *shape, zc_view *out);

/* The same aligned at the right, as NumPy and most others have it. */
void zc_view_broadcast_right(const zc_view *in, int rank, const int64_t *shape, zc_view *out);

/* Request to a front end, for its refusals: each names the operand's shape and the target's, as its system writes
 * shapes, in the system's own words or behind them. */
typedef struct zc_asked {
    const zc_view *in;
    int rank;
    const int64_t *shape;                                         /* NULL, or of no such rank: it is not read */
    char *(*write)(char *buffer, int rank, const int64_t *shape); /* into ZC_SHAPE_TEXT bytes; returns buffer */
} zc_asked;

/* Refuses as zc_refuse does, with " (operand shape: (3,), target shape: (2, 3))" behind the sentence. */
__attribute__((format(printf, 4, 5), cold)) zc_status zc_refuse_asked(const zc_asked *asked, zc_reason *why,
                                                                      zc_status status, const char *format, ...);

/* Puts that behind the sentence of a refusal; ZC_OK passes. Returns `status`. */
zc_status zc_name_asked(const zc_asked *asked, zc_reason *why, zc_status status);

/* A shape as nGraph writes it, "{2, 3}", into ZC_SHAPE_TEXT bytes. Returns buffer. */
char *zc_ngraph_text(char *buffer, int rank, const int64_t *shape);

#endif
