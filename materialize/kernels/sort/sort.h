/*
 * The prototypes of the kernels of the instruction set ZC_ISA that sort keys.
 */
#ifndef ZC_MATERIALIZE_KERNELS_SORT_SORT_H
#define ZC_MATERIALIZE_KERNELS_SORT_SORT_H

#include "materialize/kernels/domains.h"
#include "materialize/kernels/kernels.h"
#include "materialize/kernels/templates/names.h"

#pragma GCC visibility push(hidden)

#define ZC_DECLARE_SORT(dtype)                                                                                         \
    void ZC_KERNEL_OF(sort_few, dtype)(void *out, const void *in, int64_t n);                                          \
    int64_t ZC_KERNEL_OF(sort_divide, dtype)(void *out, const void *in, int64_t n, const void *pivot);                 \
    bool ZC_KERNEL_OF(sort_to_keys, dtype)(void *elements, int64_t n, const zc_key_bits *bits);                        \
    void ZC_KERNEL_OF(sort_from_keys, dtype)(void *keys, int64_t n, const zc_key_bits *bits);                          \
    int64_t ZC_KERNEL_OF(sort_rows, dtype)(void *out, const void *in, int64_t rows, int64_t n,                         \
                                           const zc_key_bits *bits);                                                   \
    int64_t ZC_KERNEL_OF(sort_find, dtype)(int32_t * places, const void *elements, int64_t n, const void *limit,       \
                                           const zc_key_bits *bits);
ZC_DECLARE_SORT(uint32)
ZC_DECLARE_SORT(uint64)

#pragma GCC visibility pop

#endif
