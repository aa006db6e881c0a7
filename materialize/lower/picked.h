/*
 * Elements that are picked at positions which are known before anything is computed.
 *
 * Results of a reduction that are picked (rows of a matrix of all pairs, pairs of a list) are the only ones that are
 * reduced, where they are few or what they are made of is copied. Elements that a stage would pick many times are
 * copied first, so that it reads them by strides.
 */
#ifndef ZC_MATERIALIZE_LOWER_PICKED_H
#define ZC_MATERIALIZE_LOWER_PICKED_H

#include "materialize/lower/lower.h"

/* Gathered axes of a draft, of which the positions are known. */
typedef struct zc_positions {
    const zc_draft *draft;
    int count;
    int gathered[ZC_MAX_RANK]; /* [count] */
} zc_positions;

/* Results of a reduction that a step picks. */
typedef struct zc_picked {
    zc_positions positions;
    int rank;              /* number of axes that the results have */
    int axis[ZC_MAX_RANK]; /* axis of the picking step's domain for each of the results' domain; -1: reduced */
    zc_view view;          /* view over the node: axes of the results, then one for each of the positions */
    int64_t size;          /* number of results */
    bool is_few;           /* so few that anything is less work than to make all results */
} zc_picked;

/* Tells a reduction of which all steps pick results, no more of them together than there are; or some pick few. */
bool zc_is_picked(zc_lowering *l, const zc_needed *needed);
bool zc_is_picked_by_some(zc_lowering *l, const zc_needed *needed);

/* Finds the results of the reduction at hand that a step picks. False where it picks nothing, or that is not worth it.
 */
bool zc_find_picked(zc_lowering *l, const zc_step *step, zc_picked *picked);

/* Tells an operand of which all that is picked in memory would be copied for a domain (zc_copy_picked). seen: axes of
 * the domain, then those of the positions. */
bool zc_reads_copies(zc_lowering *l, const zc_picked *picked, const zc_view *domain, const zc_view *seen);

/* Elements of a copy of what is picked of an operand, as a domain of `rank` axes sees it, whose last axes are those of
 * positions; 0: nothing is picked of it. */
int64_t zc_picked_copied(const zc_picked *picked, const zc_view *seen, int rank);

/* Makes the step by which a draft of picked results sees an operand: a contraction's loads a copy. NULL when memory is
 * out. */
zc_step *zc_use_picked(zc_lowering *l, zc_draft *draft, const zc_picked *picked, int operand, zc_view *seen);

/* Finds the picking step's view of the results, row-major, and marks its positions as checked. */
void zc_picked_through(const zc_picked *picked, zc_step *step, zc_view *out);

/* Lets a step that sees the source at hand by known positions, boxes of fewer than its elements, load what a draft of
 * its own picks: *picking is the step of that draft that sees the node, to be made a value, or NULL. False when memory
 * is out. */
bool zc_pick_apart(zc_lowering *l, zc_step *step, zc_needed *needed, zc_step **picking);

/* Lets a step that sees elements in memory through *view, by positions too, read a copy of them, where its stage would
 * pick each of them many times: *is_copied. False when memory is out. */
bool zc_copy_picked(zc_lowering *l, zc_step *step, zc_needed *needed, const zc_view *view, bool *is_copied);

#endif
