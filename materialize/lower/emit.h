/*
 * A finished draft as a stage: its steps become values, in an order in which operands stand before their users, deeper
 * operands first.
 */
#ifndef ZC_MATERIALIZE_LOWER_EMIT_H
#define ZC_MATERIALIZE_LOWER_EMIT_H

#include "materialize/lower/draft.h"

/* Room where stages take shape, one after the other; the part that one keeps is copied into the plan. Begins as all
 * 0. */
typedef struct zc_emission_room {
    int32_t values, strides, steps; /* capacities of value and offset, of stride, and of stack */
    zc_value *value;
    int64_t *offset, *stride;
    zc_step **stack;
} zc_emission_room;

/* Finishes the stage of a draft of which all steps are decided. False when memory is out. */
bool zc_draft_emit(zc_plan *plan, zc_draft *draft, zc_emission_room *room);

#endif
