#include "tests/diff/same.h"

#include <math.h>
#include <string.h>

#include "tests/support/zc_test.h"

zc_dtype part_of(zc_dtype dtype)
{
    return dtype == ZC_COMPLEX64 ? ZC_FLOAT32 : dtype == ZC_COMPLEX128 ? ZC_FLOAT64 : dtype;
}

/* The bits of an element as a number, wherever its lowest byte lies. */
static uint64_t bits_as_number(const void *element, size_t bytes)
{
    uint16_t of_2 = 0;
    uint32_t of_4 = 0;
    uint64_t of_8 = 0;
    memcpy(&of_2, element, bytes == 2 ? 2 : 0);
    memcpy(&of_4, element, bytes == 4 ? 4 : 0);
    memcpy(&of_8, element, bytes == 8 ? 8 : 0);
    return bytes == 1 ? *(const uint8_t *)element : bytes == 2 ? of_2 : bytes == 4 ? of_4 : of_8;
}

uint64_t part_bits(zc_dtype part, const void *element)
{
    float f;
    double d;
    const uint64_t bits = bits_as_number(element, zc_dtype_bytes(part));
    memcpy(&f, element, part == ZC_FLOAT32 ? sizeof f : 0);
    memcpy(&d, element, part == ZC_FLOAT64 ? sizeof d : 0);
    if ((part == ZC_FLOAT32 && isnan(f)) || (part == ZC_FLOAT64 && isnan(d)) ||
        (part == ZC_FLOAT16 && (bits & 0x7fff) > 0x7c00) || (part == ZC_BFLOAT16 && (bits & 0x7fff) > 0x7f80))
        return UINT64_MAX;
    return bits;
}

/* Equal bits, or a NaN each; of complex elements, part by part. */
static bool are_same(zc_dtype dtype, const char *x, const char *y)
{
    const zc_dtype part = part_of(dtype);
    size_t item = zc_dtype_bytes(part);
    bool same = true;
    for (size_t at = 0; at < zc_dtype_bytes(dtype); at += item)
        same = same && part_bits(part, x + at) == part_bits(part, y + at);
    return same;
}

void expect_same(const zc_tensor *wanted, const zc_tensor *got, int64_t first, const char *how)
{
    zc_dtype dtype = zc_dtype_of(wanted);
    size_t item = zc_dtype_bytes(dtype);
    const char *x = zc_data(wanted), *y = zc_data(got);
    cr_assert_eq(zc_dtype_of(got), dtype);
    for (int64_t i = 0; i < zc_size(got); i++) {
        cr_assert(are_same(dtype, x + (size_t)(first + i) * item, y + (size_t)i * item), "%s, %s: element %ld of %ld",
                  how, zc_dtype_name(dtype), (long)i, (long)zc_size(got));
    }
}
