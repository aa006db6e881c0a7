/*
 * Polynomials and constants of float32's own elementary functions, made by coefficients.py: do not edit. Coefficients
 * by Horner's rule with fused multiply-adds, from the highest power.
 */
#ifndef ZC_MATH_SINGLE_POLYNOMIALS_H
#define ZC_MATH_SINGLE_POLYNOMIALS_H

#include "math/floats/fused.h"

/* 1 / ln 2. */
#define ZC_SINGLE_LOG2_E      0x1.715476p+0f
#define ZC_SINGLE_LOG2_E_REST 0x1.4ae0cp-26f
/* ln 2. */
#define ZC_SINGLE_LN2      0x1.62e42ep-1f
#define ZC_SINGLE_LN2_REST 0x1.efa39ep-25f
/* 1 / ln 10. */
#define ZC_SINGLE_LOG10_E      0x1.bcb7bp-2f
#define ZC_SINGLE_LOG10_E_REST 0x1.526e5p-26f
/* 2 ln 2, its first part so short that whole multiples are exact. */
#define ZC_SINGLE_TWICE_LN2      0x1.62e4p+0f
#define ZC_SINGLE_TWICE_LN2_REST 0x1.7f7d1cp-19f
/* ln 2 / ln 10. */
#define ZC_SINGLE_LOG10_2      0x1.344134p-2f
#define ZC_SINGLE_LOG10_2_REST 0x1.09f7ap-26f
/* 2 / pi. */
#define ZC_SINGLE_2_OVER_PI 0x1.45f306p-1f
/* pi/2. */
#define ZC_SINGLE_HALF_PI_1 0x1.921fb4p+0f
#define ZC_SINGLE_HALF_PI_2 0x1.4442dp-24f
#define ZC_SINGLE_HALF_PI_3 0x1.84698ap-48f
/* tan(3 pi/8). */
#define ZC_SINGLE_TAN_3_PI_8 0x1.3504f4p+1f
/* m, and its error function, which is nearly a float. */
#define ZC_SINGLE_ERF_MIDDLE    0x1.19a352p+1f
#define ZC_SINGLE_ERF_OF_MIDDLE 0x1.ff0c2ep-1f
/* a and b, for which 1 / (a + b t) is nearly twice e^(t^2/2) T(t). */
#define ZC_SINGLE_TAIL_A 0x1.c8p-1f
#define ZC_SINGLE_TAIL_B 0x1.1dc17p+0f
/* 2 sqrt(2/pi), its first part so short that a sum with it less that is exact; and 0.044715 times it. */
#define ZC_SINGLE_GELU_1      0x1.9884p+0f
#define ZC_SINGLE_GELU_1_REST 0x1.4cf50ep-18f
#define ZC_SINGLE_GELU_3      0x1.2444f2p-4f
#define ZC_SINGLE_GELU_3_REST 0x1.49b16ap-29f

/* (e^z - 1 - z) / z^2; -0.3466 <= z <= 0.3466, weighted error 2^-27.8. */
static inline float exp_rest_single(float z)
{
    float p = 0x1.6db37p-10f;
    p = fma_float32(p, z, 0x1.123bp-7f);
    p = fma_float32(p, z, 0x1.55545ep-5f);
    p = fma_float32(p, z, 0x1.55549p-3f);
    return fma_float32(p, z, 0x1p-1f);
}

/* the same; -0.3466 <= z <= 0.3466, weighted error 2^-29.8. */
static inline float exp_rest_long_single(float z)
{
    float p = 0x1.a1b734p-13f;
    p = fma_float32(p, z, 0x1.6d9592p-10f);
    p = fma_float32(p, z, 0x1.11107ep-7f);
    p = fma_float32(p, z, 0x1.555482p-5f);
    p = fma_float32(p, z, 0x1.555556p-3f);
    return fma_float32(p, z, 0x1p-1f);
}

/* (2 (e^(z/2) - 1) - z) / z^2; -0.6933 <= z <= 0.6933, weighted error 2^-29.8. */
static inline float exp_rest_of_twice_single(float z)
{
    float p = 0x1.a1b76p-19f;
    p = fma_float32(p, z, 0x1.6d95b8p-15f);
    p = fma_float32(p, z, 0x1.11107ep-11f);
    p = fma_float32(p, z, 0x1.555482p-8f);
    p = fma_float32(p, z, 0x1.555556p-5f);
    return fma_float32(p, z, 0x1p-2f);
}

/* (2^z - 1 - z ln 2) / z^2; -0.5 <= z <= 0.5, weighted error 2^-27.8. */
static inline float exp2_rest_single(float z)
{
    float p = 0x1.44773cp-13f;
    p = fma_float32(p, z, 0x1.5f055cp-10f);
    p = fma_float32(p, z, 0x1.3b29d4p-7f);
    p = fma_float32(p, z, 0x1.c6af86p-5f);
    return fma_float32(p, z, 0x1.ebfbep-3f);
}

