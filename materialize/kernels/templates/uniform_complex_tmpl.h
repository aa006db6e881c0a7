/*
 * Functions of blocks of complex numbers: squares, where all exponents are 2, and what planes.h has where all elements
 * are in range. Included by dtype_tmpl.h for complex64 and complex128, with what that asks for.
 *
 * Invariant: every way gives the bits of ZC_FN(name), which computes in complex128.
 */

/* Applies the parts' own kernel to real and imaginary parts, or to imaginary and real ones. */
static void ZC_FN(map_parts)(ZC_PART_T *to, const ZC_PART_T *from, int64_t n, zc_map_kernel *kernel, bool is_turned)
{
    ZC_PART_T real[PLANE_BLOCK], imaginary[PLANE_BLOCK];
    for (int64_t begin = 0, length; begin < n; begin += length) {
        length = n - begin < PLANE_BLOCK ? n - begin : PLANE_BLOCK;
        for (int64_t i = 0; i < length; i++) {
            real[i] = from[2 * (begin + i)];
            imaginary[i] = from[2 * (begin + i) + 1];
        }
        kernel(to + begin, is_turned ? imaginary : real, is_turned ? real : imaginary, NULL, length);
    }
}

#define ZC_OF_PARTS_abs   ZC_PART_KERNEL(map_hypot), false
#define ZC_OF_PARTS_angle ZC_PART_KERNEL(map_atan2), true
#define ZC_EMIT_OF_PARTS(name)                                                                                         \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        (void)in_y, (void)in_z;                                                                                        \
        ZC_FN(map_parts)(out, in_x, n, ZC_OF_PARTS_##name);                                                            \
    }

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

static void ZC_FN(blocks_pow)(ZC_T *to, const ZC_T *x, const ZC_T *y, int64_t n, bool is_one)
{
    if (ZC_FN(are_twos)((const ZC_PART_T *)y, is_one && n > 0 ? 1 : n)) {
        ZC_FN(map_squares)((ZC_PART_T *)to, (const ZC_PART_T *)x, n);
        return;
    }
    for (int64_t begin = 0, length; begin < n; begin += length) {
        length = n - begin < PLANE_BLOCK ? n - begin : PLANE_BLOCK;
        if (ZC_FN(powers)(to + begin, x + begin, y + begin, length))
            continue;
        for (int64_t i = begin; i < begin + length; i++)
            to[i] = ZC_FN(pow)(x[i], y[i]);
    }
}
