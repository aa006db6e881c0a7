/*
 * A reduction that is made in parts: what is recorded of it, and how its numbers are divided.
 *
 * Elements of a result are numbered in row-major order of the axes that are walked. A range of numbers is divided into
 * pieces, each the largest power of two of steps that begins at a multiple of itself: what the tree of a reduction
 * (materialize/execute/reducer.h), and that of a contraction's runs, joins by itself. The last steps are joined from
 * the right: they are one piece where no more of them would fit there. What has the same bits in any order is one
 * piece.
 */
#ifndef ZC_RUNTIME_SPLIT_PARTED_H
#define ZC_RUNTIME_SPLIT_PARTED_H

#include "runtime/graph/tensor.h"

enum { ZC_MOST_CASTS = 8 };

typedef struct zc_parted {
    const zc_tensor *r;
    const char *function;
    const zc_node *node; /* the reduction */
    zc_view view;        /* the result over the node, without the conversions that follow it, */
    int cast_count;
    zc_dtype casts[ZC_MOST_CASTS]; /* which are these, the last one first */
    bool is_whole;  /* states have the node's shape, of a selection with fewer places, not the result's */
    zc_view domain; /* the states' axes but places, and behind them those that are walked, over the node's domain in
                       row-major order */
    zc_reduction reduction; /* of a contraction ZC_REDUCTION_SUM, of a selection ARGMAX or ARGMIN */
    uint64_t walked;        /* axes of the node's domain */
    int64_t numbers, step;
    int states; /* tensors of a piece: 2 where positions are wanted */
} zc_parted;

/* Tells a node that is a reduction which is made in parts. */
bool zc_parted_is(const zc_node *node);

/* Reads a reduction, between zc_graph_follow_begin() and zc_graph_follow_end(). Fails for what is none. */
zc_status zc_parted_read(const zc_tensor *r, const char *function, zc_parted *out);

/* The end of the piece that begins at a number, in a range up to `end`. */
int64_t zc_parted_piece_end(const zc_parted *p, int64_t begin, int64_t end);

/* Refuses a range that begins or ends where no piece does. */
zc_status zc_parted_check_range(const zc_parted *p, int64_t begin, int64_t end);

/* The shape of a state of the numbers from begin to end: its rank. */
int zc_parted_shape(const zc_parted *p, int64_t begin, int64_t end, int64_t *shape);

/* The dtype of a piece's first or second tensor. */
zc_dtype zc_parted_dtype(const zc_parted *p, int state);

#endif
