#include "materialize/stages/reduce_finalize.h"

#include <math.h>
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "materialize/stages/reduce.h"
#include "math/floats/fused.h"

/* ---- Invariant axes ---- */

enum { BLOCK = 256 }; /* elements at a time */

/* x * n rounded once: to odd in double, which keeps what a second rounding to float needs to know. n is exact in double
 * up to 2^53. */
static double multiply_to_odd(double x, double n)
{
    double product = x * n, error = fma_float64(x, n, -product);
    uint64_t bits;
    memcpy(&bits, &product, sizeof bits);
    if (error == 0 || isnan(error) || (bits & 1) != 0) /* an infinite x makes it NaN */
        return product;
    bits += (error > 0) == (product > 0) ? UINT64_C(1) : ~UINT64_C(0);
    memcpy(&product, &bits, sizeof product);
    return product;
}

/* Equal factors for `count` elements, or for a block of them. */
static void fill_factors(zc_dtype dtype, zc_scalar factor, void *factors, int64_t count)
{
    zc_kernels_best()->pack[dtype](factors, factor.bytes, 0, zc_smaller(count, BLOCK));
}

/* In place. 24 bits times 29 are a double as they stand, and then rounded once. */
static void multiply_floats(float *f, int64_t count, int64_t n)
{
    const zc_kernels *kernels = zc_kernels_best();
    double products[BLOCK], factors[BLOCK];
    fill_factors(ZC_FLOAT64, (zc_scalar){.float64 = (double)n}, factors, count);
    for (int64_t first = 0, length; first < count; first += length) {
        length = zc_smaller(BLOCK, count - first);
        kernels->cast[ZC_FLOAT64][ZC_FLOAT32](products, f + first, NULL, NULL, length);
        if (n <= INT64_C(1) << 29) {
            kernels->map[ZC_OP_MULTIPLY][ZC_FLOAT64](products, products, factors, NULL, length);
        } else {
            for (int64_t i = 0; i < length; i++)
                products[i] = multiply_to_odd(products[i], (double)n);
        }
        kernels->cast[ZC_FLOAT32][ZC_FLOAT64](f + first, products, NULL, NULL, length);
    }
}

/* Those that are as wide as a kernel's elements. Integers wrap: those of a contraction have any width, those of sums
 * and products 64 bits. */
static void multiply_elements(zc_dtype dtype, void *values, int64_t count, int64_t n)
{
    _Alignas(zc_scalar) uint8_t factors[BLOCK * sizeof(zc_scalar)];
    fill_factors(dtype, zc_scalar_convert((zc_scalar){.int64 = n}, ZC_INT64, dtype), factors, count);
    for (int64_t first = 0, length; first < count; first += length) {
        length = zc_smaller(BLOCK, count - first);
        char *block = (char *)values + (size_t)first * zc_dtype_bytes(dtype);
        zc_kernels_best()->map[ZC_OP_MULTIPLY][dtype](block, block, factors, NULL, length);
    }
}

static void multiply_invariant(zc_dtype part, void *values, int64_t count, int64_t n)
{
    if (part == ZC_FLOAT32)
        multiply_floats(values, count, n);
    else
        multiply_elements(part, values, count, n);
}

/* In place, by pow's own kernel, since a C library's pow is not the same everywhere. The sign by the parity of n, which
 * a double may not hold. */
static void raise_doubles(double *x, int64_t count, int64_t n)
{
    double size[BLOCK], exponent[BLOCK];
    for (int64_t i = 0; i < count; i++) {
        size[i] = fabs(x[i]);
        exponent[i] = (double)n;
    }
    zc_kernels_best()->map[ZC_OP_POW][ZC_FLOAT64](size, size, exponent, NULL, count);
    for (int64_t i = 0; i < count; i++)
        x[i] = signbit(x[i]) && (n & 1) != 0 ? -size[i] : size[i];
}

static uint64_t integer_power(uint64_t x, int64_t n)
{
    uint64_t result = 1;
    for (; n > 0; n >>= 1, x *= x)
        result *= (n & 1) != 0 ? x : 1;
    return result;
}

