/* The bits of floats and back: what arithmetic on exponents and signs begins and ends with. */
#ifndef ZC_MATH_FLOATS_FLOAT_BITS_H
#define ZC_MATH_FLOATS_FLOAT_BITS_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)
#error "zerocast rounds each result as C says; these flags of the compiler change that (-mfpmath=387, -ffast-math ...)"
#endif

static inline uint32_t bits_of_single(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float single_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
