/* Stages that sum products by the rule of contractions. */
#ifndef ZC_MATERIALIZE_STAGES_CONTRACT_H
#define ZC_MATERIALIZE_STAGES_CONTRACT_H

#include "materialize/plan/stage.h"

/* The most values of a stage that contracts: its operands may be computed. Each element is computed once where the
 * other operand has at most so many bytes of rows or columns of its own, which are one block. */
enum { ZC_MOST_CONTRACTED_VALUES = 64, ZC_MOST_CONTRACTED_LINE = 512 };

/* Bytes that become 32-bit integers are multiplied as bytes where there are at least so many rows, columns, and
 * products per result: the size of a tile. */
enum { ZC_LEAST_TILE_SIDE = 32, ZC_LEAST_TILE_PRODUCTS = 64 };

extern const zc_stage_kind zc_stage_kind_contract;

#endif
