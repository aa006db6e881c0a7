/*
 * The kernels of one instruction set, made from the rows of ops.def, reductions.def and dtype.def. Included by
 * kernels_*.c, each compiled with its own target flags; ZC_TABLE names the table.
 *
 * kernels_dtype_tmpl.c makes the functions of one dtype, here included once per dtype; kernels_narrow_tmpl.c those of a
 * 16-bit float, which go through float32.
 */
#include <string.h>

#include "materialize/kernels.h"
#include "materialize/kernels_emit.h"
#include "materialize/kernels_emit_narrow.h"
#include "runtime/elementary_complex.h"
#if defined(ZC_VECTOR_BYTES)
#include "materialize/chains_emit.h"
#endif
#include "runtime/elements.h"
#include "runtime/elements_bool.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* division, pow and fmod stay scalar */
#endif

/* The integers: everything but the float operations. */
#define ZC_KIND_IS_INTEGER 1
#define ZC_D               int8
#define ZC_T               int8_t
#define ZC_BITS            8
#define ZC_IS_SIGNED       1
#define ZC_KIND            SIGNED
#include "materialize/kernels_dtype_tmpl.c"
#define ZC_D         int16
#define ZC_T         int16_t
#define ZC_BITS      16
#define ZC_IS_SIGNED 1
#define ZC_KIND      SIGNED
#include "materialize/kernels_dtype_tmpl.c"
#define ZC_D         int32
#define ZC_T         int32_t
#define ZC_BITS      32
#define ZC_IS_SIGNED 1
#define ZC_KIND      SIGNED
#include "materialize/kernels_dtype_tmpl.c"
#define ZC_D         int64
#define ZC_T         int64_t
#define ZC_BITS      64
#define ZC_IS_SIGNED 1
#define ZC_KIND      SIGNED
#include "materialize/kernels_dtype_tmpl.c"
#define ZC_D         uint8
#define ZC_T         uint8_t
#define ZC_BITS      8
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels_dtype_tmpl.c"
#define ZC_D         uint16
#define ZC_T         uint16_t
#define ZC_BITS      16
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels_dtype_tmpl.c"
#define ZC_D         uint32
#define ZC_T         uint32_t
#define ZC_BITS      32
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels_dtype_tmpl.c"
#define ZC_D         uint64
#define ZC_T         uint64_t
#define ZC_BITS      64
#define ZC_IS_SIGNED 0
#define ZC_KIND      UNSIGNED
#include "materialize/kernels_dtype_tmpl.c"
#undef ZC_KIND_IS_INTEGER

#define ZC_KIND_IS_FLOAT 1
#define ZC_D             float32
#define ZC_T             float
#define ZC_M(function)   function##f
#define ZC_BITS_T        uint32_t
#define ZC_EPSILON       0x1p-23f
#define ZC_LEAST         0x1p-149f
#define ZC_KIND          FLOAT
#include "materialize/kernels_dtype_tmpl.c"
#undef ZC_M
#undef ZC_BITS_T
#undef ZC_EPSILON
#undef ZC_LEAST
#define ZC_D           float64
#define ZC_T           double
#define ZC_M(function) function
#define ZC_BITS_T      uint64_t
#define ZC_EPSILON     0x1p-52
#define ZC_LEAST       0x1p-1074
#define ZC_KIND        FLOAT
#include "materialize/kernels_dtype_tmpl.c"
#undef ZC_M
#undef ZC_BITS_T
#undef ZC_EPSILON
#undef ZC_LEAST
#undef ZC_KIND_IS_FLOAT

#define ZC_KIND_IS_COMPLEX 1
#define ZC_D               complex64
#define ZC_T               float _Complex
#define ZC_PART_T          float
#define ZC_PART(function)  function##_float32
#define ZC_M(function)     function##f
#define ZC_KIND            COMPLEX
#include "materialize/kernels_dtype_tmpl.c"
#undef ZC_PART_T
#undef ZC_PART
#undef ZC_M
#define ZC_D              complex128
#define ZC_T              double _Complex
#define ZC_PART_T         double
#define ZC_PART(function) function##_float64
#define ZC_M(function)    function
#define ZC_KIND           COMPLEX
#include "materialize/kernels_dtype_tmpl.c"
#undef ZC_PART_T
#undef ZC_PART
#undef ZC_M
#undef ZC_KIND_IS_COMPLEX
#undef ZC_OP_IN_ANY
#undef ZC_RUN_IN_SAME
#define ZC_OP_IN_ANY(name, arity, result, complex, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_RUN_IN_SAME(name, combine)                       ZC_EMIT_RUN(name, combine)

