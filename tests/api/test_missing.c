/*
 * Arguments that are missing. Where a tensor is NULL, a chain of calls has failed before: the result is NULL (or the
 * status ZC_ERROR_ARGUMENT), and the context keeps the first failure. Where a list is missing, or its length makes no
 * sense, the call is refused with a sentence.
 */
#include <string.h>

#include "tests/api/values.h"

#define NOTHING TENSORS(NULL)

/* ---- Tensors ---- */

typedef zc_tensor *unary(const zc_tensor *x);
typedef zc_tensor *binary(const zc_tensor *a, const zc_tensor *b);
typedef zc_tensor *ternary(const zc_tensor *a, const zc_tensor *b, const zc_tensor *c);

static unary *const unary_functions[] = {zc_negative,    zc_positive,
                                         zc_abs,         zc_square,
                                         zc_relu,        zc_sign,
                                         zc_floor,       zc_ceil,
                                         zc_trunc,       zc_round,
                                         zc_reciprocal,  zc_isfinite,
                                         zc_isinf,       zc_isnan,
                                         zc_signbit,     zc_sqrt,
                                         zc_rsqrt,       zc_cbrt,
                                         zc_exp,         zc_exp2,
                                         zc_expm1,       zc_log,
                                         zc_log2,        zc_log10,
                                         zc_log1p,       zc_sin,
                                         zc_cos,         zc_tan,
                                         zc_asin,        zc_acos,
                                         zc_atan,        zc_angle,
                                         zc_sinh,        zc_cosh,
                                         zc_tanh,        zc_asinh,
                                         zc_acosh,       zc_atanh,
                                         zc_erf,         zc_gelu,
                                         zc_gelu_tanh,   zc_sigmoid,
                                         zc_silu,        zc_softplus,
                                         zc_logical_not, zc_bitwise_invert,
                                         zc_real,        zc_imag,
                                         zc_conj,        zc_angle,
                                         zc_copy};

static binary *const binary_functions[] = {zc_add,
                                           zc_subtract,
                                           zc_multiply,
                                           zc_divide,
                                           zc_floor_divide,
                                           zc_remainder,
                                           zc_pow,
                                           zc_minimum,
                                           zc_maximum,
                                           zc_copysign,
                                           zc_nextafter,
                                           zc_hypot,
                                           zc_logaddexp,
                                           zc_atan2,
                                           zc_equal,
                                           zc_not_equal,
                                           zc_less,
                                           zc_less_equal,
                                           zc_greater,
                                           zc_greater_equal,
                                           zc_logical_and,
                                           zc_logical_or,
                                           zc_logical_xor,
                                           zc_bitwise_and,
                                           zc_bitwise_or,
                                           zc_bitwise_xor,
                                           zc_bitwise_left_shift,
                                           zc_bitwise_right_shift,
                                           zc_complex,
                                           zc_matmul,
                                           zc_outer,
                                           zc_isin,
                                           zc_grad};

static ternary *const ternary_functions[] = {zc_clip, zc_fma, zc_lerp, zc_where};

/* The first NULL was told where a context was known. */
static void expect_null_told(bench b)
{
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(zc_error_text(b.ctx), " is NULL"), "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
}

Test(missing, operands_of_elementwise_functions)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(3));
    for (size_t i = 0; i < sizeof unary_functions / sizeof *unary_functions; i++)
        cr_expect_null(unary_functions[i](NULL), "%zu", i);
    for (size_t i = 0; i < sizeof binary_functions / sizeof *binary_functions; i++) {
        cr_expect_null(binary_functions[i](NULL, x), "%zu", i);
        cr_expect_null(binary_functions[i](x, NULL), "%zu", i);
    }
    for (size_t i = 0; i < sizeof ternary_functions / sizeof *ternary_functions; i++) {
        cr_expect_null(ternary_functions[i](NULL, x, x), "%zu", i);
        cr_expect_null(ternary_functions[i](x, NULL, x), "%zu", i);
        cr_expect_null(ternary_functions[i](x, x, NULL), "%zu", i);
    }
    expect_null_told(b);
    finish(b);
}

typedef zc_tensor *reduction(const zc_tensor *x, int count, const int *axes, bool keepdims);

static reduction *const reductions[] = {zc_sum, zc_prod,   zc_mean,   zc_max,           zc_min,      zc_any,
                                        zc_all, zc_argmax, zc_argmin, zc_count_nonzero, zc_logsumexp};

Test(missing, operands_of_reductions)
{
    bench b = begin();
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        cr_expect_null(reductions[i](NULL, ZC_ALL_AXES, false), "%zu", i);
    cr_expect_null(zc_var(NULL, ZC_ALL_AXES, 0, false));
    cr_expect_null(zc_std(NULL, ZC_ALL_AXES, 0, false));
    cr_expect_null(zc_vector_norm(NULL, ZC_ALL_AXES, false, 2));
    cr_expect_null(zc_softmax(NULL, 0));
    cr_expect_null(zc_log_softmax(NULL, 0));
    cr_expect_null(zc_softmax_sum(NULL, zc_iota(b.ctx, 2), 0));
    cr_expect_null(zc_softmax_sum(zc_iota(b.ctx, 2), NULL, 0));
    cr_expect_null(zc_trace(NULL, 0, 0, 1));
    cr_expect_null(zc_diff(NULL, 0, 1));
    cr_expect_null(zc_cumulative_sum(NULL, 0, true));
    cr_expect_null(zc_cumulative_prod(NULL, 0, true));
    expect_null_told(b);
    finish(b);
}

