/* The functions of bool elements, on values 0 and 1; they end in bool_ because bool is a macro. A bool has one bit:
 * shifting it by one or more gives false. */
#ifndef ZC_RUNTIME_OPS_ELEMENTS_BOOL_H
#define ZC_RUNTIME_OPS_ELEMENTS_BOOL_H

#include <stdint.h>

static inline uint8_t minimum_bool_(uint8_t x, uint8_t y)
{
    return x & y;
}

static inline uint8_t maximum_bool_(uint8_t x, uint8_t y)
{
    return x | y;
}

static inline uint8_t abs_bool_(uint8_t x)
{
    return x;
}

static inline uint8_t invert_bool_(uint8_t x)
{
    return x ^ 1;
}

static inline uint8_t left_shift_bool_(uint8_t x, uint8_t y)
{
    return x & (y ^ 1);
}

static inline uint8_t right_shift_bool_(uint8_t x, uint8_t y)
{
    return x & (y ^ 1);
}

#endif
