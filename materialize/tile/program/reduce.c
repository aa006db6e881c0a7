#include "materialize/tile/program/reduce.h"

#include "materialize/plan/group.h"
#include "materialize/stages/reduce.h"
#include "materialize/stages/reduce_finalize.h"
#include "materialize/tile/program/store.h"

static zc_dtype joined_dtype(const zc_tile_program *p)
{
    return (zc_dtype)zc_stage_result(p->stage)->dtype;
}

zc_dtype zc_tile_partial_dtype(const zc_tile_program *p)
{
    return zc_reduction_partial(zc_stage_reduced(p->stage)->reduction, joined_dtype(p));
}

/* The stage of whose domain the program walks a block, or all. */
static const zc_stage *whole_of(const zc_tile_program *p)
{
    return zc_stage_absorbs(p->stage) ? p->stage->member->whole : p->stage;
}

/* Offsets of the parts of the worker's own scratch memory, and its size in bytes. */
typedef struct layout {
    size_t results, numbers, reducer, bytes;
} layout;

static layout lay_out(const zc_tile_program *p, int64_t results)
{
    const zc_stage *stage = p->stage;
    const zc_reduction reduction = zc_stage_reduced(stage)->reduction;
    const size_t count = (size_t)results;
    layout l = {.results = zc_align_data(sizeof(zc_tile_reduce))};
    l.numbers = l.results + zc_align_data(count * sizeof(zc_scalar));
    l.reducer = l.numbers + (zc_reduction_is_index(reduction) ? zc_align_data(count * sizeof(int64_t)) : 0);
    l.bytes =
        l.reducer + zc_align_data(zc_reducer_bytes(reduction, joined_dtype(p), p->joined, zc_walked_count(stage)));
    return l;
}

size_t zc_tile_reduce_bytes(const zc_tile_program *p, int64_t results)
{
    return lay_out(p, results).bytes;
}

void zc_tile_reduce_begin(zc_tile_worker *w, int64_t results)
{
    const zc_tile_program *p = w->program;
    const layout l = lay_out(p, results);
    zc_tile_reduce *r = zc_tile_reduce_of(w);
    r->results = w->own + l.results;
    r->numbers = (int64_t *)(void *)(w->own + l.numbers);
    zc_reducer_init(&r->reducer, p->kernels, zc_stage_reduced(p->stage)->reduction, joined_dtype(p), p->joined,
                    zc_walked_count(p->stage), w->own + l.reducer);
}

/* ---- Choosing ---- */

/* Tells an axis of fewer columns than fill a vector, where some loads are consecutive along the reduced axis instead.
 */
static bool has_few_columns(const zc_tile_program *p, int axis)
{
    enum { LEAST_COLUMNS = 8 };
    return axis < p->kept && p->shape[axis] < LEAST_COLUMNS && zc_tile_consecutive_along(p, p->rank - 1) > 0;
}

/* Tells columns, or rows, so short that beginning and ending their lanes takes as long as their elements do. */
static bool is_short(const zc_tile_program *p, int axis)
{
    enum { SHORT_COLUMN = 128, SHORT_ROW = 32 };
    return zc_walked_count(p->stage) < (axis < p->kept ? SHORT_COLUMN : SHORT_ROW);
}

int zc_tile_reduce_cost(const zc_tile_program *p, int axis, int preference)
{
    enum { PREFERENCES = 4, MOST = 1 << 24 };
    const int64_t read =
        has_few_columns(p, axis) ? ZC_TILE_ONE_BY_ONE * (1 + p->stage->access_count) : zc_tile_read_cost_along(p, axis);
    const int64_t other = zc_smaller(read + zc_tile_picked_one_by_one(p, axis) + is_short(p, axis), MOST);
    return (int)(PREFERENCES * (1 + other)) + preference;
}

