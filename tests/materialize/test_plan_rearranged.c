/*
 * Plans of what rearranges: domains that are refined, copies that are read through computed positions, takes of takes.
 * What each becomes, and that it is computed right.
 */
#include <string.h>

#include "materialize/plan/plan.h"
#include "materialize/stages/reduce.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/zc_test.h"

typedef struct table {
    zc_context *ctx;
    zc_scope *scope;
    zc_plan plan;
} table;

static table begin(void)
{
    table t = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    t.scope = zc_scope_begin(t.ctx);
    return t;
}

static void end(table *t)
{
    zc_scope_end(t->scope);
    cr_assert_eq(zc_memory_usage(t->ctx).held_bytes, 0);
    zc_context_free(t->ctx);
}

/* The plan of t, to be freed; it has so many stages. */
static const zc_stage *plan(table *t, const zc_tensor *result, int stages)
{
    cr_assert_not_null(result, "%s", zc_error_text(t->ctx));
    cr_assert_eq(zc_plan_of(result, &t->plan), ZC_OK, "%s", zc_error_text(t->ctx));
    cr_assert_eq(t->plan.stage_count, stages, "there are %d stages", (int)t->plan.stage_count);
    return t->plan.stages[stages - 1];
}

static int count_values(const zc_stage *stage, zc_value_kind kind)
{
    int count = 0;
    for (int32_t v = 0; v < stage->value_count; v++)
        count += stage->values[v].kind == kind;
    return count;
}

/* Element i of an int64 tensor. */
static int64_t element(const zc_tensor *t, int64_t i)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return ((const int64_t *)zc_data(out))[i];
}

static zc_tensor *data(table *t, int rank, const int64_t *shape)
{
    int64_t values[1000], size = 1;
    for (int a = 0; a < rank; a++)
        size *= shape[a];
    for (int64_t i = 0; i < size; i++)
        values[i] = i * 37 % 101;
    return zc_from_data(t->ctx, ZC_INT64, rank, shape, values, (size_t)size * sizeof *values);
}

/* x + y^T in another shape: no strides show y there, but with the axis split they do. */
static zc_tensor *mixed(table *t, int rank, const int64_t *shape)
{
    zc_tensor *x = data(t, ZC_SHAPE(4, 6)), *y = data(t, ZC_SHAPE(6, 4));
    return zc_reshape(zc_add(x, zc_matrix_transpose(y)), rank, shape);
}

static int64_t mixed_at(int64_t i)
{
    return i * 37 % 101 + (i % 6 * 4 + i / 6) * 37 % 101;
}

/* ---- Refined domains ---- */

Test(plan_rearranged, an_axis_across_several_is_split)
{
    table t = begin();
    zc_tensor *flat = zc_negative(mixed(&t, ZC_SHAPE(24)));
    const zc_stage *stage = plan(&t, flat, 1);
    cr_assert(stage->rank == 2 && stage->kept == 2 && stage->shape[0] == 4 && stage->shape[1] == 6);
    cr_assert(stage->store.stride[0] == 6 && stage->store.stride[1] == 1);
    zc_plan_free(&t.plan);
    for (int64_t i = 0; i < 24; i++)
        cr_assert_eq(element(flat, i), -mixed_at(i));
    zc_tensor *backwards = zc_negative(zc_flip(mixed(&t, ZC_SHAPE(24)), ZC_ALL_AXES));
    stage = plan(&t, backwards, 1);
    cr_assert(stage->rank == 2 && stage->shape[0] == 4);
    zc_plan_free(&t.plan);
    cr_assert_eq(element(backwards, 1), -mixed_at(22));
    end(&t);
}

/* Into the caller's memory a split axis is stored along the stride that it had. */
Test(plan_rearranged, a_split_axis_is_stored_where_it_was)
{
    table t = begin();
    int64_t memory[72];
    memset(memory, 0, sizeof memory);
    cr_assert_eq(
        zc_materialize_into(zc_negative(mixed(&t, ZC_SHAPE(24))), memory, sizeof memory, (const int64_t[]){-3}, 71),
        ZC_OK);
    for (int64_t i = 0; i < 72; i++)
        cr_assert_eq(memory[71 - i], i % 3 == 0 ? -mixed_at(i / 3) : 0);
    end(&t);
}

