/*
 * Contractions of a complex dtype. Included once per dtype with ZC_D its name, ZC_PART that of its parts and ZC_PART_T
 * their C type. Each part is a chain of its own: the real one takes the product of the real parts, then that of the
 * imaginary ones, negated; the imaginary one the product with the real part of the left operand first, which is y's
 * where the operands are exchanged.
 */

typedef ZC_PART_T ZC_FN(factors) __attribute__((vector_size(ZC_LANE_BYTES)));
#define ZC_ADD_PRODUCT(x, y, sum) ZC_JOIN(ZC_FUSE, ZC_PART)(x, y, sum)

/* The real parts of a vector's worth of numbers, the imaginary ones, and those negated, [3]: a factor that is spread
 * comes from memory as it is. */
ZC_INTO_CALLER void ZC_FN(take_apart)(const ZC_PART_T *from, ZC_FN(factors) * parts)
{
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_PART_T) };
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
    enum { LANES = sizeof(ZC_FN(factors)) / sizeof(ZC_PART_T) };
    ZC_FN(factors) sum[ZC_CONTRACT_MOST_ROWS][2], y[3];
    const int64_t x_row = 2 * t->x_row;
    const ZC_PART_T *from = t->y, *x = (const ZC_PART_T *)t->x + first * x_row;
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
    ZC_PART_T *to = (ZC_PART_T *)t->sums + first * 2 * t->sums_row;
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

/* Chains of some lanes. Factor k of lane l is l * lane + k * step numbers behind the first one. */
ZC_INTO_CALLER void ZC_FN(contract_some)(ZC_PART_T *sums, const ZC_PART_T *x, const ZC_PART_T *y, int64_t x_lane,
                                         int64_t y_lane, int64_t step, int64_t length)
{
    ZC_PART_T real[ZC_COMPLEX_LANES], imag[ZC_COMPLEX_LANES];
    for (int l = 0; l < ZC_COMPLEX_LANES; l++)
        real[l] = imag[l] = (ZC_PART_T)-0.0; /* the first product is rounded, and keeps its sign */
    for (int64_t k = 0; k < length; k++) {
        ZC_UNROLL for (int l = 0; l < ZC_COMPLEX_LANES; l++)
        {
            const ZC_PART_T *a = x + 2 * (l * x_lane + k * step), *b = y + 2 * (l * y_lane + k * step);
            real[l] = ZC_JOIN(fma, ZC_PART)(a[1], -b[1], ZC_JOIN(fma, ZC_PART)(a[0], b[0], real[l]));
            imag[l] = ZC_JOIN(fma, ZC_PART)(a[1], b[0], ZC_JOIN(fma, ZC_PART)(a[0], b[1], imag[l]));
        }
    }
    for (int l = 0; l < ZC_COMPLEX_LANES; l++) {
        sums[2 * l] = real[l];
        sums[2 * l + 1] = imag[l];
    }
}

void ZC_KERNEL(contract_lanes)(void *sums, const void *x, const void *y, int64_t length)
{
    const ZC_PART_T *from_x = x, *from_y = y;
    for (int64_t l = 0; l < ZC_CONTRACT_LANES; l += ZC_COMPLEX_LANES)
        ZC_FN(contract_some)
    ((ZC_PART_T *)sums + 2 * l, from_x + 2 * l, from_y + 2 * l, 1, 1, ZC_CONTRACT_LANES, length);
}

void ZC_KERNEL(contract_inner)(const zc_contract_inner *t)
{
    const ZC_PART_T *x = t->x, *y = t->y;
    for (int64_t l = 0; l < t->lanes; l += ZC_COMPLEX_LANES)
        ZC_FN(contract_some)
    ((ZC_PART_T *)t->sums + 2 * l, x + 2 * l * t->x_lane, y + 2 * l * t->y_lane, t->x_lane, t->y_lane, 1, t->length);
}

void ZC_KERNEL(contract_batches)(const zc_contract_batches *t)
{
    ZC_PART_T *sums = t->sums;
    for (int64_t r = 0; r < 2 * t->count; r++)
        sums[r] = (ZC_PART_T)-0.0; /* as above */
    for (int64_t k = 0; k < t->length; k++) {
        const ZC_PART_T *x = (const ZC_PART_T *)t->x + 2 * t->x_at[k], *y = (const ZC_PART_T *)t->y + 2 * t->y_at[k];
        ZC_PARALLEL for (int64_t r = 0; r < 2 * t->count; r += 2)
        {
            const ZC_PART_T real = ZC_JOIN(fma, ZC_PART)(x[r], y[r], sums[r]);
            const ZC_PART_T imag = ZC_JOIN(fma, ZC_PART)(x[r], y[r + 1], sums[r + 1]);
            sums[r] = ZC_JOIN(fma, ZC_PART)(x[r + 1], -y[r + 1], real);
            sums[r + 1] = ZC_JOIN(fma, ZC_PART)(x[r + 1], y[r], imag);
        }
    }
}

#undef ZC_ADD_PRODUCT
#undef ZC_PART
#undef ZC_PART_T
#undef ZC_D
