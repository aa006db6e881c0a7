/*
 * Polynomials and constants of float32's own elementary functions, made by coefficients.py: do not edit. Coefficients
 * by Horner's rule, from the highest power.
 */
#ifndef ZC_RUNTIME_ELEMENTARY_SINGLE_POLYNOMIALS_H
#define ZC_RUNTIME_ELEMENTARY_SINGLE_POLYNOMIALS_H

/* 1 / ln 2. */
#define ZC_SINGLE_LOG2_E 0x1.715476p+0f
/* ln 2; its first part ends in 8 zero bits, so that its product with any exponent is exact. */
#define ZC_SINGLE_LN2_HIGH 0x1.62e4p-1f
#define ZC_SINGLE_LN2_LOW  0x1.7f7d1cp-20f
/* ln 2. */
#define ZC_SINGLE_LN2      0x1.62e42ep-1f
#define ZC_SINGLE_LN2_REST 0x1.efa39ep-25f
/* 2 sqrt(2/pi) in 16 bits and what they lack, and 0.044715 times it as a split. */
#define ZC_SINGLE_GELU_1      0x1.9884p+0f
#define ZC_SINGLE_GELU_1_REST 0x1.4cf50ep-18f
#define ZC_SINGLE_GELU_3      0x1.244p-4f
#define ZC_SINGLE_GELU_3_REST 0x1.3ca936p-18f

/* (e^z - 1 - z) / z^2; -0.34658 <= z <= 0.34658, weighted error 2^-27.8. */
static inline float exp_rest_single(float z)
{
    float p = 0x1.6db37p-10f;
    p = p * z + 0x1.123bp-7f;
    p = p * z + 0x1.55545ep-5f;
    p = p * z + 0x1.55549p-3f;
    return p * z + 0x1p-1f;
}

/* the same; -0.34658 <= z <= 0.34658, weighted error 2^-29.8. */
static inline float exp_rest_long_single(float z)
{
    float p = 0x1.a1b734p-13f;
    p = p * z + 0x1.6d9592p-10f;
    p = p * z + 0x1.11107ep-7f;
    p = p * z + 0x1.555482p-5f;
    p = p * z + 0x1.555556p-3f;
    return p * z + 0x1p-1f;
}

/* (2^z - 1 - z ln 2) / z^2; -0.5 <= z <= 0.5, weighted error 2^-27.8. */
static inline float exp2_rest_single(float z)
{
    float p = 0x1.44773cp-13f;
    p = p * z + 0x1.5f055cp-10f;
    p = p * z + 0x1.3b29d4p-7f;
    p = p * z + 0x1.c6af86p-5f;
    return p * z + 0x1.ebfbep-3f;
}

/* (log(1 + z) - z + z^2/2) / z^3; -0.33334 <= z <= 0.33334, weighted error 2^-27.3. */
static inline float log1p_rest_single(float z)
{
    float p = -0x1.0deedap-3f;
    p = p * z + 0x1.1d9e56p-3f;
    p = p * z - 0x1.f05be2p-4f;
    p = p * z + 0x1.1f04d2p-3f;
    p = p * z - 0x1.55b68ap-3f;
    p = p * z + 0x1.99cceap-3f;
    p = p * z - 0x1.fffe68p-3f;
    return p * z + 0x1.55551p-2f;
}

#endif
