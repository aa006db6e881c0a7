/*
 * Stages that are made again. Where a stage reads rows of members and a result that the group makes whole (a mean, the
 * greatest of all), it can be no member, and the rows would have to be whole, too. What makes them is made once more
 * for it, so that it may begin a group of its own:
 *
 *     d = |x - y'|; mean(d)               a group: blocks of d, absorbed
 *     d again; mean((d - mean)^2)         another one
 *
 * A member that only such stages read is not made twice: it goes behind the group with them.
 *
 * Made again is at most as much work as the plan has without, or as could be done while memory moves what the plan
 * without would hold, where less does not lower the peak; and any work under a limit that has no room for less.
 */
#ifndef ZC_MATERIALIZE_PLANNER_AGAIN_H
#define ZC_MATERIALIZE_PLANNER_AGAIN_H

#include "materialize/planner/group_search.h"

/* The most copies of stages in a plan. */
enum { ZC_MOST_AGAIN = 256 };

/* Least bytes that are worth making rows again where memory is not short: more than caches hold. */
enum { ZC_LEAST_HELD = 1 << 26 };

/* Least bytes of a block that are worth the same: blocks are used again while caches hold them. */
enum { ZC_LEAST_BLOCK = 1 << 25 };

/* Bytes of a state beyond which rows are made again for the member rather than joined. */
enum { ZC_MOST_STATE_BYTES = 1 << 23 };

/* Work that may be done again for a byte: as much as takes the time that memory takes for it; any, where memory is
 * short; none. */
enum { ZC_WORK_OF_BYTE = 5, ZC_ANY_WORK = INT32_MAX, ZC_NOTHING_AGAIN = -1 };

/* The most that is made again: so much work for each byte that the stages of a plan move between memory and the
 * processor, where that is more than all of theirs, or ZC_ANY_WORK, or ZC_NOTHING_AGAIN; and whether rows are made
 * again for members that need large blocks, too. */
typedef struct zc_effort {
    int work_of_byte;
    bool is_for_blocks;
} zc_effort;

/* Work of a stage, in the time that elementwise operations take: contractions do twice as much and more. */
double zc_again_work(const zc_stage *stage);

typedef struct zc_again {
    int32_t first, count;            /* slots from `first` on are stored by stages that are made again, */
    int32_t original[ZC_MOST_AGAIN]; /* [count]: and hold the elements of these */
    double work, most;               /* of the plan, and that it may have; */
    double most_each;                /* and of an element that is made again */
    int64_t least;                   /* bytes of a slot that is made again, */
    int64_t most_block;              /* and of a block beyond which members that need its rows have them made again */
    bool depends;                    /* another effort might have made something else of the plan */
} zc_again;

/* Begins with the stages of a plan, of which nothing has depended on the effort yet. */
void zc_again_begin(zc_again *again, const zc_plan *plan, zc_effort effort);

/* Tells an effort that takes any work. */
bool zc_again_is_any(zc_again *again);

/* Tells members that a late stage reads by rows, large, and within the work that is left. */
bool zc_again_is_worth(zc_again *again, const zc_group_search *search);

/* The most rows of a block that members may need where others are left to later groups: of a group that has so many. */
int64_t zc_again_most_rows(zc_again *again, const zc_group_search *search, int64_t rows);

/* Makes them again before the first late stage that reads them, for all late stages. The memory is to be added up anew.
 * False when memory is out. */
bool zc_again_make(zc_again *again, zc_group_search *search);

/* Lets all stages of the plan read what they read at first, and takes the slots back. */
void zc_again_undo(const zc_again *again, zc_plan *plan);

#endif
