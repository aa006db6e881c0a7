/* Values of expressions, against NumPy's of the same ones (make_cases.py). */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expressions/values/object.h"
#include "tests/tools/session_text.h"
#include "tools/base/report.h"

typedef struct row {
    const char *expression;
    zc_dtype dtype;
    const char *text;
} row;

static const row numpy_rows[] = {
#define ZC_EXPRESSION_CASE(expression, dtype, text) {expression, dtype, text},
#include "tests/tools/expression_cases.def"
#include "tests/tools/position_cases.def"
};

/* The arrays that the expressions of the table use. */
static const char arrays[] = "a = reshape(arange(6), (2, 3))\n"
                             "f = reshape(arange(6, dtype=float32), (2, 3)) / 4 - 0.5\n"
                             "c = reshape(arange(24), (2, 3, 4))\n"
                             "z = astype(reshape(arange(6), (2, 3)) - 2, complex64) * (1 + 0.5j)\n";

static void check_rows(const row *rows, size_t count, zc_executor executor)
{
    for (size_t i = 0; i < count; i++) {
        char expression[512];
        zc_fault fault = {0};
        zc_dtype dtype = ZC_DTYPE_COUNT;
        (void)snprintf(expression, sizeof expression, "%s%s", arrays, rows[i].expression);
        char *text = zc_text_of_expression(expression, executor, &dtype, &fault);
        cr_assert_not_null(text, "%s: %s", rows[i].expression, fault.text);
        cr_expect(dtype == rows[i].dtype, "%s is %s, not %s", rows[i].expression, zc_dtype_name(dtype),
                  zc_dtype_name(rows[i].dtype));
        cr_expect(strcmp(text, rows[i].text) == 0, "%s is\n%s\nnot\n%s", rows[i].expression, text, rows[i].text);
        free(text);
    }
}

Test(expressions, are_numpys)
{
    check_rows(numpy_rows, sizeof numpy_rows / sizeof numpy_rows[0], ZC_EXECUTOR_TILE);
}

Test(expressions, are_numpys_by_the_reference_executor)
{
    check_rows(numpy_rows, sizeof numpy_rows / sizeof numpy_rows[0], ZC_EXECUTOR_REFERENCE);
}

