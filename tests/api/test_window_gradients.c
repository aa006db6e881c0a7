/*
 * Gradients of contractions over windows, by the law that defines them: a convolution is linear in each operand, so
 * what its gradient with respect to one makes with any v is what the convolution of v makes with the gradient. Of
 * integers all sums are exact. And that nothing of the size of all windows is held.
 */
#include "tests/api/values.h"
#include "tests/support/random.h"

enum { ROUNDS = 150 };

/* A convolution of (batch, channels, height, width): windows of so many elements, so far apart, of every step-th one,
 * read backwards or not. */
typedef struct convolution {
    int64_t batch, in, out, size[2], window[2], dilation[2], stride[2];
    bool is_flipped[2];
} convolution;

static convolution draw_convolution(void)
{
    convolution c = {.batch = zc_random_range(1, 2), .in = zc_random_range(1, 3), .out = zc_random_range(1, 3)};
    for (int i = 0; i < 2; i++) {
        c.window[i] = zc_random_range(1, 4);
        c.dilation[i] = zc_random_range(1, 3);
        c.stride[i] = zc_random_range(0, 2) == 0 ? 2 : 1;
        c.is_flipped[i] = zc_random_range(0, 3) == 0;
        c.size[i] = (c.window[i] - 1) * c.dilation[i] + zc_random_range(1, 12);
    }
    return c;
}

static zc_tensor *integers(bench b, int rank, const int64_t *shape)
{
    double values[4096];
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    cr_assert_leq(size, 4096);
    for (int64_t i = 0; i < size; i++)
        values[i] = (double)zc_random_range(-9, 9);
    return zc_from_data(b.ctx, ZC_FLOAT64, rank, shape, values, (size_t)size * sizeof *values);
}

static zc_tensor *convolve(const convolution *c, const zc_tensor *x, const zc_tensor *w)
{
    zc_tensor *seen = zc_sliding_window_view(
        x, ZC_SHAPE((c->window[0] - 1) * c->dilation[0] + 1, (c->window[1] - 1) * c->dilation[1] + 1), ZC_AXES(2, 3));
    for (int i = 0; i < 2; i++) {
        seen = zc_slice(zc_slice(seen, 4 + i, ZC_NONE, ZC_NONE, c->dilation[i]), 2 + i, ZC_NONE, ZC_NONE, c->stride[i]);
        seen = c->is_flipped[i] ? zc_flip(seen, ZC_AXES(4 + i)) : seen;
    }
    return zc_einsum(zc_context_of(x), "nchwij,ocij->nohw", TENSORS(seen, w));
}

static zc_tensor *dot(const zc_tensor *a, const zc_tensor *b)
{
    return zc_sum(zc_multiply(a, b), ZC_ALL_AXES, false);
}

static void expect_equal(const zc_tensor *a, const zc_tensor *b, const convolution *c, const char *what)
{
    cr_assert(value_at(zc_all(zc_equal(a, b), ZC_ALL_AXES, false), 0) == 1,
              "%s: (%ld, %ld, %ld, %ld), windows (%ld, %ld), %ld and %ld apart", what, (long)c->batch, (long)c->in,
              (long)c->size[0], (long)c->size[1], (long)c->window[0], (long)c->window[1], (long)c->dilation[0],
              (long)c->dilation[1]);
}

static void check(bench b, const convolution *c)
{
    const int64_t x_shape[] = {c->batch, c->in, c->size[0], c->size[1]};
    const int64_t w_shape[] = {c->out, c->in, c->window[0], c->window[1]};
    zc_tensor *x = integers(b, 4, x_shape), *v = integers(b, 4, x_shape), *w = integers(b, 4, w_shape);
    zc_tensor *y = convolve(c, x, w), *g = integers(b, 4, zc_shape(y));
    zc_tensor *loss = dot(y, g), *moved = convolve(c, v, w), *by_x = zc_grad(loss, x);
    zc_tensor *product = dot(by_x, v);
    expect_equal(product, dot(g, moved), c, "by the images");
    zc_tensor *other = integers(b, 4, w_shape);
    expect_equal(dot(zc_grad(loss, w), other), dot(g, convolve(c, x, other)), c, "by the filters");
    expect_equal(zc_grad(product, g), moved, c, "of the gradient, by that of the results");
    expect_equal(zc_grad(product, w), zc_grad(dot(g, moved), w), c, "of the gradient, by the filters");
}

