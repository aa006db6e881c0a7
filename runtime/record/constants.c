/*
 * Where tensors begin: constants, index ranges, copied and imported memory.
 */
#include "runtime/record/constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/record/record.h"

static zc_tensor *constant(zc_context *ctx, zc_dtype dtype, zc_scalar value, bool is_weak, const char *function)
{
    if (zc_refuse_no_context(ctx, function))
        return NULL;
    return zc_tensor_of_node(ctx, zc_record_constant(ctx->heap, dtype, value, is_weak), function);
}

zc_tensor *zc_constant(zc_context *ctx, zc_dtype dtype, const void *value)
{
    if (zc_refuse_no_context(ctx, "constant") || zc_record_refuse_dtype(ctx, dtype, "constant"))
        return NULL;
    if (value == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "constant", "the value is NULL");
        return NULL;
    }
    return constant(ctx, dtype, zc_scalar_load(dtype, value), false, "constant");
}

zc_tensor *zc_weak_bool(zc_context *ctx, bool value)
{
    uint8_t element = value ? 1 : 0;
    return constant(ctx, ZC_BOOL, zc_scalar_load(ZC_BOOL, &element), true, "weak_bool");
}

zc_tensor *zc_weak_int(zc_context *ctx, int64_t value)
{
    return constant(ctx, ZC_INT64, (zc_scalar){.int64 = value}, true, "weak_int");
}

/* Makes int64 constants of values that int64 holds, so that they are the same whichever function makes them. */
zc_tensor *zc_weak_uint(zc_context *ctx, uint64_t value)
{
    const zc_dtype dtype = value <= INT64_MAX ? ZC_INT64 : ZC_UINT64;
    return constant(ctx, dtype, (zc_scalar){.words = {value, 0}}, true, "weak_uint");
}

zc_tensor *zc_weak_float(zc_context *ctx, double value)
{
    return constant(ctx, ZC_FLOAT64, (zc_scalar){.float64 = value}, true, "weak_float");
}

zc_tensor *zc_weak_complex(zc_context *ctx, double real, double imag)
{
    return constant(ctx, ZC_COMPLEX128, (zc_scalar){.complex128 = {real, imag}}, true, "weak_complex");
}

/* ---- Fills ---- */

static double as_double(zc_dtype dtype, zc_scalar element)
{
    return zc_scalar_convert(element, dtype, ZC_FLOAT64).float64;
}

/* Integers of 64 bits saturate at limits that float64 rounds up, to the first numbers beyond them. */
static bool holds(zc_dtype dtype, zc_scalar element, double value)
{
    const double held = as_double(dtype, element);
    if (zc_dtype_describe(dtype)->kind >= ZC_KIND_FLOAT)
        return isfinite(held) || !isfinite(value);
    return held == value && !(dtype == ZC_INT64 && value == 0x1p63) && !(dtype == ZC_UINT64 && value == 0x1p64);
}

static zc_tensor *refuse_fill(zc_context *ctx, const char *function, zc_dtype dtype, const char *value)
{
    (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "%s does not hold %s", zc_dtype_name(dtype), value);
    return NULL;
}

static zc_tensor *fill(zc_context *ctx, int rank, const int64_t *shape, zc_dtype dtype, zc_scalar element)
{
    zc_tensor *scalar = constant(ctx, dtype, element, false, "full");
    zc_tensor *result = zc_broadcast_to(scalar, rank, shape);
    zc_release(scalar);
    return result;
}

zc_tensor *zc_full(zc_context *ctx, int rank, const int64_t *shape, zc_dtype dtype, double value)
{
    char text[32];
    if (zc_refuse_no_context(ctx, "full") || zc_record_refuse_dtype(ctx, dtype, "full"))
        return NULL;
    ZC_DEFAULT_FLOATS();
    const zc_scalar element = zc_scalar_convert((zc_scalar){.float64 = value}, ZC_FLOAT64, dtype);
    if (!holds(dtype, element, value)) {
        (void)snprintf(text, sizeof text, "%.17g", value);
        return refuse_fill(ctx, "full", dtype, text);
    }
    return fill(ctx, rank, shape, dtype, element);
}

