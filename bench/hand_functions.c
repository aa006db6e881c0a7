/*
 * Elementary functions by hand: loops over plain C of numbers, as one writes them who wants vectors of the compiler and
 * knows fused multiply-adds, which it makes of products and sums here (-ffp-contract=fast). Within 1 to 2 units in the
 * last place over the whole range; gelu of float32 within 2 of x, not of what is left of it on the far left side.
 */
#include <math.h>
#include <string.h>

#include "bench/hand.h"

#define HAND_LOOP(name, type, function)                                                                                \
    void name(const bench_work *w)                                                                                     \
    {                                                                                                                  \
        const type *x = w->x;                                                                                          \
        type *restrict out = w->by_hand;                                                                               \
        for (int64_t i = w->begin; i < w->end; i++)                                                                    \
            out[i] = function(x[i]);                                                                                   \
    }

/* p[0] z^(count-1) + ... + p[count-1] */
#define POLYNOMIAL(type, z, ...)                                                                                       \
    ({                                                                                                                 \
        const type coefficient[] = {__VA_ARGS__};                                                                      \
        type horner = coefficient[0];                                                                                  \
        _Pragma("GCC unroll 32") for (size_t k = 1; k < sizeof coefficient / sizeof *coefficient; k++) horner =        \
            horner * (z) + coefficient[k];                                                                             \
        horner;                                                                                                        \
    })

/* ---- float32 ---- */

/* x 2^n, for an n + 1.5 * 2^23 */
static inline float scaled_f32(float x, float sum)
{
    uint32_t bits, n;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&n, &sum, sizeof n);
    bits += n << 23;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float exp_f32(float x)
{
    const float shift = 0x1.8p23f;
    x = x < -87.3f ? -87.3f : x;
    x = x > 88.3f ? 88.3f : x;
    float sum = x * 0x1.715476p0f + shift, n = sum - shift;
    float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
    float y =
        POLYNOMIAL(float, r, 0x1.6856cp-10f, 0x1.125164p-7f, 0x1.555c26p-5f, 0x1.55546cp-3f, 0x1.fffff6p-2f, 1, 1);
    return scaled_f32(y, sum);
}

/* Near 0 by the coefficients of Moshier's Cephes. */
static inline float tanh_f32(float x)
{
    float size = fabsf(x), z = x * x;
    float near = POLYNOMIAL(float, z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f,
                            -3.33332819422e-1f);
    float far = 1 - 2 / (exp_f32(2 * size) + 1);
    return size < 0.625f ? near * z * x + x : copysignf(far, x);
}

static inline float erf_f32(float x)
{
    float size = fabsf(x), z = x * x;
    size = size > 4 ? 4 : size;
    float near = POLYNOMIAL(float, z, 0x1.4c33aep-14f, -0x1.a50aeap-11f, 0x1.542e0ep-8f, -0x1.b7fe9p-6f, 0x1.ce2d5p-4f,
                            -0x1.81274p-2f, 0x1.06eba8p-3f);
    float tail =
        POLYNOMIAL(float, size, -0x1.0705cap-24f, 0x1.90175cp-19f, -0x1.ed80ecp-15f, 0x1.5d02bp-11f, -0x1.471d8ep-8f,
                   0x1.b92312p-6f, -0x1.c5c73ep-4f, -0x1.432e4ep-1f, -0x1.216aa2p0f, 0x1.9189f6p-12f);
    return size < 1 ? near * x + x : copysignf(1 - exp_f32(tail), x);
}

static inline float gelu_f32(float x)
{
    return 0.5f * x * (1 + erf_f32(x * 0x1.6a09e6p-1f));
}

HAND_LOOP(hand_exp_f32, float, exp_f32)
HAND_LOOP(hand_tanh_f32, float, tanh_f32)
HAND_LOOP(hand_gelu_f32, float, gelu_f32)

/* ---- float64 ---- */

