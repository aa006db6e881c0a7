/* Stages that select the first elements of lines in the order of sorting. */
#ifndef ZC_MATERIALIZE_STAGES_SELECT_H
#define ZC_MATERIALIZE_STAGES_SELECT_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_select;

/* The selection of a stage: what is stored of each line, from the largest or the least element on. */
typedef struct zc_selected {
    bool descends, is_index;
    int64_t count; /* of elements, */
    int64_t step;  /* so far apart in the slot */
} zc_selected;

zc_selected zc_stage_selected(const zc_stage *stage);

#endif