/* Gradients by hand. */
static const row gradient_rows[] = {
    {"x = 3.0; grad(x * x, x)", ZC_FLOAT64, "6.0"},
    {"x = copy([3.0, 1.0, 2.0]); grad(sum(x) / sort(x)[1], x)", ZC_FLOAT64, "[ 0.5  0.5 -1. ]"},
    {"x = copy([3.0, 1.0, 2.0]); grad(sum(sort(x) * [1.0, 2.0, 3.0]), x)", ZC_FLOAT64, "[3. 1. 2.]"},
    {"x = copy([3.0, 1.0, 2.0]); y = median(x); vjp(y, x, 2.0)", ZC_FLOAT64, "[0. 0. 2.]"},
    {"x = zeros(2) * [1.0, 2.0]; grad(vector_norm(x), x)", ZC_FLOAT64, "[0. 0.]"},
    {"x = copy([0.0, 4.0]); grad(where(x > 0, sqrt(x), 0), x)", ZC_FLOAT64, "[0.   0.25]"},
    {"x = copy([1.0, 2.0, 3.0]); grad(x**2, x)", ZC_FLOAT64, "[2. 4. 6.]"},
    {"x = copy([1.0, 2.0, 3.0]); grad(grad(x**3, x), x)", ZC_FLOAT64, "[ 6. 12. 18.]"},
    {"x = copy([1.0, 2.0, 3.0]); grad(x * x[::-1], x)", ZC_FLOAT64, "[6. 4. 2.]"},
    {"x = copy([1.0, 2.0, 3.0]); grad(7.0 * x[1:], x)", ZC_FLOAT64, "[0. 7. 7.]"},
    {"x = 2.0 * ones(()); grad(broadcast_to(x, (3, 4)) * 0.5, x)", ZC_FLOAT64, "6.0"},
    {"x = copy([1.0, 2.0, 3.0]); grad(broadcast_to(x, (10**6, 3)), x)", ZC_FLOAT64, "[1000000. 1000000. 1000000.]"},
    {"x = copy([1.0, 5.0, 5.0]); grad(max(x), x)", ZC_FLOAT64, "[0.  0.5 0.5]"},
    {"x = copy([2.0, 0.0, 3.0]); grad(prod(x), x)", ZC_FLOAT64, "[0. 6. 0.]"},
    {"x = copy([1.0, 2.0, 3.0]); grad(cumulative_sum(x), x)", ZC_FLOAT64, "[3. 2. 1.]"},
    {"x = copy([2.0, 3.0, 5.0]); grad(cumulative_prod(x), x)", ZC_FLOAT64, "[19. 12.  6.]"},
    {"x = copy([1.0, 2.0, 3.0]); grad(diff(x)**2, x)", ZC_FLOAT64, "[-2.  0.  2.]"},
    {"x = copy([1.0, 3.0]); grad(var(x), x)", ZC_FLOAT64, "[-1.  1.]"},
    {"x = copy([3.0, 4.0]); grad(vector_norm(x), x)", ZC_FLOAT64, "[0.6 0.8]"},
    {"x = copy([0.0, 0.0, 0.0, 0.0]); grad(logsumexp(x), x)", ZC_FLOAT64, "[0.25 0.25 0.25 0.25]"},
    {"x = copy([1e16, 1e16]); grad(logsumexp(x), x)", ZC_FLOAT64, "[0.5 0.5]"},
    {"x = copy(astype([1e7, 1e7, -1e7], float32)); grad(logsumexp(x), x)", ZC_FLOAT32, "[0.5 0.5 0. ]"},
    {"x = copy([0.0, 0.0]); grad(softmax(x) * [1.0, 3.0], x)", ZC_FLOAT64, "[-0.5  0.5]"},
    {"x = copy([[1.0, 2.0], [3.0, 4.0]]); grad(trace(x), x)", ZC_FLOAT64, "[[1. 0.]\n [0. 1.]]"},
    {"x = copy([[1.0, 2.0], [3.0, 4.0]]); grad(x @ [[1.0], [10.0]], x)", ZC_FLOAT64, "[[ 1. 10.]\n [ 1. 10.]]"},
    {"x = copy([1.0, 2.0]); grad(outer(x, x), x)", ZC_FLOAT64, "[6. 6.]"},
    {"x = copy([[1.0, 2.0], [3.0, 4.0]]); grad(einsum('ij,jk->ik', x, x), x)", ZC_FLOAT64, "[[ 7. 11.]\n [ 9. 13.]]"},
    {"x = copy([1.0, 2.0, 3.0]); grad(take(x, [2, 0, 2]), x)", ZC_FLOAT64, "[1. 0. 2.]"},
    {"x = copy([1.0, 2.0, 3.0, 4.0]); grad(sliding_window_view(x, 2), x)", ZC_FLOAT64, "[1. 2. 2. 1.]"},
    {"x = copy([1.0, 2.0]); grad(concat([x, x * 2.0, x]), x)", ZC_FLOAT64, "[4. 4.]"},
    {"x = copy([1.0, 2.0]); grad(where(x > 1.5, x * 3.0, 0.0), x)", ZC_FLOAT64, "[0. 3.]"},
    {"x = astype([1.0, 2.0], float32); grad(astype(x, float64)**2, x)", ZC_FLOAT32, "[2. 4.]"},
    {"x = copy([1.0, 2.0]); vjp(x**2, x, [10.0, 100.0])", ZC_FLOAT64, "[ 20. 400.]"},
    {"x = copy([1.0, 2.0]); y = copy([3.0, 4.0]); grad(y, x)", ZC_FLOAT64, "[0. 0.]"},
    {"x = copy([1.0, 2.0]); t = take(exp(broadcast_to(x, (64, 64, 2))), arange(600) * 7 % 64, axis=1); "
     "grad(where(t < 3, t, 1.0) * 0 + where(t < 3, 2.0, t), x) / 64 / 600",
     ZC_FLOAT64, "[0.        7.3890561]"},
};

