/*
 * Powers, quotients and remainders of blocks of integers, mostly by one number. Included by dtype_tmpl.h for every
 * integer dtype, with what that asks for.
 *
 * floor(x / d) by a d above 0 is a product with 2^(N-1+l) / d, rounded up, and a shift, where 2^l is the least power of
 * 2 that is not below d: right for every x below 2^(N-1), so for the sizes of signed integers, whose negative ones are
 * turned round by ~. One bit more takes a step more (Granlund and Montgomery, "Division by invariant integers using
 * multiplication", 1994). Of 8 bits, which no vector multiplies, the product with 2^16 / d rounded up has the quotient
 * above 16 bits: what it is too large by is less than x in 2^16 / d parts, and x times d is below 2^16.
 */
#if ZC_BITS == 8
#define ZC_UNSIGNED_T uint8_t
#elif ZC_BITS == 16
#define ZC_UNSIGNED_T uint16_t
#define ZC_DOUBLE_T   uint32_t
#elif ZC_BITS == 32
#define ZC_UNSIGNED_T uint32_t
#define ZC_DOUBLE_T   uint64_t
#else
#define ZC_UNSIGNED_T uint64_t
#endif

enum { ZC_FN(UNIFORM_BLOCK) = 2048 / sizeof(ZC_T) };

/* Tells whether all elements are equal: known to be, or found so. Few elements are not worth the question. */
static int ZC_FN(is_uniform)(const ZC_T *y, int64_t n, bool is_one)
{
    ZC_T differs = 0;
    for (int64_t i = 0; i < (is_one ? 0 : n); i++)
        differs |= (ZC_T)(y[i] ^ y[0]);
    return (n >= 16) & (differs == 0);
}

#if ZC_BITS == 8
typedef uint16_t ZC_FN(divider);

static ZC_FN(divider) ZC_FN(divider_of)(uint8_t d)
{
    return (uint16_t)((1 << 16) / d + 1);
}

ZC_ALWAYS_INLINE ZC_T ZC_FN(quotient)(ZC_T x, ZC_FN(divider) by)
{
    const uint8_t turn = ZC_IS_SIGNED ? (uint8_t) - ((uint8_t)x >> 7) : 0;
    const uint16_t size = (uint8_t)((uint8_t)x ^ turn), high = (uint16_t)((uint32_t)size * by >> 16);
    return (ZC_T)((uint8_t)high ^ turn);
}

/* Divides two elements in a lane of 16 bits: neither is widened and narrowed again. */
ZC_ALWAYS_INLINE uint16_t ZC_FN(two_quotients)(uint16_t both, ZC_FN(divider) by)
{
    const uint16_t negative = ZC_IS_SIGNED ? both & 0x8080 : 0, turn = (uint16_t)((negative << 1) - (negative >> 7)),
                   size = both ^ turn, low = (uint16_t)((uint32_t)(size & UINT8_MAX) * by >> 16),
                   high = (uint16_t)((uint32_t)(size >> 8) * by >> 16);
    return (uint16_t)((low | high << 8) ^ turn);
}

static void ZC_FN(quotients)(ZC_T *to, const ZC_T *x, ZC_FN(divider) by, int64_t n)
{
    ZC_PARALLEL for (int64_t i = 0; i < n / 2; i++)
    {
        uint16_t both;
        memcpy(&both, x + 2 * i, sizeof both);
        both = ZC_FN(two_quotients)(both, by);
        memcpy(to + 2 * i, &both, sizeof both);
    }
    if (n % 2 != 0)
        to[n - 1] = ZC_FN(quotient)(x[n - 1], by);
}
#else
/* The upper half of a product. */
ZC_ALWAYS_INLINE ZC_UNSIGNED_T ZC_FN(upper_half)(ZC_UNSIGNED_T a, ZC_UNSIGNED_T b)
{
#if ZC_BITS == 64
    const uint64_t a_high = a >> 32, a_low = a & UINT32_MAX, b_high = b >> 32, b_low = b & UINT32_MAX;
    const uint64_t middle = a_high * b_low + (a_low * b_low >> 32), other = a_low * b_high + (middle & UINT32_MAX);
    return a_high * b_high + (middle >> 32) + (other >> 32);
#else
    return (ZC_UNSIGNED_T)((ZC_DOUBLE_T)((ZC_DOUBLE_T)a * b) >> ZC_BITS);
#endif
}

