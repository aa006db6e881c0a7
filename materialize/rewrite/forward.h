/* Copies that are not made: what a stage would only copy is stored where the copy would go. */
#ifndef ZC_MATERIALIZE_REWRITE_FORWARD_H
#define ZC_MATERIALIZE_REWRITE_FORWARD_H

#include "materialize/plan/plan.h"
#include "materialize/plan/policy.h"

/* Lets the stages that make a temporary store it in place where a stage only copies it and nothing else reads it. False
 * when memory is out. */
bool zc_forward_copies(zc_plan *plan, zc_policy policy);

#endif
