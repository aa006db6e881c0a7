/*
 * The kernels that sort keys, where an instruction lays the chosen lanes of a register side by side. Elsewhere there
 * are none, and lines are sorted by digits (eager/sorter_tmpl.h).
 */
#include <string.h>

#include "materialize/kernels/templates/emit.h"

#if defined(ZC_COMPRESSES)
#define ZC_D     uint32
#define ZC_T     uint32_t
#define ZC_WIDTH 32
#define ZC_LANE_NUMBERS                                                                                                \
    {                                                                                                                  \
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15                                                           \
    }
#include "materialize/kernels/sort/sort_tmpl.h"
#define ZC_D     uint64
#define ZC_T     uint64_t
#define ZC_WIDTH 64
#define ZC_LANE_NUMBERS                                                                                                \
    {                                                                                                                  \
        0, 1, 2, 3, 4, 5, 6, 7                                                                                         \
    }
#include "materialize/kernels/sort/sort_tmpl.h"
#endif
