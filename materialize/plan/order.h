/*
 * Puts the stages in an order in which every temporary is written before it is read, and drops those whose results
 * nothing reads: a depth-first walk from the stages that make the outputs, with a stack of its own. Stages that stand
 * in that order stay where they are. Then numbers the slots: the outputs, the inputs as the stages first read them, the
 * temporaries as they are written.
 */
#ifndef ZC_MATERIALIZE_PLAN_ORDER_H
#define ZC_MATERIALIZE_PLAN_ORDER_H

#include "materialize/plan/plan.h"

/* Orders the stages. ZC_ERROR_MEMORY when memory is out. */
zc_status zc_plan_order(zc_plan *plan);

/* Numbers the slots anew. False when memory is out. */
bool zc_plan_number_slots(zc_plan *plan);

#endif
