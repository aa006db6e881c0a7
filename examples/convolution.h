/*
 * Convolutions and their gradients, as contractions over windows of a view: no window is ever copied.
 *
 *     x       (pictures, channels, height, width)
 *     w       (filters, channels / groups, window height, window width)
 *     result  (pictures, filters, rows, columns)
 *
 * Along each axis `pad` zeros are put before and after the picture, windows begin `stride` elements apart, and their
 * elements are `dilation` apart. Filters and channels are divided into groups, which do not see each other.
 */
#ifndef ZC_EXAMPLES_CONVOLUTION_H
#define ZC_EXAMPLES_CONVOLUTION_H

#include <zerocast.h>

typedef struct convolution {
    int64_t stride[2], dilation[2], pad[2], groups;
} convolution;

/* (pictures, channels, ...) as (pictures, groups, channels of a group, ...). */
static inline zc_tensor *in_groups(const zc_tensor *x, int axis, int64_t groups)
{
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < zc_rank(x); a++)
        shape[a < axis ? a : a + 1] = zc_shape(x)[a];
    shape[axis] = groups;
    shape[axis + 1] = zc_shape(x)[axis] / groups;
    return zc_reshape(x, zc_rank(x) + 1, shape);
}

/* The last two axes with zeros before and after. */
static inline zc_tensor *with_zeros(const zc_tensor *x, const int64_t *before, const int64_t *after)
{
    int64_t first[ZC_MAX_RANK] = {0}, last[ZC_MAX_RANK] = {0};
    const int rank = zc_rank(x);
    for (int a = 0; a < 2; a++) {
        first[rank - 2 + a] = before[a];
        last[rank - 2 + a] = after[a];
    }
    return zc_pad(x, rank, first, last, ZC_PAD_CONSTANT, NULL);
}

/* (..., height, width) as (..., rows, columns, window height, window width): a view. */
static inline zc_tensor *windows_of(const zc_tensor *x, const int64_t *window, const int64_t *stride,
                                    const int64_t *dilation)
{
    const int rank = zc_rank(x), axes[] = {rank - 2, rank - 1};
    const int64_t reach[] = {(window[0] - 1) * dilation[0] + 1, (window[1] - 1) * dilation[1] + 1};
    zc_tensor *view = zc_sliding_window_view(x, 2, reach, 2, axes);
    for (int a = 0; a < 2; a++) {
        view = zc_slice(view, rank - 2 + a, 0, ZC_NONE, stride[a]);
        view = zc_slice(view, rank + a, 0, ZC_NONE, dilation[a]);
    }
    return view;
}

static inline zc_tensor *convolve(const zc_tensor *x, const zc_tensor *w, const convolution *c)
{
    const zc_tensor *padded = in_groups(with_zeros(x, c->pad, c->pad), 1, c->groups);
    const zc_tensor *windows = windows_of(padded, zc_shape(w) + 2, c->stride, c->dilation);
    const zc_tensor *operands[] = {windows, in_groups(w, 0, c->groups)};
    const zc_tensor *y = zc_einsum(zc_context_of(x), "ngcyxij,gkcij->ngkyx", 2, operands);
    const int64_t *shape = zc_shape(y);
    return zc_reshape(y, ZC_SHAPE(shape[0], shape[1] * shape[2], shape[3], shape[4]));
}

/* The gradient with respect to the filters: the same windows, contracted with the gradient over pictures and places. */
static inline zc_tensor *gradient_of_filters(const zc_tensor *x, const zc_tensor *w, const zc_tensor *delta,
                                             const convolution *c)
{
    const zc_tensor *padded = in_groups(with_zeros(x, c->pad, c->pad), 1, c->groups);
    const zc_tensor *windows = windows_of(padded, zc_shape(w) + 2, c->stride, c->dilation);
    const zc_tensor *operands[] = {windows, in_groups(delta, 1, c->groups)};
    return zc_reshape(zc_einsum(zc_context_of(x), "ngcyxij,ngkyx->gkcij", 2, operands), zc_rank(w), zc_shape(w));
}

/* (..., n) as (..., (n - 1) * stride + 1) with zeros between. */
static inline zc_tensor *spread_out(const zc_tensor *t, int axis, int64_t stride)
{
    int64_t shape[ZC_MAX_RANK], none[ZC_MAX_RANK] = {0}, after[ZC_MAX_RANK] = {0};
    for (int a = 0; a < zc_rank(t); a++)
        shape[a] = zc_shape(t)[a];
    shape[axis] *= stride;
    after[axis + 1] = stride - 1;
    const zc_tensor *apart = zc_pad(zc_expand_dims(t, axis + 1), zc_rank(t) + 1, none, after, ZC_PAD_CONSTANT, NULL);
    return zc_slice(zc_reshape(apart, zc_rank(t), shape), axis, 0, shape[axis] - stride + 1, 1);
}

/* The gradient with respect to the pictures: a convolution of the gradient, zeros between its elements where windows
 * were strided, with the filters turned round. */
static inline zc_tensor *gradient_of_pictures(const zc_tensor *x, const zc_tensor *w, const zc_tensor *delta,
                                              const convolution *c)
{
    const int64_t *window = zc_shape(w) + 2, *shape = zc_shape(x), ones[] = {1, 1};
    const zc_tensor *apart = in_groups(spread_out(spread_out(delta, 2, c->stride[0]), 3, c->stride[1]), 1, c->groups);
    int64_t before[2], after[2];
    for (int a = 0; a < 2; a++) {
        before[a] = (window[a] - 1) * c->dilation[a];
        after[a] = shape[2 + a] + 2 * c->pad[a] - zc_shape(apart)[3 + a]; /* rows that no window began at, too */
    }
    const zc_tensor *windows = windows_of(with_zeros(apart, before, after), window, ones, c->dilation);
    for (int a = 0; a < 2; a++) /* the padding's gradient is nobody's */
        windows = zc_slice(windows, 3 + a, c->pad[a], c->pad[a] + shape[2 + a], 1);
    const zc_tensor *operands[] = {windows, zc_flip(in_groups(w, 0, c->groups), ZC_AXES(3, 4))};
    return zc_reshape(zc_einsum(zc_context_of(x), "ngkyxij,gkcij->ngcyx", 2, operands), zc_rank(x), shape);
}

#endif
