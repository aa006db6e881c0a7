#include "materialize/stages/select.h"

#include <string.h>

#include "materialize/execute/evaluator.h"
#include "materialize/plan/stage_words.h"
#include "materialize/stages/reduce.h"

static int free_axes(const zc_stage *stage)
{
    return stage->kept - 1;
}

zc_selected zc_stage_selected(const zc_stage *stage)
{
    const zc_reduction by = zc_stage_reduced(stage)->reduction;
    return (zc_selected){.descends = by == ZC_REDUCTION_MAX || by == ZC_REDUCTION_ARGMAX,
                         .is_index = zc_reduction_is_index(by),
                         .count = stage->shape[stage->kept - 1],
                         .step = stage->store.stride[stage->kept - 1]};
}

static const char *broken_rule(const zc_stage *stage)
{
    const zc_value *value = zc_stage_result(stage);
    const zc_dtype dtype = (zc_dtype)value->dtype;
    const zc_reduction by = zc_stage_reduced(stage)->reduction;
    const bool is_value = by == ZC_REDUCTION_MAX || by == ZC_REDUCTION_MIN;
    const bool is_sound = stage->kept > 0 && stage->rank == stage->kept + 1 && !zc_dtype_is_complex(dtype) &&
                          (is_value || by == ZC_REDUCTION_ARGMAX || by == ZC_REDUCTION_ARGMIN) &&
                          stage->store.dtype == (is_value ? dtype : ZC_INT64) &&
                          (value->axes >> (stage->kept - 1) & 1) == 0 &&
                          stage->shape[stage->kept - 1] <= stage->shape[stage->kept];
    return is_sound ? NULL : "a selection takes elements of a line";
}

/* Counts what makes a line's elements, and a look at each, once. */
static double work(const zc_stage *stage)
{
    const double elements = zc_stage_real_extent(stage, ~(UINT64_C(1) << (stage->kept - 1)));
    return elements * (zc_stage_work_each(stage) + 1);
}

/* ---- Elements ---- */

static bool holds(zc_op op, zc_dtype dtype, const zc_scalar *x, const zc_scalar *y)
{
    uint8_t result = 0;
    zc_kernels_portable.map[op][dtype](&result, x->bytes, y->bytes, NULL, 1);
    return result != 0;
}

/* Tells an element that comes before another one, whatever their numbers: by value, NaN above all numbers. */
static bool comes_before(const zc_stage *stage, const zc_scalar *x, const zc_scalar *y)
{
    const zc_dtype dtype = (zc_dtype)zc_stage_result(stage)->dtype;
    const bool x_is_nan = !holds(ZC_OP_EQUAL, dtype, x, x), y_is_nan = !holds(ZC_OP_EQUAL, dtype, y, y);
    if (zc_stage_selected(stage).descends)
        return !y_is_nan && (x_is_nan || holds(ZC_OP_GREATER, dtype, x, y));
    return !x_is_nan && (y_is_nan || holds(ZC_OP_LESS, dtype, x, y));
}

/* An element of a line, and its number. */
typedef struct numbered {
    zc_scalar element;
    int64_t number;
} numbered;

static bool is_behind(const zc_stage *stage, const numbered *x, const numbered *last)
{
    return comes_before(stage, &last->element, &x->element) ||
           (x->number > last->number && !comes_before(stage, &x->element, &last->element));
}

/* Finds the first element of the line at the evaluator's position behind the last one that was found. */
static numbered find_next(zc_evaluator *e, const numbered *last)
{
    numbered best = {.number = -1}, x = {.number = 0};
    do {
        x.element = *zc_evaluate(e);
        const bool is_better = best.number < 0 || comes_before(e->stage, &x.element, &best.element);
        if (is_better && (last->number < 0 || is_behind(e->stage, &x, last)))
            best = x;
        x.number++;
    } while (zc_evaluator_advance(e, e->stage->kept, e->stage->rank, 1));
    return best;
}

/* The number of the element before is carried; that element is the first of a walk to it. */
static void make_element(zc_evaluator *e, char *to)
{
    const zc_stage *stage = e->stage;
    const zc_selected s = zc_stage_selected(stage);
    numbered last = {.number = -1};
    if (e->position[stage->kept - 1] > 0) {
        memcpy(last.element.bytes, e->carried.bytes, sizeof(int64_t));
        memcpy(&last.number, e->carried.bytes + sizeof(int64_t), sizeof last.number);
    }
    const numbered next = find_next(e, &last);
    memcpy(e->carried.bytes, next.element.bytes, sizeof(int64_t));
    memcpy(e->carried.bytes + sizeof(int64_t), &next.number, sizeof next.number);
    memcpy(to, s.is_index ? (const void *)&next.number : next.element.bytes, zc_dtype_bytes(stage->store.dtype));
}

/* ---- Explanation ---- */

static const char *result_name(const zc_stage *stage)
{
    const zc_selected s = zc_stage_selected(stage);
    return s.is_index ? (s.descends ? "indices of the largest" : "indices of the least")
                      : (s.descends ? "largest" : "least");
}

static zc_named result_use(const zc_stage *stage)
{
    (void)stage;
    return (zc_named){"selected", "goes into the selection as it is computed, never written to memory"};
}

static void add_text(const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, "%s %lld of %lld elements each", result_name(stage), (long long)stage->shape[stage->kept - 1],
                (long long)zc_walked_count(stage));
}

static void add_json(const zc_stage *stage, zc_text_builder *text)
{
    zc_text_add(text, ", \"selection\": \"%s\", \"selected\": %lld", result_name(stage),
                (long long)stage->shape[stage->kept - 1]);
}

const zc_stage_kind zc_stage_kind_select = {
    ZC_STAGE_KIND_ROW(select),  .reduces = true,
    .free_axes = free_axes,     .work = work,
    .broken_rule = broken_rule, .make_element = make_element,
    .result_name = result_name, .result_use = result_use,
    .add_text = add_text,       .add_json = add_json,
};
