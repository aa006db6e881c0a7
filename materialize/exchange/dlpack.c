/*
 * Exchanging tensors through DLPack.
 *
 * Out: the structure and the arrays it points to are one block, which holds a reference to the buffer until the deleter
 * is called. In: nothing of the structure is believed before it is checked, and the deleter is called exactly
 * once, whatever happens.
 */
#include "materialize/exchange/dlpack.h"

#include <string.h>

#include "materialize/materialize.h"
#include "runtime/dtypes/dtype.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/record/constants.h"

/* ---- Out ---- */

/* One block: what the consumer sees first, then what the deleter needs. */
typedef struct export_block {
    union {
        DLManagedTensorVersioned versioned;
        DLManagedTensor legacy;
    };
    zc_heap *heap;
    zc_buffer *buffer;
    size_t bytes;
    int64_t dims[]; /* shape, strides */
} export_block;

static void end_export(export_block *block)
{
    zc_buffer_release(block->buffer);
    zc_heap_give(block->heap, block, block->bytes);
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    if (self != NULL)
        end_export((export_block *)self->manager_ctx);
}

static void delete_legacy(DLManagedTensor *self)
{
    if (self != NULL)
        end_export((export_block *)self->manager_ctx);
}

static uint8_t type_code(zc_dtype dtype)
{
    switch (zc_dtype_describe(dtype)->kind) {
    case ZC_KIND_BOOL:
        return ZC_DL_BOOL;
    case ZC_KIND_SIGNED:
        return ZC_DL_INT;
    case ZC_KIND_UNSIGNED:
        return ZC_DL_UINT;
    case ZC_KIND_COMPLEX:
        return ZC_DL_COMPLEX;
    default: /* ZC_KIND_FLOAT */
        return dtype == ZC_BFLOAT16 ? ZC_DL_BFLOAT : ZC_DL_FLOAT;
    }
}

/* Strides are never NULL: since version 1.2 consumers may rely on them. */
static void describe(DLTensor *out, export_block *block, zc_dtype dtype, const zc_view *view)
{
    size_t bytes = (size_t)view->rank * sizeof(int64_t);
    const zc_dtype_info *info = zc_dtype_describe(dtype);
    memcpy(block->dims, view->shape, bytes);
    memcpy(block->dims + view->rank, view->stride, bytes);
    *out = (DLTensor){.data = (char *)block->buffer->memory + (size_t)view->offset * zc_dtype_bytes(dtype),
                      .device = {ZC_DL_CPU, 0},
                      .ndim = view->rank,
                      .dtype = {type_code(dtype), (uint8_t)info->bits, 1},
                      .shape = block->dims,
                      .strides = block->dims + view->rank};
}

/* Takes over a reference to the buffer, also on failure. */
static export_block *new_block(zc_context *ctx, zc_buffer *buffer, int rank)
{
    size_t bytes = sizeof(export_block) + 2 * (size_t)rank * sizeof(int64_t);
    export_block *block = zc_heap_take(ctx->heap, bytes);
    if (block == NULL) {
        zc_buffer_release(buffer);
        return NULL;
    }
    memset(block, 0, sizeof *block);
    block->heap = ctx->heap;
    block->buffer = buffer;
    block->bytes = bytes;
    return block;
}

/* Stores t's elements in a buffer that nobody else sees. */
static zc_status copy_out(const zc_tensor *t, const char *function, zc_buffer **buffer, zc_view *view)
{
    zc_view_row_major(t->rank, t->dims, view);
    return zc_materialize_copy(t, function, buffer);
}

/* Tells whether a structure that can say "read-only" shows t as it stands. */
static bool is_shown_in_place(const zc_tensor *t, bool dense)
{
    zc_view view;
    zc_tensor_view(t, &view);
    return zc_node_data(t->node) != NULL && (!dense || zc_view_is_dense(&view));
}

zc_status zc_dlpack_copied_bytes(const zc_tensor *t, bool dense, int64_t *bytes)
{
    if (ZC_REFUSE_LOST("dlpack_copied_bytes", t))
        return ZC_ERROR_ARGUMENT;
    zc_reason why;
    if (bytes == NULL)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "dlpack_copied_bytes", "there is nowhere to put the answer");
    *bytes = 0;
    if (is_shown_in_place(t, dense))
        return ZC_OK;
    zc_status status = zc_shape_bytes(t->size, zc_dtype_bytes(zc_dtype_of(t)), bytes, &why);
    return status == ZC_OK ? ZC_OK : zc_fail_because(t->ctx, status, "dlpack_copied_bytes", &why);
}

zc_status zc_to_dlpack(const zc_tensor *t, bool dense, struct DLManagedTensorVersioned **out)
{
    if (out != NULL)
        *out = NULL;
    if (ZC_REFUSE_LOST("to_dlpack", t))
        return ZC_ERROR_ARGUMENT;
    if (out == NULL)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "to_dlpack", "there is nowhere to put the result");
    zc_view view;
    zc_buffer *buffer = NULL;
    zc_tensor_view(t, &view);
    if (is_shown_in_place(t, dense))
        buffer = zc_node_share(t->node);
    const bool in_place = buffer != NULL;
    zc_status status = in_place ? ZC_OK : copy_out(t, "to_dlpack", &buffer, &view);
    if (status != ZC_OK)
        return status;
    export_block *block = new_block(t->ctx, buffer, t->rank);
    if (block == NULL)
        return zc_fail_memory(t->ctx, "to_dlpack");
    describe(&block->versioned.dl_tensor, block, zc_dtype_of(t), &view);
    block->versioned.version = (DLPackVersion){ZC_DLPACK_MAJOR, ZC_DLPACK_MINOR};
    block->versioned.manager_ctx = block;
    block->versioned.deleter = delete_versioned;
    block->versioned.flags = in_place ? ZC_DL_FLAG_READ_ONLY : ZC_DL_FLAG_IS_COPIED;
    *out = &block->versioned;
    return ZC_OK;
}

