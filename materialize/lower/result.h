/*
 * Results: what was asked for, as slots and the stages that write them.
 *
 * Of a result that is all of a node, the node's turn is the result's: its consumers read it where it is handed out.
 * What shows a node in another way is copied when everything else is done, or computed in place of the node, at its
 * turn.
 */
#ifndef ZC_MATERIALIZE_LOWER_RESULT_H
#define ZC_MATERIALIZE_LOWER_RESULT_H

#include "materialize/lower/lower.h"

/* Gives every result its slot, and begins those that are not all of a node. False when memory is out. */
bool zc_begin_views(zc_lowering *l);

/* Begins the result that is all of a node, if there is one, at the node's turn. False when memory is out. */
bool zc_begin_whole(zc_lowering *l, const zc_needed *needed);

/* The draft of a result that shows the node in another way and is its only consumer, or NULL. */
zc_draft *zc_find_late(const zc_needed *needed);

/* When the node was decided on: puts such a draft at the node's turn, if it computes the node itself. */
void zc_place_late(zc_lowering *l, zc_draft *late);

#endif
