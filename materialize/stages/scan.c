#include "materialize/stages/scan.h"

#include <string.h>

#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"

static bool is_recurrence(const zc_stage *stage)
{
    return stage->scan.scan == ZC_SCAN_RECURRENCE;
}

static int free_axes(const zc_stage *stage)
{
    return stage->rank - 1;
}

static int32_t *besides(zc_stage *stage, int *count)
{
    *count = is_recurrence(stage);
    return &stage->scan.factor;
}

static const char *broken_rule(const zc_stage *stage)
{
    const int32_t factor = stage->scan.factor;
    const zc_dtype dtype = stage->store.dtype;
    if (stage->rank == 0)
        return "a scan has an axis";
    return !is_recurrence(stage) || (zc_dtype_is_wide_float(dtype) && factor >= 0 && factor < stage->value_count &&
                                     stage->values[factor].dtype == dtype)
               ? NULL
               : "a recurrence has factors of its dtype";
}

/* ---- Elements ---- */

/* Takes the element at hand in; the first one of a recurrence as it is. */
static void take_in(zc_evaluator *e)
{
    const zc_stage *stage = e->stage;
    const zc_scalar element = *zc_evaluate(e);
    const zc_dtype dtype = stage->store.dtype;
    uint8_t *carried = e->carried.bytes;
    if (is_recurrence(stage) && e->position[stage->rank - 1] == 0) {
        e->carried = element;
        return;
    }
    zc_map_kernel *const(*map)[ZC_DTYPE_COUNT] = zc_kernels_portable.map;
    if (is_recurrence(stage))
        map[ZC_OP_MULTIPLY][dtype](carried, carried, e->values[stage->scan.factor].bytes, NULL, 1);
    zc_op op = zc_reduction_describe(zc_scan_describe(stage->scan.scan)->reduction)->combine;
    map[op][dtype](carried, carried, element.bytes, NULL, 1);
}

/* One element of a line after the other. */
static void make_element(zc_evaluator *e, char *to)
{
    const zc_stage *stage = e->stage;
    const zc_scan_info *info = zc_scan_describe(stage->scan.scan);
    const size_t item = zc_dtype_bytes(stage->store.dtype);
    if (e->position[stage->rank - 1] == 0)
        e->carried = zc_reduction_padding(info->reduction, stage->store.dtype);
    if (info->is_before)
        memcpy(to, e->carried.bytes, item);
    take_in(e);
    if (!info->is_before)
        memcpy(to, e->carried.bytes, item);
}

/* ---- Explanation ---- */

static void add_text(const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, "scan along the last axis: %s", zc_scan_describe(stage->scan.scan)->name);
    if (is_recurrence(stage))
        zc_text_add(text, " by factors v%d", (int)stage->scan.factor);
}

static void add_json(const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, ", \"scan\": \"%s\"", zc_scan_describe(stage->scan.scan)->name);
    if (is_recurrence(stage))
        zc_text_add(text, ", \"scan_factor\": %d", (int)stage->scan.factor);
}

const zc_stage_kind zc_stage_kind_scan = {
    ZC_STAGE_KIND_ROW(scan),      .free_axes = free_axes, .besides = besides,   .broken_rule = broken_rule,
    .make_element = make_element, .add_text = add_text,   .add_json = add_json,
};
