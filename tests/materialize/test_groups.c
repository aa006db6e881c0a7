/*
 * Groups: what is read by rows within a plan is in memory a block at a time. Results have the bits of the same stages
 * run one after the other, the peak is the one that was predicted, and the matrix of all pairs never exists.
 *
 * Longer than 500 lines because each program of a user and each law that is broken is a function.
 */
#include <inttypes.h>
#include <string.h>

#include "materialize/plan/group.h"
#include "materialize/plan/stage_words.h"
#include "materialize/plan/verify.h"
#include "materialize/stages/runs.h"
#include "materialize/stages/scatter.h"
#include "tests/materialize/grouped.h"
#include "tests/materialize/plan_of.h"
#include "tests/materialize/random_program.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* Elements in memory, with ties. */
static zc_tensor *draw(zc_context *ctx, int rank, const int64_t *shape)
{
    int64_t size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    const zc_tensor *number =
        zc_remainder(zc_multiply(zc_iota(ctx, size), zc_weak_int(ctx, 7919)), zc_weak_int(ctx, 97));
    const zc_tensor *scaled = zc_divide(zc_astype(number, ZC_FLOAT32), zc_weak_float(ctx, 64));
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_reshape(scaled, rank, shape), &out), ZC_OK);
    return out;
}

static int count_groups(const zc_plan *plan)
{
    int count = 0;
    for (int32_t s = 0; s < plan->stage_count; s++)
        count += zc_stage_group(plan->stages[s]) != NULL && zc_stage_group(plan->stages[s])->first == s;
    return count;
}

static int groups_of(const zc_tensor *t)
{
    zc_plan plan;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    const int count = count_groups(&plan);
    zc_plan_free(&plan);
    return count;
}

/* ---- Programs of users ---- */

static zc_tensor *distances(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_SHAPE(1237, 3)), *y = draw(ctx, ZC_SHAPE(1500, 3));
    const zc_tensor *apart = zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(y, 0));
    return zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
}

static zc_tensor *nearest(zc_context *ctx)
{
    return zc_argmin(distances(ctx), ZC_AXES(1), false);
}

static zc_tensor *kernel_sums(zc_context *ctx)
{
    return zc_sum(zc_exp(zc_negative(distances(ctx))), ZC_AXES(1), false);
}

static zc_tensor *kernel_by_vectors(zc_context *ctx)
{
    return zc_matmul(zc_exp(zc_negative(distances(ctx))), draw(ctx, ZC_SHAPE(1500, 4)));
}

static zc_tensor *normalized(zc_context *ctx)
{
    return zc_matmul(zc_softmax(zc_negative(distances(ctx)), 1), draw(ctx, ZC_SHAPE(1500, 4)));
}

/* Products of x with itself: the rows of a block and all of them begin together in the first block alone. */
static zc_tensor *gram(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_SHAPE(1200, 20));
    return zc_max(zc_exp(zc_matmul(x, zc_matrix_transpose(x))), ZC_AXES(1), false);
}

static zc_tensor *attention(zc_context *ctx)
{
    const zc_tensor *q = draw(ctx, ZC_SHAPE(3, 700, 24)), *k = draw(ctx, ZC_SHAPE(3, 900, 24));
    const zc_tensor *scores = zc_matmul(q, zc_matrix_transpose(k));
    return zc_matmul(zc_softmax(scores, -1), draw(ctx, ZC_SHAPE(3, 900, 5)));
}

/* The matrix is read by columns, too, which absorb its blocks. */
static zc_tensor *both_ways(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx);
    return zc_add(zc_min(d, ZC_AXES(1), false), zc_sum(zc_min(d, ZC_AXES(0), false), ZC_ALL_AXES, false));
}

/* The rows are whole for one reader, and shifted or turned for the other. */
static zc_tensor *shifted(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx), *apart = zc_subtract(zc_slice(d, 0, 1, 1237, 1), zc_slice(d, 0, 0, 1236, 1));
    return zc_max(apart, ZC_AXES(1), false);
}

