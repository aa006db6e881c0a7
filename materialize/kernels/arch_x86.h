/*
 * Features beyond C on x86: the only place for its intrinsics. Every arch_*.h has the same names:
 *
 *     ZC_VECTOR_BYTES, zc_vector   a register of floats; undefined where code is compiled for none
 *     zc_fuse_float32, zc_fuse_float64
 *                                  x * y + z of whole registers, each rounded once
 *     zc_fuse_half_float32, zc_fuse_half_float64
 *                                  the same of halves
 *     zc_add_pairs                 of each lane two products of 16-bit halves, added to it; they wrap
 *     zc_add_pairs_in_one          the same in one instruction, where zc_has_pairs_in_one()
 *     zc_add_fours                 of each lane four products of bytes, those of x without sign and those of y with it,
 *                                  added to it; they wrap; where zc_has_fours()
 *     zc_spread_four_float32, zc_spread_four_float64
 *                                  four elements, as often as a register has room for them
 *     zc_side_by_side              the lower half of a register from one place, the higher one from another
 *     zc_four_side_by_side         the same of quarters, where registers have 64 bytes
 *     ZC_HAS_TILES                 defined where there are the functions of kernels/contract/tiles.c, for machines that
 *                                  zc_has_tiles() tells of
 *     zc_multiply_lower            the products of the lower halves of lanes of 64 bits
 *     ZC_KEYS_HEADER               the header with registers of keys, for kernels/sort/; undefined where there are none
 *     zc_end_vectors               leaves vector code: what follows may be compiled for the baseline
 *     zc_stream_vector, zc_fence   a store past the caches, and what orders it before what other threads are told
 *     zc_pause                     rests the processor for a moment in a loop that waits
 *     zc_widen_float16, zc_narrow_float16
 *                                  as many of n elements as instructions convert; they return how many
 */
#ifndef ZC_MATERIALIZE_KERNELS_ARCH_X86_H
#define ZC_MATERIALIZE_KERNELS_ARCH_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* GCC takes a third of a second to read <immintrin.h>, for every file of kernels, so its own names of the instructions
 * are used; clang's differ from version to version. */
#if defined(__clang__)
#include <immintrin.h>
#endif

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

/* Tells a machine with x86-64-v3: one that has these has the rest of it, conversions of float16 included. */
static inline bool zc_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

/* Not every machine with AVX-512 does. */
static inline bool zc_has_pairs_in_one(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni");
}

static inline bool zc_has_fours(void)
{
    return zc_has_pairs_in_one(); /* both came at once */
}

/* Registers of tiles (AMX) that multiply bytes. A process asks Linux once for the permission to use them, for all its
 * threads: saving them takes 8 KiB more of a stack of signals. It is refused where one of these is too small. */
#if defined(__x86_64__) && defined(__linux__)
static inline bool zc_has_tiles(void)
{
    enum {
        CPUID_FEATURES = 7,
        HAS_TILES = 1 << 24,
        HAS_BYTES_OF_TILES = 1 << 25,
        BOTH = HAS_TILES | HAS_BYTES_OF_TILES
    };
    enum { SYS_ARCH_PRCTL = 158, ASK_FOR_REGISTERS = 0x1023, TILE_DATA = 18 };
    unsigned leaf = CPUID_FEATURES, sub = 0, features;
    __asm__("cpuid" : "+a"(leaf), "+c"(sub), "=d"(features) : : "rbx");
    if (!zc_has_avx512() || (features & BOTH) != BOTH)
        return false;
    long status;
    __asm__ volatile("syscall"
                     : "=a"(status)
                     : "a"((long)SYS_ARCH_PRCTL), "D"((long)ASK_FOR_REGISTERS), "S"((long)TILE_DATA)
                     : "rcx", "r11", "memory");
    return status == 0;
}
#else
static inline bool zc_has_tiles(void)
{
    return false;
}
#endif
/* LCOV_EXCL_BR_STOP */

