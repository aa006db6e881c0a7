/*
 * A group: stages that run one after the other for a block of outer coordinates, then for the next block, so that what
 * only they read of each other is in memory for one block at a time.
 *
 *     outer blocks of rows i:  d[i, :] = sum_k (x[i, k] - y[:, k])^2   -> a block of rows of temporary 2
 *                              least[i] = argmin d[i, :]               -> output
 *
 * Outer axes have equal extents in all members, which make elements along them in any order, or absorb them (below).
 * Along them a temporary of the group lies in rows, the last of its outer axes last: its writer stores and its readers
 * load row by row, so no member sees a row of another block. Inside of rows a load may go where it likes, along them as
 * a diagonal does, or to computed positions. What members read of each other, whole temporaries too, is stored so. A
 * block is one coordinate along all outer axes but the last.
 *
 * A member may reduce along the outer axes, the last ones of them: it absorbs. Blocks come in the order in which its
 * elements are joined, so each block goes on from the state that the block before left: lanes, digits, the best so far.
 * A contraction goes on behind whole chains: where it absorbs, blocks have as many rows as make one, or all rows.
 *
 *     outer blocks of rows i:  d[i, :] = sum_k (x[i, k] - y[:, k])^2   -> a block of rows of temporary 2
 *                              sum over i and j of exp(-d[i, j])       -> a state; behind the last block -> output
 *
 * One member at most looks up positions: where one is wrong, the same stages without a group would fail at the same.
 *
 * Nothing but the order of work differs: each member computes what it would compute alone, in the same order, over a
 * part of its domain. A product of a matrix with itself is no exception but for its work: no half of a block is copied.
 */
#ifndef ZC_MATERIALIZE_PLAN_GROUP_H
#define ZC_MATERIALIZE_PLAN_GROUP_H

#include "materialize/plan/plan.h"

enum { ZC_MOST_OUTER = 4, ZC_MOST_MEMBERS = 24 };

/* Bytes that a group saves at least: temporaries of fewer together are not worth one. */
enum { ZC_LEAST_SAVED = 1 << 21 };

typedef struct zc_group {
    int32_t first, count; /* stages of the plan */
    int rank;             /* number of outer axes */
    int64_t extent[ZC_MOST_OUTER];
    int64_t length; /* of a block along the last outer axis */
} zc_group;

typedef struct zc_member {
    const zc_group *group;
    int outer[ZC_MOST_OUTER]; /* [group.rank]: axes of the stage, in their order */
    int absorbed;             /* number of them, the last ones, that the stage reduces */
    const zc_stage *whole;    /* the stage, over all of its domain */
    zc_stage *part[2];        /* that run in its place: a full block, and the last one where that is shorter, or NULL */
    int64_t state_bytes;      /* data memory of a member that absorbs, while the group runs: at most, until prepared; */
    char *state;              /* which it has then, */
    int64_t first;            /* and the number of the first element of the block at hand, of those that are joined */
} zc_member;

static inline const zc_group *zc_stage_group(const zc_stage *stage)
{
    return stage->member != NULL ? stage->member->group : NULL;
}

/* Tells a stage, or a part of one, that joins a block to a state. */
static inline bool zc_stage_absorbs(const zc_stage *stage)
{
    return stage->member != NULL && stage->member->absorbed > 0;
}

/* The stage that is prepared and run in place of a stage: its part in a group, or itself. */
static inline zc_stage *zc_stage_run(zc_stage *stage)
{
    return stage->member != NULL ? stage->member->part[0] : stage;
}

/* Number of outer axes, the last ones, that a stage reduces; -1 where it cannot absorb along them: they are not the
 * first of its reduced axes, or its kind has no state. */
int zc_group_absorbed(const zc_group *group, const int *outer, const zc_stage *stage);

/* Number of elements that a stage which absorbs joins into a result for each coordinate along the last outer axis. */
int64_t zc_group_elements_each(const zc_group *group, const int *outer, const zc_stage *stage);

/* Bytes of all states of a stage's group, or 0. */
int64_t zc_stage_state_bytes(const zc_plan *plan, const zc_stage *stage);

/* Elements of a slot per step along outer axis k of a group whose rows it holds. */
int64_t zc_group_pitch(const zc_group *group, int k, int64_t elements);

/* Elements of a slot that are in memory at once: all, or those of a block. Asks for the stage that writes it first. */
int64_t zc_slot_held(const zc_plan *plan, const zc_slot *slot);

/* Tells a stride with which a load may go from one row of a slot to the next, along outer axis k. */
bool zc_group_is_along(const zc_group *group, int k, int64_t stride, int64_t elements);

/* Tells an access that stores a slot row by row: that moves by the slot's pitch along each outer axis of the stage, and
 * stays inside a row along the others. It walks the first `axes` of the domain. */
bool zc_group_is_by_rows(const zc_group *group, const int *outer, const zc_stage *stage, int axes, int64_t offset,
                         const int64_t *stride, int64_t elements);

/* Number of blocks. */
int64_t zc_group_blocks(const zc_group *group);

/* Tells a stage that loads the slot of a value, or stores its own slot, row by row. A load may move inside of rows
 * along the outer axes, too. */
bool zc_group_loads_by_rows(const zc_plan *plan, const zc_group *group, const int *outer, const zc_stage *stage,
                            const zc_value *value);
bool zc_group_stores_by_rows(const zc_plan *plan, const zc_group *group, const int *outer, const zc_stage *stage);

/* Tells a stage that may be run for a part of its domain, as far as that is a matter of the stage alone. */
bool zc_stage_is_divisible(const zc_stage *stage);

/* Makes the parts of a member. False when memory is out. */
bool zc_group_make_parts(zc_arena *arena, const zc_group *group, zc_stage *stage);

/* The part of a member that makes a block, moved there. */
zc_stage *zc_group_move(const zc_plan *plan, const zc_stage *stage, int64_t block);

/* The rule that a group breaks, or NULL. */
const char *zc_group_broken_rule(const zc_plan *plan, const zc_group *group);

#endif