/* Integers that an array of the expression's dtype may have no element for, as NumPy 2 takes Python's. */
static const row integer_rows[] = {
    {"9223372036854775808", ZC_UINT64, "9223372036854775808"},
    {"0xffff_ffff_ffff_ffff", ZC_UINT64, "18446744073709551615"},
    {"2**63 + 1", ZC_UINT64, "9223372036854775809"},
    {"x = astype([0, 5], uint64); x + 9223372036854775808", ZC_UINT64, "[9223372036854775808 9223372036854775813]"},
    {"x = astype([0, 5], uint64); x ^ (2**63 + 1)", ZC_UINT64, "[9223372036854775809 9223372036854775812]"},
    {"x = asarray([0, 18446744073709551615], dtype=uint64); x % 2**63", ZC_UINT64,
     "[                  0 9223372036854775807]"},
    {"x = asarray([1.5, 2.0], dtype=float32); x * 2**63", ZC_FLOAT32, "[1.3835058e+19 1.8446744e+19]"},
    {"[2**63, 1]", ZC_UINT64, "[9223372036854775808                   1]"},
    {"[2**63, -1]", ZC_FLOAT64, "[ 9.22337204e+18 -1.00000000e+00]"},
    {"full(2, 2**63)", ZC_UINT64, "[9223372036854775808 9223372036854775808]"},
    {"full(1, 2**63, dtype=float64)", ZC_FLOAT64, "[9.22337204e+18]"},
    {"astype(18446744073709551615, uint64)", ZC_UINT64, "18446744073709551615"},
    {"where(astype([0, 1], uint64) > 0, astype([0, 1], uint64), 2**63)", ZC_UINT64,
     "[9223372036854775808                   1]"},
    {"u = astype([0, 5, 255], uint8); (u > 300) | (u == -1) | (u > 2**63)", ZC_BOOL, "[False False False]"},
    {"u = astype([0, 5, 255], uint8); (u < 300) & (-1 < u) & (u != 256) & (2**63 >= u)", ZC_BOOL,
     "[ True  True  True]"},
    {"i = asarray([-2**63, 5]); stack([any(i < 2**63), all(i < 2**63), any(i == 2**63), any(i >= "
     "18446744073709551615)])",
     ZC_BOOL, "[ True  True False False]"},
    {"asarray([2**63, 5], dtype=uint64) == 2**63", ZC_BOOL, "[ True False]"},
    {"isin(astype([0, 5, 255], uint8), 300)", ZC_BOOL, "[False False False]"},
    {"isin(astype([0, 5, 255], uint8), [300, 5, -1])", ZC_BOOL, "[False  True False]"},
    {"isin(astype([0, 5, 255], uint8), 2**63)", ZC_BOOL, "[False False False]"},
    {"isin(300, astype([44, 5], uint8))", ZC_BOOL, "False"},
    {"isin(asarray([2**63, 5], dtype=uint64), [2**63, 7])", ZC_BOOL, "[ True False]"},
    {"isin([-1, 5], 18446744073709551615)", ZC_BOOL, "[False False]"},
    {"stack([searchsorted(astype([0, 5, 255], uint8), 300), searchsorted(astype([0, 5, 255], uint8), -7)])", ZC_INT64,
     "[3 0]"},
    {"clip(astype([0, 5, 255], uint8), -5, 300)", ZC_UINT8, "[  0   5 255]"},
    {"clip(astype([0, 5, 255], uint8), 3, 2**63)", ZC_UINT8, "[  3   5 255]"},
    {"clip(astype([0, 5, 255], uint8), -5)", ZC_UINT8, "[  0   5 255]"},
    {"clip(arange(4), 1.5)", ZC_FLOAT64, "[1.5 1.5 2.  3. ]"},
    {"clip(astype([0, 5, 255], uint8), max=1000)", ZC_UINT8, "[  0   5 255]"},
    {"clip(astype([0, 5, 255], uint8), max=7)", ZC_UINT8, "[0 5 7]"},
    {"clip(astype([-128, 5, 127], int8), -1000, 1000)", ZC_INT8, "[-128    5  127]"},
    {"clip([-2**63, 5, 2**63 - 1], -2**63, 2**63)", ZC_INT64,
     "[-9223372036854775808                    5  9223372036854775807]"},
    {"clip(astype([0, 5], uint8), [1000, 1000], 300)", ZC_INT64, "[300 300]"},
    {"clip(astype([0, 5], bool), -1, 7)", ZC_INT64, "[0 1]"},
    {"clip(7, -5, 300)", ZC_INT64, "7"},
    {"1.5 < 2**63", ZC_BOOL, "True"},
    {"9223372036854775808.0 == 2**63", ZC_BOOL, "True"},
    {"linspace(0, 18446744073709551615, 2)", ZC_FLOAT64, "[0.00000000e+00 1.84467441e+19]"},
    {"arange(0., 2**63, 2.**62)", ZC_FLOAT64, "[0.00000000e+00 4.61168602e+18]"},
    {"var([1.0, 2.0], correction=2**63) < 0", ZC_BOOL, "False"},
};

