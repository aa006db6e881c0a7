#include "materialize/stages/map.h"

#include <string.h>

#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"

static void make_element(zc_evaluator *e, char *to)
{
    memcpy(to, zc_evaluate(e)->bytes, zc_dtype_bytes(e->stage->store.dtype));
}

const zc_stage_kind zc_stage_kind_map = {
    ZC_STAGE_KIND_ROW(map),
    .is_elementwise = true,
    .make_element = make_element,
};
