/*
 * Which tables of kernels there are, and which this machine runs. Whoever walks over the tables walks over this list:
 * the choice at start, and the tests that compare them.
 */
#ifndef ZC_MATERIALIZE_KERNELS_TABLES_DISPATCH_H
#define ZC_MATERIALIZE_KERNELS_TABLES_DISPATCH_H

#include "materialize/kernels/kernels.h"

#define ZC_KERNEL_TABLE(name, is_supported) extern const zc_kernels zc_kernels_##name;
#include "materialize/kernels/tables/tables.def"
#undef ZC_KERNEL_TABLE

typedef struct zc_kernel_table {
    const zc_kernels *kernels;
    bool (*is_supported)(void);
} zc_kernel_table;

#define ZC_KERNEL_TABLE(name, is_supported) +1
enum {
    ZC_KERNEL_TABLES = 0
#include "materialize/kernels/tables/tables.def"
};
#undef ZC_KERNEL_TABLE

/* The best first; the last, zc_kernels_portable, every machine supports. */
extern const zc_kernel_table zc_kernel_tables[ZC_KERNEL_TABLES];

/* The first table of the list that this machine supports, chosen once. */
const zc_kernels *zc_kernels_best(void);

/* The table's kernel of pairs that this machine is fastest with; NULL: it has none. */
zc_contract_kernel *zc_kernels_pairs(const zc_kernels *kernels);

/* The table's two kernels of fours; NULL: it has none, or this machine cannot run them. */
zc_contract_kernel *const *zc_kernels_fours(const zc_kernels *kernels);

/* The table's kernels of tiles; NULL: it has none, or this machine, the system or the environment variable
 * ZEROCAST_TILES=0 does not let them run. The first call asks the system for the whole process. */
const zc_tile_kernels *zc_kernels_tiles(const zc_kernels *kernels);

/* Tells whether this machine reads so few streams ahead by itself that kernels had better ask for what they read
 * next. */
bool zc_kernels_ask_ahead(void);

/* Returns the element that joins without effect, in a reduction over elements of that dtype. */
zc_scalar zc_reduction_padding(zc_reduction reduction, zc_dtype dtype);

#endif
