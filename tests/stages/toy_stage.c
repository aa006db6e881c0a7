/* A kind of one file and one row, as anybody might add one: it adds to each float64 element where it stands along the
 * last axis. */
#include "tests/stages/toy_stage.h"

#include <string.h>

#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"

static const char *broken_rule(const zc_stage *stage)
{
    return stage->rank > 0 && stage->store.dtype == ZC_FLOAT64 ? NULL : "a toy has an axis of float64";
}

static void make_element(zc_evaluator *e, char *to)
{
    const double element = zc_evaluate(e)->float64 + (double)e->position[e->stage->rank - 1];
    memcpy(to, &element, sizeof element);
}

static void add_text(const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, "toy of %d axes", stage->rank);
}

const zc_stage_kind zc_stage_kind_toy = {
    ZC_STAGE_KIND_ROW(toy),
    .broken_rule = broken_rule,
    .make_element = make_element,
    .add_text = add_text,
};
