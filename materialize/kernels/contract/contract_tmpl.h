/*
 * Contractions of a dtype. Included once per dtype with ZC_T its C type, ZC_D its name, and ZC_IS_FLOAT, which says
 * that products and sums are rounded together, then ZC_LANE an unsigned integer of that size; integers wrap. With
 * ZC_ADD_GROUPS(x, y, sum) factors are pairs of integers, or fours of bytes with ZC_ARE_FOURS.
 */

typedef ZC_T ZC_FN(factors) __attribute__((vector_size(ZC_LANE_BYTES)));
#if ZC_IS_FLOAT
typedef ZC_LANE ZC_FN(lane_numbers) __attribute__((vector_size(ZC_LANE_BYTES)));
#endif

#if defined(ZC_ADD_GROUPS)
#define ZC_FIRST_PRODUCT(x, y, before) ZC_ADD_GROUPS(x, y, before)
#define ZC_ADD_PRODUCT(x, y, sum)      ZC_ADD_GROUPS(x, y, sum)
#elif ZC_IS_FLOAT
#define ZC_FIRST_PRODUCT(x, y, before) ((void)(before), (x) * (y))
#define ZC_ADD_PRODUCT(x, y, sum)      ZC_JOIN(ZC_FUSE, ZC_D)(x, y, sum)
#else
#define ZC_FIRST_PRODUCT(x, y, before) ((void)(before), (x) * (y))
#define ZC_ADD_PRODUCT(x, y, sum)      ((sum) + (x) * (y))
#endif

/* Three rows from each of four places: more addresses than that do not fit into registers. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(spread_factor)(const ZC_T *const *x, int64_t x_row, int row)
{
    return ZC_SPLAT(x[row / 3][row % 3 * x_row], ZC_FN(factors));
}

/* Begins the sums that groups are added to, [2]: 0, less the sum that the flipped bits of a row of fours add. */
ZC_INTO_CALLER void ZC_FN(begin_sums)(const zc_contract_tile *t, ZC_FN(factors) * before)
{
    before[0] = before[1] = (ZC_FN(factors)){0};
#if defined(ZC_ARE_FOURS)
    ZC_FN(factors) y[2];
    const ZC_T *from = t->y;
    for (int64_t k = 0; t->is_flipped && k < t->length; k++, from += t->y_row) {
        memcpy(y, from, sizeof y);
        for (int v = 0; v < 2; v++)
            before[v] = ZC_ADD_GROUPS(ZC_SPLAT(ZC_FLIPPED_BITS, ZC_FN(factors)), y[v], before[v]);
    }
    before[0] = -before[0];
    before[1] = -before[1];
#else
    (void)t;
#endif
}

/* LCOV_EXCL_BR_START: counts of rows and vectors are known where these are inlined */
/* Sums `rows` rows from row `first` on, for the first or both vectors of columns. */
ZC_INTO_CALLER void ZC_FN(contract_rows)(const zc_contract_tile *t, int first, const int rows, const int vectors,
                                         const ZC_FN(factors) * before)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
    ZC_FN(factors) sum[ZC_CONTRACT_MOST_ROWS][2], y[2];
    const ZC_T *from = t->y, *x[4];
    const int64_t x_row = t->x_row;
    for (int i = 0; i < 4; i++)
        x[i] = (const ZC_T *)t->x + (first + (3 * i < rows ? 3 * i : 0)) * x_row;
    ZC_UNROLL for (int v = 0; v < vectors; v++) memcpy(&y[v], from + v * LANES, sizeof *y);
    ZC_UNROLL for (int r = 0; r < rows; r++)
    {
        const ZC_FN(factors) factor = ZC_FN(spread_factor)(x, x_row, r);
        ZC_UNROLL for (int v = 0; v < vectors; v++) sum[r][v] = ZC_FIRST_PRODUCT(factor, y[v], before[v]);
    }
    for (int64_t k = 1; k < t->length; k++) {
        from += t->y_row;
        ZC_UNROLL for (int i = 0; i < 4; i++)
        {
            x[i]++;
            __asm__("" : "+r"(x[i]));
        }
        ZC_UNROLL for (int v = 0; v < vectors; v++) memcpy(&y[v], from + v * LANES, sizeof *y);
        ZC_UNROLL for (int r = 0; r < rows; r++)
        {
            const ZC_FN(factors) factor = ZC_FN(spread_factor)(x, x_row, r);
            ZC_UNROLL for (int v = 0; v < vectors; v++) sum[r][v] = ZC_ADD_PRODUCT(factor, y[v], sum[r][v]);
        }
    }
    ZC_T *to = (ZC_T *)t->sums + first * t->sums_row;
    ZC_UNROLL for (int r = 0; r < rows; r++, to += t->sums_row)
    {
        if (t->adds) {
            ZC_UNROLL for (int v = 0; v < vectors; v++)
            {
                memcpy(&y[v], to + v * LANES, sizeof *y);
                sum[r][v] = y[v] + sum[r][v];
            }
        }
        memcpy(to, sum[r], (size_t)vectors * sizeof *sum[r]);
    }
}

ZC_INTO_CALLER void ZC_FN(contract_all)(const zc_contract_tile *t, const int vectors, const ZC_FN(factors) * before)
{
    int first = 0;
    for (; t->rows - first >= ZC_CONTRACT_MOST_ROWS; first += ZC_CONTRACT_MOST_ROWS)
        ZC_FN(contract_rows)(t, first, ZC_CONTRACT_MOST_ROWS, vectors, before);
#if ZC_IS_FLOAT || defined(ZC_ADD_GROUPS)
    for (; t->rows - first >= 4; first += 4)
        ZC_FN(contract_rows)(t, first, 4, vectors, before);
#endif
    for (; first < t->rows; first++)
        ZC_FN(contract_rows)(t, first, 1, vectors, before);
}
/* LCOV_EXCL_BR_STOP */

