/*
 * An executor: something that runs stages. A file with its struct and a row in
 * run/executors.def make one.
 *
 * For each stage the first executor that does not decline prepares it and runs it; the others are its fall-back. What
 * it prepared is opaque to the plan, which keeps it as long as the plan is kept.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_EXECUTOR_H
#define ZC_MATERIALIZE_EXECUTE_EXECUTOR_H

#include "materialize/execute/bad_index.h"
#include "materialize/plan/plan.h"

typedef enum zc_preparation { ZC_PREPARED, ZC_DECLINED, ZC_NOT_PREPARED /* memory is out */ } zc_preparation;

struct zc_stage_executor {
    const char *name;  /* name that explain tells */
    bool is_reference; /* runs where the caller asks for the reference, too: the last row, which takes every stage, and
                          those that alone run a kind of stages */

    /* Prepares a stage of a verified plan whose domain has elements, for any number of runs. slots[i] is where slot i's
     * elements will be in each run; while a plan is only explained, NULL. Declines a stage that it does not run.
     * *prepared lives in the arena, or release() ends it. */
    zc_preparation (*prepare)(zc_context *ctx, const zc_stage *stage, char *const *slots, zc_arena *arena,
                              void **prepared);

    /* Tells whether the preparation of one stage serves others of the same structure (prepared.h); then serve() makes a
     * copy for one of them, in the arena: NULL when memory is out. Where they are NULL, each stage is prepared. A
     * preparation that serves needs no release. */
    bool (*serves)(const void *prepared);
    void *(*serve)(const void *prepared, const zc_stage *stage, zc_arena *arena);

    /* Bytes of data memory that a run of the prepared stage needs as scratch, at most stage->scratch_limit, whatever
     * that is; what does not grow with the operands is header memory and counts for nothing. Stages that contract or
     * absorb are asked. NULL: none. */
    int64_t (*scratch_bytes)(const void *prepared);

    /* Bytes of data memory that parts of a member that absorbs (plan/group.h) share, the same of each part. NULL: the
     * executor declines stages that absorb. */
    int64_t (*state_bytes)(const void *prepared);

    /* Runs a prepared stage. The result is written whatever was there before. `scratch` is as many bytes as it needs,
     * aligned like data. Fails for want of header memory, before anything is written; or, *bad_index set, with
     * ZC_ERROR_INDEX; or, stopped by the context's progress, with ZC_CANCELLED; or, once it has told why, with
     * ZC_ERROR_FILE. */
    zc_status (*run)(zc_context *ctx, void *prepared, char *scratch, zc_bad_index *bad_index);

    /* NULL: there is nothing to end. */
    void (*release)(void *prepared);

    /* Names the way in which the stage is run, for explain; NULL: there is one way. */
    const char *(*strategy)(const void *prepared);
};
typedef struct zc_stage_executor zc_stage_executor;

#endif
