/* Steps that put elements into other places. The oracle says for each element of the result where it comes from. */
#include <string.h>

#include "tests/diff/graph.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* A shape with another extent along one axis. */
static void resized(const eager *a, int axis, int64_t extent, int64_t *shape)
{
    memcpy(shape, a->shape, sizeof a->shape);
    shape[axis] = extent;
}

static bool is_small(int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int i = 0; i < rank; i++)
        size *= shape[i];
    return size <= MOST_SIZE;
}

/* The elements of a along an axis at source[0 .. count-1], -1 being 0 (padding). */
static eager pick_along(const eager *a, int axis, const int64_t *source, int64_t count)
{
    int64_t shape[EAGER_RANK], inner = 1;
    resized(a, axis, count, shape);
    eager out = eager_new(a->rank, shape);
    for (int i = axis + 1; i < a->rank; i++)
        inner *= a->shape[i];
    for (int64_t i = 0; i < out.size; i++) {
        int64_t from = source[i / inner % count];
        out.data[i] = from < 0 ? 0 : a->data[(i / inner / count * a->shape[axis] + from) * inner + i % inner];
    }
    return out;
}

/* b behind a; both fit. */
static eager join(const eager *a, const eager *b, int axis)
{
    int64_t shape[EAGER_RANK], before = a->shape[axis], after = b->shape[axis], inner = 1;
    resized(a, axis, before + after, shape);
    eager joined = eager_new(a->rank, shape);
    for (int i = axis + 1; i < a->rank; i++)
        inner *= a->shape[i];
    for (int64_t i = 0; i < joined.size; i++) {
        int64_t at = i / inner % shape[axis], outer = i / inner / shape[axis];
        joined.data[i] = at < before ? a->data[(outer * before + at) * inner + i % inner]
                                     : b->data[(outer * after + at - before) * inner + i % inner];
    }
    return joined;
}

static void add_concat(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank == 0)
        return;
    int axis = pick(a->array.rank), count = (int)zc_random_range(1, 4);
    const zc_tensor *tensors[4];
    eager whole = a->array;
    tensors[0] = a->lazy;
    for (int k = 1; k < count; k++) {
        /* A slice of a, or another item that happens to fit. */
        const item *b = pick_item(g);
        int64_t shape[EAGER_RANK];
        resized(&b->array, axis < b->array.rank ? axis : 0, a->array.shape[axis], shape);
        bool fits =
            b->array.rank == a->array.rank && memcmp(shape, a->array.shape, (size_t)a->array.rank * sizeof *shape) == 0;
        int64_t length = zc_random_range(0, a->array.shape[axis]);
        eager next = fits ? b->array : eager_slice(&a->array, axis, 0, 1, length);
        tensors[k] = fits ? b->lazy : zc_slice(a->lazy, axis, 0, length, 1);
        resized(&whole, axis, whole.shape[axis] + next.shape[axis], shape);
        if (!is_small(whole.rank, shape) || shape[axis] > MOST_SIZE)
            return;
        whole = join(&whole, &next, axis);
    }
    keep(g, zc_concat(g->ctx, count, tensors, axis), whole);
}

static void add_stack(graph *g)
{
    const item *a = pick_item(g);
    int axis = pick(a->array.rank + 1);
    if (a->array.rank >= 6 || a->array.size > MOST_SIZE / 2)
        return;
    zc_tensor *negated = zc_negative(a->lazy);
    const zc_tensor *tensors[] = {a->lazy, negated};
    eager expanded = eager_expand(&a->array, axis), doubled = expanded;
    int64_t source[] = {0, 0};
    doubled = pick_along(&expanded, axis, source, 2);
    int64_t inner = 1;
    for (int i = axis + 1; i < doubled.rank; i++)
        inner *= doubled.shape[i];
    for (int64_t i = 0; i < doubled.size; i++) {
        if (i / inner % 2 == 1)
            doubled.data[i] = (int64_t)(0 - (uint64_t)doubled.data[i]);
    }
    keep(g, zc_stack(g->ctx, 2, tensors, axis), doubled);
}

static void add_roll(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank == 0)
        return;
    int axis = pick(a->array.rank);
    int64_t n = a->array.shape[axis], shift = zc_random_range(-9, 9), source[MOST_SIZE];
    for (int64_t i = 0; i < n; i++)
        source[i] = (((i - shift) % n) + n) % n;
    keep(g, zc_roll(a->lazy, 1, &shift, &axis), n == 0 ? a->array : pick_along(&a->array, axis, source, n));
}

