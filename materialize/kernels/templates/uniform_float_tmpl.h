/*
 * Powers of blocks of floats: by an exponent that means an operation, where it is that of the whole block, and in a
 * range without special cases. Included by dtype_tmpl.h for float32 and float64, with what that asks for.
 *
 * Invariant: every way gives the bits of ZC_FN(pow).
 */
#define ZC_POWER_LOOP(name, expression)                                                                                \
    static ZC_FLATTENED void ZC_FN(name)(ZC_T * to, const ZC_T *px, const ZC_T *py, int64_t n)                         \
    {                                                                                                                  \
        ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                                                    \
        {                                                                                                              \
            const ZC_T x = px[i], y = py[i];                                                                           \
            (void)y;                                                                                                   \
            to[i] = expression;                                                                                        \
        }                                                                                                              \
    }
ZC_POWER_LOOP(map_squares, x *x)
ZC_POWER_LOOP(map_inverses, 1 / x)
ZC_POWER_LOOP(map_cube, ZC_FN(cube)(x))
ZC_POWER_LOOP(map_half_power, ZC_FN(half_power)(x))
ZC_POWER_LOOP(map_pow_far, ZC_FN(pow)(x, y))
#undef ZC_POWER_LOOP

/* Tells whether elements of the block need cases that near powers (near_powers.h) leave out. Counted in numbers of the
 * elements' width. */
static int ZC_FN(has_far_powers)(const ZC_T *x, const ZC_T *y, int64_t n)
{
    ZC_BITS_T far = 0;
    for (int64_t i = 0; i < n; i++)
        far |= (ZC_BITS_T)!ZC_FN(is_near_power)(x[i], y[i]);
    return far != 0;
}

/* Tells the same where all exponents are one that means no operation. */
static int ZC_FN(has_far_bases)(const ZC_T *x, ZC_T y, int64_t n)
{
    ZC_BITS_T far = 0;
    for (int64_t i = 0; i < n; i++)
        far |= (ZC_BITS_T)!ZC_FN(is_near_power)(x[i], y);
    return far != 0;
}

static int ZC_FN(differ)(const ZC_T *y, int64_t n)
{
    ZC_BITS_T differences = 0, first, bits;
    memcpy(&first, y, sizeof first);
    for (int64_t i = 0; i < n; i++) {
        memcpy(&bits, &y[i], sizeof bits);
        differences |= bits ^ first;
    }
    return differences != 0;
}

static void ZC_FN(powers)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    if (!is_one && ZC_FN(differ)(y, n))
        (ZC_FN(has_far_powers)(x, y, n) ? ZC_FN(map_pow_far) : ZC_FN(map_near_powers))(to, x, y, n);
    else if (y[0] == 2)
        ZC_FN(map_squares)(to, x, y, n);
    else if (y[0] == 3)
        ZC_FN(map_cube)(to, x, y, n);
    else if (y[0] == -1 || y[0] == (ZC_T)0.5)
        (y[0] == -1 ? ZC_FN(map_inverses) : ZC_FN(map_half_power))(to, x, y, n);
    else
        (ZC_FN(has_far_bases)(x, y[0], n) ? ZC_FN(map_pow_far) : ZC_FN(map_near_powers))(to, x, y, n);
}

static void ZC_FN(blocks_pow)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    for (int64_t begin = 0; begin < n; begin += POWER_BLOCK)
        ZC_FN(powers)(to + begin, x + begin, y + begin, n - begin < POWER_BLOCK ? n - begin : POWER_BLOCK, is_one);
}

static void ZC_FN(blocks_floor_divide)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    (void)is_one;
    for (int64_t i = 0; i < n; i++)
        to[i] = ZC_FN(floor_divide)(x[i], y[i]);
}

static void ZC_FN(blocks_remainder)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    (void)is_one;
    for (int64_t i = 0; i < n; i++)
        to[i] = ZC_FN(remainder)(x[i], y[i]);
}
