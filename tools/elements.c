#include "tools/elements.h"

element_kind element_kind_of(zc_dtype dtype) {
    switch (dtype) {
    case ZC_BOOL:
        return ELEMENT_BOOL;
    case ZC_FLOAT32:
    case ZC_FLOAT64:
        return ELEMENT_FLOAT;
    case ZC_UINT8:
    case ZC_UINT16:
    case ZC_UINT32:
    case ZC_UINT64:
        return ELEMENT_UNSIGNED;
    default:
        return ELEMENT_SIGNED;
    }
}

int64_t element_signed(zc_dtype dtype, const void *data, int64_t i) {
    switch (dtype) {
    case ZC_INT8:
        return ((const int8_t *)data)[i];
    case ZC_INT16:
        return ((const int16_t *)data)[i];
    case ZC_INT32:
        return ((const int32_t *)data)[i];
    default:
        return ((const int64_t *)data)[i];
    }
}

uint64_t element_unsigned(zc_dtype dtype, const void *data, int64_t i) {
    switch (dtype) {
    case ZC_BOOL:
        return ((const uint8_t *)data)[i] != 0;
    case ZC_UINT8:
        return ((const uint8_t *)data)[i];
    case ZC_UINT16:
        return ((const uint16_t *)data)[i];
    case ZC_UINT32:
        return ((const uint32_t *)data)[i];
    default:
        return ((const uint64_t *)data)[i];
    }
}

double element_float(zc_dtype dtype, const void *data, int64_t i) {
    return dtype == ZC_FLOAT32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

zc_tensor *elements_of(const zc_tensor *t) {
    zc_tensor *dense = NULL;
    return zc_materialize(t, &dense) == ZC_OK ? dense : NULL;
}