/* Some at a time, floats as doubles. */
static void power_invariant(zc_dtype part, void *values, int64_t count, int64_t n)
{
    float *f = values;
    double *d = values, block[BLOCK];
    uint64_t *u = values;
    if (part != ZC_FLOAT32 && part != ZC_FLOAT64) {
        for (int64_t i = 0; i < count; i++)
            u[i] = integer_power(u[i], n);
        return;
    }
    for (int64_t first = 0, length; first < count; first += length) {
        length = zc_smaller(BLOCK, count - first);
        for (int64_t i = 0; i < length; i++)
            block[i] = part == ZC_FLOAT32 ? (double)f[first + i] : d[first + i];
        raise_doubles(block, length, n);
        for (int64_t i = 0; i < length; i++) {
            if (part == ZC_FLOAT32)
                f[first + i] = (float)block[i];
            else
                d[first + i] = block[i];
        }
    }
}

/* z^n, squaring and multiplying. */
static void complex_power(zc_dtype dtype, void *z, int64_t n)
{
    zc_map_kernel *times = zc_kernels_portable.map[ZC_OP_MULTIPLY][dtype];
    zc_scalar square = zc_scalar_load(dtype, z), result = square;
    for (n--; n > 0; n >>= 1) {
        if ((n & 1) != 0)
            times(result.bytes, result.bytes, square.bytes, NULL, 1);
        times(square.bytes, square.bytes, square.bytes, NULL, 1);
    }
    memcpy(z, result.bytes, zc_dtype_bytes(dtype));
}

static void raise_complex(const zc_stage *stage, char *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        complex_power(stage->store.dtype, values + (size_t)i * zc_dtype_bytes(stage->store.dtype),
                      stage->reduce.invariant_count);
}

/* Number of floats in `count` elements: two each for complex ones. */
static int64_t part_count(const zc_stage *stage, int64_t count)
{
    return zc_dtype_is_complex(stage->store.dtype) ? 2 * count : count; /* proven: the elements have an address */
}

/* In place. */
static void apply_invariant_axes(const zc_stage *stage, void *values, int64_t count)
{
    zc_invariant_rule rule = zc_reduction_describe(stage->reduce.reduction)->invariant;
    if (rule == ZC_INVARIANT_IGNORE || rule == ZC_INVARIANT_LOG || stage->reduce.invariant_count == 1)
        return;
    if (rule == ZC_INVARIANT_POWER && zc_dtype_is_complex(stage->store.dtype)) {
        raise_complex(stage, values, count);
        return;
    }
    zc_dtype part = zc_dtype_part(stage->store.dtype);
    if (rule == ZC_INVARIANT_MULTIPLY)
        multiply_invariant(part, values, part_count(stage, count), stage->reduce.invariant_count);
    else
        power_invariant(part, values, count, stage->reduce.invariant_count);
}

static void divide_by_count(const zc_stage *stage, void *values, int64_t count)
{
    const double elements = (double)zc_walked_count(stage);
    const bool is_single = zc_dtype_part(stage->store.dtype) == ZC_FLOAT32;
    float *f = values;
    double *d = values;
    if (elements == 1)
        return;
    for (int64_t i = 0; i < part_count(stage, count); i++) {
        if (is_single)
            f[i] = (float)((double)f[i] / elements);
        else
            d[i] /= elements;
    }
}

/* The number of an element among the walked axes, as an index over all reduced axes. */
static int64_t full_index(const zc_stage *stage, int64_t number)
{
    int64_t index = 0;
    for (int a = stage->rank - 1; a > stage->kept; a--) {
        index +=
            number % stage->shape[a] * stage->reduce.index_weight[a - stage->kept]; /* proven: inside the operand */
        number /= stage->shape[a];
    }
    return index + number * stage->reduce.index_weight[0]; /* proven: likewise */
}

