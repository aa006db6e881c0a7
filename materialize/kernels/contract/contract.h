/*
 * The prototypes of the kernels of contractions of the instruction set ZC_ISA: what the files of this folder define.
 */
#ifndef ZC_MATERIALIZE_KERNELS_CONTRACT_CONTRACT_H
#define ZC_MATERIALIZE_KERNELS_CONTRACT_CONTRACT_H

#include "materialize/kernels/domains.h"
#include "materialize/kernels/kernels.h"
#include "materialize/kernels/templates/names.h"

#pragma GCC visibility push(hidden)

ZC_EACH_WIDE(ZC_DECLARE, zc_contract_kernel, contract)
ZC_EACH_WIDE(ZC_DECLARE, zc_contract_lanes_kernel, contract_lanes)
ZC_EACH_WIDE(ZC_DECLARE, zc_contract_inner_kernel, contract_inner)
ZC_EACH_WIDE(ZC_DECLARE, zc_contract_batches_kernel, contract_batches)
ZC_EACH_WIDE(ZC_DECLARE, zc_contract_row_kernel, contract_row)
ZC_EACH_WIDE(ZC_DECLARE, zc_contract_narrow_kernel, contract_narrow)
ZC_EACH_WIDE(ZC_DECLARE, zc_contract_squares_kernel, contract_squares)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_contract_kernel, contract)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_contract_lanes_kernel, contract_lanes)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_contract_inner_kernel, contract_inner)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_contract_batches_kernel, contract_batches)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_contract_row_kernel, contract_row)
ZC_EACH_INTEGER(YES, ZC_DECLARE, zc_contract_kernel, contract)
ZC_EACH_LONG(YES, ZC_DECLARE, zc_contract_kernel, contract)
ZC_EACH_INTEGER(YES, ZC_DECLARE, zc_contract_lanes_kernel, contract_lanes)
ZC_EACH_LONG(YES, ZC_DECLARE, zc_contract_lanes_kernel, contract_lanes)
ZC_EACH_INTEGER(YES, ZC_DECLARE, zc_contract_inner_kernel, contract_inner)
ZC_EACH_INTEGER(YES, ZC_DECLARE, zc_contract_batches_kernel, contract_batches)
ZC_EACH_LONG(YES, ZC_DECLARE, zc_contract_inner_kernel, contract_inner)
ZC_EACH_LONG(YES, ZC_DECLARE, zc_contract_batches_kernel, contract_batches)
ZC_DECLARE(, pairs, zc_contract_kernel, contract)
ZC_DECLARE(, pairs_in_one, zc_contract_kernel, contract)
ZC_DECLARE(, fours, zc_contract_kernel, contract)
ZC_DECLARE(, fours_of_signed, zc_contract_kernel, contract)
int ZC_KERNEL_OF_ALL(fit)(const void *integers, int64_t n);
void ZC_KERNEL_OF_ALL(pair)(const zc_integer_groups *groups);
void ZC_KERNEL_OF_ALL(part)(const zc_integer_groups *groups);
void ZC_KERNEL_OF_ALL(four)(const zc_integer_groups *groups);
void ZC_KERNEL_OF_ALL(flip)(const zc_integer_groups *groups);
void ZC_KERNEL_OF_ALL(part_fours)(const zc_integer_groups *groups);
void ZC_KERNEL_OF_ALL(tiles)(const zc_byte_tiles *tiles);
void ZC_KERNEL_OF_ALL(interleave_tiles)(const void *from, int64_t row, void *to, int64_t half);

#pragma GCC visibility pop

#endif
