/* The rule of contractions: to each operand, the contraction of the gradient with the other one. */
#ifndef ZC_RUNTIME_GRADIENT_GRADIENT_CONTRACT_H
#define ZC_RUNTIME_GRADIENT_GRADIENT_CONTRACT_H

#include "runtime/gradient/gradient.h"

/* Gradient of the node of operand i, in that node's shape; the operand has elements. NULL after a failure. */
zc_tensor *zc_gradient_of_contract(const zc_backward *b, int i);

#endif
