/*
 * Numbers in a row, and the identity: arithmetic on an index range, so they take no data memory. An element is
 * start + i * step, as NumPy computes it, and not the sum of i steps.
 */
#include <math.h>

#include "runtime/dtypes/dtype.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/dtypes/scalar.h"
#include "runtime/graph/scope.h"
#include "runtime/record/record.h"

static zc_tensor *refuse(zc_context *ctx, zc_status status, const char *function, const char *sentence)
{
    (void)zc_fail(ctx, status, function, "%s", sentence);
    return NULL;
}

/* ---- Integers ---- */

/* Counts the steps from start to stop, ceil((stop - start) / step), of a step that is not 0; at most 2^64 - 1. */
static uint64_t count_steps(int64_t start, int64_t stop, int64_t step)
{
    const bool is_backward = step < 0;
    const uint64_t stride = is_backward ? 0 - (uint64_t)step : (uint64_t)step;
    const uint64_t distance = is_backward ? (uint64_t)start - (uint64_t)stop : (uint64_t)stop - (uint64_t)start;
    const bool is_empty = is_backward ? start <= stop : start >= stop;
    return is_empty ? 0 : (distance - 1) / stride + 1;
}

static zc_tensor *count_from(zc_context *ctx, int64_t start, int64_t step, int64_t count)
{
    zc_tensor *t = zc_iota(ctx, count);
    if (step != 1)
        t = zc_multiply(t, zc_weak_int(ctx, step));
    return start == 0 ? t : zc_add(t, zc_weak_int(ctx, start));
}

/* Checks a range of integers, and counts its elements. */
static bool count_integers(zc_context *ctx, int64_t start, int64_t stop, int64_t step, int64_t *count)
{
    const uint64_t steps = step == 0 ? 0 : count_steps(start, stop, step);
    *count = (int64_t)steps;
    if (step == 0)
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "arange", "step is zero");
    else if (steps > INT64_MAX)
        (void)zc_fail(ctx, ZC_ERROR_OVERFLOW, "arange", "there are more elements than int64 can count");
    return step != 0 && steps <= INT64_MAX;
}

zc_tensor *zc_arange_int64(zc_context *ctx, int64_t start, int64_t stop, int64_t step)
{
    int64_t count;
    if (zc_refuse_no_context(ctx, "arange") || !count_integers(ctx, start, stop, step, &count))
        return NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    return scope == NULL ? NULL : zc_scope_end_with(scope, count_from(ctx, start, step, count));
}

/* ---- Floats ---- */

static double rounded_to(zc_dtype dtype, double value)
{
    const zc_scalar element = zc_scalar_convert((zc_scalar){.float64 = value}, ZC_FLOAT64, dtype);
    return zc_scalar_convert(element, dtype, ZC_FLOAT64).float64;
}

/* The dtype of complex elements' parts. */
static zc_dtype part_of(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 ? ZC_FLOAT32 : dtype == ZC_COMPLEX128 ? ZC_FLOAT64 : dtype;
}

/* Makes the step from the first two elements in the dtype of the result, as NumPy does; elements of 16 bits are
 * computed in float32. */
static zc_tensor *floats_from(zc_context *ctx, double start, double step, int64_t count, zc_dtype dtype)
{
    ZC_DEFAULT_FLOATS();
    const zc_dtype part = part_of(dtype);
    const double first = rounded_to(part, start), between = rounded_to(part, start + step) - first;
    zc_tensor *i = zc_astype(zc_iota(ctx, count), zc_dtype_is_narrow(part) ? ZC_FLOAT32 : part);
    zc_tensor *scaled = zc_multiply(i, zc_weak_float(ctx, between));
    return zc_astype(zc_add(scaled, zc_weak_float(ctx, first)), dtype);
}

static zc_tensor *arange_floats(zc_context *ctx, double start, double stop, double step, zc_dtype dtype)
{
    if (step == 0)
        return refuse(ctx, ZC_ERROR_ARGUMENT, "arange", "step is zero");
    const double count = ceil((stop - start) / step);
    if (!isfinite(start) || !isfinite(stop) || !(count < 0x1p63))
        return refuse(ctx, ZC_ERROR_ARGUMENT, "arange", "start, stop and step do not make a finite range");
    zc_scope *scope = zc_scope_begin(ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, floats_from(ctx, start, step, count > 0 ? (int64_t)count : 0, dtype));
}

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) <= 0x1p53;
}

/* Refuses elements that the dtype does not hold; of a range that has some, the first and the last tell. */
static bool fits(zc_context *ctx, double first, double last, zc_dtype dtype)
{
    if (rounded_to(dtype, first) == first && rounded_to(dtype, last) == last)
        return true;
    (void)zc_fail(ctx, ZC_ERROR_OVERFLOW, "arange", "%s does not hold the elements from %.17g to %.17g",
                  zc_dtype_name(dtype), first, last);
    return false;
}

