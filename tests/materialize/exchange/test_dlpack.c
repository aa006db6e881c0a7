/* DLPack: what goes out says what it is, what comes in is believed only after it is checked, and deleters run once. */
#include "materialize/exchange/dlpack.h"

#include <string.h>

#include "tests/support/failing.h"
#include "tests/support/zc_test.h"

static zc_tensor *table(zc_context *ctx)
{
    const float values[6] = {0, 1, 2, 3, 4, 5};
    return zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(2, 3), values, sizeof values);
}

static float element(const DLTensor *t, int64_t i, int64_t j)
{
    return (
        (const float *)(const void *)((const char *)t->data + t->byte_offset))[i * t->strides[0] + j * t->strides[1]];
}

Test(dlpack, views_go_out_as_they_stand_and_outlive_the_context)
{
    zc_failing state = {.fail_at = 0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator});
    zc_tensor *x = table(ctx), *row = zc_index(x, 0, 1), *flipped = zc_flip(row, ZC_AXES(0));
    zc_tensor *wide = zc_broadcast_to(flipped, ZC_SHAPE(1000, 3));
    DLManagedTensorVersioned *out = NULL;
    int64_t copied = -1, held = zc_memory_usage(ctx).held_bytes;
    cr_assert_eq(zc_dlpack_copied_bytes(wide, false, &copied), ZC_OK);
    cr_assert_eq(copied, 0);
    cr_assert_eq(zc_to_dlpack(wide, false, &out), ZC_OK);
    cr_assert_eq(zc_memory_usage(ctx).held_bytes, held);
    zc_tensor *all[] = {x, row, flipped, wide};
    for (int i = 0; i < 4; i++)
        zc_release(all[i]);
    zc_context_free(ctx);
    cr_assert_eq(out->version.major, 1);
    cr_assert_eq(out->flags, ZC_DL_FLAG_READ_ONLY);
    const DLTensor *t = &out->dl_tensor;
    cr_assert_eq(t->ndim, 2);
    cr_assert_eq(t->shape[0], 1000);
    cr_assert_eq(t->strides[0], 0);
    cr_assert_eq(t->strides[1], -1);
    cr_assert_eq(t->device.device_type, ZC_DL_CPU);
    cr_assert(t->dtype.code == ZC_DL_FLOAT && t->dtype.bits == 32 && t->dtype.lanes == 1);
    cr_assert_eq(element(t, 999, 0), 5);
    cr_assert_eq(element(t, 0, 2), 3);
    out->deleter(out);
    cr_assert_eq(state.blocks, 0);
    cr_assert_eq(state.faults, 0);
}

Test(dlpack, what_must_be_computed_is_a_copy_of_its_own)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = table(ctx), *sum = zc_add(x, x), *turned = zc_matrix_transpose(x);
    DLManagedTensorVersioned *out = NULL;
    DLManagedTensor *legacy = NULL;
    int64_t copied = -1;
    cr_assert_eq(zc_dlpack_copied_bytes(sum, false, &copied), ZC_OK);
    cr_assert_eq(copied, 24);
    cr_assert_eq(zc_dlpack_copied_bytes(turned, false, &copied), ZC_OK);
    cr_assert_eq(copied, 0);
    cr_assert_eq(zc_dlpack_copied_bytes(turned, true, &copied), ZC_OK);
    cr_assert_eq(copied, 24);
    cr_assert_eq(zc_to_dlpack(sum, false, &out), ZC_OK);
    cr_assert_eq(out->flags, ZC_DL_FLAG_IS_COPIED);
    cr_assert_eq(element(&out->dl_tensor, 1, 2), 10);
    out->deleter(out);
    cr_assert_eq(zc_to_dlpack(turned, true, &out), ZC_OK);
    cr_assert_eq(out->dl_tensor.strides[0], 2);
    cr_assert_eq(element(&out->dl_tensor, 2, 1), 5);
    out->deleter(out);
    cr_assert_eq(zc_to_dlpack_legacy(turned, &legacy), ZC_OK);
    cr_assert_eq(element(&legacy->dl_tensor, 2, 0), 2);
    ((float *)legacy->dl_tensor.data)[0] = 99; /* nobody else's memory */
    cr_assert_eq(*(const float *)zc_data(x), 0);
    legacy->deleter(legacy);
    cr_assert_eq(zc_to_dlpack(NULL, false, &out), ZC_ERROR_ARGUMENT);
    cr_assert_null(out);
    cr_assert_eq(zc_to_dlpack(x, false, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_to_dlpack_legacy(NULL, &legacy), ZC_ERROR_ARGUMENT);
    cr_assert_null(legacy);
    cr_assert_eq(zc_to_dlpack_legacy(x, NULL), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_dlpack_copied_bytes(NULL, false, &copied), ZC_ERROR_ARGUMENT);
    cr_assert_eq(zc_dlpack_copied_bytes(x, false, NULL), ZC_ERROR_ARGUMENT);
    zc_tensor *all[] = {x, sum, turned};
    for (int i = 0; i < 3; i++)
        zc_release(all[i]);
    zc_context_free(ctx);
}

