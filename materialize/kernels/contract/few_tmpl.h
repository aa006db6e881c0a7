/*
 * Rows by matrices of few columns. Included by rows_tmpl.h with ZC_ROW_WIDTH the name of what a row of a matrix fills:
 * ZC_ROW_VECTORS of the type ZC_ROW_VECTOR, which ZC_FUSE_ROW multiplies and adds. Undefines these.
 *
 * Sums of rows overlap: what of a row's vectors is no column, the next row's overwrite. So vectors are no wider than
 * they need be: a store that ends on another line of memory takes twice as long.
 */
#define ZC_OF_WIDTH(f) ZC_JOIN(ZC_FN(f), ZC_ROW_WIDTH)

/* LCOV_EXCL_BR_START: how many rows there are is known where this is inlined */
ZC_INTO_CALLER void ZC_OF_WIDTH(multiply_rows)(const zc_contract_narrow *t, const ZC_T *x, const ZC_T *y, ZC_T *to,
                                               const int rows)
{
    enum { LANES = sizeof(ZC_ROW_VECTOR) / sizeof(ZC_T), MOST = ZC_ROW_VECTORS * ZC_ROWS_AT_ONCE };
    ZC_ROW_VECTOR sum[MOST], factors[ZC_ROW_VECTORS];
    const int64_t x_row = t->x_row, x_step = t->x_step, y_row = t->y_row, columns = t->columns;
    ZC_UNROLL for (int i = 0; i < rows * ZC_ROW_VECTORS; i++) sum[i] =
        ZC_SPLAT((ZC_T)-0.0, ZC_ROW_VECTOR); /* the first product is rounded, and keeps its sign */
    for (int64_t k = 0; k < t->length; k++, x += x_step, y += y_row) {
        memcpy(factors, y, sizeof factors);
        ZC_UNROLL for (int i = 0; i < rows * ZC_ROW_VECTORS; i++) sum[i] =
            ZC_FUSE_ROW(ZC_SPLAT(x[i / ZC_ROW_VECTORS * x_row], ZC_ROW_VECTOR), factors[i % ZC_ROW_VECTORS], sum[i]);
    }
    ZC_UNROLL for (int i = 0; i < rows * ZC_ROW_VECTORS; i++)
        memcpy(to + i / ZC_ROW_VECTORS * columns + i % ZC_ROW_VECTORS * LANES, &sum[i], sizeof *sum);
}

/* Multiplies one row with each of some matrices, whose sums do not wait for each other. */
ZC_INTO_CALLER void ZC_OF_WIDTH(multiply_batches)(const zc_contract_narrow *t, const ZC_T *x, const ZC_T *y, ZC_T *to)
{
    enum { LANES = sizeof(ZC_ROW_VECTOR) / sizeof(ZC_T), SUMS = ZC_ROW_VECTORS * ZC_BATCHES_AT_ONCE };
    ZC_ROW_VECTOR sum[SUMS], factors[ZC_ROW_VECTORS];
    const int64_t x_batch = t->x_batch, x_step = t->x_step, y_batch = t->y_batch, y_row = t->y_row;
    const int64_t columns = t->columns;
    ZC_UNROLL for (int i = 0; i < SUMS; i++) sum[i] =
        ZC_SPLAT((ZC_T)-0.0, ZC_ROW_VECTOR); /* the first product is rounded, and keeps its sign */
    for (int64_t k = 0; k < t->length; k++, x += x_step, y += y_row) {
        ZC_UNROLL for (int b = 0; b < ZC_BATCHES_AT_ONCE; b++)
        {
            memcpy(factors, y + b * y_batch, sizeof factors);
            ZC_UNROLL for (int i = 0; i < ZC_ROW_VECTORS; i++) sum[b * ZC_ROW_VECTORS + i] =
                ZC_FUSE_ROW(ZC_SPLAT(x[b * x_batch], ZC_ROW_VECTOR), factors[i], sum[b * ZC_ROW_VECTORS + i]);
        }
    }
    ZC_UNROLL for (int i = 0; i < SUMS; i++)
        memcpy(to + i / ZC_ROW_VECTORS * columns + i % ZC_ROW_VECTORS * LANES, &sum[i], sizeof *sum);
}

ZC_INTO_CALLER void ZC_OF_WIDTH(multiply)(const zc_contract_narrow *t)
{
    /* As many rows as there are registers for. */
    enum { AT_ONCE = ZC_LANE_BYTES == 64 ? ZC_ROWS_AT_ONCE : ZC_ROWS_AT_ONCE / ZC_ROW_VECTORS, FEW = AT_ONCE / 2 };
    const int64_t rows = t->rows, x_row = t->x_row, columns = t->columns; /* which sums might overwrite */
    const int64_t together = rows == 1 ? t->batches / ZC_BATCHES_AT_ONCE * ZC_BATCHES_AT_ONCE : 0;
    ZC_T *to = t->sums;
    for (int64_t b = 0; b < together; b += ZC_BATCHES_AT_ONCE, to += ZC_BATCHES_AT_ONCE * columns)
        ZC_OF_WIDTH(multiply_batches)(t, (const ZC_T *)t->x + b * t->x_batch, (const ZC_T *)t->y + b * t->y_batch, to);
    for (int64_t b = together; b < t->batches; b++) {
        const ZC_T *x = (const ZC_T *)t->x + b * t->x_batch, *y = (const ZC_T *)t->y + b * t->y_batch;
        int64_t row = 0;
        for (; row + AT_ONCE <= rows; row += AT_ONCE, x += AT_ONCE * x_row, to += AT_ONCE * columns)
            ZC_OF_WIDTH(multiply_rows)(t, x, y, to, AT_ONCE);
        for (; row + FEW <= rows; row += FEW, x += FEW * x_row, to += FEW * columns)
            ZC_OF_WIDTH(multiply_rows)(t, x, y, to, FEW);
        for (; row < rows; row++, x += x_row, to += columns)
            ZC_OF_WIDTH(multiply_rows)(t, x, y, to, 1);
    }
}
/* LCOV_EXCL_BR_STOP */

#undef ZC_OF_WIDTH
#undef ZC_ROW_WIDTH
#undef ZC_ROW_VECTOR
#undef ZC_FUSE_ROW
#undef ZC_ROW_VECTORS
