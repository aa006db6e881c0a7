/*
 * Where near_NAME may take the place of NAME, for the functions of one operand that have it: ZC_NEAR_name_DTYPE is
 *
 *     mask, first, count
 *
 * and x is in the range where ((bits of x & mask) - first), without sign, is at most `count`. The bits of floats that
 * are not negative have the floats' order, and without the sign's bit they are those of the size.
 */
#ifndef ZC_MATH_RANGES_H
#define ZC_MATH_RANGES_H

#include <stdint.h>

/* |x| up to a number, by its bits. */
#define ZC_SIZE_UP_TO_32(bits) UINT32_C(0x7fffffff), 0, UINT32_C(bits)
#define ZC_SIZE_UP_TO_64(bits) UINT64_C(0x7fffffffffffffff), 0, UINT64_C(bits)
/* |x| below a number, infinities and NaN: round about the numbers between. */
#define ZC_SIZE_BELOW_32(bits) UINT32_C(0x7fffffff), UINT32_C(0x7f800000), UINT32_C(bits) - 1 - UINT32_C(0x7f800000)
#define ZC_SIZE_BELOW_64(bits)                                                                                         \
    UINT64_C(0x7fffffffffffffff), UINT64_C(0x7ff0000000000000), UINT64_C(bits) - 1 - UINT64_C(0x7ff0000000000000)
/* Positive normal numbers. */
#define ZC_NORMAL_32 UINT32_MAX, UINT32_C(0x00800000), UINT32_C(0x7effffff)
#define ZC_NORMAL_64 UINT64_MAX, UINT64_C(0x0010000000000000), UINT64_C(0x7fdfffffffffffff)

#define ZC_NEAR_exp_float32       ZC_SIZE_UP_TO_32(0x42ae0000)         /* 87 */
#define ZC_NEAR_exp_float64       ZC_SIZE_UP_TO_64(0x4086200000000000) /* 708 */
#define ZC_NEAR_exp2_float32      ZC_SIZE_UP_TO_32(0x42fa0000)         /* 125 */
#define ZC_NEAR_exp2_float64      ZC_SIZE_UP_TO_64(0x408fe80000000000) /* 1021 */
#define ZC_NEAR_log_float32       ZC_NORMAL_32
#define ZC_NEAR_log_float64       ZC_NORMAL_64
#define ZC_NEAR_log2_float32      ZC_NORMAL_32
#define ZC_NEAR_log2_float64      ZC_NORMAL_64
#define ZC_NEAR_log10_float32     ZC_NORMAL_32
#define ZC_NEAR_log10_float64     ZC_NORMAL_64
#define ZC_NEAR_sin_float32       ZC_SIZE_BELOW_32(0x47800000)         /* 2^16 */
#define ZC_NEAR_sin_float64       ZC_SIZE_BELOW_64(0x4130000000000000) /* 2^20 */
#define ZC_NEAR_cos_float32       ZC_NEAR_sin_float32
#define ZC_NEAR_cos_float64       ZC_NEAR_sin_float64
#define ZC_NEAR_tan_float32       ZC_SIZE_BELOW_32(0x49800000) /* 2^20 */
#define ZC_NEAR_tan_float64       ZC_NEAR_sin_float64
#define ZC_NEAR_sigmoid_float32   ZC_SIZE_UP_TO_32(0x42a00000)         /* 80 */
#define ZC_NEAR_sigmoid_float64   ZC_SIZE_UP_TO_64(0x4085e00000000000) /* 700 */
#define ZC_NEAR_silu_float32      ZC_NEAR_sigmoid_float32
#define ZC_NEAR_silu_float64      ZC_NEAR_sigmoid_float64
#define ZC_NEAR_gelu_tanh_float32 ZC_SIZE_UP_TO_32(0x40e00000)         /* 7 */
#define ZC_NEAR_gelu_tanh_float64 ZC_SIZE_UP_TO_64(0x4034000000000000) /* 20 */

#endif
