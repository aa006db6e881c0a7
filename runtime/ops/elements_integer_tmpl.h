/* The integer elements' functions. Included once per integer dtype with ZC_T its C type, ZC_E(f) the name of its f,
 * ZC_BITS its width and ZC_IS_SIGNED. */

static inline ZC_T ZC_E(minimum)(ZC_T x, ZC_T y)
{
    return x <= y ? x : y;
}

static inline ZC_T ZC_E(maximum)(ZC_T x, ZC_T y)
{
    return x >= y ? x : y;
}

static inline ZC_T ZC_E(relu)(ZC_T x)
{
    return ZC_E(maximum)(x, 0);
}

static inline ZC_T ZC_E(abs)(ZC_T x)
{
#if ZC_IS_SIGNED
    return x < 0 ? (ZC_T)-x : x;
#else
    return x;
#endif
}

static inline ZC_T ZC_E(sign)(ZC_T x)
{
#if ZC_IS_SIGNED
    return (ZC_T)((x > 0) - (x < 0));
#else
    return x != 0;
#endif
}

/* Integers are whole, finite, and no NaN. */
#define ZC_WHOLE(f)                                                                                                    \
    static inline ZC_T ZC_E(f)(ZC_T x)                                                                                 \
    {                                                                                                                  \
        return x;                                                                                                      \
    }
ZC_WHOLE(floor)
ZC_WHOLE(ceil)
ZC_WHOLE(trunc)
ZC_WHOLE(round)
#undef ZC_WHOLE

static inline int ZC_E(isfinite)(ZC_T x)
{
    (void)x;
    return 1;
}

static inline int ZC_E(isinf)(ZC_T x)
{
    (void)x;
    return 0;
}

static inline int ZC_E(isnan)(ZC_T x)
{
    (void)x;
    return 0;
}

static inline ZC_T ZC_E(invert)(ZC_T x)
{
    return (ZC_T)~x;
}

/* Division by zero gives 0, and the one quotient that overflows (lowest / -1) wraps: itself. */
#if ZC_BITS < 32 || (ZC_BITS == 32 && ZC_IS_SIGNED)
/* By a quotient of floats: of elements with fewer bits than their significand none is rounded to another whole number.
 * Compilers make vectors of it, so nothing branches. */
#if ZC_BITS < 32
#define ZC_QUOTIENT float
#else
#define ZC_QUOTIENT double
#endif

/* Divisor that stands in for y: 1 instead of 0 and -1. */
static inline int32_t ZC_E(divisor)(int32_t y)
{
#if ZC_IS_SIGNED
    return (uint32_t)y + 1 < 2 ? 1 : y;
#else
    return y == 0 ? 1 : y;
#endif
}

static inline ZC_T ZC_E(floor_divide)(ZC_T x, ZC_T y)
{
    const int32_t a = (int32_t)x, b = (int32_t)y, d = ZC_E(divisor)(b),
                  quotient = (int32_t)((ZC_QUOTIENT)a / (ZC_QUOTIENT)d);
#if ZC_IS_SIGNED
    const int32_t rest = a - quotient * d, down = quotient - ((rest ^ d) < 0 ? rest != 0 : 0);
    const int32_t wrapped = (int32_t)(0U - (uint32_t)a), signed_quotient = b == -1 ? wrapped : down;
    return (ZC_T)(b == 0 ? 0 : signed_quotient);
#else
    return (ZC_T)(b == 0 ? 0 : quotient);
#endif
}

static inline ZC_T ZC_E(remainder)(ZC_T x, ZC_T y)
{
    const int32_t a = (int32_t)x, d = ZC_E(divisor)(y), quotient = (int32_t)((ZC_QUOTIENT)a / (ZC_QUOTIENT)d);
    const int32_t rest = a - quotient * d;
#if ZC_IS_SIGNED
    const int32_t other_sign = rest + ((rest ^ d) < 0 ? d : 0);
    return (ZC_T)(rest == 0 ? 0 : other_sign);
#else
    return (ZC_T)rest;
#endif
}
#undef ZC_QUOTIENT
#else
static inline ZC_T ZC_E(floor_divide)(ZC_T x, ZC_T y)
{
    if (y == 0)
        return 0;
#if ZC_IS_SIGNED
    if (y == -1)
        return (ZC_T)-x;
    const ZC_T quotient = (ZC_T)(x / y), rest = (ZC_T)(x % y);
    return (ZC_T)(quotient - ((rest != 0) & ((rest ^ y) < 0)));
#else
    return (ZC_T)(x / y);
#endif
}

static inline ZC_T ZC_E(remainder)(ZC_T x, ZC_T y)
{
    if (y == 0)
        return 0;
#if ZC_IS_SIGNED
    if (y == -1)
        return 0;
    const ZC_T rest = (ZC_T)(x % y);
    return (ZC_T)(rest + (y & -(ZC_T)((rest != 0) & ((rest ^ y) < 0)))); /* without a branch, which would be guessed */
#else
    return (ZC_T)(x % y);
#endif
}
#endif

/* Squares and multiplies, wrapping. A negative power is 0, but for the bases 1 and -1. */
static inline ZC_T ZC_E(pow)(ZC_T x, ZC_T y)
{
#if ZC_IS_SIGNED
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (ZC_T)((y & 1) != 0 ? -1 : 1) : 0;
#endif
    ZC_T result = 1;
    for (ZC_T power = x; y != 0; y = (ZC_T)(y >> 1), power = (ZC_T)(power * power))
        result = (ZC_T)((y & 1) != 0 ? result * power : result);
    return result;
}

static inline ZC_T ZC_E(left_shift)(ZC_T x, ZC_T y)
{
    uint64_t count = (uint64_t)y; /* a negative count is a large one */
    return (ZC_T)(count >= ZC_BITS ? 0 : (uint64_t)x << (count & (ZC_BITS - 1)));
}

static inline ZC_T ZC_E(right_shift)(ZC_T x, ZC_T y)
{
    uint64_t count = (uint64_t)y; /* as there */
#if ZC_IS_SIGNED
    ZC_T beyond = (ZC_T)(x < 0 ? -1 : 0);
#else
    ZC_T beyond = 0;
#endif
    return (ZC_T)(count >= ZC_BITS ? beyond : x >> (count & (ZC_BITS - 1)));
}
