/*
 * Executing a stage: the one interface of the executors, and what they share.
 */
#ifndef ZC_MATERIALIZE_EXECUTE_H
#define ZC_MATERIALIZE_EXECUTE_H

#include "materialize/kernels/dispatch.h"
#include "materialize/plan.h"

/* A position that a check found outside its axis. Of all a stage finds, the smallest of the first check is reported, so
 * that it does not depend on who finds it. */
typedef struct zc_stray {
    int32_t check; /* the value; -1: none was found */
    int64_t position;
} zc_stray;

/* Runs one stage of a verified plan; slots[i] is where slot i's elements are. The result is written whatever was there
 * before. Fails for want of header memory, before anything is written; or, *stray set, with ZC_ERROR_ARGUMENT; or,
 * stopped by the context's watch, with ZC_CANCELLED. */
zc_status zc_execute_reference(const zc_plan *plan, const zc_stage *stage, char *const *slots, zc_stray *stray);
zc_status zc_execute_tile(zc_plan *plan, zc_stage *stage, char *const *slots, zc_stray *stray);

/* Positions of a check taken into the axis: negative ones from its end, strays, which are noted, to 0. */
void zc_check_positions(const zc_kernels *kernels, const zc_stage *stage, int32_t check, const int64_t *positions,
                        int64_t *out, int64_t n, zc_stray *stray);

/* Notes the second finding, too. */
void zc_note_stray(zc_stray *stray, zc_stray found);

/* The kernel that computes an operation's value. */
zc_map_kernel *zc_kernel_of(const zc_kernels *kernels, const zc_stage *stage, const zc_value *value);

/* Number of elements joined into each result: the reduced axes that are walked. */
int64_t zc_walked_count(const zc_stage *stage);

/* Whether the results of a stage that reduces are joined at all: not when no axis is left to walk, nor when what is
 * walked is empty. */
bool zc_is_joined(const zc_stage *stage);

/* Turns n joined values into what the stage stores: the rule for invariant axes, the mean's division, the index over
 * all reduced axes. joined may be NULL when nothing was walked (an empty reduction). numbers is NULL but for an index
 * reduction whose axes are walked. out holds the stage's result dtype and may be `joined` where the dtypes agree. */
void zc_conclude(const zc_stage *stage, const void *joined, const int64_t *numbers, void *out, int64_t n);

#endif
