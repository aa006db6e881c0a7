/*
 * The widest vector of float32 that this machine's compiler has, for the references written by hand: `f32v`, LANES of
 * them. Arithmetic is the compiler's own, on vectors; here is what C has no operator for. Streaming stores go past the
 * caches, so they do not read what they overwrite; the address is aligned to a whole vector.
 */
#ifndef ZC_BENCH_VECTOR_H
#define ZC_BENCH_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
typedef __m512 f32v;
#define VECTOR(name) _mm512_##name
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
typedef __m256 f32v;
#define VECTOR(name) _mm256_##name
#else
typedef float f32v __attribute__((vector_size(16)));
#endif

typedef int i32v __attribute__((vector_size(sizeof(f32v))));

enum { LANES = sizeof(f32v) / sizeof(float) };

static inline f32v load(const float *from)
{
    f32v v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void store(float *to, f32v v)
{
    memcpy(to, &v, sizeof v);
}

static inline f32v all(float value)
{
    return value - (f32v){0};
}

#ifdef VECTOR

static inline void stream(float *to, f32v v)
{
    VECTOR(stream_ps)(to, v);
}

static inline void stream_end(void)
{
    _mm_sfence();
}

static inline f32v larger(f32v a, f32v b)
{
    return VECTOR(max_ps)(a, b);
}

static inline f32v smaller(f32v a, f32v b)
{
    return VECTOR(min_ps)(a, b);
}

static inline f32v root(f32v a)
{
    return VECTOR(sqrt_ps)(a);
}

static inline f32v fused(f32v a, f32v b, f32v c) /* a * b + c, rounded once */
{
    return VECTOR(fmadd_ps)(a, b, c);
}

#else

static inline void stream(float *to, f32v v)
{
    store(to, v);
}

static inline void stream_end(void)
{
}

static inline f32v larger(f32v a, f32v b)
{
    for (int l = 0; l < LANES; l++)
        a[l] = a[l] > b[l] ? a[l] : b[l];
    return a;
}

static inline f32v smaller(f32v a, f32v b)
{
    for (int l = 0; l < LANES; l++)
        a[l] = a[l] < b[l] ? a[l] : b[l];
    return a;
}

static inline f32v root(f32v a)
{
    for (int l = 0; l < LANES; l++)
        a[l] = sqrtf(a[l]);
    return a;
}

static inline f32v fused(f32v a, f32v b, f32v c)
{
    return a * b + c;
}

#endif

/* Lane l of the result is lane index[l] of a, or, from LANES on, of b. */
static inline f32v pick(f32v a, f32v b, i32v index)
{
#if defined(__AVX512F__)
    return _mm512_permutex2var_ps(a, (__m512i)index, b);
#else
    f32v v = a;
    for (int l = 0; l < LANES; l++)
        v[l] = index[l] < LANES ? a[index[l]] : b[index[l] - LANES];
    return v;
#endif
}

/* One step of turn(): of each square of 2 * step elements, the quarters beside the diagonal change places. */
static inline __attribute__((always_inline)) void turn_by(f32v *rows, int width, int step)
{
    i32v upper, lower;
#pragma GCC unroll 16
    for (int l = 0; l < LANES; l++) {
        bool right = (l & step * width) != 0;
        upper[l] = right ? LANES + l - step * width : l;
        lower[l] = right ? LANES + l : l + step * width;
    }
#pragma GCC unroll 16
    for (int i = 0; i < LANES / width; i++) {
        if ((i & step) != 0 || i + step >= LANES / width)
            continue;
        f32v a = rows[i], b = rows[i + step];
        rows[i] = pick(a, b, upper);
        rows[i + step] = pick(a, b, lower);
    }
}

/* Transposes a square of LANES / width rows of as many elements, each of `width` lanes. Inlined with width known, so
 * that everything stays in registers. */
static inline __attribute__((always_inline)) void turn(f32v *rows, int width)
{
    turn_by(rows, width, 8);
    turn_by(rows, width, 4);
    turn_by(rows, width, 2);
    turn_by(rows, width, 1);
}

/* exp, within 2 units in the last place for -87 < x < 88: 2^n times a polynomial of what is left of x. */
static inline f32v exponential(f32v x)
{
    const f32v shift = all(0x1.8p23f); /* added and taken off, it rounds to an integer, which its low bits hold */
    f32v shifted = fused(x, all(0x1.715476p0f), shift), n = shifted - shift;
    f32v r = fused(n, all(-0x1.62e4p-1f), x);
    r = fused(n, all(-0x1.7f7d1cp-20f), r);
    f32v p = all(0x1.6856cp-10f);
    p = fused(p, r, all(0x1.125164p-7f));
    p = fused(p, r, all(0x1.555c26p-5f));
    p = fused(p, r, all(0x1.55546cp-3f));
    p = fused(p, r, all(0x1.fffff6p-2f));
    p = fused(p, r, all(1));
    p = fused(p, r, all(1));
    return (f32v)((i32v)p + ((i32v)shifted << 23));
}

static inline float sum_of_lanes(f32v v)
{
    float sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += v[l];
    return sum;
}

#endif
