/*
 * What a plan must be: verify.c accepts what lowering makes and refuses it once any rule is broken. And what lowering
 * makes of the shapes of graph that the cut rules are about.
 *
 * Longer than 500 lines because each way to break a plan is a function.
 */
#include <string.h>

#include "materialize/plan/memory.h"
#include "materialize/plan/plan.h"
#include "materialize/plan/verify.h"
#include "materialize/stages/contract.h"
#include "materialize/stages/map.h"
#include "materialize/stages/reduce.h"
#include "materialize/stages/runs.h"
#include "materialize/stages/scan.h"
#include "materialize/stages/scatter.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/zc_test.h"

typedef struct planned {
    zc_context *ctx;
    zc_scope *scope;
    zc_plan plan;
} planned;

/* sum(exp(row) + matrix, axis=1) over (64, 128): a hoisted stage and a reduction. */
static planned make_plan(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[128 * 64] = {0};
    zc_tensor *row = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(128), values, 128 * sizeof *values);
    zc_tensor *matrix = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(64, 128), values, sizeof values);
    zc_tensor *sum = zc_sum(zc_add(zc_add(zc_exp(row), matrix), zc_weak_int(p.ctx, 1)), ZC_AXES(1), false);
    cr_assert_eq(zc_plan_of(sum, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

/* concat((2, 3), (1, 3), (3, 3)) along axis 0, plus a matrix: three pieces and what reads them. */
static planned make_pieces(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[18] = {0};
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(6, 3), values, sizeof values);
    const zc_tensor *const slabs[] = {zc_slice(x, 0, 2, 4, 1), zc_negative(zc_slice(x, 0, 0, 1, 1)),
                                      zc_slice(x, 0, 3, 6, 1)};
    zc_tensor *sum = zc_add(zc_concat(p.ctx, 3, slabs, 0), x);
    cr_assert_eq(zc_plan_of(sum, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

/* (4, 3) padded by one along both axes: a column, then a row, the matrix and a row inside the second slab, a column. */
static planned make_nested(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    bool values[12] = {0}; /* bools are no runs */
    zc_tensor *x = zc_from_data(p.ctx, ZC_BOOL, ZC_SHAPE(4, 3), values, sizeof values);
    const int64_t ones[] = {1, 1};
    zc_tensor *padded = zc_pad(x, 2, ones, ones, ZC_PAD_CONSTANT, NULL);
    cr_assert_eq(zc_plan_of(padded, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

/* take((4, 3), 2 * positions (5), axis=0): the positions computed, checked, and an element picked. */
static planned make_pick(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[12] = {0};
    int64_t at[5] = {0};
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(4, 3), values, sizeof values);
    zc_tensor *positions = zc_from_data(p.ctx, ZC_INT64, ZC_SHAPE(5), at, sizeof at);
    zc_tensor *taken = zc_take(x, zc_multiply(positions, zc_weak_int(p.ctx, 2)), 0);
    cr_assert_eq(zc_plan_of(taken, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

/* The gradient of take((4, 3), positions (5), axis=0): a store that positions move. */
static planned make_scatter(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[12] = {0};
    int64_t at[5] = {0};
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(4, 3), values, sizeof values);
    zc_tensor *taken = zc_take(x, zc_from_data(p.ctx, ZC_INT64, ZC_SHAPE(5), at, sizeof at), 0);
    zc_tensor *gradient = zc_grad(zc_square(taken), x);
    cr_assert_eq(zc_plan_of(gradient, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

/* x + x, of which two rows of a column are added to: what is there first, then what positions move. */
static planned make_update(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[12] = {0};
    int64_t at[2] = {0};
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(4, 3), values, sizeof values);
    zc_tensor *places = zc_take(zc_places(x), zc_from_data(p.ctx, ZC_INT64, ZC_SHAPE(2), at, sizeof at), 0);
    zc_tensor *updated = zc_update(zc_add(x, x), places, zc_slice(x, 0, 0, 2, 1), ZC_UPDATE_ADD);
    cr_assert_eq(zc_plan_of(updated, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

/* The gradient of running products: a recurrence with factors, and a product of the elements before. */
static planned make_recurrence(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[4] = {1, 2, 3, 4};
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(4), values, sizeof values);
    zc_tensor *gradient = zc_grad(zc_cumulative_prod(x, 0, false), x);
    cr_assert_eq(zc_plan_of(gradient, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

static void end_plan(planned *p)
{
    zc_plan_free(&p->plan);
    zc_scope_end(p->scope);
    zc_context_free(p->ctx);
}

Test(plan, hoists_what_varies_along_few_axes_and_ends_in_the_output)
{
    planned p = make_plan();
    cr_assert_eq(p.plan.stage_count, 2);
    cr_assert_eq(p.plan.stages[0]->reason, ZC_STAGE_HOISTED);
    cr_assert_eq(p.plan.stages[0]->shape[0], 128);
    cr_assert_eq(p.plan.stages[1]->reason, ZC_STAGE_REDUCTION);
    cr_assert_eq(p.plan.stages[1]->store.slot, p.plan.results[0].slot);
    cr_assert_eq(p.plan.held_bytes, 128 * 4 + 128 * 64 * 4);
    cr_assert_eq(p.plan.written_bytes, 128 * 4 + 64 * 4);
    cr_assert_eq(p.plan.peak_bytes, 128 * 4 + 64 * 4);
    end_plan(&p);
}

static zc_value *find_value(zc_stage *stage, zc_value_kind kind)
{
    for (int32_t v = 0; v < stage->value_count; v++) {
        if (stage->values[v].kind == kind)
            return &stage->values[v];
    }
    cr_assert(false, "no such value");
    return NULL;
}

static void break_value_count(zc_plan *plan)
{
    plan->stages[1]->value_count = 0;
}
static void break_kept(zc_plan *plan)
{
    plan->stages[1]->kept = 5;
}
static void break_reduces(zc_plan *plan)
{
    plan->stages[1]->kind = &zc_stage_kind_map;
}
static void break_access(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_LOAD)->access = 7;
}
static void break_load_slot(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_LOAD)->slot = 99;
}
static void break_load_dtype(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_LOAD)->dtype = ZC_INT32;
}
static void break_order(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_LOAD)->slot = plan->results[0].slot;
}
static void break_offset(zc_plan *plan)
{
    plan->stages[1]->offset[0] = 1000000;
}
static void break_stride(zc_plan *plan)
{
    plan->stages[0]->stride[0] = 2;
}
static void break_axes(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_LOAD)->axes ^= 1;
}
static void break_op(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_OP)->op = ZC_OP_EXP;
}
static void break_argument(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_OP)->arg[0] = 50;
}
static void break_op_axes(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_OP)->axes = 0;
}
static void break_store_slot(zc_plan *plan)
{
    plan->stages[1]->store.slot = -1;
}
static void break_store_input(zc_plan *plan)
{
    plan->stages[1]->store.slot = plan->stages[0]->values[0].slot;
}
static void break_store_dtype(zc_plan *plan)
{
    plan->stages[1]->store.dtype = ZC_FLOAT64;
}
static void break_store_reach(zc_plan *plan)
{
    plan->stages[1]->store.stride[0] = 2;
}
static void break_store_twice(zc_plan *plan)
{
    plan->stages[1]->store.stride[0] = 0;
}
static void break_output(zc_plan *plan)
{
    plan->stage_count = 1;
}
static void break_access_sign(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_LOAD)->access = -1;
}
static void break_load_slot_sign(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_LOAD)->slot = -1;
}
static void break_argument_sign(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_OP)->arg[0] = -1;
}
static void break_op_name(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_OP)->op = ZC_OP_COUNT;
}
static void break_kept_sign(zc_plan *plan)
{
    plan->stages[1]->kept = -1;
}
static void break_walk_begin(zc_plan *plan)
{
    plan->stages[1]->offset[find_value(plan->stages[1], ZC_VALUE_LOAD)->access] = -1;
}
static void break_walk_extent(zc_plan *plan)
{
    plan->stages[1]->shape[0] = -1;
}
static void break_rank(zc_plan *plan)
{
    plan->stages[1]->rank = ZC_MAX_RANK + 1;
}
static void break_store_beyond(zc_plan *plan)
{
    plan->stages[1]->store.slot = plan->slot_count;
}
static void break_stage_count(zc_plan *plan)
{
    plan->stage_count = 0;
}

/* ---- Pieces: stages 0 to 2 make them, stage 3 reads them ---- */

static void break_piece_overlap(zc_plan *plan)
{
    plan->stages[1]->store.slabs->first--;
}
static void break_piece_gap(zc_plan *plan)
{
    plan->stages[1]->store.slabs->first++;
}
static void break_piece_offset(zc_plan *plan)
{
    plan->stages[1]->store.offset -= 3;
}
static void break_piece_stride(zc_plan *plan)
{
    static int64_t strides[] = {3, 2}; /* of this piece alone: all have one array */
    plan->stages[1]->store.stride = strides;
}
static void break_piece_extent(zc_plan *plan)
{
    plan->stages[1]->shape[1] = 2;
}
static void break_piece_whole(zc_plan *plan)
{
    plan->stages[1]->store.slabs->whole++;
}
static void break_piece_axis(zc_plan *plan)
{
    plan->stages[1]->store.slabs->axis = 1;
}
static void break_piece_across(zc_plan *plan)
{
    zc_stage *stage = plan->stages[1]; /* the last column of the same whole */
    stage->shape[0] = 6;
    stage->shape[1] = 1;
    *stage->store.slabs = (zc_slab){.axis = 1, .first = 2, .length = 1, .whole = 3};
    stage->store.offset = 2;
}
static void break_piece_rank(zc_plan *plan)
{
    plan->stages[1]->kept = 1;
    plan->stages[1]->kind = &zc_stage_kind_reduce;
}
static void break_piece_axis_there(zc_plan *plan)
{
    plan->stages[0]->store.slabs->axis = 2;
}
static void break_piece_overflow(zc_plan *plan)
{
    for (int s = 0; s < 2; s++) {
        plan->stages[s]->shape[1] = 0; /* so that no stride leaves anything */
        plan->stages[s]->store.stride[0] = INT64_MAX;
    }
}
static void break_piece_length(zc_plan *plan)
{
    for (int s = 0; s < 3; s++)
        plan->stages[s]->store.slabs->whole--;
}
static void break_piece_mixed(zc_plan *plan)
{
    plan->stages[1]->store.slab_count = 0;
}
static void break_piece_after_whole(zc_plan *plan)
{
    plan->stages[0]->store.slabs->whole = plan->stages[0]->shape[0];
}
static void break_piece_reach(zc_plan *plan)
{
    plan->stages[0]->store.slabs->whole = 7;
}
static void break_last_piece(zc_plan *plan)
{
    for (int s = 0; s < 3; s++)
        plan->stages[s]->store.slot = plan->results[0].slot;
    plan->stage_count = 2;
}
static void break_pieces_missing(zc_plan *plan)
{
    zc_stage *early = plan->stages[3];
    plan->stages[3] = plan->stages[2];
    plan->stages[2] = early;
}

/* ---- Slabs inside a slab: stages 1 to 3, between 0 and 4 ---- */

static void break_nested_gap(zc_plan *plan)
{
    plan->stages[2]->store.slabs[1].first++;
}
static void break_nested_outer(zc_plan *plan)
{
    plan->stages[2]->store.slabs[0].first++;
    plan->stages[2]->store.offset++; /* so that the whole begins where it did */
}
static void break_nested_whole(zc_plan *plan)
{
    plan->stages[2]->store.slabs[1].whole++;
}
static void break_nested_length(zc_plan *plan)
{
    plan->stages[2]->store.slabs[0].length++;
}
static void break_nested_count(zc_plan *plan)
{
    plan->stages[2]->store.slab_count = 1;
}
static void break_nested_axis(zc_plan *plan)
{
    plan->stages[2]->store.slabs[1].axis = -1;
}
static void break_nested_end(zc_plan *plan)
{
    plan->stages[3] = plan->stages[4]; /* before the slabs inside the one before it are there */
    plan->stage_count = 4;
}
static void break_nested_begin(zc_plan *plan)
{
    plan->stages[1] = plan->stages[2]; /* in the middle of a slab */
}
static void break_nested_twice(zc_plan *plan)
{
    plan->stages[2] = plan->stages[1];
}
static void break_nested_missing(zc_plan *plan)
{
    plan->stage_count = 4;
}
static void break_nested_small(zc_plan *plan)
{
    plan->stages[0]->store.slabs[0].whole = 0;
}
static void break_nested_again(zc_plan *plan)
{
    zc_stage *stage = plan->stages[2]; /* from where the slab before it begins */
    stage->store.offset -= stage->store.slabs[1].first * stage->store.stride[0];
    stage->store.slabs[1].first = 0;
}
static void break_nested_sign(zc_plan *plan)
{
    plan->stages[0]->store.slabs[0].first = -1;
}
static void break_nested_far(zc_plan *plan)
{
    for (int s = 0; s < 5; s++)
        plan->stages[s]->store.slabs[0].first += INT64_MAX - 10;
}

/* ---- Picks: one stage ---- */

static void break_pick_check(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_PICK)->arg[0] = 0;
}
static void break_pick_order(zc_plan *plan)
{
    zc_stage *stage = plan->stages[0];
    find_value(stage, ZC_VALUE_PICK)->arg[0] = stage->value_count - 1;
}
static void break_pick_axes(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_PICK)->axes ^= 1;
}
static void break_pick_stride(zc_plan *plan)
{
    static const int64_t far[] = {4};
    find_value(plan->stages[0], ZC_VALUE_PICK)->pick_stride = far;
}
static void break_pick_begin(zc_plan *plan)
{
    zc_stage *last = plan->stages[plan->stage_count - 1];
    last->offset[find_value(last, ZC_VALUE_PICK)->access] = -1;
}
static void break_pick_direction(zc_plan *plan)
{
    static const int64_t back[] = {-3};
    find_value(plan->stages[0], ZC_VALUE_PICK)->pick_stride = back;
}
static void break_pick_slot(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_PICK)->slot = plan->results[0].slot;
}
static void break_check_extent(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_CHECK)->extent = 5;
}
static void break_check_empty(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_CHECK)->extent = 0;
}
static void break_check_arity(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_CHECK)->arity = 0;
}
static void break_check_dtype(zc_plan *plan)
{
    find_value(plan->stages[0], ZC_VALUE_OP)->dtype = ZC_INT32;
}