/* (sinh(r) - r) / r^3, z = r^2; 0.0 <= z <= 0.1202, weighted error 2^-30.9. */
static inline float sinh_rest_single(float z)
{
    float p = 0x1.a16e86p-13f;
    p = fma_float32(p, z, 0x1.1110b2p-7f);
    return fma_float32(p, z, 0x1.555556p-3f);
}

/* (cosh(r) - 1) / r^2, z = r^2; 0.0 <= z <= 0.1202, weighted error 2^-30.0. */
static inline float cosh_rest_single(float z)
{
    float p = 0x1.6d95f8p-10f;
    p = fma_float32(p, z, 0x1.555482p-5f);
    return fma_float32(p, z, 0x1p-1f);
}

/* (log(1 + z) - z + z^2/2) / z^3; -0.3251 <= z <= 0.3501, weighted error 2^-27.2. */
static inline float log1p_rest_single(float z)
{
    float p = -0x1.e6f194p-4f;
    p = fma_float32(p, z, 0x1.1e4052p-3f);
    p = fma_float32(p, z, -0x1.fb68fep-4f);
    p = fma_float32(p, z, 0x1.1ed75ap-3f);
    p = fma_float32(p, z, -0x1.555b64p-3f);
    p = fma_float32(p, z, 0x1.99d08p-3f);
    p = fma_float32(p, z, -0x1.000014p-2f);
    return fma_float32(p, z, 0x1.555506p-2f);
}

/* the same; -0.3101 <= z <= 0.3801, weighted error 2^-28.4. */
static inline float log1p_rest_long_single(float z)
{
    float p = 0x1.671e7ap-4f;
    p = fma_float32(p, z, -0x1.ff2b48p-4f);
    p = fma_float32(p, z, 0x1.d73da6p-4f);
    p = fma_float32(p, z, -0x1.f62e74p-4f);
    p = fma_float32(p, z, 0x1.23c07p-3f);
    p = fma_float32(p, z, -0x1.558732p-3f);
    p = fma_float32(p, z, 0x1.99a09cp-3f);
    p = fma_float32(p, z, -0x1.ffff52p-3f);
    return fma_float32(p, z, 0x1.55554ep-2f);
}

/* the same for the logarithm to base 2; -0.3251 <= z <= 0.3501, weighted error 2^-28.8. */
static inline float log2_1p_rest_single(float z)
{
    float p = 0x1.420116p-3f;
    p = fma_float32(p, z, -0x1.7af1b4p-3f);
    p = fma_float32(p, z, 0x1.45432ep-3f);
    p = fma_float32(p, z, -0x1.686c3ep-3f);
    p = fma_float32(p, z, 0x1.a6137ap-3f);
    p = fma_float32(p, z, -0x1.ecd17ep-3f);
    p = fma_float32(p, z, 0x1.277744p-2f);
    p = fma_float32(p, z, -0x1.7153cap-2f);
    return fma_float32(p, z, 0x1.ec709cp-2f);
}

/* the same for the logarithm to base 10; -0.3251 <= z <= 0.3501, weighted error 2^-29.7. */
static inline float log10_1p_rest_single(float z)
{
    float p = 0x1.83bb54p-5f;
    p = fma_float32(p, z, -0x1.c84b52p-5f);
    p = fma_float32(p, z, 0x1.87a7acp-5f);
    p = fma_float32(p, z, -0x1.b1fe08p-5f);
    p = fma_float32(p, z, 0x1.fc3af2p-5f);
    p = fma_float32(p, z, -0x1.28b4cap-4f);
    p = fma_float32(p, z, 0x1.63c6cp-4f);
    p = fma_float32(p, z, -0x1.bcb6ep-4f);
    return fma_float32(p, z, 0x1.287a76p-3f);
}

/* (tanh(r) - r) / r^3, z = r^2; 0.0 <= z <= 0.9604, weighted error 2^-28.2. */
static inline float tanh_rest_single(float z)
{
    float p = -0x1.902d68p-12f;
    p = fma_float32(p, z, 0x1.376102p-9f);
    p = fma_float32(p, z, -0x1.076b54p-7f);
    p = fma_float32(p, z, 0x1.60f86ep-6f);
    p = fma_float32(p, z, -0x1.b98726p-5f);
    p = fma_float32(p, z, 0x1.110d34p-3f);
    return fma_float32(p, z, -0x1.555544p-2f);
}

/* (2^z - 1) / z, where an error counts as one of 2^z; -0.5 <= z <= 0.5, weighted error 2^-28.3. */
static inline float exp2_slope_single(float z)
{
    float p = 0x1.41788ap-13f;
    p = fma_float32(p, z, 0x1.5f094ap-10f);
    p = fma_float32(p, z, 0x1.3b2dd4p-7f);
    p = fma_float32(p, z, 0x1.c6af7ap-5f);
    p = fma_float32(p, z, 0x1.ebfbdcp-3f);
    return fma_float32(p, z, 0x1.62e43p-1f);
}