Test(window_gradients, keep_the_law_of_linear_functions)
{
    zc_random_begin("window_gradients");
    for (int i = 0; i < zc_test_count(ROUNDS); i++) {
        bench b = begin();
        const convolution c = draw_convolution();
        check(b, &c);
        finish(b);
    }
}

/* The padded gradient and the result are held, and none of the windows, of which there are nine times as many. */
Test(window_gradients, hold_no_windows)
{
    bench b = begin();
    const convolution c = {.window = {3, 3}, .dilation = {1, 1}, .stride = {1, 1}};
    zc_tensor *x = zc_astype(count_to(b, 4, (const int64_t[]){2, 8, 34, 34}), ZC_FLOAT32);
    zc_tensor *w = zc_astype(count_to(b, 4, (const int64_t[]){8, 8, 3, 3}), ZC_FLOAT32);
    zc_tensor *g = zc_astype(count_to(b, 4, (const int64_t[]){2, 8, 32, 32}), ZC_FLOAT32);
    zc_tensor *gradient = zc_grad(dot(convolve(&c, x, w), g), x);
    const int64_t images = 2 * 8 * 36 * 36 * (int64_t)sizeof(float);
    cr_assert_leq(cost_of(gradient).peak_bytes, 2 * images);
    finish(b);
}

/* One row of a matrix is no window of it, nor are windows that lie side by side: these have a gradient of one value
 * each. Nor are windows that are much longer than there are of them turned around. */
Test(window_gradients, of_what_does_not_overlap_are_as_before)
{
    bench b = begin();
    zc_tensor *x = OF(b.ctx, ZC_FLOAT64, 1, 2, 3, 4, 5, 6), *w = OF(b.ctx, ZC_FLOAT64, 1, 10, 100);
    zc_tensor *side_by_side = zc_einsum(b.ctx, "ij,j->i", TENSORS(zc_reshape(x, ZC_SHAPE(2, 3)), w));
    EXPECT(zc_grad(zc_sum(side_by_side, ZC_ALL_AXES, false), x), 1, 10, 100, 1, 10, 100);
    zc_tensor *columns = zc_einsum(b.ctx, "ji,j->i", TENSORS(zc_reshape(x, ZC_SHAPE(3, 2)), w));
    EXPECT(zc_grad(zc_sum(columns, ZC_ALL_AXES, false), x), 1, 1, 10, 10, 100, 100);
    zc_tensor *windows = zc_sliding_window_view(x, ZC_SHAPE(5), ZC_AXES(0));
    zc_tensor *taps = OF(b.ctx, ZC_FLOAT64, 1, 2, 3, 4, 5);
    EXPECT(zc_grad(zc_sum(zc_einsum(b.ctx, "ij,j->i", TENSORS(windows, taps)), ZC_ALL_AXES, false), x), 1, 3, 5, 7, 9,
           5);
    zc_tensor *own = zc_reshape(OF(b.ctx, ZC_FLOAT64, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), ZC_SHAPE(4, 3));
    windows = zc_sliding_window_view(x, ZC_SHAPE(3), ZC_AXES(0));
    zc_tensor *sums = zc_einsum(b.ctx, "ij,ij->i", TENSORS(windows, own));
    EXPECT(zc_grad(zc_sum(sums, ZC_ALL_AXES, false), x), 1, 6, 15, 24, 20, 12);
    finish(b);
}
