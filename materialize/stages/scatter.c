#include "materialize/stages/scatter.h"

#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"
#include "views/overlap.h"

/* All, where no place is met twice, or none. */
static int free_axes(const zc_stage *stage)
{
    zc_view store = {.rank = stage->kept};
    zc_copy_list(stage->kept, stage->shape, store.shape);
    zc_copy_list(stage->kept, stage->store.stride, store.stride);
    return stage->scatter.moves == 0 && zc_view_is_injective(&store) ? stage->kept : 0;
}

static int32_t *besides(zc_stage *stage, int *count)
{
    *count = stage->scatter.moves;
    return stage->scatter.check;
}

static int moves(const zc_stage *stage, int64_t *extent, int64_t *step)
{
    for (int i = 0; i < stage->scatter.moves; i++) {
        extent[i] = stage->values[stage->scatter.check[i]].extent;
        step[i] = stage->scatter.step[i];
    }
    return stage->scatter.moves;
}

static const char *broken_rule(const zc_stage *stage)
{
    if ((int)stage->scatter.update >= ZC_UPDATE_COUNT)
        return "a stage scatters in one way";
    bool is_moved_by_checks = stage->scatter.moves <= ZC_MAX_RANK;
    for (int i = 0; i < stage->scatter.moves && is_moved_by_checks; i++) {
        const int32_t v = stage->scatter.check[i];
        is_moved_by_checks = v >= 0 && v < stage->value_count && stage->values[v].kind == ZC_VALUE_CHECK;
    }
    return is_moved_by_checks ? NULL : "checks move a store";
}

static void make_element(zc_evaluator *e, char *to)
{
    const zc_stage *stage = e->stage;
    const zc_dtype dtype = stage->store.dtype;
    const zc_op op = zc_update_describe(stage->scatter.update)->op;
    const void *value = zc_evaluate(e)->bytes;
    int64_t moved = 0;
    for (int i = 0; i < stage->scatter.moves; i++)
        moved += e->values[stage->scatter.check[i]].int64 * stage->scatter.step[i]; /* proven: verified to be inside */
    to += moved * (int64_t)zc_dtype_bytes(dtype);
    zc_kernels_portable.map[op][dtype](to, op == ZC_OP_COPY ? value : to, value, NULL, 1);
}

const zc_stage_kind zc_stage_kind_scatter = {
    ZC_STAGE_KIND_ROW(scatter),   .may_meet = true, .free_axes = free_axes,
    .besides = besides,           .moves = moves,   .broken_rule = broken_rule,
    .make_element = make_element,
};