static zc_tensor *turned(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx);
    return zc_max(zc_cumulative_sum(zc_flip(d, ZC_AXES(0, 1)), 1, false), ZC_AXES(1), false);
}

/* Positions that are looked up in rows are not cut into blocks, nor is what is laid side by side. */
static zc_tensor *looked_up(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx), *at = zc_argmin(d, ZC_AXES(1), true);
    const zc_tensor *const both[] = {zc_take_along_axis(d, at, 1), zc_slice(d, 1, 0, 2, 1)};
    return zc_sum(zc_concat(ctx, 2, both, 1), ZC_AXES(1), false);
}

static zc_tensor *put_together(zc_context *ctx)
{
    const zc_tensor *d = zc_exp(zc_negative(distances(ctx))), *all = zc_places(d);
    const zc_tensor *first = zc_slice(all, 1, 0, 2, 1);
    return zc_sum(zc_update(d, first, zc_full(ctx, ZC_SHAPE(1237, 2), ZC_FLOAT32, 3), ZC_UPDATE_ADD), ZC_AXES(1),
                  false);
}

/* A square that is stored by columns: its rows are there when all blocks are made. */
static zc_tensor *transposed(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_SHAPE(800, 3)), *y = draw(ctx, ZC_SHAPE(800, 3));
    const zc_tensor *apart =
        zc_subtract(zc_expand_dims(x, 1), zc_multiply(zc_expand_dims(y, 0), zc_weak_float(ctx, 3)));
    const zc_tensor *d = zc_sum(zc_multiply(apart, apart), ZC_AXES(2), false);
    const zc_tensor *t = zc_softmax(zc_copy(zc_matrix_transpose(zc_softmax(d, 1))), 1);
    return zc_sum(zc_multiply(t, t), ZC_AXES(1), false);
}

/* Keys are large, and lie along the other axis of the scores. */
static zc_tensor *projected(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_SHAPE(1300, 500)), *w = draw(ctx, ZC_SHAPE(500, 500));
    const zc_tensor *keys = zc_softmax(zc_matmul(x, w), 1), *scores = zc_matmul(x, zc_matrix_transpose(keys));
    return zc_matmul(zc_softmax(scores, 1), zc_slice(x, 1, 0, 3, 1));
}

/* Products of matrices with themselves, whole ones in each block. */
static zc_tensor *batched_gram(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, ZC_SHAPE(40, 150, 20));
    return zc_max(zc_exp(zc_matmul(x, zc_matrix_transpose(x))), ZC_AXES(2), false);
}

static zc_tensor *one_head(zc_context *ctx)
{
    const zc_tensor *q = draw(ctx, ZC_SHAPE(1, 700, 24)), *k = draw(ctx, ZC_SHAPE(1, 900, 24));
    return zc_matmul(zc_softmax(zc_matmul(q, zc_matrix_transpose(k)), -1), draw(ctx, ZC_SHAPE(1, 900, 5)));
}

/* More stages than a group has members. */
static zc_tensor *deep(zc_context *ctx)
{
    zc_tensor *d = distances(ctx);
    for (int i = 0; i < 14; i++)
        d = zc_sqrt(zc_subtract(d, zc_min(d, ZC_AXES(1), true)));
    return zc_max(d, ZC_AXES(1), false);
}

/* A row is longer than a block. */
static zc_tensor *long_rows(zc_context *ctx)
{
    return zc_sum(zc_softmax(zc_tanh(zc_exp(draw(ctx, ZC_SHAPE(4, 300000)))), 1), ZC_AXES(1), false);
}