Test(dlpack, copies_count_against_the_limit)
{
    zc_context *ctx = zc_context_new(&(zc_options){.memory_limit = 40});
    zc_tensor *x = table(ctx), *sum = zc_add(x, x);
    DLManagedTensorVersioned *out = NULL;
    zc_memory_reset_peak(ctx);
    cr_assert_eq(zc_to_dlpack(sum, false, &out), ZC_ERROR_BUDGET);
    cr_assert_null(out);
    cr_assert_eq(zc_memory_usage(ctx).peak_bytes, 24); /* x alone: nothing was taken before the refusal */
    cr_assert_eq(strncmp(zc_error_text(ctx), "to_dlpack: ", 11), 0, "%s", zc_error_text(ctx));
    zc_tensor *huge = zc_broadcast_to(x, ZC_SHAPE(INT64_C(1) << 60, 2, 3));
    int64_t copied;
    zc_error_clear(ctx);
    cr_assert_eq(zc_dlpack_copied_bytes(huge, true, &copied), ZC_ERROR_OVERFLOW);
    zc_release(huge);
    zc_release(x);
    zc_release(sum);
    zc_context_free(ctx);
}

Test(dlpack, floats_of_16_bits_have_codes_of_their_own)
{
    static const zc_dtype dtypes[] = {ZC_FLOAT16, ZC_BFLOAT16};
    static const uint8_t codes[] = {2, 4};
    zc_context *ctx = zc_context_new(NULL);
    for (int i = 0; i < 2; i++) {
        const uint16_t bits[3] = {0x3c00, 0x8001, 0x7e00};
        zc_tensor *x = zc_from_data(ctx, dtypes[i], ZC_SHAPE(3), bits, sizeof bits);
        DLManagedTensorVersioned *out = NULL;
        cr_assert_eq(zc_to_dlpack(x, false, &out), ZC_OK);
        const DLTensor *t = &out->dl_tensor;
        cr_assert(t->dtype.code == codes[i] && t->dtype.bits == 16 && t->dtype.lanes == 1);
        zc_tensor *back = zc_from_dlpack(ctx, out, NULL, sizeof bits);
        cr_assert(back != NULL && zc_dtype_of(back) == dtypes[i], "%s", zc_error_text(ctx));
        cr_assert_eq(memcmp(zc_data(back), bits, sizeof bits), 0);
        zc_release(back);
        zc_release(x);
    }
    zc_context_free(ctx);
}

/* ---- In ---- */

static int deleted;

static void count_deleter(DLManagedTensorVersioned *self)
{
    cr_assert_not_null(self);
    deleted++;
}

static void count_legacy_deleter(DLManagedTensor *self)
{
    cr_assert_not_null(self);
    deleted++;
}

static double memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static int64_t shape[2] = {2, 3}, strides[2] = {-4, 1};

static DLManagedTensorVersioned foreign(void)
{
    return (DLManagedTensorVersioned){.version = {1, 7},
                                      .deleter = count_deleter,
                                      .dl_tensor = {.data = &memory[4],
                                                    .device = {ZC_DL_CPU, 0},
                                                    .ndim = 2,
                                                    .dtype = {ZC_DL_FLOAT, 64, 1},
                                                    .shape = shape,
                                                    .strides = strides}};
}

Test(dlpack, foreign_tensors_are_viewed_in_place)
{
    zc_context *ctx = zc_context_new(NULL);
    DLManagedTensorVersioned from = foreign();
    deleted = 0;
    zc_tensor *t = zc_from_dlpack(ctx, &from, memory, sizeof memory);
    cr_assert_not_null(t, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_data(t), (const void *)&memory[4]);
    cr_assert_eq(zc_strides(t)[0], -4);
    cr_assert_eq(deleted, 0);
    zc_release(t);
    cr_assert_eq(deleted, 1);
    from = foreign();
    from.dl_tensor.strides = NULL;
    from.dl_tensor.data = memory;
    from.dl_tensor.byte_offset = 16;
    t = zc_from_dlpack(ctx, &from, NULL, sizeof memory);
    cr_assert_eq(zc_strides(t)[0], 3);
    cr_assert_eq(*(const double *)zc_data(t), 2.0);
    zc_release(t);
    DLManagedTensor legacy = {.dl_tensor = foreign().dl_tensor, .deleter = count_legacy_deleter};
    t = zc_from_dlpack_legacy(ctx, &legacy, memory, sizeof memory);
    cr_assert_not_null(t);
    zc_release(t);
    cr_assert_eq(deleted, 3);
    from = foreign();
    from.deleter = NULL;
    zc_release(zc_from_dlpack(ctx, &from, memory, sizeof memory));
    zc_context_free(ctx);
}

