#include "tools/language/subscript.h"

#include <stdlib.h>

#include "tools/language/literal.h"

/* ---- Slices ---- */

typedef struct bounds {
    int64_t start, stop, step;
} bounds;

/* A bound as zc_slice() takes it; the lowest int64 is its sign for a missing one. */
static bool read_bound(zc_object value, int64_t missing, int64_t *bound, zc_fault *fault)
{
    if (value.kind == ZC_OBJECT_NONE) {
        *bound = missing;
        return true;
    }
    if (!zc_object_as_integer(value, bound))
        return zc_fault_refuse(fault, "slice: a bound is an integer or None, not %s", zc_object_describe(value));
    if (*bound == ZC_NONE)
        *bound = ZC_NONE + 1;
    return true;
}

static bool read_bounds(zc_object slice, bounds *b, zc_fault *fault)
{
    const zc_object *parts = slice.sequence->items;
    if (!read_bound(parts[0], ZC_NONE, &b->start, fault) || !read_bound(parts[1], ZC_NONE, &b->stop, fault) ||
        !read_bound(parts[2], 1, &b->step, fault))
        return false;
    if (b->step == 0)
        return zc_fault_refuse(fault, "slice: the step is zero");
    return true;
}

/* ---- Tuples and lists ---- */

/* Python's meaning of a bound: counted from the end when negative, then cut to low..high. */
static int64_t clamp_bound(int64_t bound, int64_t count, int64_t missing, int64_t low, int64_t high)
{
    if (bound == ZC_NONE)
        return missing;
    if (bound < 0)
        bound += count;
    return bound < low ? low : bound > high ? high : bound;
}

static bool slice_sequence(zc_object x, zc_object slice, zc_object *result, zc_fault *fault)
{
    bounds b;
    if (!read_bounds(slice, &b, fault))
        return false;
    int64_t count = x.sequence->count, used = 0;
    bool is_forward = b.step > 0;
    int64_t low = is_forward ? 0 : -1, high = is_forward ? count : count - 1;
    int64_t start = clamp_bound(b.start, count, is_forward ? 0 : count - 1, low, high);
    int64_t stop = clamp_bound(b.stop, count, is_forward ? count : -1, low, high);
    zc_object *items = malloc(((size_t)count + 1) * sizeof *items);
    if (items == NULL)
        return zc_fault_memory(fault);
    while (is_forward ? start < stop : start > stop) {
        items[used++] = zc_object_copy(x.sequence->items[start]);
        if (__builtin_add_overflow(start, b.step, &start))
            break;
    }
    bool ok = zc_object_make_sequence(x.kind, items, (size_t)used, result, fault);
    free(items);
    return ok;
}

static bool index_sequence(zc_object x, zc_object index, zc_object *result, zc_fault *fault)
{
    int64_t i, count = x.sequence->count;
    if (index.kind == ZC_OBJECT_SLICE)
        return slice_sequence(x, index, result, fault);
    if (!zc_object_as_integer(index, &i))
        return zc_fault_refuse(fault, "index: the subscript of %s is an integer or a slice, not %s",
                               zc_object_describe(x), zc_object_describe(index));
    if (i < -count || i >= count)
        return zc_fault_refuse(fault, "index: %lld is out of bounds for %s of %lld", (long long)i,
                               zc_object_describe(x), (long long)count);
    *result = zc_object_copy(x.sequence->items[i < 0 ? i + count : i]);
    return true;
}

/* ---- Tensors ---- */

/* Counts the axes that the items take up and refuses what cannot stand in a subscript. */
static bool check_items(const zc_object *items, int64_t count, int rank, int *used, zc_fault *fault)
{
    int64_t axes = 0;
    bool has_ellipsis = false;
    for (int64_t i = 0; i < count; i++) {
        switch (items[i].kind) {
        case ZC_OBJECT_INTEGER:
        case ZC_OBJECT_SLICE:
        case ZC_OBJECT_TENSOR:
        case ZC_OBJECT_LIST:
            axes++;
            break;
        case ZC_OBJECT_NONE:
            break;
        case ZC_OBJECT_ELLIPSIS:
            if (has_ellipsis)
                return zc_fault_refuse(fault, "index: a subscript has one ellipsis at most");
            has_ellipsis = true;
            break;
        default:
            return zc_fault_refuse(fault,
                                   "index: a subscript holds integers, slices, None, ... and tensors of integers, not "
                                   "%s",
                                   zc_object_describe(items[i]));
        }
    }
    if (axes > rank)
        return zc_fault_refuse(fault, "index: %lld subscripts for a tensor of rank %d", (long long)axes, rank);
    *used = (int)axes;
    return true;
}

static zc_tensor *slice_axis(const zc_tensor *x, int axis, zc_object slice, zc_fault *fault)
{
    bounds b;
    return read_bounds(slice, &b, fault) ? zc_slice(x, axis, b.start, b.stop, b.step) : NULL;
}

/* Tensors and lists, which hold positions: their axes stay as they are at first. */
static bool holds_positions(zc_object item)
{
    return item.kind == ZC_OBJECT_TENSOR || item.kind == ZC_OBJECT_LIST;
}