int64_t zc_tile_most_group(const zc_tile_program *p)
{
    if (!zc_stage_absorbs(p->stage))
        return INT64_MAX;
    const zc_member *member = p->stage->member;
    const int64_t block = zc_walked_count(member->part[0]), rows = member->group->extent[member->group->rank - 1];
    const int64_t each = zc_group_elements_each(member->group, member->outer, member->whole);
    const int64_t starts = member->absorbed == 1 ? block : block | rows * each; /* proven: in the domain */
    return starts & -starts;
}

int64_t zc_tile_least_group(const zc_tile_program *p, int64_t blocks)
{
    const int64_t least = blocks * ZC_LEAF;
    bool may_divide = p->threads > 1 && p->rank == p->kept + 1 && zc_walked_count(p->stage) >= 2 * least;
    return may_divide && least <= zc_tile_most_group(p) ? least : 0;
}

void zc_tile_divide(zc_tile_program *p, int64_t least)
{
    if (least == 0 || p->units >= 4 * (int64_t)p->threads)
        return;
    int64_t length = least, all = p->shape[p->rank - 1];
    while (all / length > 8 * (int64_t)p->threads && 2 * length <= zc_tile_most_group(p))
        length *= 2;
    p->group_length = length;
    p->groups = zc_divide_up(all, length);
}

/* ---- Reducing ---- */

/* Tells whether elements that do not change the result may be left out: none that are checked may. */
static bool may_stop(const zc_stage *stage)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        if (stage->values[v].kind == ZC_VALUE_CHECK)
            return false;
    }
    return true;
}

/* Joins the tiles of the worker's unit whose elements are in [first, end): a part of the unit only where that has a
 * single inner axis. */
static void reduce_part(zc_tile_worker *w, zc_reducer *reducer, zc_tile_combine *combine_tile, int64_t first,
                        int64_t end)
{
    const zc_tile_program *p = w->program;
    int64_t at[ZC_MAX_RANK];
    bool is_part = p->groups > 1;
    for (int i = 0; i < p->inner_count; i++)
        at[i] = 0;
    at[0] = is_part ? first / p->inner[0].step : 0;
    int64_t stop = is_part ? (end + p->inner[0].step - 1) / p->inner[0].step : p->inner[0].count;
    bool goes_on = at[0] < stop;
    while (goes_on) {
        zc_tile_move_inside(w, at);
        combine_tile(w, reducer);
        goes_on = zc_tile_next(w, at) && at[0] < stop && !(zc_reducer_is_decided(reducer) && may_stop(p->stage));
    }
}

void zc_tile_reduce_group(zc_tile_worker *w, zc_tile_combine *combine_tile, int64_t columns, int64_t group,
                          char *results, int64_t *numbers)
{
    const zc_tile_program *p = w->program;
    zc_reducer *reducer = &zc_tile_reduce_of(w)->reducer;
    int64_t first = group * p->group_length, all = zc_walked_count(p->stage);
    zc_reducer_begin(reducer, columns, first + (zc_stage_absorbs(p->stage) ? p->stage->member->first : 0));
    reduce_part(w, reducer, combine_tile, first, zc_smaller(first + p->group_length, all));
    zc_reducer_end(reducer, results, numbers);
}

/* Results are as wide as what was joined, or are indices and go where the numbers are. */
static const char *finalize(zc_tile_worker *w, const char *results, const int64_t *numbers, int64_t n)
{
    bool is_index = zc_reduction_is_index(zc_stage_reduced(w->program->stage)->reduction);
    zc_tile_reduce *r = zc_tile_reduce_of(w);
    char *final = is_index ? (char *)r->numbers : r->results;
    zc_finalize(whole_of(w->program), results, is_index ? numbers : NULL, final, n);
    return final;
}

void zc_tile_store_results(zc_tile_worker *w, int axis, const char *results, const int64_t *numbers, int64_t n)
{
    const char *final = finalize(w, results, numbers, n);
    zc_tile_store_run(w, zc_tile_store_address(w), final, n == 1 ? 1 : zc_tile_store_stride(w->program, axis), n);
}

void zc_tile_store_all_results(zc_tile_worker *w, const char *results, const int64_t *numbers)
{
    zc_tile_store(w, zc_tile_store_address(w), finalize(w, results, numbers, w->rows * w->columns));
}

