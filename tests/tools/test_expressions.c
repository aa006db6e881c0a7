/* What expressions evaluate to, against NumPy's values of the same expressions (make_cases.py). */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/session_text.h"
#include "tools/value.h"

typedef struct row {
    const char *expression;
    zc_dtype dtype;
    const char *text;
} row;

static const row numpy_rows[] = {
#define ZC_EXPRESSION_CASE(expression, dtype, text) {expression, dtype, text},
#include "tests/tools/expression_cases.def"
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
    {"1 / 0", "divide: division by zero"},
    {"1 // 0", "floor_divide: division by zero"},
    {"1.0 % 0", "remainder: division by zero"},
    {"0 ** -1", "pow: zero to a negative power"},
    {"1j / 0", "divide: division by zero"},
    {"0j ** -1", "pow: zero to a negative or complex power"},
    {"0 ** 1j", "pow: zero to a negative or complex power"},
    {"(1e200j) ** 2", "pow: the result is outside complex128"},
    {"1j // 2", "floor_divide: takes no complex numbers"},
    {"1j % 2", "remainder: takes no complex numbers"},
    {"1 < 2j", "less: takes no complex numbers"},
    {"~1j", "bitwise_invert: takes integers or bool, not a complex number"},
    {"arange(3j)", "arange: start is a real number, not a complex number"},
    {"linspace(0, 1j, 3, dtype=float32)", "astype: complex128 to float32 would drop the imaginary parts"},
    {"full(3, 2j, dtype=int8)", "astype: complex128 to int8 would drop the imaginary parts"},
    {"astype([1j], float64)", "take real(), imag() or abs() first"},
    {"arange(3) < 1j", "less: takes real numbers, not complex128"},
    {"maximum(arange(3), 1j)", "maximum: takes real numbers, not complex128"},
    {"arange(3) // 1j", "floor_divide: takes real numbers, not complex128"},
    {"arange(3) & 1j", "bitwise_and: takes integers or bool, not complex128"},
    {"erf([1j])", "erf: takes real numbers, not complex128"},
    {"atan2([1j], 1)", "atan2: takes real numbers, not complex128"},
    {"clip([1j], 0, 1)", "clip: takes real numbers, not complex128"},
    {"max([1j])", "max: takes real numbers, not complex128"},
    {"argmin([1j])", "argmin: takes real numbers, not complex128"},
    {"softmax([1j])", "softmax: takes real numbers, not complex128"},
    {"logsumexp([1j])", "logsumexp: takes real numbers, not complex128"},
    {"sort([1j])", "sort: complex128 has no order"},
    {"argsort([1j])", "argsort: complex128 has no order"},
    {"top_k([1j], 1)", "top_k: complex128 has no order"},
    {"unique_values([1j])", "unique_values: complex128 has no order"},
    {"searchsorted([1, 2], 1j)", "searchsorted: complex128 has no order"},
    {"complex(1j, 2)", "complex: takes real parts, not complex128"},
    {"x = copy([1.0]); grad(abs(complex(x, x)), x)", "grad: y depends on x by way of complex128"},
    {"x = copy([1.0]); grad(angle(x * 1j), x)", "grad: y depends on x by way of complex128"},
    {"x = copy([1j]); grad(abs(x), x)", "grad: x is complex128; floats have gradients"},
    {"x = copy([1.0]); grad(x * 1j, x)", "grad: y is complex128; floats have gradients"},
    {"10.0 ** 400", "outside float64"},
    {"2 ** 63", "does not fit in int64"},
    {"2 ** 62 * 2", "multiply: 4611686018427387904 * 2 does not fit in int64"},
    {"9223372036854775808", "does not fit in int64"},
    {"99999999999999999999999", "does not fit in int64"},
    {"-9223372036854775808 - 1", "does not fit in int64"},
    {"-9223372036854775808 // -1", "does not fit in int64"},
    {"x = -9223372036854775808; -x", "does not fit in int64"},
    {"1 << 63", "does not fit in int64"},
    {"1 << 1000", "does not fit in int64"},
    {"1 << -1", "shift count -1 is negative"},
    {"~2.5", "not a float"},
    {"2.5 & 1", "bitwise_and: takes integers or bool, not a float"},
    {"None + 1", "add: cannot combine None and an integer"},
    {"(1,) + [2]", "cannot combine a tuple and a list"},
    {"float32 < 1", "cannot combine a dtype and an integer"},
    {"(0,) * 2000", "a tuple made by + or * holds 1024 items at most"},
    {"[0] * 800 + [0] * 800", "a list made by + or * holds 1024 items at most"},
    {"(1, 2) * 1.5", "multiply: cannot combine a tuple and a float"},
    {"-(1, 2)", "negative: takes a tensor or a number, not a tuple"},
    {"None", "takes a tensor or a number, not None"},
    {"float32", "not a dtype"},
    {"arange(2) + None", "add: takes a tensor or a number, not None"},
    {"arange(3) @ arange(4)", "matmul: the axes that are summed over differ: shapes (3,) and (4,)"},
    {"3 @ 4", "matmul: cannot combine an integer and an integer"},
    {"[1, [2]]", "the lists along axis"},
    {"unstack(ones((2, 3)))", "the result is a tuple of tensors; a subscript such as [0] takes one of them"},
    {"unstack(ones((2, 3)))[2]", "index: 2 is out of bounds for a tuple of 2"},
    {"unstack(3)", "unstack: axis 0 is out of bounds for rank 0"},
    {"unstack(zeros(100000))", "unstack: gives 65536 tensors at most, not 100000"},
    {"split(ones(6), 4)", "split: axis 0 of size 6 does not divide into 4 equal parts"},
    {"split(ones(6), 0)", "split: the number of parts is 0, not positive"},
    {"split(ones(6), [1, 2.5])", "split: the indices are integers, not a float"},
    {"split(ones(6), 2, axis=1)", "split: axis 1 is out of bounds for rank 1"},
    {"broadcast_arrays(ones(2), ones(3))",
     "broadcast_arrays: shape mismatch: argument 0 with shape (2,) and argument 1"},
    {"broadcast_arrays(1, b=2)", "broadcast_arrays: there is no argument 'b'"},
    {"meshgrid(ones(2), ones((2, 3)))", "meshgrid: argument 1 has shape (2, 3), and not one axis"},
    {"meshgrid(1, indexing='yx')", "meshgrid: indexing is 'xy' or 'ij'"},
    {"meshgrid(1, indexin='xy')", "meshgrid: there is no argument 'indexin'; did you mean 'indexing'?"},
    {"meshgrid(1, indexing='xy', indexing='ij')", "indexing"},
    {"asarray([1], copy=False)", "asarray: a tensor of what is none cannot be had without a copy"},
    {"asarray(ones(2), dtype=int8, copy=False)", "asarray: another dtype cannot be had without a copy"},
    {"asarray('x')", "asarray: "},
    {"result_type()", "result_type: there is nothing to meet"},
    {"result_type(int8, 300)", "result_type: the integer 300 does not fit in int8"},
    {"result_type('x')", "result_type: "},
    {"can_cast(1, int8)", "can_cast: takes dtypes and tensors, not an integer"},
    {"isdtype(int8, 'whole')", "isdtype: there is no kind 'whole'"},
    {"isdtype(int8, 1)", "isdtype: a kind is a dtype or a string, not an integer"},
    {"isdtype(1, 'bool')", "isdtype: takes dtypes and tensors, not an integer"},
    {"broadcast_shapes((1, 2), (3, 1), 5)",
     "broadcast_shapes: shape mismatch: argument 0 with shape (1, 2) and argument 2"},
    {"sort(1)", "sort: axis -1 is out of bounds for rank 0"},
    {"sort([1, 2], axis=None)", "sort: axis is an integer, not None"},
    {"argsort([1, 2], stable='no')", "argsort: stable is True or False, not a string"},
    {"searchsorted([1, 2], 1, side='middle')", "searchsorted: side is 'left' or 'right'"},
    {"searchsorted([1, 2], 1, sorter=2)", "searchsorted: a sorter of shape () does not belong"},
    {"searchsorted([1, 2], 1, sorter=float32)", "not a dtype"},
    {"top_k([1, 2], 3)", "top_k: 3 elements cannot be taken along axis 0 of shape (2,)"},
    {"top_k([1, 2], 1, mode=0)", "top_k: mode is 'largest' or 'smallest'"},
    {"nonzero(3)", "nonzero: a scalar has no axis"},
    {"unique_all([1, 2])", "the result is a tuple of tensors"},
    {"rot90(ones((2, 2)), 1, (0, 1, 2))", "rot90: axes names two axes, not 3"},
    {"reshape(reshape(arange(6), (2, 3)).T, 6, copy=False)",
     "reshape_view: shape (3, 2) with strides (1, 3) takes a copy to become (6,)"},
    {"reshape(arange(6), 6, copy=2.5)", "reshape: copy is True or False, not a float"},
    {"view(ones(3), float32)", "bitcast: float64 to float32 changes the size of the elements"},
    {"view(ones(3), None)", "view: dtype is a dtype, such as float32, not None"},
    {"broadcast_shapes(1.5)", "broadcast_shapes: "},
    {"[[1], [2, 3]]", "the lists along axis 1 differ in length"},
    {"[[1], 2]", "the lists along axis 1 differ in length"},
    {"[1, None]", "holds numbers, not None"},
    {"[arange(3)]", "holds numbers, not a tensor"},
    {"a = [0] * 1024; b = [a] * 1024; [b] * 17", "16777216 elements at most"},
    {"y", "unknown name 'y'"},
    {"Tru", "unknown name 'Tru'; did you mean 'True'?"},
    {"float31", "did you mean 'float32'?"},
    {"elephant = 3; elephnat", "did you mean 'elephant'?"},
    {"complex32", "did you mean 'complex64'?"},
    {"sqrt", "'sqrt' is a function; it is called as sqrt(...)"},
    {"sqr(2)", "unknown function 'sqr'; did you mean 'sqrt'?"},
    {"boradcast_to(1, 2)", "did you mean 'broadcast_to'?"},
    {"x = arange(3); x.sum()", "unknown function 'x.sum'; did you mean 'sum'?"},
    {"tf.brodcast_to(1, 2)", "did you mean 'tf.broadcast_to'?"},
    {"quite_another_thing(1)", "unknown function 'quite_another_thing'"},
    {"x = 3; x(1)", "'x' is an integer, not a function"},
    {"float32(1)", "float32 is a dtype, not a function; use astype(x, float32)"},
    {"sqrt()", "sqrt: argument 'x' is missing"},
    {"sqrt(1, 2)", "sqrt: takes 1 argument, not 2"},
    {"add(1, 2, 3)", "add: takes 2 arguments, not 3"},
    {"sum(1, 2, 3, 4, 5)", "sum: takes 1 to 4 arguments, not 5"},
    {"broadcast_to(1)", "broadcast_to: argument 'shape' is missing"},
    {"sum(1, axes=0)", "sum: there is no argument 'axes'; did you mean 'axis'?"},
    {"sum(1, x=2)", "sum: argument 'x' is given twice"},
    {"sum(x=1, axis=0, axis=1)", "sum: argument 'axis' is given twice"},
    {"sqrt('a')", "sqrt: takes a tensor or a number, not a string"},
    {"where(1, 'a', 2)", "not a string"},
    {"where(True, 1, 'a')", "not a string"},
    {"add('a', 1)", "not a string"},
    {"sum(1, keepdims='yes')", "sum: keepdims is True or False, not a string"},
    {"sum(1, dtype=3)", "sum: dtype is a dtype, such as float32, not an integer"},
    {"sum(1, axis=1.5)", "sum: axis is an integer or a tuple of integers, not a float"},
    {"max(1, axis=1.5)", "max: axis is"},
    {"sum(arange(3), axis=10**10)", "sum: axis 10000000000 is out of bounds"},
    {"sum(arange(3), axis=(0,) * 65)", "65 axes are more than the highest rank, 64"},
    {"zeros((1,) * 65)", "65 sizes are more than the highest rank, 64"},
    {"zeros((2, 2.0))", "shape is an integer or a tuple of integers, not a float"},
    {"zeros(None)", "not None"},
    {"zeros(-1)", "negative"},
    {"broadcast_to(1, 'a')", "not a string"},
    {"permute_dims(eye(2), 'a')", "not a string"},
    {"swapaxes(eye(2), 0, 'a')", "swapaxes: axis2 is an integer, not a string"},
    {"diagonal(eye(2), 'a')", "diagonal: offset is an integer, not a string"},
    {"diagonal(eye(2), 0, 0, 7)", "diagonal: "},
    {"transpose(eye(2), 'a')", "not a string"},
    {"moveaxis(eye(2), 0, (0, 1))", "source and destination must name equally many axes"},
    {"moveaxis(eye(2), 5, 0)", "moveaxis: axis 5 is out of bounds for rank 2"},
    {"moveaxis(eye(2), 'a', 0)", "not a string"},
    {"expand_dims(1, (0, 0))", "expand_dims: axis 0 is named twice"},
    {"expand_dims(1, None)", "expand_dims: axis names the new axes, not None"},
    {"expand_dims(zeros((1,) * 60), (0, 1, 2, 3, 4))", "rank 65 is above the highest, 64"},
    {"expand_dims(1, 'a')", "not a string"},
    {"squeeze(1, 'a')", "not a string"},
    {"as_strided(arange(3), (2, 2), 1)", "as_strided: 2 sizes but 1 strides"},
    {"as_strided(arange(3), (2, 2), (2, 2))", "as_strided: "},
    {"as_strided(arange(3), 2, 1, 'a')", "not a string"},
    {"clip('a')", "not a string"},
    {"astype(1, None)", "astype: dtype is a dtype, such as float32, not None"},
    {"astype(1, 'float32')", "not a string"},
    {"full(2, None)", "full: takes a tensor or a number, not None"},
    {"full(2, 300, dtype=uint8)", "full: the integer 300 does not fit in uint8"},
    {"full(2, -1, dtype=uint16)", "does not fit in uint16"},
    {"full(2, -1, dtype=uint32)", "does not fit in uint32"},
    {"full(2, -1, dtype=uint64)", "does not fit in uint64"},
    {"full(2, 128, dtype=int8)", "does not fit in int8"},
    {"full(2, 2**15, dtype=int16)", "does not fit in int16"},
    {"full(2, 2**31, dtype=int32)", "does not fit in int32"},
    {"full('a', 1)", "not a string"},
    {"arange(0, 1, 0)", "arange: step is zero"},
    {"arange(0, 1, 0.0)", "arange: step is zero"},
    {"arange(inf)", "do not make a finite range"},
    {"arange(nan)", "do not make a finite range"},
    {"arange(-2**62 * 2, 2**62)", "more elements than int64 can count"},
    {"arange(0.5, dtype=int32)", "a range of floats has a floating dtype"},
    {"arange('a')", "arange: start is a number, not a string"},
    {"arange(0, 'a')", "arange: stop is a number, not a string"},
    {"linspace(0, 1, -1)", "linspace: num is negative"},
    {"linspace(0, 1, 2, dtype=int32)", "not a floating one"},
    {"linspace(0, 1)", "linspace: argument 'num' is missing"},
    {"linspace(0, 1, 2.5)", "linspace: num is an integer, not a float"},
    {"eye(-1)", "eye: the size is negative"},
    {"eye(2, 'a')", "eye: n_cols is an integer, not a string"},
    {"eye('a')", "eye: n_rows is an integer, not a string"},
    {"arange(3)[3]", "index: "},
    {"arange(3)[0, 0]", "index: 2 subscripts for a tensor of rank 1"},
    {"arange(3)[..., ...]", "index: a subscript has one ellipsis at most"},
    {"arange(3)[[0, 1]]", "index: a subscript holds integers, slices, None and ..., not a list"},
    {"arange(3)[True]", "not a bool"},
    {"arange(3)[1.5]", "not a float"},
    {"arange(3)[arange(2)]", "not a tensor"},
    {"arange(3)[::0]", "slice: the step is zero"},
    {"arange(3)[0.5:]", "slice: a bound is an integer or None, not a float"},
    {"(1, 2)[2]", "index: 2 is out of bounds for a tuple of 2"},
    {"(1, 2)[0.5]", "index: the subscript of a tuple is an integer or a slice, not a float"},
    {"(1, 2)[::0]", "slice: the step is zero"},
    {"3[0]", "index: an integer has no elements"},
    {"arange(3).foo", "a tensor has no attribute 'foo'"},
    {"(1).T", "an integer has no attribute 'T'"},
    {"arange(3).mT", "matrix_transpose: "},
    {"arange(3) + arange(4)", "add: "},
    {"sum(arange(3), axis=1)", "sum: "},
    {"full(2, 1) & 0.5", "bitwise_and: "},
    {"max(zeros(0))", "max: "},
    {"broadcast_to(arange(2), (6,) * 30)", "broadcast_to: "},
    {"tf.broadcast_to(arange(3), 4)", "tf.broadcast_to: Incompatible shapes: [3] vs. [4]"},
    {"mindspore.broadcast_to(arange(3), [2, 3])", "mindspore.broadcast_to: shape is a tuple, not a list"},
    {"mindspore.broadcast_to(arange(3), (-1, 3))", "mindspore.broadcast_to: -1 is in an incompatible location"},
    {"mindspore.broadcast_to('a', (1,))", "not a string"},
    {"ngraph.broadcast(arange(3), (3, 2), 0)", "ngraph.broadcast: argument shape, specified output shape, and axes"},
    {"ngraph.broadcast(arange(3), (3, 2), None)", "ngraph.broadcast: the broadcast axes are missing"},
    {"ngraph.broadcast(arange(3), (3, 2), 'a')", "not a string"},
    {"xla.broadcast(arange(3), -1)", "xla.broadcast: Broadcast with negative dimension size -1"},
    {"xla.broadcast_in_dim(arange(3), (4, 3), 0)", "xla.broadcast_in_dim: Input dimension should be either 1"},
    {"stablehlo.broadcast_in_dim(arange(3), (2, 3), ())", "stablehlo.broadcast_in_dim: broadcast_dimensions size (0)"},
    {"ngraph.broadcast_like(arange(3), zeros((2, 3)), ())", "ngraph.broadcast_like: without broadcast axes"},
    {"ngraph.broadcast_like(1, zeros(3), 'a')", "not a string"},
    {"xla.add(zeros((2, 3)), zeros(3))", "xla.add: Shapes must be equal rank, but are float64[2,3] and float64[3]"},
    {"xla.or(arange(2), 1.5)", "xla.or: Binary op or with different element types"},
    {"xla.or(arange(2), arange(2), 'a')", "not a string"},
    {"torch.expand(1, -1)", "torch.expand: the expanded size of the tensor (-1)"},
    {"onnx.expand(arange(3), 4)", "onnx.expand: incompatible dimensions"},
    {"openvino.broadcast(arange(3), 4)", "openvino.broadcast: Input shape dimension equal 3"},
    {"openvino.broadcast(arange(3), 3, mode='explicit')", "openvino.broadcast: axes_mapping input should be provided"},
    {"openvino.broadcast(arange(3), 3, mode='wide')",
     "mode is 'numpy', 'explicit', 'bidirectional' or 'pdpd', not wide"},
    {"openvino.broadcast(arange(3), 3, mode=3)", "not an integer"},
    {"openvino.broadcast(arange(3), 3, axis='a')", "openvino.broadcast: axis is an integer, not a string"},
    {"zeros((2,) * 40)", "print: more than 1048576 elements would be shown"},
};

Test(expressions, are_refused_with_a_sentence)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        zc_fault fault = {0};
        zc_dtype dtype;
        char *text = zc_text_of_expression(refusals[i].expression, ZC_EXECUTOR_TILE, &dtype, &fault);
        cr_expect(text == NULL, "%s gives %s", refusals[i].expression, text);
        cr_expect(fault.exit_code == ZC_EXIT_REFUSED, "%s: exit code %d", refusals[i].expression, fault.exit_code);
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

/* A tensor is itself; the library compares elements, the language only handles. */
Test(values, that_hold_the_same_tensor_are_equal)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_value a = {.kind = ZC_VALUE_TENSOR, .tensor = zc_iota(ctx, 3)};
    zc_value b = {.kind = ZC_VALUE_TENSOR, .tensor = zc_iota(ctx, 3)}, copy = zc_value_copy(a);
    cr_expect(zc_value_equal(a, copy));
    cr_expect_not(zc_value_equal(a, b));
    zc_value_release(a);
    zc_value_release(b);
    zc_value_release(copy);
    zc_context_free(ctx);
}
