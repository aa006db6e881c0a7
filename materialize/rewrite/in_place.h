/*
 * Updates in place: a stage that would copy what is there before an update, and does not.
 *
 * Where that is a temporary that the copy would show as it stands, and nothing reads it afterwards, the update goes on
 * in its memory (zc_store.base). What does read it afterwards, or reads in the update itself what is written meanwhile,
 * is saved before, if that is less than the copy; one update of several that begin with the same elements can go on in
 * their memory, the last. So a chain of updates takes work in proportion to what it writes and what it reads.
 *
 * An input whose node ends with the run (zc_slot.is_taken) is updated in place, too, and its memory goes from node to
 * node with that (zc_node_take_over): also where the run fails later. So what is written is made before, by a stage of
 * its own, and so the positions are checked; then the update puts it there, which cannot fail (zc_stage_is_put).
 *
 * This is decided in the order of recording, in which the readers of the old elements mostly come before the update
 * anyway. Orders of stages keep it (plan/order.h).
 */
#ifndef ZC_MATERIALIZE_REWRITE_IN_PLACE_H
#define ZC_MATERIALIZE_REWRITE_IN_PLACE_H

#include "materialize/plan/plan.h"

/* Drops the copies before updates that are made in place, and saves what has to be. False when memory is out. */
bool zc_update_in_place(zc_plan *plan);

#endif
