/*
 * What planning does at its limits: stages that are laid side by side or not, header memory that ends anywhere, results
 * of more bytes than there are, and the window that would fit.
 */
#include <string.h>

#include "materialize/planner/plan_key.h"
#include "materialize/rewrite/runs.h"
#include "materialize/stages/map.h"
#include "materialize/stages/reduce.h"
#include "materialize/stages/scan.h"
#include "materialize/stages/scatter.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* ---- Runs: two stages, the second one of which stores the slab behind that of the first ---- */

typedef struct pair {
    zc_stage stages[2];
    zc_value values[2][2];
    zc_slab slabs[2][2];
    int64_t shape[2][2], stride[2][2], store_stride[2][2], offset[2];
} pair;

static void fill(pair *p, int s)
{
    for (int v = 0; v < 2; v++)
        p->values[s][v] = (zc_value){.kind = ZC_VALUE_LOAD, .dtype = ZC_FLOAT32, .slot = 0};
    p->slabs[s][0] = (zc_slab){.axis = 0, .first = 0, .length = 4, .whole = 8};
    p->slabs[s][1] = (zc_slab){.axis = 1, .first = s == 0 ? 0 : 3, .length = s == 0 ? 3 : 2, .whole = 6};
    p->shape[s][0] = 4;
    p->shape[s][1] = s == 0 ? 3 : 2;
    p->stride[s][0] = p->store_stride[s][0] = 6;
    p->stride[s][1] = p->store_stride[s][1] = 1;
    p->stages[s] = (zc_stage){.kind = &zc_stage_kind_map,
                              .rank = 2,
                              .kept = 2,
                              .shape = p->shape[s],
                              .values = p->values[s],
                              .value_count = 1,
                              .access_count = 1,
                              .offset = &p->offset[s],
                              .stride = p->stride[s],
                              .store.dtype = ZC_FLOAT32,
                              .store.slot = 1,
                              .store.stride = p->store_stride[s],
                              .store.slabs = p->slabs[s],
                              .store.slab_count = 2};
}

enum { WAYS = 19 };

/* Keeps the second stage, in one of the ways, from being a run behind the first. */
static void part(pair *p, int way)
{
    zc_stage *stage = &p->stages[1];
    zc_slab *outer = &p->slabs[1][0], *inner = &p->slabs[1][1];
    stage->value_count += way == 0;
    p->values[1][0].kind = way == 1 ? ZC_VALUE_INDEX : ZC_VALUE_LOAD;
    stage->kind = way == 2   ? &zc_stage_kind_reduce
                  : way == 3 ? &zc_stage_kind_scan
                  : way == 4 ? &zc_stage_kind_scatter
                             : &zc_stage_kind_map;
    stage->store.updates = way == 5;
    stage->store.clears = way == 6;
    p->shape[1][1] = way == 7 ? 0 : way == 8 ? ZC_MOST_RUN_ELEMENTS : 2;
    stage->kept -= way == 9;
    p->store_stride[1][0] += way == 10;
    stage->store.slot -= way == 11;
    outer->axis += way == 12;
    outer->first += way == 13;
    outer->length -= way == 14;
    outer->whole += way == 15;
    inner->whole += way == 16;
    inner->first += way == 17;
    inner->axis -= way == 18;
}

static int32_t count_joined(int way)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_slot slots[2] = {{.kind = ZC_SLOT_INPUT, .dtype = ZC_FLOAT32, .elements = 48},
                        {.kind = ZC_SLOT_OUTPUT, .dtype = ZC_FLOAT32, .elements = 48}};
    pair p = {.offset = {0}};
    zc_stage *stages[] = {&p.stages[0], &p.stages[1]};
    zc_plan plan = {.ctx = ctx, .stages = stages, .stage_count = 2, .slots = slots, .slot_count = 2};
    zc_arena_init(&plan.arena, ctx->heap);
    fill(&p, 0);
    fill(&p, 1);
    part(&p, way);
    cr_assert(zc_join_runs(&plan, ZC_POLICY_FAST));
    zc_arena_free(&plan.arena);
    zc_context_free(ctx);
    return plan.stage_count;
}

