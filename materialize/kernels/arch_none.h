/* Features beyond C on a machine of which nothing is known: the names of arch_x86.h, without vectors. */
#ifndef ZC_MATERIALIZE_KERNELS_ARCH_NONE_H
#define ZC_MATERIALIZE_KERNELS_ARCH_NONE_H

#include <stdbool.h>
#include <stdint.h>

static inline bool zc_has_pairs_in_one(void)
{
    return false;
}

static inline bool zc_has_fours(void)
{
    return false;
}

static inline bool zc_has_tiles(void)
{
    return false;
}

static inline bool zc_reads_few_streams(void)
{
    return false;
}

static inline void zc_pause(void)
{
}

static inline void zc_fence(void)
{
}

static inline int64_t zc_widen_float16(float *out, const uint16_t *elements, int64_t n)
{
    (void)out, (void)elements, (void)n;
    return 0;
}

static inline int64_t zc_narrow_float16(uint16_t *elements, const float *numbers, int64_t n)
{
    (void)elements, (void)numbers, (void)n;
    return 0;
}

#endif