/* Zen 3 and 4: of 32 short streams they read none ahead. Zen 5 does, and is slowed down by being asked to. */
static inline bool zc_reads_few_streams(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_is("amdfam19h");
}

/* ---- Vectors ---- */

#if defined(__AVX512F__)
#define ZC_VECTOR_BYTES 64
typedef float zc_vector __attribute__((vector_size(ZC_VECTOR_BYTES)));
typedef double zc_vector_float64 __attribute__((vector_size(ZC_VECTOR_BYTES)));
typedef uint32_t zc_pairs __attribute__((vector_size(ZC_VECTOR_BYTES)));
typedef uint64_t zc_wide __attribute__((vector_size(ZC_VECTOR_BYTES)));

static inline zc_vector zc_fuse_float32(zc_vector x, zc_vector y, zc_vector z)
{
#if defined(__clang__)
    return (zc_vector)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
#else
    return __builtin_ia32_vfmaddps512_mask(x, y, z, (short)-1, 4); /* all lanes, rounded as arithmetic is */
#endif
}

static inline zc_vector_float64 zc_fuse_float64(zc_vector_float64 x, zc_vector_float64 y, zc_vector_float64 z)
{
#if defined(__clang__)
    return (zc_vector_float64)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
#else
    return __builtin_ia32_vfmaddpd512_mask(x, y, z, UINT8_MAX, 4); /* likewise */
#endif
}

typedef float zc_half_vector __attribute__((vector_size(ZC_VECTOR_BYTES / 2)));
typedef double zc_half_vector_float64 __attribute__((vector_size(ZC_VECTOR_BYTES / 2)));

static inline zc_half_vector zc_fuse_half_float32(zc_half_vector x, zc_half_vector y, zc_half_vector z)
{
#if defined(__clang__)
    return (zc_half_vector)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
#else
    return __builtin_ia32_vfmaddps256(x, y, z);
#endif
}

static inline zc_half_vector_float64 zc_fuse_half_float64(zc_half_vector_float64 x, zc_half_vector_float64 y,
                                                          zc_half_vector_float64 z)
{
#if defined(__clang__)
    return (zc_half_vector_float64)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#else
    return __builtin_ia32_vfmaddpd256(x, y, z);
#endif
}

/* Spelt out: gcc takes a vector as a part of another one through memory. */
static inline zc_vector zc_spread_four_float32(const float *four)
{
    zc_vector out;
    __asm__("vbroadcastf32x4 %1, %0" : "=v"(out) : "m"(*(const float(*)[4])four));
    return out;
}

static inline zc_vector_float64 zc_spread_four_float64(const double *four)
{
    zc_vector_float64 out;
    __asm__("vbroadcastf64x4 %1, %0" : "=v"(out) : "m"(*(const double(*)[4])four));
    return out;
}

/* Likewise: of halves that it loaded, gcc makes a register by shuffling. */
static inline zc_vector zc_side_by_side(const void *low, const void *high)
{
    zc_vector out;
    __asm__("vmovups %1, %t0\n\tvinsertf64x4 $1, %2, %0, %0"
            : "=&v"(out)
            : "m"(*(const char(*)[ZC_VECTOR_BYTES / 2]) low), "m"(*(const char(*)[ZC_VECTOR_BYTES / 2]) high));
    return out;
}

static inline zc_vector zc_four_side_by_side(const void *a, const void *b, const void *c, const void *d)
{
    enum { BYTES = ZC_VECTOR_BYTES / 4 };
    zc_vector out;
    __asm__("vmovups %1, %x0\n\tvinsertf32x4 $1, %2, %0, %0\n\t"
            "vinsertf32x4 $2, %3, %0, %0\n\tvinsertf32x4 $3, %4, %0, %0"
            : "=&v"(out)
            : "m"(*(const char(*)[BYTES])a), "m"(*(const char(*)[BYTES])b), "m"(*(const char(*)[BYTES])c),
              "m"(*(const char(*)[BYTES])d));
    return out;
}

