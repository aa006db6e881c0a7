#include "runtime/dtypes/scalar.h"

#include <string.h>

#include "math/floats/narrow.h"
#include "runtime/dtypes/conversions.h"
#include "runtime/dtypes/float_environment.h"

zc_scalar zc_scalar_load(zc_dtype dtype, const void *element)
{
    zc_scalar scalar = {.words = {0}};
    if (dtype == ZC_BOOL)
        zc_copy_truths(scalar.bytes, element, 1);
    else
        memcpy(scalar.bytes, element, zc_dtype_bytes(dtype));
    return scalar;
}

/* Every element converts exactly to the widest type of its kind, and from there as it would itself. */
typedef struct wide_element {
    zc_kind kind;
    int64_t as_signed;
    uint64_t as_unsigned;
    double as_float;
    double _Complex as_complex;
} wide_element;

#define ZC_WIDEN_BOOL(x)                                                                                               \
    (wide_element)                                                                                                     \
    {                                                                                                                  \
        .kind = ZC_KIND_UNSIGNED, .as_unsigned = (x) != 0                                                              \
    }
#define ZC_WIDEN_SIGNED(x)                                                                                             \
    (wide_element)                                                                                                     \
    {                                                                                                                  \
        .kind = ZC_KIND_SIGNED, .as_signed = (int64_t)(x)                                                              \
    }
#define ZC_WIDEN_UNSIGNED(x)                                                                                           \
    (wide_element)                                                                                                     \
    {                                                                                                                  \
        .kind = ZC_KIND_UNSIGNED, .as_unsigned = (uint64_t)(x)                                                         \
    }
#define ZC_WIDEN_FLOAT(x)                                                                                              \
    (wide_element)                                                                                                     \
    {                                                                                                                  \
        .kind = ZC_KIND_FLOAT, .as_float = (double)(x)                                                                 \
    }
#define ZC_WIDEN_COMPLEX(x)                                                                                            \
    (wide_element)                                                                                                     \
    {                                                                                                                  \
        .kind = ZC_KIND_COMPLEX, .as_complex = (double _Complex)(x)                                                    \
    }

#define ZC_DTYPE(NAME, name, type, KIND, width, value)                                                                 \
    static wide_element widen_##NAME(const zc_scalar *from)                                                            \
    {                                                                                                                  \
        type x;                                                                                                        \
        memcpy(&x, from->bytes, sizeof x);                                                                             \
        return ZC_WIDEN_##KIND(value);                                                                                 \
    }
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE

#define ZC_DTYPE(NAME, name, type, KIND, width, value)                                                                 \
    static zc_scalar narrow_##NAME(const wide_element *x)                                                              \
    {                                                                                                                  \
        type y = x->kind == ZC_KIND_SIGNED     ? ZC_CONVERT(SIGNED, KIND, name, type, x->as_signed)                    \
                 : x->kind == ZC_KIND_UNSIGNED ? ZC_CONVERT(UNSIGNED, KIND, name, type, x->as_unsigned)                \
                 : x->kind == ZC_KIND_FLOAT    ? ZC_CONVERT(FLOAT, KIND, name, type, x->as_float)                      \
                                               : ZC_CONVERT(COMPLEX, KIND, name, type, x->as_complex);                    \
        return zc_scalar_load(ZC_##NAME, &y);                                                                          \
    }
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE

static zc_scalar convert(zc_scalar from, zc_dtype from_dtype, zc_dtype to)
{
    ZC_DEFAULT_FLOATS();
    static wide_element (*const widen[ZC_DTYPE_COUNT])(const zc_scalar *) = {
#define ZC_DTYPE(NAME, name, type, kind, bits, value) [ZC_##NAME] = widen_##NAME,
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE
    };
    static zc_scalar (*const narrow[ZC_DTYPE_COUNT])(const wide_element *) = {
#define ZC_DTYPE(NAME, name, type, kind, bits, value) [ZC_##NAME] = narrow_##NAME,
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE
    };
    wide_element wide = widen[from_dtype](&from);
    return narrow[to](&wide);
}

zc_scalar zc_scalar_convert(zc_scalar from, zc_dtype from_dtype, zc_dtype to)
{
    return from_dtype == to ? zc_scalar_load(to, from.bytes) : convert(from, from_dtype, to);
}