Test(expressions, take_integers_as_numpy_takes_pythons)
{
    check_rows(integer_rows, sizeof integer_rows / sizeof integer_rows[0], ZC_EXECUTOR_TILE);
    check_rows(integer_rows, sizeof integer_rows / sizeof integer_rows[0], ZC_EXECUTOR_REFERENCE);
}

Test(expressions, gradients)
{
    check_rows(gradient_rows, sizeof gradient_rows / sizeof gradient_rows[0], ZC_EXECUTOR_TILE);
    check_rows(gradient_rows, sizeof gradient_rows / sizeof gradient_rows[0], ZC_EXECUTOR_REFERENCE);
}

/* Functions at one half or thereabouts, to six digits, and those that are exact. */
static const row function_rows[] = {
    {"isin([1, 2, 3], [3, 1])", ZC_BOOL, "[ True False  True]"},
    {"isin([[1.5, 2.0]], 2, invert=True)", ZC_BOOL, "[[ True False]]"},
    {"meshgrid([1, 2], [3.5, 4.5, 5.5])[1]", ZC_FLOAT64, "[[3.5 3.5]\n [4.5 4.5]\n [5.5 5.5]]"},
    {"g = meshgrid([1, 2], [3, 4, 5], indexing='ij'); 10 * g[0] + g[1]", ZC_INT64, "[[13 14 15]\n [23 24 25]]"},
    {"asarray([1, 2])", ZC_INT64, "[1 2]"},
    {"asarray([1, 2], dtype=float32) / 2", ZC_FLOAT32, "[0.5 1. ]"},
    {"asarray(True)", ZC_BOOL, "True"},
    {"asarray(arange(3), copy=True)", ZC_INT64, "[0 1 2]"},
    {"asarray(arange(3), copy=False)", ZC_INT64, "[0 1 2]"},
    {"asarray(arange(3), dtype=int8, copy=True)", ZC_INT8, "[0 1 2]"},
    {"empty((2, 2), dtype=int16)", ZC_INT16, "[[0 0]\n [0 0]]"},
    {"empty_like([1.5, 2.5])", ZC_FLOAT64, "[0. 0.]"},
    {"ones(1, dtype=result_type(int8, ones(2, dtype=uint16)))", ZC_INT32, "[1]"},
    {"ones(1, dtype=result_type(float32, 2, 1.5))", ZC_FLOAT32, "[1.]"},
    {"[can_cast(int8, int16), can_cast(int16, int8), can_cast(ones(2), complex128), can_cast(uint8, int8)]", ZC_BOOL,
     "[ True False  True False]"},
    {"[isdtype(int8, 'integral'), isdtype(float16, 'real floating'), isdtype(bool, 'numeric')]", ZC_BOOL,
     "[ True  True False]"},
    {"[isdtype(uint8, ('signed integer', float32)), isdtype(uint8, (int8, uint8)), isdtype(ones(1), 'bool')]", ZC_BOOL,
     "[False  True False]"},
    {"[isdtype(complex64, 'complex floating'), isdtype(uint32, 'unsigned integer')]", ZC_BOOL, "[ True  True]"},
    {"round(1e6 * acos(0.5))", ZC_FLOAT64, "1047198.0"},
    {"round(1e6 * asin(0.5))", ZC_FLOAT64, "523599.0"},
    {"round(1e6 * asinh(0.5))", ZC_FLOAT64, "481212.0"},
    {"round(1e6 * atan(0.5))", ZC_FLOAT64, "463648.0"},
    {"round(1e6 * atanh(0.5))", ZC_FLOAT64, "549306.0"},
    {"round(1e6 * cbrt(0.5))", ZC_FLOAT64, "793701.0"},
    {"round(1e6 * cos(0.5))", ZC_FLOAT64, "877583.0"},
    {"round(1e6 * cosh(0.5))", ZC_FLOAT64, "1127626.0"},
    {"round(1e6 * erf(0.5))", ZC_FLOAT64, "520500.0"},
    {"round(1e6 * exp(0.5))", ZC_FLOAT64, "1648721.0"},
    {"round(1e6 * exp2(0.5))", ZC_FLOAT64, "1414214.0"},
    {"round(1e6 * expm1(0.5))", ZC_FLOAT64, "648721.0"},
    {"round(1e6 * log(0.5))", ZC_FLOAT64, "-693147.0"},
    {"round(1e6 * log10(0.5))", ZC_FLOAT64, "-301030.0"},
    {"round(1e6 * log1p(0.5))", ZC_FLOAT64, "405465.0"},
    {"round(1e6 * log2(0.5))", ZC_FLOAT64, "-1000000.0"},
    {"round(1e6 * reciprocal(0.5))", ZC_FLOAT64, "2000000.0"},
    {"round(1e6 * rsqrt(0.5))", ZC_FLOAT64, "1414214.0"},
    {"round(1e6 * sigmoid(0.5))", ZC_FLOAT64, "622459.0"},
    {"round(1e6 * silu(0.5))", ZC_FLOAT64, "311230.0"},
    {"round(1e6 * sin(0.5))", ZC_FLOAT64, "479426.0"},
    {"round(1e6 * sinh(0.5))", ZC_FLOAT64, "521095.0"},
    {"round(1e6 * softplus(0.5))", ZC_FLOAT64, "974077.0"},
    {"round(1e6 * tan(0.5))", ZC_FLOAT64, "546302.0"},
    {"round(1e6 * tanh(0.5))", ZC_FLOAT64, "462117.0"},
    {"round(1e6 * acosh(1.5))", ZC_FLOAT64, "962424.0"},
    {"round(1e6 * atan2(1., -2.))", ZC_FLOAT64, "2677945.0"},
    {"round(1e6 * hypot(0.3, 0.7))", ZC_FLOAT64, "761577.0"},
    {"round(1e6 * logaddexp(1., 2.))", ZC_FLOAT64, "2313262.0"},
    {"round(1e6 * pow(0.3, 0.7))", ZC_FLOAT64, "430512.0"},
    {"ceil(f)", ZC_FLOAT32, "[[-0. -0.  0.]\n [ 1.  1.  1.]]"},
    {"floor(f * 2)", ZC_FLOAT32, "[[-1. -1.  0.]\n [ 0.  1.  1.]]"},
    {"trunc(f * 4)", ZC_FLOAT32, "[[-2. -1.  0.]\n [ 1.  2.  3.]]"},
    {"round([0.5, 1.5, -2.5])", ZC_FLOAT64, "[ 0.  2. -2.]"},
    {"sign([-3, 0, 7])", ZC_INT64, "[-1  0  1]"},
    {"isnan([nan, inf, 1.])", ZC_BOOL, "[ True False False]"},
    {"isinf([nan, inf, 1.])", ZC_BOOL, "[False  True False]"},
    {"isfinite([nan, inf, 1.])", ZC_BOOL, "[False False  True]"},
    {"signbit([-0., 0.])", ZC_BOOL, "[ True False]"},
    {"copysign([1., 2.], -1.)", ZC_FLOAT64, "[-1. -2.]"},
    {"nextafter(1., 2.) > 1", ZC_BOOL, "True"},
    {"fma(2., 3., 4.)", ZC_FLOAT64, "10.0"},
    {"lerp(1., 3., 0.25)", ZC_FLOAT64, "1.5"},
    {"(+a)[0]", ZC_INT64, "[0 1 2]"},
    {"() * 3 == ()", ZC_BOOL, "True"},
    {"z = 1e308j * 10; 1j / (z - z)", ZC_COMPLEX128, "(nan+nanj)"},
};