static inline zc_pairs zc_add_pairs(zc_pairs x, zc_pairs y, zc_pairs sums)
{
#if defined(__clang__)
    return sums + (zc_pairs)_mm512_madd_epi16((__m512i)x, (__m512i)y);
#else
    typedef short halves __attribute__((vector_size(ZC_VECTOR_BYTES)));
    typedef int products __attribute__((vector_size(ZC_VECTOR_BYTES)));
    return sums + (zc_pairs)__builtin_ia32_pmaddwd512_mask((halves)x, (halves)y, (products){0}, UINT16_MAX);
#endif
}

/* Spelt out, since the file is compiled for machines that do not have it. */
#define ZC_HAS_PAIRS_IN_ONE
static inline zc_pairs zc_add_pairs_in_one(zc_pairs x, zc_pairs y, zc_pairs sums)
{
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(y));
    return sums;
}

#if defined(__x86_64__) && defined(__linux__)
#define ZC_HAS_TILES
#endif

#define ZC_HAS_FOURS
static inline zc_pairs zc_add_fours(zc_pairs x, zc_pairs y, zc_pairs sums)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(y));
    return sums;
}

static inline zc_wide zc_multiply_lower(zc_wide x, zc_wide y)
{
#if defined(__clang__)
    return (zc_wide)_mm512_mul_epu32((__m512i)x, (__m512i)y);
#else
    typedef int halves __attribute__((vector_size(ZC_VECTOR_BYTES)));
    typedef long long products __attribute__((vector_size(ZC_VECTOR_BYTES)));
    return (zc_wide)__builtin_ia32_pmuludq512_mask((halves)x, (halves)y, (products){0}, UINT8_MAX);
#endif
}

static inline void zc_stream_vector(void *to, zc_vector v)
{
#if defined(__clang__)
    _mm512_stream_ps((float *)to, (__m512)v);
#else
    __builtin_ia32_movntps512((float *)to, v);
#endif
}
#elif defined(__AVX2__)
#define ZC_VECTOR_BYTES 32
typedef float zc_vector __attribute__((vector_size(ZC_VECTOR_BYTES)));
typedef double zc_vector_float64 __attribute__((vector_size(ZC_VECTOR_BYTES)));
typedef uint32_t zc_pairs __attribute__((vector_size(ZC_VECTOR_BYTES)));
typedef uint64_t zc_wide __attribute__((vector_size(ZC_VECTOR_BYTES)));

static inline zc_vector zc_fuse_float32(zc_vector x, zc_vector y, zc_vector z)
{
#if defined(__clang__)
    return (zc_vector)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
#else
    return __builtin_ia32_vfmaddps256(x, y, z);
#endif
}

static inline zc_vector_float64 zc_fuse_float64(zc_vector_float64 x, zc_vector_float64 y, zc_vector_float64 z)
{
#if defined(__clang__)
    return (zc_vector_float64)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#else
    return __builtin_ia32_vfmaddpd256(x, y, z);
#endif
}

typedef float zc_half_vector __attribute__((vector_size(ZC_VECTOR_BYTES / 2)));
typedef double zc_half_vector_float64 __attribute__((vector_size(ZC_VECTOR_BYTES / 2)));

static inline zc_half_vector zc_fuse_half_float32(zc_half_vector x, zc_half_vector y, zc_half_vector z)
{
#if defined(__clang__)
    return (zc_half_vector)_mm_fmadd_ps((__m128)x, (__m128)y, (__m128)z);
#else
    return __builtin_ia32_vfmaddps(x, y, z);
#endif
}

static inline zc_half_vector_float64 zc_fuse_half_float64(zc_half_vector_float64 x, zc_half_vector_float64 y,
                                                          zc_half_vector_float64 z)
{
#if defined(__clang__)
    return (zc_half_vector_float64)_mm_fmadd_pd((__m128d)x, (__m128d)y, (__m128d)z);
#else
    return __builtin_ia32_vfmaddpd(x, y, z);
#endif
}

