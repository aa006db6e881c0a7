#include "runtime/dtypes/dtype.h"

#include <string.h>

const zc_dtype_info zc_dtypes[ZC_DTYPE_COUNT] = {
#define ZC_DTYPE(NAME, name, type, kind, bits, value) [ZC_##NAME] = {#name, ZC_KIND_##kind, bits},
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE
};

bool zc_dtype_is_valid(zc_dtype dtype)
{
    return (unsigned)dtype < ZC_DTYPE_COUNT;
}

const char *zc_dtype_name(zc_dtype dtype)
{
    return zc_dtype_is_valid(dtype) ? zc_dtypes[dtype].name : "invalid";
}

size_t zc_dtype_bytes(zc_dtype dtype)
{
    return zc_dtype_is_valid(dtype) ? (size_t)zc_dtypes[dtype].bits / 8 : 0;
}

bool zc_dtype_from_name(const char *name, zc_dtype *dtype)
{
    for (int d = 0; name != NULL && d < ZC_DTYPE_COUNT; d++) {
        if (strcmp(name, zc_dtypes[d].name) == 0) {
            *dtype = (zc_dtype)d;
            return true;
        }
    }
    return false;
}

zc_dtype zc_dtype_part(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 ? ZC_FLOAT32 : dtype == ZC_COMPLEX128 ? ZC_FLOAT64 : dtype;
}

size_t zc_dtype_alignment(zc_dtype dtype)
{
    return zc_dtype_bytes(zc_dtype_part(dtype));
}

static zc_dtype find(zc_kind kind, int bits)
{
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        if (zc_dtypes[d].kind == kind && zc_dtypes[d].bits == bits)
            return (zc_dtype)d;
    }
    return ZC_FLOAT64; /* as NumPy, where no dtype holds both: int64 and uint64, int64 and a float */
}

/* An integer takes a float of twice its bits, as far as there are such. */
static zc_dtype promote_with_float(zc_dtype integer, zc_dtype floating)
{
    int needed = 2 * zc_dtypes[integer].bits;
    return needed <= zc_dtypes[floating].bits ? floating : find(ZC_KIND_FLOAT, needed);
}

/* The wider of two dtypes of one kind; float16 and bfloat16, neither of which holds the other, meet in float32. */
static zc_dtype promote_in_kind(zc_dtype a, zc_dtype b)
{
    if (zc_dtypes[a].bits != zc_dtypes[b].bits)
        return zc_dtypes[a].bits > zc_dtypes[b].bits ? a : b;
    return a == b ? a : find(zc_dtypes[a].kind, 2 * zc_dtypes[a].bits);
}

/* A real number takes the complex dtype whose parts hold it; there is none of 16-bit floats. */
static zc_dtype promote_with_complex(zc_dtype real, zc_dtype complex)
{
    return find(ZC_KIND_COMPLEX, 2 * zc_dtypes[zc_dtype_promote(real, zc_dtype_part(complex))].bits);
}

zc_dtype zc_dtype_promote(zc_dtype a, zc_dtype b)
{
    const zc_dtype_info *x = &zc_dtypes[a], *y = &zc_dtypes[b];
    if (x->kind == y->kind)
        return promote_in_kind(a, b);
    if (x->kind > y->kind)
        return zc_dtype_promote(b, a); /* recursion: once */
    if (x->kind == ZC_KIND_BOOL)
        return b;
    if (y->kind == ZC_KIND_COMPLEX)
        return promote_with_complex(a, b);
    if (y->kind == ZC_KIND_FLOAT)
        return promote_with_float(a, b);
    return x->bits > y->bits ? a : find(ZC_KIND_SIGNED, 2 * y->bits);
}

zc_dtype zc_dtype_promote_weak(zc_dtype strong, zc_dtype weak)
{
    zc_kind strong_kind = zc_dtypes[strong].kind, weak_kind = zc_dtypes[weak].kind;
    if (weak_kind == ZC_KIND_COMPLEX && strong_kind == ZC_KIND_FLOAT)
        return promote_with_complex(strong, ZC_COMPLEX64);
    if (strong_kind == ZC_KIND_SIGNED && weak_kind == ZC_KIND_UNSIGNED) /* an integer beyond int64 */
        return strong;
    return strong_kind >= weak_kind ? strong : weak;
}

bool zc_dtype_holds(zc_dtype dtype, int64_t value)
{
    int bits = zc_dtypes[dtype].bits;
    switch (zc_dtypes[dtype].kind) {
    case ZC_KIND_BOOL:
        return value == 0 || value == 1;
    case ZC_KIND_SIGNED:
        return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < (INT64_C(1) << (bits - 1)));
    case ZC_KIND_UNSIGNED:
        return value >= 0 && (bits == 64 || value < (INT64_C(1) << bits));
    default: /* ZC_KIND_FLOAT, ZC_KIND_COMPLEX */
        return true;
    }
}

void zc_copy_truths(unsigned char *to, const unsigned char *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] != 0;
}