Test(expressions, take_every_function_of_real_numbers)
{
    check_rows(function_rows, sizeof function_rows / sizeof function_rows[0], ZC_EXECUTOR_TILE);
}

/* The dialects of other systems: nothing NumPy could be asked for. The systems' own examples, where they have any. */
static const row dialect_rows[] = {
    {"mindspore.broadcast_to([[1], [2]], (-1, 2))", ZC_INT64, "[[1 1]\n [2 2]]"},
    {"ngraph.broadcast([1, 2, 3], (2, 3), 0)", ZC_INT64, "[[1 2 3]\n [1 2 3]]"},
    {"ngraph.broadcast([1, 2, 3], (3, 2), axes=(1, 1))", ZC_INT64, "[[1 1]\n [2 2]\n [3 3]]"},
    {"xla.broadcast([1, 2, 3], 2)", ZC_INT64, "[[1 2 3]\n [1 2 3]]"},
    {"xla.broadcast_in_dim([1, 2], (2, 2), 0)", ZC_INT64, "[[1 1]\n [2 2]]"},
    {"xla.broadcast_in_dim([1, 2], (2, 2), (1,))", ZC_INT64, "[[1 2]\n [1 2]]"},
    {"stablehlo.broadcast_in_dim([[1, 2, 3]], (1, 3, 2), (2, 1))[0]", ZC_INT64, "[[1 1]\n [2 2]\n [3 3]]"},
    {"ngraph.broadcast_like([1, 2, 3], zeros((2, 3)), 0)", ZC_INT64, "[[1 2 3]\n [1 2 3]]"},
    {"xla.add([1, 2, 3, 4], [[5, 6]], 0)", ZC_INT64, "[[ 6  7]\n [ 7  8]\n [ 8  9]\n [ 9 10]]"},
    {"xla.sub([10, 20], a[:, :2], broadcast_dimensions=(0,))", ZC_INT64, "[[10  9]\n [17 16]]"},
    {"xla.and([6, 5], 3)", ZC_INT64, "[2 1]"},
    {"xla.atan2([0., 1.], 1.)", ZC_FLOAT64, "[0.         0.78539816]"},
    {"gelu([-1., 1.])", ZC_FLOAT64, "[-0.15865525  0.84134475]"},
    {"gelu([-1., 1.], approximate='none')", ZC_FLOAT64, "[-0.15865525  0.84134475]"},
    {"gelu([-1., 1.], 'tanh')", ZC_FLOAT64, "[-0.15880801  0.84119199]"},
    {"astype([1, 2.5], bfloat16) * 0.1", ZC_BFLOAT16, "[0.1  0.25]"},
    {"astype([1, 2], bfloat16) + astype([3, 4], int8)", ZC_BFLOAT16, "[4. 6.]"},
    {"astype([1, 2], bfloat16) + astype([3, 4], uint16)", ZC_FLOAT32, "[4. 6.]"},
    {"astype([1, 2], bfloat16) + astype([3, 4], float16)", ZC_FLOAT32, "[4. 6.]"},
    {"arange(0, 1, 0.3, dtype=bfloat16)", ZC_BFLOAT16, "[0.    0.3   0.6   0.902]"},
    {"sum(full(300, 1, dtype=bfloat16))", ZC_BFLOAT16, "300.0"},
    {"view(astype([1, -2], bfloat16), uint16)", ZC_UINT16, "[16256 49152]"},
    {"xla.lt([1, 2], [2, 2])", ZC_BOOL, "[ True False]"},
    {"torch.expand([1, 2, 3], (2, -1))", ZC_INT64, "[[1 2 3]\n [1 2 3]]"},
    {"onnx.expand([[1], [2]], (1, 2))", ZC_INT64, "[[1 1]\n [2 2]]"},
    {"openvino.broadcast([1, 2], (2, 2))", ZC_INT64, "[[1 2]\n [1 2]]"},
    {"openvino.broadcast([1, 2], (2, 2), 0, mode='explicit')", ZC_INT64, "[[1 1]\n [2 2]]"},
    {"openvino.broadcast(5, (1, 2), (), mode='explicit')", ZC_INT64, "[[5 5]]"},
    {"openvino.broadcast([1, 2], (2, 2), mode='pdpd', axis=0)", ZC_INT64, "[[1 1]\n [2 2]]"},
    {"openvino.broadcast([[1], [2]], 2, mode='bidirectional')", ZC_INT64, "[[1 1]\n [2 2]]"},
};

