/* Operands of several dtypes in one einsum: each product is of the dtype of all of them, whatever their order. */
#include "tests/support/zc_test.h"

#include "zerocast.h"

static void expect_sum(zc_context *ctx, const zc_tensor *const *operands, double wanted)
{
    zc_tensor *sum = zc_einsum(ctx, "i,i,i->", 3, operands), *out = NULL;
    cr_assert_eq(zc_materialize(zc_astype(sum, ZC_FLOAT64), &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(*(const double *)zc_data(out), wanted, "%.17g is not %.17g", *(const double *)zc_data(out), wanted);
}

Test(einsum_dtypes, small_operands_do_not_wrap_before_large_ones_come)
{
    static const int8_t hundreds[] = {100, 100};
    static const int32_t thousands[] = {1000, -3};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *a = zc_from_data(ctx, ZC_INT8, ZC_SHAPE(2), hundreds, sizeof hundreds);
    zc_tensor *b = zc_from_data(ctx, ZC_INT32, ZC_SHAPE(2), thousands, sizeof thousands);
    expect_sum(ctx, (const zc_tensor *const[]){a, a, b}, 9970000);
    expect_sum(ctx, (const zc_tensor *const[]){a, b, a}, 9970000);
    expect_sum(ctx, (const zc_tensor *const[]){b, a, a}, 9970000);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* 1 + 2^-23 squared needs more bits than a float32 has. */
Test(einsum_dtypes, floats_are_not_rounded_to_the_smaller_dtype)
{
    static const float near_one[] = {1 + 0x1p-23f};
    static const double one[] = {1};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *a = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(1), near_one, sizeof near_one);
    zc_tensor *b = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(1), one, sizeof one);
    expect_sum(ctx, (const zc_tensor *const[]){a, a, b}, 1 + 0x1p-22 + 0x1p-46);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