zc_tensor *zc_full_int64(zc_context *ctx, int rank, const int64_t *shape, zc_dtype dtype, int64_t value)
{
    char text[32];
    if (zc_refuse_no_context(ctx, "full_int64") || zc_record_refuse_dtype(ctx, dtype, "full_int64"))
        return NULL;
    ZC_DEFAULT_FLOATS();
    const zc_scalar element = zc_scalar_convert((zc_scalar){.int64 = value}, ZC_INT64, dtype);
    const bool is_exact =
        zc_scalar_convert(element, dtype, ZC_INT64).int64 == value && (dtype != ZC_UINT64 || value >= 0);
    if (zc_dtype_describe(dtype)->kind >= ZC_KIND_FLOAT ? !isfinite(as_double(dtype, element)) : !is_exact) {
        (void)snprintf(text, sizeof text, "%lld", (long long)value);
        return refuse_fill(ctx, "full_int64", dtype, text);
    }
    return fill(ctx, rank, shape, dtype, element);
}

zc_tensor *zc_iota(zc_context *ctx, int64_t n)
{
    if (zc_refuse_no_context(ctx, "iota"))
        return NULL;
    if (n < 0) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "iota", "the length %lld is negative", (long long)n);
        return NULL;
    }
    zc_node_spec spec = {.kind = ZC_NODE_IOTA, .dtype = ZC_INT64, .rank = 1, .shape = &n, .size = n};
    return zc_tensor_of_node(ctx, zc_node_new(ctx->heap, &spec), "iota");
}

/* ---- Sources ---- */

/* Finds the number of elements. */
static zc_status check_source(int rank, const int64_t *shape, const zc_source *source, int64_t *size, zc_reason *why)
{
    zc_status status = zc_shape_size(rank, shape, size, why);
    if (status == ZC_OK && source->read == NULL)
        status = zc_refuse(why, ZC_ERROR_ARGUMENT, "the source has no read");
    for (int a = 0; status == ZC_OK && source->chunk != NULL && a < rank; a++) {
        if (source->chunk[a] < 1)
            status = zc_refuse(why, ZC_ERROR_ARGUMENT, "a chunk has the extent %lld along axis %d",
                               (long long)source->chunk[a], a);
    }
    return status;
}

static zc_node *new_source(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape, const zc_source *source)
{
    zc_reason why;
    zc_node_spec spec = {.kind = ZC_NODE_SOURCE, .dtype = dtype, .rank = rank, .shape = shape, .from = source};
    const zc_status status = check_source(rank, shape, source, &spec.size, &why);
    zc_node *node = status == ZC_OK ? zc_node_new(ctx->heap, &spec) : NULL;
    if (status != ZC_OK)
        (void)zc_fail_because(ctx, status, "from_source", &why);
    else if (node == NULL)
        (void)zc_fail_memory(ctx, "from_source");
    return node;
}

zc_tensor *zc_from_source(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape, const zc_source *source)
{
    zc_node *node = NULL;
    if (source == NULL && !zc_refuse_no_context(ctx, "from_source"))
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "from_source", "source is NULL");
    if (source == NULL)
        return NULL;
    if (!zc_refuse_no_context(ctx, "from_source") && !zc_record_refuse_dtype(ctx, dtype, "from_source"))
        node = new_source(ctx, dtype, rank, shape, source);
    if (node != NULL)
        return zc_tensor_of_node(ctx, node, "from_source");
    if (source->release != NULL)
        source->release(source->user);
    return NULL;
}

const zc_source *zc_source_of(const zc_tensor *t)
{
    return t != NULL && t->node->kind == ZC_NODE_SOURCE ? &t->node->sourced->from : NULL;
}

