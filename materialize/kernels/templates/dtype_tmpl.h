/*
 * The kernels of one dtype. Included by floats.c, integers.c and so on with ZC_D the dtype's name (bool_ for bool,
 * since bool is a macro), ZC_T its C type, ZC_KIND its kind, ZC_GROUP its group (domains.h), ZC_KIND_IS_INTEGER,
 * _FLOAT, _COMPLEX or _BOOL defined, and what elements_*_tmpl.h needs. Undefines what differs per dtype.
 */
#if defined(ZC_KIND_IS_INTEGER)
#include "runtime/ops/elements_integer_tmpl.h"
#define ZC_IS_NAN(x) 0
#elif defined(ZC_KIND_IS_FLOAT)
#include "runtime/ops/elements_float_tmpl.h"
#define ZC_IS_NAN(x) ((x) != (x))
#elif defined(ZC_KIND_IS_COMPLEX)
#include "runtime/ops/elements_complex_tmpl.h"
#else
#define ZC_IS_NAN(x) 0
#endif

#if ZC_IS_SIGNED
#define ZC_IS_SIGNED_HERE YES
#else
#define ZC_IS_SIGNED_HERE NO
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

/* ---- Elementwise: one function per row whose domain has this dtype ---- */

#if defined(ZC_KIND_IS_COMPLEX)
#define ZC_RESULT(result, complex)                     complex
#define ZC_EMIT_FUNCTION(name, arity, result, meaning) ZC_EMIT_GIVING_##result(name, arity, result, meaning)
#elif defined(ZC_KIND_IS_FLOAT)
#define ZC_RESULT(result, complex)                      result
#define ZC_EMIT_IN_RANGED(name, arity, result, meaning) /* functions.c */
#define ZC_EMIT_FUNCTION(name, arity, result, meaning)
#else
#define ZC_RESULT(result, complex) result
#endif
#if !defined(ZC_KIND_IS_BOOL)
#if defined(ZC_KIND_IS_INTEGER)
#include "materialize/kernels/templates/uniform_integer_tmpl.h"
#elif defined(ZC_KIND_IS_COMPLEX)
#include "materialize/kernels/templates/uniform_complex_tmpl.h"
#else
#include "materialize/kernels/templates/uniform_float_tmpl.h"
#endif
#define ZC_EMIT_IN_BLOCKS(name, arity, result, meaning)                                                                \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        ZC_FN(blocks_##name)(out, in_x, in_y, n, in_z == in_y);                                                        \
    }
#endif

#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_EMIT_ROW(ZC_ROW_HAS(domain, ZC_GROUP, complex), domain, name, arity, ZC_RESULT(result, complex), meaning)
#include "runtime/ops/ops.def"
#undef ZC_OP
#undef ZC_RESULT
#undef ZC_EMIT_IN_RANGED
#undef ZC_EMIT_FUNCTION
#undef ZC_EMIT_IN_BLOCKS
#undef ZC_EMIT_OF_PARTS
#undef ZC_OF_PARTS_abs
#undef ZC_OF_PARTS_angle

/* ---- Steps of chains: the cheap rows, where the result is of the operands' dtype ---- */

