/*
 * The law of adjoints: for a linear function f, sum(delta * f(x)) is sum(vjp(f, x, delta) * x). Random linear graphs of
 * views, sums and rearrangings over two leaves must keep it, to the bit: the elements are small integers in float64.
 */
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { GRAPHS = 1500, MOST_ITEMS = 16, MOST_SIZE = 3000, MOST_RANK = 5 };

typedef struct graph {
    zc_context *ctx;
    zc_tensor *items[MOST_ITEMS];
    int count;
} graph;

static int pick(int count)
{
    return (int)zc_random_range(0, count - 1);
}

static zc_tensor *pick_item(const graph *g)
{
    return g->items[pick(g->count)];
}

static void keep(graph *g, zc_tensor *t)
{
    cr_assert_not_null(t, "%s", zc_error_text(g->ctx));
    if (g->count < MOST_ITEMS && zc_size(t) <= MOST_SIZE && zc_rank(t) <= MOST_RANK)
        g->items[g->count++] = t;
}

/* Integers, so that no sum is rounded. */
static zc_tensor *integers(zc_context *ctx, int rank, const int64_t *shape)
{
    double values[MOST_SIZE];
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    for (int64_t i = 0; i < size; i++)
        values[i] = (double)zc_random_range(-3, 3);
    return zc_from_data(ctx, ZC_FLOAT64, rank, shape, values, (size_t)size * sizeof *values);
}

static zc_tensor *leaf(zc_context *ctx)
{
    int64_t shape[3];
    int rank = pick(4);
    for (int a = 0; a < rank; a++)
        shape[a] = zc_random_range(1, 5);
    return integers(ctx, rank, shape);
}

/* ---- Linear steps ---- */

static zc_tensor *turn(graph *g, zc_tensor *t)
{
    int rank = zc_rank(t), axes[MOST_RANK];
    (void)g;
    for (int i = 0; i < rank; i++) {
        int j = pick(i + 1);
        axes[i] = axes[j];
        axes[j] = i;
    }
    return zc_random_bool() ? zc_permute_dims(t, rank, axes) : zc_flip(t, ZC_ALL_AXES);
}

static zc_tensor *repeat(graph *g, zc_tensor *t)
{
    int64_t shape[MOST_RANK + 1];
    int rank = zc_rank(t), axis = rank == 0 ? 0 : pick(rank);
    (void)g;
    if (rank > 0 && zc_random_bool())
        return zc_repeat(t, zc_random_range(0, 3), axis);
    shape[0] = zc_random_range(1, 3);
    for (int a = 0; a < rank; a++)
        shape[a + 1] = zc_shape(t)[a] == 1 ? zc_random_range(1, 3) : zc_shape(t)[a];
    return zc_broadcast_to(t, rank + 1, shape);
}

static zc_tensor *cut(graph *g, zc_tensor *t)
{
    int axis = pick(zc_rank(t));
    int64_t n = zc_shape(t)[axis], first = zc_random_range(0, n);
    (void)g;
    if (zc_rank(t) > 1 && pick(4) == 0)
        return zc_diagonal(t, zc_random_range(-1, 1), 0, 1);
    if (n > 1 && pick(3) == 0)
        return zc_sliding_window_view(t, 1, (const int64_t[]){zc_random_range(1, n)}, 1, &axis);
    return zc_slice(t, axis, first, zc_random_range(first, n), zc_random_range(1, 3));
}

static zc_tensor *join(graph *g, zc_tensor *t)
{
    int axis = pick(zc_rank(t));
    zc_tensor *part = zc_slice(t, axis, 1, ZC_NONE, 2);
    const zc_tensor *parts[] = {t, part, zc_negative(t)};
    return zc_concat(g->ctx, 3, parts, axis);
}

static zc_tensor *pad(graph *g, zc_tensor *t)
{
    int64_t before[MOST_RANK], after[MOST_RANK];
    (void)g;
    for (int a = 0; a < zc_rank(t); a++) {
        before[a] = zc_random_range(0, 2);
        after[a] = zc_random_range(0, 2);
    }
    return zc_size(t) == 0 ? t : zc_pad(t, zc_rank(t), before, after, (zc_pad_mode)pick(5), NULL);
}

