/*
 * Expressions with a stage that a strategy is to run, or is not to run: the result by the tile executor, on one thread
 * and on two, has the bits that the reference executor computes element by element, and explain names the strategy.
 */
#ifndef ZC_TESTS_MATERIALIZE_TILE_STRATEGY_CASE_H
#define ZC_TESTS_MATERIALIZE_TILE_STRATEGY_CASE_H

#include "zerocast.h"

enum { MOST_AXES = 4 };

typedef struct extents {
    int rank;
    int64_t of[MOST_AXES];
} extents;

typedef zc_tensor *expression(const zc_tensor *x, const zc_tensor *y);

typedef struct strategy_case {
    const char
        *strategy; /* that runs a stage of the plan; behind a "!", that runs none; "none": there is nothing to run */
    expression *make;
    extents x, y; /* of dense operands in memory */
} strategy_case;

/* Extents of an operand that an expression does without. */
#define ONE                                                                                                            \
    {                                                                                                                  \
        1,                                                                                                             \
        {                                                                                                              \
            1                                                                                                          \
        }                                                                                                              \
    }

/* An expression of several tests: x summed along its last axis. */
zc_tensor *last_sum(const zc_tensor *x, const zc_tensor *y);

/* Sets of dtypes. */
enum {
    BOOLS = 1 << ZC_BOOL,
    SMALL_INTEGERS = 1 << ZC_INT8 | 1 << ZC_INT16 | 1 << ZC_INT32 | 1 << ZC_UINT8 | 1 << ZC_UINT16 | 1 << ZC_UINT32,
    INTEGERS = SMALL_INTEGERS | 1 << ZC_INT64 | 1 << ZC_UINT64,
    WIDE_FLOATS = 1 << ZC_FLOAT32 | 1 << ZC_FLOAT64,
    NARROW_FLOATS = 1 << ZC_FLOAT16 | 1 << ZC_BFLOAT16,
    FLOATS = WIDE_FLOATS | NARROW_FLOATS,
    COMPLEX = 1 << ZC_COMPLEX64 | 1 << ZC_COMPLEX128,
    REALS = BOOLS | INTEGERS | FLOATS,
    NUMBERS = INTEGERS | FLOATS | COMPLEX,
    ALL_DTYPES = BOOLS | NUMBERS
};

/* Each case with operands of each dtype. */
void expect_strategies(const char *test, const strategy_case *cases, int count, unsigned dtypes);

#define EXPECT_STRATEGIES(test, cases, dtypes)                                                                         \
    expect_strategies(test, cases, (int)(sizeof(cases) / sizeof *(cases)), dtypes)

/* A result that is drawn: computed in the context. */
typedef zc_tensor *drawn_result(zc_context *ctx, const void *drawn);

/* By the tile executor, on one thread and on three, it has the bits of the reference executor. */
void expect_bits_of_reference(drawn_result *make, const void *drawn, const char *how);

#endif
