#include "tests/diff/graph.h"

#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"

int pick(int count)
{
    return (int)zc_random_range(0, count - 1);
}

const item *pick_item(const graph *g)
{
    return &g->items[pick(g->count)];
}

void keep(graph *g, zc_tensor *lazy, eager array)
{
    if (lazy == NULL && g->may_fail) {
        cr_assert_eq(zc_error_status(g->ctx), ZC_ERROR_MEMORY, "%s", zc_error_text(g->ctx));
        return;
    }
    cr_assert_not_null(lazy, "%s", zc_error_text(g->ctx));
    cr_assert_eq(zc_size(lazy), array.size);
    if (g->count < MOST_ITEMS)
        g->items[g->count++] = (item){lazy, array};
}

void expect_elements(const graph *g, const zc_tensor *t, const eager *array, const char *how)
{
    const int64_t *data = zc_data(t);
    cr_assert_not_null(data, "%s: nothing computed", how);
    cr_assert_eq(zc_rank(t), array->rank);
    for (int64_t i = 0; i < array->size; i++) {
        int64_t at = 0, rest = i;
        for (int a = array->rank - 1; a >= 0; a--) {
            at += rest % array->shape[a] * zc_strides(t)[a];
            rest /= array->shape[a];
        }
        cr_assert_eq(data[at], array->data[i], "%s: element %ld is %ld, not %ld (%s)", how, (long)i, (long)data[at],
                     (long)array->data[i], zc_error_text(g->ctx));
    }
}

/* ---- Leaves ---- */

static void add_leaf(graph *g)
{
    int rank = pick(5);
    int64_t shape[EAGER_RANK];
    for (int i = 0; i < rank; i++)
        shape[i] = zc_random_range(0, 30) == 0 ? 0 : zc_random_range(1, 6);
    if (rank > 0 && zc_random_range(0, 9) == 0)
        shape[rank - 1] = zc_random_range(1, 2500 / (rank * rank * rank));
    eager a = eager_new(rank, shape);
    for (int64_t i = 0; i < a.size; i++)
        a.data[i] = zc_random_range(-4, 4);
    keep(g, zc_from_data(g->ctx, ZC_INT64, rank, shape, a.data, (size_t)a.size * sizeof(int64_t)), a);
}

static void add_iota(graph *g)
{
    int64_t n = zc_random_range(1, 40);
    eager a = eager_new(1, &n);
    for (int64_t i = 0; i < n; i++)
        a.data[i] = i;
    keep(g, zc_iota(g->ctx, n), a);
}

static void add_constant(graph *g)
{
    int64_t value = zc_random_range(-3, 3);
    eager a = eager_new(0, NULL);
    a.data[0] = value;
    keep(g, zc_constant(g->ctx, ZC_INT64, &value), a);
}

/* ---- Elementwise ---- */

static int64_t add(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static int64_t subtract(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x - (uint64_t)y);
}

