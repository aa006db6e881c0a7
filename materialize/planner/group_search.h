/*
 * The search for a group that begins with a stage. Stages behind it that read members by rows become members, and those
 * that make rows of the same extents from something else. Others that read no member go before all members; stages that
 * read members otherwise, or read what a stage behind the group makes, go behind it.
 */
#ifndef ZC_MATERIALIZE_PLANNER_GROUP_SEARCH_H
#define ZC_MATERIALIZE_PLANNER_GROUP_SEARCH_H

#include "materialize/plan/group.h"

enum { ZC_MOST_MOVED = 192 };

/* Slots that members or late stages store, as bit sets: a walk asks of each value that it meets. */
typedef struct zc_stored_slots {
    uint64_t *by_members; /* [words]; also those of members that were left out */
    uint64_t *by_late;    /* [words] */
    uint64_t *by_moved;   /* [words]: those of members that were moved to what was made again for this group */
    int32_t words;
    int32_t count; /* of the slots to be taken out before the next walk; more than there is room for: all */
    int32_t slot[ZC_MOST_MOVED];
    int32_t moved_count; /* of the slots of members that were moved */
    int32_t moved[ZC_MOST_MOVED];
} zc_stored_slots;

typedef struct zc_group_search {
    zc_plan *plan;
    zc_stored_slots stored;
    zc_arena trial;                            /* of what is made to be looked at */
    zc_group group;                            /* first: before stages are moved; length: as members need it, or 0 */
    int32_t member[ZC_MOST_MEMBERS];           /* [group.count]: stages, in their order */
    int outer[ZC_MOST_MEMBERS][ZC_MOST_OUTER]; /* [group.count][group.rank] */
    int absorbed[ZC_MOST_MEMBERS];             /* [group.count]: number of outer axes that it reduces */
    bool is_read_late[ZC_MOST_MEMBERS];        /* [group.count]: its slot is, by a late stage */
    int32_t late[ZC_MOST_MOVED];               /* [late_count]: stages between members that go behind all of them */
    int32_t late_count;
    bool may_fail;       /* one of the stages that were looked at looks up positions */
    int32_t slot_count;  /* of the plan before stages were made again for late ones of this group */
    int32_t moved_count; /* stages between them that go before all of them */
    int32_t end;         /* the stage behind those that were looked at */
    int64_t most_states; /* bytes of a member's state: one of more goes behind the group, as a late stage; */
    int64_t most_rows;   /* and rows of a block that a member needs, likewise */
    int64_t row_bytes;   /* of a row of all temporaries that are made by blocks */
    int64_t state_bytes; /* of members that absorb */
    int64_t saved;       /* bytes of what is made by blocks, less those of states */
} zc_group_search;

/* Begins a search in a plan, of which so many stages may be made again. False when memory is out. */
bool zc_search_init(zc_group_search *search, zc_plan *plan, int most_again);

/* Finds the first stage, from one on, that makes enough of a temporary to begin a group, or the end of all stages. */
int32_t zc_search_first(const zc_plan *plan, int32_t from);

/* Looks for the members of a group of `rank` outer axes. False where no group can begin with the stage. */
bool zc_search_walk(zc_group_search *search, int32_t first, int rank);

/* Leaves out members at the end that have nothing to do with what is made by blocks, and counts the bytes of that. */
void zc_search_measure(zc_group_search *search);

const zc_slot *zc_search_slot(const zc_group_search *search, int32_t member);

/* Finds the first member that stores a slot, and the first that makes what a value loads; or -1. */
int32_t zc_search_writer(const zc_group_search *search, int32_t slot);
int32_t zc_search_maker(const zc_group_search *search, const zc_value *value);

/* Lets what a stage stores be made behind the group, together with what is made again, until that is forgotten. */
void zc_search_note_moved(zc_group_search *search, const zc_stage *stage);
void zc_search_forget_moved(zc_group_search *search);

/* Tells a stage that reads all that the value's maker makes by rows, along outer axes that are found. */
bool zc_search_reads_rows(const zc_group_search *search, const zc_stage *stage, const zc_value *value, int *outer);

bool zc_search_stores_by_rows(const zc_group_search *search, int32_t member);

/* Tells a member whose slot is read by members alone, and stored by rows. */
bool zc_search_is_by_blocks(const zc_group_search *search, int32_t member);

/* Tells a member that makes few elements beside another one, so that they may be held for that. */
bool zc_search_is_small(const zc_group_search *search, int32_t member, int32_t beside);

/* Tells a member that absorbs, and how. */
bool zc_search_absorbs(const zc_group_search *search, int32_t member);
zc_absorption zc_search_absorption(const zc_group_search *search, int32_t member);

/* Bytes of a member's state: of the results along the axes that it keeps, of one coordinate along outer ones. */
int64_t zc_search_state_bytes(const zc_group_search *search, int32_t member);

#endif
