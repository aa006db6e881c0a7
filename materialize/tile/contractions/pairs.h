/*
 * Contractions of 32-bit integers whose factors fit into 16 bits: packed factors become pairs, of which a kernel
 * multiplies both at once and adds the products. Whether they fit is looked at chain by chain and panel by panel, when
 * they are packed: what was cast from 8 bits does, and so do counts, positions in small axes and most other integers.
 */
#ifndef ZC_MATERIALIZE_TILE_PAIRS_H
#define ZC_MATERIALIZE_TILE_PAIRS_H

#include "materialize/tile/contractions/contraction.h"

/* The kernel of pairs, or NULL: there is none, or packing would take longer than it saves. */
zc_contract_kernel *zc_pairs_find(const zc_kernels *kernels, const zc_contract_shape *shape);

/* Pairs that so many products of a chain become. */
static inline int64_t zc_pairs_of(int64_t products)
{
    return zc_divide_up(products, 2);
}

/* Makes pairs of packed rows of x, chain by chain. False: some factor does not fit, and nothing has changed. */
bool zc_pairs_make_rows(const zc_kernels *kernels, char *x, int64_t rows, int64_t products);

/* Makes factors of these pairs. */
void zc_pairs_part_rows(const zc_kernels *kernels, char *x, int64_t rows, int64_t products);

/* Makes pairs of a packed panel of y, likewise: of factors of the same column. */
bool zc_pairs_make_panel(const zc_kernels *kernels, char *y, int64_t products, int64_t columns);

#endif
