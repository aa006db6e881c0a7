/*
 * A scalar: one element of any dtype, outside of a buffer.
 */
#ifndef ZC_RUNTIME_DTYPES_SCALAR_H
#define ZC_RUNTIME_DTYPES_SCALAR_H

#include "runtime/dtypes/dtype.h"

/* The element's own representation from the first byte on; the bytes after it are 0. */
typedef union zc_scalar {
    uint64_t words[2];
    unsigned char bytes[16];
    int64_t int64;        /* of a ZC_INT64 */
    double float64;       /* of a ZC_FLOAT64 */
    double complex128[2]; /* of a ZC_COMPLEX128: the real part, the imaginary part */
} zc_scalar;

/* The element of that dtype at `element`. */
zc_scalar zc_scalar_load(zc_dtype dtype, const void *element);

/* The same element in another dtype, by the rules of zc_astype. */
zc_scalar zc_scalar_convert(zc_scalar from, zc_dtype from_dtype, zc_dtype to);

#endif
