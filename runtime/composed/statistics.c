/*
 * What is made of reductions: variances, norms, softmax and the like. Each records what its formula says; the planner
 * fuses what can be fused. A step that fails gives NULL, and so does everything after it.
 */
#include <math.h>

#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/scope.h"
#include "runtime/record/contract.h"
#include "runtime/record/record.h"
#include "runtime/record/reductions.h"
#include "views/view_ops.h"

/* The axes of a reduction, resolved for what follows it. */
typedef struct axes {
    int count;
    int list[ZC_MAX_RANK];
    int64_t elements; /* reduced into each result */
} axes;

static bool resolve(const zc_tensor *x, const char *function, int count, const int *list, axes *out)
{
    uint64_t set;
    zc_reason why;
    zc_status status = zc_axes_resolve(count, list, x->rank, &set, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(x->ctx, status, function, &why);
        return false;
    }
    out->count = 0;
    out->elements = 1;
    for (int a = 0; a < x->rank; a++) {
        if ((set >> a & 1) == 0)
            continue;
        out->list[out->count++] = a;
        out->elements *= x->dims[a]; /* proven: x's size fits */
    }
    return true;
}

/* The largest and the smallest of nothing do not exist. */
static bool has_elements(const zc_tensor *x, const char *function, const axes *over)
{
    char text[ZC_SHAPE_TEXT];
    if (over->elements > 0)
        return true;
    (void)zc_fail(x->ctx, ZC_ERROR_ARGUMENT, function, "no elements along the reduced axes of shape %s",
                  zc_shape_text(text, sizeof text, x->rank, x->dims));
    return false;
}

/* Refuses complex tensors, for functions that compare elements. */
static bool is_real(const zc_tensor *x, const char *function)
{
    if (!zc_dtype_is_complex(zc_dtype_of(x)))
        return true;
    (void)zc_fail(x->ctx, ZC_ERROR_DTYPE, function, "takes real numbers, not %s", zc_dtype_name(zc_dtype_of(x)));
    return false;
}

/* x in the dtype its statistics are made in. */
static zc_tensor *as_float(const zc_tensor *x)
{
    bool is_float = zc_dtype_describe(zc_dtype_of(x))->kind >= ZC_KIND_FLOAT;
    return zc_astype(x, is_float ? zc_sum_dtype(zc_dtype_of(x)) : ZC_FLOAT64);
}

/* The statistic of x, which a 16-bit float has in its own dtype, too. */
static zc_tensor *rounded(const zc_tensor *statistic, const zc_tensor *x)
{
    if (statistic == NULL)
        return NULL;
    return zc_astype(statistic, zc_dtype_is_narrow(zc_dtype_of(x)) ? zc_dtype_of(x) : zc_dtype_of(statistic));
}

static zc_tensor *number(const zc_tensor *x, double value)
{
    return zc_weak_float(x->ctx, value);
}

/* ---- Variance ---- */

/* |z|^2: what a complex number's parts have as squares, added. */
static zc_tensor *squared_size(const zc_tensor *x)
{
    if (x == NULL || !zc_dtype_is_complex(zc_dtype_of(x)))
        return zc_square(x);
    return zc_add(zc_square(zc_real(x)), zc_square(zc_imag(x)));
}

/* The mean of the squared distances from the mean: two passes over x. */
static zc_tensor *variance(const zc_tensor *x, const axes *over, double correction, bool keepdims)
{
    zc_tensor *values = as_float(x);
    if (values == NULL)
        return NULL;
    zc_tensor *distance = zc_subtract(values, zc_mean(values, over->count, over->list, true));
    double freedom = fmax((double)over->elements - correction, 0);
    return zc_divide(zc_sum(squared_size(distance), over->count, over->list, keepdims), number(x, freedom));
}