/* Weights that are updated where they are, between the distances and what reads both. */
static zc_tensor *updated_between(zc_context *ctx)
{
    const zc_tensor *d = distances(ctx), *w = zc_exp(draw(ctx, ZC_SHAPE(1500)));
    const zc_tensor *places = zc_take(zc_places(w), zc_iota(ctx, 20), 0);
    const zc_tensor *weights = zc_update(w, places, draw(ctx, ZC_SHAPE(20)), ZC_UPDATE_ADD);
    return zc_min(zc_multiply(d, weights), ZC_AXES(1), false);
}

static zc_tensor *scanned(zc_context *ctx)
{
    return zc_max(zc_cumulative_sum(distances(ctx), 1, false), ZC_AXES(1), false);
}

typedef struct program_case {
    const char *name;
    zc_tensor *(*make)(zc_context *);
    int groups;   /* -1: any number */
    int64_t most; /* bytes at the peak beside inputs and result */
} program_case;

static const program_case cases[] = {
    {"nearest", nearest, 1, 2 << 20},
    {"kernel sums", kernel_sums, 1, 2 << 20},
    {"by vectors", kernel_by_vectors, 1, 2 << 20},
    {"normalized", normalized, 1, 3 << 20},
    {"gram", gram, 0, 13 << 20},
    {"attention", attention, 1, 4 << 20},
    {"both ways", both_ways, 1, 3 << 20},
    {"scanned", scanned, 1, 3 << 20},
    {"batched gram", batched_gram, 0, 13 << 20},
    {"one head", one_head, 1, 5 << 20},
    {"deep", deep, -1, 17 << 20},
    {"long rows", long_rows, -1, 12 << 20},
    {"updated between", updated_between, -1, 17 << 20},
    {"transposed", transposed, -1, 9 << 20},
    {"projected", projected, -1, 9 << 20},
    {"shifted", shifted, 0, 16 << 20},
    {"turned", turned, -1, 17 << 20},
    {"looked up", looked_up, -1, 17 << 20},
    {"put together", put_together, -1, 17 << 20},
};

static zc_tensor *make_and_measure(zc_context *ctx, const zc_tensor *t, int64_t *peak)
{
    zc_cost cost;
    zc_tensor *out = NULL;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK);
    const int64_t before = zc_memory_usage(ctx).held_bytes;
    zc_memory_reset_peak(ctx);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    *peak = zc_memory_usage(ctx).peak_bytes - before;
    cr_expect_eq(*peak, cost.peak_bytes);
    return out;
}

Test(groups, hold_rows_and_give_the_same_bits)
{
    static const int64_t lengths[] = {BY_BYTES, 3, 1, 64, 2, 1236, 5000};
    const size_t stride = (size_t)zc_test_long_stride(), step = (size_t)zc_test_step(2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += step) {
        const program_case *c = &cases[i];
        zc_context *alone = context_of(NO_GROUPS, 1);
        zc_scope *outer = zc_scope_begin(alone);
        int64_t peak;
        const zc_tensor *wanted = make_and_measure(alone, c->make(alone), &peak);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l += l == 0 ? 1 : stride) {
            zc_context *ctx = context_of(lengths[l], 1 + (int)l % 3);
            zc_scope *scope = zc_scope_begin(ctx);
            const zc_tensor *t = c->make(ctx);
            if (lengths[l] == BY_BYTES && c->groups >= 0)
                cr_expect_eq(groups_of(t), c->groups, "%s", c->name);
            const zc_tensor *got = make_and_measure(ctx, t, &peak);
            expect_same_bytes(wanted, got, c->name, lengths[l]);
            if (lengths[l] == BY_BYTES)
                cr_expect_leq(peak, c->most, "%s: %" PRId64, c->name, peak);
            zc_scope_end(scope);
            zc_context_free(ctx);
        }
        zc_scope_end(outer);
        zc_context_free(alone);
    }
}

/* ---- Random programs, with blocks of few rows wherever there can be groups ---- */

