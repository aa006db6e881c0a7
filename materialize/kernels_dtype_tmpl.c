/*
 * The kernels of one dtype. Included by kernels_tmpl.c with ZC_D the dtype's name (bool_ for bool, since bool is a
 * macro), ZC_T its C type, ZC_KIND its kind, ZC_KIND_IS_INTEGER, _FLOAT, _COMPLEX or _BOOL defined, and what
 * elements_*_tmpl.h needs. Undefines what differs per dtype.
 */
#if defined(ZC_KIND_IS_INTEGER)
#include "runtime/elements_integer_tmpl.h"
#define ZC_IS_NAN(x) 0
#elif defined(ZC_KIND_IS_FLOAT)
#include "runtime/elements_float_tmpl.h"
#define ZC_IS_NAN(x) ((x) != (x))
#elif defined(ZC_KIND_IS_COMPLEX)
#include "runtime/elements_complex_tmpl.h"
#else
#define ZC_IS_NAN(x) 0
#endif

/* Reading makes any byte of a bool a truth value; for the others it is the element itself. */
#if defined(ZC_KIND_IS_BOOL)
#define ZC_READ(p)  ((uint8_t)((p) != 0))
#define ZC_WRITE(v) ((uint8_t)((v) != 0))
#else
#define ZC_READ(p)  (p)
#define ZC_WRITE(v) ((ZC_T)(v))
#endif

#if defined(ZC_KIND_IS_COMPLEX)
#define ZC_TIMES(x, y) ZC_FN(times)(x, y)
#define ZC_OVER(x, y)  ZC_FN(over)(x, y)
#define ZC_INVERSE(x)  ZC_FN(inverse)(x)
#else
#define ZC_TIMES(x, y) ((x) * (y))
#define ZC_OVER(x, y)  ((x) / (y))
#define ZC_INVERSE(x)  (1 / (x))
#endif

/* ---- Elementwise: one function per row whose domain holds this dtype ---- */

#if defined(ZC_KIND_IS_BOOL)
#define ZC_OP_IN_NUMBER(name, arity, result, complex, meaning)
#define ZC_OP_IN_FLOAT(name, arity, result, complex, meaning)
#define ZC_OP_IN_ANGLE(name, arity, result, complex, meaning)
#define ZC_OP_IN_FORMAT(name, arity, result, complex, meaning)
#define ZC_OP_IN_BITS(name, arity, result, complex, meaning)  ZC_EMIT(name, arity, result, meaning)
#define ZC_OP_IN_TRUTH(name, arity, result, complex, meaning) ZC_EMIT(name, arity, result, meaning)
#elif defined(ZC_KIND_IS_COMPLEX)
#undef ZC_OP_IN_ANY
#define ZC_OP_IN_ANY(name, arity, result, complex, meaning)    ZC_EMIT_COMPLEX(name, arity, complex, meaning)
#define ZC_OP_IN_NUMBER(name, arity, result, complex, meaning) ZC_EMIT_COMPLEX(name, arity, complex, meaning)
#define ZC_OP_IN_FLOAT(name, arity, result, complex, meaning)  ZC_EMIT_COMPLEX(name, arity, complex, meaning)
#define ZC_OP_IN_ANGLE(name, arity, result, complex, meaning)  ZC_EMIT_COMPLEX(name, arity, complex, meaning)
#define ZC_OP_IN_FORMAT(name, arity, result, complex, meaning) ZC_EMIT_COMPLEX(name, arity, complex, meaning)
#define ZC_OP_IN_BITS(name, arity, result, complex, meaning)
#define ZC_OP_IN_TRUTH(name, arity, result, complex, meaning)
#elif defined(ZC_KIND_IS_FLOAT)
#define ZC_OP_IN_NUMBER(name, arity, result, complex, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_OP_IN_FLOAT(name, arity, result, complex, meaning)  ZC_EMIT(name, arity, result, meaning)
#define ZC_OP_IN_ANGLE(name, arity, result, complex, meaning)  ZC_EMIT_ANGLE(name, meaning)
#define ZC_OP_IN_FORMAT(name, arity, result, complex, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_OP_IN_BITS(name, arity, result, complex, meaning)
#define ZC_OP_IN_TRUTH(name, arity, result, complex, meaning)
#else
#define ZC_OP_IN_NUMBER(name, arity, result, complex, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_OP_IN_FLOAT(name, arity, result, complex, meaning)
#define ZC_OP_IN_ANGLE(name, arity, result, complex, meaning)
#define ZC_OP_IN_FORMAT(name, arity, result, complex, meaning)
#define ZC_OP_IN_BITS(name, arity, result, complex, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_OP_IN_TRUTH(name, arity, result, complex, meaning)
#endif

#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, meaning)                                     \
    ZC_OP_IN_##domain(name, arity, result, complex, meaning)
