/* Costs, known before anything runs. */
#ifndef ZC_MATERIALIZE_COST_H
#define ZC_MATERIALIZE_COST_H

#include "zerocast.h"

/* zc_cost_of_all() for `function`. */
zc_status zc_ask_cost(int count, const zc_tensor *const *tensors, const char *function, zc_cost *cost);

#endif
