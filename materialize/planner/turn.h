/*
 * Temporaries that are laid out by another of their axes. What makes a matrix by rows of i, and is read along its
 * columns alone, is made by rows of j as well, with the same bits: then its readers need no state, or read rows instead
 * of all.
 *
 *     d[i, j] = |x[i] - y[j]|, by rows of i; max over i     a state for each j
 *     d[i, j] = |x[i] - y[j]|, by rows of j; max over i     each row has its greatest
 *
 * The axes of the stages that make such temporaries change places, and what reads them reads them so. Those stages are
 * copies: the others stay as they were.
 */
#ifndef ZC_MATERIALIZE_PLANNER_TURN_H
#define ZC_MATERIALIZE_PLANNER_TURN_H

#include "materialize/planner/group_search.h"

/* A temporary of which an axis was put before another: strides by which it was read, and by which it is. */
typedef struct zc_turned_slot {
    int32_t slot;
    int rank, outer, inner; /* axes of the stage that stores it, before they moved; `inner` goes before `outer` */
    const int64_t *extent;  /* [rank] */
    const int64_t *from;    /* [rank] */
    const int64_t *to;      /* [rank] */
} zc_turned_slot;

/* Most stages from the first that is turned to the last that reads such a temporary. */
enum { ZC_MOST_TURNED = 152 };

typedef struct zc_turn {
    zc_plan *plan;
    zc_arena *arena;                  /* of the copies */
    int32_t first, end;               /* stages that may be copies now, */
    zc_stage *before[ZC_MOST_TURNED]; /* [end - first]: and those that they were */
    zc_turned_slot slot[ZC_MOST_TURNED];
    int32_t count;
    int32_t beside; /* number of slots that are turned since others are read beside them; negative: none may be */
} zc_turn;

/* Puts the axis `inner` of a stage before its axis `outer`, and so in all temporaries that are made of what it stores
 * and have both, with copies in an arena that lasts as long as they stay. With `beside`, in those that such are read
 * beside, too, which turn->beside counts. False, with all as it was, where not all that reads them can read them so. */
bool zc_turn_make(zc_turn *turn, zc_plan *plan, zc_arena *arena, int32_t first, int outer, int inner, bool beside);

void zc_turn_undo(const zc_turn *turn);

/* Tells that members make all the temporaries by blocks. */
bool zc_turn_is_by_blocks(const zc_turn *turn, const zc_group_search *search);

/* Bytes in memory that members read or store across their lines. */
int64_t zc_turn_bytes_across(const zc_group_search *search);

#endif
