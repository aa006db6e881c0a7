/*
 * arange, linspace and eye: arithmetic on an index range, so they take no data memory either. The elements are
 * NumPy's, which computes start + i * step rather than adding step i times.
 */
#include <math.h>

#include "math/decimal/digits.h"
#include "tools/functions/arguments.h"
#include "tools/functions/calls.h"
#include "tools/values/number.h"

/* Each of these releases what it is given and hands NULL through, so a chain of them leaks nothing. */

static zc_tensor *then(zc_tensor *(*function)(const zc_tensor *, const zc_tensor *), zc_tensor *a, zc_tensor *b)
{
    zc_tensor *result = function(a, b);
    zc_release(a);
    zc_release(b);
    return result;
}

static zc_tensor *then_astype(zc_tensor *x, zc_dtype dtype)
{
    zc_tensor *result = zc_astype(x, dtype);
    zc_release(x);
    return result;
}

/* ---- arange ---- */

typedef struct range {
    zc_object start, stop, step;
    zc_dtype dtype;
    bool is_integer; /* all three are integers */
} range;

static zc_tensor *refuse(zc_call *call, const char *sentence)
{
    (void)zc_fault_refuse(call->fault, "%s: %s", call->function->name, sentence);
    return NULL;
}

static bool is_narrow(zc_dtype dtype)
{
    return dtype == ZC_FLOAT16 || dtype == ZC_BFLOAT16;
}

static bool is_float_dtype(zc_dtype dtype)
{
    return dtype == ZC_FLOAT32 || dtype == ZC_FLOAT64 || is_narrow(dtype);
}

/* The float that the elements of a range are computed in: of complex ones, the real parts'. */
static zc_dtype part_of(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 ? ZC_FLOAT32 : dtype == ZC_COMPLEX128 ? ZC_FLOAT64 : dtype;
}

static bool read_range(zc_call *call, range *r)
{
    r->dtype = ZC_DTYPE_COUNT;
    if (!zc_argument_number(call, 0, &r->start) || !zc_argument_number(call, 2, &r->step) ||
        !zc_argument_dtype(call, 3, &r->dtype))
        return false;
    if (zc_argument_is_none(call, 1)) {
        r->stop = r->start;
        r->start = zc_object_integer(0);
    } else if (!zc_argument_number(call, 1, &r->stop)) {
        return false;
    }
    zc_object_kind kind = r->start.kind > r->stop.kind ? r->start.kind : r->stop.kind;
    kind = kind > r->step.kind ? kind : r->step.kind;
    if (kind == ZC_OBJECT_LARGE)
        return zc_fault_refuse(call->fault, "%s: start, stop and step are integers of int64, or floats",
                               call->function->name);
    r->is_integer = kind <= ZC_OBJECT_INTEGER;
    if (r->dtype == ZC_DTYPE_COUNT)
        r->dtype = r->is_integer ? ZC_INT64 : ZC_FLOAT64;
    return true;
}

/* ceil((stop - start) / step) for a step that is not 0, without leaving uint64; at most 2^64 - 1, so the caller
 * compares with INT64_MAX. */
static uint64_t count_steps(int64_t start, int64_t stop, int64_t step)
{
    bool is_backward = step < 0;
    uint64_t stride = is_backward ? 0 - (uint64_t)step : (uint64_t)step;
    uint64_t distance = is_backward ? (uint64_t)start - (uint64_t)stop : (uint64_t)stop - (uint64_t)start;
    bool is_empty = is_backward ? start <= stop : start >= stop;
    return is_empty ? 0 : (distance - 1) / stride + 1;
}

static zc_tensor *integer_range(zc_call *call, const range *r)
{
    int64_t start = 0, stop = 0, step = 0;
    (void)zc_object_as_integer(r->start, &start);
    (void)zc_object_as_integer(r->stop, &stop);
    (void)zc_object_as_integer(r->step, &step);
    if (step == 0)
        return refuse(call, "step is zero");
    uint64_t count = count_steps(start, stop, step);
    if (count > INT64_MAX)
        return refuse(call, "there are more elements than int64 can count");
    zc_tensor *values = zc_iota(call->ctx, (int64_t)count);
    if (step != 1)
        values = then(zc_multiply, values, zc_weak_int(call->ctx, step));
    if (start != 0)
        values = then(zc_add, values, zc_weak_int(call->ctx, start));
    return then_astype(values, r->dtype);
}

static double rounded_to(zc_dtype dtype, double value)
{
    return zc_precision_round(dtype == ZC_FLOAT16    ? ZC_PRECISION_HALF
                              : dtype == ZC_BFLOAT16 ? ZC_PRECISION_BFLOAT16
                              : dtype == ZC_FLOAT32  ? ZC_PRECISION_SINGLE
                                                     : ZC_PRECISION_DOUBLE,
                              value);
}