/* Source of element i of an axis of n elements, continued in that way: worked out one step at a time. */
static int64_t padded_from(zc_pad_mode mode, int64_t i, int64_t n)
{
    if (mode == ZC_PAD_CONSTANT)
        return i < 0 || i >= n ? -1 : i;
    if (mode == ZC_PAD_EDGE || (mode == ZC_PAD_REFLECT && n == 1))
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    while (i < 0 || i >= n) {
        if (mode == ZC_PAD_WRAP)
            i += i < 0 ? n : -n;
        else if (mode == ZC_PAD_SYMMETRIC)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else
            i = i < 0 ? -i : 2 * (n - 1) - i;
    }
    return i;
}

static void add_pad(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank == 0 || a->array.size == 0)
        return;
    int axis = pick(a->array.rank);
    zc_pad_mode mode = (zc_pad_mode)pick(5);
    int64_t before[EAGER_RANK] = {0}, after[EAGER_RANK] = {0}, shape[EAGER_RANK], source[MOST_SIZE];
    int64_t n = a->array.shape[axis];
    before[axis] = zc_random_range(0, 7);
    after[axis] = zc_random_range(0, 7);
    int64_t padded = before[axis] + n + after[axis];
    resized(&a->array, axis, padded, shape);
    if (!is_small(a->array.rank, shape))
        return;
    for (int64_t i = 0; i < padded; i++)
        source[i] = padded_from(mode, i - before[axis], n);
    keep(g, zc_pad(a->lazy, a->array.rank, before, after, mode, NULL), pick_along(&a->array, axis, source, padded));
}

static void add_repeated(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank == 0)
        return;
    int axis = pick(a->array.rank);
    bool is_tile = zc_random_bool();
    int64_t n = a->array.shape[axis], count = zc_random_range(0, 4), shape[EAGER_RANK], source[MOST_SIZE];
    int64_t times[EAGER_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    times[axis] = count;
    resized(&a->array, axis, n * count, shape);
    if (!is_small(a->array.rank, shape) || n * count > MOST_SIZE)
        return;
    for (int64_t i = 0; i < n * count; i++)
        source[i] = is_tile ? i % n : i / count;
    eager said = n * count == 0 ? eager_new(a->array.rank, shape) : pick_along(&a->array, axis, source, n * count);
    keep(g, is_tile ? zc_tile(a->lazy, a->array.rank, times) : zc_repeat(a->lazy, count, axis), said);
}

/* Positions that are themselves computed, made to fit into the axis. */
static void add_take(graph *g)
{
    const item *a = pick_item(g), *p = pick_item(g);
    if (a->array.rank == 0 || a->array.rank + p->array.rank - 1 > 6)
        return;
    int axis = pick(a->array.rank), rank = 0;
    int64_t n = a->array.shape[axis], shape[EAGER_RANK], inner = 1;
    for (int i = 0; i < a->array.rank; i++) {
        for (int j = 0; i == axis && j < p->array.rank; j++)
            shape[rank++] = p->array.shape[j];
        if (i != axis)
            shape[rank++] = a->array.shape[i];
        inner *= i > axis ? a->array.shape[i] : 1;
    }
    if (n == 0 || !is_small(rank, shape))
        return;
    zc_tensor *positions = zc_remainder(p->lazy, zc_weak_int(g->ctx, n));
    if (zc_random_bool())
        positions = zc_subtract(positions, zc_weak_int(g->ctx, n)); /* from the end */
    eager out = eager_new(rank, shape);
    for (int64_t i = 0; i < out.size; i++) {
        int64_t position = p->array.data[i / inner % p->array.size], outer = i / inner / p->array.size;
        position = ((position % n) + n) % n;
        out.data[i] = a->array.data[(outer * n + position) * inner + i % inner];
    }
    keep(g, zc_take(a->lazy, positions, axis), out);
}

/* Sorts nothing, but picks along the axis by a tensor of the same shape. */
static void add_take_along(graph *g)
{
    const item *a = pick_item(g), *p = pick_item(g);
    if (a->array.rank == 0 || a->array.size == 0 || a->array.rank != p->array.rank ||
        memcmp(a->array.shape, p->array.shape, (size_t)a->array.rank * sizeof *a->array.shape) != 0)
        return;
    int axis = pick(a->array.rank);
    int64_t n = a->array.shape[axis], inner = 1;
    for (int i = axis + 1; i < a->array.rank; i++)
        inner *= a->array.shape[i];
    eager out = eager_new(a->array.rank, a->array.shape);
    for (int64_t i = 0; i < out.size; i++) {
        int64_t position = ((p->array.data[i] % n) + n) % n;
        out.data[i] = a->array.data[(i / inner / n * n + position) * inner + i % inner];
    }
    keep(g, zc_take_along_axis(a->lazy, zc_remainder(p->lazy, zc_weak_int(g->ctx, n)), axis), out);
}

