/*
 * Attention and its gradients: products with computed scores from both sides of one matrix. Bits are those of the
 * stages run one after the other, and neither side holds the scores, nor blocks of 256 rows of them where those are
 * large.
 */
#include "tests/materialize/grouped.h"
#include "tests/support/random.h"

/* Few rows for blocks of a given length; pairs of MANY take more than caches have; scores of MOST are 6.4 GB. */
enum { FEW = 90, MANY = 3000, MOST = 40000 };

typedef struct attention {
    zc_tensor *queries, *keys, *values, *mean;
} attention;

static zc_tensor *by_softmax(const zc_tensor *scores, const zc_tensor *values)
{
    return zc_matmul(zc_softmax(scores, 1), values);
}

static zc_tensor *by_sum(const zc_tensor *scores, const zc_tensor *values)
{
    return zc_softmax_sum(scores, values, 1);
}

static attention attend(zc_context *ctx, int64_t count, int64_t width,
                        zc_tensor *(*weigh)(const zc_tensor *, const zc_tensor *))
{
    attention a = {.queries = zc_variable(points_of(ctx, count, width, 0)),
                   .keys = zc_variable(points_of(ctx, count + 5, width, 3)),
                   .values = zc_variable(points_of(ctx, count + 5, width, 11))};
    const zc_tensor *scores = zc_matmul(a.queries, zc_matrix_transpose(a.keys));
    a.mean = weigh(zc_divide(scores, zc_weak_float(ctx, 4)), a.values);
    return a;
}

/* A number of which all gradients differ. */
static zc_tensor *loss_of(const attention *a)
{
    return zc_sum(zc_multiply(a->mean, zc_square(a->queries)), ZC_ALL_AXES, false);
}

static zc_tensor *mean(zc_context *ctx, int64_t count, int64_t width)
{
    return attend(ctx, count, width, by_sum).mean;
}

static zc_tensor *by_keys(zc_context *ctx, int64_t count, int64_t width)
{
    const attention a = attend(ctx, count, width, by_softmax);
    return zc_grad(loss_of(&a), a.keys);
}

static zc_tensor *by_keys_of_sum(zc_context *ctx, int64_t count, int64_t width)
{
    const attention a = attend(ctx, count, width, by_sum);
    return zc_grad(loss_of(&a), a.keys);
}

static zc_tensor *all_of(const attention *a)
{
    zc_tensor *gradient[3];
    zc_tensor *const of[] = {a->queries, a->keys, a->values};
    zc_context *ctx = zc_context_of(a->mean);
    cr_assert_eq(zc_vjp(loss_of(a), NULL, 3, (const zc_tensor *const *)of, gradient), ZC_OK, "%s", zc_error_text(ctx));
    return zc_concat(ctx, 3, (const zc_tensor *const *)gradient, 0);
}

static zc_tensor *by_all(zc_context *ctx, int64_t count, int64_t width)
{
    const attention a = attend(ctx, count, width, by_softmax);
    return all_of(&a);
}

static zc_tensor *by_all_of_sum(zc_context *ctx, int64_t count, int64_t width)
{
    const attention a = attend(ctx, count, width, by_sum);
    return all_of(&a);
}

/* Derivatives of a derivative, of a kernel whose rows are normalized. */
static zc_tensor *second(zc_context *ctx, int64_t count, int64_t width)
{
    const zc_tensor *x = points_of(ctx, count, width, 0), *y = zc_variable(points_of(ctx, count, width, 3));
    const zc_tensor *values = zc_variable(points_of(ctx, count, 1, 11));
    const zc_tensor *kernel = zc_exp(zc_matmul(x, zc_matrix_transpose(y)));
    const zc_tensor *means = zc_matmul(zc_divide(kernel, zc_sum(kernel, ZC_AXES(1), true)), values);
    const zc_tensor *first = zc_grad(zc_sum(means, ZC_ALL_AXES, false), values);
    return zc_grad(zc_sum(zc_square(first), ZC_ALL_AXES, false), y);
}

