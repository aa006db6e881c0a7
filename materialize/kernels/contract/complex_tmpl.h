/*
 * Contractions of a complex dtype. Included once per dtype with ZC_D its name, ZC_PART that of its parts, ZC_T their
 * C type and ZC_LANE an unsigned integer of that size. Each part is a chain of its own: the real one takes the product
 * of the real parts, then that of the imaginary ones, negated; the imaginary one the product with the real part of the
 * left operand first, which is y's where the operands are exchanged.
 */

typedef ZC_T ZC_FN(factors) __attribute__((vector_size(ZC_LANE_BYTES)));
typedef ZC_LANE ZC_FN(lane_numbers) __attribute__((vector_size(ZC_LANE_BYTES)));
#define ZC_ADD_PRODUCT(x, y, sum) ZC_JOIN(ZC_FUSE, ZC_PART)(x, y, sum)

/* The real parts of a vector's worth of numbers, the imaginary ones, and those negated, [3]: a factor that is spread
 * comes from memory as it is. */
ZC_INTO_CALLER void ZC_FN(take_apart)(const ZC_T *from, ZC_FN(factors) * parts)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
#if ZC_LANE_BYTES == 64
    ZC_FN(factors) a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + LANES, sizeof b);
    parts[0] = ZC_EVENS(a, b, ZC_PART);
    parts[1] = ZC_ODDS(a, b, ZC_PART);
#else
    ZC_FN(factors) real = {0}, imag = {0};
    for (int l = 0; l < LANES; l++) {
        real[l] = from[2 * l];
        imag[l] = from[2 * l + 1];
    }
    parts[0] = real;
    parts[1] = imag;
#endif
    parts[2] = -parts[1];
}

/* LCOV_EXCL_BR_START: whether operands are exchanged is known where this is inlined */
ZC_INTO_CALLER void ZC_FN(contract_rows)(const zc_contract_tile *t, int first, const int rows, const bool is_exchanged)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
    ZC_FN(factors) sum[ZC_CONTRACT_MOST_ROWS][2], y[3];
    const int64_t x_row = 2 * t->x_row;
    const ZC_T *from = t->y, *x = (const ZC_T *)t->x + first * x_row;
    ZC_FN(take_apart)(from, y);
    ZC_UNROLL for (int r = 0; r < rows; r++)
    {
        const ZC_FN(factors) real = ZC_SPLAT(x[r * x_row], ZC_FN(factors));
        const ZC_FN(factors) imag = ZC_SPLAT(x[r * x_row + 1], ZC_FN(factors));
        sum[r][0] = ZC_ADD_PRODUCT(imag, y[2], real * y[0]);
        sum[r][1] = is_exchanged ? ZC_ADD_PRODUCT(real, y[1], imag * y[0]) : ZC_ADD_PRODUCT(imag, y[0], real * y[1]);
    }
    for (int64_t k = 1; k < t->length; k++) {
        from += 2 * t->y_row;
        x += 2;
        ZC_FN(take_apart)(from, y);
        ZC_UNROLL for (int r = 0; r < rows; r++)
        {
            const ZC_FN(factors) real = ZC_SPLAT(x[r * x_row], ZC_FN(factors));
            const ZC_FN(factors) imag = ZC_SPLAT(x[r * x_row + 1], ZC_FN(factors));
            sum[r][0] = ZC_ADD_PRODUCT(imag, y[2], ZC_ADD_PRODUCT(real, y[0], sum[r][0]));
            sum[r][1] = is_exchanged ? ZC_ADD_PRODUCT(real, y[1], ZC_ADD_PRODUCT(imag, y[0], sum[r][1]))
                                     : ZC_ADD_PRODUCT(imag, y[0], ZC_ADD_PRODUCT(real, y[1], sum[r][1]));
        }
    }
    ZC_T *to = (ZC_T *)t->sums + first * 2 * t->sums_row;
    for (int r = 0; r < rows; r++, to += 2 * t->sums_row) {
        for (int l = 0; l < LANES; l++) {
            to[2 * l] = t->adds ? to[2 * l] + sum[r][0][l] : sum[r][0][l];
            to[2 * l + 1] = t->adds ? to[2 * l + 1] + sum[r][1][l] : sum[r][1][l];
        }
    }
}
/* LCOV_EXCL_BR_STOP */

ZC_INTO_CALLER void ZC_FN(contract_all)(const zc_contract_tile *t, const bool is_exchanged)
{
    int first = 0;
    for (; t->rows - first >= ZC_CONTRACT_MOST_ROWS; first += ZC_CONTRACT_MOST_ROWS)
        ZC_FN(contract_rows)(t, first, ZC_CONTRACT_MOST_ROWS, is_exchanged);
    for (; first < t->rows; first++)
        ZC_FN(contract_rows)(t, first, 1, is_exchanged);
}

void ZC_KERNEL(contract)(const zc_contract_tile *t)
{
    if (t->is_exchanged)
        ZC_FN(contract_all)(t, true);
    else
        ZC_FN(contract_all)(t, false);
    ZC_END_VECTORS();
}

/* LCOV_EXCL_BR_START: lanes are numbered, and it is known whether operands are exchanged, where these are inlined; the
 * branches of a software fma are copied with them */