static zc_tensor *spread(const zc_tensor *x, const char *function, int count, const int *list, double correction,
                         bool keepdims, bool is_root)
{
    ZC_DEFAULT_FLOATS();
    correction = zc_float_argument(correction);
    axes over;
    if (ZC_REFUSE_LOST(function, x) || !resolve(x, function, count, list, &over))
        return NULL;
    if (isnan(correction)) {
        (void)zc_fail(x->ctx, ZC_ERROR_ARGUMENT, function, "the correction is not a number");
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *squared = variance(x, &over, correction, keepdims);
    return zc_scope_end_with(scope, rounded(is_root ? zc_sqrt(squared) : squared, x));
}

zc_tensor *zc_var(const zc_tensor *x, int count, const int *list, double correction, bool keepdims)
{
    return spread(x, "var", count, list, correction, keepdims, false);
}

zc_tensor *zc_std(const zc_tensor *x, int count, const int *list, double correction, bool keepdims)
{
    return spread(x, "std", count, list, correction, keepdims, true);
}

/* ---- Counting and norms ---- */

zc_tensor *zc_count_nonzero(const zc_tensor *x, int count, const int *list, bool keepdims)
{
    axes over;
    if (ZC_REFUSE_LOST("count_nonzero", x) || !resolve(x, "count_nonzero", count, list, &over))
        return NULL;
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, zc_sum(zc_astype(x, ZC_BOOL), over.count, over.list, keepdims));
}

