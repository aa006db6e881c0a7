/*
 * What a plan must be: the definition, checked before every run. A refusal here is a defect of lowering, never of the
 * caller, and is reported as such instead of reading outside a buffer.
 */
#ifndef ZC_MATERIALIZE_PLAN_VERIFY_H
#define ZC_MATERIALIZE_PLAN_VERIFY_H

#include "materialize/plan/plan.h"

/* ZC_OK, or ZC_ERROR_INTERNAL with the rule that is broken. Takes memory of the arena. */
zc_status zc_plan_verify(zc_plan *plan, zc_reason *why);

#endif
