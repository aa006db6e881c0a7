#include "expressions/values/subscript.h"

#include <string.h>

#include "expressions/base/memory.h"
#include "expressions/values/literal.h"

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
    zc_object *items = zc_memory_take(fault, ((size_t)count + 1) * sizeof *items);
    if (items == NULL)
        return false;
    while (is_forward ? start < stop : start > stop) {
        items[used++] = zc_object_copy(x.sequence->items[start]);
        if (__builtin_add_overflow(start, b.step, &start))
            break;
    }
    bool ok = zc_object_make_sequence(x.kind, items, (size_t)used, result, fault);
    zc_memory_give(items);
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

/* Tensors, which hold positions or are masks: their axes stay as they are at first. */
static bool is_tensor(zc_object item)
{
    return item.kind == ZC_OBJECT_TENSOR;
}

static bool is_mask(zc_object item)
{
    return is_tensor(item) && zc_dtype_of(item.tensor) == ZC_BOOL;
}

/* The axes that an item takes up, but for an ellipsis. */
static int64_t axes_of(zc_object item)
{
    if (is_mask(item))
        return zc_rank(item.tensor);
    return item.kind == ZC_OBJECT_INTEGER || item.kind == ZC_OBJECT_SLICE || is_tensor(item) ? 1 : 0;
}

/* Counts the axes that the items take up and refuses what cannot stand in a subscript. */
static bool check_items(const zc_object *items, int64_t count, int rank, int *used, zc_fault *fault)
{
    int64_t axes = 0;
    bool has_ellipsis = false;
    for (int64_t i = 0; i < count; i++) {
        if (items[i].kind == ZC_OBJECT_ELLIPSIS && has_ellipsis)
            return zc_fault_refuse(fault, "index: a subscript has one ellipsis at most");
        has_ellipsis |= items[i].kind == ZC_OBJECT_ELLIPSIS;
        if (is_mask(items[i]) && zc_rank(items[i].tensor) == 0)
            return zc_fault_refuse(fault, "index: a mask has one axis at least, this one is a single bool");
        if (axes_of(items[i]) == 0 && items[i].kind != ZC_OBJECT_NONE && items[i].kind != ZC_OBJECT_ELLIPSIS)
            return zc_fault_refuse(fault,
                                   "index: a subscript holds integers, slices, None, ..., tensors of integers and "
                                   "masks, not %s",
                                   zc_object_describe(items[i]));
        axes += axes_of(items[i]);
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
            axis -= is_tensor(items[i]) ? 1 : rank - used;
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
    const zc_tensor *tensors[ZC_MAX_RANK];
    bool is_apart; /* another item stands between two of them: an integer stands for positions here, too */
} positions;

static void find_axes(const zc_object *items, int64_t count, int rank, int used, positions *p)
{
    int axis = 0, runs = 0;
    bool is_inside = false;
    for (int64_t i = 0; i < count; i++) {
        bool is_integer = items[i].kind == ZC_OBJECT_INTEGER, is_list = is_tensor(items[i]);
        runs += (is_integer || is_list) && !is_inside;
        is_inside = is_integer || is_list;
        if (is_list) {
            p->tensors[p->count] = items[i].tensor;
            p->axes[p->count++] = axis;
        }
        axis += is_integer ? 0 : items[i].kind == ZC_OBJECT_ELLIPSIS ? rank - used : 1;
    }
    p->is_apart = runs > 1;
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
    zc_tensor *gathered = zc_gather(view, p->count, p->axes, p->tensors);
    bool are_neighbours = p->axes[p->count - 1] - p->axes[0] == p->count - 1;
    if (gathered != NULL && p->is_apart && are_neighbours)
        gathered = move_to_front(gathered, p->axes[0], zc_rank(gathered) - zc_rank(view) + p->count);
    zc_release(view);
    return gathered;
}

/* ---- The items of a subscript ---- */

/* With a reference each, lists as tensors; a list of nothing holds positions. */
static bool take_items(zc_context *ctx, const zc_object *from, int64_t count, zc_object *items, zc_fault *fault)
{
    for (int64_t i = 0; i < count; i++) {
        if (from[i].kind != ZC_OBJECT_LIST) {
            items[i] = zc_object_copy(from[i]);
            continue;
        }
        zc_tensor *t = zc_literal_tensor(ctx, from[i], ZC_STRONG, "index", fault);
        if (t != NULL && zc_size(t) == 0) {
            zc_tensor *none = zc_astype(t, ZC_INT64);
            zc_release(t);
            t = none;
        }
        if (t == NULL)
            return false;
        items[i] = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = t};
    }
    return true;
}