void ZC_KERNEL(contract)(const zc_contract_tile *t)
{
    ZC_FN(factors) before[2];
    ZC_FN(begin_sums)(t, before);
#if ZC_IS_FLOAT
    if (t->is_half)
        ZC_FN(contract_all)(t, 1, before);
    else
#endif
        ZC_FN(contract_all)(t, 2, before);
    ZC_END_VECTORS();
}

#if ZC_IS_FLOAT
ZC_INTO_CALLER ZC_FN(factors)
    ZC_FN(add_factors)(ZC_FN(factors) x, ZC_FN(factors) y, ZC_FN(factors) sum, ZC_FN(factors) signs, bool is_exchanged)
{
    (void)signs, (void)is_exchanged; /* the product is the same */
    return ZC_ADD_PRODUCT(x, y, sum);
}

ZC_INTO_CALLER void ZC_FN(add_factor)(ZC_T *sum, const ZC_T *x, const ZC_T *y, bool is_exchanged, bool is_conjugated)
{
    (void)is_exchanged, (void)is_conjugated; /* likewise */
    *sum = ZC_JOIN(fma, ZC_D)(*x, *y, *sum);
}

ZC_INTO_CALLER ZC_FN(factors) ZC_FN(signs)(bool is_conjugated)
{
    (void)is_conjugated; /* likewise */
    return (ZC_FN(factors)){0};
}

ZC_INTO_CALLER ZC_FN(factors) ZC_FN(spread)(const ZC_T *number)
{
    return ZC_SPLAT(*number, ZC_FN(factors));
}

#define ZC_PARTS  1
#define ZC_NUMBER ZC_LANE
#include "materialize/kernels/contract/inner_tmpl.h"
#include "materialize/kernels/contract/row_tmpl.h"
#include "materialize/kernels/contract/rows_tmpl.h"
#undef ZC_PARTS
#undef ZC_NUMBER

#undef ZC_LANE
#elif !defined(ZC_ADD_GROUPS)
/* Sums that wrap have no order: compilers make vectors of them. */
void ZC_KERNEL(contract_lanes)(void *sums, const void *x, const void *y, int64_t length)
{
    ZC_T sum[ZC_CONTRACT_LANES] = {0};
    for (const ZC_T *a = x, *b = y; length > 0; length--, a += ZC_CONTRACT_LANES, b += ZC_CONTRACT_LANES)
        for (int l = 0; l < ZC_CONTRACT_LANES; l++)
            sum[l] = (ZC_T)(sum[l] + 1U * a[l] * b[l]);
    memcpy(sums, sum, sizeof sum);
}

void ZC_KERNEL(contract_inner)(const zc_contract_inner *t)
{
    for (int l = 0; l < t->lanes; l++) {
        const ZC_T *x = (const ZC_T *)t->x + l * t->x_lane, *y = (const ZC_T *)t->y + l * t->y_lane;
        ZC_T sum = 0;
        for (int64_t k = 0; k < t->length; k++)
            sum = (ZC_T)(sum + 1U * x[k] * y[k]);
        memcpy((ZC_T *)t->sums + l, &sum, sizeof sum);
    }
}
#endif

#if !defined(ZC_ADD_GROUPS)
#if ZC_IS_FLOAT
#define ZC_PLUS_PRODUCT(sum, x, y) ZC_JOIN(fma, ZC_D)(x, y, sum)
#else
#define ZC_PLUS_PRODUCT(sum, x, y) ((ZC_T)((sum) + 1U * (x) * (y)))
#endif

/* Results side by side: some products of each at a time, so that sums are read less often than factors. */
ZC_INTO_CALLER void ZC_FN(add_batches)(const zc_contract_batches *t, int64_t k, const int products)
{
    const ZC_T *x[ZC_PRODUCTS_AT_ONCE], *y[ZC_PRODUCTS_AT_ONCE];
    ZC_T *sums = t->sums;
    for (int i = 0; i < products; i++)
        x[i] = (const ZC_T *)t->x + t->x_at[k + i], y[i] = (const ZC_T *)t->y + t->y_at[k + i];
    const int64_t count = t->count; /* which sums might overwrite, for all that compilers know */
    ZC_PARALLEL for (int64_t r = 0; r < count; r++)
    {
        ZC_UNROLL for (int i = 0; i < products; i++) sums[r] = ZC_PLUS_PRODUCT(sums[r], x[i][r], y[i][r]);
    }
}

void ZC_KERNEL(contract_batches)(const zc_contract_batches *t)
{
    ZC_T *sums = t->sums;
    const int64_t count = t->count; /* as above */
    int64_t k = 0;
    for (int64_t r = 0; r < count; r++)
        sums[r] = (ZC_T)-0.0; /* the first product is rounded, and keeps its sign */
    for (; k + ZC_PRODUCTS_AT_ONCE <= t->length; k += ZC_PRODUCTS_AT_ONCE)
        ZC_FN(add_batches)(t, k, ZC_PRODUCTS_AT_ONCE);
    for (; k < t->length; k++)
        ZC_FN(add_batches)(t, k, 1);
}
#undef ZC_PLUS_PRODUCT
#endif

#undef ZC_FIRST_PRODUCT
#undef ZC_ADD_PRODUCT
#undef ZC_T
#undef ZC_D
