/*
 * A number of one dtype as an element of another, by the rules of zc_astype: rounded once, saturated where it is beyond
 * an integer's ends.
 */
#ifndef ZC_RUNTIME_DTYPES_CONVERSIONS_H
#define ZC_RUNTIME_DTYPES_CONVERSIONS_H

#include <stdint.h>

#include "math/floats/narrow.h"

/* Truncates towards zero, saturates at the ends of the integer type, NaN gives 0. `top` is the type's highest value
 * plus 1, exact as a double. */
#define ZC_DEFINE_SATURATE(name, type, lowest, highest, top)                                                           \
    static inline type saturate_##name(double x)                                                                       \
    {                                                                                                                  \
        return x != x ? (type)0 : x <= (double)(lowest) ? (type)(lowest) : x >= (top) ? (type)(highest) : (type)x;     \
    }
ZC_DEFINE_SATURATE(int8, int8_t, INT8_MIN, INT8_MAX, 0x1p7)
ZC_DEFINE_SATURATE(int16, int16_t, INT16_MIN, INT16_MAX, 0x1p15)
ZC_DEFINE_SATURATE(int32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
ZC_DEFINE_SATURATE(int64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)
ZC_DEFINE_SATURATE(uint8, uint8_t, 0, UINT8_MAX, 0x1p8)
ZC_DEFINE_SATURATE(uint16, uint16_t, 0, UINT16_MAX, 0x1p16)
ZC_DEFINE_SATURATE(uint32, uint32_t, 0, UINT32_MAX, 0x1p32)
ZC_DEFINE_SATURATE(uint64, uint64_t, 0, UINT64_MAX, 0x1p64)
#undef ZC_DEFINE_SATURATE

/* Converts the number x of kind FROM to an element of the dtype `to`, C type `to_type`, of kind TO. */
#define ZC_CONVERT(FROM, TO, to, to_type, x)      ZC_CONVERT_##FROM##_##TO(to, to_type, x)
#define ZC_CONVERT_BOOL_BOOL(to, type, x)         (type)((x) != 0)
#define ZC_CONVERT_BOOL_SIGNED(to, type, x)       (type)((x) != 0)
#define ZC_CONVERT_BOOL_UNSIGNED(to, type, x)     (type)((x) != 0)
#define ZC_CONVERT_BOOL_FLOAT(to, type, x)        ZC_NEAREST_##to((x) != 0)
#define ZC_CONVERT_SIGNED_BOOL(to, type, x)       (type)((x) != 0)
#define ZC_CONVERT_SIGNED_SIGNED(to, type, x)     (type)(x)
#define ZC_CONVERT_SIGNED_UNSIGNED(to, type, x)   (type)(x)
#define ZC_CONVERT_SIGNED_FLOAT(to, type, x)      ZC_NEAREST_##to(x)
#define ZC_CONVERT_UNSIGNED_BOOL(to, type, x)     (type)((x) != 0)
#define ZC_CONVERT_UNSIGNED_SIGNED(to, type, x)   (type)(x)
#define ZC_CONVERT_UNSIGNED_UNSIGNED(to, type, x) (type)(x)
#define ZC_CONVERT_UNSIGNED_FLOAT(to, type, x)    ZC_NEAREST_##to(x)
#define ZC_CONVERT_FLOAT_BOOL(to, type, x)        (type)((x) != 0)
#define ZC_CONVERT_FLOAT_SIGNED(to, type, x)      saturate_##to((double)(x))
#define ZC_CONVERT_FLOAT_UNSIGNED(to, type, x)    saturate_##to((double)(x))
#define ZC_CONVERT_FLOAT_FLOAT(to, type, x)       ZC_NEAREST_##to(x)
#define ZC_CONVERT_BOOL_COMPLEX(to, type, x)      (type)((x) != 0)
#define ZC_CONVERT_SIGNED_COMPLEX(to, type, x)    (type)(x)
#define ZC_CONVERT_UNSIGNED_COMPLEX(to, type, x)  (type)(x)
#define ZC_CONVERT_FLOAT_COMPLEX(to, type, x)     (type)(x)
#define ZC_CONVERT_COMPLEX_BOOL(to, type, x)      (type)((x) != 0)
#define ZC_CONVERT_COMPLEX_COMPLEX(to, type, x)   (type)(x)

/* No public function makes a real number of a complex one without saying which part it wants: it is the real part. */
#define ZC_CONVERT_COMPLEX_SIGNED(to, type, x)   saturate_##to(__builtin_creal(x))
#define ZC_CONVERT_COMPLEX_UNSIGNED(to, type, x) saturate_##to(__builtin_creal(x))
#define ZC_CONVERT_COMPLEX_FLOAT(to, type, x)    ZC_NEAREST_##to(__builtin_creal(x))

/* A number of any type as a float, rounded once. */
#define ZC_NEAREST_float32(x)  (float)(x)
#define ZC_NEAREST_float64(x)  (double)(x)
#define ZC_NEAREST_float16(x)  nearest_float16(ZC_ODD(x))
#define ZC_NEAREST_bfloat16(x) nearest_bfloat16(ZC_ODD(x))

#endif
