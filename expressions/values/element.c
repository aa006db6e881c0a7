#include "expressions/values/element.h"

#include <math.h>
#include <string.h>

#define READ(type, KIND, member)                                                                                       \
    {                                                                                                                  \
        type value;                                                                                                    \
        memcpy(&value, at, sizeof value);                                                                              \
        return (zc_element){.kind = KIND, .member = value};                                                            \
    }

/* sign, exponent, and ten bits of fraction */
static double value_of_half(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double size = exponent == 0    ? ldexp(fraction, -24)
                  : exponent != 31 ? ldexp(1024 + fraction, exponent - 25)
                  : fraction == 0  ? (double)INFINITY
                                   : (double)NAN;
    return (bits & 0x8000) != 0 ? -size : size;
}

static zc_element read_float(zc_dtype dtype, const unsigned char *at)
{
    zc_element element = {.kind = ZC_ELEMENT_FLOAT, .precision = ZC_PRECISION_DOUBLE};
    float single = 0;
    uint16_t bits = 0;
    if (dtype == ZC_FLOAT64) {
        memcpy(&element.real, at, sizeof element.real);
        return element;
    }
    if (dtype == ZC_FLOAT16) {
        memcpy(&bits, at, sizeof bits);
        element.precision = ZC_PRECISION_HALF;
        element.real = value_of_half(bits);
        return element;
    }
    if (dtype == ZC_BFLOAT16) { /* the upper half of a float */
        memcpy(&bits, at, sizeof bits);
        uint32_t whole = (uint32_t)bits << 16;
        memcpy(&single, &whole, sizeof single);
    } else {
        memcpy(&single, at, sizeof single);
    }
    element.precision = dtype == ZC_BFLOAT16 ? ZC_PRECISION_BFLOAT16 : ZC_PRECISION_SINGLE;
    element.real = (double)single;
    return element;
}

/* The real part, then the imaginary one, each a float of that dtype. */
static zc_element read_complex(zc_dtype part, const unsigned char *at)
{
    zc_element element = read_float(part, at);
    element.kind = ZC_ELEMENT_COMPLEX;
    element.imag = read_float(part, at + zc_dtype_bytes(part)).real;
    return element;
}

zc_element zc_element_read(zc_dtype dtype, const void *data, int64_t index)
{
    const unsigned char *at = (const unsigned char *)data + (size_t)index * zc_dtype_bytes(dtype);
    switch (dtype) {
    case ZC_INT8:
        READ(int8_t, ZC_ELEMENT_SIGNED, integer)
    case ZC_INT16:
        READ(int16_t, ZC_ELEMENT_SIGNED, integer)
    case ZC_INT32:
        READ(int32_t, ZC_ELEMENT_SIGNED, integer)
    case ZC_INT64:
        READ(int64_t, ZC_ELEMENT_SIGNED, integer)
    case ZC_UINT8:
        READ(uint8_t, ZC_ELEMENT_UNSIGNED, magnitude)
    case ZC_UINT16:
        READ(uint16_t, ZC_ELEMENT_UNSIGNED, magnitude)
    case ZC_UINT32:
        READ(uint32_t, ZC_ELEMENT_UNSIGNED, magnitude)
    case ZC_UINT64:
        READ(uint64_t, ZC_ELEMENT_UNSIGNED, magnitude)
    case ZC_FLOAT32:
    case ZC_FLOAT64:
    case ZC_FLOAT16:
    case ZC_BFLOAT16:
        return read_float(dtype, at);
    case ZC_COMPLEX64:
        return read_complex(ZC_FLOAT32, at);
    case ZC_COMPLEX128:
        return read_complex(ZC_FLOAT64, at);
    default:
        return (zc_element){.kind = ZC_ELEMENT_BOOL, .truth = *at != 0};
    }
}

/* ---- Names of dtypes ---- */

typedef struct named_dtype {
    const char *name;
    zc_dtype dtype;
} named_dtype;

static bool find_name(const named_dtype *names, size_t count, const char *name, zc_dtype *dtype)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i].name, name) == 0) {
            *dtype = names[i].dtype;
            return true;
        }
    }
    return false;
}

bool zc_dtype_by_name(const char *name, zc_dtype *dtype)
{
    static const named_dtype names[] = {
        {"float", ZC_FLOAT64},  {"int", ZC_INT64},      {"complex", ZC_COMPLEX128}, {"half", ZC_FLOAT16},
        {"single", ZC_FLOAT32}, {"double", ZC_FLOAT64}, {"bool_", ZC_BOOL},
    };
    return zc_dtype_from_name(name, dtype) || find_name(names, sizeof names / sizeof names[0], name, dtype);
}

bool zc_dtype_by_text(const char *text, zc_dtype *dtype)
{
    static const named_dtype codes[] = {
        {"?", ZC_BOOL},     {"b1", ZC_BOOL},    {"i1", ZC_INT8},    {"i2", ZC_INT16},     {"i4", ZC_INT32},
        {"i8", ZC_INT64},   {"u1", ZC_UINT8},   {"u2", ZC_UINT16},  {"u4", ZC_UINT32},    {"u8", ZC_UINT64},
        {"f2", ZC_FLOAT16}, {"f4", ZC_FLOAT32}, {"f8", ZC_FLOAT64}, {"c8", ZC_COMPLEX64}, {"c16", ZC_COMPLEX128},
    };
    const bool has_order = text[0] == '<' || text[0] == '=' || text[0] == '|';
    return find_name(codes, sizeof codes / sizeof codes[0], text + has_order, dtype) ||
           (!has_order && zc_dtype_by_name(text, dtype));
}
