/*
 * Dtypes: what an element is, and which dtype two of them meet in.
 *
 * Source of the promotion rules: the Python array API standard's table; mixed kinds as NumPy's result_type.
 */
#ifndef ZC_RUNTIME_DTYPES_DTYPE_H
#define ZC_RUNTIME_DTYPES_DTYPE_H

#include "zerocast.h"

/* Ordered: a weak scalar of a kind takes the dtype of any tensor of the same or a later kind. */
typedef enum zc_kind { ZC_KIND_BOOL, ZC_KIND_SIGNED, ZC_KIND_UNSIGNED, ZC_KIND_FLOAT, ZC_KIND_COMPLEX } zc_kind;

typedef struct zc_dtype_info {
    const char *name;
    zc_kind kind;
    int bits;
} zc_dtype_info;

extern const zc_dtype_info zc_dtypes[ZC_DTYPE_COUNT];

bool zc_dtype_is_valid(zc_dtype dtype);

/* dtype is valid */
static inline const zc_dtype_info *zc_dtype_describe(zc_dtype dtype)
{
    return &zc_dtypes[dtype];
}

#if !defined(__clang_analyzer__) /* which would follow the 0 of what is no dtype into every division */
/* Inlines the public function where the compiler optimises: planning calls it several times for a node. dtype.c has the
 * function itself, made of the same rows. */
extern inline __attribute__((gnu_inline)) size_t zc_dtype_bytes(zc_dtype dtype)
{
    static const unsigned char bytes[ZC_DTYPE_COUNT] = {
#define ZC_DTYPE(NAME, name, type, kind, bits, value) [ZC_##NAME] = (bits) / 8,
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE
    };
    return (unsigned)dtype < ZC_DTYPE_COUNT ? bytes[dtype] : 0;
}
#endif

static inline bool zc_kind_is_integer(zc_kind kind)
{
    return kind == ZC_KIND_SIGNED || kind == ZC_KIND_UNSIGNED;
}

/* float16 and bfloat16, which are computed in float32. */
static inline bool zc_dtype_is_narrow(zc_dtype dtype)
{
    return dtype == ZC_FLOAT16 || dtype == ZC_BFLOAT16;
}

/* float32 and float64. */
static inline bool zc_dtype_is_wide_float(zc_dtype dtype)
{
    return dtype == ZC_FLOAT32 || dtype == ZC_FLOAT64;
}

static inline bool zc_dtype_is_complex(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 || dtype == ZC_COMPLEX128;
}

/* The float that the real and the imaginary part are; any other dtype is its own part. */
zc_dtype zc_dtype_part(zc_dtype dtype);

/* Alignment of an element in bytes; a complex number is aligned as its parts are. */
size_t zc_dtype_alignment(zc_dtype dtype);

/* The dtype both convert to. */
zc_dtype zc_dtype_promote(zc_dtype a, zc_dtype b);

/* The dtype a weak scalar of dtype `weak` (bool, int64, float64 or complex128) and a tensor of dtype `strong` meet in.
 */
zc_dtype zc_dtype_promote_weak(zc_dtype strong, zc_dtype weak);

/* Tells whether an integer dtype (or bool) can hold the value. */
bool zc_dtype_holds(zc_dtype dtype, int64_t value);

/* Copies bools and makes 1 of every byte that is not 0. The two may be the same memory. */
void zc_copy_truths(unsigned char *to, const unsigned char *from, size_t count);

#endif
