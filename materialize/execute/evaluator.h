/*
 * An evaluator: the values of a stage at one place of its domain after the other, in plain C, as the reference executor
 * computes them. The kinds of stages make their elements with it (stages/).
 */
#ifndef ZC_MATERIALIZE_EXECUTE_EVALUATOR_H
#define ZC_MATERIALIZE_EXECUTE_EVALUATOR_H

#include "materialize/execute/bad_index.h"
#include "runtime/context/progress.h"

typedef struct zc_evaluator {
    const zc_stage *stage;
    char *const *slots;
    zc_scalar *values; /* [value_count], at the position */
    int64_t *position; /* [rank] */
    zc_bad_index *bad_index;
    zc_scalar carried; /* from one element to the next, by kinds that make them in order */
    zc_thread_progress progress;
} zc_evaluator;

/* An evaluator in the arena, or NULL when memory is out. */
zc_evaluator *zc_evaluator_new(const zc_stage *stage, char *const *slots, zc_arena *arena);

/* Computes every value at the position and returns the last. */
const zc_scalar *zc_evaluate(zc_evaluator *e);

/* The element that a load or a pick reads at the position. */
const void *zc_evaluator_element(const zc_evaluator *e, const zc_value *value);

/* Moves to the next position in row-major order over axes first .. last-1, after so many elements more that are done;
 * false, all of them 0 again, after the last, and false where the work is to stop. */
bool zc_evaluator_advance(zc_evaluator *e, int first, int last, int done);

#endif
