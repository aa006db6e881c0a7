#include "materialize/stages/reduce.h"

#include <string.h>

#include "materialize/execute/evaluator.h"
#include "materialize/execute/reducer.h"
#include "materialize/plan/stage_words.h"
#include "materialize/stages/reduce_finalize.h"
#include "materialize/stages/reduce_tree.h"

/* ---- Results ---- */

/* Joins the elements along the reduced axes at the evaluator's position. */
static zc_scalar join_elements(zc_evaluator *e)
{
    const zc_stage *stage = e->stage;
    const zc_reduction reduction = stage->reduce.reduction;
    const zc_dtype dtype = (zc_dtype)zc_stage_result(stage)->dtype, partial = zc_reduction_partial(reduction, dtype);
    zc_reduce_tree t = {.combine = zc_reducer_join(&zc_kernels_portable, reduction, dtype),
                        .padding = zc_reduction_padding(reduction, partial)};
    zc_tree_clear_lanes(&t);
    int64_t count = 0;
    do {
        int lane = (int)(count % ZC_LANES);
        zc_scalar x = *zc_evaluate(e), alone;
        if (zc_reduction_has_log_sums(reduction)) {
            zc_kernels_portable.log_sums[dtype].lift(alone.bytes, x.bytes, NULL, NULL, 1);
            x = alone;
        }
        t.lanes[lane] = zc_tree_join(&t, t.lanes[lane], x);
        if (++count % ZC_LEAF == 0)
            zc_tree_end_leaf(&t);
    } while (zc_evaluator_advance(e, stage->kept, stage->rank, 1));
    return zc_tree_end(&t, count % ZC_LEAF != 0);
}

static bool holds(zc_op op, zc_dtype dtype, zc_scalar x, zc_scalar y)
{
    uint8_t result = 0;
    zc_kernels_portable.map[op][dtype](&result, x.bytes, y.bytes, NULL, 1);
    return result != 0;
}

static int64_t find_extreme(zc_evaluator *e)
{
    const zc_stage *stage = e->stage;
    zc_dtype dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    zc_op beyond = stage->reduce.reduction == ZC_REDUCTION_ARGMIN ? ZC_OP_LESS : ZC_OP_GREATER;
    zc_scalar best = {.words = {0}};
    int64_t best_number = 0, number = 0;
    do {
        zc_scalar x = *zc_evaluate(e);
        bool is_first_nan = !holds(ZC_OP_EQUAL, dtype, x, x) && holds(ZC_OP_EQUAL, dtype, best, best);
        if (number == 0 || is_first_nan || holds(beyond, dtype, x, best)) {
            best = x;
            best_number = number;
        }
        number++;
    } while (zc_evaluator_advance(e, stage->kept, stage->rank, 1));
    return best_number;
}

static void make_element(zc_evaluator *e, char *to)
{
    const zc_stage *stage = e->stage;
    zc_scalar joined, result;
    if (!zc_is_combined(stage)) {
        zc_finalize(stage, zc_walked_count(stage) == 0 ? NULL : zc_evaluate(e)->bytes, NULL, result.bytes, 1);
    } else if (zc_reduction_is_index(stage->reduce.reduction)) {
        int64_t number = find_extreme(e);
        zc_finalize(stage, NULL, &number, result.bytes, 1);
    } else {
        joined = join_elements(e);
        zc_finalize(stage, joined.bytes, NULL, result.bytes, 1);
    }
    memcpy(to, result.bytes, zc_dtype_bytes(stage->store.dtype));
}

void zc_reduce_set_weights(zc_stage *stage, int64_t *weights)
{
    stage->reduce.index_weight = weights;
}

bool zc_stage_joins(const zc_stage *stage)
{
    return stage->kind == &zc_stage_kind_reduce;
}

/* Number of loads that move by one element along an axis; those that move along the other one, too, count twice. */
static int32_t count_consecutive(const zc_stage *stage, int axis, int other)
{
    int32_t count = 0;
    for (int32_t access = 0; access < stage->access_count; access++) {
        const int64_t *stride = stage->stride + (size_t)access * (size_t)stage->rank;
        count += stride[axis] != 1 ? 0 : stride[other] != 0 ? 2 : 1;
    }
    return count;
}

bool zc_reduce_joins_columns(const zc_stage *stage)
{
    const int kept = stage->kept - 1, walked = stage->rank - 1;
    return kept >= 0 && count_consecutive(stage, kept, walked) > count_consecutive(stage, walked, kept);
}

/* An element of a log sum costs an exponential. */
static double work(const zc_stage *stage)
{
    const bool has_log_sums = zc_is_combined(stage) && zc_reduction_has_log_sums(stage->reduce.reduction);
    const double joined = has_log_sums ? zc_op_describe(ZC_OP_EXP)->cost : 0;
    return zc_stage_real_extent(stage, UINT64_MAX) * (zc_stage_work_each(stage) + joined);
}

/* Columns along the last kept axis share a state, or each result has its own. */
static bool absorbs(const zc_stage *stage, zc_absorption *how)
{
    const int64_t results = zc_stage_extent(stage, 0, stage->kept);
    const int64_t line = zc_reduce_joins_columns(stage) ? stage->shape[stage->kept - 1] : 1;
    const int64_t columns = zc_smaller(line, ZC_STATE_COLUMNS), units = results / line * zc_divide_up(line, columns);
    const size_t each = zc_reducer_state_bytes(stage->reduce.reduction, (zc_dtype)zc_stage_result(stage)->dtype,
                                               columns, zc_walked_count(stage));
    *how = (zc_absorption){.elements = 0};
    return zc_checked_multiply(units, (int64_t)each, &how->state_bytes);
}

/* ---- Explanation ---- */

static const char *result_name(const zc_stage *stage)
{
    return zc_reduction_describe(stage->reduce.reduction)->name;
}

static zc_named result_use(const zc_stage *stage)
{
    return stage->rank > stage->kept
               ? (zc_named){"joined", "goes into the reduction as it is computed, never written to memory"}
               : (zc_named){"by rule", "equal along the reduced axes, so not walked along them"};
}

void zc_reduce_add_invariant_axes(const zc_stage *stage, zc_text_builder *text)
{
    const uint64_t axes = stage->reduce.invariant_axes;
    if (axes == 0)
        return;
    zc_text_add(text, "%s by rule over %s ", stage->rank > stage->kept ? "," : "",
                (axes & (axes - 1)) != 0 ? "axes" : "axis");
    zc_text_add_axes(text, axes, " ");
    zc_text_add(text, " of %lld elements, which are not walked", (long long)stage->reduce.invariant_count);
}

static void add_text(const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, "%s", result_name(stage));
    if (stage->rank > stage->kept)
        zc_text_add(text, " of %lld elements each", (long long)zc_walked_count(stage));
    zc_reduce_add_invariant_axes(stage, text);
}

void zc_reduce_add_json(const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, ", \"reduction\": \"%s\", \"invariant_axes\": [", stage->kind->result_name(stage));
    zc_text_add_axes(text, stage->reduce.invariant_axes, ", ");
    zc_text_add(text, "], \"invariant_count\": %lld", (long long)stage->reduce.invariant_count);
}

const zc_stage_kind zc_stage_kind_reduce = {
    ZC_STAGE_KIND_ROW(reduce),    .reduces = true,      .absorbs = absorbs,
    .make_element = make_element, .work = work,         .result_name = result_name,
    .result_use = result_use,     .add_text = add_text, .add_json = zc_reduce_add_json,
};