zc_tensor *zc_from_data(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape, const void *data, size_t bytes)
{
    if (zc_refuse_no_context(ctx, "from_data") || zc_record_refuse_dtype(ctx, dtype, "from_data"))
        return NULL;
    zc_reason why;
    int64_t size, needed;
    zc_status status = zc_shape_size(rank, shape, &size, &why);
    if (status == ZC_OK)
        status = zc_shape_bytes(size, zc_dtype_bytes(dtype), &needed, &why);
    if (status == ZC_OK && ((uint64_t)needed != bytes || (data == NULL && bytes > 0)))
        status = zc_refuse(&why, ZC_ERROR_ARGUMENT, "got %zu bytes of data for %lld elements of %s, which take %lld",
                           data == NULL ? (size_t)0 : bytes, (long long)size, zc_dtype_name(dtype), (long long)needed);
    if (status == ZC_OK)
        status = zc_kept_make_room(ctx, needed, &why);
    if (status != ZC_OK) {
        (void)zc_fail_because(ctx, status, "from_data", &why);
        return NULL;
    }
    zc_buffer *buffer = zc_buffer_new(ctx->heap, needed);
    if (buffer != NULL && dtype == ZC_BOOL)
        zc_copy_truths(buffer->memory, data, bytes);
    else if (buffer != NULL && bytes > 0)
        memcpy(buffer->memory, data, bytes);
    zc_view view;
    zc_view_row_major(rank, shape, &view);
    return zc_leaf_tensor(ctx, buffer, dtype, &view, "from_data");
}

/* Everything about an import that can be wrong before memory is touched. */
static zc_status check_import(const zc_foreign *from, zc_view *view, zc_reason *why)
{
    size_t item = zc_dtype_bytes(from->dtype);
    int64_t size, row_major[ZC_MAX_RANK];
    zc_status status = zc_shape_size(from->rank, from->shape, &size, why);
    if (status != ZC_OK)
        return status;
    if ((from->memory == NULL && size > 0) || (uintptr_t)from->memory % zc_dtype_alignment(from->dtype) != 0)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the memory is %s",
                         from->memory == NULL ? "NULL" : "not aligned to its elements");
    if (from->bytes > PTRDIFF_MAX)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "no memory has %zu bytes", from->bytes);
    if (from->strides == NULL)
        zc_shape_row_major(from->rank, from->shape, row_major);
    return zc_view_prove(from->rank, from->shape, from->strides != NULL ? from->strides : row_major, from->offset,
                         (int64_t)(from->bytes / item), view, why);
}

zc_tensor *zc_leaf_import(zc_context *ctx, const zc_foreign *from, const char *function)
{
    void *writable = (void *)(uintptr_t)from->memory; /* never written: tensors are immutable */
    zc_view view;
    zc_reason why;
    zc_buffer *buffer = NULL;
    if (ctx != NULL && !zc_record_refuse_dtype(ctx, from->dtype, function)) {
        zc_status status = check_import(from, &view, &why);
        if (status != ZC_OK)
            (void)zc_fail_because(ctx, status, function, &why);
        else if ((buffer = zc_buffer_wrap(ctx->heap, writable, (int64_t)from->bytes, from->release, from->user)) ==
                 NULL)
            (void)zc_fail_memory(ctx, function);
    }
    if (buffer != NULL)
        return zc_leaf_tensor(ctx, buffer, from->dtype, &view, function);
    if (from->release != NULL)
        from->release(from->user, writable);
    return NULL;
}

zc_tensor *zc_import(zc_context *ctx, zc_dtype dtype, int rank, const int64_t *shape, const int64_t *strides,
                     int64_t offset, const void *memory, size_t bytes, void (*release)(void *user, void *memory),
                     void *user)
{
    if (ctx == NULL && release != NULL)
        release(user, (void *)(uintptr_t)memory);
    if (zc_refuse_no_context(ctx, "import"))
        return NULL;
    zc_foreign from = {dtype, rank, shape, strides, offset, memory, bytes, release, user};
    return zc_leaf_import(ctx, &from, "import");
}