Test(plan_limits, only_slabs_behind_each_other_that_are_moved_become_runs)
{
    cr_assert_eq(count_joined(-1), 1);
    for (int way = 0; way < WAYS; way++)
        cr_expect_eq(count_joined(way), 2, "%d", way);
}

/* ---- Header memory that ends anywhere ---- */

/* Costly chains that are shared, turned and summed. */
static zc_tensor *make_wide(zc_context *ctx)
{
    zc_tensor *n = zc_astype(zc_iota(ctx, 900), ZC_FLOAT32), *y = zc_reshape(n, ZC_SHAPE(30, 30));
    for (int i = 0; i < 12; i++)
        y = zc_tanh(zc_add(zc_exp(y), zc_matrix_transpose(zc_exp(y))));
    return zc_add(y, zc_sum(y, ZC_AXES(0), true));
}

enum { MOST_ASKED = 3000 };

/* The first limit, by so many bytes each, under which it is planned. */
static int64_t find_least(int64_t memory, int count, int64_t step, int64_t most)
{
    int64_t least = 0;
    for (int64_t limit = step; limit <= most; limit += step) {
        zc_context *ctx =
            zc_context_new(&(zc_options){.threads = 1, .memory_limit = memory, .header_limit = INT64_C(1) << 30});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_plan plan;
        const zc_tensor *asked[MOST_ASKED];
        asked[0] = make_wide(ctx);
        for (int i = 1; i < count; i++)
            asked[i] = asked[0];
        ctx->options.header_limit = limit;
        zc_status status =
            zc_plan_make(&(zc_plan_request){.count = count, .tensors = asked, .function = "test"}, &plan);
        cr_assert(status == ZC_OK || status == ZC_ERROR_BUDGET, "%lld: %s", (long long)limit, zc_error_text(ctx));
        if (status == ZC_OK) {
            least = least == 0 ? limit : least;
            zc_plan_free(&plan);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    return least;
}

Test(plan_limits, a_plan_is_made_or_refused_wherever_header_memory_ends)
{
    zc_skip_of_one_thread();
    static const int counts[] = {1, 300, MOST_ASKED};
    for (int i = 0; i < 6; i++) {
        int64_t least = find_least(i % 2 == 0 ? 0 : 1000, counts[i / 2], 4096, 1 << 20);
        cr_expect(least > 4096 && least < 1 << 20, "%lld", (long long)least);
    }
}

/* ---- More bytes than int64 counts ---- */

Test(plan_limits, of_several_results_the_one_that_is_too_large_is_named)
{
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *small = zc_exp(zc_astype(zc_iota(ctx, 3), ZC_FLOAT64)), *out[3];
    zc_tensor *large = zc_negative(zc_broadcast_to(small, ZC_SHAPE(INT64_C(1) << 59, 3)));
    zc_tensor *huge = zc_negative(zc_broadcast_to(small, ZC_SHAPE(INT64_C(1) << 60, 3)));
    const zc_tensor *const named[] = {small, huge, small}, *const added[] = {small, large, zc_exp(large)};
    zc_tensor *within = zc_negative(zc_broadcast_to(small, ZC_SHAPE(INT64_C(1) << 57, 3)));
    zc_tensor *numbers = zc_astype(zc_iota(ctx, INT64_C(1) << 60), ZC_FLOAT64);
    zc_tensor *sums = zc_cumulative_sum(numbers, 0, false);
    const zc_tensor *const half[] = {within, zc_exp(within), zc_square(within)};
    if (huge != NULL) {
        cr_expect_eq(zc_materialize_all(3, named, out), ZC_ERROR_OVERFLOW);
        cr_expect_not_null(strstr(zc_error_text(ctx), "(1152921504606846976, 3)"), "%s", zc_error_text(ctx));
    }
    zc_error_clear(ctx);
    cr_expect_eq(zc_materialize_all(3, added, out), ZC_ERROR_OVERFLOW);
    zc_error_clear(ctx);
    cr_expect_eq(zc_materialize_all(3, half, out), ZC_ERROR_OVERFLOW, "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
    cr_expect_eq(zc_materialize(zc_max(sums, ZC_ALL_AXES, false), out), ZC_ERROR_OVERFLOW);
    cr_expect_not_null(strstr(zc_error_text(ctx), "an intermediate result"), "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* The plan does not fit, and an eager one has more bytes than int64 counts. */
Test(plan_limits, another_plan_may_be_too_large_to_be_counted)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 8});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *sums = zc_cumulative_sum(zc_astype(zc_iota(ctx, 8), ZC_FLOAT64), 0, false);
    zc_tensor *huge = zc_exp(zc_broadcast_to(sums, ZC_SHAPE(INT64_C(1) << 58, 8)));
    zc_plan plan;
    cr_assert_eq(zc_plan_of(zc_max(huge, ZC_ALL_AXES, false), &plan), ZC_OK, "%s", zc_error_text(ctx));
    cr_expect_eq(zc_error_status(ctx), ZC_OK);
    zc_plan_free(&plan);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- The window that would fit ---- */

Test(plan_limits, a_compact_result_is_less_than_its_shape)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 3000});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *row = zc_exp(zc_astype(zc_iota(ctx, 1000), ZC_FLOAT32)), *out;
    zc_tensor *wide = zc_broadcast_to(row, ZC_SHAPE(1000000, 1000));
    zc_budget budget = {0};
    cr_expect_eq(zc_compact(wide, &out), ZC_ERROR_BUDGET);
    cr_expect(zc_error_budget(ctx, &budget));
    cr_expect(budget.window_axis == 1 && budget.window_count == 750, "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(plan_limits, less_than_an_element_is_no_window)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 3});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *row = zc_exp(zc_astype(zc_iota(ctx, 10), ZC_FLOAT32)), *out;
    cr_expect_eq(zc_materialize(row, &out), ZC_ERROR_BUDGET);
    cr_expect_not_null(strstr(zc_error_text(ctx), "no window of it would fit"), "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- A plan that is kept ---- */

/* Twice the same, the second time with less memory left than the plan that was kept takes. */
Test(plan_limits, a_kept_plan_that_does_not_fit_any_more_is_made_anew)
{
    enum { N = 10000, BYTES = 4 * N };
    static float values[N];
    static char filling[BYTES * 5 / 2];
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 6 * BYTES});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(100, 100), values, sizeof values);
    for (int i = 0; i < 2; i++) {
        zc_tensor *y = zc_tanh(zc_exp(x)), *sum = zc_add(y, zc_matrix_transpose(y)), *out = NULL;
        cr_assert_eq(zc_materialize(sum, &out), ZC_OK, "%d: %s", i, zc_error_text(ctx));
        zc_release(out);
        if (i == 0)
            cr_assert_not_null(zc_from_data(ctx, ZC_INT8, ZC_SHAPE(sizeof filling), filling, sizeof filling));
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- Keys ---- */

static bool has_key(zc_plan_key *key, int count, const zc_tensor *const *asked)
{
    bool is_made = zc_plan_key_make(&(zc_plan_request){.count = count, .tensors = asked}, key);
    zc_plan_key_free(key);
    return is_made;
}

Test(plan_limits, requests_of_too_much_have_no_key)
{
    enum { MANY = ZC_KEY_WORDS };
    static const zc_tensor *asked[MANY];
    static zc_plan_key key;
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    for (int i = 0; i < MANY; i++)
        asked[i] = i == 0 ? zc_from_data(ctx, ZC_INT8, ZC_SHAPE(1), "x", 1) : asked[0];
    cr_expect(has_key(&key, 1, asked));
    cr_expect_not(has_key(&key, MANY, asked), "too many words");
    for (int i = 1; i <= ZC_KEY_NODES; i++)
        asked[i] = zc_from_data(ctx, ZC_INT8, ZC_SHAPE(1), "x", 1);
    cr_expect(has_key(&key, ZC_KEY_NODES, asked));
    cr_expect_not(has_key(&key, ZC_KEY_NODES + 1, asked), "nodes");
    zc_scope_end(scope);
    zc_context_free(ctx);
}
