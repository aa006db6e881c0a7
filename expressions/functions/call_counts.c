/*
 * Counts of elements by their values: bins of equal width, given bins, and whole numbers.
 */
#include <math.h>

#include "expressions/functions/arguments.h"
#include "expressions/functions/call_views.h"
#include "expressions/functions/calls.h"
#include "expressions/values/literal.h"

/* Argument i as a tensor, unless it is not given. False with a fault. */
static bool take_optional(zc_call *call, int i, const zc_tensor **out)
{
    if (!zc_argument_is_none(call, i))
        *out = zc_argument_tensor(call, i);
    return *out != NULL || zc_argument_is_none(call, i);
}

/* x's weights, where there are any, have its shape. */
static bool check_weights(zc_call *call, const zc_tensor *x, const zc_tensor *weights)
{
    if (weights != NULL && !zc_arguments_have_one_shape(weights, x))
        return zc_fault_refuse(call->fault, "%s: the weights have another shape than x", call->function->name);
    return true;
}

/* Counts each element of x once. */
static const zc_tensor *count_once(const zc_tensor *x)
{
    return x == NULL ? NULL : zc_full_int64(zc_context_of(x), zc_rank(x), zc_shape(x), ZC_INT64, 1);
}

/* The sums of what each number from 0 to `count` - 1 counts. NULL where an operand is. */
static zc_tensor *count_numbers(const zc_tensor *numbers, int64_t count, const zc_tensor *each)
{
    if (numbers == NULL || each == NULL)
        return NULL;
    const zc_tensor *sums = zc_full(zc_context_of(each), 1, &count, zc_dtype_of(each), 0);
    return zc_update(sums, zc_take(zc_places(sums), numbers, 0), each, ZC_UPDATE_ADD);
}

/* Refuses edges that are not in order, as NaNs are not, in the open scope. */
static bool check_order(zc_call *call, const zc_tensor *edges)
{
    double rises = 0;
    const zc_tensor *is_next = zc_greater_equal(zc_slice(edges, 0, 1, ZC_NONE, 1), zc_slice(edges, 0, 0, -1, 1));
    if (zc_item(zc_all(is_next, ZC_ALL_AXES, false), &rises) != ZC_OK)
        return false;
    if (rises == 0)
        return zc_fault_refuse(call->fault, "%s: the edges of bins are not in order", call->function->name);
    return true;
}

/* ---- Whole numbers ---- */

/* Number of counts: up to the largest number, and `least` at least. -1: refused. */
static int64_t count_bins(zc_call *call, const zc_tensor *x, int64_t least)
{
    static const int all[] = {0};
    int64_t most = -1, lowest = 0;
    const bool is_empty = zc_size(x) == 0;
    if (zc_rank(x) != 1 || (!is_empty && (zc_dtype_of(x) == ZC_BOOL || zc_dtype_of(x) >= ZC_FLOAT32))) {
        (void)zc_fault_refuse(call->fault, "bincount: counts integers along one axis");
        return -1;
    }
    const bool is_known = is_empty || (zc_item_int64(zc_max(x, 1, all, false), &most) == ZC_OK &&
                                       zc_item_int64(zc_min(x, 1, all, false), &lowest) == ZC_OK);
    if (!is_known)
        return -1;
    if (lowest < 0 || most == INT64_MAX) {
        (void)zc_fault_refuse(call->fault, "bincount: %lld has no count", (long long)(lowest < 0 ? lowest : most));
        return -1;
    }
    return most + 1 > least ? most + 1 : least;
}