static zc_tensor *arange_integers(zc_context *ctx, double start, double stop, double step, zc_dtype dtype)
{
    int64_t count;
    if (!is_whole(start) || !is_whole(stop) || !is_whole(step)) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "arange", "a range of %s has whole numbers up to 2^53",
                      zc_dtype_name(dtype));
        return NULL;
    }
    if (!count_integers(ctx, (int64_t)start, (int64_t)stop, (int64_t)step, &count) ||
        (count > 0 && !fits(ctx, start, start + (double)(count - 1) * step, dtype)))
        return NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, zc_astype(count_from(ctx, (int64_t)start, (int64_t)step, count), dtype));
}

zc_tensor *zc_arange(zc_context *ctx, double start, double stop, double step, zc_dtype dtype)
{
    if (zc_refuse_no_context(ctx, "arange") || zc_record_refuse_dtype(ctx, dtype, "arange"))
        return NULL;
    if (dtype == ZC_BOOL)
        return refuse(ctx, ZC_ERROR_DTYPE, "arange", "a range has numbers, not bools");
    ZC_DEFAULT_FLOATS();
    start = zc_float_argument(start);
    step = zc_float_argument(step);
    return zc_dtype_describe(dtype)->kind >= ZC_KIND_FLOAT ? arange_floats(ctx, start, stop, step, dtype)
                                                           : arange_integers(ctx, start, stop, step, dtype);
}

/* ---- Points at equal distances ---- */

/* All points but the last, which is `stop` itself. */
static zc_tensor *spaced(zc_context *ctx, double start, double stop, int64_t count, int64_t intervals)
{
    const double distance = stop - start, step = intervals > 0 ? distance / (double)intervals : 0;
    zc_tensor *points = zc_astype(zc_iota(ctx, count), ZC_FLOAT64);
    if (step != 0) {
        points = zc_multiply(points, zc_weak_float(ctx, step));
    } else { /* a step too small for a double, or none at all */
        if (intervals > 0)
            points = zc_divide(points, zc_weak_float(ctx, (double)intervals));
        points = zc_multiply(points, zc_weak_float(ctx, distance));
    }
    return zc_add(points, zc_weak_float(ctx, start));
}

static zc_tensor *points_between(zc_context *ctx, double start, double stop, int64_t count, bool endpoint)
{
    ZC_DEFAULT_FLOATS();
    zc_tensor *points = spaced(ctx, zc_float_argument(start), stop, count, endpoint ? count - 1 : count);
    if (!endpoint || count < 2)
        return points;
    zc_tensor *is_last = zc_equal(zc_iota(ctx, count), zc_weak_int(ctx, count - 1));
    return zc_where(is_last, zc_weak_float(ctx, stop), points);
}

zc_tensor *zc_linspace(zc_context *ctx, double start, double stop, int64_t count, bool endpoint, zc_dtype dtype)
{
    if (zc_refuse_no_context(ctx, "linspace") || zc_record_refuse_dtype(ctx, dtype, "linspace"))
        return NULL;
    if (count < 0)
        return refuse(ctx, ZC_ERROR_ARGUMENT, "linspace", "the count is negative");
    if (zc_dtype_describe(dtype)->kind < ZC_KIND_FLOAT)
        return refuse(ctx, ZC_ERROR_DTYPE, "linspace", "points have a floating dtype; round them and use astype");
    zc_scope *scope = zc_scope_begin(ctx);
    if (scope == NULL)
        return NULL;
    return zc_scope_end_with(scope, zc_astype(points_between(ctx, start, stop, count, endpoint), dtype));
}

/* ---- The identity ---- */

zc_tensor *zc_eye(zc_context *ctx, int64_t rows, int64_t columns, int64_t k, zc_dtype dtype)
{
    if (zc_refuse_no_context(ctx, "eye") || zc_record_refuse_dtype(ctx, dtype, "eye"))
        return NULL;
    if (rows < 0 || columns < 0)
        return refuse(ctx, ZC_ERROR_ARGUMENT, "eye", "the size is negative");
    zc_scope *scope = zc_scope_begin(ctx);
    if (scope == NULL)
        return NULL;
    /* No column is that of a row where the diagonal lies outside; elsewhere row + k stays in range. */
    const bool is_outside = k >= columns || k <= -rows;
    zc_tensor *row = zc_expand_dims(zc_iota(ctx, rows), 1);
    zc_tensor *wanted = is_outside ? zc_minimum(row, zc_weak_int(ctx, -1)) : zc_add(row, zc_weak_int(ctx, k));
    return zc_scope_end_with(scope, zc_astype(zc_equal(wanted, zc_iota(ctx, columns)), dtype));
}