Test(expressions, take_the_dialects_of_other_systems)
{
    check_rows(dialect_rows, sizeof dialect_rows / sizeof dialect_rows[0], ZC_EXECUTOR_TILE);
}

/* ---- Refusals: what the language refuses, or the library through it, and in which words ---- */

typedef struct refusal {
    const char *expression;
    const char *sentence; /* a part of it */
} refusal;

static const refusal refusals[] = {
#define ZC_REFUSAL(expression, sentence) {expression, sentence},
#include "tests/tools/refusal_cases.def"
};

Test(expressions, are_refused_with_a_sentence)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        zc_fault fault = {0};
        zc_dtype dtype;
        char *text = zc_text_of_expression(refusals[i].expression, ZC_EXECUTOR_TILE, &dtype, &fault);
        cr_expect(text == NULL, "%s gives %s", refusals[i].expression, text);
        cr_expect(zc_exit_code(&fault) == ZC_EXIT_REFUSED, "%s: exit code %d", refusals[i].expression,
                  zc_exit_code(&fault));
        cr_expect(strstr(fault.text, refusals[i].sentence) != NULL, "%s says '%s', not '%s'", refusals[i].expression,
                  fault.text, refusals[i].sentence);
        cr_expect(strchr(fault.text, '\n') == NULL, "%s says more than one line", refusals[i].expression);
        free(text);
    }
}