/* Lane l of the result is the lane (l & and | or) ^ xor of x: parts of numbers change places. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(rearranged)(ZC_FN(factors) x, const int and, const int or, const int xor)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_T) };
#if defined(__clang__)
    ZC_FN(factors) out;
    for (int l = 0; l < LANES; l++)
        out[l] = x[((l & and) | or) ^ xor];
    return out;
#else
    ZC_FN(lane_numbers) from = {0};
    ZC_UNROLL for (int l = 0; l < LANES; l++) from[l] = (ZC_LANE)(((l & and) | or) ^ xor);
    return __builtin_shuffle(x, from);
#endif
}

/* The signs that make i times a number of one whose parts changed places; where the left operand is conjugated, -i
 * times. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(signs)(bool is_conjugated)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_T) };
    ZC_FN(lane_numbers) signs = {0};
    for (int l = 0; l < LANES; l++)
        signs[l] = (ZC_LANE)(l % 2 == is_conjugated) << (8 * sizeof(ZC_LANE) - 1);
    return (ZC_FN(factors))signs;
}

/* The products of numbers: with the real part of the left operand first. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(add_factors)(ZC_FN(factors) x, ZC_FN(factors) y, ZC_FN(factors) sum,
                                                 ZC_FN(factors) signs, const bool is_exchanged)
{
    enum { ALL = ZC_LANE_BYTES / sizeof(ZC_T) - 1 };
    const ZC_FN(factors) left = is_exchanged ? y : x, right = is_exchanged ? x : y;
    const ZC_FN(factors) turned = (ZC_FN(factors))((ZC_FN(lane_numbers))ZC_FN(rearranged)(right, ALL, 0, 1) ^
                                                   (ZC_FN(lane_numbers))signs); /* i times right, or -i */
    sum = ZC_ADD_PRODUCT(ZC_FN(rearranged)(left, ALL - 1, 0, 0), right, sum);
    return ZC_ADD_PRODUCT(ZC_FN(rearranged)(left, ALL, 1, 0), turned, sum);
}

ZC_INTO_CALLER void ZC_FN(add_factor)(ZC_T *sum, const ZC_T *x, const ZC_T *y, bool is_exchanged, bool is_conjugated)
{
    const ZC_T *left = is_exchanged ? y : x, *right = is_exchanged ? x : y;
    const ZC_T left_imag = is_conjugated ? -left[1] : left[1];
    const ZC_T real = ZC_JOIN(fma, ZC_PART)(left[0], right[0], sum[0]);
    const ZC_T imag = ZC_JOIN(fma, ZC_PART)(left[0], right[1], sum[1]);
    sum[0] = ZC_JOIN(fma, ZC_PART)(left_imag, -right[1], real);
    sum[1] = ZC_JOIN(fma, ZC_PART)(left_imag, right[0], imag);
}

/* As integers of 64 bits, which processors spread from memory. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(spread)(const ZC_T *number)
{
    enum { WORDS = 2 * sizeof(ZC_T) / sizeof(uint64_t) };
    uint64_t word[WORDS];
    zc_whole_lanes lanes = {0};
    memcpy(word, number, sizeof word);
    for (size_t l = 0; l < sizeof lanes / sizeof *word; l++)
        lanes[l] = word[l % WORDS];
    return (ZC_FN(factors))lanes;
}
/* LCOV_EXCL_BR_STOP */

#define ZC_PARTS  2
#define ZC_NUMBER uint64_t
#include "materialize/kernels/contract/inner_tmpl.h"
#include "materialize/kernels/contract/row_tmpl.h"
#undef ZC_PARTS
#undef ZC_NUMBER

/* Results side by side: some products of each at a time, so that sums are read less often than factors. */
ZC_INTO_CALLER void ZC_FN(add_batches)(const zc_contract_batches *t, int64_t k, const int products)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_T) };
    const ZC_T *x[ZC_PRODUCTS_AT_ONCE], *y[ZC_PRODUCTS_AT_ONCE];
    ZC_T *sums = t->sums;
    ZC_FN(factors) sum, a, b;
    for (int i = 0; i < products; i++)
        x[i] = (const ZC_T *)t->x + 2 * t->x_at[k + i], y[i] = (const ZC_T *)t->y + 2 * t->y_at[k + i];
    int64_t r = 0;
    for (; r + LANES <= 2 * t->count; r += LANES) {
        memcpy(&sum, sums + r, sizeof sum);
        ZC_UNROLL for (int i = 0; i < products; i++)
        {
            memcpy(&a, x[i] + r, sizeof a);
            memcpy(&b, y[i] + r, sizeof b);
            sum = ZC_FN(add_factors)(a, b, sum, ZC_FN(signs)(false), false);
        }
        memcpy(sums + r, &sum, sizeof sum);
    }
    for (; r < 2 * t->count; r += 2) {
        /* LCOV_EXCL_BR_START: of constants */
        for (int i = 0; i < products; i++)
            ZC_FN(add_factor)(sums + r, x[i] + r, y[i] + r, false, false);
        /* LCOV_EXCL_BR_STOP */
    }
}

void ZC_KERNEL(contract_batches)(const zc_contract_batches *t)
{
    ZC_T *sums = t->sums;
    int64_t k = 0;
    for (int64_t r = 0; r < 2 * t->count; r++)
        sums[r] = (ZC_T)-0.0; /* as above */
    for (; k + ZC_PRODUCTS_AT_ONCE <= t->length; k += ZC_PRODUCTS_AT_ONCE)
        ZC_FN(add_batches)(t, k, ZC_PRODUCTS_AT_ONCE);
    for (; k < t->length; k++)
        ZC_FN(add_batches)(t, k, 1);
    ZC_END_VECTORS();
}

#undef ZC_ADD_PRODUCT
#undef ZC_LANE
#undef ZC_PART
#undef ZC_T
#undef ZC_D