static void break_scatter_adds(zc_plan *plan)
{
    plan->stages[0]->kind = &zc_stage_kind_map;
}
static void break_scatter_check(zc_plan *plan)
{
    plan->stages[0]->scatter.check[0] = plan->stages[0]->value_count;
}
static void break_scatter_check_kind(zc_plan *plan)
{
    plan->stages[0]->scatter.check[0] = plan->stages[0]->value_count - 1;
}
static void break_scatter_check_sign(zc_plan *plan)
{
    plan->stages[0]->scatter.check[0] = -1;
}
static void break_scatter_clears_sign(zc_plan *plan)
{
    plan->stages[0]->store.clears = -1;
}
static void break_scatter_stride(zc_plan *plan)
{
    plan->stages[0]->scatter.step[0] = 1000;
}
static void break_update_begin(zc_plan *plan)
{
    plan->stages[0]->store.updates = true;
}
static void break_update_flag(zc_plan *plan)
{
    plan->stages[1]->store.updates = false;
}
static void break_update_clears(zc_plan *plan)
{
    plan->stages[1]->store.clears = 1;
}
static void break_update_slab(zc_plan *plan)
{
    static zc_slab slab = {.axis = 0, .first = 0, .length = 2, .whole = 4};
    plan->stages[1]->store.slabs = &slab;
    plan->stages[1]->store.slab_count = 1;
}
static void break_update_op(zc_plan *plan)
{
    plan->stages[1]->scatter.update = (zc_update_op)ZC_UPDATE_COUNT;
}
static void break_update_read(zc_plan *plan)
{
    find_value(plan->stages[1], ZC_VALUE_LOAD)->slot = plan->stages[1]->store.slot;
    plan->slots[plan->stages[1]->store.slot].dtype = ZC_INT64;
    plan->stages[0]->store.dtype = plan->stages[1]->store.dtype = ZC_INT64;
}
static void break_scatter_clears(zc_plan *plan)
{
    plan->stages[0]->store.clears++;
}
static void break_scan(zc_plan *plan)
{
    plan->stages[0]->kept = plan->stages[0]->rank = 0;
    plan->stages[0]->kind = &zc_stage_kind_scan;
}