static zc_tensor *run_program(const program *p, zc_context *ctx, int *groups)
{
    zc_tensor *items[MOST_ITEMS] = {NULL}, *out = NULL;
    make_inputs(p, ctx, items);
    record_program(p, items);
    *groups += ctx->block_length > 0 ? groups_of(items[p->count - 1]) : 0;
    cr_assert_eq(zc_materialize(items[p->count - 1], &out), ZC_OK, "%s", zc_error_text(ctx));
    return out;
}

Test(groups, random_programs_have_the_bits_of_their_stages)
{
    enum { PROGRAMS = 300 };
    int groups = 0;
    zc_random_begin("groups/programs");
    for (int i = 0; i < zc_test_count(PROGRAMS); i++) {
        program p = draw_program();
        need_item(&p, p.count - 1);
        zc_context *alone = context_of(NO_GROUPS, 1), *ctx = context_of(1 + i % 4, 1 + i % 2);
        ctx->least_turned = i % 3 == 0 ? 1 : ctx->least_turned;
        zc_scope *first = zc_scope_begin(alone), *second = zc_scope_begin(ctx);
        const zc_tensor *wanted = run_program(&p, alone, &groups), *got = run_program(&p, ctx, &groups);
        const size_t bytes = (size_t)zc_size(wanted) * zc_dtype_bytes(zc_dtype_of(wanted));
        cr_assert_eq(memcmp(zc_data(wanted), zc_data(got), bytes), 0, "program %d", i);
        zc_scope_end(second);
        zc_scope_end(first);
        zc_context_free(ctx);
        zc_context_free(alone);
    }
    cr_expect_gt(groups, PROGRAMS / zc_test_stride() / 20, "%d groups", groups);
}

/* ---- The law ---- */

static zc_group *group_of(const zc_plan *plan)
{
    int32_t s = 0;
    while (plan->stages[s]->member == NULL)
        s++;
    return (zc_group *)(uintptr_t)plan->stages[s]->member->group;
}

static zc_stage *member_of(const zc_plan *plan, int32_t number)
{
    return plan->stages[group_of(plan)->first + number];
}

static void break_length(zc_plan *plan)
{
    group_of(plan)->length = 0;
}
static void break_rank(zc_plan *plan)
{
    group_of(plan)->rank = ZC_MOST_OUTER + 1;
}
static void break_count(zc_plan *plan)
{
    group_of(plan)->count = 1;
}
static void break_membership(zc_plan *plan)
{
    member_of(plan, 1)->member = NULL;
}
static void break_outer(zc_plan *plan)
{
    member_of(plan, 1)->member->outer[0] = 1;
}
static void break_order(zc_plan *plan)
{
    zc_stage *stage = member_of(plan, 0);
    stage->kind = &zc_stage_kind_scatter;
    stage->scatter = (zc_scatter_part){.moves = 1, .check = (int32_t[]){0}, .step = (int64_t[]){0}};
}
static void break_load(zc_plan *plan)
{
    zc_stage *stage = member_of(plan, 1);
    stage->stride[0] = 1;
    stage->stride[1] = stage->shape[0];
}
/* The first member's slot is whole then, and read before all of a row is there. */
static void break_whole(zc_plan *plan)
{
    zc_stage *stage = member_of(plan, 0);
    plan->slots[stage->store.slot].is_block = false;
    stage->store.stride[0] = 1;
    stage->store.stride[1] = stage->shape[0];
}
static void break_store(zc_plan *plan)
{
    zc_stage *stage = member_of(plan, 0);
    stage->store.stride[0] = 1;
    stage->store.stride[1] = stage->shape[0];
}
static void break_output(zc_plan *plan)
{
    plan->slots[plan->results[0].slot].is_block = true;
}

