/*
 * Random numbers: functions of a seed and of an element's number, made by the generator Philox 2x32-10 (Salmon and
 * others, "Parallel random numbers: as easy as 1, 2, 3", 2011) of the library's own operations. So they take no data
 * memory, a window has the numbers that the whole has, and all machines have the same.
 */
#include "runtime/dtypes/dtype.h"
#include "runtime/graph/scope.h"
#include "runtime/record/record.h"

#define ROUNDS     10
#define MULTIPLIER UINT64_C(0xD256D193)
#define KEY_STEP   UINT64_C(0x9E3779B9)
#define WORD       UINT64_C(0xFFFFFFFF)

/* Numbers of elements have fewer bits than this one, which tells a second stream of the same seed. */
#define SECOND_STREAM (UINT64_C(1) << 63)

static zc_tensor *word(zc_context *ctx, uint64_t value)
{
    return zc_weak_uint(ctx, value);
}

/* The 64 bits that the generator makes of each counter. */
static zc_tensor *mix(zc_context *ctx, const zc_tensor *counter, uint64_t seed)
{
    const zc_tensor *low = zc_bitwise_and(counter, word(ctx, WORD));
    const zc_tensor *high = zc_bitwise_right_shift(counter, word(ctx, 32));
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t key = (seed + round * KEY_STEP) & WORD; /* proven: wraps */
        const zc_tensor *product = zc_multiply(low, word(ctx, MULTIPLIER));
        const zc_tensor *carried = zc_bitwise_right_shift(product, word(ctx, 32));
        low = zc_bitwise_xor(zc_bitwise_xor(carried, word(ctx, key)), high);
        high = zc_bitwise_and(product, word(ctx, WORD));
    }
    return zc_bitwise_or(zc_bitwise_left_shift(low, word(ctx, 32)), high);
}

static zc_tensor *bits_of(zc_context *ctx, int rank, const int64_t *shape, int64_t size, uint64_t seed, bool is_second)
{
    const zc_tensor *number = zc_astype(zc_iota(ctx, size), ZC_UINT64);
    if (is_second)
        number = zc_bitwise_or(number, word(ctx, SECOND_STREAM));
    return zc_reshape(mix(ctx, number, seed), rank, shape);
}

/* Finds the number of elements; false with a failure. */
static bool check_seed(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed, const char *function,
                       int64_t *size)
{
    zc_reason why;
    if (zc_refuse_no_context(ctx, function))
        return false;
    zc_status status = zc_shape_size(rank, shape, size, &why);
    if (status == ZC_OK && seed > WORD)
        status = zc_refuse(&why, ZC_ERROR_ARGUMENT, "the seed %llu is above 4294967295", (unsigned long long)seed);
    if (status != ZC_OK)
        (void)zc_fail_because(ctx, status, function, &why);
    return status == ZC_OK;
}

static bool check_floats(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed, zc_dtype dtype,
                         const char *function, int64_t *size)
{
    if (!check_seed(ctx, rank, shape, seed, function, size))
        return false;
    if (dtype == ZC_FLOAT32 || dtype == ZC_FLOAT64)
        return true;
    (void)zc_fail(ctx, ZC_ERROR_DTYPE, function, "makes float32 or float64");
    return false;
}

/* Takes the highest bits, one for each binary digit of the dtype, as a number from 0 to 1. */
static zc_tensor *as_fraction(zc_context *ctx, const zc_tensor *bits, zc_dtype dtype)
{
    const int digits = dtype == ZC_FLOAT32 ? 24 : 53;
    const zc_tensor *whole = zc_bitwise_right_shift(bits, word(ctx, (uint64_t)(64 - digits)));
    return zc_multiply(zc_astype(whole, dtype), zc_weak_float(ctx, dtype == ZC_FLOAT32 ? 0x1p-24 : 0x1p-53));
}

zc_tensor *zc_random_bits(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed)
{
    int64_t size;
    if (!check_seed(ctx, rank, shape, seed, "random_bits", &size))
        return NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    return scope == NULL ? NULL : zc_scope_end_with(scope, bits_of(ctx, rank, shape, size, seed, false));
}

zc_tensor *zc_random_uniform(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed, zc_dtype dtype)
{
    int64_t size;
    if (!check_floats(ctx, rank, shape, seed, dtype, "random_uniform", &size))
        return NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    return scope == NULL
               ? NULL
               : zc_scope_end_with(scope, as_fraction(ctx, bits_of(ctx, rank, shape, size, seed, false), dtype));
}

/* By Box and Muller: the size from one stream, above 0, and the angle from the other. */
static zc_tensor *make_normal(zc_context *ctx, int rank, const int64_t *shape, int64_t size, uint64_t seed,
                              zc_dtype dtype)
{
    const zc_tensor *above_0 =
        zc_subtract(zc_weak_float(ctx, 1), as_fraction(ctx, bits_of(ctx, rank, shape, size, seed, false), dtype));
    const zc_tensor *turns = as_fraction(ctx, bits_of(ctx, rank, shape, size, seed, true), dtype);
    const zc_tensor *radius = zc_sqrt(zc_multiply(zc_log(above_0), zc_weak_float(ctx, -2)));
    return zc_multiply(radius, zc_cos(zc_multiply(turns, zc_weak_float(ctx, 0x1.921fb54442d18p+2))));
}

zc_tensor *zc_random_normal(zc_context *ctx, int rank, const int64_t *shape, uint64_t seed, zc_dtype dtype)
{
    int64_t size;
    if (!check_floats(ctx, rank, shape, seed, dtype, "random_normal", &size))
        return NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    return scope == NULL ? NULL : zc_scope_end_with(scope, make_normal(ctx, rank, shape, size, seed, dtype));
}