static int64_t hostile_shape[2] = {INT64_C(1) << 40, INT64_C(1) << 40}, negative_shape[2] = {-1, 2};
static int64_t far_strides[2] = {INT64_MAX, 1};

static void version_2(DLManagedTensorVersioned *t)
{
    t->version.major = 2;
}
static void version_0(DLManagedTensorVersioned *t)
{
    t->version.major = 0;
}
static void on_a_gpu(DLManagedTensorVersioned *t)
{
    t->dl_tensor.device.device_type = 2;
}
static void no_rank(DLManagedTensorVersioned *t)
{
    t->dl_tensor.ndim = -1;
}
static void high_rank(DLManagedTensorVersioned *t)
{
    t->dl_tensor.ndim = 65;
}
static void no_shape(DLManagedTensorVersioned *t)
{
    t->dl_tensor.shape = NULL;
}
static void vectors(DLManagedTensorVersioned *t)
{
    t->dl_tensor.dtype.lanes = 4;
}
static void odd_bits(DLManagedTensorVersioned *t)
{
    t->dl_tensor.dtype.bits = 63;
}
static void complex_type(DLManagedTensorVersioned *t)
{
    t->dl_tensor.dtype.code = 5; /* of half the size, there is none */
    t->dl_tensor.dtype.bits = 32;
}
static void huge_shape(DLManagedTensorVersioned *t)
{
    t->dl_tensor.shape = hostile_shape;
}
static void negative_extent(DLManagedTensorVersioned *t)
{
    t->dl_tensor.shape = negative_shape;
}
static void far_steps(DLManagedTensorVersioned *t)
{
    t->dl_tensor.strides = far_strides;
}
static void huge_offset(DLManagedTensorVersioned *t)
{
    t->dl_tensor.byte_offset = UINT64_MAX;
}
static void far_offset(DLManagedTensorVersioned *t)
{
    t->dl_tensor.byte_offset = 4096;
}
static void odd_offset(DLManagedTensorVersioned *t)
{
    t->dl_tensor.byte_offset = 3;
}
static void before_memory(DLManagedTensorVersioned *t)
{
    t->dl_tensor.data = (void *)((uintptr_t)memory - 64);
}
static void no_data(DLManagedTensorVersioned *t)
{
    t->dl_tensor.data = NULL;
}

/* A producer may have nothing to end, and a consumer nothing to give back. */
Test(dlpack, deleters_may_be_missing_and_given_nothing)
{
    zc_context *ctx = zc_context_new(NULL);
    DLManagedTensorVersioned from = foreign(), *out = NULL;
    DLManagedTensor *legacy_out = NULL;
    from.deleter = NULL;
    zc_tensor *t = zc_from_dlpack(ctx, &from, memory, sizeof memory);
    cr_assert_not_null(t, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_to_dlpack(t, true, &out), ZC_OK);
    cr_assert_eq(zc_to_dlpack_legacy(t, &legacy_out), ZC_OK);
    DLManagedTensor legacy = {.dl_tensor = from.dl_tensor};
    zc_tensor *other = zc_from_dlpack_legacy(ctx, &legacy, memory, sizeof memory);
    cr_assert_not_null(other, "%s", zc_error_text(ctx));
    zc_release(other);
    out->deleter(NULL);
    legacy_out->deleter(NULL);
    out->deleter(out);
    legacy_out->deleter(legacy_out);
    zc_release(t);
    zc_context_free(ctx);
}