#include "runtime/ops.def"
#undef ZC_OP

/* ---- Steps of chains: the cheap rows, where the result is of the operands' dtype ---- */

#if defined(ZC_VECTOR_BYTES) && (defined(ZC_KIND_IS_INTEGER) || defined(ZC_KIND_IS_FLOAT))
#define ZC_STEPS_IN_ANY(arity, name, meaning)    ZC_EMIT_STEPS_##arity(name, meaning)
#define ZC_STEPS_IN_NUMBER(arity, name, meaning) ZC_EMIT_STEPS_##arity(name, meaning)
#define ZC_STEPS_IN_TRUTH(arity, name, meaning)
#define ZC_STEPS_IN_SELECT(arity, name, meaning)
#define ZC_STEPS_IN_ANGLE(arity, name, meaning)
#if defined(ZC_KIND_IS_FLOAT)
#define ZC_STEPS_IN_FLOAT(arity, name, meaning)  ZC_EMIT_STEPS_##arity(name, meaning)
#define ZC_STEPS_IN_FORMAT(arity, name, meaning) ZC_EMIT_STEPS_##arity(name, meaning)
#define ZC_STEPS_IN_BITS(arity, name, meaning)
#else
#define ZC_STEPS_IN_FLOAT(arity, name, meaning)
#define ZC_STEPS_IN_FORMAT(arity, name, meaning)
#define ZC_STEPS_IN_BITS(arity, name, meaning) ZC_EMIT_STEPS_##arity(name, meaning)
#endif
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, meaning)                                     \
    ZC_STEP_OF_##result(ZC_IF_CHEAP_##cost(ZC_STEPS_IN_##domain(arity, name, meaning)))
#include "runtime/ops.def"
#undef ZC_OP
ZC_EMIT_MULTIPLY_ADD(MEMORY)
ZC_EMIT_MULTIPLY_ADD(UNIFORM)
ZC_EMIT_MULTIPLY_ADD(SELF)
#undef ZC_STEPS_IN_ANY
#undef ZC_STEPS_IN_NUMBER
#undef ZC_STEPS_IN_TRUTH
#undef ZC_STEPS_IN_SELECT
#undef ZC_STEPS_IN_ANGLE
#undef ZC_STEPS_IN_FLOAT
#undef ZC_STEPS_IN_FORMAT
#undef ZC_STEPS_IN_BITS
#endif

static void ZC_FN(copy)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)
{
    (void)in_y, (void)in_z;
#if defined(ZC_KIND_IS_BOOL)
    uint8_t *to = out;
    const uint8_t *from = in_x;
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = ZC_READ(from[i]);
#else
    if (out != in_x)
        memcpy(out, in_x, (size_t)n * sizeof(ZC_T));
#endif
}

#if defined(ZC_KIND_IS_COMPLEX)
ZC_EMIT(real, 1, REAL, ZC_FN(real)(x))
ZC_EMIT(imag, 1, REAL, ZC_FN(imag)(x))
ZC_EMIT(conj, 1, SAME, ZC_FN(conj)(x))

static void ZC_FN(map_complex)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)
{
    ZC_T *to = out;
    ZC_OPERANDS_2(ZC_PART_T)
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = ZC_FN(complex)(px[i], py[i]);
}
#endif

/* ---- Conversions to this dtype from every other ---- */

#define ZC_DTYPE(FROM, from_name, from_type, FROM_KIND, width, value) ZC_EMIT_CAST(FROM, from_type, FROM_KIND, value)
#include "runtime/dtype.def"
#undef ZC_DTYPE

/* ---- Reductions ---- */

#if defined(ZC_KIND_IS_COMPLEX)
#define ZC_LANE_T ZC_PART_T
#else
#define ZC_LANE_T ZC_T
#endif
typedef ZC_LANE_T ZC_LANE_VECTOR
    __attribute__((vector_size(ZC_LANES * sizeof(ZC_T) < ZC_LANE_BYTES ? ZC_LANES * sizeof(ZC_T) : ZC_LANE_BYTES)));
#undef ZC_LANE_T

#if defined(ZC_KIND_IS_COMPLEX)
#undef ZC_RUN_IN_SAME
#define ZC_RUN_IN_SAME(name, combine)
#endif
#if defined(ZC_KIND_IS_BOOL)
#define ZC_RUN_IN_SUM(name, combine)
#define ZC_RUN_IN_MEAN(name, combine)
#define ZC_RUN_IN_TRUTH(name, combine) ZC_EMIT_RUN(name, combine)
#else
#define ZC_RUN_IN_SUM(name, combine)  ZC_EMIT_RUN(name, combine)
#define ZC_RUN_IN_MEAN(name, combine) ZC_EMIT_RUN(name, combine)
#define ZC_RUN_IN_TRUTH(name, combine)
#endif
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant) ZC_RUN_IN_##accumulator(name, combine)
#include "runtime/reductions.def"
#undef ZC_REDUCTION