static void break_no_rank(zc_plan *plan)
{
    group_of(plan)->rank = 0;
}
static void break_many(zc_plan *plan)
{
    group_of(plan)->count = plan->stage_count + 1;
}
static void break_outer_sign(zc_plan *plan)
{
    member_of(plan, 1)->member->outer[0] = -1;
}
static void break_base(zc_plan *plan)
{
    member_of(plan, 1)->store.base = 0;
}
static void break_updates(zc_plan *plan)
{
    member_of(plan, 1)->store.updates = true;
}
static void break_clears(zc_plan *plan)
{
    member_of(plan, 1)->store.clears = 1;
}
static void break_runs(zc_plan *plan)
{
    static int64_t first[] = {0, 0};
    zc_stage *stage = member_of(plan, 0);
    stage->kind = &zc_stage_kind_runs;
    stage->runs = (zc_runs_part){.axis = 0, .first = first};
}
static void break_extent(zc_plan *plan)
{
    group_of(plan)->extent[0]++;
}
static void break_lifetime(zc_plan *plan)
{
    plan->slots[member_of(plan, 0)->store.slot].last_stage = plan->stage_count;
}
static void break_maker(zc_plan *plan)
{
    plan->slots[member_of(plan, 0)->store.slot].first_stage = -1;
}
static void break_maker_behind(zc_plan *plan)
{
    plan->slots[member_of(plan, 0)->store.slot].first_stage = plan->stage_count - 1;
}
static void break_row(zc_plan *plan)
{
    zc_stage *stage = member_of(plan, 1); /* the last 100 elements of a row and the first of the next */
    stage->offset[0] = 100;
    stage->shape[0]--;
    group_of(plan)->extent[0]--;
    member_of(plan, 0)->shape[0]--;
}

Test(groups, verification_refuses_members_that_see_other_blocks)
{
    static void (*const breakages[])(zc_plan *) = {
        break_length, break_rank,       break_count, break_membership,   break_outer,  break_no_rank,
        break_many,   break_outer_sign, break_base,  break_updates,      break_clears, break_runs,
        break_extent, break_lifetime,   break_maker, break_maker_behind, break_row,    break_order,
        break_load,   break_store,      break_whole, break_output};
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    cr_assert_eq(groups_of(nearest(ctx)), 1);
    zc_scope_end(scope);
    zc_context_free(ctx);
    expect_refusals(nearest, BY_BYTES, (int)(sizeof breakages / sizeof *breakages), breakages);
}

/* Rows of 5 elements: of all four, from an element before them, up to one behind them, backwards. */
Test(groups, rows_are_what_an_access_stays_inside_of)
{
    int64_t shape[] = {4, 5}, along[] = {5, 1}, back[] = {5, -1};
    const zc_stage stage = {.rank = 2, .kept = 2, .shape = shape};
    const zc_group group = {.rank = 1, .extent = {4}, .length = 2};
    const int outer[] = {0};
    cr_expect(zc_group_is_by_rows(&group, outer, &stage, 2, 0, along, 20));
    cr_expect_not(zc_group_is_by_rows(&group, outer, &stage, 2, -1, along, 20));
    cr_expect_not(zc_group_is_by_rows(&group, outer, &stage, 2, 1, along, 20));
    cr_expect(zc_group_is_by_rows(&group, outer, &stage, 2, 4, back, 20));
    cr_expect_not(zc_group_is_by_rows(&group, outer, &stage, 2, 3, back, 20));
}