static zc_tensor *float_range(zc_call *call, const range *r)
{
    double start = zc_number_as_float(r->start), stop = zc_number_as_float(r->stop), step = zc_number_as_float(r->step);
    zc_dtype part = part_of(r->dtype);
    if (!is_float_dtype(part))
        return refuse(call, "a range of floats has a floating dtype; convert with astype");
    if (step == 0)
        return refuse(call, "step is zero");
    double count = ceil((stop - start) / step);
    if (!(count < 0x1p63))
        return refuse(call, "start, stop and step do not make a finite range");
    /* NumPy makes the step from the first two elements, in the dtype of the result; of 16 bits only in the end. */
    double first = rounded_to(part, start), between = rounded_to(part, start + step) - first;
    zc_dtype computed = is_narrow(part) ? ZC_FLOAT32 : part;
    zc_tensor *indices = then_astype(zc_iota(call->ctx, count > 0 ? (int64_t)count : 0), computed);
    zc_tensor *scaled = then(zc_multiply, indices, zc_weak_float(call->ctx, between));
    return then_astype(then(zc_add, scaled, zc_weak_float(call->ctx, first)), r->dtype);
}

zc_tensor *zc_call_arange(zc_call *call)
{
    range r;
    if (!read_range(call, &r))
        return NULL;
    return r.is_integer ? integer_range(call, &r) : float_range(call, &r);
}

/* ---- linspace ---- */

/* All points but the last, which is `stop` itself. */
static zc_tensor *spaced(zc_context *ctx, double start, double stop, int64_t count, int64_t intervals)
{
    double distance = stop - start, step = intervals > 0 ? distance / (double)intervals : 0;
    zc_tensor *points = then_astype(zc_iota(ctx, count), ZC_FLOAT64);
    if (step != 0) {
        points = then(zc_multiply, points, zc_weak_float(ctx, step));
    } else { /* a step too small for a double, or none at all */
        if (intervals > 0)
            points = then(zc_divide, points, zc_weak_float(ctx, (double)intervals));
        points = then(zc_multiply, points, zc_weak_float(ctx, distance));
    }
    return then(zc_add, points, zc_weak_float(ctx, start));
}

static zc_tensor *with_last(zc_context *ctx, zc_tensor *points, int64_t count, double last)
{
    zc_tensor *is_last = then(zc_equal, zc_iota(ctx, count), zc_weak_int(ctx, count - 1));
    zc_tensor *end = zc_weak_float(ctx, last);
    zc_tensor *result = zc_where(is_last, end, points);
    zc_release(is_last);
    zc_release(end);
    zc_release(points);
    return result;
}

static zc_tensor *points_between(zc_context *ctx, double start, double stop, int64_t count, bool endpoint)
{
    zc_tensor *points = spaced(ctx, start, stop, count, endpoint ? count - 1 : count);
    return endpoint && count > 1 ? with_last(ctx, points, count, stop) : points;
}

zc_tensor *zc_call_linspace(zc_call *call)
{
    zc_object start, stop;
    int64_t count;
    bool endpoint;
    if (!zc_argument_point(call, 0, &start) || !zc_argument_point(call, 1, &stop))
        return NULL;
    bool is_complex = start.kind == ZC_OBJECT_COMPLEX || stop.kind == ZC_OBJECT_COMPLEX;
    zc_dtype dtype = is_complex ? ZC_COMPLEX128 : ZC_FLOAT64;
    if (!zc_argument_integer(call, 2, &count) || !zc_argument_dtype(call, 3, &dtype) ||
        !zc_argument_flag(call, 4, &endpoint))
        return NULL;
    if (count < 0)
        return refuse(call, "num is negative");
    if (!is_float_dtype(part_of(dtype)))
        return refuse(call, "the dtype is not a floating one; convert with astype");
    zc_point first = zc_number_as_point(start), last = zc_number_as_point(stop);
    zc_tensor *points = points_between(call->ctx, first.real, last.real, count, endpoint);
    if (is_complex)
        points = then(zc_complex, points, points_between(call->ctx, first.imag, last.imag, count, endpoint));
    return then_astype(points, dtype);
}

/* ---- eye ---- */

zc_tensor *zc_call_eye(zc_call *call)
{
    int64_t rows, columns, k;
    zc_dtype dtype = ZC_FLOAT64;
    if (!zc_argument_integer(call, 0, &rows) || !zc_argument_integer(call, 2, &k) ||
        !zc_argument_dtype(call, 3, &dtype))
        return NULL;
    columns = rows;
    if (!zc_argument_is_none(call, 1) && !zc_argument_integer(call, 1, &columns))
        return NULL;
    if (rows < 0 || columns < 0)
        return refuse(call, "the size is negative");
    bool is_outside = k >= columns || k <= -rows;
    zc_tensor *row = zc_iota(call->ctx, rows);
    zc_tensor *column = zc_expand_dims(row, 1);
    zc_release(row);
    /* Where the diagonal lies outside, no column is that of a row; else row + k stays in range. */
    zc_tensor *wanted = is_outside ? then(zc_minimum, column, zc_weak_int(call->ctx, -1))
                                   : then(zc_add, column, zc_weak_int(call->ctx, k));
    return then_astype(then(zc_equal, wanted, zc_iota(call->ctx, columns)), dtype);
}
