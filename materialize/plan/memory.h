/*
 * The memory of a plan, in bytes, before anything runs: what it reads, what it writes, how much is alive at once, and
 * which temporaries are written over.
 *
 * A stage may store over a temporary that it is the last to read, when every load of it is at exactly the place that
 * is stored: each element is read before it is overwritten, whatever tiles and threads do. The two slots are one
 * memory then. Never overwritten is what gathers, reductions or scans read, and what is not the plan's own.
 *
 * A stage that updates a temporary in place (zc_store.base) takes over its memory with all elements, each at its place.
 * It may read them where it stores, likewise, or where it stores nothing; no stage behind it reads them. That of an
 * input that is taken over is there before and stays: it counts as held, and adds to no peak.
 */
#ifndef ZC_MATERIALIZE_PLAN_MEMORY_H
#define ZC_MATERIALIZE_PLAN_MEMORY_H

#include "materialize/plan/plan.h"

/* The slot whose memory a slot uses: its own, or that of what it is written over. */
int32_t zc_slot_memory(const zc_plan *plan, int32_t slot);

/* Tells whether a stage that is the last to read a temporary may store over it. */
bool zc_stage_may_overwrite(const zc_plan *plan, const zc_stage *stage, int32_t slot);

/* Tells whether a load is at exactly the place where its stage stores. */
bool zc_value_is_at_store(const zc_stage *stage, const zc_value *load);

/* Tells whether a value of the stage reads its slot at places that the stage does not write meanwhile, or at exactly
 * the place that is stored. */
bool zc_value_may_stay(const zc_stage *stage, const zc_value *value);

/* Tells whether the stage may update a temporary in place: all that it reads of it may stay. */
bool zc_stage_may_continue(const zc_plan *plan, const zc_stage *stage, int32_t slot);

/* Tells an update of a memory that was there before the run: an input's, or that of such an update (in_place.h). */
bool zc_stage_takes_over(const zc_plan *plan, const zc_stage *stage);

/* Number of elements that stages store into a slot, without those that come from a base. */
int64_t zc_slot_stored(const zc_plan *plan, int32_t slot);

/* Adds up the bytes of the plan, its stages in the order they have and without scratch memory. Takes memory of the
 * arena. */
zc_status zc_plan_account(zc_plan *plan, zc_reason *why);

/* Finds the bytes that are needed at once: what is alive, with states. */
void zc_plan_add_states(zc_plan *plan);

/* Adds the scratch memory of the stages to the peak. */
void zc_plan_add_scratch(zc_plan *plan);

/* Tells whether purchases of so many bytes together (lower/buy.h) leave most of the memory that the limit leaves. */
bool zc_plan_may_buy(zc_context *ctx, int64_t bytes);

#endif