/* Along the first and the last axis at once, by the same positions; they stand in front of what is between. */
static void add_gather(graph *g)
{
    const item *a = pick_item(g), *p = pick_item(g);
    int rank = p->array.rank, last = a->array.rank - 1;
    int64_t shape[EAGER_RANK], middle = 1;
    if (last < 1 || rank + last - 1 > 6 || a->array.size == 0)
        return;
    memcpy(shape, p->array.shape, sizeof shape);
    for (int i = 1; i < last; i++) {
        shape[rank++] = a->array.shape[i];
        middle *= a->array.shape[i];
    }
    if (!is_small(rank, shape))
        return;
    int64_t rows = a->array.shape[0], columns = a->array.shape[last];
    zc_tensor *row = zc_remainder(p->lazy, zc_weak_int(g->ctx, rows));
    zc_tensor *column = zc_remainder(p->lazy, zc_weak_int(g->ctx, columns));
    const zc_tensor *const both[] = {row, zc_subtract(column, zc_weak_int(g->ctx, columns))};
    eager out = eager_new(rank, shape);
    for (int64_t i = 0; i < out.size; i++) {
        int64_t position = p->array.data[i / middle], r = ((position % rows) + rows) % rows,
                c = ((position % columns) + columns) % columns;
        out.data[i] = a->array.data[(r * middle + i % middle) * columns + c];
    }
    keep(g, zc_gather(a->lazy, 2, (const int[]){0, last}, both), out);
}

static int64_t updated(zc_update_op op, int64_t x, int64_t value)
{
    switch (op) {
    case ZC_UPDATE_SET:
        return value;
    case ZC_UPDATE_ADD:
        return (int64_t)((uint64_t)x + (uint64_t)value);
    case ZC_UPDATE_MULTIPLY:
        return (int64_t)((uint64_t)x * (uint64_t)value);
    case ZC_UPDATE_MIN:
        return x < value ? x : value;
    default:
        return x > value ? x : value;
    }
}

static eager copy_of(const eager *a)
{
    eager copy = eager_new(a->rank, a->shape);
    memcpy(copy.data, a->data, (size_t)a->size * sizeof *copy.data);
    return copy;
}

/* At places that are numbers of another item, each with a value of its own. */
static void add_update(graph *g)
{
    const item *a = pick_item(g), *p = pick_item(g);
    const int64_t n = a->array.size;
    if (n == 0)
        return;
    zc_update_op op = (zc_update_op)pick(ZC_UPDATE_MAX + 1);
    eager out = copy_of(&a->array);
    for (int64_t i = 0; i < p->array.size; i++) {
        int64_t at = ((p->array.data[i] % n) + n) % n;
        out.data[at] = updated(op, out.data[at], (int64_t)((uint64_t)p->array.data[i] + 3));
    }
    zc_tensor *places = zc_remainder(p->lazy, zc_weak_int(g->ctx, n));
    keep(g, zc_update(a->lazy, places, zc_add(p->lazy, zc_weak_int(g->ctx, 3)), op), out);
}

/* At every other element along an axis, seen backwards, all with one value. */
static void add_strided_update(graph *g)
{
    const item *a = pick_item(g);
    if (a->array.rank == 0 || a->array.size == 0)
        return;
    int axis = pick(a->array.rank);
    int64_t n = a->array.shape[axis], first = zc_random_range(0, n - 1), inner = 1;
    zc_update_op op = (zc_update_op)pick(ZC_UPDATE_MAX + 1);
    eager out = copy_of(&a->array);
    for (int i = axis + 1; i < a->array.rank; i++)
        inner *= a->array.shape[i];
    for (int64_t i = 0; i < out.size; i++) {
        int64_t along = i / inner % n;
        if (along <= first && (first - along) % 2 == 0)
            out.data[i] = updated(op, out.data[i], -2);
    }
    zc_tensor *places = zc_slice(zc_places(a->lazy), axis, first, ZC_NONE, -2);
    keep(g, zc_update(a->lazy, places, zc_weak_int(g->ctx, -2), op), out);
}

void add_rearranged(graph *g)
{
    static void (*const kinds[])(graph *) = {add_concat,   add_concat,   add_stack,         add_roll, add_pad,
                                             add_repeated, add_repeated, add_take,          add_take, add_take_along,
                                             add_gather,   add_update,   add_strided_update};
    kinds[pick(sizeof kinds / sizeof *kinds)](g);
}