static bool check_mask(const zc_tensor *x, int axis, const zc_tensor *mask, zc_fault *fault)
{
    for (int a = 0; a < zc_rank(mask); a++) {
        if (zc_shape(mask)[a] != zc_shape(x)[axis + a])
            return zc_fault_refuse(fault,
                                   "index: the mask has %lld elements along its axis %d, and the tensor %lld "
                                   "along its axis %d",
                                   (long long)zc_shape(mask)[a], a, (long long)zc_shape(x)[axis + a], axis + a);
    }
    return true;
}

/* Puts the positions of a mask's elements, which are computed here, in its place: a tensor for each of its axes. */
static bool expand_mask(zc_object *items, int64_t *count, int64_t at)
{
    zc_tensor *mask = items[at].tensor, *at_axis[ZC_MAX_RANK];
    const int rank = zc_rank(mask);
    if (zc_nonzero(mask, at_axis) != ZC_OK)
        return false;
    memmove(items + at + rank, items + at + 1, (size_t)(*count - at - 1) * sizeof *items);
    for (int a = 0; a < rank; a++)
        items[at + a] = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = at_axis[a]};
    *count += rank - 1;
    zc_release(mask);
    return true;
}

/* Replaces the masks among items that use `used` axes; items has room for that many more. */
static bool expand_masks(const zc_tensor *x, zc_object *items, int64_t *count, int used, bool *computes,
                         zc_fault *fault)
{
    int axis = 0;
    for (int64_t i = 0; i < *count; i++) {
        if (is_mask(items[i])) {
            const int rank = zc_rank(items[i].tensor);
            if (!check_mask(x, axis, items[i].tensor, fault) || !expand_mask(items, count, i))
                return false;
            *computes = true;
            i += rank - 1;
            axis += rank;
        } else {
            axis += items[i].kind == ZC_OBJECT_ELLIPSIS ? zc_rank(x) - used : (int)axes_of(items[i]);
        }
    }
    return true;
}

static zc_tensor *apply_subscript(const zc_tensor *x, zc_object *items, int64_t *count, bool *computes, zc_fault *fault)
{
    int used = 0;
    positions p = {0};
    if (!check_items(items, *count, zc_rank(x), &used, fault) || !expand_masks(x, items, count, used, computes, fault))
        return NULL;
    find_axes(items, *count, zc_rank(x), used, &p);
    zc_tensor *view = apply_items(x, items, *count, used, fault);
    return view != NULL && p.count > 0 ? gather(view, &p) : view;
}

static bool index_tensor(zc_context *ctx, zc_object x, zc_object index, zc_object *result, bool *computes,
                         zc_fault *fault)
{
    const bool is_tuple = index.kind == ZC_OBJECT_TUPLE;
    int64_t count = is_tuple ? index.sequence->count : 1;
    /* NONE each, which holds no reference. */
    zc_object *items = zc_memory_take(fault, ((size_t)count + ZC_MAX_RANK) * sizeof *items);
    if (items == NULL)
        return false;
    zc_tensor *indexed = NULL;
    if (take_items(ctx, is_tuple ? index.sequence->items : &index, count, items, fault))
        indexed = apply_subscript(x.tensor, items, &count, computes, fault);
    for (int64_t i = 0; i < count; i++)
        zc_object_release(items[i]);
    zc_memory_give(items);
    *result = (zc_object){.kind = ZC_OBJECT_TENSOR, .tensor = indexed};
    if (indexed == NULL)
        return zc_fault_library(fault, ctx);
    return true;
}

bool zc_subscript(zc_context *ctx, zc_object x, zc_object index, zc_object *result, bool *computes, zc_fault *fault)
{
    if (x.kind == ZC_OBJECT_TENSOR)
        return index_tensor(ctx, x, index, result, computes, fault);
    if (zc_object_is_sequence(x))
        return index_sequence(x, index, result, fault);
    return zc_fault_refuse(fault, "index: %s has no elements", zc_object_describe(x));
}