/* A reduced axis that is split is walked in all its parts; an index counts them as if it were one. */
Test(plan_rearranged, reduced_axes_are_split_with_the_index_they_add)
{
    table t = begin();
    zc_tensor *wide = mixed(&t, ZC_SHAPE(2, 12)), *flat = mixed(&t, ZC_SHAPE(24));
    zc_tensor *sum = zc_sum(flat, ZC_ALL_AXES, false), *rows = zc_sum(wide, ZC_AXES(1), false);
    zc_tensor *largest = zc_argmax(flat, ZC_ALL_AXES, false), *along = zc_argmax(wide, ZC_AXES(1), false);
    const zc_stage *stage = plan(&t, largest, 1);
    cr_assert(stage->kind == &zc_stage_kind_reduce && stage->kept == 0 && stage->rank == 2);
    cr_assert(stage->reduce.index_weight[0] == 6 && stage->reduce.index_weight[1] == 1);
    zc_plan_free(&t.plan);
    stage = plan(&t, along, 1);
    cr_assert(stage->kept == 1 && stage->rank == 3 && stage->reduce.index_weight[0] == 6 &&
              stage->reduce.index_weight[1] == 1);
    zc_plan_free(&t.plan);
    int64_t sums[2] = {0}, at[2] = {0};
    for (int64_t i = 0; i < 24; i++) {
        sums[i / 12] += mixed_at(i);
        at[i / 12] = mixed_at(i) > mixed_at(i / 12 * 12 + at[i / 12]) ? i % 12 : at[i / 12];
    }
    bool second = mixed_at(12 + at[1]) > mixed_at(at[0]);
    cr_assert_eq(element(sum, 0), sums[0] + sums[1]);
    cr_assert_eq(element(largest, 0), second ? 12 + at[1] : at[0]);
    for (int r = 0; r < 2; r++) {
        cr_assert_eq(element(rows, r), sums[r]);
        cr_assert_eq(element(along, r), at[r]);
    }
    end(&t);
}

/* The kept axis is split: (4, 6, 5) as (24, 5). */
Test(plan_rearranged, kept_axes_are_split_before_a_reduction)
{
    table t = begin();
    zc_tensor *x = data(&t, ZC_SHAPE(4, 6, 5)), *y = data(&t, ZC_SHAPE(6, 4, 5));
    zc_tensor *both = zc_reshape(zc_add(x, zc_permute_dims(y, ZC_AXES(1, 0, 2))), ZC_SHAPE(24, 5));
    zc_tensor *sum = zc_sum(both, ZC_AXES(1), false);
    const zc_stage *stage = plan(&t, sum, 1);
    cr_assert(stage->rank == 3 && stage->kept == 2 && stage->shape[0] == 4 && stage->shape[1] == 6);
    zc_plan_free(&t.plan);
    for (int64_t i = 0; i < 24; i++) {
        int64_t wanted = 0;
        for (int64_t j = 0; j < 5; j++)
            wanted += (i * 5 + j) * 37 % 101 + ((i % 6 * 4 + i / 6) * 5 + j) * 37 % 101;
        cr_assert_eq(element(sum, i), wanted);
    }
    end(&t);
}