#if defined(ZC_VECTOR_BYTES) && (defined(ZC_KIND_IS_INTEGER) || defined(ZC_KIND_IS_FLOAT))
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_IF(ZC_ROW_HAS_STEPS(domain, ZC_GROUP, result, cost), ZC_EACH_FORM_##arity(ZC_EMIT_STEP, name, meaning))
#include "runtime/ops/ops.def"
#undef ZC_OP
#if ZC_GROUP_IS_IN(SIGNLESS)
ZC_EMIT_MULTIPLY_ADD(MEMORY)
ZC_EMIT_MULTIPLY_ADD(UNIFORM)
ZC_EMIT_MULTIPLY_ADD(SELF)
#endif
#endif

#if defined(ZC_KIND_IS_COMPLEX)
ZC_EMIT(real, 1, REAL, ZC_FN(real)(x))
ZC_EMIT(imag, 1, REAL, ZC_FN(imag)(x))
ZC_EMIT(conj, 1, SAME, ZC_FN(conj)(x))

void ZC_KERNEL(map_complex)(ZC_MAP_PARAMETERS)
{
    ZC_T *to = out;
    ZC_OPERANDS_2(ZC_PART_T)
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        to[i] = ZC_FN(complex)(px[i], py[i]);
}
#endif

/* ---- Conversions to this dtype from every other ---- */

#define ZC_DTYPE(FROM, from_name, from_type, FROM_KIND, width, value)                                                  \
    ZC_WHEN(ZC_IS_OWN(ZC_IS_SIGNLESS_FROM_##FROM_KIND), ZC_EMIT_CAST)(FROM, from_type, FROM_KIND, value)
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE

/* ---- Reductions: one inclusion per way of combining ---- */

#if defined(ZC_KIND_IS_COMPLEX)
#define ZC_LANE_T ZC_PART_T
#else
#define ZC_LANE_T ZC_T
#endif
typedef ZC_LANE_T ZC_LANE_VECTOR
    __attribute__((vector_size(ZC_LANES * sizeof(ZC_T) < ZC_LANE_BYTES ? ZC_LANES * sizeof(ZC_T) : ZC_LANE_BYTES)));
#undef ZC_LANE_T

#if ZC_GROUP_IS_IN(SUM)
#define ZC_COMBINE_NAME  ADD
#define ZC_COMBINE(x, y) ((x) + (y))
#define ZC_IS_QUICK      1
#include "materialize/kernels/templates/reduce_tmpl.h"
#define ZC_COMBINE_NAME  MULTIPLY
#define ZC_COMBINE(x, y) ZC_TIMES(x, y)
#define ZC_IS_QUICK      1
#include "materialize/kernels/templates/reduce_tmpl.h"
#endif
#if ZC_GROUP_IS_IN(SAME)
#define ZC_COMBINE_NAME  MAXIMUM
#define ZC_COMBINE(x, y) ZC_FN(maximum)(x, y)
#define ZC_IS_QUICK      0
#include "materialize/kernels/templates/reduce_tmpl.h"
#define ZC_COMBINE_NAME  MINIMUM
#define ZC_COMBINE(x, y) ZC_FN(minimum)(x, y)
#define ZC_IS_QUICK      0
#include "materialize/kernels/templates/reduce_tmpl.h"
#endif
#if ZC_GROUP_IS_IN(TRUTH)
#define ZC_COMBINE_NAME  LOGICAL_OR
#define ZC_COMBINE(x, y) ((x) | (y))
#define ZC_IS_QUICK      1
#include "materialize/kernels/templates/reduce_tmpl.h"
#define ZC_COMBINE_NAME  LOGICAL_AND
#define ZC_COMBINE(x, y) ((x) & (y))
#define ZC_IS_QUICK      1
#include "materialize/kernels/templates/reduce_tmpl.h"
#endif

#if defined(ZC_KIND_IS_FLOAT)
/* A vector where it lies: an operand of an instruction, where a copy would be one more. */
typedef ZC_T ZC_FN(vector_in_memory) __attribute__((vector_size(ZC_LANE_BYTES), aligned(sizeof(ZC_T)), may_alias));

typedef __typeof__((ZC_LANE_VECTOR){0} == (ZC_LANE_VECTOR){0}) ZC_FN(lane_bits);

/* Clears the signs, which are the highest bits. */
static inline ZC_LANE_VECTOR ZC_FN(magnitudes)(ZC_LANE_VECTOR v)
{
    const ZC_LANE_VECTOR signs = -(ZC_LANE_VECTOR){0};
    return (ZC_LANE_VECTOR)((ZC_FN(lane_bits))v & ~(ZC_FN(lane_bits))signs);
}

#define ZC_ROW_DOT          product
#define ZC_TERM(a, b)       ((a) * (b))
#define ZC_TERM_ALONE(a, b) ZC_TERM(a, b)
#include "materialize/kernels/templates/row_dot_tmpl.h"
#define ZC_ROW_DOT          distance
#define ZC_TERM(a, b)       (((a) - (b)) * ((a) - (b)))
#define ZC_TERM_ALONE(a, b) ZC_TERM(a, b)
#include "materialize/kernels/templates/row_dot_tmpl.h"
#define ZC_ROW_DOT    magnitude
#define ZC_TERM(a, b) ZC_FN(magnitudes)((a) - (b))
#define ZC_TERM_ALONE(a, b)                                                                                            \
    (sizeof(ZC_T) == sizeof(float) ? (ZC_T)__builtin_fabsf((float)((a) - (b))) : (ZC_T)__builtin_fabs((a) - (b)))
#include "materialize/kernels/templates/row_dot_tmpl.h"
#endif

/* ---- Searching ---- */

#if ZC_GROUP_IS_IN(SAME)
/* LCOV_EXCL_BR_START: which extreme is looked for, and whether it is a NaN, is known where these are inlined; loops
 * over vectors have a length that is known, too */
#define ZC_IS_WANTED(x) (is_nan ? ZC_IS_NAN(x) : (x) == wanted)

/* An integer as wide as an element, so that comparisons of vectors give vectors of it. */
#if defined(ZC_KIND_IS_FLOAT)
typedef ZC_BITS_T ZC_FN(found);
#else
typedef ZC_T ZC_FN(found);
#endif

/* Blocks are looked through as vectors, and the one that has the element for its number. */
ZC_ALWAYS_INLINE int64_t ZC_FN(find_in)(const ZC_T *v, const ZC_T wanted, int64_t n, const bool is_nan)
{
    enum { BLOCK = 64 };
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        ZC_FN(found) found = 0, first = BLOCK;
        ZC_SPELT_OUT
        for (int l = 0; l < BLOCK; l++)
            found |= ZC_IS_WANTED(ZC_READ(v[i + l])) ? 1 : 0;
        if (found == 0)
            continue;
        for (int l = 0; l < BLOCK; l++) {
            const ZC_FN(found) here = ZC_IS_WANTED(ZC_READ(v[i + l])) ? (ZC_FN(found))l : BLOCK;
            first = here < first ? here : first;
        }
        return i + (int64_t)first;
    }
    while (i < n && !ZC_IS_WANTED(ZC_READ(v[i])))
        i++;
    return i;
}
#undef ZC_IS_WANTED

int64_t ZC_KERNEL(find)(const void *elements, const void *target, int64_t n)
{
    const ZC_T wanted = ZC_READ(*(const ZC_T *)target);
    return ZC_IS_NAN(wanted) ? ZC_FN(find_in)(elements, wanted, n, true) : ZC_FN(find_in)(elements, wanted, n, false);
}

/* A NaN is beyond all that is none, so what is not within the best is taken. */
ZC_ALWAYS_INLINE void ZC_FN(keep_extreme)(ZC_T *best, int64_t *best_row, ZC_T x, int64_t row, const bool is_largest)
{
    const int takes = !(is_largest ? x <= *best : x >= *best) & !ZC_IS_NAN(*best);
    *best = takes ? x : *best;
    *best_row = takes ? row : *best_row;
}

ZC_ALWAYS_INLINE void ZC_FN(extreme_of_one)(ZC_T *best, int64_t *best_row, const ZC_T *v, int64_t row, int64_t n,
                                            const bool is_largest)
{
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++)
        ZC_FN(keep_extreme)(&best[i], &best_row[i], ZC_READ(v[i]), row, is_largest);
}

#if !defined(ZC_KIND_IS_FLOAT)
/* The best stay in registers from row to row. Not of floats: of several tests for NaN in a row, gcc makes branches. */
ZC_ALWAYS_INLINE void ZC_FN(extreme_of_four)(ZC_T *best, int64_t *best_row, const char *rows, int64_t pitch,
                                             int64_t row, int64_t n, const bool is_largest)
{
    const ZC_T *a = (const ZC_T *)(const void *)rows, *b = (const ZC_T *)(const void *)(rows + pitch),
               *c = (const ZC_T *)(const void *)(rows + 2 * pitch), *d = (const ZC_T *)(const void *)(rows + 3 * pitch);
    ZC_PARALLEL
    for (int64_t i = 0; i < n; i++) {
        ZC_T extreme = best[i];
        int64_t number = best_row[i];
        ZC_FN(keep_extreme)(&extreme, &number, ZC_READ(a[i]), row, is_largest);
        ZC_FN(keep_extreme)(&extreme, &number, ZC_READ(b[i]), row + 1, is_largest);
        ZC_FN(keep_extreme)(&extreme, &number, ZC_READ(c[i]), row + 2, is_largest);
        ZC_FN(keep_extreme)(&extreme, &number, ZC_READ(d[i]), row + 3, is_largest);
        best[i] = extreme;
        best_row[i] = number;
    }
}
#endif

/* LCOV_EXCL_BR_STOP */

ZC_ALWAYS_INLINE void ZC_FN(extreme)(ZC_T *best, int64_t *best_row, const char *rows, int64_t pitch, int64_t row,
                                     int64_t count, int64_t n, const bool is_largest)
{
#if !defined(ZC_KIND_IS_FLOAT)
    for (; count >= 4; count -= 4, row += 4, rows += 4 * pitch)
        ZC_FN(extreme_of_four)(best, best_row, rows, pitch, row, n, is_largest);
#endif
    for (; count > 0; count--, row++, rows += pitch)
        ZC_FN(extreme_of_one)(best, best_row, (const ZC_T *)(const void *)rows, row, n, is_largest);
}

void ZC_KERNEL(smallest)(ZC_EXTREME_PARAMETERS)
{
    ZC_FN(extreme)(best, best_row, rows, pitch, row, count, n, false);
}

void ZC_KERNEL(largest)(ZC_EXTREME_PARAMETERS)
{
    ZC_FN(extreme)(best, best_row, rows, pitch, row, count, n, true);
}
#endif

/* ---- In order ---- */

#if defined(ZC_KIND_IS_INTEGER) || defined(ZC_KIND_IS_FLOAT)
#define ZC_UPDATE_PARAMETERS                                                                                           \
    void *to, const void *from, int64_t stride, const int64_t *position, int64_t position_stride, int64_t n
#define ZC_UPDATED_AT(i) ((i)*stride + (position == NULL ? 0 : position[i] * position_stride))

void ZC_KERNEL(update_set)(ZC_UPDATE_PARAMETERS)
{
    ZC_T *elements = to;
    const ZC_T *v = from;
    for (int64_t i = 0; i < n; i++)
        elements[ZC_UPDATED_AT(i)] = v[i];
}

#define ZC_UPDATE_KERNEL(name, expression)                                                                             \
    void ZC_KERNEL(update_##name)(ZC_UPDATE_PARAMETERS)                                                                \
    {                                                                                                                  \
        ZC_T *elements = to;                                                                                           \
        const ZC_T *v = from;                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const ZC_T x = elements[ZC_UPDATED_AT(i)], y = v[i];                                                       \
            elements[ZC_UPDATED_AT(i)] = (ZC_T)(expression);                                                           \
        }                                                                                                              \
    }
ZC_UPDATE_KERNEL(add, x + y)
ZC_UPDATE_KERNEL(multiply, ZC_TIMES(x, y))
ZC_UPDATE_KERNEL(min, ZC_FN(minimum)(x, y))
ZC_UPDATE_KERNEL(max, ZC_FN(maximum)(x, y))
#undef ZC_UPDATE_KERNEL
#undef ZC_UPDATED_AT
#undef ZC_UPDATE_PARAMETERS
#endif

#if defined(ZC_KIND_IS_INTEGER)
/* Integers wrap, so four are combined with each other first, and what waits for the elements before them is one step of
 * four. */
#define ZC_SCAN_FOURS(combine)                                                                                         \
    for (; i + 4 <= n; i += 4) {                                                                                       \
        const ZC_T a = v[i], b = (ZC_T)combine(a, v[i + 1]), c = (ZC_T)combine(b, v[i + 2]);                           \
        const ZC_T d = (ZC_T)combine(c, v[i + 3]), before = scanned;                                                   \
        to[i + 3] = scanned = (ZC_T)combine(before, d);                                                                \
        to[i] = (ZC_T)combine(before, a), to[i + 1] = (ZC_T)combine(before, b);                                        \
        to[i + 2] = (ZC_T)combine(before, c);                                                                          \
    }
#else
#define ZC_SCAN_FOURS(combine)
#endif
#define ZC_SCAN_KERNEL(name, combine)                                                                                  \
    void ZC_KERNEL(scan_##name)(void *out, void *carry, const void *elements, int64_t n)                               \
    {                                                                                                                  \
        ZC_T *to = out, scanned = *(ZC_T *)carry;                                                                      \
        const ZC_T *v = elements;                                                                                      \
        int64_t i = 0;                                                                                                 \
        ZC_SCAN_FOURS(combine)                                                                                         \
        for (; i < n; i++)                                                                                             \
            to[i] = scanned = (ZC_T)combine(scanned, v[i]);                                                            \
        *(ZC_T *)carry = scanned;                                                                                      \
    }
#define ZC_SUM_OF(x, y) ((x) + (y))
#if ZC_GROUP_IS_IN(SIGNLESS)
ZC_SCAN_KERNEL(sum, ZC_SUM_OF)
ZC_SCAN_KERNEL(product, ZC_TIMES)
#endif
#undef ZC_SUM_OF
#undef ZC_SCAN_KERNEL
#undef ZC_SCAN_FOURS

#if defined(ZC_KIND_IS_FLOAT)
void ZC_KERNEL(recurrence)(void *out, void *carry, const void *factors, const void *elements, int64_t n)
{
    ZC_T *to = out, scanned = *(ZC_T *)carry;
    const ZC_T *f = factors, *v = elements;
    for (int64_t i = 0; i < n; i++)
        to[i] = scanned = scanned * f[i] + v[i];
    *(ZC_T *)carry = scanned;
}
#endif

#undef ZC_IS_SIGNED_HERE
#undef ZC_IS_NAN
#undef ZC_TIMES
#undef ZC_OVER
#undef ZC_INVERSE
#undef ZC_READ
#undef ZC_WRITE
#undef ZC_D
#undef ZC_T
#undef ZC_KIND
#undef ZC_BITS
#undef ZC_IS_SIGNED