Test(dlpack, hostile_structures_are_refused_and_deleted_once)
{
    static void (*const changes[])(DLManagedTensorVersioned *) = {
        version_2,   version_0,  on_a_gpu,     no_rank,       high_rank,       no_shape,
        vectors,     odd_bits,   complex_type, huge_shape,    negative_extent, far_steps,
        huge_offset, far_offset, odd_offset,   before_memory, no_data};
    zc_context *ctx = zc_context_new(NULL);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        DLManagedTensorVersioned from = foreign();
        changes[i](&from);
        deleted = 0;
        zc_error_clear(ctx);
        cr_assert_null(zc_from_dlpack(ctx, &from, memory, sizeof memory), "case %zu is accepted", i);
        cr_assert_eq(deleted, 1, "case %zu", i);
        cr_assert_gt(strlen(zc_error_text(ctx)), 20, "case %zu", i);
        cr_assert_eq(strncmp(zc_error_text(ctx), "from_dlpack: ", 13), 0, "case %zu: %s", i, zc_error_text(ctx));
    }
    DLManagedTensorVersioned from = foreign();
    DLManagedTensor legacy = {.dl_tensor = from.dl_tensor, .deleter = count_legacy_deleter};
    deleted = 0;
    cr_assert_null(zc_from_dlpack(NULL, &from, memory, sizeof memory));
    cr_assert_null(zc_from_dlpack_legacy(NULL, &legacy, memory, sizeof memory));
    cr_assert_null(zc_from_dlpack_legacy(ctx, &legacy, memory, 8));
    cr_assert_eq(deleted, 3);
    deleted = 0;
    zc_error_clear(ctx);
    cr_assert_null(zc_from_dlpack_legacy(ctx, &legacy, memory, SIZE_MAX)); /* it would count as -1 bytes held */
    cr_assert_eq(strncmp(zc_error_text(ctx), "from_dlpack_legacy: no memory has ", 34), 0, "%s", zc_error_text(ctx));
    cr_assert_eq(deleted, 1);
    cr_assert_null(zc_from_dlpack(ctx, NULL, NULL, 0));
    cr_assert_null(zc_from_dlpack_legacy(ctx, NULL, NULL, 0));
    zc_context_free(ctx);
}

Test(dlpack, round_trips_keep_every_dtype)
{
    zc_context *ctx = zc_context_new(NULL);
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        zc_tensor *i = zc_iota(ctx, 5), *x = zc_astype(i, (zc_dtype)d);
        DLManagedTensorVersioned *out = NULL;
        cr_assert_eq(zc_to_dlpack(x, true, &out), ZC_OK);
        zc_tensor *back = zc_from_dlpack(ctx, out, NULL, 5 * zc_dtype_bytes((zc_dtype)d));
        cr_assert_not_null(back, "%s", zc_error_text(ctx));
        cr_assert_eq(zc_dtype_of(back), (zc_dtype)d);
        zc_release(i);
        zc_release(x);
        zc_release(back);
    }
    cr_assert_eq(zc_memory_usage(ctx).held_bytes, 0);
    zc_context_free(ctx);
}

/* ---- Allocations that fail ---- */

/* A view, a computed copy and a legacy copy go out, and one comes back; false when any of it failed. */
static bool exchange(zc_context *ctx, zc_scope *scope)
{
    DLManagedTensorVersioned *shown = NULL, *copied = NULL;
    DLManagedTensor *legacy = NULL;
    zc_tensor *x = table(ctx), *sum = zc_add(x, zc_broadcast_to(x, ZC_SHAPE(4, 2, 3))), *back = NULL;
    bool done = sum != NULL && zc_to_dlpack(x, false, &shown) == ZC_OK && zc_to_dlpack(sum, true, &copied) == ZC_OK &&
                zc_to_dlpack_legacy(sum, &legacy) == ZC_OK;
    cr_assert(done || legacy == NULL);
    if (copied != NULL) {
        back = zc_from_dlpack(ctx, copied, NULL, 4 * 24);
        done = done && back != NULL && *(const float *)zc_data(back) == 0;
    }
    zc_scope_end(scope);
    if (shown != NULL)
        shown->deleter(shown);
    if (legacy != NULL)
        legacy->deleter(legacy);
    cr_assert(done || zc_error_status(ctx) == ZC_ERROR_MEMORY, "%s", zc_error_text(ctx));
    return done;
}

Test(dlpack, every_allocation_that_fails_leaves_nothing_behind)
{
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        zc_failing state = {.fail_at = k};
        zc_allocator allocator = zc_failing_allocator(&state);
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
        zc_scope *scope = ctx == NULL ? NULL : zc_scope_begin(ctx);
        if (scope != NULL)
            done = exchange(ctx, scope);
        if (ctx != NULL)
            zc_context_free(ctx);
        cr_assert_eq(state.blocks, 0, "%ld blocks are left after call %ld failed", (long)state.blocks, (long)k);
        cr_assert_eq(state.faults, 0);
        cr_assert_lt(k, 1000);
    }
}
