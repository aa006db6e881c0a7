/*
 * The naive twin of the views room: view operations as maps from a result's index to the argument's, and views as plain
 * arrays of storage indices. It knows nothing of strides, so it can judge them.
 *
 * Invariant: arithmetic here is 128 bits wide, so nothing overflows whatever int64 arguments come in.
 */
#ifndef ZC_TESTS_VIEWS_ORACLE_H
#define ZC_TESTS_VIEWS_ORACLE_H

#include "tests/support/wide.h"
#include "tests/views/dialects.h"

/* A view operation with its arguments, as data. */
typedef enum call_kind {
    CALL_BROADCAST_TO,
    CALL_TF_BROADCAST_TO,
    CALL_PERMUTE_DIMS,
    CALL_MATRIX_TRANSPOSE,
    CALL_SWAPAXES,
    CALL_MOVEAXIS,
    CALL_SLICE,
    CALL_INDEX,
    CALL_EXPAND_DIMS,
    CALL_SQUEEZE,
    CALL_FLIP,
    CALL_ROT90,
    CALL_DIAGONAL,
    CALL_SLIDING_WINDOW_VIEW,
    CALL_DIALECT,
    CALL_AS_STRIDED,
    CALL_RESHAPE,
    CALL_KINDS
} call_kind;

typedef struct view_call {
    call_kind kind;
    dialect dialect; /* of a CALL_DIALECT: a broadcast to `shape` by `axes` */
    int count;       /* the rank of `shape`, or the number of `axes` */
    int listed;      /* the number of `axes` beside a shape */
    int64_t shape[ZC_MAX_RANK];
    int64_t stride[ZC_MAX_RANK];
    int axes[ZC_MAX_RANK + 1]; /* single axes stand first; two: axis1 and axis2, source and destination */
    int64_t start;             /* also: the index, the offset */
    int64_t stop;
    int64_t step;
} view_call;

/* A call applied to a shape: the result's shape, and how to get back. */
typedef struct index_map {
    const view_call *made_by;
    int rank_in;
    int rank;
    int64_t shape_in[ZC_MAX_RANK];
    int64_t shape[ZC_MAX_RANK];
    int order[ZC_MAX_RANK]; /* axis a of the result is this axis of the argument: -1 for none */
    int64_t first;          /* of a slice: its start */
} index_map;

/* False when the call has to be refused. The reach of as_strided is not looked at. */
bool oracle_map(const view_call *c, int rank, const int64_t *shape, index_map *out);

/* The argument's index that the result shows at `at`. Not for as_strided. */
void oracle_pull(const index_map *s, const int64_t *at, int64_t *from);

/* Position `k` in row-major order as an index, and back. */
void oracle_unravel(int64_t k, int rank, const int64_t *shape, int64_t *at);
wide oracle_ravel(int rank, const int64_t *shape, const int64_t *at);

/* The index that follows in row-major order; zeros after the last. */
void oracle_next(int rank, const int64_t *shape, int64_t *at);

/* Product of the extents. */
wide oracle_size(int rank, const int64_t *shape);

/* Address of the element at an index: the offset and a sum of strides. */
wide oracle_address(int rank, const int64_t *stride, wide offset, const int64_t *at);

/* The storage index of every element, in row-major order. */
typedef struct oracle {
    int rank;
    int64_t shape[ZC_MAX_RANK];
    int64_t count;
    int64_t *element;
} oracle;

void oracle_strided(oracle *o, int rank, const int64_t *shape, const int64_t *stride, int64_t offset);
void oracle_free(oracle *o);

/* False when the call has to be refused; o is unchanged then. */
bool oracle_apply(oracle *o, const view_call *c);

/* Every element of `outer`, an index into inner's row-major order, becomes the element of inner there. */
void oracle_compose(const oracle *inner, oracle *outer);

/* Tells whether some strides and offset give these elements. */
bool oracle_is_affine(const oracle *o);

/* Tells whether the view shows these elements in this order, and is canonical. */
bool oracle_agrees(const oracle *o, const zc_view *view);

#endif
