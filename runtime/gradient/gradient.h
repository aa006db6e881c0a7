/*
 * Gradients: what a change of a node's elements means for its operands.
 *
 * A rule is given the gradient with respect to a node's elements, over the node's shape, and answers for operand i with
 * the gradient over the node's domain, recorded like any other expression. What an edge's view does to it (sum over
 * broadcast axes, put where it belongs) is no rule's business: gradient.c does it for all.
 */
#ifndef ZC_RUNTIME_GRADIENT_GRADIENT_H
#define ZC_RUNTIME_GRADIENT_GRADIENT_H

#include "runtime/graph/tensor.h"

/* A node on the way back. The handles belong to the open scope. */
typedef struct zc_backward {
    zc_context *ctx;
    const zc_node *node;
    const zc_tensor *gradient; /* with respect to the node's elements */
    const zc_tensor *result;   /* the node itself */
    const zc_tensor *operand[ZC_MAX_ARITY];
} zc_backward;

/* The gradient with respect to operand i over the node's domain. NULL after a failure in the context. */
typedef zc_tensor *zc_gradient_rule(const zc_backward *b, int i);

/* Ways in which a node passes on the gradient of its elements. */
typedef enum zc_differentiable {
    ZC_GRADIENT_PASSED,     /* added, negated or repeated by a rule */
    ZC_GRADIENT_CHOICE,     /* handed by a rule to the element that was chosen, and zero to the others */
    ZC_GRADIENT_RULE,       /* multiplied by a rule with a slope that is finite where operands and result are */
    ZC_GRADIENT_SINGULAR,   /* multiplied by a rule with a slope that may be infinite there */
    ZC_GRADIENT_TAKEN,      /* handed back to where it was taken from, without a rule */
    ZC_GRADIENT_CONTRACTED, /* multiplied with the other operand by a contraction */
    ZC_GRADIENT_ZERO,       /* the result moves in steps: nothing goes back */
    ZC_GRADIENT_NONE        /* not defined */
} zc_differentiable;

#endif
