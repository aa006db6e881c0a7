/*
 * The kernel tables that this machine can run, for tests that compare them.
 */
#ifndef ZC_TESTS_MATERIALIZE_TABLES_H
#define ZC_TESTS_MATERIALIZE_TABLES_H

#include "materialize/kernels/tables/dispatch.h"

enum { MOST_TABLES = ZC_KERNEL_TABLES };

/* The portable one first; returns how many there are. */
static inline int list_tables(const zc_kernels **out)
{
    int count = 0;
    for (int t = ZC_KERNEL_TABLES - 1; t >= 0; t--) {
        if (zc_kernel_tables[t].is_supported())
            out[count++] = zc_kernel_tables[t].kernels;
    }
    return count;
}

#endif