static zc_tensor *reduce(graph *g, zc_tensor *t)
{
    int axis = pick(zc_rank(t));
    (void)g;
    return pick(3) == 0 ? zc_cumulative_sum(t, axis, zc_random_bool()) : zc_sum(t, 1, &axis, zc_random_bool());
}

/* Positions with repetitions. */
static zc_tensor *take(graph *g, zc_tensor *t)
{
    int axis = pick(zc_rank(t));
    int64_t n = zc_shape(t)[axis];
    if (n == 0)
        return t;
    zc_tensor *positions = zc_remainder(zc_multiply(zc_iota(g->ctx, zc_random_range(1, 6)), zc_weak_int(g->ctx, 7)),
                                        zc_weak_int(g->ctx, n));
    return zc_take(t, positions, axis);
}

static zc_tensor *flatten(graph *g, zc_tensor *t)
{
    (void)g;
    return zc_random_bool() ? zc_reshape(t, ZC_SHAPE(zc_size(t))) : zc_expand_dims(t, pick(zc_rank(t) + 1));
}

static zc_tensor *scale(graph *g, zc_tensor *t)
{
    zc_tensor *weights = zc_astype(zc_reshape(zc_iota(g->ctx, zc_size(t)), zc_rank(t), zc_shape(t)), ZC_FLOAT64);
    return zc_add(zc_multiply(t, zc_remainder(weights, zc_weak_int(g->ctx, 3))), t);
}

static void grow(graph *g)
{
    static zc_tensor *(*const any[])(graph *, zc_tensor *) = {turn, repeat, flatten, scale};
    static zc_tensor *(*const ranked[])(graph *, zc_tensor *) = {turn,   repeat, cut,  cut,     join, pad,
                                                                 reduce, take,   take, flatten, scale};
    int steps = (int)zc_random_range(1, 12);
    for (int i = 0; i < steps; i++) {
        zc_tensor *t = pick_item(g);
        keep(g, zc_rank(t) == 0 ? any[pick(4)](g, t) : ranked[pick(11)](g, t));
    }
}

/* ---- The law ---- */

static double product(zc_context *ctx, const zc_tensor *a, const zc_tensor *b)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_sum(zc_multiply(a, b), ZC_ALL_AXES, false), &out), ZC_OK, "%s", zc_error_text(ctx));
    return *(const double *)zc_data(out);
}

static void check_graph(zc_options options)
{
    graph g = {.ctx = zc_context_new(&options)};
    zc_scope *scope = zc_scope_begin(g.ctx);
    const zc_tensor *x[] = {leaf(g.ctx), leaf(g.ctx)};
    keep(&g, (zc_tensor *)(uintptr_t)x[0]);
    keep(&g, (zc_tensor *)(uintptr_t)x[1]);
    grow(&g);
    zc_tensor *y = g.items[g.count - 1], *gradients[2];
    zc_tensor *delta = integers(g.ctx, zc_rank(y), zc_shape(y));
    cr_assert_eq(zc_vjp(y, delta, 2, x, gradients), ZC_OK, "%s", zc_error_text(g.ctx));
    double forward = product(g.ctx, y, delta);
    double back = product(g.ctx, gradients[0], x[0]) + product(g.ctx, gradients[1], x[1]);
    cr_assert_eq(forward, back, "%.17g forward, %.17g back", forward, back);
    zc_scope_end(scope);
    cr_assert_eq(zc_memory_usage(g.ctx).held_bytes, 0, "data memory is left");
    zc_context_free(g.ctx);
}

Test(adjoints, linear_graphs_keep_the_law)
{
    zc_random_begin("adjoints");
    for (int i = 0; i < zc_test_count(GRAPHS); i++)
        check_graph((zc_options){.threads = 1 + i % 2, .executor = i % 3 == 0});
}
