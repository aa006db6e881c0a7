/*
 * Contractions of 32-bit integers whose factors fit into 16 or 8 bits: packed factors become pairs or fours, of which a
 * kernel multiplies all at once and adds the products. Whether they fit is looked at chain by chain and panel by panel,
 * when they are packed: what was cast from 8 bits does, and so do counts, positions in small axes and most other
 * integers.
 */
#ifndef ZC_MATERIALIZE_TILE_GROUPS_H
#define ZC_MATERIALIZE_TILE_GROUPS_H

#include "materialize/tile/contractions/contraction.h"

/* The kernels of groups; NULL: there are none, or packing would take longer than it saves. */
typedef struct zc_group_kernels {
    zc_contract_kernel *pairs;
    zc_contract_kernel *const *fours; /* [2]: the bytes of x have no sign and those of y have one, and vice versa */
} zc_group_kernels;

zc_group_kernels zc_groups_find(const zc_kernels *kernels, const zc_contract_shape *shape);

/* Form of packed rows of x. */
typedef struct zc_grouped {
    int of;           /* factors in an integer: 1, 2 or 4 */
    bool are_signed;  /* the factors of fours have a sign */
    bool are_flipped; /* the highest bits of the fours' bytes are the other way round */
} zc_grouped;

/* Number of integers that `products` products of a chain become. */
static inline int64_t zc_groups_of(zc_grouped grouped, int64_t products)
{
    return zc_divide_up(products, grouped.of);
}

/* Packed rows of all chains, one chain after the other. */
typedef struct zc_packed_rows {
    char *x;
    int64_t rows, products;
} zc_packed_rows;

/* Makes groups of packed rows, as large ones as fit. */
zc_grouped zc_groups_make_rows(const zc_kernels *kernels, zc_group_kernels groups, zc_packed_rows rows);

/* Makes groups of a packed panel of y in the same way, of factors of the same column. Rows whose groups the panel does
 * not fit become smaller ones, and keep nothing but their factors. */
zc_grouped zc_groups_make_panel(const zc_kernels *kernels, zc_grouped grouped, zc_packed_rows rows, char *y,
                                int64_t products, int64_t columns);

/* Returns the kernel for rows and a panel in groups of more than one. */
zc_contract_kernel *zc_groups_kernel(zc_group_kernels groups, zc_grouped grouped);

#endif
