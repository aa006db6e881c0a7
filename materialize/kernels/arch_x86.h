/*
 * What C cannot say on x86: the only place for its intrinsics. Every arch_*.h has the same names:
 *
 *     ZC_VECTOR_BYTES, zc_vector   a register of floats; undefined where code is compiled for none
 *     zc_end_vectors               leaves vector code: what follows may be compiled for the baseline
 *     zc_stream_vector, zc_fence   a store past the caches, and what orders it before what other threads are told
 *     zc_pause                     rests the processor for a moment in a loop that waits
 *     zc_widen_float16, zc_narrow_float16
 *                                  as many of n elements as instructions convert; they return how many
 */
#ifndef ZC_MATERIALIZE_KERNELS_ARCH_X86_H
#define ZC_MATERIALIZE_KERNELS_ARCH_X86_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void zc_pause(void)
{
    __builtin_ia32_pause();
}

/* ---- What the machine has ---- */

/* LCOV_EXCL_BR_START: which branches are taken, the machine decides */
static inline bool zc_has_avx512(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}

/* What has these has the rest of x86-64-v3, conversions of float16 included. */
static inline bool zc_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
/* LCOV_EXCL_BR_STOP */

/* ---- Vectors ---- */

#if defined(__AVX512F__)
#define ZC_VECTOR_BYTES 64
typedef float zc_vector __attribute__((vector_size(ZC_VECTOR_BYTES)));

static inline void zc_stream_vector(void *to, zc_vector v)
{
    _mm512_stream_ps((float *)to, (__m512)v);
}
#elif defined(__AVX2__)
#define ZC_VECTOR_BYTES 32
typedef float zc_vector __attribute__((vector_size(ZC_VECTOR_BYTES)));

static inline void zc_stream_vector(void *to, zc_vector v)
{
    _mm256_stream_ps((float *)to, (__m256)v);
}
#endif

/* Code for the baseline would wait for what is left in the upper halves of the registers. */
#if defined(__AVX__)
static inline void zc_end_vectors(void)
{
    _mm256_zeroupper();
}
#endif

#if defined(__SSE__)
static inline void zc_fence(void)
{
    _mm_sfence();
}
#endif

/* ---- float16, eight at a time. The instruction rounds as nearest_float16 does. ---- */

#if defined(__F16C__)
static inline int64_t zc_widen_float16(float *out, const uint16_t *elements, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(elements + i))));
    return i;
}

static inline int64_t zc_narrow_float16(uint16_t *elements, const float *numbers, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i eight = _mm256_cvtps_ph(_mm256_loadu_ps(numbers + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(elements + i), eight);
    }
    return i;
}
#endif

#endif
