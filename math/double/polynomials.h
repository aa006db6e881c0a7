/*
 * Polynomials and constants of the elementary functions, made by coefficients.py: do not edit. Coefficients by Horner's
 * rule with fused multiply-adds, from the highest power.
 */
#ifndef ZC_MATH_DOUBLE_POLYNOMIALS_H
#define ZC_MATH_DOUBLE_POLYNOMIALS_H

#include <stdint.h>

#include "math/floats/fused.h"

/* ln 2. */
#define ZC_LN2      0x1.62e42fefa39efp-1
#define ZC_LN2_REST 0x1.abc9e3b39803fp-56

/* 1 / ln 2. */
#define ZC_LOG2_E      0x1.71547652b82fep+0
#define ZC_LOG2_E_REST 0x1.777d0ffda0d24p-56

/* 1 / ln 10. */
#define ZC_LOG10_E      0x1.bcb7b1526e50ep-2
#define ZC_LOG10_E_REST 0x1.95355baaafad3p-57

/* 1/3. */
#define ZC_THIRD      0x1.5555555555555p-2
#define ZC_THIRD_REST 0x1.5555555555555p-56

/* 1/5. */
#define ZC_FIFTH      0x1.9999999999999p-3
#define ZC_FIFTH_REST 0x1.3333333333333p-56

/* pi/4. */
#define ZC_QUARTER_PI      0x1.921fb54442d18p-1
#define ZC_QUARTER_PI_REST 0x1.1a62633145c07p-55

/* pi/2. */
#define ZC_HALF_PI_1 0x1.921fb54442d18p+0
#define ZC_HALF_PI_2 0x1.1a62633145c06p-54
#define ZC_HALF_PI_3 0x1.c1cd129024e09p-107

/* 1 / sqrt(8). */
#define ZC_1_OVER_SQRT_8      0x1.6a09e667f3bccp-2
#define ZC_1_OVER_SQRT_8_REST 0x1.21165f626cdd5p-55

/* 2 sqrt(2/pi), and 0.044715 times it. */
#define ZC_GELU_1      0x1.9884533d43650p+0
#define ZC_GELU_1_REST 0x1.1a1f9678a0175p-53
#define ZC_GELU_3      0x1.2444f2a4d8b4ap-4
#define ZC_GELU_3_REST 0x1.e937bc5d62e39p-57

/* 2/pi. */
#define ZC_2_OVER_PI 0x1.45f306dc9c883p-1
/* sqrt(2). */
#define ZC_SQRT_2 0x1.6a09e667f3bcdp+0
/* tan(pi/8). */
#define ZC_TAN_PI_8 0x1.a827999fcef32p-2
/* cube roots of 2 and of 1/2. */
#define ZC_CBRT_2    0x1.428a2f98d728bp+0
#define ZC_CBRT_HALF 0x1.965fea53d6e3dp-1

