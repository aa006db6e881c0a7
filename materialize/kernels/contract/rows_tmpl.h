/*
 * Rows by matrices whose columns are next to each other: a row by many columns, and rows by few. Included by
 * contract_tmpl.h with the names of a dtype of floats.
 */
/*
 * A row by many columns. Some rows of y at a time are read from front to back; the sums stay in the first-level cache
 * meanwhile. Columns that fill no vector are the end of one that overlaps the one before: `last` is its sums.
 */
ZC_INTO_CALLER void ZC_FN(add_rows)(const zc_contract_row *t, int64_t k, const int rows, ZC_FN(factors) * last)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
    const row_steps steps = find_steps((intptr_t)(t->y_row * (int64_t)sizeof(ZC_T)));
    const ZC_T *x = (const ZC_T *)t->x + k, *first[ZC_ROWS_AT_ONCE / ROWS_TOGETHER];
    ZC_FN(factors) factor[ZC_ROWS_AT_ONCE], sum, y;
    ZC_T *sums = t->sums;
    const int64_t rest = t->columns % LANES, whole = t->columns - rest;
    ZC_UNROLL for (int r = 0; r < rows; r += ROWS_TOGETHER) first[r / ROWS_TOGETHER] =
        (const ZC_T *)t->y + (k + r) * t->y_row;
    ZC_UNROLL for (int r = 0; r < rows; r++) factor[r] = ZC_SPLAT(x[r], ZC_FN(factors));
    for (int64_t c = 0; c < t->columns; c += LANES) {
        const int64_t at = c < whole ? c : t->columns - LANES;
        if (c == whole)
            sum = *last;
        else if (k == 0)
            sum = ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors)); /* the first product is rounded, and keeps its sign */
        else
            memcpy(&sum, sums + at, sizeof sum);
        ZC_UNROLL for (int r = 0; r < rows; r++)
        {
            memcpy(&y, (const char *)(first[r / ROWS_TOGETHER] + at) + steps.to[r % ROWS_TOGETHER], sizeof y);
            sum = ZC_ADD_PRODUCT(factor[r], y, sum);
        }
        if (c < whole)
            memcpy(sums + at, &sum, sizeof sum);
        else
            *last = sum;
    }
}

void ZC_KERNEL(contract_row)(const zc_contract_row *t)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
    ZC_FN(factors) last = ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors));
    int64_t k = 0;
    for (; k + ZC_ROWS_AT_ONCE <= t->length; k += ZC_ROWS_AT_ONCE)
        ZC_FN(add_rows)(t, k, ZC_ROWS_AT_ONCE, &last);
    for (; k < t->length; k++)
        ZC_FN(add_rows)(t, k, 1, &last);
    if (t->columns % LANES != 0)
        memcpy((ZC_T *)t->sums + t->columns - LANES, &last, sizeof last);
    ZC_END_VECTORS();
}

/* Sums of rows overlap: what of a row's vectors is no column, the next row's overwrite. */
/* LCOV_EXCL_BR_START: how many vectors a row has is known where this is inlined */
ZC_INTO_CALLER void ZC_FN(multiply_few)(const zc_contract_narrow *t, int64_t first, const int rows, const int vectors)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_T) };
    ZC_FN(factors) sum[2 * ZC_ROWS_AT_ONCE], y[2];
    const ZC_T *x = (const ZC_T *)t->x + first * t->x_row, *from = t->y;
    ZC_T *to = (ZC_T *)t->sums + first * t->columns;
    ZC_UNROLL for (int i = 0; i < rows * vectors; i++) sum[i] =
        ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors)); /* the first product is rounded, and keeps its sign */
    for (int64_t k = 0; k < t->length; k++, x += t->x_step, from += t->y_row) {
        memcpy(y, from, (size_t)vectors * sizeof *y);
        ZC_UNROLL for (int i = 0; i < rows * vectors; i++) sum[i] =
            ZC_ADD_PRODUCT(ZC_SPLAT(x[i / vectors * t->x_row], ZC_FN(factors)), y[i % vectors], sum[i]);
    }
    ZC_UNROLL for (int i = 0; i < rows * vectors; i++)
        memcpy(to + i / vectors * t->columns + i % vectors * LANES, &sum[i], sizeof *y);
}

ZC_INTO_CALLER void ZC_FN(multiply_all)(const zc_contract_narrow *t, const int vectors)
{
    const int at_once = ZC_LANE_BYTES == 64 ? ZC_ROWS_AT_ONCE : ZC_ROWS_AT_ONCE / vectors; /* registers decide */
    int64_t row = 0;
    for (; row + at_once <= t->rows; row += at_once)
        ZC_FN(multiply_few)(t, row, at_once, vectors);
    for (; row < t->rows; row++)
        ZC_FN(multiply_few)(t, row, 1, vectors);
}
/* LCOV_EXCL_BR_STOP */

void ZC_KERNEL(contract_narrow)(const zc_contract_narrow *t)
{
    if (t->columns * (int64_t)sizeof(ZC_T) <= (int64_t)sizeof(ZC_FN(factors)))
        ZC_FN(multiply_all)(t, 1);
    else
        ZC_FN(multiply_all)(t, 2);
    ZC_END_VECTORS();
}
