/*
 * Convolutions as contractions over windows (examples/convolution.h), and their gradients by hand and by zc_vjp,
 * against plain loops: random strides, dilations, paddings, groups and extents. Elements are small whole numbers, so
 * every sum is exact.
 */
#include "examples/convolution.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"

enum { ROUNDS = 60 };

typedef struct problem {
    convolution c;
    int64_t x[4], w[4], y[4]; /* shapes */
    double *in, *filters, *delta;
} problem;

static int64_t size_of(const int64_t *shape)
{
    return shape[0] * shape[1] * shape[2] * shape[3];
}

static double *draw_values(const int64_t *shape)
{
    double *values = malloc((size_t)size_of(shape) * sizeof *values);
    for (int64_t i = 0; i < size_of(shape); i++)
        values[i] = (double)zc_random_range(-9, 9);
    return values;
}

static problem draw_problem(void)
{
    problem p = {.c.groups = zc_random_range(1, 3)};
    p.x[0] = p.y[0] = zc_random_range(1, 3);
    p.w[1] = zc_random_range(1, 4);
    p.x[1] = p.w[1] * p.c.groups;
    p.w[0] = p.y[1] = p.c.groups * zc_random_range(1, 5);
    for (int a = 0; a < 2; a++) {
        p.c.stride[a] = zc_random_range(1, 3);
        p.c.dilation[a] = zc_random_range(1, 3);
        p.c.pad[a] = zc_random_range(0, 4);
        p.w[2 + a] = zc_random_range(1, 4);
        const int64_t reach = (p.w[2 + a] - 1) * p.c.dilation[a] + 1;
        p.x[2 + a] = zc_random_range(reach > 2 * p.c.pad[a] ? reach - 2 * p.c.pad[a] : 1, 14);
        p.y[2 + a] = (p.x[2 + a] + 2 * p.c.pad[a] - reach) / p.c.stride[a] + 1;
    }
    p.in = draw_values(p.x);
    p.filters = draw_values(p.w);
    p.delta = draw_values(p.y);
    return p;
}

/* Element (i, j, k, l) of that shape; NULL outside of it. */
static double *element(double *values, const int64_t *shape, int64_t i, int64_t j, int64_t k, int64_t l)
{
    if (k < 0 || k >= shape[2] || l < 0 || l >= shape[3])
        return NULL;
    return &values[((i * shape[1] + j) * shape[2] + k) * shape[3] + l];
}

/* Adds the products of each picture's, filter's and result's element that meet to the convolution and its gradients. */
static void add_products(const problem *p, double *y, double *of_x, double *of_w)
{
    const int64_t group = p->w[0] / p->c.groups;
    for (int64_t at = 0; at < size_of(p->y) * p->w[1] * p->w[2] * p->w[3]; at++) {
        int64_t rest = at;
        const int64_t j = rest % p->w[3], i = (rest /= p->w[3]) % p->w[2], c = (rest /= p->w[2]) % p->w[1];
        const int64_t l = (rest /= p->w[1]) % p->y[3], r = (rest /= p->y[3]) % p->y[2];
        const int64_t k = (rest /= p->y[2]) % p->y[1], n = rest / p->y[1], channel = k / group * p->w[1] + c;
        const int64_t row = r * p->c.stride[0] + i * p->c.dilation[0] - p->c.pad[0];
        const int64_t column = l * p->c.stride[1] + j * p->c.dilation[1] - p->c.pad[1];
        const double *x = element(p->in, p->x, n, channel, row, column), *w = element(p->filters, p->w, k, c, i, j);
        if (x == NULL)
            continue;
        const double delta = *element(p->delta, p->y, n, k, r, l);
        *element(y, p->y, n, k, r, l) += *x * *w;
        *element(of_x, p->x, n, channel, row, column) += delta * *w;
        *element(of_w, p->w, k, c, i, j) += delta * *x;
    }
}