#if !defined(ZC_KIND_IS_COMPLEX) /* which have no order */
#if defined(ZC_KIND_IS_FLOAT)
#include "materialize/pairs_tmpl.h"
#endif

static int64_t ZC_FN(find)(const void *elements, const void *target, int64_t n)
{
    const ZC_T *v = elements;
    const ZC_T wanted = ZC_READ(*(const ZC_T *)target);
    for (int64_t i = 0; i < n; i++) {
        const ZC_T x = ZC_READ(v[i]);
        if ((x == wanted) | (ZC_IS_NAN(x) & ZC_IS_NAN(wanted)))
            return i;
    }
    return n;
}

ZC_EMIT_EXTREME(smallest, <)
ZC_EMIT_EXTREME(largest, >)
#endif

/* ---- Moving ---- */

/* Inlined where the stride is a constant, compilers make it a few wide loads and shuffles. */
static inline __attribute__((always_inline)) void ZC_FN(gather_by)(ZC_T *to, const ZC_T *from, int64_t stride,
                                                                   int64_t n)
{
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i * stride];
}

static void ZC_FN(gather)(void *out, const void *in, int64_t stride, int64_t n)
{
    switch (stride) {
    case 0:
        ZC_FN(gather_by)(out, in, 0, n);
        break;
    case -1:
        ZC_FN(gather_by)(out, in, -1, n);
        break;
    case 2:
        ZC_FN(gather_by)(out, in, 2, n);
        break;
    case 3:
        ZC_FN(gather_by)(out, in, 3, n);
        break;
    case 4:
        ZC_FN(gather_by)(out, in, 4, n);
        break;
    default:
        ZC_FN(gather_by)(out, in, stride, n);
        break;
    }
}

static void ZC_FN(scatter)(void *out, const void *in, int64_t stride, int64_t n)
{
    ZC_T *to = out;
    const ZC_T *from = in;
    for (int64_t i = 0; i < n; i++)
        to[i * stride] = ZC_READ(from[i]);
}

static void ZC_FN(pick)(void *out, const void *in, int64_t stride, const zc_picks *picks, int64_t n)
{
    ZC_T *to = out;
    const ZC_T *from = in;
    const int64_t *x = picks->position[0], *y = picks->position[1], *z = picks->position[2];
    const int64_t sx = picks->stride[0], sy = picks->stride[1], sz = picks->stride[2];
    switch (picks->count) {
    case 1:
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i * stride + x[i] * sx];
        break;
    case 2:
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i * stride + x[i] * sx + y[i] * sy];
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            to[i] = from[i * stride + x[i] * sx + y[i] * sy + z[i] * sz];
        break;
    }
}

/* ---- In order ---- */

#if defined(ZC_KIND_IS_INTEGER) || defined(ZC_KIND_IS_FLOAT)
static void ZC_FN(add)(void *to, const void *from, int64_t stride, const int64_t *position, int64_t position_stride,
                       int64_t n)
{
    ZC_T *sums = to;
    const ZC_T *v = from;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i * stride + (position == NULL ? 0 : position[i] * position_stride);
        sums[at] = (ZC_T)(sums[at] + v[i]);
    }
}

#endif

#if !defined(ZC_KIND_IS_BOOL)
ZC_EMIT_SCAN(scan_sum, ADD)
ZC_EMIT_SCAN(scan_product, MULTIPLY)
#endif

#if defined(ZC_KIND_IS_FLOAT)
static void ZC_FN(recurrence)(void *out, void *carry, const void *factors, const void *elements, int64_t n)
{
    ZC_T *to = out, scanned = *(ZC_T *)carry;
    const ZC_T *f = factors, *v = elements;
    for (int64_t i = 0; i < n; i++)
        to[i] = scanned = scanned * f[i] + v[i];
    *(ZC_T *)carry = scanned;
}
#endif

#undef ZC_IS_NAN
#undef ZC_TIMES
#undef ZC_OVER
#undef ZC_INVERSE
#undef ZC_READ
#undef ZC_WRITE
#undef ZC_OP_IN_NUMBER
#undef ZC_OP_IN_FLOAT
#undef ZC_OP_IN_ANGLE
#undef ZC_OP_IN_FORMAT
#undef ZC_OP_IN_BITS
#undef ZC_OP_IN_TRUTH
#undef ZC_RUN_IN_SUM
#undef ZC_RUN_IN_MEAN
#undef ZC_RUN_IN_TRUTH
#undef ZC_D
#undef ZC_T
#undef ZC_KIND
#undef ZC_BITS
#undef ZC_IS_SIGNED