static int64_t multiply(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

static int64_t smaller(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t divide(int64_t x, int64_t y)
{
    if (y == 0)
        return 0;
    if (y == -1)
        return (int64_t)(0 - (uint64_t)x);
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static int64_t is_less(int64_t x, int64_t y)
{
    return x < y;
}

static int64_t is_true(int64_t x, int64_t y)
{
    return x != 0 || y != 0;
}

typedef struct binary {
    zc_tensor *(*lazy)(const zc_tensor *, const zc_tensor *);
    int64_t (*eager)(int64_t, int64_t);
} binary;

/* Tells whether two items meet in a shape of a size that the oracle has time for. */
static bool meets_small(const item *a, const item *b)
{
    int rank;
    int64_t shape[EAGER_RANK], size = 1;
    if (!eager_meet(&a->array, &b->array, &rank, shape))
        return false;
    for (int i = 0; i < rank; i++)
        size *= shape[i];
    return size <= MOST_SIZE;
}

static void add_binary(graph *g)
{
    static const binary rows[] = {{zc_add, add},         {zc_subtract, subtract}, {zc_multiply, multiply},
                                  {zc_minimum, smaller}, {zc_maximum, larger},    {zc_floor_divide, divide}};
    const binary *row = &rows[pick(sizeof rows / sizeof *rows)];
    const item *a = pick_item(g), *b = pick_item(g);
    if (meets_small(a, b))
        keep(g, row->lazy(a->lazy, b->lazy), eager_map2(row->eager, &a->array, &b->array));
}

static void add_where(graph *g)
{
    const item *a = pick_item(g), *b = pick_item(g);
    if (!meets_small(a, b))
        return;
    eager condition = eager_map2(is_less, &a->array, &b->array);
    keep(g, zc_where(zc_less(a->lazy, b->lazy), b->lazy, a->lazy), eager_where(&condition, &b->array, &a->array));
}

/* ---- Views ---- */

static void add_broadcast(graph *g)
{
    const item *a = pick_item(g);
    int64_t shape[EAGER_RANK], size = 1;
    int extra = pick(2), rank = a->array.rank + extra;
    if (rank > 6)
        return;
    for (int i = 0; i < rank; i++) {
        int64_t own = i < extra ? 1 : a->array.shape[i - extra];
        shape[i] = own == 1 ? zc_random_range(1, 6) : own;
        size *= shape[i];
    }
    if (size <= MOST_SIZE)
        keep(g, zc_broadcast_to(a->lazy, rank, shape), eager_broadcast(&a->array, rank, shape));
}

static void add_permute(graph *g)
{
    const item *a = pick_item(g);
    int axes[EAGER_RANK];
    for (int i = 0; i < a->array.rank; i++) {
        int j = pick(i + 1);
        axes[i] = axes[j];
        axes[j] = i;
    }
    keep(g, zc_permute_dims(a->lazy, a->array.rank, axes), eager_permute(&a->array, axes));
}

static void add_slice(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank == 0)
        return;
    int axis = pick(a->array.rank);
    int64_t n = a->array.shape[axis];
    if (n == 0)
        return;
    int64_t step = zc_random_range(1, 3), first = zc_random_range(0, n - 1);
    if (zc_random_bool())
        step = -step;
    int64_t most = step > 0 ? (n - 1 - first) / step + 1 : first / -step + 1;
    int64_t count = zc_random_range(1, most), stop = first + count * step;
    int64_t bound = stop < 0 ? ZC_NONE : stop;
    keep(g, zc_slice(a->lazy, axis, first, bound, step), eager_slice(&a->array, axis, first, step, count));
}

static void add_index_or_axis(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank > 0 && zc_random_bool()) {
        int axis = pick(a->array.rank);
        if (a->array.shape[axis] == 0)
            return;
        int64_t index = zc_random_range(0, a->array.shape[axis] - 1);
        keep(g, zc_index(a->lazy, axis, index), eager_index(&a->array, axis, index));
    } else if (a->array.rank < 6) {
        int axis = pick(a->array.rank + 1);
        keep(g, zc_expand_dims(a->lazy, axis), eager_expand(&a->array, axis));
    }
}

/* Merges two neighbours, or splits an axis: the steps that may have no strides. */
static void add_reshape(graph *g)
{
    const item *a = pick_item(g);
    int64_t shape[EAGER_RANK];
    int rank = a->array.rank;
    memcpy(shape, a->array.shape, sizeof shape);
    if (rank >= 2 && zc_random_bool()) {
        int at = pick(rank - 1);
        shape[at] *= shape[at + 1];
        memmove(&shape[at + 1], &shape[at + 2], (size_t)(rank - at - 2) * sizeof *shape);
        rank--;
    } else if (rank >= 1 && rank < 6) {
        int at = pick(rank);
        int64_t factor = zc_random_range(1, 3);
        if (shape[at] % factor != 0)
            return;
        memmove(&shape[at + 1], &shape[at], (size_t)(rank - at) * sizeof *shape);
        shape[at] /= factor;
        shape[at + 1] = factor;
        rank++;
    }
    keep(g, zc_reshape(a->lazy, rank, shape), eager_reshape(&a->array, rank, shape));
}

/* ---- Reductions ---- */

static int axes_of(uint64_t set, int *axes)
{
    int count = 0;
    for (int i = 0; i < EAGER_RANK; i++) {
        if ((set >> i & 1) != 0)
            axes[count++] = i;
    }
    return count;
}

static void add_reduction(graph *g)
{
    const item *a = pick_item(g);
    uint64_t set = zc_random_u64() & ((UINT64_C(1) << a->array.rank) - 1);
    int axes[EAGER_RANK], count = axes_of(set, axes), which = pick(6);
    bool empty = a->array.size == 0;
    if (which == 0)
        keep(g, zc_sum(a->lazy, count, axes, false), eager_reduce(&a->array, set, 0, add));
    else if (which == 1)
        keep(g, zc_prod(a->lazy, count, axes, false), eager_reduce(&a->array, set, 1, multiply));
    else if (which == 2)
        keep(g, zc_astype(zc_any(a->lazy, count, axes, false), ZC_INT64), eager_reduce(&a->array, set, 0, is_true));
    else if (empty)
        return; /* the rest refuse empty axes, which test_reductions.c has */
    else if (which == 3)
        keep(g, zc_max(a->lazy, count, axes, false), eager_reduce(&a->array, set, INT64_MIN, larger));
    else
        keep(g, which == 4 ? zc_argmin(a->lazy, count, axes, false) : zc_argmax(a->lazy, count, axes, false),
             eager_extreme(&a->array, set, which == 5));
}

static void add_scan(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank == 0)
        return;
    int axis = pick(a->array.rank);
    bool is_sum = zc_random_bool();
    int64_t n = a->array.shape[axis], inner = 1;
    for (int i = axis + 1; i < a->array.rank; i++)
        inner *= a->array.shape[i];
    eager scanned = eager_new(a->array.rank, a->array.shape);
    for (int64_t i = 0; i < scanned.size; i++) {
        bool is_first = i / inner % n == 0;
        int64_t x = a->array.data[i], before = is_first ? 0 : scanned.data[i - inner];
        scanned.data[i] = is_first ? x : is_sum ? add(before, x) : multiply(before, x);
    }
    keep(g, is_sum ? zc_cumulative_sum(a->lazy, axis, false) : zc_cumulative_prod(a->lazy, axis, false), scanned);
}

void grow(graph *g, int steps)
{
    static void (*const kinds[])(graph *) = {
        add_binary, add_binary,   add_binary,        add_where,      add_broadcast, add_permute,
        add_slice,  add_slice,    add_index_or_axis, add_reshape,    add_reduction, add_reduction,
        add_iota,   add_constant, add_rearranged,    add_rearranged, add_scan};
    for (int i = 0; i < 3; i++)
        add_leaf(g);
    for (int i = 0; i < steps; i++)
        kinds[pick(sizeof kinds / sizeof *kinds)](g);
}