/* Stages of every kind have words: the same ones again, and others where a field of the kind differs. */
Test(groups, stages_are_told_apart_by_the_fields_of_their_kinds)
{
    zc_context *ctx = context_of(NO_GROUPS, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = draw(ctx, ZC_SHAPE(6, 5)), *places = zc_take(zc_places(x), zc_iota(ctx, 3), 0);
    const zc_tensor *all[] = {zc_cumulative_sum(x, 1, false), zc_matmul(x, zc_matrix_transpose(x)),
                              zc_update(x, places, zc_slice(x, 0, 0, 3, 1), ZC_UPDATE_ADD)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        zc_plan plan;
        cr_assert_eq(zc_plan_of(all[i], &plan), ZC_OK);
        zc_stage *stage = plan.stages[plan.stage_count - 1];
        int64_t word[3][200];
        zc_words words[3] = {{word[0], 0, 200}, {word[1], 0, 200}, {word[2], 0, 2}};
        stage->kind->add_words(stage, &words[0]);
        stage->kind->add_words(stage, &words[2]);
        if (i == 0)
            stage->scan.scan = ZC_SCAN_PRODUCT;
        else if (i == 1)
            stage->reduce.invariant_count++;
        else
            stage->scatter.update = ZC_UPDATE_MAX;
        stage->kind->add_words(stage, &words[1]);
        cr_expect_gt(words[0].count, 1);
        cr_expect_eq(words[0].count, words[1].count);
        cr_expect_eq(words[0].count, words[2].count, "also where there is no room");
        cr_expect_neq(memcmp(word[0], word[1], words[0].count * sizeof *word[0]), 0, "%zu", i);
        zc_plan_free(&plan);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Two members that look up positions could tell another wrong one than the first of all. */
Test(groups, one_member_looks_up_positions)
{
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_plan plan;
    cr_assert_eq(zc_plan_of(nearest(ctx), &plan), ZC_OK);
    cr_expect_null(zc_group_broken_rule(&plan, group_of(&plan)));
    for (int i = 0; i < 2; i++) {
        member_of(&plan, i)->values[0].kind = ZC_VALUE_CHECK;
        const char *broken = zc_group_broken_rule(&plan, group_of(&plan));
        cr_expect_eq(broken != NULL, i > 0, "%s", broken);
    }
    zc_plan_free(&plan);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* Prefix sums of columns by doubling: y[i] + y[i - k] for k = 1, 2, 4, ..., with zeros above, shifted in memory. */
static zc_tensor *prefix_sums(zc_context *ctx, int64_t rows, int64_t width)
{
    zc_tensor *y = rows_of(ctx, ZC_FLOAT64, rows, width, 1);
    for (int64_t k = 1; k < rows; k *= 2) {
        const zc_tensor *const parts[] = {zc_full(ctx, ZC_SHAPE(k, width), ZC_FLOAT64, 0),
                                          zc_slice(y, 0, 0, rows - k, 1)};
        y = zc_add(y, zc_copy(zc_concat(ctx, 2, parts, 0)));
    }
    return y;
}

/* Nobody reads the slabs of a shifted matrix in turns: they stay in it, as without groups. */
Test(groups, that_are_not_formed_leave_slabs_together)
{
    enum { LENGTH = 1024, WIDTH = 512 };
    zc_plan plan[2];
    zc_context *ctx[] = {context_of(NO_GROUPS, 1), context_of(BY_BYTES, 1)};
    zc_scope *scope[2];
    const zc_tensor *sums[2];
    for (int i = 0; i < 2; i++) {
        scope[i] = zc_scope_begin(ctx[i]);
        cr_assert_eq(zc_plan_of(prefix_sums(ctx[i], LENGTH, WIDTH), &plan[i]), ZC_OK);
        sums[i] = compute(ctx[i], prefix_sums(ctx[i], LENGTH, WIDTH));
    }
    cr_expect_not(plan[0].keeps_slabs);
    cr_expect(plan[1].keeps_slabs);
    cr_expect_eq(plan[0].stage_count, plan[1].stage_count);
    cr_expect_eq(plan[0].needed_bytes, plan[1].needed_bytes);
    expect_same_bytes(sums[0], sums[1], "prefix sums", BY_BYTES);
    for (int i = 0; i < 2; i++) {
        zc_plan_free(&plan[i]);
        zc_scope_end(scope[i]);
        zc_context_free(ctx[i]);
    }
}

/* Rows of one matrix times others of it: two inputs where the plan is kept, one where its cost is told. */
Test(groups, of_two_parts_of_a_matrix_take_what_was_told)
{
    enum { COUNT = 900, EACH = 16 };
    zc_context *ctx = context_of(BY_BYTES, 1);
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = rows_of(ctx, ZC_FLOAT64, 3 * COUNT, EACH, 1);
    for (int64_t at = COUNT; at <= 2 * COUNT; at += COUNT / 2) {
        const zc_tensor *y = zc_slice(x, 0, at, at + COUNT, 1);
        const zc_tensor *k = zc_exp(zc_matmul(zc_slice(x, 0, 0, COUNT, 1), zc_matrix_transpose(y)));
        const zc_tensor *made = compute(ctx, zc_sum(k, ZC_AXES(1), false));
        zc_context *alone = context_of(NO_GROUPS, 1);
        zc_scope *inner = zc_scope_begin(alone);
        const zc_tensor *other = rows_of(alone, ZC_FLOAT64, 3 * COUNT, EACH, 1);
        const zc_tensor *z = zc_matrix_transpose(zc_slice(other, 0, at, at + COUNT, 1));
        const zc_tensor *wanted = zc_sum(zc_exp(zc_matmul(zc_slice(other, 0, 0, COUNT, 1), z)), ZC_AXES(1), false);
        expect_same_bytes(compute(alone, wanted), made, "two parts", at);
        zc_scope_end(inner);
        zc_context_free(alone);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* A group of one slab of two saves less than the whole matrix, over which the next one is written. */
Test(groups, of_a_slab_take_no_more_than_the_whole)
{
    int64_t needed[2];
    for (int is_grouped = 0; is_grouped < 2; is_grouped++) {
        zc_context *ctx = context_of(is_grouped ? BY_BYTES : NO_GROUPS, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        const zc_tensor *x = rows_of(ctx, ZC_FLOAT32, 1877, 512, 1);
        const zc_tensor *r = zc_roll(x, 1, (const int64_t[]){-1}, (const int[]){0}), *size = zc_abs(x);
        const zc_tensor *w = zc_where(zc_less(size, r), size, zc_add(r, zc_weak_int(ctx, 1)));
        const zc_tensor *y = zc_max(zc_subtract(w, zc_min(w, ZC_AXES(0), true)), ZC_ALL_AXES, false);
        zc_plan plan;
        cr_assert_eq(zc_plan_of(y, &plan), ZC_OK);
        needed[is_grouped] = plan.needed_bytes;
        zc_plan_free(&plan);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
    cr_expect_leq(needed[1], needed[0]);
}

/* ---- Limits, explanation ---- */

Test(groups, need_little_of_a_limit)
{
    for (int is_grouped = 0; is_grouped < 2; is_grouped++) {
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = 4 << 20});
        ctx->block_length = is_grouped ? BY_BYTES : NO_GROUPS;
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *out = NULL;
        cr_expect_eq(zc_materialize(normalized(ctx), &out), is_grouped ? ZC_OK : ZC_ERROR_BUDGET);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

Test(groups, are_explained)
{
    static const char *const told[] = {"stages 1 to 2 in turns", "\"group\": {\"first_stage\": 1, \"last_stage\": 2",
                                       "blocks, stages 1 to 2 in turns", " of "};
    for (int format = ZC_TEXT; format <= ZC_BRIEF; format++) {
        zc_context *ctx = context_of(BY_BYTES, 1);
        zc_scope *scope = zc_scope_begin(ctx);
        char *text = NULL;
        cr_assert_eq(zc_explain(nearest(ctx), (zc_format)format, &text), ZC_OK);
        cr_expect_not_null(strstr(text, told[format]), "%s", text);
        zc_text_free(ctx, text);
        cr_assert_eq(zc_explain(attention(ctx), (zc_format)format, &text), ZC_OK);
        cr_expect(format != ZC_TEXT || strstr(text, " blocks of 1 x ") != NULL, "%s", text);
        zc_text_free(ctx, text);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}
