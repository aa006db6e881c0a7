/* The floating-point elements' functions. Included once per float dtype with ZC_T its C type, ZC_E(f) the name of its
 * f, ZC_M(f) the C library's function for the type, ZC_BITS_T the unsigned integer of its width, ZC_EPSILON and
 * ZC_LEAST its spacing at 1 and its least positive number. Only functions of the C library are called whose results are
 * exact or correctly rounded: the same on every machine. The 16-bit floats use float32's, but for those in narrow.h. */

/* NaN propagates: the first choice takes x when x is NaN, as vector minimums do, the second takes y. Of equal zeros x
 * is taken. */
static inline ZC_T ZC_E(minimum)(ZC_T x, ZC_T y)
{
    const ZC_T least = y < x ? y : x;
    return y != y ? y : least;
}

static inline ZC_T ZC_E(maximum)(ZC_T x, ZC_T y)
{
    const ZC_T most = y > x ? y : x;
    return y != y ? y : most;
}

/* maximum(x, 0). GCC makes one instruction of it when it does not see what x is compared with, and else two. */
static inline ZC_T ZC_E(relu)(ZC_T x)
{
    const ZC_T zero = ZC_E(zc_zero);
    return zero > x ? zero : x;
}

static inline ZC_T ZC_E(abs)(ZC_T x)
{
    return ZC_M(fabs)(x);
}

/* Angle of a number on the real line: 0 to the right, pi to the left, which includes -0.0. */
static inline ZC_T ZC_E(angle)(ZC_T x)
{
    const ZC_T left = ZC_M(copysign)(1, x) < 0 ? (ZC_T)0x1.921fb54442d18p+1 : 0;
    return x != x ? x : left;
}

static inline ZC_T ZC_E(copysign)(ZC_T x, ZC_T y)
{
    return ZC_M(copysign)(x, y);
}

/* 0 for a zero of either sign, NaN for NaN. */
static inline ZC_T ZC_E(sign)(ZC_T x)
{
    ZC_T sign = (ZC_T)(x > 0) - (ZC_T)(x < 0);
    return x != x ? x : sign;
}

static inline ZC_T ZC_E(floor)(ZC_T x)
{
    return ZC_M(floor)(x);
}

static inline ZC_T ZC_E(ceil)(ZC_T x)
{
    return ZC_M(ceil)(x);
}

static inline ZC_T ZC_E(trunc)(ZC_T x)
{
    return ZC_M(trunc)(x);
}

/* Halves go to even. Adding and subtracting 1 / epsilon rounds whatever is not whole already. */
static inline ZC_T ZC_E(round)(ZC_T x)
{
    const ZC_T rounder = (ZC_T)1 / ZC_EPSILON;
    ZC_T size = ZC_M(fabs)(x);
    ZC_T whole = size < rounder ? (size + rounder) - rounder : size;
    return ZC_M(copysign)(whole, x);
}

static inline int ZC_E(isfinite)(ZC_T x)
{
    return ZC_M(fabs)(x) < (ZC_T)INFINITY;
}

static inline int ZC_E(isinf)(ZC_T x)
{
    return ZC_M(fabs)(x) == (ZC_T)INFINITY;
}

static inline int ZC_E(isnan)(ZC_T x)
{
    return x != x;
}

static inline int ZC_E(signbit)(ZC_T x)
{
    return ZC_M(copysign)(1, x) < 0;
}

/* A step of one is one in the bits, away from zero or towards it; off zero it goes to the least of y's sign. */
static inline ZC_T ZC_E(nextafter)(ZC_T x, ZC_T y)
{
    ZC_BITS_T bits, away = (x < y) == (x > 0);
    memcpy(&bits, &x, sizeof bits);
    bits += 2 * away - 1;
    ZC_T next, least = ZC_M(copysign)(ZC_LEAST, y);
    memcpy(&next, &bits, sizeof next);
    next = x == 0 ? least : next;
    next = x == y ? y : next;
    return ((x != x) | (y != y)) ? x + y : next;
}

/* Exact at both ends; monotonic up to rounding. */
static inline ZC_T ZC_E(lerp)(ZC_T x, ZC_T y, ZC_T weight)
{
    ZC_T distance = y - x;
    return weight < (ZC_T)0.5 ? x + weight * distance : y - (1 - weight) * distance;
}

static inline ZC_T ZC_E(sqrt)(ZC_T x)
{
    return ZC_M(sqrt)(x);
}

/* Takes the sign of y; an exact multiple gives a zero of y's sign. */
static inline ZC_T ZC_E(remainder)(ZC_T x, ZC_T y)
{
    ZC_T rest = ZC_M(fmod)(x, y);
    if (rest == 0)
        return ZC_M(copysign)(rest, y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
}

/* The integer nearest to (x - remainder) / y, so that the two functions fit together although both round. */
static inline ZC_T ZC_E(floor_divide)(ZC_T x, ZC_T y)
{
    if (y == 0)
        return x / y;
    ZC_T rest = ZC_M(fmod)(x, y);
    ZC_T quotient = (x - rest) / y;
    if (rest != 0 && (rest < 0) != (y < 0))
        quotient -= 1;
    if (quotient == 0)
        return ZC_M(copysign)(0, x / y);
    ZC_T whole = ZC_M(floor)(quotient);
    return quotient - whole > (ZC_T)0.5 ? whole + 1 : whole;
}
