/* Which integers a dtype holds, what is no dtype, and what a constant is in its own. */
#include <math.h>

#include "runtime/dtypes/dtype.h"
#include "runtime/dtypes/scalar.h"
#include "runtime/graph/tensor.h"
#include "tests/support/zc_test.h"

typedef struct limits {
    zc_dtype dtype;
    int64_t least, most;
} limits;

static const limits rows[] = {
    {ZC_BOOL, 0, 1},
    {ZC_INT8, INT8_MIN, INT8_MAX},
    {ZC_INT16, INT16_MIN, INT16_MAX},
    {ZC_INT32, INT32_MIN, INT32_MAX},
    {ZC_INT64, INT64_MIN, INT64_MAX},
    {ZC_UINT8, 0, UINT8_MAX},
    {ZC_UINT16, 0, UINT16_MAX},
    {ZC_UINT32, 0, UINT32_MAX},
    {ZC_UINT64, 0, INT64_MAX},
    {ZC_FLOAT32, INT64_MIN, INT64_MAX},
    {ZC_COMPLEX64, INT64_MIN, INT64_MAX},
};

Test(dtype, holds_the_integers_of_its_range)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const limits *l = &rows[i];
        const char *name = zc_dtype_name(l->dtype);
        cr_expect(zc_dtype_holds(l->dtype, l->least) && zc_dtype_holds(l->dtype, l->most), "%s", name);
        cr_expect(l->least == INT64_MIN || !zc_dtype_holds(l->dtype, l->least - 1), "%s", name);
        cr_expect(l->most == INT64_MAX || !zc_dtype_holds(l->dtype, l->most + 1), "%s", name);
    }
}

Test(dtype, is_one_of_the_enum)
{
    zc_dtype dtype = ZC_INT8;
    cr_expect_eq(zc_dtype_bytes(ZC_DTYPE_COUNT), 0);
    cr_expect_eq(zc_dtype_bytes((zc_dtype)-1), 0);
    cr_expect_str_eq(zc_dtype_name(ZC_DTYPE_COUNT), "invalid");
    cr_expect_not(zc_dtype_from_name(NULL, &dtype));
    cr_expect_not(zc_dtype_from_name("float", &dtype));
    cr_expect_eq(dtype, ZC_INT8);
}

/* A constant keeps its bits in its own dtype, those of a signalling NaN, too; a truth is 0 or 1. */
Test(dtype, constants_keep_their_bits_in_their_dtype)
{
    static const uint64_t bits[ZC_DTYPE_COUNT] = {
        [ZC_FLOAT16] = 0x7c01,
        [ZC_BFLOAT16] = 0x7f81,
        [ZC_FLOAT32] = 0x7f800001,
        [ZC_FLOAT64] = UINT64_C(0x7ff0000000000001),
        [ZC_COMPLEX64] = UINT64_C(0xff8000017f800001),
        [ZC_INT8] = 0x80,
        [ZC_UINT64] = UINT64_MAX,
    };
    for (int d = 0; d < ZC_DTYPE_COUNT; d++) {
        const zc_scalar same = zc_scalar_convert((zc_scalar){.words = {bits[d]}}, (zc_dtype)d, (zc_dtype)d);
        cr_expect_eq(same.words[0], bits[d], "%s", zc_dtype_name((zc_dtype)d));
    }
    cr_expect_eq(zc_scalar_convert((zc_scalar){.words = {2}}, ZC_BOOL, ZC_BOOL).words[0], 1);
}

/* Signs of constants: zeros are not negative, and a NaN may be. */
Test(dtype, constants_tell_whether_they_are_negative)
{
    static const struct {
        double value;
        bool is_never_negative;
    } cases[] = {{0, true},          {-0.0, true},        {1, true},       {INFINITY, true},
                 {0x1p-1074, true},  {-0x1p-1074, false}, {-1e-30, false}, {-1, false},
                 {-INFINITY, false}, {NAN, false},        {-NAN, false}};
    zc_context *ctx = zc_context_new(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const zc_dtype dtypes[] = {ZC_FLOAT64, ZC_FLOAT32};
        for (int d = 0; d < 2 && (d == 0 || fabs(cases[i].value) != 0x1p-1074); d++) {
            const float single = (float)cases[i].value;
            zc_tensor *t = zc_constant(ctx, dtypes[d], d == 0 ? (const void *)&cases[i].value : &single);
            cr_expect_eq(t->node->is_never_negative, cases[i].is_never_negative, "%g", cases[i].value);
            zc_release(t);
        }
    }
    zc_context_free(ctx);
}
