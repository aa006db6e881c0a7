/*
 * Buying: which nodes a run stores whole beside its results, because runs would otherwise compute them again and again.
 *
 * A node that can still be asked for when the run has ended pays rent for it (runtime/graph/keep.h): the work spent on
 * its elements, as a part of that of storing all of them, and the time its planning takes. It is bought by the run that
 * would bring its rent over the whole. Of nodes above each other only the highest is: nothing leads to those beneath
 * once it has given up its operands.
 *
 * What is much larger than all that it is made of (a broadcast difference) may be computed as fast as it is read. Its
 * rent counts the work beyond the traffic that it saves.
 *
 * Of what is not bought, temporaries that hold all of a node stay where the run's peak has room for them (run/run.h),
 * also without a handle on it: small ones, and sums of many elements each, of a chain of nodes of one size whose end is
 * read in part, the highest. So a network whose state is shown in part every few steps goes on from the step before the
 * last, and a product from which something is subtracted is not computed again for its gradient. What leads to fewer
 * elements, or to less memory, would hold more than an eager runtime does; and so would several large ones below one
 * node, of which the first stays.
 *
 * An update of a few elements is bought at once where it can take over the memory of its base: the base is in memory
 * that nobody else has, and nothing leads to it but the update, or what is made for that alone. It takes no memory, and
 * the work of what it writes; so a loop that writes and reads elements in turn copies nothing.
 */
#ifndef ZC_MATERIALIZE_LOWER_BUY_H
#define ZC_MATERIALIZE_LOWER_BUY_H

#include "materialize/lower/lower.h"

/* Finds the updates that may take over the memory of their bases. False when memory is out. */
bool zc_find_takeovers(zc_lowering *l);

/* Decides on a node all of whose consumers are decided: buys it, and then sets needed->bought, or charges it. False
 * when memory is out. */
bool zc_buy(zc_lowering *l, zc_needed *needed);

/* Tells the operands of a node that was decided on whether their edges to it end with this run, whether they are
 * covered by what is bought, whether it, or what it serves, stays, and whether they would hold more than it. */
void zc_leave_operands(zc_lowering *l, const zc_needed *needed);

#endif
