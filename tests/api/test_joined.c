/* Small concats of what is in memory are joined before anything is planned: with the bits of a plan, and kept. */
#include "tests/api/values.h"
#include "tests/support/random.h"

#include <string.h>

enum { MOST_PARTS = 4, MOST_EXTENT = 6, READINGS = 4, ROOM = 1 << 16 };

static const zc_dtype dtypes[] = {ZC_FLOAT64, ZC_FLOAT32, ZC_INT8, ZC_UINT16, ZC_INT64, ZC_COMPLEX128, ZC_BOOL};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* A view of memory of that shape: turned around, broadcast along an axis, or as it is. */
static zc_tensor *part_of(bench b, zc_dtype dtype, int rank, const int64_t *shape)
{
    int64_t stored[3], size = 1;
    const int changed = (int)zc_random_range(0, rank - 1), how = (int)zc_random_range(0, 2);
    for (int a = 0; a < rank; a++) {
        stored[a] = how == 0 && a == changed && shape[a] > 0 ? 1 : shape[a];
        size *= stored[a];
    }
    zc_tensor *part = zc_reshape(result_of(zc_astype(zc_iota(b.ctx, size), dtype)), rank, stored);
    return how == 0 ? zc_broadcast_to(part, rank, shape) : how == 1 ? zc_flip(part, 1, &changed) : part;
}

static zc_tensor *concat_of(bench b, zc_dtype dtype)
{
    zc_tensor *parts[MOST_PARTS];
    const int rank = (int)zc_random_range(1, 3), axis = (int)zc_random_range(0, rank - 1);
    const int count = (int)zc_random_range(1, MOST_PARTS);
    int64_t shape[3];
    for (int a = 0; a < rank; a++)
        shape[a] = zc_random_range(1, MOST_EXTENT);
    for (int k = 0; k < count; k++) {
        shape[axis] = zc_random_range(k > 0 ? 0 : 1, MOST_EXTENT);
        parts[k] = part_of(b, dtype, rank, shape);
    }
    return zc_concat(b.ctx, count, (const zc_tensor *const *)parts, axis);
}

static const zc_tensor *reading_of(bench b, const zc_tensor *x, int how)
{
    const int64_t last = zc_shape(x)[0] - 1;
    switch (how) {
    case 0:
        return zc_index(x, 0, last);
    case 1:
        return zc_slice(zc_add(x, zc_weak_int(b.ctx, 1)), 0, ZC_NONE, ZC_NONE, -1);
    case 2:
        return zc_divide(zc_sum(x, ZC_ALL_AXES, false), zc_weak_int(b.ctx, 3));
    default:
        return zc_concat(b.ctx, 2, (const zc_tensor *const[]){zc_index(x, 0, 0), zc_index(x, 0, last)}, 0);
    }
}

/* Bytes of what is read of a concat, and those that are kept afterwards. */
static size_t run(zc_options options, zc_dtype dtype, int how, char bytes[ROOM], int64_t *kept, int64_t *whole)
{
    bench b = begin_with(options);
    const zc_tensor *x = concat_of(b, dtype), *read = reading_of(b, x, how);
    zc_tensor *out = NULL;
    size_t size = 0;
    if (read != NULL) { /* rows of rank 0 are not joined */
        cr_assert_eq(zc_materialize(read, &out), ZC_OK, "%s", zc_error_text(b.ctx));
        size = (size_t)zc_size(out) * zc_dtype_bytes(zc_dtype_of(out));
        memcpy(bytes, zc_data(out), size);
    }
    *kept = zc_memory_usage(b.ctx).kept_bytes;
    *whole = zc_size(x) * (int64_t)zc_dtype_bytes(dtype);
    zc_error_clear(b.ctx);
    finish(b);
    return size;
}

Test(joined, concats_have_the_bits_of_a_plan)
{
    static char wanted[ROOM], got[ROOM];
    int64_t joined = 0, kept, whole;
    zc_random_begin("joined/bits");
    for (int i = 0; i < zc_test_count(2000); i++) {
        const zc_dtype dtype = dtypes[i % DTYPES];
        const int how = (int)zc_random_range(0, READINGS - 1);
        const zc_random_place place = zc_random_mark();
        const size_t size = run((zc_options){.threads = 1, .recompute = true}, dtype, how, wanted, &kept, &whole);
        cr_assert_eq(kept, 0);
        zc_random_return(&place);
        cr_assert_eq(run((zc_options){.threads = 1}, dtype, how, got, &kept, &whole), size);
        cr_assert_eq(memcmp(wanted, got, size), 0, "concat %d, %s, reading %d", i, zc_dtype_name(dtype), how);
        joined += kept == whole;
    }
    cr_expect_gt(joined, zc_test_count(2000) / 2);
}

/* A concat that is joined takes at most a quarter of the memory that the limit leaves. */
Test(joined, concats_keep_to_the_limit)
{
    enum { LENGTH = 4096, BYTES = (LENGTH + 1) * 8 };
    for (int64_t room = BYTES / 2; room <= 8 * BYTES; room += BYTES / 2) {
        bench b = begin();
        const zc_tensor *x = result_of(zc_astype(zc_iota(b.ctx, LENGTH), ZC_FLOAT64)), *one = OF(b.ctx, ZC_FLOAT64, 5);
        zc_context *limited = zc_context_new(&(zc_options){.threads = 1, .memory_limit = room});
        zc_scope *scope = zc_scope_begin(limited);
        const zc_tensor *parts[] = {zc_adopt(limited, x), zc_adopt(limited, one)};
        const zc_tensor *all = zc_concat(limited, 2, parts, 0);
        EXPECT(zc_sum(zc_slice(all, 0, LENGTH - 1, ZC_NONE, 1), ZC_ALL_AXES, false), LENGTH - 1 + 5);
        const int64_t kept = zc_memory_usage(limited).kept_bytes;
        cr_expect(kept == 0 || (kept == BYTES && 4 * BYTES <= room), "%lld in %lld", (long long)kept, (long long)room);
        zc_scope_end(scope);
        zc_context_free(limited);
        finish(b);
    }
}