zc_tensor *zc_isin(const zc_tensor *x, const zc_tensor *values)
{
    if (ZC_REFUSE_LOST("isin", x, values) ||
        zc_record_check_contexts("isin", (const zc_tensor *const[]){x, values}, 2) != ZC_OK)
        return NULL;
    if (x->rank == ZC_MAX_RANK) {
        (void)zc_fail(x->ctx, ZC_ERROR_SHAPE, "isin", "x has %d axes, and the values need one more", x->rank);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *are_equal = zc_equal(zc_expand_dims(x, -1), zc_reshape(values, ZC_SHAPE(-1)));
    return zc_scope_end_with(scope, zc_any(are_equal, ZC_AXES(-1), false));
}

static zc_tensor *norm(const zc_tensor *size, double order, int count, const int *list, bool keepdims)
{
    if (size == NULL)
        return NULL;
    if (isinf(order))
        return order > 0 ? zc_max(size, count, list, keepdims) : zc_min(size, count, list, keepdims);
    if (order == 0)
        return zc_astype(zc_count_nonzero(size, count, list, keepdims), zc_dtype_of(size));
    if (order == 1)
        return zc_sum(size, count, list, keepdims);
    if (order == 2)
        return zc_sqrt(zc_sum(zc_square(size), count, list, keepdims));
    zc_tensor *sum = zc_sum(zc_pow(size, number(size, order)), count, list, keepdims);
    return zc_pow(sum, number(size, 1 / order));
}

zc_tensor *zc_vector_norm(const zc_tensor *x, int count, const int *list, bool keepdims, double order)
{
    ZC_DEFAULT_FLOATS();
    order = zc_float_argument(order);
    axes over;
    if (ZC_REFUSE_LOST("vector_norm", x) || !resolve(x, "vector_norm", count, list, &over))
        return NULL;
    if (isnan(order)) {
        (void)zc_fail(x->ctx, ZC_ERROR_ARGUMENT, "vector_norm", "the order is not a number");
        return NULL;
    }
    if (isinf(order) && !has_elements(x, "vector_norm", &over))
        return NULL;
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *length = norm(zc_abs(as_float(x)), order, over.count, over.list, keepdims);
    return zc_scope_end_with(scope, rounded(length, x));
}

/* ---- Exponentials that do not overflow ---- */

/* t, where gradients end. */
static zc_tensor *hold(const zc_tensor *t, const char *function)
{
    zc_node *node = t == NULL ? NULL : zc_record_held(t);
    if (node != NULL)
        return zc_tensor_of_node(t->ctx, node, function);
    if (t != NULL)
        (void)zc_fail_memory(t->ctx, function);
    return NULL;
}

/* x less its largest element along the axes, where that is finite. What softmax makes of it is the same for any number
 * instead, so gradients need not pass through that. */
static zc_tensor *lower(const zc_tensor *x, const axes *over, const char *function)
{
    zc_tensor *most = zc_max(x, over->count, over->list, true);
    return zc_subtract(x, hold(zc_where(zc_isfinite(most), most, number(x, 0)), function));
}

static zc_tensor *normalise(const zc_tensor *x, const axes *over, bool is_log, const char *function)
{
    zc_tensor *values = as_float(x);
    zc_tensor *lowered = values == NULL ? NULL : lower(values, over, function);
    zc_tensor *powers = zc_exp(lowered);
    zc_tensor *sum = zc_sum(powers, over->count, over->list, true);
    return is_log ? zc_subtract(lowered, zc_log(sum)) : zc_divide(powers, sum);
}

static zc_tensor *softmax(const zc_tensor *x, int axis, bool is_log, const char *function)
{
    axes over;
    if (ZC_REFUSE_LOST(function, x) || !is_real(x, function) || !resolve(x, function, 1, &axis, &over))
        return NULL;
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *result = over.elements == 0 ? as_float(x) : normalise(x, &over, is_log, function);
    return zc_scope_end_with(scope, rounded(result, x));
}

zc_tensor *zc_softmax(const zc_tensor *x, int axis)
{
    return softmax(x, axis, false, "softmax");
}

zc_tensor *zc_log_softmax(const zc_tensor *x, int axis)
{
    return softmax(x, axis, true, "log_softmax");
}

/* Divides each mean's sum of products, not each weight. A sum of no weights is 0. */
static zc_tensor *weigh(const zc_tensor *scores, const zc_tensor *values, int axis, const axes *over)
{
    zc_tensor *x = as_float(scores);
    if (x == NULL)
        return NULL;
    zc_tensor *powers = over->elements == 0 ? x : zc_exp(lower(x, over, "softmax_sum"));
    zc_tensor *products = zc_record_matmul(zc_moveaxis(powers, axis, -1), values, "softmax_sum");
    zc_tensor *sum = zc_sum(powers, over->count, over->list, false);
    return zc_divide(products, values->rank > 1 ? zc_expand_dims(sum, -1) : sum);
}

zc_tensor *zc_softmax_sum(const zc_tensor *scores, const zc_tensor *values, int axis)
{
    axes over;
    if (ZC_REFUSE_LOST("softmax_sum", scores, values) ||
        zc_record_check_contexts("softmax_sum", (const zc_tensor *const[]){scores, values}, 2) != ZC_OK ||
        !is_real(scores, "softmax_sum") || !resolve(scores, "softmax_sum", 1, &axis, &over))
        return NULL;
    zc_scope *scope = zc_scope_begin(scores->ctx);
    if (scope == NULL)
        return NULL;
    zc_dtype dtype;
    zc_tensor *mean = weigh(scores, values, axis, &over), *weights = rounded(as_float(scores), scores);
    const bool is_made = mean != NULL && weights != NULL &&
                         zc_result_type(2, (const zc_tensor *const[]){weights, values}, &dtype) == ZC_OK;
    return zc_scope_end_with(scope, is_made ? zc_astype(mean, dtype) : NULL);
}

/* ---- Along one axis ---- */

zc_tensor *zc_trace(const zc_tensor *x, int64_t offset, int axis1, int axis2)
{
    zc_view view, diagonal;
    zc_reason why;
    if (ZC_REFUSE_LOST("trace", x))
        return NULL;
    zc_tensor_view(x, &view);
    zc_status status = zc_view_diagonal(&view, offset, axis1, axis2, &diagonal, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(x->ctx, status, "trace", &why);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    zc_tensor *elements = zc_tensor_new(x->ctx, zc_node_retain(x->node), &diagonal, "trace");
    return zc_scope_end_with(scope, zc_sum(elements, ZC_AXES(-1), false));
}

/* Neighbours subtracted, of an axis that has elements; of bool, whether they differ. */
static zc_tensor *differences(const zc_tensor *x, int axis)
{
    zc_tensor *after = zc_slice(x, axis, 1, ZC_NONE, 1), *before = zc_slice(x, axis, ZC_NONE, -1, 1);
    return zc_dtype_of(x) == ZC_BOOL ? zc_not_equal(after, before) : zc_subtract(after, before);
}

zc_tensor *zc_diff(const zc_tensor *x, int axis, int64_t times)
{
    axes over;
    if (ZC_REFUSE_LOST("diff", x) || !resolve(x, "diff", 1, &axis, &over))
        return NULL;
    axis = axis < 0 ? axis + x->rank : axis;
    if (times < 0) {
        (void)zc_fail(x->ctx, ZC_ERROR_ARGUMENT, "diff", "%lld times is negative", (long long)times);
        return NULL;
    }
    zc_scope *scope = zc_scope_begin(x->ctx);
    if (scope == NULL)
        return NULL;
    times = zc_smaller(times, over.elements); /* nothing is left then */
    zc_tensor *result = zc_adopt(x->ctx, x);
    for (int64_t i = 0; i < times && result != NULL; i++)
        result = differences(result, axis);
    return zc_scope_end_with(scope, result);
}