static const struct {
    const char *name;
    program_of_points *make;
} programs[] = {{"mean", mean},
                {"by keys", by_keys},
                {"by keys, of a sum", by_keys_of_sum},
                {"by all", by_all},
                {"by all, of a sum", by_all_of_sum}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

Test(attention, has_the_bits_of_its_stages)
{
    for (int i = 0; i < PROGRAMS; i++)
        expect_same_in_all_blocks(programs[i].name, programs[i].make, FEW, MANY);
}

/* Beside the results, a few rows of scores: of 16 rows at least, where a product reads them. */
Test(attention, no_scores_are_in_memory)
{
    enum { ROWS = 16, TEMPORARIES = 8 };
    static const int64_t widths[] = {16, 64};
    for (int i = 0; i < PROGRAMS; i++) {
        for (int w = 0; w < 2; w++) {
            zc_cost cost;
            zc_context *ctx = context_of(BY_BYTES, 1);
            zc_scope *scope = zc_scope_begin(ctx);
            const zc_tensor *t = programs[i].make(ctx, MOST, widths[w]);
            cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(ctx));
            const int64_t row = MOST * (int64_t)sizeof(float), result = zc_size(t) * (int64_t)sizeof(float);
            cr_expect_leq(cost.peak_bytes, 2 * result + TEMPORARIES * ROWS * row, "%s of %" PRId64 ": %" PRId64,
                          programs[i].name, widths[w], cost.peak_bytes);
            zc_scope_end(scope);
            zc_context_free(ctx);
        }
    }
}

static void expect_enough(const char *name, program_of_points *make, int64_t limit)
{
    enum { WIDTH = 16 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = limit}),
               *alone = context_of(NO_GROUPS, 1);
    zc_scope *outer = zc_scope_begin(alone), *scope = zc_scope_begin(ctx);
    expect_same_bytes(compute(alone, make(alone, MANY, WIDTH)), compute(ctx, make(ctx, MANY, WIDTH)), name, limit);
    zc_scope_end(scope);
    zc_scope_end(outer);
    zc_context_free(ctx);
    zc_context_free(alone);
}

/* Scores are made once more for the other side where blocks of 256 rows do not fit. */
/* A kernel normalized by columns, beside another one that a stage far behind reads, too. */
static zc_tensor *beside_what_stays(zc_context *ctx)
{
    enum { ROWS = 6000, COLUMNS = 5000, WIDTH = 300, STEPS = 200 };
    const zc_tensor *x = points_of(ctx, ROWS, WIDTH, 0), *y = points_of(ctx, COLUMNS, WIDTH, 3);
    const zc_tensor *kernel = zc_exp(zc_negative(distances_of(x, y)));
    const zc_tensor *other = distances_of(zc_cos(x), y);
    const zc_tensor *shares = zc_divide(kernel, zc_sum(kernel, ZC_AXES(0), true));
    const zc_tensor *sums = zc_sum(zc_multiply(shares, other), ZC_AXES(0), false);
    const zc_tensor *last = zc_sum(sums, ZC_ALL_AXES, false), *count = zc_astype(zc_iota(ctx, 50), ZC_FLOAT32);
    for (int step = 0; step < STEPS; step++)
        last = zc_sum(zc_sin(zc_multiply(last, count)), ZC_ALL_AXES, false);
    return zc_add(sums, zc_max(zc_add(other, last), ZC_AXES(0), false));
}

Test(attention, what_is_read_far_behind_is_not_turned)
{
    enum { MATRIX = 6000 * 5000 * sizeof(float) };
    zc_cost cost;
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    cr_assert_eq(zc_cost_of(beside_what_stays(ctx), &cost), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_leq(cost.peak_bytes, MATRIX + (16 << 20), "%" PRId64, cost.peak_bytes);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(attention, short_memory_is_enough)
{
    for (int i = 0; i < PROGRAMS; i += zc_test_long_stride())
        expect_enough(programs[i].name, programs[i].make, 6 << 20);
    expect_enough("second derivatives", second, 8 << 20);
}
