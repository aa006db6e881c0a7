/* Contractions whose matrices have so few columns that each row of one is a vector, two, or half of one: those that
 * contract_narrow takes, and that others leave to it. */
#ifndef ZC_MATERIALIZE_TILE_FEW_COLUMNS_H
#define ZC_MATERIALIZE_TILE_FEW_COLUMNS_H

#include "materialize/tile/contractions/contraction.h"

bool zc_few_columns_apply(const zc_tile_program *program, const zc_contract_shape *shape);

/* Number of elements of the vectors that a row of a matrix fills. */
int64_t zc_few_columns_lanes(const zc_tile_program *program, const zc_contract_shape *shape);

/* Counts the batches, from the first on, whose rows have whole vectors inside the operand; 0 also where rows are not
 * next to each other, or reversed. */
int64_t zc_few_columns_in_place(const zc_tile_program *program, const zc_contract_shape *shape);

#endif
