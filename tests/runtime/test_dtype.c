/* Which integers a dtype holds, and what is no dtype. */
#include "runtime/dtypes/dtype.h"
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