/* Eight domains of different borders meet in one: more often than that no stage begins anew. */
Test(plan_rearranged, refining_ends)
{
    table t = begin();
    zc_tensor *sum = zc_iota(t.ctx, 720);
    static const int64_t shapes[][2] = {{2, 360}, {3, 240}, {4, 180}, {5, 144}, {6, 120}, {8, 90},
                                        {9, 80},  {10, 72}, {360, 2}, {240, 3}, {144, 5}, {90, 8}};
    enum { COUNT = sizeof shapes / sizeof *shapes };
    for (int i = 0; i < COUNT; i++) {
        zc_tensor *x = data(&t, ZC_SHAPE(720)), *a = zc_reshape(x, 2, shapes[i]);
        zc_tensor *b = zc_matrix_transpose(zc_reshape(x, ZC_SHAPE(shapes[i][1], shapes[i][0])));
        sum = zc_add(sum, zc_reshape(zc_add(a, b), ZC_SHAPE(720)));
    }
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(sum, &out), ZC_OK, "%s", zc_error_text(t.ctx));
    for (int64_t i = 0; i < 720; i++) {
        int64_t wanted = i;
        for (int k = 0; k < COUNT; k++)
            wanted += i * 37 % 101 + (i % shapes[k][1] * shapes[k][0] + i / shapes[k][1]) * 37 % 101;
        cr_assert_eq(((const int64_t *)zc_data(out))[i], wanted, "element %ld", (long)i);
    }
    end(&t);
}

/* The highest rank has no room for a part more: the sum is cut out instead. */
Test(plan_rearranged, the_highest_rank_is_not_refined)
{
    table t = begin();
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < ZC_MAX_RANK; a++)
        shape[a] = a == ZC_MAX_RANK - 1 ? 24 : 1;
    zc_tensor *deep = zc_reshape(mixed(&t, ZC_SHAPE(24)), ZC_MAX_RANK, shape), *minus = zc_negative(deep);
    (void)plan(&t, minus, 2);
    cr_assert_eq(t.plan.stages[0]->reason, ZC_STAGE_NOT_AFFINE);
    zc_plan_free(&t.plan);
    for (int64_t i = 0; i < 24; i++)
        cr_assert_eq(element(minus, i), -mixed_at(i));
    end(&t);
}

/* ---- Concats ---- */

/* A flat window inside one operand, of which no strides show it: its rows are assembled, and nothing else. */
Test(plan_rearranged, what_no_strides_show_of_an_operand_is_assembled)
{
    table t = begin();
    zc_tensor *x = data(&t, ZC_SHAPE(4, 3, 2)), *y = zc_permute_dims(zc_negative(x), ZC_AXES(0, 2, 1));
    x = zc_permute_dims(x, ZC_AXES(0, 2, 1));
    zc_tensor *row = zc_concat(t.ctx, 2, (const zc_tensor *const[]){x, y}, 0);
    zc_tensor *window = zc_abs(zc_slice(zc_reshape(row, ZC_SHAPE(48)), 0, 30, 36, 1));
    const zc_stage *stage = plan(&t, window, 2);
    cr_assert_eq(t.plan.stages[0]->reason, ZC_STAGE_PIECE);
    cr_assert_eq(t.plan.stages[0]->store.slot, stage->values[0].slot);
    cr_assert_eq(t.plan.written_bytes, 2 * 6 * 8);
    zc_plan_free(&t.plan);
    for (int64_t i = 0; i < 6; i++)
        cr_assert_eq(element(window, i), (6 + i % 3 * 2 + i / 3) * 37 % 101);
    end(&t);
}

/* ---- Concats inside concats ---- */

/* Along one axis, however deep: pieces of one temporary, each stored once. */
Test(plan_rearranged, concats_inside_concats_are_written_once_at_any_depth)
{
    enum { DEPTH = 300 };
    table t = begin();
    zc_tensor *x = data(&t, ZC_SHAPE(DEPTH + 1)), *joined = zc_slice(x, 0, 0, 1, 1);
    for (int i = 1; i <= DEPTH; i++) {
        zc_tensor *next = zc_slice(x, 0, i, i + 1, 1);
        const zc_tensor *const both[] = {i % 2 == 0 ? joined : next, i % 2 == 0 ? next : joined};
        joined = zc_concat(t.ctx, 2, both, 0);
    }
    const zc_stage *last = plan(&t, joined, 1);
    cr_assert(last->store.slab_count == 0 && last->value_count == DEPTH + 1);
    cr_assert_eq(t.plan.written_bytes, (DEPTH + 1) * (int64_t)sizeof(int64_t));
    cr_assert_eq(t.plan.peak_bytes, t.plan.written_bytes);
    zc_plan_free(&t.plan);
    for (int64_t i = 0; i <= DEPTH; i++) {
        int64_t behind = DEPTH / 2 + i; /* even steps append, odd ones prepend */
        int64_t at = i < DEPTH / 2 ? DEPTH - 1 - 2 * i : 2 * (behind - DEPTH);
        cr_assert_eq(element(joined, i), at * 37 % 101, "element %d", (int)i);
    }
    end(&t);
}

