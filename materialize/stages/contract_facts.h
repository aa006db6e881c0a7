/*
 * What explain tells of a contraction, and of a sum of products that a contraction would make with less.
 */
#ifndef ZC_MATERIALIZE_STAGES_CONTRACT_FACTS_H
#define ZC_MATERIALIZE_STAGES_CONTRACT_FACTS_H

#include "materialize/plan/stage.h"

/* The results of a product of two values that is summed are `batches` blocks of `rows` by `columns`: along rows only
 * the first operand moves, along columns only the second. Each is the sum of so many products. */
typedef struct zc_contraction_facts {
    int64_t batches, rows, columns, products;
    int64_t chains, runs; /* in which those are summed (docs/numerics.md) */
} zc_contraction_facts;

/* Of a stage that contracts, or sums a product; one that contracts walks an axis at least. */
zc_contraction_facts zc_explain_contraction(const zc_stage *stage);

/* A function that makes what a stage makes with fewer loads, operations and stores per product: counted, not measured.
 */
typedef struct zc_hint {
    const char *function; /* NULL: there is none */
    double operations, instead_of;
} zc_hint;

zc_hint zc_explain_hint(const zc_stage *stage);

#endif