typedef struct ZC_FN(divider) {
    ZC_UNSIGNED_T factor;
    int shift;
} ZC_FN(divider);

/* Finds the divider of a d above 1: for signed elements 2^(N-1+l) / d rounded up, else the excess of 2^(N+l) / d,
 * rounded up, over 2^N. */
static ZC_FN(divider) ZC_FN(divider_of)(ZC_UNSIGNED_T d)
{
    int log = 0;
    while (log < ZC_BITS - ZC_IS_SIGNED && (uint64_t)d > UINT64_C(1) << log)
        log++;
#if ZC_IS_SIGNED
    uint64_t rest = UINT64_C(1) << (log - 1);
#else
    uint64_t rest = (log == 64 ? 0 : UINT64_C(1) << log) - (uint64_t)d; /* 2^l - d, which is below d */
#endif
#if ZC_BITS == 64
    ZC_UNSIGNED_T factor = 0; /* by long division, bit by bit: it is done once for many elements */
    for (int i = 0; i < ZC_BITS; i++) {
        const int carries = rest >= (uint64_t)d - rest;
        rest = carries ? rest - ((uint64_t)d - rest) : rest + rest;
        factor = (ZC_UNSIGNED_T)(factor << 1 | (ZC_UNSIGNED_T)carries);
    }
#else
    const ZC_UNSIGNED_T factor = (ZC_UNSIGNED_T)((rest << ZC_BITS) / d);
#endif
    return (ZC_FN(divider)){(ZC_UNSIGNED_T)(factor + 1), log};
}

ZC_ALWAYS_INLINE ZC_T ZC_FN(quotient)(ZC_T x, ZC_FN(divider) by)
{
#if ZC_IS_SIGNED
    const ZC_UNSIGNED_T turn = (ZC_UNSIGNED_T)(x < 0 ? -1 : 0), size = (ZC_UNSIGNED_T)((ZC_UNSIGNED_T)x ^ turn);
    const ZC_UNSIGNED_T high = ZC_FN(upper_half)((ZC_UNSIGNED_T)(size + size), by.factor);
    return (ZC_T)((high >> by.shift) ^ turn);
#else
    const ZC_UNSIGNED_T high = ZC_FN(upper_half)(x, by.factor),
                        sum = (ZC_UNSIGNED_T)(((ZC_UNSIGNED_T)(x - high) >> 1) + high);
    return (ZC_T)(sum >> (by.shift - 1));
#endif
}

static void ZC_FN(quotients)(ZC_T *to, const ZC_T *x, ZC_FN(divider) by, int64_t n)
{
    ZC_PARALLEL for (int64_t i = 0; i < n; i++)
    {
        to[i] = ZC_FN(quotient)(x[i], by);
    }
}
#endif

#if ZC_BITS == 32 && defined(ZC_VECTOR_BYTES)
/* As quotient() does, of a register of elements. Instructions multiply every second one. */
ZC_ALWAYS_INLINE zc_pairs ZC_FN(quotients_of)(zc_pairs x, ZC_FN(divider) by)
{
    typedef int32_t with_sign __attribute__((vector_size(ZC_VECTOR_BYTES)));
    const zc_wide factor = (zc_wide){0} + by.factor;
    const zc_pairs turn = ZC_IS_SIGNED ? (zc_pairs)((with_sign)x >> 31) : x - x, size = x ^ turn;
    const zc_wide multiplied = (zc_wide)(ZC_IS_SIGNED ? size + size : size);
    const zc_wide even = zc_multiply_lower(multiplied, factor) >> 32,
                  odd = zc_multiply_lower(multiplied >> 32, factor) & ~(uint64_t)UINT32_MAX;
    const zc_pairs high = (zc_pairs)(even | odd);
    return ZC_IS_SIGNED ? (high >> by.shift) ^ turn : (((x - high) >> 1) + high) >> (by.shift - 1);
}

