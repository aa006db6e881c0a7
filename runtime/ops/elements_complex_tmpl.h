/* The complex elements' functions. Included once per complex dtype with ZC_T its C type, ZC_PART_T that of its parts,
 * ZC_E(f) the name of its f, ZC_PART(f) that of its parts' f, and ZC_M(f) the C library's function for them. */

static inline ZC_T ZC_E(complex)(ZC_PART_T real, ZC_PART_T imag)
{
    return __builtin_complex(real, imag);
}

static inline ZC_PART_T ZC_E(real)(ZC_T z)
{
    return ZC_M(__builtin_creal)(z);
}

static inline ZC_PART_T ZC_E(imag)(ZC_T z)
{
    return ZC_M(__builtin_cimag)(z);
}

static inline ZC_T ZC_E(conj)(ZC_T z)
{
    return ZC_E(complex)(ZC_E(real)(z), -ZC_E(imag)(z));
}

static inline ZC_PART_T ZC_E(abs)(ZC_T z)
{
    return ZC_PART(hypot)(ZC_E(real)(z), ZC_E(imag)(z));
}

static inline ZC_PART_T ZC_E(angle)(ZC_T z)
{
    return ZC_PART(atan2)(ZC_E(imag)(z), ZC_E(real)(z));
}

/* z / |z|, scaled so that |z| neither overflows nor is subnormal; an infinite number has a direction on an axis. */
static inline ZC_T ZC_E(sign)(ZC_T z)
{
    const ZC_PART_T x = ZC_E(real)(z), y = ZC_E(imag)(z), size_x = ZC_M(fabs)(x), size_y = ZC_M(fabs)(y);
    const ZC_PART_T largest = size_x > size_y ? size_x : size_y;
    const ZC_PART_T unit = largest > 1 ? (ZC_PART_T)0.5 : largest < (ZC_PART_T)0x1p-60 ? (ZC_PART_T)0x1p64 : 1;
    const int is_far_x = size_x == (ZC_PART_T)INFINITY, is_far_y = size_y == (ZC_PART_T)INFINITY;
    if (x == 0 && y == 0)
        return 0;
    if (is_far_x != is_far_y && x == x && y == y)
        return ZC_E(complex)(is_far_x ? ZC_M(copysign)(1, x) : 0, is_far_y ? ZC_M(copysign)(1, y) : 0);
    const ZC_PART_T size = ZC_PART(hypot)(x * unit, y * unit);
    return x == x && y == y ? ZC_E(complex)(x * unit / size, y * unit / size) : ZC_E(complex)(x + y, x + y);
}

static inline ZC_T ZC_E(round)(ZC_T z)
{
    return ZC_E(complex)(ZC_PART(round)(ZC_E(real)(z)), ZC_PART(round)(ZC_E(imag)(z)));
}

static inline int ZC_E(isfinite)(ZC_T z)
{
    return ZC_PART(isfinite)(ZC_E(real)(z)) & ZC_PART(isfinite)(ZC_E(imag)(z));
}

static inline int ZC_E(isinf)(ZC_T z)
{
    return ZC_PART(isinf)(ZC_E(real)(z)) | ZC_PART(isinf)(ZC_E(imag)(z));
}

static inline int ZC_E(isnan)(ZC_T z)
{
    return ZC_PART(isnan)(ZC_E(real)(z)) | ZC_PART(isnan)(ZC_E(imag)(z));
}