/* Every other time backwards. */
static zc_tensor *repeat(table *t, zc_tensor *x, int count)
{
    const zc_tensor *all[50];
    for (int i = 0; i < count; i++)
        all[i] = i % 2 == 0 ? x : zc_flip(x, ZC_AXES(0));
    return zc_concat(t->ctx, count, all, 0);
}

/* A concat of 50 times a concat of 50 times a concat of 50 has few pieces, since most of it is copied. */
Test(plan_rearranged, concats_of_concats_that_are_repeated_stay_small)
{
    enum { COUNT = 50 };
    table t = begin();
    zc_tensor *x = data(&t, ZC_SHAPE(COUNT)), *out = NULL;
    const zc_tensor *single[COUNT];
    for (int i = 0; i < COUNT; i++)
        single[i] = zc_slice(x, 0, i, i + 1, 1);
    zc_tensor *joined = repeat(&t, repeat(&t, zc_concat(t.ctx, COUNT, single, 0), COUNT), COUNT);
    cr_assert_eq(zc_plan_of(joined, &t.plan), ZC_OK);
    cr_expect_lt(t.plan.stage_count, 5 * COUNT, "there are %d stages", (int)t.plan.stage_count);
    zc_plan_free(&t.plan);
    cr_assert_eq(zc_materialize(joined, &out), ZC_OK);
    const int64_t *elements = zc_data(out);
    for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
        int inside = i % (COUNT * COUNT), outer = i / (COUNT * COUNT);
        inside = outer % 2 == 0 ? inside : COUNT * COUNT - 1 - inside;
        int at = inside / COUNT % 2 == 0 ? inside % COUNT : COUNT - 1 - inside % COUNT;
        cr_assert_eq(elements[i], at * 37 % 101, "element %d", i);
    }
    zc_release(out);
    end(&t);
}

Test(plan_rearranged, concats_that_are_there_are_not_nested)
{
    table t = begin();
    zc_tensor *x = data(&t, ZC_SHAPE(3)), *costly = zc_astype(zc_exp(zc_multiply(x, zc_weak_int(t.ctx, 0))), ZC_INT64);
    const zc_tensor *const inside[] = {x, costly};
    zc_tensor *inner = zc_concat(t.ctx, 2, inside, 0);
    const zc_tensor *const around[] = {inner, x};
    zc_tensor *outer = zc_concat(t.ctx, 2, around, 0);
    cr_assert_eq(plan(&t, outer, 3)->store.slab_count, 1);
    zc_plan_free(&t.plan);
    static const int64_t wanted[] = {0, 37, 74, 1, 1, 1, 0, 37, 74};
    for (int64_t i = 0; i < 9; i++)
        cr_assert_eq(element(outer, i), wanted[i]);
    cr_assert_eq(element(inner, 0), 0);
    zc_tensor *again = zc_concat(t.ctx, 2, around, 0);
    cr_assert_eq(plan(&t, again, 1)->value_count, 2); /* inner has its data now */
    zc_plan_free(&t.plan);
    for (int64_t i = 0; i < 9; i++)
        cr_assert_eq(element(again, i), wanted[i]);
    end(&t);
}

/* ---- Copies read through computed positions ---- */