static void expect_elements(const zc_tensor *t, const int64_t *shape, const double *wanted, const char *what)
{
    zc_tensor *got = NULL;
    cr_assert_eq(zc_materialize(zc_astype(t, ZC_FLOAT64), &got), ZC_OK, "%s: %s", what,
                 t == NULL ? "not recorded" : zc_error_text(zc_context_of(t)));
    expect_shape(got, 4, shape);
    const double *values = zc_data(got);
    for (int64_t i = 0; i < size_of(shape); i++)
        cr_assert_eq(values[i], wanted[i], "%s: element %" PRId64 " is %g, not %g", what, i, values[i], wanted[i]);
    zc_release(got);
}

static void check(bench b, const problem *p)
{
    double *y = calloc((size_t)size_of(p->y), sizeof *y), *of_x = calloc((size_t)size_of(p->x), sizeof *of_x),
           *of_w = calloc((size_t)size_of(p->w), sizeof *of_w);
    const zc_dtype dtype = zc_random_bool() ? ZC_FLOAT32 : ZC_FLOAT64;
    const zc_tensor *x =
        zc_astype(zc_from_data(b.ctx, ZC_FLOAT64, 4, p->x, p->in, (size_t)size_of(p->x) * sizeof *p->in), dtype);
    const zc_tensor *w = zc_astype(
        zc_from_data(b.ctx, ZC_FLOAT64, 4, p->w, p->filters, (size_t)size_of(p->w) * sizeof *p->filters), dtype);
    const zc_tensor *delta =
        zc_astype(zc_from_data(b.ctx, ZC_FLOAT64, 4, p->y, p->delta, (size_t)size_of(p->y) * sizeof *p->delta), dtype);
    const zc_tensor *result = convolve(x, w, &p->c);
    zc_tensor *gradients[2] = {NULL, NULL};
    add_products(p, y, of_x, of_w);
    expect_elements(result, p->y, y, "the convolution");
    expect_elements(gradient_of_pictures(x, w, delta, &p->c), p->x, of_x, "the gradient of the pictures");
    expect_elements(gradient_of_filters(x, w, delta, &p->c), p->w, of_w, "the gradient of the filters");
    cr_assert_eq(zc_vjp(result, delta, 2, (const zc_tensor *const[]){x, w}, gradients), ZC_OK, "%s",
                 zc_error_text(b.ctx));
    expect_elements(gradients[0], p->x, of_x, "zc_vjp of the pictures");
    expect_elements(gradients[1], p->w, of_w, "zc_vjp of the filters");
    free(y);
    free(of_x);
    free(of_w);
}

Test(convolution, and_its_gradients_are_those_of_plain_loops)
{
    zc_random_begin("convolution");
    for (int i = 0; i < zc_test_count(ROUNDS); i++) {
        bench b = begin_with(
            (zc_options){.executor = i % 4 == 3 ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE, .threads = 1 + i % 3});
        problem p = draw_problem();
        check(b, &p);
        free(p.in);
        free(p.filters);
        free(p.delta);
        finish(b);
    }
}

/* Memory of a convolution or a gradient holds the padded input, what is spread out, and the result, but no windows. */
Test(convolution, takes_no_memory_for_windows)
{
    const convolution c = {.stride = {1, 1}, .dilation = {1, 1}, .pad = {1, 1}, .groups = 1};
    const int64_t padded = 2 * 16 * 30 * 30 * 4, whole = 2 * 16 * 28 * 28 * 4, filters = 16 * 16 * 9 * 4;
    bench b = begin_with((zc_options){.memory_limit = whole + filters}); /* without room for panels */
    zc_tensor *x = NULL, *w = NULL;
    cr_assert_eq(zc_materialize(zc_astype(count_to(b, ZC_SHAPE(2, 16, 28, 28)), ZC_FLOAT32), &x), ZC_OK);
    cr_assert_eq(zc_materialize(zc_astype(count_to(b, ZC_SHAPE(16, 16, 3, 3)), ZC_FLOAT32), &w), ZC_OK);
    cr_expect_leq(cost_of(convolve(x, w, &c)).peak_bytes, padded + whole);
    cr_expect_leq(cost_of(gradient_of_filters(x, w, x, &c)).peak_bytes, padded + filters);
    cr_expect_leq(cost_of(gradient_of_pictures(x, w, x, &c)).peak_bytes, padded + whole);
    finish(b);
}
