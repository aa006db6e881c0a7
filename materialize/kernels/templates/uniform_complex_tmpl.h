/*
 * Functions of blocks of complex numbers: squares, where 2 is the exponent of the whole block, and what planes.h has
 * where all elements are in range. Included by dtype_tmpl.h for complex64 and complex128, with what that asks for.
 *
 * Invariant: every way gives the bits of ZC_FN(name), which computes in complex128.
 */

#if defined(ZC_VECTOR_BYTES)
typedef ZC_PART_T ZC_FN(parts) __attribute__((vector_size(ZC_VECTOR_BYTES / sizeof(double) * sizeof(ZC_PART_T))));

/* The squares of all but a few of the last numbers; how many they are. */
static int64_t ZC_FN(square_vectors)(ZC_PART_T *to, const ZC_PART_T *from, int64_t n)
{
    enum { TOGETHER = ZC_VECTOR_BYTES / sizeof(double) / 2 };
    int64_t i = 0;
    for (; i + TOGETHER <= n; i += TOGETHER) {
        ZC_FN(parts) part;
        memcpy(&part, from + 2 * i, sizeof part);
        part = __builtin_convertvector(square_of_parts(__builtin_convertvector(part, parts)), ZC_FN(parts));
        memcpy(to + 2 * i, &part, sizeof part);
    }
    return i;
}
#else
static int64_t ZC_FN(square_vectors)(ZC_PART_T *to, const ZC_PART_T *from, int64_t n)
{
    (void)to, (void)from, (void)n;
    return 0;
}
#endif

/* 0 to the power 2 is +0+0i, whatever the signs. */
static void ZC_FN(map_squares)(ZC_PART_T *to, const ZC_PART_T *from, int64_t n)
{
    for (int64_t i = ZC_FN(square_vectors)(to, from, n); i < n; i++) {
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

#if defined(ZC_VECTOR_BYTES)
static void ZC_FN(split)(planes *to, const ZC_T *from, int64_t n)
{
    const ZC_PART_T *part = (const ZC_PART_T *)from;
    for (int64_t i = 0; i < n; i++) {
        to->x[i] = (double)part[2 * i];
        to->y[i] = (double)part[2 * i + 1];
    }
}

static void ZC_FN(join)(ZC_T *to, const planes *from, int64_t n)
{
    ZC_PART_T *part = (ZC_PART_T *)to;
    for (int64_t i = 0; i < n; i++) {
        part[2 * i] = (ZC_PART_T)from->x[i];
        part[2 * i + 1] = (ZC_PART_T)from->y[i];
    }
}

static bool ZC_FN(powers)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n)
{
    planes z[2];
    ZC_FN(split)(&z[0], x, n);
    ZC_FN(split)(&z[1], y, n);
    if (!pow_of_planes(z, n))
        return false;
    ZC_FN(join)(to, &z[0], n);
    return true;
}

/* A kernel that looks at a block first. */
#define ZC_EMIT_IN_RANGED(name, arity, result, meaning)                                                                \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        (void)in_y, (void)in_z;                                                                                        \
        ZC_FN(blocks_in_planes)(out, in_x, n, name##_of_planes, ZC_FN(name));                                          \
    }

static void ZC_FN(blocks_in_planes)(ZC_T *to, const ZC_T *from, int64_t n, planes_function *near, ZC_T (*far)(ZC_T))
{
    planes z;
    for (int64_t begin = 0, length; begin < n; begin += length) {
        length = n - begin < PLANE_BLOCK ? n - begin : PLANE_BLOCK;
        ZC_FN(split)(&z, from + begin, length);
        if (near(&z, length)) {
            ZC_FN(join)(to + begin, &z, length);
            continue;
        }
        for (int64_t i = begin; i < begin + length; i++)
            to[i] = far(from[i]);
    }
}
#else
static bool ZC_FN(powers)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n)
{
    (void)to, (void)x, (void)y, (void)n;
    return false;
}
#define ZC_EMIT_IN_RANGED(name, arity, result, meaning) ZC_EMIT(name, arity, result, meaning)
#endif

static void ZC_FN(blocks_pow)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n)
{
    for (int64_t begin = 0, length; begin < n; begin += length) {
        length = n - begin < PLANE_BLOCK ? n - begin : PLANE_BLOCK;
        if (ZC_FN(are_twos)((const ZC_PART_T *)(y + begin), length)) {
            ZC_FN(map_squares)((ZC_PART_T *)(to + begin), (const ZC_PART_T *)(x + begin), length);
            continue;
        }
        if (ZC_FN(powers)(to + begin, x + begin, y + begin, length))
            continue;
        for (int64_t i = begin; i < begin + length; i++)
            to[i] = ZC_FN(pow)(x[i], y[i]);
    }
}