static zc_stage *find_scan(zc_plan *plan, zc_scan scan)
{
    int32_t s = 0;
    while (plan->stages[s]->kind != &zc_stage_kind_scan || plan->stages[s]->scan.scan != scan)
        s++;
    return plan->stages[s];
}
static void break_recurrence_factor(zc_plan *plan)
{
    find_scan(plan, ZC_SCAN_RECURRENCE)->scan.factor = -1;
}
static void break_recurrence_order(zc_plan *plan)
{
    zc_stage *stage = find_scan(plan, ZC_SCAN_RECURRENCE);
    stage->scan.factor = stage->value_count;
}
static void break_recurrence_dtype(zc_plan *plan)
{
    zc_stage *stage = find_scan(plan, ZC_SCAN_RECURRENCE);
    stage->store.dtype = ZC_INT32;
}
static void break_recurrence_factor_dtype(zc_plan *plan)
{
    zc_stage *stage = find_scan(plan, ZC_SCAN_RECURRENCE);
    stage->values[stage->scan.factor].dtype = ZC_FLOAT64;
    plan->slots[stage->values[stage->scan.factor].slot].dtype = ZC_FLOAT64;
}

static void break_result_slot(zc_plan *plan)
{
    plan->results[0].slot = plan->slot_count;
}
static void break_result_slot_sign(zc_plan *plan)
{
    plan->results[0].slot = -1;
}
static void break_result_temporary(zc_plan *plan)
{
    plan->slots[plan->results[0].slot].kind = ZC_SLOT_TEMPORARY;
}
static void break_result_reach(zc_plan *plan)
{
    plan->results[0].offset = plan->slots[plan->results[0].slot].elements;
}
static void break_result_dtype(zc_plan *plan)
{
    plan->results[0].slot = zc_plan_add_input(plan, ZC_INT8, 128, plan->slots[1].buffer, 0);
}

