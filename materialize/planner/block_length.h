/* Lengths of blocks: how many rows of a group are made in a turn. */
#ifndef ZC_MATERIALIZE_PLANNER_BLOCK_LENGTH_H
#define ZC_MATERIALIZE_PLANNER_BLOCK_LENGTH_H

#include "materialize/planner/group_search.h"

/* Bytes of all blocks of a group together that stay in the caches. */
enum { ZC_GROUP_BYTES = 1 << 20 };

/* Number of rows of a block of a group whose members are measured. */
int64_t zc_search_block_length(const zc_group_search *s);

#endif
