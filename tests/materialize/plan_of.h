/*
 * The plan of one tensor, as zc_materialize would run it.
 */
#ifndef ZC_TESTS_MATERIALIZE_PLAN_OF_H
#define ZC_TESTS_MATERIALIZE_PLAN_OF_H

#include "materialize/planner/planner.h"

static inline zc_status zc_plan_of(const zc_tensor *t, zc_plan *plan)
{
    return zc_plan_make(&(zc_plan_request){.count = 1, .tensors = &t, .function = "test"}, plan);
}

#endif
