/*
 * How a row of ops.def or reductions.def becomes a kernel of a 16-bit float: the macros that kernels_narrow_tmpl.c
 * expands, with the widen, narrow and map_blocks that it defines.
 */
#ifndef ZC_MATERIALIZE_KERNELS_EMIT_NARROW_H
#define ZC_MATERIALIZE_KERNELS_EMIT_NARROW_H

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "materialize/kernels_emit.h"

/* Elements that are converted at a time; a leaf of a reduction is a whole number of blocks. */
enum { ZC_NARROW_BLOCK = 256 };

/* ---- Eight float16 at a time, where there is an instruction for it, which rounds as nearest_float16 does. Each
 * returns how many of the n are done. ---- */

#if defined(__F16C__)
static inline int64_t widen_eights_float16(float *out, const uint16_t *elements, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(elements + i))));
    return i;
}

static inline int64_t narrow_eights_float16(uint16_t *elements, const float *numbers, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i eight = _mm256_cvtps_ph(_mm256_loadu_ps(numbers + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(elements + i), eight);
    }
    return i;
}
#else
#define widen_eights_float16(out, elements, n)      INT64_C(0)
#define narrow_eights_float16(elements, numbers, n) INT64_C(0)
#endif
#define widen_eights_bfloat16(out, elements, n)      INT64_C(0)
#define narrow_eights_bfloat16(elements, numbers, n) INT64_C(0)

/* Not to be copied into its callers. */
#define ZC_APART __attribute__((noinline))

/* ZC_GIVES_SAME, ZC_GIVES_BOOL: what a row's result column says. */
#define ZC_GIVES_SAME false
#define ZC_GIVES_BOOL true

#define ZC_EMIT_NARROW(name, arity, result)                                                                            \
    static void ZC_FN(map_##name)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)          \
    {                                                                                                                  \
        const void *const in[ZC_MAX_ARITY] = {in_x, in_y, in_z};                                                       \
        ZC_FN(map_blocks)(map_##name##_float32, arity, ZC_GIVES_##result, out, in, n);                                 \
    }

/* The meaning on the elements' numbers, with functions of this dtype's name. */
#define ZC_EMIT_FORMAT(name, arity, meaning)                                                                           \
    static void ZC_FN(map_##name)(void *out, const void *in_x, const void *in_y, const void *in_z, int64_t n)          \
    {                                                                                                                  \
        ZC_T *to = out;                                                                                                \
        ZC_OPERANDS_##arity(ZC_T) ZC_PARALLEL for (int64_t i = 0; i < n; i++)                                          \
        {                                                                                                              \
            ZC_ELEMENTS_##arity(float) to[i] = ZC_WRITE(meaning);                                                      \
        }                                                                                                              \
    }

#define ZC_EMIT_NARROW_RUN(name)                                                                                       \
    static void ZC_FN(run_##name)(void *lanes, const void *elements, int64_t n)                                        \
    {                                                                                                                  \
        float acc[ZC_LANES], numbers[ZC_NARROW_BLOCK];                                                                 \
        ZC_FN(widen)(acc, lanes, 0, ZC_LANES);                                                                         \
        for (int64_t begin = 0, count; begin < n; begin += count) {                                                    \
            count = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;                                         \
            ZC_FN(widen)(numbers, elements, begin, count);                                                             \
            run_##name##_float32(acc, numbers, count);                                                                 \
        }                                                                                                              \
        ZC_FN(narrow)(lanes, 0, acc, ZC_LANES);                                                                        \
    }                                                                                                                  \
    static void ZC_FN(rows_##name)(void *out, const void *elements, int64_t length, int64_t rows, const void *padding) \
    {                                                                                                                  \
        float numbers[ZC_LEAF], filler, joined;                                                                        \
        ZC_FN(widen)(&filler, padding, 0, 1);                                                                          \
        for (int64_t row = 0; row < rows; row++) {                                                                     \
            ZC_FN(widen)(numbers, elements, row * length, length);                                                     \
            rows_##name##_float32(&joined, numbers, length, 1, &filler);                                               \
            ZC_FN(narrow)(out, row, &joined, 1);                                                                       \
        }                                                                                                              \
    }

#define ZC_EMIT_NARROW_EXTREME(name)                                                                                   \
    static void ZC_FN(name)(void *best, int64_t *best_row, const void *elements, int64_t row, int64_t n)               \
    {                                                                                                                  \
        float extremes[ZC_NARROW_BLOCK], numbers[ZC_NARROW_BLOCK];                                                     \
        for (int64_t begin = 0, count; begin < n; begin += count) {                                                    \
            count = n - begin < ZC_NARROW_BLOCK ? n - begin : ZC_NARROW_BLOCK;                                         \
            ZC_FN(widen)(extremes, best, begin, count);                                                                \
            ZC_FN(widen)(numbers, elements, begin, count);                                                             \
            name##_float32(extremes, best_row + begin, numbers, row, count);                                           \
            ZC_FN(narrow)(best, begin, extremes, count);                                                               \
        }                                                                                                              \
    }

#endif