Test(missing, operands_of_views)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(3));
    cr_expect_null(zc_broadcast_to(NULL, ZC_SHAPE(3)));
    cr_expect_null(zc_tf_broadcast_to(NULL, ZC_SHAPE(3)));
    cr_expect_null(zc_mindspore_broadcast_to(NULL, ZC_SHAPE(3)));
    cr_expect_null(zc_ngraph_broadcast(NULL, ZC_SHAPE(3), ZC_AXES(0)));
    cr_expect_null(zc_ngraph_broadcast_like(NULL, x, ZC_AXES(0)));
    cr_expect_null(zc_ngraph_broadcast_like(x, NULL, ZC_AXES(0)));
    cr_expect_null(zc_xla_broadcast(NULL, ZC_SHAPE(3)));
    cr_expect_null(zc_xla_broadcast_in_dim(NULL, ZC_SHAPE(3), ZC_AXES(0)));
    cr_expect_null(zc_stablehlo_broadcast_in_dim(NULL, ZC_SHAPE(3), ZC_AXES(0)));
    cr_expect_null(zc_torch_expand(NULL, ZC_SHAPE(3)));
    cr_expect_null(zc_onnx_expand(NULL, ZC_SHAPE(3)));
    cr_expect_null(zc_openvino_broadcast(NULL, ZC_SHAPE(3), ZC_OPENVINO_NUMPY, ZC_NO_AXES, -1));
    cr_expect_null(zc_permute_dims(NULL, ZC_AXES(0)));
    cr_expect_null(zc_swapaxes(NULL, 0, 1));
    cr_expect_null(zc_moveaxis(NULL, 0, 1));
    cr_expect_null(zc_index(NULL, 0, 0));
    cr_expect_null(zc_expand_dims(NULL, 0));
    cr_expect_null(zc_squeeze(NULL, ZC_AXES(0)));
    cr_expect_null(zc_flip(NULL, ZC_AXES(0)));
    cr_expect_null(zc_rot90(NULL, 1, 0, 1));
    cr_expect_null(zc_reshape_view(NULL, ZC_SHAPE(3)));
    cr_expect_null(zc_bitcast(NULL, ZC_INT8));
    cr_expect_null(zc_diagonal(NULL, 0, 0, 1));
    cr_expect_null(zc_sliding_window_view(NULL, ZC_SHAPE(3), ZC_AXES(0)));
    cr_expect_null(zc_as_strided(NULL, 1, LENGTHS(3), LENGTHS(1), 0));
    expect_null_told(b);
    finish(b);
}

