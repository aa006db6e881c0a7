/*
 * Makes a loop from a row of ops.def: the macros that the *_tmpl.h files expand for each dtype. They speak of ZC_T,
 * ZC_D, ZC_READ and ZC_WRITE, which mean the dtype at the place of expansion.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TEMPLATES_EMIT_H
#define ZC_MATERIALIZE_KERNELS_TEMPLATES_EMIT_H

#include "materialize/kernels/domains.h"
#include "materialize/kernels/kernels.h"
#include "materialize/kernels/templates/names.h"

#define ZC_E(f) ZC_FN(f)

/* PARALLEL: the loops carry no dependence, and out may equal an operand. AS_LOOP: GCC makes vectors of short loops only
 * while they are loops. TAKING_TURNS: PARALLEL, and each vector waits for itself for long (gcc is told by
 * ZEROCAST_INTERLEAVED of cmake/flags.cmake). */
#if defined(__clang__)
#define ZC_PARALLEL     _Pragma("clang loop vectorize(assume_safety)")
#define ZC_TAKING_TURNS _Pragma("clang loop vectorize(assume_safety) interleave_count(4)")
#define ZC_SPELT_OUT
#define ZC_AS_LOOP
#pragma clang diagnostic ignored "-Wpass-failed" /* division, pow and fmod stay scalar */
#else
#define ZC_PARALLEL     _Pragma("GCC ivdep")
#define ZC_TAKING_TURNS ZC_PARALLEL
#define ZC_SPELT_OUT    _Pragma("GCC unroll 8")
#define ZC_AS_LOOP      _Pragma("GCC unroll 1")
#endif

/* Elements of two vectors by their numbers, as many as one of them has. gcc before 12 takes the numbers in a vector of
 * integers as wide as the elements. */
#if defined(__clang__) || __GNUC__ >= 12
#define ZC_SHUFFLE(integer, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define ZC_NUMBERS(integer, a)         integer __attribute__((vector_size(sizeof(a))))
#define ZC_SHUFFLE(integer, a, b, ...) __builtin_shuffle(a, b, (ZC_NUMBERS(integer, a)){__VA_ARGS__})
#endif

#define ZC_ALWAYS_INLINE static inline __attribute__((always_inline))

#define ZC_MAP_PARAMETERS   void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n
#define ZC_APART_PARAMETERS void *restrict out, const void *in_x, const void *in_y, const void *in_z, int64_t n

#define ZC_OPERANDS_1(type)                                                                                            \
    const type *px = in_x;                                                                                             \
    (void)in_y, (void)in_z;
#define ZC_OPERANDS_2(type)                                                                                            \
    const type *px = in_x;                                                                                             \
    const type *py = in_y;                                                                                             \
    (void)in_z;
#define ZC_OPERANDS_3(type)                                                                                            \
    const type *px = in_x;                                                                                             \
    const type *py = in_y;                                                                                             \
    const type *pz = in_z;
#define ZC_OPERANDS_SELECT                                                                                             \
    const uint8_t *px = in_x;                                                                                          \
    const ZC_T *py = in_y, *pz = in_z;
#define ZC_ELEMENTS_1(type) const type x = ZC_READ(px[i]);
#define ZC_ELEMENTS_2(type) ZC_ELEMENTS_1(type) const type y = ZC_READ(py[i]);
#define ZC_ELEMENTS_3(type) ZC_ELEMENTS_2(type) const type z = ZC_READ(pz[i]);
#define ZC_ELEMENTS_SELECT                                                                                             \
    const uint8_t x = px[i] != 0;                                                                                      \
    const ZC_T y = ZC_READ(py[i]), z = ZC_READ(pz[i]);

#define ZC_RESULT_TYPE_SAME ZC_T
#define ZC_RESULT_TYPE_BOOL uint8_t
#define ZC_RESULT_TYPE_REAL ZC_PART_T
#define ZC_STORE_SAME(v)    ZC_WRITE(v)
#define ZC_STORE_BOOL(v)    ((uint8_t)((v) != 0))
#define ZC_STORE_REAL(v)    (v)

/* The kernel of a row, where its domain has the dtype. */
#define ZC_EMIT_ROW(has, domain, name, arity, result, meaning)  ZC_EMIT_ROW_(has, domain, name, arity, result, meaning)
#define ZC_EMIT_ROW_(has, domain, name, arity, result, meaning) ZC_EMIT_ROW_##has(domain, name, arity, result, meaning)
#define ZC_EMIT_ROW_NO(domain, name, arity, result, meaning)
#define ZC_EMIT_ROW_YES(domain, name, arity, result, meaning) ZC_EMIT_IN_##domain(name, arity, result, meaning)
#define ZC_EMIT_IN_ANY(name, arity, result, meaning)          ZC_EMIT_GIVING_##result(name, arity, result, meaning)
#define ZC_EMIT_IN_ANY_SIGNLESS(name, arity, result, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_IN_SIGNLESS(name, arity, result, meaning)     ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_IN_SHIFT(name, arity, result, meaning)        ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_IN_NUMBER(name, arity, result, meaning)       ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_IN_BITS(name, arity, result, meaning)         ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_IN_FLOAT(name, arity, result, meaning)        ZC_EMIT_FUNCTION(name, arity, result, meaning)
#define ZC_EMIT_IN_FORMAT(name, arity, result, meaning)       ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_IN_TRUTH(name, arity, result, meaning)        ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_IN_SELECT(name, arity, result, meaning)       ZC_EMIT_SELECT(name, meaning)