zc_tensor *zc_call_bincount(zc_call *call)
{
    int64_t least;
    const zc_tensor *x = zc_argument_tensor(call, 0), *weights = NULL;
    if (x == NULL || !take_optional(call, 1, &weights) || !zc_argument_integer(call, 2, &least) ||
        !check_weights(call, x, weights))
        return NULL;
    if (least < 0) {
        (void)zc_fault_refuse(call->fault, "bincount: minlength is %lld", (long long)least);
        return NULL;
    }
    if (weights != NULL && zc_argument_is_complex(zc_dtype_of(weights))) {
        (void)zc_fault_refuse(call->fault, "bincount: the weights are real numbers");
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    const int64_t count = count_bins(call, x, least);
    const zc_tensor *each = weights != NULL ? zc_astype(weights, ZC_FLOAT64) : count_once(x);
    zc_tensor *counts = count >= 0 ? count_numbers(zc_astype(x, ZC_INT64), count, each) : NULL;
    return zc_call_keep(scope, counts);
}

zc_tensor *zc_call_digitize(zc_call *call)
{
    bool right;
    zc_tensor *result = NULL;
    const zc_tensor *x = zc_argument_tensor(call, 0);
    const zc_tensor *bins = x == NULL ? NULL : zc_argument_tensor(call, 1);
    if (bins == NULL || !zc_argument_flag(call, 2, &right))
        return NULL;
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return NULL;
    if (check_order(call, bins) && zc_searchsorted(bins, x, !right, NULL, &result) == ZC_OK)
        (void)zc_keep(result);
    zc_scope_end(scope);
    return result;
}

/* ---- Histograms ---- */

/* A histogram that is asked for. */
typedef struct binned {
    zc_call *call;
    const zc_tensor *x, *weights;   /* of one axis */
    const zc_tensor *range, *edges; /* NULL where they are not given */
    int64_t count;                  /* of bins */
    double first, last;             /* the ends of bins of equal width */
} binned;

/* Reads an end of the bins; large integers are rounded. */
static bool read_end(const zc_tensor *end, double *out)
{
    return zc_item(zc_astype(end, ZC_FLOAT64), out) == ZC_OK;
}

/* Finds the ends of the bins: those that are asked for, or of the elements. */
static bool find_ends(binned *h)
{
    static const int all[] = {0};
    const zc_tensor *range = h->range;
    h->first = 0;
    h->last = 1;
    if (range != NULL && (zc_rank(range) != 1 || zc_size(range) != 2))
        return zc_fault_refuse(h->call->fault, "histogram: range is two numbers");
    const zc_tensor *least = range != NULL ? zc_index(range, 0, 0) : zc_min(h->x, 1, all, false);
    const zc_tensor *most = range != NULL ? zc_index(range, 0, 1) : zc_max(h->x, 1, all, false);
    const bool has_ends = range != NULL || zc_size(h->x) > 0;
    if (has_ends && (!read_end(least, &h->first) || !read_end(most, &h->last)))
        return false;
    const double half = h->first == h->last ? 0.5 : 0;
    h->first -= half;
    h->last += half;
    const double per_unit = (double)h->count / (h->last - h->first);
    if (!isfinite(h->last - h->first) || !isfinite(per_unit) || per_unit <= 0)
        return zc_fault_refuse(h->call->fault, "histogram: there are no %lld bins from %g to %g", (long long)h->count,
                               h->first, h->last);
    return true;
}

/* The bin of each element, from where it would be in bins of exactly equal width: one more or less where the edges,
 * which are rounded, say so. */
static const zc_tensor *find_bins(const binned *h, const zc_tensor *edges)
{
    zc_context *ctx = h->call->ctx;
    const zc_tensor *x = h->x, *zero = zc_weak_int(ctx, 0), *one = zc_weak_int(ctx, 1);
    const zc_tensor *top = zc_weak_int(ctx, h->count - 1);
    const zc_tensor *apart = zc_subtract(zc_astype(x, ZC_FLOAT64), zc_weak_float(ctx, h->first));
    const zc_tensor *at = zc_multiply(apart, zc_weak_float(ctx, (double)h->count / (h->last - h->first)));
    const zc_tensor *inside = zc_clip(zc_where(zc_isnan(at), zero, at), zero, top);
    const zc_tensor *bin = zc_astype(inside, ZC_INT64);
    const zc_tensor *is_below = zc_logical_and(zc_less(x, zc_take(edges, bin, 0)), zc_greater(bin, zero));
    bin = zc_subtract(bin, zc_where(is_below, one, zero));
    const zc_tensor *is_above =
        zc_logical_and(zc_greater_equal(x, zc_take(edges, zc_add(bin, one), 0)), zc_less(bin, top));
    return zc_add(bin, zc_where(is_above, one, zero));
}

/* The bin of each element by edges that are given, of which the last one belongs to the last bin. */
static const zc_tensor *search_bins(const binned *h)
{
    zc_context *ctx = h->call->ctx;
    zc_tensor *found = NULL;
    if (zc_searchsorted(h->edges, h->x, true, NULL, &found) != ZC_OK)
        return NULL;
    const zc_tensor *bin = zc_subtract(found, zc_weak_int(ctx, 1));
    return zc_clip(bin, zc_weak_int(ctx, 0), zc_weak_int(ctx, h->count - 1));
}

/* Edges of equal bins, in the dtype of floats, else in float64; or those that are given. */
static const zc_tensor *make_edges(binned *h)
{
    zc_fault *fault = h->call->fault;
    if (h->edges != NULL) {
        h->count = zc_size(h->edges) - 1;
        if (zc_rank(h->edges) == 1 && h->count > 0)
            return check_order(h->call, h->edges) ? h->edges : NULL;
        (void)zc_fault_refuse(fault, "histogram: bins is a number, or two edges or more, in order");
        return NULL;
    }
    if (!zc_argument_integer(h->call, 1, &h->count))
        return NULL;
    if (h->count < 1 || h->count >= INT32_MAX) {
        (void)zc_fault_refuse(fault, "histogram: %lld bins", (long long)h->count);
        return NULL;
    }
    if (!find_ends(h))
        return NULL;
    const zc_dtype dtype = zc_dtype_of(h->x) >= ZC_FLOAT32 ? zc_dtype_of(h->x) : ZC_FLOAT64;
    return zc_linspace(h->call->ctx, h->first, h->last, h->count + 1, true, dtype);
}

/* The counts, in the open scope; a density is divided by the widths and by the sum. */
static zc_tensor *count_in_bins(const binned *h, const zc_tensor *edges, bool is_density)
{
    static const int all[] = {0};
    const zc_tensor *bin = h->edges != NULL ? search_bins(h) : find_bins(h, edges);
    const zc_tensor *is_in = zc_logical_and(zc_greater_equal(h->x, zc_index(edges, 0, 0)),
                                            zc_less_equal(h->x, zc_index(edges, 0, h->count)));
    const zc_tensor *each = zc_where(is_in, h->weights, zc_weak_int(h->call->ctx, 0));
    zc_tensor *counts = count_numbers(bin, h->count, each);
    if (!is_density)
        return counts;
    return zc_divide(zc_divide(counts, zc_diff(edges, 0, 1)), zc_sum(counts, 1, all, false));
}

bool zc_call_histogram(zc_call *call, zc_object *result)
{
    bool is_density;
    binned h = {.call = call};
    const zc_tensor *x = zc_argument_tensor(call, 0);
    if (x == NULL || !take_optional(call, 2, &h.range) || !zc_argument_flag(call, 3, &is_density) ||
        !take_optional(call, 4, &h.weights) || !check_weights(call, x, h.weights))
        return false;
    if (!zc_object_is_number(call->arguments[1]) && (h.edges = zc_argument_tensor(call, 1)) == NULL)
        return false;
    zc_scope *scope = zc_scope_begin(call->ctx);
    if (scope == NULL)
        return false;
    h.x = zc_ravel(zc_dtype_of(x) == ZC_BOOL ? zc_astype(x, ZC_UINT8) : x);
    h.weights = h.weights != NULL ? zc_ravel(h.weights) : count_once(h.x);
    const zc_tensor *edges = h.x != NULL ? make_edges(&h) : NULL;
    zc_tensor *counts = edges != NULL ? count_in_bins(&h, edges, is_density) : NULL;
    zc_object items[] = {{.kind = ZC_OBJECT_TENSOR, .tensor = counts}, {.kind = ZC_OBJECT_TENSOR}};
    const bool is_made = counts != NULL;
    if (is_made) {
        (void)zc_keep(counts);
        items[1].tensor = zc_retain((zc_tensor *)(uintptr_t)edges); /* which the scope or the call has, too */
    }
    zc_scope_end(scope);
    return is_made && zc_object_make_sequence(ZC_OBJECT_TUPLE, items, 2, result, call->fault);
}
