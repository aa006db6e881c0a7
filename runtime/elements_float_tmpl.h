/* The floating-point elements' functions. Included once per float dtype with ZC_T its C type, ZC_E(f) the name of its f
 * and ZC_M(f) the C library's function for the type. fmod is exact, and the library's pow is within 1 ULP; neither
 * is worth a vector form of our own. */

/* NaN propagates: when y is NaN no comparison holds and y is taken. */
static inline ZC_T ZC_E(minimum)(ZC_T x, ZC_T y)
{
    return ((x <= y) | (x != x)) ? x : y;
}

static inline ZC_T ZC_E(maximum)(ZC_T x, ZC_T y)
{
    return ((x >= y) | (x != x)) ? x : y;
}

static inline ZC_T ZC_E(abs)(ZC_T x)
{
    return ZC_M(fabs)(x);
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

static inline ZC_T ZC_E(pow)(ZC_T x, ZC_T y)
{
    return (ZC_T)pow((double)x, (double)y);
}
