/* Computed positions outside the axis that they are positions in: found while a stage runs, told when it ends. */
#ifndef ZC_MATERIALIZE_EXECUTE_BAD_INDEX_H
#define ZC_MATERIALIZE_EXECUTE_BAD_INDEX_H

#include "materialize/kernels/tables/dispatch.h"
#include "materialize/plan/plan.h"

/* Bad index that a stage reports: of all that it finds, the smallest one of the first check, so that it does not depend
 * on who finds it. */
typedef struct zc_bad_index {
    int32_t check; /* value of the check; -1: none was found */
    int64_t position;
} zc_bad_index;

/* Takes positions of a check into the axis: negative ones from its end; bad ones, which are kept, to 0. They are in
 * `room`; or where they were, if none needs to be changed: that is most often so, and saves storing them. */
const int64_t *zc_check_positions(const zc_kernels *kernels, const zc_stage *stage, int32_t check,
                                  const int64_t *positions, int64_t *room, int64_t n, zc_bad_index *bad);

/* Keeps whichever of two bad indices comes first. */
void zc_keep_bad_index(zc_bad_index *first, zc_bad_index found);

#endif
