/* Rows by matrices of few columns that are next to each other. Included by contract_tmpl.h with the names of a dtype of
 * floats. */
typedef ZC_T ZC_FN(half_factors) __attribute__((vector_size(ZC_LANE_BYTES / 2)));

#define ZC_ROW_WIDTH   half
#define ZC_ROW_VECTOR  ZC_FN(half_factors)
#define ZC_FUSE_ROW    ZC_JOIN(ZC_FUSE_HALF, ZC_D)
#define ZC_ROW_VECTORS 1
#include "materialize/kernels/contract/few_tmpl.h"
#define ZC_ROW_WIDTH   one
#define ZC_ROW_VECTOR  ZC_FN(factors)
#define ZC_FUSE_ROW    ZC_JOIN(ZC_FUSE, ZC_D)
#define ZC_ROW_VECTORS 1
#include "materialize/kernels/contract/few_tmpl.h"
#define ZC_ROW_WIDTH   two
#define ZC_ROW_VECTOR  ZC_FN(factors)
#define ZC_FUSE_ROW    ZC_JOIN(ZC_FUSE, ZC_D)
#define ZC_ROW_VECTORS 2
#include "materialize/kernels/contract/few_tmpl.h"

void ZC_KERNEL(contract_narrow)(const zc_contract_narrow *t)
{
    const int64_t bytes = t->columns * (int64_t)sizeof(ZC_T);
    if (bytes <= ZC_LANE_BYTES / 2)
        ZC_JOIN(ZC_FN(multiply), half)(t);
    else if (bytes <= ZC_LANE_BYTES)
        ZC_JOIN(ZC_FN(multiply), one)(t);
    else
        ZC_JOIN(ZC_FN(multiply), two)(t);
    ZC_END_VECTORS();
}

#if defined(ZC_VECTOR_BYTES)
/* Factor k of each four. */
ZC_INTO_CALLER ZC_FN(factors) ZC_FN(pick_of_four)(ZC_FN(factors) x, const int k)
{
    enum { LANES = sizeof x / sizeof(ZC_T) };
#if defined(__clang__)
    ZC_FN(factors) out;
    for (int l = 0; l < LANES; l++)
        out[l] = x[l / ZC_SQUARE_SIDE * ZC_SQUARE_SIDE + k];
    return out;
#else
    ZC_FN(lane_numbers) from = {0};
    ZC_UNROLL for (int l = 0; l < LANES; l++) from[l] = (ZC_LANE)(l / ZC_SQUARE_SIDE * ZC_SQUARE_SIDE + k);
    return __builtin_shuffle(x, from);
#endif
}

/* Rows of four factors by matrices of four by four: a vector holds rows of x, and of the sums. */
void ZC_KERNEL(contract_squares)(const zc_contract_squares *t)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
    const int64_t count = t->rows * ZC_SQUARE_SIDE, batches = t->batches; /* which sums might overwrite */
    const int64_t x_batch = t->x_batch, y_batch = t->y_batch, y_row = t->y_row;
    const ZC_T *x = t->x, *y = t->y;
    ZC_T *to = t->sums;
    for (int64_t b = 0; b < batches; b++, x += x_batch, y += y_batch, to += count) {
        ZC_FN(factors) matrix[ZC_SQUARE_SIDE], rows, sum;
        ZC_UNROLL for (int k = 0; k < ZC_SQUARE_SIDE; k++) matrix[k] = ZC_JOIN(zc_spread_four, ZC_D)(y + k * y_row);
        for (int64_t at = 0; at < count; at += LANES) {
            memcpy(&rows, x + at, sizeof rows);
            sum = ZC_FN(pick_of_four)(rows, 0) * matrix[0];
            ZC_UNROLL for (int k = 1; k < ZC_SQUARE_SIDE; k++) sum =
                ZC_ADD_PRODUCT(ZC_FN(pick_of_four)(rows, k), matrix[k], sum);
            memcpy(to + at, &sum, sizeof sum);
        }
    }
    ZC_END_VECTORS();
}
#else
/* Rows of four factors by matrices of four by four. */
void ZC_KERNEL(contract_squares)(const zc_contract_squares *t)
{
    const ZC_T *x = t->x, *y = t->y;
    ZC_T *to = t->sums;
    for (int64_t b = 0; b < t->batches; b++, y += t->y_batch) {
        const ZC_T *row = x + b * t->x_batch;
        for (int64_t r = 0; r < t->rows; r++, row += ZC_SQUARE_SIDE, to += ZC_SQUARE_SIDE) {
            for (int c = 0; c < ZC_SQUARE_SIDE; c++) {
                ZC_T sum = row[0] * y[c];
                for (int k = 1; k < ZC_SQUARE_SIDE; k++)
                    sum = ZC_JOIN(fma, ZC_D)(row[k], y[k * t->y_row + c], sum);
                to[c] = sum;
            }
        }
    }
}
#endif