/* Tuples nest as deep as ranks go, and no deeper. */
Test(expressions, nest_tuples_up_to_the_highest_rank)
{
    for (int depth = ZC_MAX_RANK; depth <= ZC_MAX_RANK + 1; depth++) {
        char expression[512] = "";
        zc_fault fault = {0};
        zc_dtype dtype;
        for (int i = 0; i < depth; i++)
            strcat(expression, "[");
        strcat(expression, "1");
        for (int i = 0; i < depth; i++)
            strcat(expression, "]");
        char *text = zc_text_of_expression(expression, ZC_EXECUTOR_TILE, &dtype, &fault);
        cr_expect((text != NULL) == (depth == ZC_MAX_RANK), "%d deep: %s", depth, fault.text);
        free(text);
    }
}

/* Tuples made by + hold 1024 items at most, and so do those made by *. */
Test(expressions, make_tuples_of_limited_length)
{
    static const char *const ends[] = {") + (1,); 1", ") * 1; 1"};
    char expression[4096];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        zc_fault fault = {0};
        zc_dtype dtype;
        strcpy(expression, "(");
        for (int k = 0; k < 1025; k++)
            strcat(expression, "0,");
        strcat(expression, ends[i]);
        cr_expect_null(zc_text_of_expression(expression, ZC_EXECUTOR_TILE, &dtype, &fault));
        cr_expect_str_eq(fault.text, "a tuple made by + or * holds 1024 items at most");
    }
}

/* Names that begin alike are names of their own, wherever they lie in the table. */
Test(expressions, tell_names_apart_that_begin_alike)
{
    char expression[8192] = "";
    zc_fault fault = {0};
    zc_dtype dtype;
    size_t used = 0;
    for (int k = 200; k > 0; k--)
        used += (size_t)snprintf(expression + used, sizeof expression - used, "x%d = %d; ", k, k);
    used += (size_t)snprintf(expression + used, sizeof expression - used, "(1000 * x1 + x12) * 1000 + x123");
    char *text = zc_text_of_expression(expression, ZC_EXECUTOR_TILE, &dtype, &fault);
    cr_expect(text != NULL && strcmp(text, "1012123") == 0, "%s, %s", text, fault.text);
    free(text);
}

/* A tensor is itself; the library compares elements, the language only handles. */
Test(values, that_hold_the_same_tensor_are_equal)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_object a = {.kind = ZC_OBJECT_TENSOR, .tensor = zc_iota(ctx, 3)};
    zc_object b = {.kind = ZC_OBJECT_TENSOR, .tensor = zc_iota(ctx, 3)}, copy = zc_object_copy(a);
    cr_expect(zc_object_equal(a, copy));
    cr_expect_not(zc_object_equal(a, b));
    zc_object_release(a);
    zc_object_release(b);
    zc_object_release(copy);
    zc_context_free(ctx);
}
