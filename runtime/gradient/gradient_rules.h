/*
 * The rules of elementwise operations.
 */
#ifndef ZC_RUNTIME_GRADIENT_GRADIENT_RULES_H
#define ZC_RUNTIME_GRADIENT_GRADIENT_RULES_H

#include "runtime/gradient/gradient.h"

/* Returns how an elementwise operation passes on the gradient of its elements, and sets its rule. */
zc_differentiable zc_gradient_of_op(zc_op op, zc_gradient_rule **rule);

#endif
