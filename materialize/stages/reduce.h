/* Stages that join elements along the reduced axes, which a contraction does by a rule of its own. */
#ifndef ZC_MATERIALIZE_STAGES_REDUCE_H
#define ZC_MATERIALIZE_STAGES_REDUCE_H

#include "materialize/plan/stage.h"

extern const zc_stage_kind zc_stage_kind_reduce;

/* Gives the part of a stage whose kind reduces. */
static inline const zc_reduce_part *zc_stage_reduced(const zc_stage *stage)
{
    return &stage->reduce;
}

/* The most columns that share a state where a stage absorbs. */
enum { ZC_STATE_COLUMNS = 256 };

/* Tells a stage that reads along its last kept axis what is consecutive in memory, rather than along the elements that
 * it joins: where it absorbs, columns share a state. */
bool zc_reduce_joins_columns(const zc_stage *stage);

/* Sets what a step along each reduced axis adds to the index of argmin and argmax. */
void zc_reduce_set_weights(zc_stage *stage, int64_t *weights);

/* Tells a stage that joins by a reduction, not by the rule of contractions: zc_stage_reduced() says by which. */
bool zc_stage_joins(const zc_stage *stage);

/* Adds what a reduction says of axes that are reduced by rule, after what it says of the others. */
void zc_reduce_add_invariant_axes(const zc_stage *stage, zc_text_builder *text);

/* Adds "reduction" and what else a stage that reduces says of itself. */
void zc_reduce_add_json(const zc_stage *stage, zc_text_builder *text);

#endif
