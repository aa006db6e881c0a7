#include "materialize/stages/map.h"

#include <string.h>

#include "materialize/execute/copy.h"
#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"

static void make_element(zc_evaluator *e, char *to)
{
    memcpy(to, zc_evaluate(e)->bytes, zc_dtype_bytes(e->stage->store.dtype));
}

static void put(const zc_stage *stage, char *const *slots, char *to)
{
    const zc_value *value = zc_stage_result(stage);
    const bool is_load = value->kind == ZC_VALUE_LOAD;
    const size_t item = zc_dtype_bytes(stage->store.dtype);
    const int64_t nothing[ZC_MAX_RANK] = {0};
    zc_view places = {.rank = stage->rank};
    zc_copy_list(stage->rank, stage->shape, places.shape);
    zc_copy_list(stage->rank, stage->store.stride, places.stride);
    if (is_load)
        zc_copy_to_places(&places, to, stage->stride + (size_t)value->access * (size_t)stage->rank,
                          slots[value->slot] + stage->offset[value->access] * (int64_t)item, item); /* proven: inside */
    else
        zc_copy_to_places(&places, to, nothing, value->constant->bytes, item);
}

const zc_stage_kind zc_stage_kind_map = {
    ZC_STAGE_KIND_ROW(map),
    .is_elementwise = true,
    .make_element = make_element,
    .put = put,
};
