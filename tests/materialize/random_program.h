/*
 * Random programs of up to sixty heavily shared steps, and what their plans do.
 *
 * Of every plan the work is counted alike: for every element of a stage's domain the costs of its operations, a load
 * each and a store.
 */
#ifndef ZC_TESTS_MATERIALIZE_RANDOM_PROGRAM_H
#define ZC_TESTS_MATERIALIZE_RANDOM_PROGRAM_H

#include "materialize/plan/plan.h"

enum {
    MOST_DRAWS = 60,
    MOST_PROGRAM_STEPS = 5 * MOST_DRAWS,
    MOST_ITEMS = MOST_PROGRAM_STEPS + 2,
    MOST_OPERANDS = 3,
    MOST_ROWS = 200,
    MOST_COLUMNS = 300,
    STAGE_WORK = 4096 /* a step may be repeated where a stage of its own would take longer */
};

/* One function of the library each; some are views, which take no memory on either side. */
typedef enum step_kind {
    ADD,
    SUBTRACT,
    DIVIDE,
    MAXIMUM,
    LESS,
    WHERE,
    HALF,
    PLUS_ONE,
    SINE,
    EXPONENTIAL,
    NEGATIVE,
    ABSOLUTE,
    MEAN,
    LARGEST,
    RUNNING_SUM,
    ROLL,
    PAD,
    JOIN,
    ROWS,
    RESHAPE,
    FLIP,
    TRANSPOSE,
    COLUMNS,
    FIRST_ROWS,
    ROW
} step_kind;

typedef struct program_step {
    step_kind kind;
    int operands[MOST_OPERANDS]; /* items, or -1; item 0 is the input, item 1 the positions of rows */
    int64_t by;
    bool is_needed;
    int last_use;
} program_step;

typedef struct program {
    int64_t rows, columns;
    int count;
    program_step steps[MOST_ITEMS];
    int full[MOST_DRAWS + 1]; /* [full_count]: items of the shape (rows, columns) */
    int full_count;
} program;

/* A program, of which nothing is needed yet. */
program draw_program(void);

/* An exponential that is recorded twice, far apart: one for both would be alive while the middle takes the most. */
program repeat_exponential(void);

/* The item is needed, and all that it is made of. */
void need_item(program *p, int item);

bool is_view_step(const program_step *s);

zc_tensor *take_step(const program *p, const program_step *s, zc_tensor *const *items);

/* The input and the positions of rows, in memory. */
void make_inputs(const program *p, zc_context *ctx, zc_tensor **items);

/* Takes the steps that are needed. */
void record_program(const program *p, zc_tensor **items);

/* ---- What a plan does ---- */

typedef struct effort {
    double work;
    int64_t peak_bytes;
    int stages;
} effort;

/* Adds the work of the one plan of all; the peak is that of this plan. */
void add_effort(int count, const zc_tensor *const *tensors, effort *e);

#endif
