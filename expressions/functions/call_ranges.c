/*
 * arange, linspace and eye: NumPy's arguments, and the dtypes that it chooses.
 */
#include "expressions/functions/arguments.h"
#include "expressions/functions/calls.h"
#include "expressions/values/number.h"

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

static bool has_fractions(zc_dtype dtype)
{
    return dtype == ZC_FLOAT16 || dtype == ZC_BFLOAT16 || dtype == ZC_FLOAT32 || dtype == ZC_FLOAT64 ||
           zc_argument_is_complex(dtype);
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

static zc_tensor *integer_range(zc_call *call, const range *r)
{
    int64_t start = 0, stop = 0, step = 0;
    (void)zc_object_as_integer(r->start, &start);
    (void)zc_object_as_integer(r->stop, &stop);
    (void)zc_object_as_integer(r->step, &step);
    return then_astype(zc_arange_int64(call->ctx, start, stop, step), r->dtype);
}

static zc_tensor *float_range(zc_call *call, const range *r)
{
    if (!has_fractions(r->dtype))
        return refuse(call, "a range of floats has a floating dtype; convert with astype");
    return zc_arange(call->ctx, zc_number_as_float(r->start), zc_number_as_float(r->stop), zc_number_as_float(r->step),
                     r->dtype);
}

zc_tensor *zc_call_arange(zc_call *call)
{
    range r;
    if (!read_range(call, &r))
        return NULL;
    return r.is_integer ? integer_range(call, &r) : float_range(call, &r);
}

/* ---- linspace ---- */

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
    if (!has_fractions(dtype))
        return refuse(call, "the dtype is not a floating one; convert with astype");
    zc_point first = zc_number_as_point(start), last = zc_number_as_point(stop);
    zc_tensor *points = zc_linspace(call->ctx, first.real, last.real, count, endpoint, ZC_FLOAT64);
    if (is_complex)
        points = then(zc_complex, points, zc_linspace(call->ctx, first.imag, last.imag, count, endpoint, ZC_FLOAT64));
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
    return zc_eye(call->ctx, rows, columns, k, dtype);
}

/* ---- Random numbers ---- */

typedef zc_tensor *drawing(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed, zc_dtype dtype);

static zc_tensor *draw(zc_call *call, drawing *from)
{
    int rank;
    int64_t shape[ZC_MAX_RANK], seed;
    zc_dtype dtype = ZC_FLOAT64;
    if (!zc_argument_shape(call, 0, &rank, shape) || !zc_argument_integer(call, 1, &seed) ||
        !zc_argument_dtype(call, 2, &dtype))
        return NULL;
    return from(call->ctx, rank, shape, (uint64_t)seed, dtype);
}

zc_tensor *zc_call_random(zc_call *call)
{
    return draw(call, zc_random_uniform);
}

zc_tensor *zc_call_normal(zc_call *call)
{
    return draw(call, zc_random_normal);
}
