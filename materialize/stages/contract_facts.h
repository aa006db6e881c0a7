/*
 * What explain tells of a contraction, and of a sum of products that a contraction would make with less.
 */
#ifndef ZC_MATERIALIZE_STAGES_CONTRACT_FACTS_H
#define ZC_MATERIALIZE_STAGES_CONTRACT_FACTS_H

#include "materialize/plan/stage.h"

/* Extent of a summed product of two values: it has `batches` blocks of `rows` by `columns` results. Along rows only the
 * first operand moves, along columns only the second. Each result is the sum of `products` products. */
typedef struct zc_contraction_facts {
    int64_t batches, rows, columns, products;
    int64_t chains, runs; /* in which those are summed (docs/numerics.md) */
} zc_contraction_facts;

/* Facts about a stage that contracts, or sums a product; one that contracts walks an axis at least. */
zc_contraction_facts zc_explain_contraction(const zc_stage *stage);

/* A function that makes the stage's result with fewer loads, operations and stores per product: counted, not
 * measured. */
typedef struct zc_hint {
    const char *function; /* NULL: there is none */
    double operations, instead_of;
} zc_hint;

zc_hint zc_explain_hint(const zc_stage *stage);

#endif