/* A contraction of two matrices. */
static planned make_contraction(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[12] = {0};
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(4, 3), values, sizeof values);
    cr_assert_eq(zc_plan_of(zc_matmul(x, zc_matrix_transpose(x)), &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

static zc_value *find_product(zc_plan *plan)
{
    return &plan->stages[0]->values[plan->stages[0]->value_count - 1];
}
static void break_contraction_reduction(zc_plan *plan)
{
    plan->stages[0]->reduce.reduction = ZC_REDUCTION_MAX;
}
static void break_contraction_kind(zc_plan *plan)
{
    find_product(plan)->kind = ZC_VALUE_INDEX;
}
static void break_contraction_position(zc_plan *plan)
{
    plan->stages[plan->stage_count - 1]->values[0].kind = ZC_VALUE_CHECK;
}
static void break_contraction_pick(zc_plan *plan)
{
    plan->stages[plan->stage_count - 1]->values[0].kind = ZC_VALUE_PICK;
}
static void break_contraction_op(zc_plan *plan)
{
    find_product(plan)->op = ZC_OP_ADD;
}
static void break_contraction_values(zc_plan *plan)
{
    enum { MANY = ZC_MOST_CONTRACTED_VALUES + 1 };
    zc_value *values = zc_arena_take(&plan->arena, MANY, sizeof *values);
    for (int v = 0; v < MANY - 1; v++)
        values[v] = plan->stages[0]->values[0];
    values[MANY - 1] = *find_product(plan);
    plan->stages[0]->values = values;
    plan->stages[0]->value_count = MANY;
}
static void break_contraction_dtype(zc_plan *plan)
{
    plan->stages[0]->store.dtype = ZC_FLOAT64;
}

/* Runs, the second one of which is a number. */
static planned make_runs(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    float values[12] = {0};
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(4, 3), values, sizeof values);
    const zc_tensor *const runs[] = {x, zc_full(p.ctx, ZC_SHAPE(4, 2), ZC_FLOAT32, 1), zc_slice(x, 1, 1, 3, 1)};
    zc_tensor *laid = zc_concat(p.ctx, 3, runs, 1);
    cr_assert_eq(zc_plan_of(laid, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

static void break_run_empty(zc_plan *plan)
{
    plan->stages[0]->runs.first[2] = plan->stages[0]->runs.first[1];
}
static void break_run_begin(zc_plan *plan)
{
    plan->stages[0]->runs.first[0] = 1;
}
static void break_run_end(zc_plan *plan)
{
    plan->stages[0]->runs.first[3]++;
}
static void break_run_axis(zc_plan *plan)
{
    plan->stages[0]->runs.axis = 2;
}
static void break_run_kind(zc_plan *plan)
{
    plan->stages[0]->values[1].kind = ZC_VALUE_INDEX;
}
static void break_run_dtype(zc_plan *plan)
{
    plan->stages[0]->values[1].dtype = ZC_INT32;
}
static void break_run_updates(zc_plan *plan)
{
    plan->stages[0]->store.updates = true;
}
static void break_run_clears(zc_plan *plan)
{
    plan->stages[0]->store.clears = 1;
}
static void break_run_axis_sign(zc_plan *plan)
{
    plan->stages[0]->runs.axis = -1;
}
static void break_run_bool(zc_plan *plan)
{
    plan->stages[0]->store.dtype = ZC_BOOL;
    plan->stages[0]->values[0].dtype = ZC_BOOL;
}
static void break_run_offset(zc_plan *plan)
{
    plan->stages[0]->offset[plan->stages[0]->values[2].access]++;
}
static void break_run_length(zc_plan *plan)
{
    plan->stages[0]->runs.first[1]++;
}

typedef struct breakage {
    void (*apply)(zc_plan *plan);
    const char *rule;
} breakage;

static void expect_all_refused(planned (*make)(void), const breakage *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        planned p = make();
        zc_reason why;
        cr_assert_eq(zc_plan_verify(&p.plan, &why), ZC_OK);
        cases[i].apply(&p.plan);
        cr_assert_eq(zc_plan_verify(&p.plan, &why), ZC_ERROR_INTERNAL, "case %zu is accepted", i);
        cr_assert_not_null(strstr(why.text, cases[i].rule), "case %zu: %s", i, why.text);
        end_plan(&p);
    }
}

Test(plan, verification_refuses_every_broken_rule)
{
    static const breakage cases[] = {
        {break_value_count, "has a domain"},
        {break_kept, "has a domain"},
        {break_reduces, "only reductions"},
        {break_access, "an access exists"},
        {break_load_slot, "names a slot"},
        {break_load_dtype, "slot's dtype"},
        {break_order, "written before"},
        {break_offset, "inside its slot"},
        {break_stride, "inside its slot"},
        {break_axes, "where its value varies"},
        {break_op, "has its operands"},
        {break_argument, "before their users"},
        {break_op_axes, "where its operands do"},
        {break_store_slot, "stores to a slot"},
        {break_store_input, "written once"},
        {break_store_dtype, "slot's dtype"},
        {break_store_reach, "stays inside"},
        {break_store_twice, "no element twice"},
        {break_output, "make the outputs"},
        {break_result_slot, "a result has a slot"},
        {break_result_slot_sign, "a result has a slot"},
        {break_result_temporary, "make the outputs"},
        {break_result_reach, "a result lies in its slot"},
        {break_result_dtype, "a result lies in its slot"},
        {break_access_sign, "an access exists"},
        {break_load_slot_sign, "names a slot"},
        {break_argument_sign, "before their users"},
        {break_op_name, "has its operands"},
        {break_kept_sign, "has a domain"},
        {break_walk_begin, "an access stays inside its slot"},
        {break_walk_extent, "an access stays inside its slot"},
        {break_rank, "has a domain"},
        {break_store_beyond, "stores to a slot"},
        {break_stage_count, "make the outputs"},
    };
    expect_all_refused(make_plan, cases, sizeof cases / sizeof *cases);
}

Test(plan, verification_refuses_contractions_that_do_not_sum_products)
{
    static const breakage cases[] = {
        {break_contraction_reduction, "sums products"},    {break_contraction_kind, "sums products"},
        {break_contraction_op, "sums products"},           {break_contraction_dtype, "sums products"},
        {break_contraction_position, "without positions"}, {break_contraction_pick, "without positions"},
        {break_contraction_values, "a few values"},
    };
    expect_all_refused(make_contraction, cases, sizeof cases / sizeof *cases);
}

Test(plan, verification_refuses_pieces_that_do_not_fit_together)
{
    static const breakage cases[] = {
        {break_piece_overlap, "written once"},    {break_piece_gap, "written once"},
        {break_piece_offset, "written once"},     {break_piece_stride, "written once"},
        {break_piece_extent, "written once"},     {break_piece_whole, "written once"},
        {break_piece_axis, "written once"},       {break_piece_rank, "written once"},
        {break_piece_axis_there, "written once"}, {break_piece_overflow, "written once"},
        {break_piece_mixed, "written once"},      {break_piece_after_whole, "written once"},
        {break_piece_reach, "inside its slot"},   {break_pieces_missing, "written before"},
        {break_piece_length, "written once"},     {break_last_piece, "make the outputs"},
        {break_piece_across, "written once"},
    };
    planned p = make_pieces();
    cr_assert_eq(p.plan.stage_count, 4);
    for (int s = 0; s < 3; s++)
        cr_assert_eq(p.plan.stages[s]->reason, ZC_STAGE_PIECE);
    cr_assert_eq(p.plan.written_bytes, 2 * 18 * 4);
    end_plan(&p);
    expect_all_refused(make_pieces, cases, sizeof cases / sizeof *cases);
}

Test(plan, verification_refuses_runs_that_do_not_lie_side_by_side)
{
    static const breakage cases[] = {
        {break_run_empty, "side by side"},     {break_run_begin, "side by side"},
        {break_run_end, "side by side"},       {break_run_axis, "side by side"},
        {break_run_kind, "side by side"},      {break_run_dtype, "side by side"},
        {break_run_offset, "inside its slot"}, {break_run_length, "inside its slot"},
        {break_run_updates, "side by side"},   {break_run_clears, "side by side"},
        {break_run_axis_sign, "side by side"}, {break_run_bool, "side by side"},
    };
    planned p = make_runs();
    cr_assert(p.plan.stage_count == 1 && p.plan.stages[0]->store.slab_count == 0 && p.plan.stages[0]->value_count == 3);
    end_plan(&p);
    expect_all_refused(make_runs, cases, sizeof cases / sizeof *cases);
}

Test(plan, a_concat_inside_a_concat_is_written_once)
{
    static const breakage cases[] = {
        {break_nested_gap, "written once"},   {break_nested_outer, "written once"},
        {break_nested_whole, "written once"}, {break_nested_length, "written once"},
        {break_nested_count, "written once"}, {break_nested_axis, "written once"},
        {break_nested_end, "written once"},   {break_nested_begin, "written once"},
        {break_nested_twice, "written once"}, {break_nested_missing, "make the outputs"},
        {break_nested_sign, "written once"},  {break_nested_far, "written once"},
        {break_nested_small, "written once"}, {break_nested_again, "written once"},
    };
    planned p = make_nested();
    cr_assert_eq(p.plan.stage_count, 5);
    for (int s = 0; s < 5; s++) {
        cr_assert_eq(p.plan.stages[s]->reason, ZC_STAGE_ASSEMBLED);
        cr_assert_eq(p.plan.stages[s]->store.slab_count, s == 0 || s == 4 ? 1 : 2);
    }
    cr_assert_eq(p.plan.written_bytes, 6 * 5);
    end_plan(&p);
    expect_all_refused(make_nested, cases, sizeof cases / sizeof *cases);
}

Test(plan, verification_refuses_positions_that_are_not_checked)
{
    static const breakage cases[] = {
        {break_pick_check, "positions are checked"}, {break_pick_order, "before their users"},
        {break_pick_axes, "where its value varies"}, {break_pick_stride, "inside its slot"},
        {break_pick_direction, "inside its slot"},   {break_pick_begin, "inside its slot"},
        {break_pick_slot, "written before"},         {break_check_extent, "inside its slot"},
        {break_check_empty, "axis has positions"},   {break_check_arity, "check has positions"},
        {break_check_dtype, "check has positions"},
    };
    expect_all_refused(make_pick, cases, sizeof cases / sizeof *cases);
}

/* Stages without elements may have positions in an axis without any: nobody looks at them. */
Test(plan, verification_accepts_empty_stages)
{
    planned p = make_pick(), scattered = make_scatter();
    zc_reason why;
    find_value(p.plan.stages[0], ZC_VALUE_CHECK)->extent = 0;
    p.plan.stages[0]->shape[0] = 0;
    cr_expect_eq(zc_plan_verify(&p.plan, &why), ZC_OK, "%s", why.text);
    end_plan(&p);
    break_scatter_stride(&scattered.plan);
    scattered.plan.stages[0]->shape[0] = 0;
    cr_expect_eq(zc_plan_verify(&scattered.plan, &why), ZC_OK, "%s", why.text);
    end_plan(&scattered);
}

Test(plan, verification_refuses_stores_that_positions_move_anywhere)
{
    static const breakage cases[] = {
        {break_scatter_adds, "no element twice"},          {break_scatter_check, "checks move a store"},
        {break_scatter_check_kind, "checks move a store"}, {break_scatter_stride, "inside its slot"},
        {break_scatter_clears, "clears its slot"},         {break_scan, "a scan has an axis"},
        {break_scatter_check_sign, "checks move a store"}, {break_scatter_clears_sign, "clears its slot"},
    };
    expect_all_refused(make_scatter, cases, sizeof cases / sizeof *cases);
}

Test(plan, verification_refuses_updates_of_what_is_not_there_alone)
{
    static const breakage cases[] = {
        {break_update_begin, "what is updated was written before"},
        {break_update_flag, "written once"},
        {break_update_clears, "what is updated was written before"},
        {break_update_op, "scatters in one way"},
        {break_update_read, "what is updated was written before"},
        {break_update_slab, "what is updated was written before"},
    };
    planned p = make_update();
    cr_assert_eq(p.plan.stage_count, 2);
    cr_assert_eq(p.plan.stages[0]->reason, ZC_STAGE_BASE);
    cr_assert_eq(p.plan.stages[1]->reason, ZC_STAGE_SCATTER);
    cr_assert_eq(p.plan.peak_bytes, 4 * 3 * 4);
    end_plan(&p);
    expect_all_refused(make_update, cases, sizeof cases / sizeof *cases);
}

Test(plan, verification_refuses_scans_without_what_they_need)
{
    static const breakage cases[] = {
        {break_recurrence_factor, "a recurrence has factors"},
        {break_recurrence_order, "a recurrence has factors"},
        {break_recurrence_dtype, "a recurrence has factors"},
        {break_recurrence_factor_dtype, "breaks the rule"},
    };
    expect_all_refused(make_recurrence, cases, sizeof cases / sizeof *cases);
}

/* exp(x) is written over by the sum that reads it last: one memory. */
static planned make_overwritten(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    static float values[64 * 64];
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(64, 64), values, sizeof values);
    zc_tensor *costly = zc_exp(zc_exp(x)), *most = zc_max(costly, ZC_AXES(1), true);
    zc_tensor *scaled = zc_divide(costly, most);
    cr_assert_eq(zc_plan_of(scaled, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

static void break_overwritten_early(zc_plan *plan)
{
    plan->slots[3].memory = 2; /* the maxima of what they would write over */
}
static void break_overwritten_access(zc_plan *plan)
{
    zc_stage *last = plan->stages[2];
    for (int32_t v = 0; v < last->value_count; v++) {
        if (last->values[v].kind == ZC_VALUE_LOAD && last->values[v].slot == 2)
            last->offset[last->values[v].access] = 64, last->shape[0] = 63;
    }
}

/* b = a / max(a), c = b / sum(b): a is written over by b, and b by c. */
static planned make_overwritten_twice(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    static float values[64 * 64];
    zc_tensor *x = zc_from_data(p.ctx, ZC_FLOAT32, ZC_SHAPE(64, 64), values, sizeof values);
    zc_tensor *a = zc_exp(zc_exp(x)), *b = zc_tanh(zc_divide(a, zc_max(a, ZC_AXES(1), true)));
    zc_tensor *c = zc_divide(b, zc_sum(b, ZC_AXES(1), true));
    cr_assert_eq(zc_plan_of(c, &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

static void break_overwritten_read(zc_plan *plan)
{
    zc_stage *last = plan->stages[4];
    for (int32_t v = 0; v < last->value_count; v++) {
        if (last->values[v].kind == ZC_VALUE_LOAD && last->values[v].slot == 4)
            last->values[v].slot = 2; /* what b has been written over */
    }
}

static void break_scatter_moves(zc_plan *plan)
{
    plan->stages[0]->scatter.moves = ZC_MAX_RANK + 1;
}

Test(plan, verification_refuses_to_write_over_what_is_read_elsewhere)
{
    static const breakage cases[] = {{break_overwritten_early, "is written over"},
                                     {break_overwritten_access, "is written over"}};
    planned p = make_overwritten();
    cr_assert_eq(p.plan.stage_count, 3);
    cr_assert_eq(zc_slot_memory(&p.plan, 2), p.plan.results[0].slot);
    cr_assert_eq(p.plan.stages[2]->store.overwritten, 2);
    cr_assert_eq(p.plan.peak_bytes, 64 * 64 * 4 + 64 * 4);
    end_plan(&p);
    expect_all_refused(make_overwritten, cases, sizeof cases / sizeof *cases);
    static const breakage twice[] = {{break_overwritten_read, "was not written over"}};
    expect_all_refused(make_overwritten_twice, twice, 1);
    static const breakage moved[] = {{break_scatter_moves, "checks move a store"}};
    expect_all_refused(make_scatter, moved, 1);
}

/* Only what is stored element by element, each once, is stored over what is read there. */
Test(plan, stages_that_do_more_than_store_write_nothing_over)
{
    planned p = make_overwritten();
    static const zc_stage_kind *const others[] = {&zc_stage_kind_reduce, &zc_stage_kind_scan, &zc_stage_kind_scatter,
                                                  &zc_stage_kind_runs};
    cr_assert(zc_stage_may_overwrite(&p.plan, p.plan.stages[2], 2));
    for (int i = 0; i < 7; i++) {
        zc_stage stage = *p.plan.stages[2];
        stage.kind = i < 4 ? others[i] : stage.kind;
        stage.store.clears = i == 4;
        stage.store.updates = i == 5;
        stage.store.slab_count = i == 6;
        cr_expect_not(zc_stage_may_overwrite(&p.plan, &stage, 2), "%d", i);
    }
    end_plan(&p);
}

/* The stages that a graph is cut into, by their reasons. */
static int count_reason(const zc_tensor *t, zc_stage_reason reason)
{
    zc_plan plan;
    int count = 0;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK);
    for (int32_t s = 0; s < plan.stage_count; s++)
        count += plan.stages[s]->reason == reason;
    zc_plan_free(&plan);
    return count;
}

/* ---- Sources ---- */

static const char *read_zeros(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    (void)user;
    (void)start;
    memset(elements, 0, (size_t)(count[0] * count[1]) * sizeof(float));
    return NULL;
}

/* exp of a source of (4, 1, 3), of which the middle rows are read backwards. */
static planned make_read(void)
{
    planned p = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    p.scope = zc_scope_begin(p.ctx);
    const zc_source source = {.read = read_zeros};
    zc_tensor *x = zc_from_source(p.ctx, ZC_FLOAT32, ZC_SHAPE(4, 1, 3), &source);
    zc_tensor *rows = zc_slice(zc_reshape(x, ZC_SHAPE(4, 3)), 0, 2, 0, -1);
    cr_assert_eq(zc_plan_of(zc_exp(rows), &p.plan), ZC_OK, "%s", zc_error_text(p.ctx));
    return p;
}

static zc_node no_source = {.kind = ZC_NODE_LEAF};

static int64_t *strides_of_read(zc_plan *plan)
{
    zc_stage *stage = plan->stages[0];
    return stage->stride + find_value(stage, ZC_VALUE_INDEX)->access * stage->rank;
}
static void break_read_index(zc_plan *plan)
{
    zc_stage *stage = plan->stages[0];
    stage->values[stage->value_count - 1].node = &no_source;
}
static void break_read_kind(zc_plan *plan)
{
    zc_stage *stage = plan->stages[0];
    for (int v = 0; v < stage->value_count; v++)
        stage->values[v].node = &no_source;
}
static void break_read_dtype(zc_plan *plan)
{
    zc_stage *stage = plan->stages[0];
    stage->values[stage->value_count - 1].dtype = ZC_INT32;
}
static void break_read_number(zc_plan *plan)
{
    zc_stage *stage = plan->stages[0];
    stage->values[stage->value_count - 1].kind = ZC_VALUE_CONSTANT;
}
static void break_read_step(zc_plan *plan)
{
    strides_of_read(plan)[0] = -4;
}
static void break_read_twice(zc_plan *plan)
{
    strides_of_read(plan)[0] = 1;
}
static void break_read_end(zc_plan *plan)
{
    strides_of_read(plan)[0] = 9;
}
static void break_read_begin(zc_plan *plan)
{
    strides_of_read(plan)[0] = -9;
}

static void break_read_still(zc_plan *plan)
{
    strides_of_read(plan)[0] = 0;
}

Test(plan, verification_refuses_sources_that_are_not_read_in_boxes)
{
    static const breakage cases[] = {
        {break_read_number, "numbered elements"}, {break_read_index, "numbered elements"},
        {break_read_kind, "numbered elements"},   {break_read_dtype, "numbered elements"},
        {break_read_step, "read in boxes"},       {break_read_twice, "read in boxes"},
        {break_read_end, "read in boxes"},        {break_read_begin, "read in boxes"},
        {break_read_still, "read in boxes"},
    };
    expect_all_refused(make_read, cases, sizeof cases / sizeof *cases);
    planned p = make_read();
    zc_reason why;
    break_read_twice(&p.plan);
    p.plan.stages[0]->shape[1] = 0;
    cr_expect_eq(zc_plan_verify(&p.plan, &why), ZC_OK, "%s", why.text); /* of nothing, nothing is read */
    end_plan(&p);
}

Test(plan, is_cut_where_the_rules_say_and_nowhere_else)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    float values[400] = {0};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(20, 20), values, sizeof values);
    zc_tensor *costly = zc_tanh(zc_exp(x));
    zc_tensor *chain = zc_relu(zc_add(zc_multiply(x, zc_matrix_transpose(x)), zc_flip(x, ZC_AXES(0))));
    zc_tensor *shared = zc_add(costly, zc_matrix_transpose(costly));
    zc_tensor *cheap = zc_add(zc_negative(x), zc_matrix_transpose(zc_negative(x)));
    zc_tensor *folded =
        zc_add(zc_reshape(zc_exp(zc_broadcast_to(zc_expand_dims(x, 1), ZC_SHAPE(20, 3, 20))), ZC_SHAPE(60, 20)),
               zc_reshape(zc_matrix_transpose(zc_broadcast_to(x, ZC_SHAPE(3, 20, 20))), ZC_SHAPE(60, 20)));
    zc_tensor *sum = zc_sum(x, ZC_AXES(0), true);
    cr_assert_eq(count_reason(chain, ZC_STAGE_RESULT), 1);
    cr_assert_eq(count_reason(chain, ZC_STAGE_SHARED) + count_reason(chain, ZC_STAGE_NOT_AFFINE), 0);
    cr_assert_eq(count_reason(shared, ZC_STAGE_SHARED), 1);
    cr_assert_eq(count_reason(cheap, ZC_STAGE_SHARED), 0);
    cr_assert_geq(count_reason(zc_flip(folded, ZC_AXES(0)), ZC_STAGE_NOT_AFFINE), 0);
    cr_assert_eq(count_reason(zc_divide(x, sum), ZC_STAGE_REDUCTION), 1);
    cr_assert_eq(count_reason(zc_divide(sum, sum), ZC_STAGE_REDUCTION), 1);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Nodes that can be computed again are not stored where memory is short. */
Test(plan, nothing_is_hoisted_or_shared_where_memory_is_short)
{
    static const struct {
        int64_t limit;
        bool stores;
    } rows[] = {{0, true}, {1 << 20, true}, {2000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = rows[i].limit});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *n = zc_astype(zc_iota(ctx, 900), ZC_FLOAT32), *square = zc_reshape(n, ZC_SHAPE(30, 30));
        zc_tensor *row = zc_tanh(zc_exp(n)), *costly = zc_tanh(zc_exp(square));
        zc_tensor *wide = zc_max(zc_add(row, zc_expand_dims(n, 1)), ZC_ALL_AXES, false);
        zc_tensor *turned = zc_max(zc_add(costly, zc_matrix_transpose(costly)), ZC_ALL_AXES, false);
        cr_expect_eq(count_reason(wide, ZC_STAGE_HOISTED) > 0, rows[i].stores);
        cr_expect_eq(count_reason(wide, ZC_STAGE_SHARED) > 0, rows[i].stores, "n is seen along both axes");
        cr_expect_eq(count_reason(turned, ZC_STAGE_SHARED), rows[i].stores);
        zc_tensor *line = zc_reshape(costly, ZC_SHAPE(900)); /* its ends are two regions, nothing between them */
        zc_tensor *ends = zc_add(zc_slice(line, 0, 0, 100, 1), zc_slice(line, 0, 800, 900, 1));
        cr_expect_eq(count_reason(ends, ZC_STAGE_SHARED), 0);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* Differences that outgrow the caches and what they are made of are computed for each of their two sums in rows that
 * fill vectors, and stored once in shorter ones. */
Test(plan, cheap_nodes_that_are_spread_in_rows_are_computed_for_each_reader)
{
    enum { COUNT = 400 };
    static const int64_t widths[] = {8, 16, 64};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = zc_sin(zc_astype(zc_iota(ctx, COUNT * widths[i]), ZC_FLOAT32)), *points = NULL;
        cr_assert_eq(zc_materialize(zc_reshape(x, ZC_SHAPE(COUNT, widths[i])), &points), ZC_OK);
        zc_tensor *apart = zc_square(zc_subtract(zc_expand_dims(points, 1), points));
        zc_tensor *sums = zc_add(zc_sum(apart, ZC_AXES(0), false), zc_sum(apart, ZC_AXES(1), false));
        cr_expect_eq(count_reason(sums, ZC_STAGE_SHARED), widths[i] < 16, "rows of %lld", (long long)widths[i]);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}

/* Six places far from each other, seen of one costly tensor: four regions, two of them joined with their neighbours. */
Test(plan, at_most_four_regions_of_a_node_are_stored)
{
    enum { PLACES = 6, LENGTH = 5000, APART = 1000000 };
    static const int64_t first[PLACES] = {0, 1, 10, 11, 20, 30};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *n = zc_astype(zc_iota(ctx, (int64_t)40 * APART), ZC_FLOAT64), *costly = zc_tanh(zc_exp(n)), *sum = NULL;
    for (int i = 0; i < PLACES; i++) {
        zc_tensor *slice = zc_slice(costly, 0, first[i] * APART, first[i] * APART + LENGTH, 1);
        sum = sum == NULL ? slice : zc_add(sum, slice);
    }
    cr_expect_eq(count_reason(sum, ZC_STAGE_MANY_VIEWS), 4);
    zc_cost cost;
    cr_assert_eq(zc_cost_of(sum, &cost), ZC_OK);
    cr_expect_leq(cost.written_bytes, INT64_C(8) * (2 * APART + 6 * LENGTH));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The same operation on the same elements is computed once, whatever was recorded in between; copies that were asked
 * for, and what differs in anything, are not. */
Test(plan, equal_nodes_are_one)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    float values[400] = {0};
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(20, 20), values, sizeof values);
    zc_tensor *mean = zc_mean(x, ZC_AXES(1), true), *centered = zc_subtract(x, mean);
    cr_expect_eq(count_reason(zc_divide(centered, zc_std(x, ZC_AXES(1), 0, true)), ZC_STAGE_REDUCTION), 2);
    static const int axes[] = {0, 1, 1, 0};
    zc_tensor *sum = NULL;
    for (int i = 0; i < 4; i++) { /* sums along 0 and 1, each recorded twice, over products that are equal, too */
        zc_tensor *products = zc_multiply(x, zc_weak_float(ctx, 3));
        zc_tensor *one = zc_sum(zc_sum(products, ZC_AXES(axes[i]), false), ZC_ALL_AXES, false);
        sum = sum == NULL ? one : zc_add(sum, one);
    }
    cr_expect_eq(count_reason(sum, ZC_STAGE_REDUCTION), 4);
    zc_tensor *scans = zc_add(zc_cumulative_sum(x, 0, false), zc_cumulative_sum(x, 0, false));
    cr_expect_eq(count_reason(scans, ZC_STAGE_SCAN), 1);
    cr_expect_eq(count_reason(zc_add(zc_cumulative_sum(x, 0, false), zc_cumulative_sum(x, 1, false)), ZC_STAGE_SCAN),
                 2);
    zc_tensor *twice = zc_add(zc_sum(zc_copy(x), ZC_AXES(0), false), zc_sum(zc_copy(x), ZC_AXES(0), false));
    cr_expect_eq(count_reason(twice, ZC_STAGE_COPY), 2);
    static const int64_t at[] = {3, 1};
    zc_tensor *p = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2), at, sizeof at);
    zc_tensor *taken = zc_add(zc_sum(zc_take(x, p, 0), ZC_AXES(0), false), zc_sum(zc_take(x, p, 0), ZC_AXES(0), false));
    cr_expect_eq(count_reason(taken, ZC_STAGE_REDUCTION), 1);
    const zc_tensor *const both[] = {x, mean}, *const swapped[] = {mean, x};
    zc_tensor *joined = zc_add(zc_sum(zc_concat(ctx, 2, both, 1), ZC_AXES(1), false),
                               zc_sum(zc_concat(ctx, 2, both, 1), ZC_AXES(1), false));
    cr_expect_eq(count_reason(joined, ZC_STAGE_PIECE), 1, "the runs of one concat");
    joined = zc_add(joined, zc_sum(zc_concat(ctx, 2, swapped, 1), ZC_AXES(1), false));
    cr_expect_eq(count_reason(joined, ZC_STAGE_PIECE), 2);
    static const int64_t shifted[] = {1, 3};
    zc_tensor *q = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(2), shifted, sizeof shifted);
    cr_expect_eq(
        count_reason(zc_add(zc_sum(zc_take(x, p, 0), ZC_AXES(0), false), zc_sum(zc_take(x, q, 0), ZC_AXES(0), false)),
                     ZC_STAGE_REDUCTION),
        2);
    const zc_tensor *const first[] = {zc_slice(x, 1, 0, 5, 1), zc_slice(x, 1, 0, 3, 1)}, *const second[] = {
                                                                                             zc_slice(x, 1, 0, 3, 1),
                                                                                             zc_slice(x, 1, 0, 5, 1)};
    zc_tensor *parts = zc_add(zc_sum(zc_concat(ctx, 2, first, 1), ZC_AXES(1), false),
                              zc_sum(zc_concat(ctx, 2, second, 1), ZC_AXES(1), false));
    cr_expect_eq(count_reason(parts, ZC_STAGE_PIECE), 2, "the same views in other lengths");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Work is counted as far as int64 counts. */
Test(plan, work_saturates)
{
    int64_t shape[] = {INT64_C(1) << 40, INT64_C(1) << 20};
    const zc_stage stage = {.kind = &zc_stage_kind_map, .rank = 2, .kept = 2, .shape = shape, .value_count = 8};
    const zc_stage small = {.kind = &zc_stage_kind_map, .rank = 1, .kept = 1, .shape = shape + 1, .value_count = 8};
    cr_expect_eq(zc_stage_work(&stage), INT64_MAX);
    cr_expect_eq(zc_stage_work(&small), INT64_C(8) << 20);
}

/* Nodes made of numbers, or of few positions, are computed wherever they are seen, by any number of stages. */
Test(plan, what_ends_at_numbers_is_inlined_under_any_number_of_views)
{
    enum { PIECES = 40, LENGTH = 20 };
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *parts[PIECES];
    zc_tensor *n = zc_iota(ctx, LENGTH), *mask = zc_less(n, zc_weak_int(ctx, LENGTH / 2));
    zc_tensor *number = zc_negative(zc_full(ctx, ZC_SCALAR_SHAPE, ZC_FLOAT64, 1));
    for (int i = 0; i < PIECES; i++)
        parts[i] = zc_where(mask, zc_multiply(number, zc_sqrt(zc_add(n, zc_weak_float(ctx, i)))), number);
    cr_expect_eq(count_reason(zc_concat(ctx, PIECES, parts, 0), ZC_STAGE_MANY_VIEWS), 0);
    zc_tensor *two = zc_add(zc_sqrt(zc_astype(n, ZC_FLOAT64)), number);
    for (int i = 0; i < PIECES; i++)
        parts[i] = zc_multiply(two, zc_weak_float(ctx, i));
    cr_expect_eq(count_reason(zc_concat(ctx, PIECES, parts, 0), ZC_STAGE_MANY_VIEWS), 1, "it has operands of its own");
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* exp(x) is recorded at both ends of a program. Kept from one to the other it would be one array more than an eager
 * runtime holds; computed twice, the plan still has half the stages of the eager one. */
Test(plan, equal_nodes_far_apart_are_computed_twice_where_that_takes_less_memory)
{
    enum { LENGTH = 20000, DEEP = 6 };
    static float data[LENGTH];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_import(ctx, ZC_FLOAT32, 1, (int64_t[]){LENGTH}, NULL, 0, data, sizeof data, NULL, NULL);
    zc_tensor *y = zc_exp(zc_add(x, x));
    for (int i = 0; i < DEEP; i++)
        y = zc_tanh(zc_add(y, zc_flip(y, ZC_AXES(0))));
    y = zc_add(zc_add(y, zc_flip(y, ZC_AXES(0))), zc_exp(zc_add(x, x)));
    zc_cost cost;
    cr_assert_eq(zc_cost_of(y, &cost), ZC_OK);
    cr_expect_leq(cost.peak_bytes, 3 * (int64_t)sizeof data);
    int stages =
        count_reason(y, ZC_STAGE_RESULT) + count_reason(y, ZC_STAGE_SHARED) + count_reason(y, ZC_STAGE_HOISTED);
    cr_expect_leq(stages, DEEP + 2);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Positions may put anything anywhere: what is demanded of a scatter in several places is made as one region. */
Test(plan, places_of_a_scatter_far_apart_are_one_region)
{
    static float values[100 * 100];
    static int64_t at[3] = {1, 85, 3};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(100, 100), values, sizeof values);
    zc_tensor *p = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(3), at, sizeof at),
              *g = zc_grad(zc_square(zc_take(x, p, 1)), x);
    zc_tensor *ends = zc_add(zc_slice(g, 0, 0, 10, 1), zc_slice(g, 0, 80, 90, 1));
    cr_expect_eq(count_reason(ends, ZC_STAGE_SCATTER), 1);
    zc_scope_end(scope);
    zc_context_free(ctx);
}