/* The bits of 2/pi behind the point, from the highest. */
static const uint32_t two_over_pi_bits[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

/* (e^z - 1 - z) / z^2; -0.34658 <= z <= 0.34658, relative error 2^-57.5. */
static inline double exp_rest(double z)
{
    double p = 0x1.1f72fdb6c6442p-29;
    p = fma_float64(p, z, 0x1.af4ddfbb33a59p-26);
    p = fma_float64(p, z, 0x1.27e4db6718a69p-22);
    p = fma_float64(p, z, 0x1.71de02364614ap-19);
    p = fma_float64(p, z, 0x1.a01a01a6d7b19p-16);
    p = fma_float64(p, z, 0x1.a01a01abe683ap-13);
    p = fma_float64(p, z, 0x1.6c16c16c162d6p-10);
    p = fma_float64(p, z, 0x1.11111111100dep-7);
    p = fma_float64(p, z, 0x1.5555555555556p-5);
    p = fma_float64(p, z, 0x1.5555555555557p-3);
    return fma_float64(p, z, 0x1.0000000000000p-1);
}

/* the same, where an error counts as one of e^z; -0.34658 <= z <= 0.34658, weighted error 2^-56.7. */
static inline double exp_rest_brief(double z)
{
    double p = 0x1.af856805b7f9cp-26;
    p = fma_float64(p, z, 0x1.28b022a0342d5p-22);
    p = fma_float64(p, z, 0x1.71dddfe18110dp-19);
    p = fma_float64(p, z, 0x1.a01996c1fed67p-16);
    p = fma_float64(p, z, 0x1.a01a01bad771cp-13);
    p = fma_float64(p, z, 0x1.6c16c18593c59p-10);
    p = fma_float64(p, z, 0x1.111111110d65fp-7);
    p = fma_float64(p, z, 0x1.555555555009cp-5);
    p = fma_float64(p, z, 0x1.5555555555561p-3);
    return fma_float64(p, z, 0x1.000000000000bp-1);
}

/* the same for float32; -0.34658 <= z <= 0.34658, relative error 2^-34.1. */
static inline double exp_rest_short(double z)
{
    double p = 0x1.a11315adb7217p-16;
    p = fma_float64(p, z, 0x1.a1516cd4832f8p-13);
    p = fma_float64(p, z, 0x1.6c1685907ace8p-10);
    p = fma_float64(p, z, 0x1.1110c638e3c1ep-7);
    p = fma_float64(p, z, 0x1.5555555c862dep-5);
    p = fma_float64(p, z, 0x1.5555556750ea0p-3);
    return fma_float64(p, z, 0x1.0000000000000p-1);
}

/* (sinh(r) - r) / r^3, z = r^2; 0 <= z <= 0.1202, relative error 2^-54.0. */
static inline double sinh_rest(double z)
{
    double p = 0x1.61bfbee826911p-33;
    p = fma_float64(p, z, 0x1.ae642c77a7bcbp-26);
    p = fma_float64(p, z, 0x1.71de3a5aa9d4fp-19);
    p = fma_float64(p, z, 0x1.a01a01a0196a7p-13);
    p = fma_float64(p, z, 0x1.1111111111111p-7);
    return fma_float64(p, z, 0x1.5555555555555p-3);
}

/* (cosh(r) - 1) / r^2, z = r^2; 0 <= z <= 0.1202, relative error 2^-60.7. */
static inline double cosh_rest(double z)
{
    double p = 0x1.944c8d74ce217p-37;
    p = fma_float64(p, z, 0x1.1eed710839513p-29);
    p = fma_float64(p, z, 0x1.27e4fb7c73864p-22);
    p = fma_float64(p, z, 0x1.a01a01a0192e0p-16);
    p = fma_float64(p, z, 0x1.6c16c16c16c18p-10);
    p = fma_float64(p, z, 0x1.5555555555555p-5);
    return fma_float64(p, z, 0x1.0000000000000p-1);
}

/* (log((1 + s) / (1 - s)) - 2s) / s^3, z = s^2; 0 <= z <= 0.02945, relative error 2^-54.0. */
static inline double log_rest(double z)
{
    double p = 0x1.0c06cf14c641bp-3;
    p = fma_float64(p, z, 0x1.0fbe478772696p-3);
    p = fma_float64(p, z, 0x1.3b1c38474d3eep-3);
    p = fma_float64(p, z, 0x1.745cf8f6c9119p-3);
    p = fma_float64(p, z, 0x1.c71c72017a15cp-3);
    p = fma_float64(p, z, 0x1.2492492476ba1p-2);
    p = fma_float64(p, z, 0x1.9999999999a38p-2);
    return fma_float64(p, z, 0x1.5555555555555p-1);
}

/* the same for float32; 0 <= z <= 0.02945, relative error 2^-29.1. */
static inline double log_rest_short(double z)
{
    double p = 0x1.ddd171deebc70p-3;
    p = fma_float64(p, z, 0x1.245c3741a2940p-2);
    p = fma_float64(p, z, 0x1.9999eb792e453p-2);
    return fma_float64(p, z, 0x1.5555554bae5e4p-1);
}

/* (log((1 + s) / (1 - s)) - 2s - 2s^3/3 - 2s^5/5) / s^7, z = s^2; 0 <= z <= 0.02945, relative error 2^-50.0. */
static inline double log_rest_long(double z)
{
    double p = 0x1.d9c5ed18cbb21p-4;
    p = fma_float64(p, z, 0x1.e01fcbc705579p-4);
    p = fma_float64(p, z, 0x1.1115a03c7f506p-3);
    p = fma_float64(p, z, 0x1.3b13a524039aep-3);
    p = fma_float64(p, z, 0x1.745d17550d6d2p-3);
    p = fma_float64(p, z, 0x1.c71c71c715418p-3);
    return fma_float64(p, z, 0x1.2492492492497p-2);
}

/* (sin(r) - r) / r^3, z = r^2; 0 <= z <= 0.617, relative error 2^-54.0. */
static inline double sin_rest(double z)
{
    double p = -0x1.ab179e14267cdp-41;
    p = fma_float64(p, z, 0x1.61217eaffbfdbp-33);
    p = fma_float64(p, z, -0x1.ae64541251e39p-26);
    p = fma_float64(p, z, 0x1.71de3a5460533p-19);
    p = fma_float64(p, z, -0x1.a01a01a019936p-13);
    p = fma_float64(p, z, 0x1.1111111111110p-7);
    return fma_float64(p, z, -0x1.5555555555555p-3);
}

/* the same for float32; 0 <= z <= 0.617, relative error 2^-32.4. */
static inline double sin_rest_short(double z)
{
    double p = 0x1.6dbdc6f2b85e2p-19;
    p = fma_float64(p, z, -0x1.a013a6ca5789cp-13);
    p = fma_float64(p, z, 0x1.11110dee98fb5p-7);
    return fma_float64(p, z, -0x1.555555545dcd6p-3);
}

/* (cos(r) - 1 + z/2) / z^2, z = r^2; 0 <= z <= 0.617, relative error 2^-54.0. */
static inline double cos_rest(double z)
{
    double p = 0x1.ab782b04de8dep-45;
    p = fma_float64(p, z, -0x1.9394b9bb6e16dp-37);
    p = fma_float64(p, z, 0x1.1eed8deb644b7p-29);
    p = fma_float64(p, z, -0x1.27e4fb7712b8cp-22);
    p = fma_float64(p, z, 0x1.a01a01a019d09p-16);
    p = fma_float64(p, z, -0x1.6c16c16c16c16p-10);
    return fma_float64(p, z, 0x1.5555555555555p-5);
}

/* the same for float32; 0 <= z <= 0.617, relative error 2^-34.0. */
static inline double cos_rest_short(double z)
{
    double p = -0x1.2524228ea066dp-22;
    p = fma_float64(p, z, 0x1.a015c3f71c2f7p-16);
    p = fma_float64(p, z, -0x1.6c16bf548391dp-10);
    return fma_float64(p, z, 0x1.5555555502badp-5);
}

/* (asin(t) - t) / t^3, z = t^2; 0 <= z <= 0.25, relative error 2^-52.9. */
static inline double asin_rest(double z)
{
    double p = 0x1.d72b2bc8155f8p-6;
    p = fma_float64(p, z, -0x1.e6aaa8a0a04ccp-7);
    p = fma_float64(p, z, 0x1.1d189408314eep-6);
    p = fma_float64(p, z, 0x1.65a9c4dfcf8b2p-8);
    p = fma_float64(p, z, 0x1.52420b04b37bep-7);
    p = fma_float64(p, z, 0x1.782651caa6547p-7);
    p = fma_float64(p, z, 0x1.c9cf07674736ap-7);
    p = fma_float64(p, z, 0x1.1c4d35cf95421p-6);
    p = fma_float64(p, z, 0x1.6e8bb1c8209a2p-6);
    p = fma_float64(p, z, 0x1.f1c71c1db0623p-6);
    p = fma_float64(p, z, 0x1.6db6db6e31f13p-5);
    p = fma_float64(p, z, 0x1.3333333332ecap-4);
    return fma_float64(p, z, 0x1.5555555555556p-3);
}

/* the same for float32; 0 <= z <= 0.25, relative error 2^-29.5. */
static inline double asin_rest_short(double z)
{
    double p = 0x1.fb7ca379d49c6p-6;
    p = fma_float64(p, z, 0x1.5a80a068e3ee2p-7);
    p = fma_float64(p, z, 0x1.82db23768c84fp-6);
    p = fma_float64(p, z, 0x1.efedf83ab6506p-6);
    p = fma_float64(p, z, 0x1.6dc0f007c13e8p-5);
    p = fma_float64(p, z, 0x1.33331ecf8b70bp-4);
    return fma_float64(p, z, 0x1.5555555c0171dp-3);
}

/* (atan(t) - t) / t^3, z = t^2; 0 <= z <= 0.1716, relative error 2^-53.9. */
static inline double atan_rest(double z)
{
    double p = 0x1.0aca40aeebce0p-6;
    p = fma_float64(p, z, -0x1.1b2f96cc7eca8p-5);
    p = fma_float64(p, z, 0x1.74dc387c1a6f4p-5);
    p = fma_float64(p, z, -0x1.ac7a3950dffbap-5);
    p = fma_float64(p, z, 0x1.e19a07798598ep-5);
    p = fma_float64(p, z, -0x1.110e878213482p-4);
    p = fma_float64(p, z, 0x1.3b1392d24f335p-4);
    p = fma_float64(p, z, -0x1.745d165db0b8dp-4);
    p = fma_float64(p, z, 0x1.c71c71c3035c8p-4);
    p = fma_float64(p, z, -0x1.249249248d7d1p-3);
    p = fma_float64(p, z, 0x1.9999999999953p-3);
    return fma_float64(p, z, -0x1.5555555555555p-2);
}

/* the same for float32; 0 <= z <= 0.1716, relative error 2^-29.2. */
static inline double atan_rest_short(double z)
{
    double p = 0x1.9d84789952338p-5;
    p = fma_float64(p, z, -0x1.6142fe035c085p-4);
    p = fma_float64(p, z, 0x1.c57b80d4443d4p-4);
    p = fma_float64(p, z, -0x1.248a15ffe2269p-3);
    p = fma_float64(p, z, 0x1.99997b0e10a8ep-3);
    return fma_float64(p, z, -0x1.5555554c08d48p-2);
}

/* erf(t) / t - 1, z = t^2; 0 <= z <= 0.7226, relative error 2^-45.9. */
static inline double erf_rest(double z)
{
    double p = -0x1.5218bfd888cc1p-38;
    p = fma_float64(p, z, 0x1.8c91c44825d1ep-34);
    p = fma_float64(p, z, -0x1.50667acf3a487p-30);
    p = fma_float64(p, z, 0x1.fc9e1532775a4p-27);
    p = fma_float64(p, z, -0x1.5f72bb1762c6ep-23);
    p = fma_float64(p, z, 0x1.b9e6b68eeb72bp-20);
    p = fma_float64(p, z, -0x1.f4d25b88e8027p-17);
    p = fma_float64(p, z, 0x1.f9a326f5167cep-14);
    p = fma_float64(p, z, -0x1.c02db4002c1bfp-11);
    p = fma_float64(p, z, 0x1.565bcd0e6a188p-8);
    p = fma_float64(p, z, -0x1.b82ce31288b44p-6);
    p = fma_float64(p, z, 0x1.ce2f21a042be2p-4);
    p = fma_float64(p, z, -0x1.812746b0379e7p-2);
    return fma_float64(p, z, 0x1.06eba8214db69p-3);
}

/* e^(t^2/2) (t + 2) / sqrt(2 pi) times the integral of e^(-s^2/2) from t on, z = (t - 2) / (t + 2); -0.251 <= z <=
 * 0.903, relative error 2^-52.4. */
static inline double tail_scaled(double z)
{
    double p = 0x1.ef7e3a8da15c7p-18;
    p = fma_float64(p, z, -0x1.b58c47a6bdfddp-15);
    p = fma_float64(p, z, 0x1.42bab9093e760p-13);
    p = fma_float64(p, z, -0x1.032b523795d07p-12);
    p = fma_float64(p, z, 0x1.f5b5039db6fecp-13);
    p = fma_float64(p, z, -0x1.261bf5dc862a4p-13);
    p = fma_float64(p, z, 0x1.e3035ecae3211p-16);
    p = fma_float64(p, z, 0x1.f056ae478f3f3p-17);
    p = fma_float64(p, z, 0x1.08ef71fab8117p-20);
    p = fma_float64(p, z, 0x1.94ac4a315c470p-16);
    p = fma_float64(p, z, 0x1.5ac044deefcbfp-17);
    p = fma_float64(p, z, -0x1.85996b345fc56p-15);
    p = fma_float64(p, z, -0x1.0d8a9d63e823ep-13);
    p = fma_float64(p, z, -0x1.e52a5f437c8ccp-14);
    p = fma_float64(p, z, 0x1.b215d1c423292p-13);
    p = fma_float64(p, z, 0x1.b1b0b5820f067p-11);
    p = fma_float64(p, z, 0x1.9ba0cb8e67900p-11);
    p = fma_float64(p, z, -0x1.ff79b9de3cf65p-10);
    p = fma_float64(p, z, -0x1.b8b937fafee02p-8);
    p = fma_float64(p, z, -0x1.ec6870b97fe5bp-12);
    p = fma_float64(p, z, 0x1.2ccbfbf0c73f6p-5);
    p = fma_float64(p, z, 0x1.d7d0e2393eb43p-6);
    p = fma_float64(p, z, -0x1.535bafa73c586p-2);
    return fma_float64(p, z, 0x1.5845dcad2a54ep-1);
}

/* the same from t = 0 on; -1 <= z <= 0.903, relative error 2^-53.0. */
static inline double whole_tail_scaled(double z)
{
    double p = 0x1.11f7a765125e4p-26;
    p = fma_float64(p, z, 0x1.7d7fd2b9a05b3p-25);
    p = fma_float64(p, z, -0x1.8d2f73f612795p-25);
    p = fma_float64(p, z, -0x1.16454398db37dp-22);
    p = fma_float64(p, z, -0x1.1e868ef0ea9ecp-23);
    p = fma_float64(p, z, 0x1.e9d028397eea8p-22);
    p = fma_float64(p, z, 0x1.7ed379124c016p-21);
    p = fma_float64(p, z, 0x1.28c715f4c5e65p-22);
    p = fma_float64(p, z, -0x1.83c31b5bd999bp-22);
    p = fma_float64(p, z, -0x1.680ffebd6e93bp-20);
    p = fma_float64(p, z, -0x1.7bb33c70383f9p-19);
    p = fma_float64(p, z, -0x1.7fc78aa7d05afp-19);
    p = fma_float64(p, z, 0x1.07a05b235ba25p-19);
    p = fma_float64(p, z, 0x1.a5d8ca76fab8bp-17);
    p = fma_float64(p, z, 0x1.6c7c9f96df691p-16);
    p = fma_float64(p, z, 0x1.44dcdd2ed3964p-17);
    p = fma_float64(p, z, -0x1.825f1f5295194p-15);
    p = fma_float64(p, z, -0x1.0d97d2de331eep-13);
    p = fma_float64(p, z, -0x1.e53fc3699ad4ep-14);
    p = fma_float64(p, z, 0x1.b217d93870abep-13);
    p = fma_float64(p, z, 0x1.b1b0c27bc4b80p-11);
    p = fma_float64(p, z, 0x1.9ba0c6645721ep-11);
    p = fma_float64(p, z, -0x1.ff79b9d21ed19p-10);
    p = fma_float64(p, z, -0x1.b8b937f810a20p-8);
    p = fma_float64(p, z, -0x1.ec6870bd56303p-12);
    p = fma_float64(p, z, 0x1.2ccbfbf0c68e1p-5);
    p = fma_float64(p, z, 0x1.d7d0e2393ee4ep-6);
    p = fma_float64(p, z, -0x1.535bafa73c585p-2);
    return fma_float64(p, z, 0x1.5845dcad2a54ep-1);
}

/* log2(1 + z) / z; -0.29290 <= z <= 0.41422, relative error 2^-38.3. */
static inline double log2_slope_short(double z)
{
    double p = -0x1.16ca3ed9a5cb9p-4;
    p = fma_float64(p, z, 0x1.0c92cc739ac47p-3);
    p = fma_float64(p, z, -0x1.140cc7b11bebap-3);
    p = fma_float64(p, z, 0x1.0b87037b87effp-3);
    p = fma_float64(p, z, -0x1.23e336d3629fep-3);
    p = fma_float64(p, z, 0x1.480da426d5c13p-3);
    p = fma_float64(p, z, -0x1.7186b3277e077p-3);
    p = fma_float64(p, z, 0x1.a61c50e362958p-3);
    p = fma_float64(p, z, -0x1.ec6f47e09d706p-3);
    p = fma_float64(p, z, 0x1.2776b48ec6524p-2);
    p = fma_float64(p, z, -0x1.7154784e7fd76p-2);
    p = fma_float64(p, z, 0x1.ec709de7e1029p-2);
    p = fma_float64(p, z, -0x1.71547651d9256p-1);
    return fma_float64(p, z, 0x1.71547652b526dp+0);
}

/* 2^z; -0.5 <= z <= 0.5, relative error 2^-34.1. */
static inline double exp2_short(double z)
{
    double p = 0x1.00c0e4e15189cp-16;
    p = fma_float64(p, z, 0x1.446c79efd4834p-13);
    p = fma_float64(p, z, 0x1.5d877598350dep-10);
    p = fma_float64(p, z, 0x1.3b29d8bb0b97ep-7);
    p = fma_float64(p, z, 0x1.c6b08da70cce3p-5);
    p = fma_float64(p, z, 0x1.ebfbe0aa03df0p-3);
    p = fma_float64(p, z, 0x1.62e42fef9cc69p-1);
    return fma_float64(p, z, 0x1.ffffffffa7135p-1);
}

/* the cube root of z; 0.707 <= z <= 1.4143, relative error 2^-16.2. */
static inline double cbrt_start(double z)
{
    double p = -0x1.26f02c9cd5080p-5;
    p = fma_float64(p, z, 0x1.acc5865b817ccp-3);
    p = fma_float64(p, z, -0x1.0c2ebf41df2edp-1);
    p = fma_float64(p, z, 0x1.cb243acc1adf0p-1);
    return fma_float64(p, z, 0x1.d0921a2ff2cebp-2);
}

#endif