#define ZC_KIND_IS_BOOL 1
#define ZC_D            bool_
#define ZC_T            uint8_t
#define ZC_KIND         BOOL
#include "materialize/kernels_dtype_tmpl.c"
#undef ZC_KIND_IS_BOOL

/* The 16-bit floats. */
#define ZC_KIND FLOAT
#define ZC_T    uint16_t
#define ZC_D    float16
#define ZC_NAME FLOAT16
#include "materialize/kernels_narrow_tmpl.c"
#define ZC_D    bfloat16
#define ZC_NAME BFLOAT16
#include "materialize/kernels_narrow_tmpl.c"
#undef ZC_KIND
#undef ZC_T

#include "materialize/kernels_layout_tmpl.c"

static void fill_index(int64_t *out, int64_t first, int64_t stride, int64_t n)
{
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        out[i] = first + i * stride;
}

static bool check_positions(int64_t *out, const int64_t *positions, int64_t extent, int64_t n)
{
    int64_t strays = 0;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = positions[i] < 0 ? positions[i] + extent : positions[i];
        const bool is_inside = (at >= 0) & (at < extent);
        out[i] = is_inside ? at : 0;
        strays += !is_inside;
    }
    return strays == 0;
}

/* ---- The table ---- */

#define ZC_ROW_ANY(op, name, complex)                                                                                  \
    [op] = {ZC_INTEGER_ENTRIES(name), ZC_FLOAT_ENTRIES(name), ZC_COMPLEX_##complex(name)[ZC_BOOL] = map_##name##_bool_},
#define ZC_ROW_NUMBER(op, name, complex)                                                                               \
    [op] = {ZC_INTEGER_ENTRIES(name), ZC_COMPLEX_##complex(name) ZC_FLOAT_ENTRIES(name)},
#define ZC_ROW_BITS(op, name, complex)   [op] = {ZC_INTEGER_ENTRIES(name), [ZC_BOOL] = map_##name##_bool_},
#define ZC_ROW_FLOAT(op, name, complex)  [op] = {ZC_COMPLEX_##complex(name) ZC_FLOAT_ENTRIES(name)},
#define ZC_ROW_ANGLE(op, name, complex)  ZC_ROW_FLOAT(op, name, complex)
#define ZC_ROW_FORMAT(op, name, complex) ZC_ROW_FLOAT(op, name, complex)
#define ZC_ROW_TRUTH(op, name, complex)  [op] = {[ZC_BOOL] = map_##name##_bool_},
#define ZC_ROW_SELECT(op, name, complex) [op] = ZC_MOVING_ENTRIES(map_##name),
#define ZC_COMPLEX_NO(name)
#define ZC_COMPLEX_SAME(name) ZC_COMPLEX_ENTRIES(map_##name),
#define ZC_COMPLEX_BOOL(name) ZC_COMPLEX_SAME(name)
#define ZC_COMPLEX_REAL(name) ZC_COMPLEX_SAME(name)
#define ZC_INTEGER_ENTRIES(name)                                                                                       \
    [ZC_INT8] = map_##name##_int8, [ZC_INT16] = map_##name##_int16, [ZC_INT32] = map_##name##_int32,                   \
    [ZC_INT64] = map_##name##_int64, [ZC_UINT8] = map_##name##_uint8, [ZC_UINT16] = map_##name##_uint16,               \
    [ZC_UINT32] = map_##name##_uint32, [ZC_UINT64] = map_##name##_uint64
#define ZC_FLOAT_ENTRIES(name)                                                                                         \
    [ZC_FLOAT32] = map_##name##_float32, [ZC_FLOAT64] = map_##name##_float64, [ZC_FLOAT16] = map_##name##_float16,     \
    [ZC_BFLOAT16] = map_##name##_bfloat16

#define ZC_JOIN_ROW_SUM(prefix)                                                                                        \
    {                                                                                                                  \
        ZC_NUMBER_ENTRIES(prefix), ZC_COMPLEX_ENTRIES(prefix)                                                          \
    }
#define ZC_JOIN_ROW_MEAN(prefix) ZC_JOIN_ROW_SUM(prefix)
#define ZC_JOIN_ROW_SAME(prefix) ZC_ENTRIES(prefix)
#define ZC_JOIN_ROW_TRUTH(prefix)                                                                                      \
    {                                                                                                                  \
        [ZC_BOOL] = prefix##_bool_                                                                                     \
    }
/* The same without 16-bit floats. */
#define ZC_JOIN_ROW_WIDE_SUM(prefix)  ZC_JOIN_ROW_SUM(prefix)
#define ZC_JOIN_ROW_WIDE_MEAN(prefix) ZC_JOIN_ROW_SUM(prefix)
#define ZC_JOIN_ROW_WIDE_SAME(prefix)                                                                                  \
    {                                                                                                                  \
        [ZC_BOOL] = prefix##_bool_, ZC_NUMBER_ENTRIES(prefix)                                                          \
    }
#define ZC_JOIN_ROW_WIDE_TRUTH(prefix) ZC_JOIN_ROW_TRUTH(prefix)
#define ZC_NUMBER_ENTRIES(prefix)                                                                                      \
    [ZC_INT8] = prefix##_int8, [ZC_INT16] = prefix##_int16, [ZC_INT32] = prefix##_int32, [ZC_INT64] = prefix##_int64,  \
    [ZC_UINT8] = prefix##_uint8, [ZC_UINT16] = prefix##_uint16, [ZC_UINT32] = prefix##_uint32,                         \
    [ZC_UINT64] = prefix##_uint64, [ZC_FLOAT32] = prefix##_float32, [ZC_FLOAT64] = prefix##_float64

#define ZC_COMPLEX_ENTRIES(prefix) [ZC_COMPLEX64] = prefix##_complex64, [ZC_COMPLEX128] = prefix##_complex128

/* One entry per real dtype, of functions named prefix_dtype. */
#define ZC_ENTRIES(prefix)                                                                                             \
    {                                                                                                                  \
        [ZC_BOOL] = prefix##_bool_,                                                                                    \
        ZC_NUMBER_ENTRIES(prefix), [ZC_FLOAT16] = prefix##_float16, [ZC_BFLOAT16] = prefix##_bfloat16                  \
    }

/* One entry per dtype, of functions that move elements without looking at them: 16 bits are 16 bits. */
#define ZC_MOVING_ENTRIES(prefix)                                                                                      \
    {                                                                                                                  \
        [ZC_BOOL] = prefix##_bool_, ZC_NUMBER_ENTRIES(prefix),                                                         \
        ZC_COMPLEX_ENTRIES(prefix), [ZC_FLOAT16] = prefix##_uint16, [ZC_BFLOAT16] = prefix##_uint16                    \
    }

#define ZC_CAST_ENTRIES(prefix)                                                                                        \
    {                                                                                                                  \
        [ZC_BOOL] = prefix##_BOOL, [ZC_INT8] = prefix##_INT8, [ZC_INT16] = prefix##_INT16,                             \
        [ZC_INT32] = prefix##_INT32, [ZC_INT64] = prefix##_INT64, [ZC_UINT8] = prefix##_UINT8,                         \
        [ZC_UINT16] = prefix##_UINT16, [ZC_UINT32] = prefix##_UINT32, [ZC_UINT64] = prefix##_UINT64,                   \
        [ZC_FLOAT32] = prefix##_FLOAT32, [ZC_FLOAT64] = prefix##_FLOAT64, [ZC_FLOAT16] = prefix##_FLOAT16,             \
        [ZC_BFLOAT16] = prefix##_BFLOAT16, [ZC_COMPLEX64] = prefix##_COMPLEX64, [ZC_COMPLEX128] = prefix##_COMPLEX128  \
    }

#if defined(ZC_VECTOR_BYTES)
static const zc_chain_kernels chains = {
    .tile_bytes = ZC_TILE_BYTES,
    .step =
        {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, meaning)                                     \
    ZC_STEP_OF_##result(ZC_IF_CHEAP_##cost(ZC_STEP_ROW_##domain(ZC_OP_##NAME, name, arity)))
#include "runtime/ops.def"
#undef ZC_OP
        },
    .multiply_add = {ZC_MULTIPLY_ADD_ROW(MEMORY) ZC_MULTIPLY_ADD_ROW(UNIFORM) ZC_MULTIPLY_ADD_ROW(SELF)},
    .load = (zc_chain_function)step_load,
    .store = (zc_chain_function)step_store,
    .stream = (zc_chain_function)step_stream,
    .end = (zc_chain_function)step_end,
    .run = run_chain,
};
#define ZC_CHAINS &chains
#else
#define ZC_CHAINS NULL
#endif

const zc_kernels ZC_TABLE = {
    .name = ZC_TABLE_NAME,
    .chains = ZC_CHAINS,
    .map =
        {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, meaning)                                     \
    ZC_ROW_##domain(ZC_OP_##NAME, name, complex)
#include "runtime/ops.def"
#undef ZC_OP
            [ZC_OP_BITCAST] = ZC_MOVING_ENTRIES(copy),
            [ZC_OP_COPY] = ZC_MOVING_ENTRIES(copy),
            [ZC_OP_REAL] = {ZC_COMPLEX_ENTRIES(map_real)},
            [ZC_OP_IMAG] = {ZC_COMPLEX_ENTRIES(map_imag)},
            [ZC_OP_CONJ] = {ZC_COMPLEX_ENTRIES(map_conj)},
            [ZC_OP_COMPLEX] = {[ZC_FLOAT32] = map_complex_complex64, [ZC_FLOAT64] = map_complex_complex128},
        },
    .cast =
        {
            [ZC_BOOL] = ZC_CAST_ENTRIES(cast_bool_),
            [ZC_INT8] = ZC_CAST_ENTRIES(cast_int8),
            [ZC_INT16] = ZC_CAST_ENTRIES(cast_int16),
            [ZC_INT32] = ZC_CAST_ENTRIES(cast_int32),
            [ZC_INT64] = ZC_CAST_ENTRIES(cast_int64),
            [ZC_UINT8] = ZC_CAST_ENTRIES(cast_uint8),
            [ZC_UINT16] = ZC_CAST_ENTRIES(cast_uint16),
            [ZC_UINT32] = ZC_CAST_ENTRIES(cast_uint32),
            [ZC_UINT64] = ZC_CAST_ENTRIES(cast_uint64),
            [ZC_FLOAT32] = ZC_CAST_ENTRIES(cast_float32),
            [ZC_FLOAT64] = ZC_CAST_ENTRIES(cast_float64),
            [ZC_FLOAT16] = ZC_CAST_ENTRIES(cast_float16),
            [ZC_BFLOAT16] = ZC_CAST_ENTRIES(cast_bfloat16),
            [ZC_COMPLEX64] = ZC_CAST_ENTRIES(cast_complex64),
            [ZC_COMPLEX128] = ZC_CAST_ENTRIES(cast_complex128),
        },
    .run =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = ZC_JOIN_ROW_##accumulator(run_##name),
#include "runtime/reductions.def"
#undef ZC_REDUCTION
        },
    .rows =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = ZC_JOIN_ROW_##accumulator(rows_##name),
