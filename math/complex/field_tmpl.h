/*
 * The product, quotient and reciprocal of complex numbers. Included by math/complex/complex.h with ZC_FIELD(f) the name
 * of f, ZC_T the type, ZC_PART_T that of its parts, and ZC_M(f) C's function f of those. Undefines them.
 *
 * times: every product and sum is rounded, as NumPy does it. over: Smith's method, as NumPy does it: numerator and
 * denominator are divided by the larger part of y; by 0, each part over 0. inverse: the same of 1.
 */
static inline ZC_T ZC_FIELD(times)(ZC_T x, ZC_T y)
{
    const ZC_PART_T a = ZC_M(__builtin_creal)(x), b = ZC_M(__builtin_cimag)(x);
    const ZC_PART_T c = ZC_M(__builtin_creal)(y), d = ZC_M(__builtin_cimag)(y);
    return __builtin_complex(ZC_PRODUCT(a, c) - ZC_PRODUCT(b, d), ZC_PRODUCT(a, d) + ZC_PRODUCT(b, c));
}

static inline ZC_T ZC_FIELD(over)(ZC_T x, ZC_T y)
{
    const ZC_PART_T a = ZC_M(__builtin_creal)(x), b = ZC_M(__builtin_cimag)(x);
    const ZC_PART_T c = ZC_M(__builtin_creal)(y), d = ZC_M(__builtin_cimag)(y);
    const ZC_PART_T size_c = ZC_M(fabs)(c), size_d = ZC_M(fabs)(d);
    if (size_c == 0 && size_d == 0)
        return __builtin_complex(a / size_c, b / size_c);
    if (size_c >= size_d) {
        const ZC_PART_T ratio = d / c, scale = 1 / (c + ZC_PRODUCT(d, ratio));
        return __builtin_complex((a + ZC_PRODUCT(b, ratio)) * scale, (b - ZC_PRODUCT(a, ratio)) * scale);
    }
    const ZC_PART_T ratio = c / d, scale = 1 / (ZC_PRODUCT(c, ratio) + d);
    return __builtin_complex((ZC_PRODUCT(a, ratio) + b) * scale, (ZC_PRODUCT(b, ratio) - a) * scale);
}

static inline ZC_T ZC_FIELD(inverse)(ZC_T y)
{
    const ZC_PART_T c = ZC_M(__builtin_creal)(y), d = ZC_M(__builtin_cimag)(y);
    const ZC_PART_T size_c = ZC_M(fabs)(c), size_d = ZC_M(fabs)(d);
    if (size_c == 0 && size_d == 0)
        return __builtin_complex(1 / size_c, (ZC_PART_T)NAN);
    if (size_c >= size_d) {
        const ZC_PART_T ratio = d / c, size = c + ZC_PRODUCT(d, ratio);
        return __builtin_complex(1 / size, -ratio / size);
    }
    const ZC_PART_T ratio = c / d, size = ZC_PRODUCT(c, ratio) + d;
    return __builtin_complex(ratio / size, -1 / size);
}

#undef ZC_FIELD
#undef ZC_T
#undef ZC_PART_T
#undef ZC_M