/* erf(t) / t - 1, z = t^2; 0.0 <= z <= 1.0, weighted error 2^-29.6. */
static inline float erf_rest_single(float z)
{
    float p = 0x1.4c33aep-14f;
    p = fma_float32(p, z, -0x1.a50aeap-11f);
    p = fma_float32(p, z, 0x1.542e0ep-8f);
    p = fma_float32(p, z, -0x1.b7fe9p-6f);
    p = fma_float32(p, z, 0x1.ce2d5p-4f);
    p = fma_float32(p, z, -0x1.81274p-2f);
    return fma_float32(p, z, 0x1.06eba8p-3f);
}

/* (erf(m + z) - erf(m)) / z, where an error counts as one of erf; -1.2 <= z <= 1.72, weighted error 2^-27.1. */
static inline float erf_slope_single(float z)
{
    float p = 0x1.25929cp-20f;
    p = fma_float32(p, z, -0x1.02bd8p-18f);
    p = fma_float32(p, z, -0x1.720044p-17f);
    p = fma_float32(p, z, 0x1.2ece8ap-14f);
    p = fma_float32(p, z, -0x1.18e97p-14f);
    p = fma_float32(p, z, -0x1.65108cp-12f);
    p = fma_float32(p, z, 0x1.344b1ap-10f);
    p = fma_float32(p, z, -0x1.23e64ap-10f);
    p = fma_float32(p, z, -0x1.55622ep-9f);
    p = fma_float32(p, z, 0x1.786dfep-7f);
    p = fma_float32(p, z, -0x1.65be1ap-6f);
    p = fma_float32(p, z, 0x1.a681b8p-6f);
    p = fma_float32(p, z, -0x1.413916p-6f);
    return fma_float32(p, z, 0x1.23fb48p-7f);
}

/* (sin(r) - r) / r^3, z = r^2; 0.0 <= z <= 0.6176, weighted error 2^-28.2. */
static inline float sin_rest_single(float z)
{
    float p = 0x1.6cd83ep-19f;
    p = fma_float32(p, z, -0x1.a00f9ep-13f);
    p = fma_float32(p, z, 0x1.111108p-7f);
    return fma_float32(p, z, -0x1.555556p-3f);
}

/* (cos(r) - 1 + z/2) / z^2, z = r^2; 0.0 <= z <= 0.6176, weighted error 2^-30.7. */
static inline float cos_rest_single(float z)
{
    float p = 0x1.9a04e2p-16f;
    p = fma_float32(p, z, -0x1.6c0c98p-10f);
    return fma_float32(p, z, 0x1.55554ap-5f);
}

/* (atan(t) - t) / t^3, z = t^2; 0.0 <= z <= 0.25, weighted error 2^-26.8. */
static inline float atan_rest_single(float z)
{
    float p = -0x1.a5dfd2p-5f;
    p = fma_float32(p, z, 0x1.a098c8p-4f);
    p = fma_float32(p, z, -0x1.225a44p-3f);
    p = fma_float32(p, z, 0x1.997c6cp-3f);
    return fma_float32(p, z, -0x1.555516p-2f);
}

/* (1 / cbrt(1 - z) - 1) / z; -0.103 <= z <= 0.102, weighted error 2^-18.4. */
static inline float inverse_cbrt_rest_single(float z)
{
    float p = 0x1.653546p-3f;
    p = fma_float32(p, z, 0x1.c9b1aap-3f);
    return fma_float32(p, z, 0x1.555428p-2f);
}

/* e^(z^2/2) times erfc(z / sqrt(2)) (a + b z), less 1, is tail_rest_upper over tail_rest_lower; 0 <= z <= 13.2, error
 * 2^-28.2. */
static inline float tail_rest_upper_single(float z)
{
    float p = -0x1.4f1414p-10f;
    p = fma_float32(p, z, -0x1.e355b6p-9f);
    p = fma_float32(p, z, 0x1.c23a96p-7f);
    p = fma_float32(p, z, 0x1.b76c7ep-4f);
    p = fma_float32(p, z, 0x1.c2dcdap-3f);
    return fma_float32(p, z, -0x1.cp-4f);
}

static inline float tail_rest_lower_single(float z)
{
    float p = 0x1.7ef90cp-7f;
    p = fma_float32(p, z, 0x1.c0f27cp-4f);
    p = fma_float32(p, z, 0x1.f81d5p-2f);
    p = fma_float32(p, z, 0x1.3c7b74p+0f);
    p = fma_float32(p, z, 0x1.b21aaap+0f);
    return fma_float32(p, z, 0x1p+0f);
}

#endif