Test(missing, operands_of_functions_that_rearrange_and_contract)
{
    bench b = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(3)), *first = x, *second = x;
    cr_expect_null(zc_concat(NULL, TENSORS(x), 0));
    cr_expect_null(zc_concat(b.ctx, NOTHING, 0));
    cr_expect_null(zc_stack(b.ctx, NOTHING, 0));
    cr_expect_null(zc_roll(NULL, 1, LENGTHS(1), (const int[]){0}));
    cr_expect_null(zc_pad(NULL, 1, LENGTHS(1), LENGTHS(1), ZC_PAD_EDGE, NULL));
    cr_expect_null(zc_tile(NULL, 1, LENGTHS(2)));
    cr_expect_null(zc_repeat(NULL, 2, 0));
    cr_expect_null(zc_tril(NULL, 0));
    cr_expect_null(zc_triu(NULL, 0));
    cr_expect(zc_take(NULL, x, 0) == NULL && zc_take(x, NULL, 0) == NULL);
    cr_expect(zc_take_along_axis(NULL, x, 0) == NULL && zc_take_along_axis(x, NULL, 0) == NULL);
    cr_expect(zc_vecdot(NULL, x, -1) == NULL && zc_vecdot(x, NULL, -1) == NULL);
    cr_expect(zc_tensordot(NULL, x, 0, NULL, NULL) == NULL && zc_tensordot(x, NULL, 0, NULL, NULL) == NULL);
    cr_expect_null(zc_einsum(b.ctx, "i", NOTHING));
    cr_expect(zc_xla_binary(ZC_XLA_ADD, NULL, x, ZC_NO_AXES) == NULL &&
              zc_xla_binary(ZC_XLA_ADD, x, NULL, ZC_NO_AXES) == NULL);
    cr_expect_eq(zc_sort(NULL, 0, false, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_argsort(NULL, 0, false, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_top_k(NULL, 1, 0, true, &first, &second), ZC_ERROR_ARGUMENT);
    cr_expect(first == NULL && second == NULL);
    cr_expect_eq(zc_searchsorted(NULL, x, false, NULL, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_searchsorted(x, NULL, false, NULL, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_unique_values(NULL, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_nonzero(NULL, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_vjp(NULL, NULL, 1, (const zc_tensor *const[]){x}, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_vjp(NULL, NULL, -1, NULL, NULL), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_split(NULL, 0, 1, NULL, &first), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_unstack(NULL, 0, 1, &first), ZC_ERROR_ARGUMENT);
    expect_null_told(b);
    finish(b);
}

/* ---- Lists, lengths and places for results ---- */

/* The call was refused; what follows begins anew. */
static void expect_told(bench b, zc_status status, const char *function)
{
    cr_expect_neq(status, ZC_OK, "%s", function);
    cr_expect_neq(zc_error_status(b.ctx), ZC_OK, "%s", function);
    cr_expect(strncmp(zc_error_text(b.ctx), function, strlen(function)) == 0, "%s: %s", function, zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
}

#define EXPECT_TOLD(result, function) expect_told(b, (result) == NULL ? ZC_ERROR_ARGUMENT : ZC_OK, function)

Test(missing, lists_are_told)
{
    bench b = begin();
    const int ranks[] = {1};
    const int64_t *const shapes[] = {LENGTHS(3)};
    int rank;
    int64_t shape[ZC_MAX_RANK];
    zc_tensor *x = zc_astype(count_to(b, ZC_SHAPE(3)), ZC_FLOAT64), *out = x;
    zc_dtype dtype;
    expect_told(b, zc_broadcast_shapes(b.ctx, -1, ranks, shapes, &rank, shape), "broadcast_shapes");
    expect_told(b, zc_broadcast_shapes(b.ctx, 1, NULL, shapes, &rank, shape), "broadcast_shapes");
    expect_told(b, zc_broadcast_shapes(b.ctx, 1, ranks, NULL, &rank, shape), "broadcast_shapes");
    expect_told(b, zc_broadcast_shapes(b.ctx, 1, ranks, shapes, NULL, shape), "broadcast_shapes");
    expect_told(b, zc_broadcast_shapes(b.ctx, 1, ranks, shapes, &rank, NULL), "broadcast_shapes");
    cr_expect_eq(zc_broadcast_arrays(-1, NULL, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_broadcast_arrays(1, NULL, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_broadcast_arrays(NOTHING, &out), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_result_type(0, NULL, &dtype), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_result_type(1, NULL, &dtype), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_result_type(NOTHING, &dtype), ZC_ERROR_ARGUMENT);
    expect_told(b, zc_result_type(TENSORS(x), NULL), "result_type");
    expect_told(b, zc_vjp(x, NULL, -1, NULL, NULL), "vjp");
    expect_told(b, zc_vjp(x, NULL, 1, NULL, &out), "vjp");
    expect_told(b, zc_vjp(x, NULL, TENSORS(x), NULL), "vjp");
    cr_expect_eq(zc_vjp(x, NULL, 0, NULL, NULL), ZC_OK, "nothing is asked for");
    EXPECT_TOLD(zc_tensordot(x, x, -1, NULL, NULL), "tensordot");
    EXPECT_TOLD(zc_tensordot(x, x, 1, NULL, (const int[]){0}), "tensordot");
    EXPECT_TOLD(zc_tensordot(x, x, 1, (const int[]){0}, NULL), "tensordot");
    EXPECT_TOLD(zc_xla_binary((zc_xla_op)-1, x, x, ZC_NO_AXES), "xla_binary");
    EXPECT_TOLD(zc_xla_binary((zc_xla_op)99, x, x, ZC_NO_AXES), "xla_binary");
    EXPECT_TOLD(zc_xla_binary(ZC_XLA_ADD, x, x, -1, NULL), "xla.add");
    EXPECT_TOLD(zc_xla_binary(ZC_XLA_ADD, x, x, 1, NULL), "xla.add");
    expect_told(b, zc_npy_read_info(b.ctx, NULL, &(zc_npy_info){0}), "npy_read_info");
    expect_told(b, zc_npy_read_info(b.ctx, "x.npy", NULL), "npy_read_info");
    EXPECT_TOLD(zc_npy_open(b.ctx, NULL), "npy_open");
    expect_told(b, zc_split(x, 0, 0, NULL, &out), "split");
    finish(b);
}

Test(missing, contexts_that_differ_are_told)
{
    bench b = begin(), other = begin();
    zc_tensor *x = count_to(b, ZC_SHAPE(3)), *y = count_to(other, ZC_SHAPE(3));
    EXPECT_TOLD(zc_xla_binary(ZC_XLA_ADD, x, y, ZC_NO_AXES), "xla.add: operands belong to different contexts");
    EXPECT_TOLD(zc_complex(x, y), "complex: operands belong to different contexts");
    EXPECT_TOLD(zc_matmul(x, y), "matmul: operands belong to different contexts");
    finish(other);
    finish(b);
}