/* ---- Absorbing ---- */

bool zc_tile_absorbs_columns(const zc_tile_program *p)
{
    return zc_reduce_joins_columns(whole_of(p));
}

static size_t state_bytes(const zc_tile_program *p)
{
    const zc_stage *whole = whole_of(p);
    return zc_reducer_state_bytes(zc_stage_reduced(whole)->reduction, joined_dtype(p), p->joined,
                                  zc_walked_count(whole));
}

int64_t zc_tile_state_bytes(const zc_tile_program *p)
{
    return p->units * (int64_t)state_bytes(p); /* proven: at most those that absorbs() of stages/reduce.c counts */
}

/* The reducer of the worker's unit, which has joined all blocks before. */
static zc_reducer *find_state(const zc_tile_worker *w, int64_t columns)
{
    const zc_tile_program *p = w->program;
    char *memory = p->stage->member->state + (size_t)w->unit * state_bytes(p);
    zc_reducer *reducer = (zc_reducer *)(void *)memory;
    if (p->stage->member->first == 0) {
        zc_reducer_init(reducer, p->kernels, zc_stage_reduced(p->stage)->reduction, joined_dtype(p), p->joined,
                        zc_walked_count(whole_of(p)), memory + zc_align_data(sizeof(zc_reducer)));
        zc_reducer_begin(reducer, columns, 0);
    }
    return reducer;
}

/* Stores the results of the worker's unit behind its last block. */
static void end_state(zc_tile_worker *w, zc_reducer *reducer, int axis, int64_t columns)
{
    const zc_stage *stage = w->program->stage;
    zc_tile_reduce *r = zc_tile_reduce_of(w);
    if (stage->member->first + zc_walked_count(stage) < zc_walked_count(whole_of(w->program)))
        return;
    zc_reducer_end(reducer, r->results, r->numbers);
    zc_tile_store_results(w, axis, r->results, r->numbers, columns);
}

void zc_tile_reduce_unit(zc_tile_worker *w, zc_tile_combine *combine_tile, int axis, int64_t columns)
{
    zc_tile_reduce *r = zc_tile_reduce_of(w);
    if (!zc_stage_absorbs(w->program->stage)) {
        zc_tile_reduce_group(w, combine_tile, columns, 0, r->results, r->numbers);
        zc_tile_store_results(w, axis, r->results, r->numbers, columns);
        return;
    }
    zc_reducer *reducer = find_state(w, columns);
    reduce_part(w, reducer, combine_tile, 0, zc_walked_count(w->program->stage));
    end_state(w, reducer, axis, columns);
}

/* Joins the results of the groups of a block to the unit's state, in their order. */
static void absorb_groups(zc_tile_worker *w, int axis, const char *results, const int64_t *numbers, int64_t n)
{
    const zc_tile_program *p = w->program;
    zc_reducer *reducer = find_state(w, n);
    const bool is_index = zc_reduction_is_index(reducer->reduction),
               has_no_order = zc_reducer_has_no_order(reducer) || p->counts;
    int64_t left = zc_walked_count(p->stage);
    for (int64_t g = 0; g < p->groups; g++, left -= p->group_length) {
        const char *group = results + (size_t)(g * n) * reducer->item;
        if (has_no_order)
            zc_reducer_join_any_order(reducer, group);
        else
            zc_reducer_joined(reducer, group, is_index ? numbers + g * n : NULL, zc_smaller(left, p->group_length));
    }
    end_state(w, reducer, axis, n);
}

void zc_tile_combine_groups(zc_tile_worker *w, int axis, char *results, int64_t *numbers, int64_t n)
{
    if (zc_stage_absorbs(w->program->stage)) {
        absorb_groups(w, axis, results, numbers, n);
        return;
    }
    zc_reducer_groups(&zc_tile_reduce_of(w)->reducer, results, numbers, w->program->groups, n);
    zc_tile_store_results(w, axis, results, numbers, n);
}