zc_status zc_to_dlpack_legacy(const zc_tensor *t, struct DLManagedTensor **out)
{
    if (out != NULL)
        *out = NULL;
    if (ZC_REFUSE_LOST("to_dlpack_legacy", t))
        return ZC_ERROR_ARGUMENT;
    if (out == NULL)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "to_dlpack_legacy", "there is nowhere to put the result");
    zc_view view;
    zc_buffer *buffer = NULL;
    zc_status status = copy_out(t, "to_dlpack_legacy", &buffer, &view);
    if (status != ZC_OK)
        return status;
    export_block *block = new_block(t->ctx, buffer, t->rank);
    if (block == NULL)
        return zc_fail_memory(t->ctx, "to_dlpack_legacy");
    describe(&block->legacy.dl_tensor, block, zc_dtype_of(t), &view);
    block->legacy.manager_ctx = block;
    block->legacy.deleter = delete_legacy;
    *out = &block->legacy;
    return ZC_OK;
}

/* ---- In ---- */

static zc_status read_dtype(DLDataType from, zc_dtype *dtype, zc_reason *why)
{
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        const zc_dtype_info *info = zc_dtype_describe((zc_dtype)d);
        if (from.lanes == 1 && from.code == type_code((zc_dtype)d) && from.bits == info->bits) {
            *dtype = (zc_dtype)d;
            return ZC_OK;
        }
    }
    return zc_refuse(why, ZC_ERROR_DTYPE, "the type with code %d, %d bits and %d lanes is not supported", from.code,
                     from.bits, from.lanes);
}

/* The place of the first element in the memory that may be read, in elements. */
static zc_status find_offset(const DLTensor *from, zc_dtype dtype, const void *memory, size_t bytes, int64_t *offset,
                             zc_reason *why)
{
    uintptr_t base = (uintptr_t)memory, first = (uintptr_t)from->data;
    if (from->byte_offset > UINTPTR_MAX - first || first + from->byte_offset < base)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "its first element lies outside the memory that may be read");
    uintptr_t at = first + (uintptr_t)from->byte_offset - base;
    if (at > bytes || at % zc_dtype_bytes(dtype) != 0)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "its first element lies %s",
                         at > bytes ? "outside the memory that may be read" : "at an address that is not aligned");
    *offset = (int64_t)(at / zc_dtype_bytes(dtype));
    return ZC_OK;
}

static zc_status check_structure(const DLTensor *from, zc_reason *why)
{
    if (from->device.device_type != ZC_DL_CPU)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "it lives on a device of type %d, not in memory",
                         (int)from->device.device_type);
    if (from->ndim < 0 || from->ndim > ZC_MAX_RANK)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "its rank %d is not between 0 and %d", (int)from->ndim, ZC_MAX_RANK);
    if (from->ndim > 0 && from->shape == NULL)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "it has no shape");
    return ZC_OK;
}

/* Ends the structure: DLPack's managed tensors, with their deleter, behind one face. */
typedef struct managed {
    const DLTensor *tensor;
    void *self;
    void (*end)(void *user, void *memory); /* for zc_leaf_import; user is self */
} managed;

static void end_versioned(void *user, void *memory)
{
    (void)memory;
    DLManagedTensorVersioned *self = user;
    if (self->deleter != NULL)
        self->deleter(self);
}

static void end_legacy(void *user, void *memory)
{
    (void)memory;
    DLManagedTensor *self = user;
    if (self->deleter != NULL)
        self->deleter(self);
}

static zc_tensor *import(zc_context *ctx, managed m, const void *memory, size_t bytes, const char *function)
{
    zc_reason why;
    zc_dtype dtype = ZC_BOOL;
    int64_t offset = 0;
    const void *base = memory != NULL ? memory : m.tensor->data;
    zc_status status = check_structure(m.tensor, &why);
    if (status == ZC_OK)
        status = read_dtype(m.tensor->dtype, &dtype, &why);
    if (status == ZC_OK)
        status = find_offset(m.tensor, dtype, base, bytes, &offset, &why);
    if (status == ZC_OK)
        return zc_leaf_import(ctx,
                              &(zc_foreign){dtype, m.tensor->ndim, m.tensor->shape, m.tensor->strides, offset, base,
                                            bytes, m.end, m.self},
                              function);
    (void)zc_fail_because(ctx, status, function, &why);
    m.end(m.self, NULL);
    return NULL;
}

zc_tensor *zc_from_dlpack(zc_context *ctx, struct DLManagedTensorVersioned *from, const void *memory, size_t bytes)
{
    if (from == NULL)
        return NULL;
    managed m = {&from->dl_tensor, from, end_versioned};
    if (ctx != NULL && from->version.major == ZC_DLPACK_MAJOR)
        return import(ctx, m, memory, bytes, "from_dlpack");
    /* A structure of another major version has nothing but its deleter that may be touched. */
    if (ctx != NULL)
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "from_dlpack", "its version %u.%u is not of the major version %d",
                      (unsigned)from->version.major, (unsigned)from->version.minor, ZC_DLPACK_MAJOR);
    m.end(from, NULL);
    return NULL;
}

zc_tensor *zc_from_dlpack_legacy(zc_context *ctx, struct DLManagedTensor *from, const void *memory, size_t bytes)
{
    if (from == NULL)
        return NULL;
    managed m = {&from->dl_tensor, from, end_legacy};
    if (ctx != NULL)
        return import(ctx, m, memory, bytes, "from_dlpack_legacy");
    m.end(from, NULL);
    return NULL;
}
