#include "materialize/stages/runs.h"

#include <string.h>

#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"

/* ---- Making ---- */

bool zc_runs_begin(zc_arena *arena, zc_stage *stage, int axis, int32_t count)
{
    stage->kind = &zc_stage_kind_runs;
    stage->value_count = stage->access_count = 0;
    stage->values = zc_arena_take(arena, (size_t)count, sizeof *stage->values);
    stage->offset = zc_arena_take(arena, (size_t)count, sizeof *stage->offset);
    stage->stride = zc_arena_take(arena, (size_t)count * (size_t)stage->rank, sizeof *stage->stride);
    stage->runs.axis = axis;
    stage->runs.first = zc_arena_take(arena, (size_t)count + 1, sizeof *stage->runs.first);
    if (stage->values == NULL || stage->offset == NULL || stage->stride == NULL || stage->runs.first == NULL)
        return false;
    stage->runs.first[0] = 0;
    return true;
}

int32_t zc_runs_add(zc_stage *stage, int64_t length)
{
    const int32_t v = stage->value_count++;
    stage->runs.first[v + 1] = stage->runs.first[v] + length; /* proven: inside the axis */
    return v;
}

bool zc_runs_are_along(const zc_stage *stage, int axis)
{
    return stage->kind == &zc_stage_kind_runs && stage->runs.axis == axis;
}

int64_t zc_runs_end(const zc_stage *stage)
{
    return stage->runs.first[stage->value_count];
}

/* ---- Plans ---- */

static int64_t extent_of(const zc_stage *stage, int32_t v, int axis)
{
    return axis == stage->runs.axis ? stage->runs.first[v + 1] - stage->runs.first[v] : stage->shape[axis];
}

/* No run is empty. */
static double work(const zc_stage *stage)
{
    const double all = zc_stage_real_extent(stage, UINT64_MAX), length = (double)stage->shape[stage->runs.axis];
    double sum = 0;
    for (int32_t v = 0; v < stage->value_count; v++)
        sum += zc_value_work(&stage->values[v]) * ((double)extent_of(stage, v, stage->runs.axis) / length);
    return all * sum;
}

/* Runs follow each other from the first coordinate to the last, and are moved as they are. */
static bool are_side_by_side(const zc_stage *stage)
{
    const zc_runs_part *runs = &stage->runs;
    if (stage->store.updates || stage->store.clears > 0 || runs->axis < 0 || runs->axis >= stage->rank ||
        runs->first[0] != 0 || zc_runs_end(stage) != stage->shape[runs->axis])
        return false;
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        if ((value->kind != ZC_VALUE_LOAD && value->kind != ZC_VALUE_CONSTANT) ||
            runs->first[v] >= runs->first[v + 1] || value->dtype != stage->store.dtype || value->dtype == ZC_BOOL)
            return false;
    }
    return true;
}

static const char *broken_rule(const zc_stage *stage)
{
    return are_side_by_side(stage) ? NULL : "runs lie side by side";
}

/* ---- Elements ---- */

/* The run that a coordinate of the axis lies in. */
static int32_t find_run(const zc_stage *stage, int64_t at)
{
    int32_t low = 0, high = stage->value_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (stage->runs.first[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The element of the run, whose access begins where it does. */
static void make_element(zc_evaluator *e, char *to)
{
    const zc_stage *stage = e->stage;
    int64_t *at = &e->position[stage->runs.axis];
    const int32_t v = find_run(stage, *at);
    const zc_value *value = &stage->values[v];
    *at -= stage->runs.first[v];
    memcpy(to, value->kind == ZC_VALUE_CONSTANT ? value->constant->bytes : zc_evaluator_element(e, value),
           zc_dtype_bytes(stage->store.dtype));
    *at += stage->runs.first[v];
}

const zc_stage_kind zc_stage_kind_runs = {
    ZC_STAGE_KIND_ROW(runs),    .extent_of = extent_of,       .work = work,
    .broken_rule = broken_rule, .make_element = make_element,
};
