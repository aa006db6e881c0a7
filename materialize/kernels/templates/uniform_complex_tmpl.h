/*
 * Powers of blocks of complex numbers: squares, where 2 is the exponent of the whole block. Included by dtype_tmpl.h
 * for complex64 and complex128, with what that asks for.
 *
 * Invariant: every way gives the bits of ZC_FN(pow), which computes in complex128.
 */

/* 0 to the power 2 is +0+0i, whatever the signs. */
static void ZC_FN(map_squares)(ZC_PART_T *to, const ZC_PART_T *from, int64_t n)
{
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        const double a = (double)from[2 * i], b = (double)from[2 * i + 1];
        const double real = ZC_PRODUCT(a, a) - ZC_PRODUCT(b, b), imag = ZC_PRODUCT(a, b) + ZC_PRODUCT(b, a);
        to[2 * i] = (ZC_PART_T)real;
        to[2 * i + 1] = (ZC_PART_T)(((a == 0) & (b == 0)) ? 0.0 : imag);
    }
}

static int ZC_FN(are_twos)(const ZC_PART_T *y, int64_t n)
{
    int differ = 0;
    for (int64_t i = 0; i < n; i++)
        differ |= (y[2 * i] != 2) | (y[2 * i + 1] != 0);
    return !differ;
}

static void ZC_FN(blocks_pow)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n)
{
    enum { BLOCK = 256 };
    for (int64_t begin = 0, length; begin < n; begin += length) {
        length = n - begin < BLOCK ? n - begin : BLOCK;
        if (ZC_FN(are_twos)((const ZC_PART_T *)(y + begin), length)) {
            ZC_FN(map_squares)((ZC_PART_T *)(to + begin), (const ZC_PART_T *)(x + begin), length);
            continue;
        }
        for (int64_t i = begin; i < begin + length; i++)
            to[i] = ZC_FN(pow)(x[i], y[i]);
    }
}
