/*
 * DLPack's structures, versioned and legacy, with everything in them chosen by the input: version, device, rank, dtype,
 * extents, strides, where the data lies and how much of it may be read. Each is refused with a sentence, or shows
 * exactly the elements that it describes, all of them inside the memory; its deleter is called once, and not before
 * the last tensor over it has gone.
 *
 * Invariant: the arrays stand in blocks of exactly their size, and the deleter frees all of them, so that
 * AddressSanitizer sees a read past an end, before a check, or after the deleter.
 */
#include "tests/fuzz/drawn.h"
#include "tests/fuzz/target.h"

#include <stdlib.h>
#include <string.h>

#include "materialize/exchange/dlpack.h"
#include "tests/support/random.h"
#include "tests/support/wide.h"
#include "zerocast.h"

enum { MOST_MEMORY = 512, LIMIT = 1 << 14 };

static int deleted;

/* Memory and tensor behind one structure; manager_ctx points to them in both kinds. */
typedef struct foreign {
    unsigned char *memory;
    size_t bytes;
    DLTensor tensor;
} foreign;

static void end_foreign(foreign *f)
{
    free(f->memory);
    free(f->tensor.shape);
    free(f->tensor.strides);
    free(f);
    deleted++;
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    end_foreign(self->manager_ctx);
    free(self);
}

static void delete_legacy(DLManagedTensor *self)
{
    end_foreign(self->manager_ctx);
    free(self);
}

/* ---- Drawing ---- */

static bool one_in(int count)
{
    return zc_random_range(1, count) == count;
}

static int64_t draw_number(int64_t low, int64_t high)
{
    return one_in(16) ? (int64_t)zc_random_u64() : zc_random_range(low, high);
}

static int64_t *draw_array(int32_t count, int64_t low, int64_t high)
{
    int64_t *array = count >= 0 && count <= ZC_MAX_RANK ? malloc((size_t)count * sizeof *array) : malloc(0);
    for (int32_t i = 0; count <= ZC_MAX_RANK && i < count; i++)
        array[i] = draw_number(low, high);
    return array;
}

static DLDataType draw_type(void)
{
    static const uint8_t codes[] = {ZC_DL_INT, ZC_DL_UINT, ZC_DL_FLOAT, ZC_DL_BFLOAT, ZC_DL_BOOL};
    static const uint8_t bits[] = {8, 16, 32, 64};
    DLDataType type = {codes[zc_random_range(0, 4)], bits[zc_random_range(0, 3)], 1};
    if (one_in(16))
        type = (DLDataType){(uint8_t)zc_random_u64(), (uint8_t)zc_random_u64(), (uint16_t)zc_random_u64()};
    return type;
}

static foreign *draw_foreign(void)
{
    foreign *f = calloc(1, sizeof *f);
    f->bytes = (size_t)zc_random_range(0, MOST_MEMORY);
    f->memory = malloc(f->bytes);
    for (size_t i = 0; i < f->bytes; i++)
        f->memory[i] = (unsigned char)(i * 37);
    DLTensor *t = &f->tensor;
    t->data = one_in(16) ? NULL : (void *)((uintptr_t)f->memory + (uintptr_t)draw_number(0, 64));
    t->device = (DLDevice){one_in(16) ? (int32_t)zc_random_u64() : ZC_DL_CPU, 0};
    t->ndim = (int32_t)(one_in(16) ? (int64_t)zc_random_u64() : zc_random_range(0, 5));
    t->dtype = draw_type();
    t->shape = one_in(16) ? NULL : draw_array(t->ndim, 0, 5);
    t->strides = one_in(3) ? NULL : draw_array(t->ndim, -8, 8);
    t->byte_offset = (uint64_t)draw_number(0, 64);
    return f;
}

static zc_tensor *import_versioned(zc_context *ctx, foreign *f, const void *memory, size_t bytes)
{
    DLManagedTensorVersioned *m = calloc(1, sizeof *m);
    m->version = (DLPackVersion){one_in(16) ? (uint32_t)zc_random_u64() : ZC_DLPACK_MAJOR, (uint32_t)zc_random_u64()};
    m->flags = zc_random_u64();
    m->manager_ctx = f;
    m->deleter = delete_versioned;
    m->dl_tensor = f->tensor;
    return zc_from_dlpack(ctx, m, memory, bytes);
}