/* From the last item to the first, so that `axis` counts x's own axes whatever has been done to later ones. */
static zc_tensor *apply_items(const zc_tensor *x, const zc_object *items, int64_t count, int used, zc_fault *fault)
{
    int rank = zc_rank(x), axis = used;
    for (int64_t i = 0; i < count; i++) {
        if (items[i].kind == ZC_OBJECT_ELLIPSIS)
            axis = rank;
    }
    zc_tensor *result = zc_retain((zc_tensor *)(uintptr_t)x); /* the handle is not changed, only counted */
    for (int64_t i = count - 1; i >= 0 && result != NULL; i--) {
        zc_tensor *before = result;
        if (items[i].kind == ZC_OBJECT_INTEGER)
            result = zc_index(before, --axis, items[i].integer);
        else if (items[i].kind == ZC_OBJECT_SLICE)
            result = slice_axis(before, --axis, items[i], fault);
        else if (items[i].kind == ZC_OBJECT_NONE)
            result = zc_expand_dims(before, axis);
        else {
            axis -= holds_positions(items[i]) ? 1 : rank - used;
            continue;
        }
        zc_release(before);
    }
    return result;
}

/* ---- Positions ---- */

/* The tensors of a subscript, each along an axis of what the other items make of x. */
typedef struct positions {
    int count;
    int axes[ZC_MAX_RANK];
    zc_tensor *tensors[ZC_MAX_RANK]; /* a reference each */
    bool is_apart; /* another item stands between two of them: an integer stands for positions here, too */
} positions;

static void release_positions(positions *p)
{
    for (int i = 0; i < p->count; i++)
        zc_release(p->tensors[i]);
}

static void find_axes(const zc_object *items, int64_t count, int rank, int used, positions *p)
{
    int axis = 0, runs = 0;
    bool is_inside = false;
    for (int64_t i = 0; i < count; i++) {
        bool is_integer = items[i].kind == ZC_OBJECT_INTEGER, is_list = holds_positions(items[i]);
        runs += (is_integer || is_list) && !is_inside;
        is_inside = is_integer || is_list;
        if (is_list)
            p->axes[p->count++] = axis;
        axis += is_integer ? 0 : items[i].kind == ZC_OBJECT_ELLIPSIS ? rank - used : 1;
    }
    p->is_apart = runs > 1;
}

static bool read_positions(zc_context *ctx, const zc_object *items, positions *p, zc_fault *fault)
{
    int wanted = p->count;
    p->count = 0;
    for (int64_t i = 0; p->count < wanted; i++) {
        if (!holds_positions(items[i]))
            continue;
        zc_tensor *t = zc_literal_tensor(ctx, items[i], ZC_STRONG, "index", fault);
        if (t == NULL)
            return false;
        p->tensors[p->count++] = t;
    }
    return true;
}

/* NumPy's order: the axes of positions that stand apart come first, also where integers have dropped what was between.
 */
static zc_tensor *move_to_front(zc_tensor *gathered, int first, int count)
{
    int order[ZC_MAX_RANK], rank = zc_rank(gathered), at = 0;
    for (int a = 0; a < count; a++)
        order[at++] = first + a;
    for (int a = 0; a < rank; a++) {
        if (a < first || a >= first + count)
            order[at++] = a;
    }
    zc_tensor *moved = zc_permute_dims(gathered, rank, order);
    zc_release(gathered);
    return moved;
}

/* view, at the positions; the reference to it is taken over. */
static zc_tensor *gather(zc_tensor *view, const positions *p)
{
    const zc_tensor *tensors[ZC_MAX_RANK];
    for (int i = 0; i < p->count; i++)
        tensors[i] = p->tensors[i];
    zc_tensor *gathered = zc_gather(view, p->count, p->axes, tensors);
    bool are_neighbours = p->axes[p->count - 1] - p->axes[0] == p->count - 1;
    if (gathered != NULL && p->is_apart && are_neighbours)
        gathered = move_to_front(gathered, p->axes[0], zc_rank(gathered) - zc_rank(view) + p->count);
    zc_release(view);
    return gathered;
}

static bool index_tensor(zc_context *ctx, zc_object x, zc_object index, zc_object *result, zc_fault *fault)
{
    bool is_tuple = index.kind == ZC_OBJECT_TUPLE;
    const zc_object *items = is_tuple ? index.sequence->items : &index;
    int64_t count = is_tuple ? index.sequence->count : 1;
    int used = 0;
    if (!check_items(items, count, zc_rank(x.tensor), &used, fault))
        return false;
    positions p = {0};
    find_axes(items, count, zc_rank(x.tensor), used, &p);
    zc_tensor *view = NULL;
    if (read_positions(ctx, items, &p, fault))
        view = apply_items(x.tensor, items, count, used, fault);
    if (view != NULL && p.count > 0)
        view = gather(view, &p);
    release_positions(&p);
    *result = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = view};
    if (view == NULL)
        return zc_fault_library(fault, ctx);
    return true;
}

bool zc_subscript(zc_context *ctx, zc_object x, zc_object index, zc_object *result, zc_fault *fault)
{
    if (x.kind == ZC_OBJECT_TENSOR)
        return index_tensor(ctx, x, index, result, fault);
    if (zc_object_is_sequence(x))
        return index_sequence(x, index, result, fault);
    return zc_fault_refuse(fault, "index: %s has no elements", zc_object_describe(x));
}