#include "runtime/reductions.def"
#undef ZC_REDUCTION
        },
    .columns =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = ZC_JOIN_ROW_WIDE_##accumulator(columns_##name),
#include "runtime/reductions.def"
#undef ZC_REDUCTION
        },
    .tree =
        {
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    [ZC_REDUCTION_##NAME] = ZC_JOIN_ROW_WIDE_##accumulator(tree_##name),
#include "runtime/reductions.def"
#undef ZC_REDUCTION
        },
    .pair = {{[ZC_FLOAT32] = pair_product_float32, [ZC_FLOAT64] = pair_product_float64},
             {[ZC_FLOAT32] = pair_distance_float32, [ZC_FLOAT64] = pair_distance_float64}},
    .partners = {{[ZC_FLOAT32] = partners_product_float32, [ZC_FLOAT64] = partners_product_float64},
                 {[ZC_FLOAT32] = partners_distance_float32, [ZC_FLOAT64] = partners_distance_float64}},
    .find = ZC_ENTRIES(find),
    .extreme = {ZC_ENTRIES(smallest), ZC_ENTRIES(largest)},
    .gather = ZC_MOVING_ENTRIES(gather),
    .scatter = ZC_MOVING_ENTRIES(scatter),
    .pick = ZC_MOVING_ENTRIES(pick),
    .transpose = {transpose_1, transpose_2, transpose_4, transpose_8, transpose_16},
    .stream = stream,
    .fence = fence,
    .check = check_positions,
    .add = {ZC_NUMBER_ENTRIES(add)},
    .scan = {{ZC_NUMBER_ENTRIES(scan_sum), ZC_COMPLEX_ENTRIES(scan_sum)},
             {ZC_NUMBER_ENTRIES(scan_product), ZC_COMPLEX_ENTRIES(scan_product)}},
    .recurrence = {[ZC_FLOAT32] = recurrence_float32, [ZC_FLOAT64] = recurrence_float64},
    .index = fill_index,
};
