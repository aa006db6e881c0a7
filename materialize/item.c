/* The public calls that read a result as a number, or copy it out in a dtype of the caller's. */
#include "materialize/materialize.h"
#include "runtime/dtypes/scalar.h"
#include "runtime/graph/tensor.h"

#include <math.h>

/* Computes the only element of t into `element`, and refuses what is no real number, or has no value to go to. */
static zc_status read_element(const zc_tensor *t, const void *value, const char *function, zc_scalar *element)
{
    if (ZC_REFUSE_LOST(function, t))
        return ZC_ERROR_ARGUMENT;
    if (value == NULL)
        return zc_refuse_place(t, function);
    if (t->size != 1)
        return zc_fail(t->ctx, ZC_ERROR_SHAPE, function, "a tensor of %lld elements is not one number",
                       (long long)t->size);
    const zc_dtype dtype = zc_dtype_of(t);
    if (zc_dtype_describe(dtype)->kind == ZC_KIND_COMPLEX)
        return zc_fail(t->ctx, ZC_ERROR_DTYPE, function, "%s has two parts; take real() or imag()",
                       zc_dtype_name(dtype));
    return zc_materialize_into_for(t, element->bytes, sizeof element->bytes, NULL, 0, function);
}

/* 2^63 and 2^64, where integers of 64 bits end. */
static const double signed_end = 0x1p63, unsigned_end = 0x1p64;

/* Tells an integer that is the double it was rounded to. Integers of fewer than 64 bits all are. */
static bool is_exact(zc_dtype dtype, const zc_scalar *element, double rounded)
{
    if (dtype == ZC_UINT64)
        return rounded < unsigned_end && (uint64_t)rounded == element->words[0];
    return dtype != ZC_INT64 || (rounded < signed_end && (int64_t)rounded == element->int64);
}

zc_status zc_item(const zc_tensor *t, double *value)
{
    static const char function[] = "item";
    zc_scalar element = {.words = {0}};
    zc_status status = read_element(t, value, function, &element);
    if (status != ZC_OK)
        return status;
    const zc_dtype dtype = zc_dtype_of(t);
    const double rounded = zc_scalar_convert(element, dtype, ZC_FLOAT64).float64;
    if (!is_exact(dtype, &element, rounded))
        return zc_fail(t->ctx, ZC_ERROR_OVERFLOW, function, "a double does not hold the %s; ask for item_int64()",
                       zc_dtype_name(dtype));
    *value = rounded;
    return ZC_OK;
}

zc_status zc_item_int64(const zc_tensor *t, int64_t *value)
{
    static const char function[] = "item_int64";
    zc_scalar element = {.words = {0}};
    zc_status status = read_element(t, value, function, &element);
    if (status != ZC_OK)
        return status;
    const zc_dtype dtype = zc_dtype_of(t);
    if (dtype == ZC_UINT64 && element.words[0] > INT64_MAX)
        return zc_fail(t->ctx, ZC_ERROR_OVERFLOW, function, "%llu is no int64", (unsigned long long)element.words[0]);
    if (zc_dtype_describe(dtype)->kind == ZC_KIND_FLOAT) {
        const double real = zc_scalar_convert(element, dtype, ZC_FLOAT64).float64;
        if (!(real >= -signed_end && real < signed_end) || floor(real) < real)
            return zc_fail(t->ctx, ZC_ERROR_OVERFLOW, function, "%.17g is no int64", real);
    }
    *value = zc_scalar_convert(element, dtype, ZC_INT64).int64;
    return ZC_OK;
}

zc_status zc_copy_to(const zc_tensor *t, zc_dtype dtype, void *buffer, size_t bytes)
{
    static const char function[] = "copy_to";
    if (ZC_REFUSE_LOST(function, t))
        return ZC_ERROR_ARGUMENT;
    zc_tensor *converted = zc_keep(zc_astype(t, dtype));
    if (converted == NULL)
        return zc_error_status(t->ctx);
    int64_t wanted;
    zc_status status = ZC_OK;
    if (!zc_checked_multiply(t->size, (int64_t)zc_dtype_bytes(dtype), &wanted) || (uint64_t)wanted != bytes)
        status = zc_fail(t->ctx, ZC_ERROR_ARGUMENT, function, "%zu bytes are not those of %lld elements of %s", bytes,
                         (long long)t->size, zc_dtype_name(dtype));
    if (status == ZC_OK)
        status = zc_materialize_into_for(converted, buffer, bytes, NULL, 0, function);
    zc_release(converted);
    return status;
}
