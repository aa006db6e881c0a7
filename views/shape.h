/*
 * Shapes: checked arithmetic on extents, and the few facts that need nothing but a list of sizes.
 *
 * Invariant: every product or sum of extents, strides and offsets in zerocast goes through the checked helpers here;
 * an element count, and the product of the extents that are not 0, fit in int64.
 */
#ifndef ZC_VIEWS_SHAPE_H
#define ZC_VIEWS_SHAPE_H

#include "views/reason.h"

/* a + b, a - b and a * b; false, *out unspecified, when the result does not fit in int64. */
static inline bool zc_checked_add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool zc_checked_subtract(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

static inline bool zc_checked_multiply(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* from + count * stride: the element `count` steps along an axis. False as above. Where a view's reach covers the
 * step it cannot fail; such calls say (void). */
static inline bool zc_checked_advance(int64_t from, int64_t count, int64_t stride, int64_t *out)
{
    int64_t distance;
    return zc_checked_multiply(count, stride, &distance) && zc_checked_add(from, distance, out);
}

/* Sum of numbers that are not negative, or INT64_MAX. */
static inline int64_t zc_saturating_add(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Product of numbers that are not negative, or INT64_MAX. */
static inline int64_t zc_saturating_multiply(int64_t a, int64_t b)
{
    int64_t product;
    return zc_checked_multiply(a, b, &product) ? product : INT64_MAX;
}

/* Copies a short list: a call of memcpy() would take longer. */
static inline void zc_copy_list(int count, const int64_t *from, int64_t *to)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

/* a / b rounded down and up, for b > 0. */
static inline int64_t zc_divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t zc_divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* The next multiple. */
static inline int64_t zc_round_up(int64_t n, int64_t to)
{
    return zc_divide_up(n, to) * to; /* proven: n is a size in memory */
}

/* The axes of a rank as a bit set. */
static inline uint64_t zc_all_axes(int rank)
{
    return rank == 64 ? UINT64_MAX : (UINT64_C(1) << rank) - 1;
}

static inline int64_t zc_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t zc_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Refuses a rank outside 0..ZC_MAX_RANK and a missing list; the sizes are not looked at. */
zc_status zc_shape_check_rank(int rank, const int64_t *shape, zc_reason *why);

/* Product of the extents. Refuses a rank outside 0..ZC_MAX_RANK, negative extents, and overflow of the product of the
 * extents that are not 0 (so row-major strides always fit, empty tensors included). */
zc_status zc_shape_size(int rank, const int64_t *shape, int64_t *size, zc_reason *why);

/* size * itemsize, refused when it does not fit in int64 (or in size_t). */
zc_status zc_shape_bytes(int64_t size, size_t itemsize, int64_t *bytes, zc_reason *why);

static inline bool zc_shape_equal(int rank_a, const int64_t *a, int rank_b, const int64_t *b)
{
    if (rank_a != rank_b)
        return false;
    for (int axis = 0; axis < rank_a; axis++)
        if (a[axis] != b[axis])
            return false;
    return true;
}

/* Row-major strides; 0 for axes of size 1, and for all axes when an extent is 0. The shape has been through
 * zc_shape_size. */
void zc_shape_row_major(int rank, const int64_t *shape, int64_t *stride);

/* NumPy's rule for two shapes: aligned at the right, equal or one of them 1. out may be a or b. The result has yet to
 * go through zc_shape_size. */
zc_status zc_shape_broadcast(int rank_a, const int64_t *a, int rank_b, const int64_t *b, int *rank_out, int64_t *out,
                             zc_reason *why);

/* Maps axis in -rank..rank-1 to 0..rank-1, or refuses: "axis 3 is out of bounds for rank 2". */
zc_status zc_axis_resolve(int axis, int rank, int *out, zc_reason *why);

/* A list of axes as a bit set; refuses axes out of range and repeated ones. count -1 (ZC_ALL_AXES) is every axis. */
zc_status zc_axes_resolve(int count, const int *axes, int rank, uint64_t *set, zc_reason *why);

/* "(2, 3)", "(3,)", "()" into buffer, cut with "..." where it does not fit; always terminated. Returns buffer. */
char *zc_shape_text(char *buffer, size_t bytes, int rank, const int64_t *shape);

/* The same with a dialect's own brackets and separator: "[2,3]" of "[", ",", "]". */
char *zc_shape_text_styled(char *buffer, size_t bytes, int rank, const int64_t *shape, const char *open,
                           const char *separator, const char *close);

/* Room for the text of any shape up to rank 12 or so; longer ones are cut. */
enum { ZC_SHAPE_TEXT = 160 };

#endif
