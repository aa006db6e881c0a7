/*
 * The prototypes of the kernels of the instruction set ZC_ISA that go over elements, made from the rows of ops.def,
 * reductions.def and dtype.def: what the files of this folder define, tables/table.c collects.
 */
#ifndef ZC_MATERIALIZE_KERNELS_ELEMENTS_ELEMENTS_H
#define ZC_MATERIALIZE_KERNELS_ELEMENTS_ELEMENTS_H

#include "materialize/kernels/domains.h"
#include "materialize/kernels/kernels.h"
#include "materialize/kernels/templates/names.h"

#pragma GCC visibility push(hidden)

#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    ZC_EACH_IN(domain, complex, ZC_DECLARE, zc_map_kernel, map_##name)
#include "runtime/ops/ops.def"
#undef ZC_OP
ZC_EACH_COMPLEX(ZC_DECLARE, zc_map_kernel, map_real)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_map_kernel, map_imag)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_map_kernel, map_conj)
ZC_EACH_COMPLEX(ZC_DECLARE, zc_map_kernel, map_complex)

#define ZC_DTYPE(NAME, name, type, KIND, width, value)                                                                 \
    ZC_EACH_DTYPE(ZC_IS_SIGNLESS_FROM_##KIND, ZC_DECLARE, zc_map_kernel, cast_##NAME)
#include "runtime/dtypes/dtype.def"
#undef ZC_DTYPE

/* Reductions that combine in the same way have the same kernels, so these are called by what combines. */
#define ZC_REDUCTION(NAME, name, combine, padding, accumulator, empty, invariant)                                      \
    ZC_EACH_IN(accumulator, SAME, ZC_DECLARE, zc_run_kernel, run_##combine)                                            \
    ZC_EACH_IN(accumulator, SAME, ZC_DECLARE, zc_rows_kernel, rows_##combine)                                          \
    ZC_EACH_OWN_IN(accumulator, SAME, ZC_DECLARE, zc_columns_kernel, columns_##combine)                                \
    ZC_EACH_OWN_IN(accumulator, SAME, ZC_DECLARE, zc_tree_kernel, tree_##combine)
#include "runtime/ops/reductions.def"
#undef ZC_REDUCTION
ZC_EACH_WIDE(ZC_DECLARE, zc_map_kernel, log_sum_lift)
ZC_EACH_WIDE(ZC_DECLARE, zc_map_kernel, log_sum_absorb)
ZC_EACH_WIDE(ZC_DECLARE, zc_map_kernel, log_sum_join)

ZC_EACH_WIDE(ZC_DECLARE, zc_row_dot_kernel, row_dot_product)
ZC_EACH_WIDE(ZC_DECLARE, zc_row_dot_kernel, row_dot_distance)
ZC_EACH_WIDE(ZC_DECLARE, zc_row_dot_kernel, row_dot_magnitude)
ZC_EACH_WIDE(ZC_DECLARE, zc_row_panel_kernel, row_panel_product)
ZC_EACH_WIDE(ZC_DECLARE, zc_row_panel_kernel, row_panel_distance)
ZC_EACH_WIDE(ZC_DECLARE, zc_row_panel_kernel, row_panel_magnitude)
ZC_EACH_IN(SAME, NO, ZC_DECLARE, zc_find_kernel, find)
zc_count_kernel ZC_KERNEL_OF_ALL(count);
ZC_EACH_IN(SAME, NO, ZC_DECLARE, zc_extreme_kernel, smallest)
ZC_EACH_IN(SAME, NO, ZC_DECLARE, zc_extreme_kernel, largest)
#define ZC_UPDATE(NAME, name, op) ZC_EACH_OWN_IN(NUMBER, NO, ZC_DECLARE, zc_update_kernel, update_##name)
#include "runtime/ops/updates.def"
#undef ZC_UPDATE
ZC_EACH_OWN_IN(SIGNLESS, SAME, ZC_DECLARE, zc_scan_kernel, scan_sum)
ZC_EACH_OWN_IN(SIGNLESS, SAME, ZC_DECLARE, zc_scan_kernel, scan_product)
ZC_EACH_WIDE(ZC_DECLARE, zc_recurrence_kernel, recurrence)

/* Kernels that move elements without looking at them; bools become 0 or 1 on the way. */
#define ZC_DECLARE_MOVED(NAME, moved, type, f) type ZC_KERNEL_OF(f, moved);
ZC_EACH_MOVED(ZC_DECLARE_MOVED, zc_map_kernel, map_copy)
ZC_EACH_MOVED(ZC_DECLARE_MOVED, zc_strided_kernel, pack)
ZC_EACH_MOVED(ZC_DECLARE_MOVED, zc_strided_kernel, unpack)
ZC_EACH_MOVED(ZC_DECLARE_MOVED, zc_spread_kernel, spread)
ZC_EACH_MOVED(ZC_DECLARE_MOVED, zc_gather_kernel, gather)
ZC_EACH_MOVED(ZC_DECLARE_MOVED, zc_deal_kernel, deal)
ZC_EACH_BOOL(ZC_DECLARE, zc_map_kernel, map_copy)
ZC_EACH_BOOL(ZC_DECLARE, zc_strided_kernel, unpack)

ZC_DECLARE(, 1, zc_transpose_kernel, transpose)
ZC_DECLARE(, 2, zc_transpose_kernel, transpose)
ZC_DECLARE(, 4, zc_transpose_kernel, transpose)
ZC_DECLARE(, 8, zc_transpose_kernel, transpose)
ZC_DECLARE(, 16, zc_transpose_kernel, transpose)

zc_lines_kernel ZC_KERNEL_OF_ALL(lines);
zc_stream_kernel ZC_KERNEL_OF_ALL(stream);
void ZC_KERNEL_OF_ALL(fence)(void);
void ZC_KERNEL_OF_ALL(fill_index)(int64_t *out, int64_t first, int64_t stride, int64_t n);
zc_inside_kernel ZC_KERNEL_OF_ALL(are_inside);
zc_check_kernel ZC_KERNEL_OF_ALL(check_index);
extern const zc_chain_kernels ZC_KERNEL_OF_ALL(chains);

#pragma GCC visibility pop

#endif
