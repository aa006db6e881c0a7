/* The order in which elements are joined (docs/numerics.md). */
#ifndef ZC_RUNTIME_OPS_ORDER_H
#define ZC_RUNTIME_OPS_ORDER_H

/* Lanes that a reduction's leaf is summed in, and elements of a leaf. */
enum { ZC_LANES = 16, ZC_LEAF = 1024 };

/* Products of a contraction that are added one after the other, rounded once each, and products after which such sums
 * are no longer added in order but by the tree. */
enum { ZC_CHAIN = 256, ZC_CHAINS_END = 4096 };

#endif