/* `out` may be where the numbers are. Along one axis a number is an index but for a weight. */
static void find_indices(const zc_stage *stage, const int64_t *numbers, int64_t *out, int64_t n)
{
    const int64_t weight = stage->reduce.index_weight[0];
    if (stage->rank != stage->kept + 1) {
        for (int64_t i = 0; i < n; i++)
            out[i] = full_index(stage, numbers[i]);
        return;
    }
    if (weight == 1 && numbers == out)
        return;
    for (int64_t i = 0; i < n; i++)
        out[i] = numbers[i] * weight; /* proven: as in full_index */
}

/* log(s n) + m of the log sums (m, s), or log(n) + m of elements m; `out` may be where these are. */
static void join_logarithms(const zc_stage *stage, const char *joined, char *out, int64_t count)
{
    const zc_dtype dtype = stage->store.dtype;
    const size_t item = zc_dtype_bytes(dtype);
    const bool are_sums = zc_is_combined(stage);
    const zc_scalar one = zc_scalar_convert((zc_scalar){.float64 = 1}, ZC_FLOAT64, dtype);
    const zc_kernels *kernels = zc_kernels_best();
    for (int64_t first = 0, length; first < count; first += length, out += (size_t)length * item) {
        _Alignas(zc_scalar) char most[BLOCK * sizeof one], sum[BLOCK * sizeof one];
        length = zc_smaller(BLOCK, count - first);
        for (int64_t i = 0; i < length; i++, joined += are_sums ? 2 * item : item) {
            memcpy(most + (size_t)i * item, joined, item);
            memcpy(sum + (size_t)i * item, are_sums ? joined + item : (const char *)one.bytes, item);
        }
        multiply_invariant(dtype, sum, length, stage->reduce.invariant_count);
        kernels->map[ZC_OP_LOG][dtype](sum, sum, NULL, NULL, length);
        kernels->map[ZC_OP_ADD][dtype](out, sum, most, NULL, length);
    }
}

/* Keeps log sums as they are, as complex numbers; an element m is (m, 1). */
static void keep_log_sums(const zc_stage *stage, const char *joined, char *out, int64_t count)
{
    const size_t pair = zc_dtype_bytes(stage->store.dtype), item = pair / 2;
    const zc_dtype part = zc_dtype_part(stage->store.dtype);
    const zc_scalar one = zc_scalar_convert((zc_scalar){.float64 = 1}, ZC_FLOAT64, part);
    if (zc_is_combined(stage)) {
        if (joined != out)
            memcpy(out, joined, (size_t)count * pair);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        memcpy(out + (size_t)i * pair, joined + (size_t)i * item, item);
        memcpy(out + (size_t)i * pair + item, one.bytes, item);
    }
}

static void fill_empty(const zc_stage *stage, void *out, int64_t n)
{
    static const double results[ZC_REDUCTION_COUNT] = {
        [ZC_REDUCTION_PROD] = 1, [ZC_REDUCTION_ALL] = 1, [ZC_REDUCTION_LOGSUMEXP] = -INFINITY};
    zc_scalar result =
        zc_scalar_convert((zc_scalar){.float64 = results[stage->reduce.reduction]}, ZC_FLOAT64, stage->store.dtype);
    zc_kernels_portable.pack[stage->store.dtype](out, result.bytes, 0, n);
}

void zc_finalize(const zc_stage *stage, const void *joined, const int64_t *numbers, void *out, int64_t n)
{
    if (zc_reduction_is_index(stage->reduce.reduction)) {
        if (numbers == NULL)
            memset(out, 0, (size_t)n * sizeof(int64_t));
        else
            find_indices(stage, numbers, out, n);
        return;
    }
    if (joined == NULL)
        fill_empty(stage, out, n);
    else if (zc_reduction_has_log_sums(stage->reduce.reduction))
        (zc_dtype_is_complex(stage->store.dtype) ? keep_log_sums : join_logarithms)(stage, joined, out, n);
    else if (joined != out)
        memcpy(out, joined, (size_t)n * zc_dtype_bytes(stage->store.dtype));
    if (stage->reduce.reduction == ZC_REDUCTION_MEAN)
        divide_by_count(stage, out, n);
    apply_invariant_axes(stage, out, n);
}