/* Quotients or remainders of all but a few of the last elements; how many they are. */
static int64_t ZC_FN(divide_registers)(ZC_T *to, const ZC_T *x, ZC_FN(divider) by, ZC_T d, int64_t n,
                                       const bool is_remainder)
{
    enum { TOGETHER = ZC_VECTOR_BYTES / sizeof(ZC_T) };
    int64_t i = 0;
    for (; i + TOGETHER <= n; i += TOGETHER) {
        zc_pairs v;
        memcpy(&v, x + i, sizeof v);
        const zc_pairs quotients = ZC_FN(quotients_of)(v, by);
        v = is_remainder ? v - quotients * (uint32_t)d : quotients;
        memcpy(to + i, &v, sizeof v);
    }
    return i;
}
#else
static int64_t ZC_FN(divide_registers)(ZC_T *to, const ZC_T *x, ZC_FN(divider) by, ZC_T d, int64_t n,
                                       const bool is_remainder)
{
    (void)to, (void)x, (void)by, (void)d, (void)n, (void)is_remainder;
    return 0;
}
#endif

/* Divides by a d above 1. */
static void ZC_FN(divide_by)(ZC_T *to, const ZC_T *x, ZC_T d, int64_t n, const bool is_remainder)
{
    const ZC_FN(divider) by = ZC_FN(divider_of)((ZC_UNSIGNED_T)d);
    const int64_t done = ZC_FN(divide_registers)(to, x, by, d, n, is_remainder);
    to += done;
    x += done;
    n -= done;
    if (is_remainder) {
        ZC_PARALLEL for (int64_t i = 0; i < n; i++)
        {
            const ZC_T v = x[i];
            to[i] = (ZC_T)(v - (ZC_T)(ZC_FN(quotient)(v, by) * d));
        }
        return;
    }
    ZC_FN(quotients)(to, x, by, n);
}

static void ZC_FN(blocks_floor_divide)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    if (ZC_FN(is_uniform)(y, n, is_one) && y[0] > 1) {
        ZC_FN(divide_by)(to, x, y[0], n, false);
        return;
    }
    ZC_PARALLEL for (int64_t i = 0; i < n; i++) to[i] = ZC_FN(floor_divide)(x[i], y[i]);
}

static void ZC_FN(blocks_remainder)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    if (ZC_FN(is_uniform)(y, n, is_one) && y[0] > 1) {
        ZC_FN(divide_by)(to, x, y[0], n, true);
        return;
    }
    ZC_PARALLEL for (int64_t i = 0; i < n; i++) to[i] = ZC_FN(remainder)(x[i], y[i]);
}

/* Squares and multiplies, a bit of the exponents at a time. */
static void ZC_FN(power_block)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, ZC_UNSIGNED_T bits)
{
    ZC_T power[ZC_FN(UNIFORM_BLOCK)], result[ZC_FN(UNIFORM_BLOCK)], exponent[ZC_FN(UNIFORM_BLOCK)];
    for (int64_t i = 0; i < n; i++)
        power[i] = x[i], exponent[i] = y[i], result[i] = 1;
    for (; bits != 0; bits = (ZC_UNSIGNED_T)(bits >> 1)) {
        ZC_PARALLEL for (int64_t i = 0; i < n; i++)
        {
            const ZC_T factor = (exponent[i] & 1) != 0 ? power[i] : 1;
            result[i] = (ZC_T)(result[i] * factor);
            power[i] = (ZC_T)(power[i] * power[i]);
            exponent[i] = (ZC_T)(exponent[i] >> 1);
        }
    }
    memcpy(to, result, (size_t)n * sizeof *to);
}

static void ZC_FN(blocks_pow)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    for (int64_t begin = 0, length; begin < n; begin += length) {
        ZC_UNSIGNED_T bits = 0;
        length = n - begin < ZC_FN(UNIFORM_BLOCK) ? n - begin : ZC_FN(UNIFORM_BLOCK);
        for (int64_t i = begin; i < begin + (is_one ? 1 : length); i++)
            bits |= (ZC_UNSIGNED_T)y[i];
        if (!ZC_IS_SIGNED || bits >> (ZC_BITS - 1) == 0) {
            ZC_FN(power_block)(to + begin, x + begin, y + begin, length, bits);
            continue;
        }
        for (int64_t i = begin; i < begin + length; i++)
            to[i] = ZC_FN(pow)(x[i], y[i]);
    }
}

#undef ZC_UNSIGNED_T
#undef ZC_DOUBLE_T
