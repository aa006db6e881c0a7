/*
 * The kernel tables that this machine can run, for tests that compare them.
 */
#ifndef ZC_TESTS_MATERIALIZE_TABLES_H
#define ZC_TESTS_MATERIALIZE_TABLES_H

#include "materialize/kernels.h"

enum { MOST_TABLES = 3 };

/* The portable one first; returns how many there are. */
static inline int list_tables(const zc_kernels **out)
{
    int count = 0;
    out[count++] = &zc_kernels_portable;
#if defined(ZC_HAVE_X86_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        out[count++] = &zc_kernels_avx2;
    if (zc_kernels_best() == &zc_kernels_avx512)
        out[count++] = &zc_kernels_avx512;
#endif
    return count;
}

#endif
