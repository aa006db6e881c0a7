#include "tools/element.h"

#include <string.h>

zc_element_kind zc_element_kind_of(zc_dtype dtype)
{
    static const unsigned char zeros[8] = {0};
    return zc_element_read(dtype, zeros, 0).kind;
}

#define READ(type, KIND, member)                                                                                       \
    {                                                                                                                  \
        type value;                                                                                                    \
        memcpy(&value, at, sizeof value);                                                                              \
        return (zc_element){.kind = KIND, .member = value};                                                            \
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
        READ(float, ZC_ELEMENT_FLOAT32, real)
    case ZC_FLOAT64:
        READ(double, ZC_ELEMENT_FLOAT64, real)
    default:
        return (zc_element){.kind = ZC_ELEMENT_BOOL, .truth = *at != 0};
    }
}