/* (12) as 4 times 3 and as 3 times 4: one axis cannot be split both ways, so one of them is mapped. */
Test(plan_rearranged, copies_that_repeat_are_mapped)
{
    table t = begin();
    zc_tensor *x = data(&t, ZC_SHAPE(7)), *y = data(&t, ZC_SHAPE(9));
    zc_tensor *sum = zc_add(zc_tile(x, 1, (const int64_t[]){9}), zc_repeat(y, 7, 0));
    zc_tensor *crossed = zc_add(zc_tile(x, 1, (const int64_t[]){9}), zc_tile(y, 1, (const int64_t[]){7}));
    (void)plan(&t, sum, 1);
    zc_plan_free(&t.plan);
    const zc_stage *stage = plan(&t, crossed, 1);
    cr_assert(count_values(stage, ZC_VALUE_CHECK) == 1 && count_values(stage, ZC_VALUE_PICK) == 1);
    zc_plan_free(&t.plan);
    for (int64_t i = 0; i < 63; i++) {
        cr_assert_eq(element(sum, i), i % 7 * 37 % 101 + i / 7 * 37 % 101);
        cr_assert_eq(element(crossed, i), i % 7 * 37 % 101 + i % 9 * 37 % 101);
    }
    end(&t);
}

/* ---- Takes of takes ---- */

enum { AXES = 4 };

/* Positions along each axis of (3, 4, 5, 2), from both ends. */
static const int64_t picked[AXES][3] = {{2, -3, 1}, {3, 0, -2}, {-1, 4, 2}, {1, -2, 0}};
static const int64_t extents[AXES] = {3, 4, 5, 2};

static zc_tensor *take_axes(table *t, zc_tensor *x, int count)
{
    for (int a = 0; a < count; a++)
        x = zc_take(x, zc_from_data(t->ctx, ZC_INT64, ZC_SHAPE(3), picked[a], sizeof picked[a]), a);
    return x;
}

static int64_t taken_at(int64_t i, int count)
{
    int64_t at = 0, weight = 1;
    for (int a = AXES - 1; a >= 0; a--) {
        int64_t n = a < count ? 3 : extents[a], k = i % n;
        int64_t position = a < count ? picked[a][k] : k;
        at += (position < 0 ? position + extents[a] : position) * weight;
        weight *= extents[a];
        i /= n;
    }
    return at * 37 % 101;
}

Test(plan_rearranged, takes_of_takes_pick_along_three_axes_and_then_are_cut)
{
    table t = begin();
    for (int count = 1; count <= AXES; count++) {
        zc_tensor *x = data(&t, AXES, extents), *taken = take_axes(&t, x, count), *out = NULL;
        const zc_stage *stage = plan(&t, taken, count <= 3 ? 1 : 2);
        for (int32_t v = 0; v < stage->value_count && count <= 3; v++)
            cr_assert(stage->values[v].kind != ZC_VALUE_PICK || stage->values[v].arity == count);
        cr_assert_eq(t.plan.stages[0]->reason, count <= 3 ? ZC_STAGE_RESULT : ZC_STAGE_NOT_AFFINE);
        zc_plan_free(&t.plan);
        cr_assert_eq(zc_materialize(taken, &out), ZC_OK, "%s", zc_error_text(t.ctx));
        for (int64_t i = 0; i < zc_size(out); i++)
            cr_assert_eq(((const int64_t *)zc_data(out))[i], taken_at(i, count), "%d axes, element %ld", count,
                         (long)i);
    }
    end(&t);
}

/* One index table serves two axes: its positions are checked once for each extent. */
Test(plan_rearranged, positions_that_are_equal_are_checked_once)
{
    table t = begin();
    zc_tensor *x = data(&t, ZC_SHAPE(5)), *p = zc_from_data(t.ctx, ZC_INT64, ZC_SHAPE(3), picked[0], sizeof picked[0]);
    zc_tensor *sum = zc_add(zc_take(x, p, 0), zc_take(zc_negative(zc_flip(x, ZC_ALL_AXES)), p, 0));
    const zc_stage *stage = plan(&t, sum, 1);
    cr_assert_eq(count_values(stage, ZC_VALUE_CHECK), 1);
    cr_assert_eq(count_values(stage, ZC_VALUE_PICK), 2);
    zc_plan_free(&t.plan);
    cr_assert_eq(element(sum, 1), 2 * 37 % 101 - 2 * 37 % 101);
    cr_assert_eq(element(sum, 2), 37 - 3 * 37 % 101);
    end(&t);
}