/* By what a row gives. Real numbers are of parts of complex ones (uniform_complex_tmpl.h). */
#define ZC_EMIT_GIVING_SAME(name, arity, result, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_GIVING_BOOL(name, arity, result, meaning) ZC_EMIT(name, arity, result, meaning)
#define ZC_EMIT_GIVING_REAL(name, arity, result, meaning) ZC_EMIT_OF_PARTS(name)

#define ZC_EMIT(name, arity, result, meaning)                                                                          \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        ZC_RESULT_TYPE_##result *to = out;                                                                             \
        ZC_OPERANDS_##arity(ZC_T) ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                          \
        {                                                                                                              \
            ZC_ELEMENTS_##arity(ZC_T) to[i] = ZC_STORE_##result(meaning);                                              \
        }                                                                                                              \
    }
#define ZC_EMIT_SELECT(name, meaning)                                                                                  \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        ZC_T *to = out;                                                                                                \
        ZC_OPERANDS_SELECT ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                                 \
        {                                                                                                              \
            ZC_ELEMENTS_SELECT to[i] = ZC_WRITE(meaning);                                                              \
        }                                                                                                              \
    }

/* The kernel of a function with a range goes through ranged_blocks of functions_tmpl.h, which chooses between these two
 * for each block. */
#define ZC_EMIT_RANGED(name, meaning)                                                                                  \
    ZC_EMIT_RANGED_LOOP(near, name, ZC_FN(near_##name)(x))                                                             \
    ZC_EMIT_RANGED_LOOP(far, name, meaning)                                                                            \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        (void)in_y, (void)in_z;                                                                                        \
        ZC_FN(ranged_blocks)(out, in_x, n, ZC_FN(ZC_NEAR_##name), ZC_FN(map_##name##_near), ZC_FN(map_##name##_far));  \
    }
#define ZC_EMIT_RANGED_LOOP(which, name, meaning)                                                                      \
    static ZC_FLATTENED void ZC_FN(map_##name##_##which)(ZC_T *restrict to, const ZC_T *px, int64_t n)                 \
    {                                                                                                                  \
        ZC_TAKING_TURNS for (int64_t i = 0; i < n; i++)                                                                \
        {                                                                                                              \
            ZC_ELEMENTS_1(ZC_T) to[i] = ZC_WRITE(meaning);                                                             \
        }                                                                                                              \
    }

/* A function of floats: a loop becomes vector code only when all that it calls is in it, however long that is. */
#define ZC_EMIT_WHOLE(name, arity, result, meaning)                                                                    \
    ZC_EMIT_APART(name, arity, result, meaning)                                                                        \
    void ZC_KERNEL(map_##name)(ZC_MAP_PARAMETERS)                                                                      \
    {                                                                                                                  \
        ZC_FN(map_apart)(ZC_FN(map_##name##_apart), sizeof(ZC_RESULT_TYPE_##result), out, in_x, in_y, in_z, n);        \
    }
#define ZC_EMIT_APART(name, arity, result, meaning)                                                                    \
    static ZC_FLATTENED void ZC_FN(map_##name##_apart)(ZC_APART_PARAMETERS)                                            \
    {                                                                                                                  \
        ZC_RESULT_TYPE_##result *to = out;                                                                             \
        ZC_OPERANDS_##arity(ZC_T) ZC_TAKING_TURNS for (int64_t i = 0; i < n; i++)                                      \
        {                                                                                                              \
            ZC_ELEMENTS_##arity(ZC_T) to[i] = ZC_STORE_##result(meaning);                                              \
        }                                                                                                              \
    }
#if defined(ZC_VECTOR_BYTES)
#define ZC_FLATTENED __attribute__((flatten))
#else
#define ZC_FLATTENED
#endif

/* From the dtype FROM, where an element x is the number `value`. */
#define ZC_EMIT_CAST(FROM, from_type, FROM_KIND, value)                                                                \
    void ZC_KERNEL(cast_##FROM)(ZC_MAP_PARAMETERS)                                                                     \
    {                                                                                                                  \
        ZC_T *to = out;                                                                                                \
        ZC_OPERANDS_1(from_type) ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                           \
        {                                                                                                              \
            const from_type x = px[i];                                                                                 \
            to[i] = ZC_CAST_ELEMENT(FROM_KIND, ZC_KIND, ZC_D, ZC_T, value);                                            \
        }                                                                                                              \
    }
#define ZC_CAST_ELEMENT(FROM, TO, to, type, x) ZC_CONVERT(FROM, TO, to, type, x)

#endif