static zc_tensor *import_legacy(zc_context *ctx, foreign *f, const void *memory, size_t bytes)
{
    DLManagedTensor *m = calloc(1, sizeof *m);
    m->manager_ctx = f;
    m->deleter = delete_legacy;
    m->dl_tensor = f->tensor;
    return zc_from_dlpack_legacy(ctx, m, memory, bytes);
}

/* ---- What was accepted ---- */

/* The lowest and the highest address of an element, beyond the last one's end. */
static void find_reach(const DLTensor *t, size_t item, wide *low, wide *high)
{
    wide step = (wide)item;
    *low = *high = (wide)(uintptr_t)t->data + t->byte_offset;
    for (int32_t a = t->ndim - 1; a >= 0; a--) {
        wide reach = (t->shape[a] - 1) * (t->strides != NULL ? (wide)t->strides[a] * (wide)item : step);
        *(reach < 0 ? low : high) += reach;
        step *= t->shape[a];
    }
    *high += (wide)item;
}

/* Compares the bytes of two elements; in a bool, any byte but 0 is true, and a computed one is 1. */
static bool is_same(const unsigned char *computed, const unsigned char *element, zc_dtype dtype)
{
    if (dtype == ZC_BOOL)
        return (*computed != 0) == (*element != 0);
    return memcmp(computed, element, zc_dtype_bytes(dtype)) == 0;
}

/* The elements in row-major order, read by hand, are those that are computed. */
static void check_elements(zc_tensor *t, const DLTensor *from)
{
    zc_tensor *out = NULL;
    if (zc_size(t) > LIMIT || zc_materialize(t, &out) != ZC_OK)
        return;
    size_t item = zc_dtype_bytes(zc_dtype_of(t));
    const unsigned char *data = zc_data(out);
    for (int64_t i = 0; i < zc_size(t); i++) {
        int64_t rest = i, at = 0, step = 1;
        for (int32_t a = from->ndim - 1; a >= 0; a--) {
            at += rest % from->shape[a] * (from->strides != NULL ? from->strides[a] : step);
            rest /= from->shape[a];
            step *= from->shape[a];
        }
        uintptr_t element = (uintptr_t)from->data + (uintptr_t)from->byte_offset + (uintptr_t)(at * (int64_t)item);
        claim(is_same(data + i * (int64_t)item, (const unsigned char *)element, zc_dtype_of(t)));
    }
    zc_release(out);
}

static void check_accepted(zc_tensor *t, const foreign *f, const void *memory, size_t bytes)
{
    const DLTensor *from = &f->tensor;
    size_t item = zc_dtype_bytes(zc_dtype_of(t));
    claim(from->device.device_type == ZC_DL_CPU && from->dtype.lanes == 1 && from->dtype.bits == 8 * item);
    claim(zc_rank(t) == from->ndim);
    for (int a = 0; a < zc_rank(t); a++)
        claim(zc_shape(t)[a] == from->shape[a]);
    if (zc_size(t) > 0) {
        wide low, high, first = (wide)(uintptr_t)memory;
        find_reach(from, item, &low, &high);
        claim(low >= first && high <= first + (wide)bytes && low % (wide)item == 0);
        check_elements(t, from);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    drawn_begin(data, size);
    deleted = 0;
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = LIMIT, .threads = 1});
    bool is_legacy = zc_random_bool();
    foreign *f = draw_foreign();
    const void *memory = zc_random_bool() || f->tensor.data != f->memory ? f->memory : NULL;
    const void *base = memory != NULL ? memory : f->memory;
    size_t bytes = f->bytes;
    zc_tensor *t = (is_legacy ? import_legacy : import_versioned)(ctx, f, memory, bytes);
    if (t == NULL) {
        claim(deleted == 1 && zc_error_status(ctx) != ZC_OK && zc_error_text(ctx)[0] != '\0');
    } else {
        claim(deleted == 0);
        check_accepted(t, f, base, bytes);
        zc_tensor *view = zc_broadcast_to(t, zc_rank(t), zc_shape(t));
        zc_release(t);
        claim(deleted == 0);
        zc_release(view);
        claim(deleted == 1);
    }
    claim(zc_memory_usage(ctx).held_bytes == 0);
    zc_context_free(ctx);
    return 0;
}