static inline zc_vector zc_spread_four_float32(const float *four)
{
    zc_vector out;
    __asm__("vbroadcastf128 %1, %0" : "=x"(out) : "m"(*(const float(*)[4])four));
    return out;
}

static inline zc_vector_float64 zc_spread_four_float64(const double *four)
{
    zc_vector_float64 out;
    memcpy(&out, four, sizeof out);
    return out;
}

static inline zc_vector zc_side_by_side(const void *low, const void *high)
{
    zc_vector out;
    __asm__("vmovups %1, %x0\n\tvinsertf128 $1, %2, %0, %0"
            : "=&x"(out)
            : "m"(*(const char(*)[ZC_VECTOR_BYTES / 2]) low), "m"(*(const char(*)[ZC_VECTOR_BYTES / 2]) high));
    return out;
}

static inline zc_pairs zc_add_pairs(zc_pairs x, zc_pairs y, zc_pairs sums)
{
#if defined(__clang__)
    return sums + (zc_pairs)_mm256_madd_epi16((__m256i)x, (__m256i)y);
#else
    typedef short halves __attribute__((vector_size(ZC_VECTOR_BYTES)));
    return sums + (zc_pairs)__builtin_ia32_pmaddwd256((halves)x, (halves)y);
#endif
}

static inline zc_wide zc_multiply_lower(zc_wide x, zc_wide y)
{
#if defined(__clang__)
    return (zc_wide)_mm256_mul_epu32((__m256i)x, (__m256i)y);
#else
    typedef int halves __attribute__((vector_size(ZC_VECTOR_BYTES)));
    return (zc_wide)__builtin_ia32_pmuludq256((halves)x, (halves)y);
#endif
}

static inline void zc_stream_vector(void *to, zc_vector v)
{
#if defined(__clang__)
    _mm256_stream_ps((float *)to, (__m256)v);
#else
    __builtin_ia32_movntps256((float *)to, v);
#endif
}
#endif

#if defined(ZC_VECTOR_BYTES)
#define ZC_KEYS_HEADER "materialize/kernels/sort/arch_x86_keys.h"
#endif

/* Code for the baseline would wait for what is left in the upper halves of the registers. */
#if defined(__AVX__)
static inline void zc_end_vectors(void)
{
    __builtin_ia32_vzeroupper();
}
#endif

#if defined(__SSE__)
static inline void zc_fence(void)
{
    __builtin_ia32_sfence();
}
#endif

/* ---- float16, eight at a time. The instruction rounds as nearest_float16 does. ---- */

#if defined(__F16C__)
typedef short zc_eight_halves __attribute__((vector_size(16)));
typedef float zc_eight_floats __attribute__((vector_size(32)));
#if defined(__clang__)
#define ZC_WIDEN_EIGHT(halves)  ((zc_eight_floats)_mm256_cvtph_ps((__m128i)(halves)))
#define ZC_NARROW_EIGHT(floats) ((zc_eight_halves)_mm256_cvtps_ph((__m256)(floats), _MM_FROUND_TO_NEAREST_INT))
#else
#define ZC_WIDEN_EIGHT(halves)  __builtin_ia32_vcvtph2ps256(halves)
#define ZC_NARROW_EIGHT(floats) __builtin_ia32_vcvtps2ph256(floats, 0) /* to the nearest */
#endif

static inline int64_t zc_widen_float16(float *out, const uint16_t *elements, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        zc_eight_halves halves;
        memcpy(&halves, elements + i, sizeof halves);
        const zc_eight_floats floats = ZC_WIDEN_EIGHT(halves);
        memcpy(out + i, &floats, sizeof floats);
    }
    return i;
}

static inline int64_t zc_narrow_float16(uint16_t *elements, const float *numbers, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        zc_eight_floats floats;
        memcpy(&floats, numbers + i, sizeof floats);
        const zc_eight_halves halves = ZC_NARROW_EIGHT(floats);
        memcpy(elements + i, &halves, sizeof halves);
    }
    return i;
}
#endif

#endif
