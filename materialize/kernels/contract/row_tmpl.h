/*
 * A row by many columns that are next to each other. Included with the names that inner_tmpl.h is included with, after
 * it.
 *
 * Some rows of y at a time are read from front to back; the sums stay in the first-level cache meanwhile. Columns that
 * fill no vector are the end of one that overlaps the one before: `last` is its sums.
 */
/* LCOV_EXCL_BR_START: counts of rows, and whether operands are exchanged, are known where these are inlined */
ZC_INTO_CALLER void ZC_FN(add_rows)(const zc_contract_row *t, int64_t k, const int rows, const bool is_exchanged,
                                    ZC_FN(factors) * last)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_FN(number)) };
    const row_steps steps = find_steps((intptr_t)(t->y_row * (int64_t)sizeof(ZC_FN(number))));
    const ZC_FN(number) *x = (const ZC_FN(number) *)t->x + k, *first[ZC_ROWS_AT_ONCE / ROWS_TOGETHER];
    ZC_FN(factors) factor[ZC_ROWS_AT_ONCE], sum, y;
    ZC_FN(number) *sums = t->sums;
    const ZC_FN(factors) signs = ZC_FN(signs)(false);
    const int64_t rest = t->columns % LANES, whole = t->columns - rest;
    ZC_UNROLL for (int r = 0; r < rows; r += ROWS_TOGETHER) first[r / ROWS_TOGETHER] =
        (const ZC_FN(number) *)t->y + (k + r) * t->y_row;
    ZC_UNROLL for (int r = 0; r < rows; r++) factor[r] = ZC_FN(spread)(x[r]);
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
            sum = ZC_FN(add_factors)(factor[r], y, sum, signs, is_exchanged);
        }
        if (c < whole)
            memcpy(sums + at, &sum, sizeof sum);
        else
            *last = sum;
    }
}

ZC_INTO_CALLER void ZC_FN(add_all_rows)(const zc_contract_row *t, const bool is_exchanged)
{
    enum { LANES = ZC_LANE_BYTES / sizeof(ZC_FN(number)) };
    ZC_FN(factors) last = ZC_SPLAT((ZC_T)-0.0, ZC_FN(factors));
    int64_t k = 0;
    for (; k + ZC_ROWS_AT_ONCE <= t->length; k += ZC_ROWS_AT_ONCE)
        ZC_FN(add_rows)(t, k, ZC_ROWS_AT_ONCE, is_exchanged, &last);
    for (; k < t->length; k++)
        ZC_FN(add_rows)(t, k, 1, is_exchanged, &last);
    if (t->columns % LANES != 0)
        memcpy((ZC_FN(number) *)t->sums + t->columns - LANES, &last, sizeof last);
}
/* LCOV_EXCL_BR_STOP */

void ZC_KERNEL(contract_row)(const zc_contract_row *t)
{
    if (ZC_PARTS > 1 && t->is_exchanged)
        ZC_FN(add_all_rows)(t, true);
    else
        ZC_FN(add_all_rows)(t, false);
    ZC_END_VECTORS();
}