static inline double scaled_f64(double x, double sum)
{
    uint64_t bits, n;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&n, &sum, sizeof n);
    bits += n << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* e^(x + low) */
static inline double exp_sum_f64(double x, double low)
{
    const double shift = 0x1.8p52;
    x = x < -708 ? -708 : x;
    x = x > 709 ? 709 : x;
    double sum = x * 0x1.71547652b82fep0 + shift, n = sum - shift;
    double r = (x - n * 0x1.62e42fefa39efp-1) + (low - n * 0x1.abc9e3b39803fp-56);
    double y = POLYNOMIAL(double, r, 0x1.af856805b7f9cp-26, 0x1.28b022a0342d5p-22, 0x1.71dddfe18110dp-19,
                          0x1.a01996c1fed67p-16, 0x1.a01a01bad771cp-13, 0x1.6c16c18593c59p-10, 0x1.111111110d65fp-7,
                          0x1.555555555009cp-5, 0x1.5555555555561p-3, 0x1.000000000000bp-1, 1, 1);
    return scaled_f64(y, sum);
}

static inline double exp_f64(double x)
{
    return exp_sum_f64(x, 0);
}

/* Near 0 by the coefficients of Moshier's Cephes; one division for both sides. */
static inline double tanh_f64(double x)
{
    double size = fabs(x), z = x * x;
    double p = POLYNOMIAL(double, z, -9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3);
    double q = POLYNOMIAL(double, z, 1, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3);
    double e = exp_f64(2 * size);
    int is_near = size < 0.625;
    double quotient = (is_near ? size * z * p : -2) / (is_near ? q : e + 1);
    return copysign((is_near ? size : 1) + quotient, x);
}

/* x - |x| T(|x|), or -|x| T(|x|): T is the normal distribution's upper tail, e^(-x^2/2) over |x| + 2 times a polynomial
 * in
 * (|x| - 2) / (|x| + 2), as Shepherd and Laframboise have it for erfc. */
static inline double gelu_f64(double x)
{
    double size = fabs(x);
    size = size > 37 ? 37 : size;
    double half = -0.5 * size * size, low = -0.5 * fma(size, size, 2 * half), inverse = 1 / (size + 2);
    double tail =
        POLYNOMIAL(double, (size - 2) * inverse, 0x1.11f7a765125e4p-26, 0x1.7d7fd2b9a05b3p-25, -0x1.8d2f73f612795p-25,
                   -0x1.16454398db37dp-22, -0x1.1e868ef0ea9ecp-23, 0x1.e9d028397eea8p-22, 0x1.7ed379124c016p-21,
                   0x1.28c715f4c5e65p-22, -0x1.83c31b5bd999bp-22, -0x1.680ffebd6e93bp-20, -0x1.7bb33c70383f9p-19,
                   -0x1.7fc78aa7d05afp-19, 0x1.07a05b235ba25p-19, 0x1.a5d8ca76fab8bp-17, 0x1.6c7c9f96df691p-16,
                   0x1.44dcdd2ed3964p-17, -0x1.825f1f5295194p-15, -0x1.0d97d2de331eep-13, -0x1.e53fc3699ad4ep-14,
                   0x1.b217d93870abep-13, 0x1.b1b0c27bc4b80p-11, 0x1.9ba0c6645721ep-11, -0x1.ff79b9d21ed19p-10,
                   -0x1.b8b937f810a20p-8, -0x1.ec6870bd56303p-12, 0x1.2ccbfbf0c68e1p-5, 0x1.d7d0e2393ee4ep-6,
                   -0x1.535bafa73c585p-2, 0x1.5845dcad2a54ep-1);
    double below = size * inverse * tail * exp_sum_f64(half, low);
    return x < 0 ? -below : x - below;
}

HAND_LOOP(hand_exp_f64, double, exp_f64)
HAND_LOOP(hand_tanh_f64, double, tanh_f64)
HAND_LOOP(hand_gelu_f64, double, gelu_f64)
