/*
 * The table of kernels of the instruction set ZC_ISA.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TABLES_TABLE_H
#define ZC_MATERIALIZE_KERNELS_TABLES_TABLE_H

#include "materialize/kernels/kernels.h"
#include "materialize/kernels/templates/names.h"

#pragma GCC visibility push(hidden)

extern const zc_kernels ZC_KERNEL_OF_ALL(kernels);

#pragma GCC visibility pop

#endif
