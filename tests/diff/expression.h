/*
 * Random expressions of every dtype, recorded in several contexts at once, and the comparison of their results bit by
 * bit.
 *
 * An expression is a list of drawn inputs and steps, so that it can be recorded again: in each of several pools, which
 * take the same steps, and over other values of its inputs. Of a smooth one, all steps have gradients.
 */
#ifndef ZC_TESTS_DIFF_EXPRESSION_H
#define ZC_TESTS_DIFF_EXPRESSION_H

#include "zerocast.h"

enum { MOST_ITEMS = 12, LEAVES = 3, MOST_STEPS = 14, MOST_ELEMENTS = 60000 };

/* Operation on items of a pool of tensors. */
typedef struct step {
    int kind, which;
    bool is_smooth;
    int a, b, c;
    uint64_t bits;
} step;

/* The tensors of one context: the inputs first. */
typedef struct pool {
    zc_context *ctx;
    zc_scope *scope;
    zc_tensor *items[MOST_ITEMS];
    int count;
} pool;

/* An input: its dtype and shape, as drawn once, and the values it has at the moment. */
typedef struct leaf {
    zc_dtype dtype;
    bool is_smooth;
    int rank;
    int64_t shape[4], size;
    double *values;
} leaf;

typedef struct expression {
    bool is_smooth;
    leaf leaves[LEAVES];
    step steps[MOST_STEPS];
    int step_count;
} expression;

expression expression_draw(bool is_smooth);
void expression_free(expression *e);

/* The same inputs, with new values, in each of `count` empty pools. */
void expression_add_leaves(expression *e, pool *pools, int count);

/* Takes a step in one pool. What the library refuses leaves the pool as it was. */
void expression_step(pool *p, const step *s);

/* Draws an expression and records it, with the same values, in each of `count` empty pools. */
void expression_record(pool *pools, int count);

/* t computed. */
zc_tensor *materialized(const pool *p, const zc_tensor *t);

#endif
