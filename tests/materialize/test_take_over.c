/*
 * Updates that take over the memory of an input: which ones do, and that verification refuses plans in which one could
 * fail, or in which its input is read afterwards.
 */
#include <string.h>

#include "materialize/plan/memory.h"
#include "materialize/plan/verify.h"
#include "materialize/planner/planner.h"
#include "materialize/stages/map.h"
#include "materialize/stages/scan.h"
#include "runtime/graph/keep.h"
#include "tests/support/zc_test.h"

enum { SIZE = 4096, LARGE = 3 << 20 };

/* A tensor in memory, and an update of it of which nothing else is left. */
typedef struct table {
    zc_context *ctx;
    zc_scope *scope;
    zc_tensor *updated;
} table;

static zc_tensor *in_memory(zc_context *ctx, int64_t size)
{
    zc_tensor *out = NULL;
    zc_scope *scope = zc_scope_begin(ctx);
    cr_assert_eq(zc_materialize(zc_astype(zc_iota(ctx, size), ZC_FLOAT64), &out), ZC_OK, "%s", zc_error_text(ctx));
    (void)zc_keep(out);
    zc_scope_end(scope);
    return out;
}

static zc_tensor *part(const zc_tensor *t, int64_t first, int64_t count)
{
    return zc_slice(t, 0, first, first + count, 1);
}

static zc_tensor *set_part(const zc_tensor *t, int64_t first, int64_t count, const zc_tensor *values)
{
    return zc_update(t, part(zc_places(t), first, count), values, ZC_UPDATE_SET);
}

static zc_tensor *halved(const zc_tensor *t, int64_t first, int64_t count)
{
    return zc_multiply(part(t, first, count), zc_weak_float(zc_context_of(t), 0.5));
}

/* ---- Updates ---- */

typedef zc_tensor *change(const zc_tensor *x);

static zc_tensor *one_element(const zc_tensor *x)
{
    return set_part(x, 3, 1, zc_weak_float(zc_context_of(x), 7));
}
static zc_tensor *elements_beside(const zc_tensor *x)
{
    return set_part(x, 4, 10, halved(x, 3, 10));
}
static zc_tensor *copied(const zc_tensor *x)
{
    return set_part(x, 4, 10, part(x, 20, 10));
}
static zc_tensor *of_the_whole(const zc_tensor *x)
{
    return set_part(x, 0, 1, zc_sum(x, ZC_AXES(0), true));
}
static zc_tensor *every_other(const zc_tensor *x)
{
    return zc_update(x, zc_slice(zc_places(x), 0, 0, ZC_NONE, 2), part(x, 0, zc_size(x) / 2), ZC_UPDATE_SET);
}
static zc_tensor *two_in_turn(const zc_tensor *x)
{
    const zc_tensor *first = elements_beside(x);
    return set_part(first, 20, 5, halved(first, 10, 5));
}
static zc_tensor *most(const zc_tensor *x)
{
    return set_part(x, 1, zc_size(x) / 2 + 1, halved(x, 0, zc_size(x) / 2 + 1));
}
static zc_tensor *added(const zc_tensor *x)
{
    return zc_update(x, part(zc_places(x), 3, 2), halved(x, 0, 2), ZC_UPDATE_ADD);
}
static zc_tensor *by_numbers(const zc_tensor *x)
{
    const int64_t places[2] = {5, 9};
    zc_tensor *list = zc_from_data(zc_context_of(x), ZC_INT64, ZC_SHAPE(2), places, sizeof places);
    return zc_update(x, zc_take(zc_places(x), list, 0), halved(x, 0, 2), ZC_UPDATE_SET);
}
/* Adds more values to one than stages have whose positions can be checked before. */
static zc_tensor *long_by_numbers(const zc_tensor *x)
{
    const int64_t places[2] = {5, 9};
    zc_tensor *list = zc_from_data(zc_context_of(x), ZC_INT64, ZC_SHAPE(2), places, sizeof places),
              *made = halved(x, 0, 2);
    for (int i = 0; i < 70; i++)
        made = zc_add(zc_sin(made), zc_weak_float(zc_context_of(x), i));
    return zc_update(x, zc_take(zc_places(x), list, 0), made, ZC_UPDATE_SET);
}
static zc_tensor *exchanged(const zc_tensor *x)
{
    return set_part(set_part(x, 0, 1, part(x, 1, 1)), 1, 1, part(x, 0, 1));
}
static zc_tensor *reversed(const zc_tensor *x)
{
    return set_part(zc_flip(x, ZC_AXES(0)), 3, 1, part(x, 0, 1));
}
static zc_tensor *nothing(const zc_tensor *x)
{
    return zc_update(x, part(zc_places(x), 3, 0), part(x, 3, 0), ZC_UPDATE_SET);
}
static zc_tensor *running_sum(const zc_tensor *x)
{
    return set_part(x, 7, 40, zc_cumulative_sum(part(x, 0, 40), 0, false));
}
static zc_tensor *many(const zc_tensor *x)
{
    zc_tensor *t = one_element(x);
    for (int i = 0; i < 20; i++)
        t = set_part(t, 3, 1, halved(t, i, 1));
    return t;
}

static table begin_with(zc_options options, change *update, int64_t size)
{
    table t = {.ctx = zc_context_new(&options)};
    t.scope = zc_scope_begin(t.ctx);
    zc_tensor *x = in_memory(t.ctx, size);
    zc_scope *scope = zc_scope_begin(t.ctx);
    t.updated = zc_keep(update(x));
    cr_assert_not_null(t.updated, "%s", zc_error_text(t.ctx));
    zc_scope_end(scope);
    zc_release(x);
    return t;
}

static table begin(change *update, int64_t size)
{
    return begin_with((zc_options){.threads = 1}, update, size);
}

static void end(table *t)
{
    zc_release(t->updated);
    zc_scope_end(t->scope);
    cr_assert_eq(zc_memory_usage(t->ctx).held_bytes, 0);
    zc_context_free(t->ctx);
}

static zc_status plan_of(const zc_tensor *t, zc_layout layout, zc_plan *plan)
{
    zc_graph_follow_begin();
    const zc_status status = zc_plan_make(
        &(zc_plan_request){.count = 1, .tensors = &t, .layout = layout, .function = "test", .buys = true}, plan);
    zc_graph_follow_end();
    return status;
}

static int count_takeovers(const zc_tensor *t, zc_layout layout)
{
    zc_plan plan;
    int count = 0;
    cr_assert_eq(plan_of(t, layout, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (int32_t s = 0; s < plan.stage_count; s++)
        count += zc_stage_takes_over(&plan, plan.stages[s]);
    zc_plan_free(&plan);
    return count;
}

Test(take_over, is_for_updates_of_few_elements_of_what_nobody_else_has)
{
    static const struct {
        change *update;
        int64_t size;
        int wanted;
    } cases[] = {
        {one_element, SIZE, 1}, {elements_beside, SIZE, 1}, {of_the_whole, SIZE, 1}, {every_other, SIZE, 1},
        {two_in_turn, SIZE, 2}, {one_element, 255, 0},      {many, SIZE, 0},         {many, 8 * SIZE, 21},
        {most, SIZE, 0},        {every_other, LARGE, 0},    {added, SIZE, 1},        {by_numbers, SIZE, 1},
        {exchanged, SIZE, 0},   {reversed, SIZE, 0},        {nothing, SIZE, 0},      {running_sum, SIZE, 1},
        {copied, SIZE, 1},      {long_by_numbers, SIZE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = begin(cases[i].update, cases[i].size);
        const zc_tensor *read = part(t.updated, 1, 1);
        cr_expect_eq(count_takeovers(read, ZC_LAYOUT_DENSE), cases[i].wanted, "case %zu", i);
        cr_expect_eq(count_takeovers(read, ZC_LAYOUT_COMPACT), 0, "case %zu", i);
        end(&t);
    }
}

Test(take_over, is_not_for_what_is_asked_for_or_others_may_have)
{
    table t = begin(one_element, SIZE);
    zc_context *other = zc_context_new(NULL);
    cr_expect_eq(count_takeovers(t.updated, ZC_LAYOUT_DENSE), 0, "all of it is asked for");
    zc_graph_follow_begin();
    cr_expect_eq(count_takeovers(part(t.updated, 1, 1), ZC_LAYOUT_DENSE), 0, "somebody follows edges");
    zc_graph_follow_end();
    cr_expect_eq(count_takeovers(part(t.updated, 1, 1), ZC_LAYOUT_DENSE), 1);
    zc_release(zc_adopt(other, t.updated));
    cr_expect_eq(count_takeovers(part(t.updated, 1, 1), ZC_LAYOUT_DENSE), 0, "another context had it");
    zc_context_free(other);
    end(&t);
    t = begin_with((zc_options){.threads = 1, .recompute = true}, one_element, SIZE);
    cr_expect_eq(count_takeovers(part(t.updated, 1, 1), ZC_LAYOUT_DENSE), 0);
    end(&t);
}

/* ---- Verification ---- */

static zc_stage *find_takeover(const zc_plan *plan)
{
    int32_t s = 0;
    while (!zc_stage_takes_over(plan, plan->stages[s]))
        s++;
    return plan->stages[s];
}

static void break_taken(zc_plan *plan)
{
    plan->slots[find_takeover(plan)->store.base].is_taken = false;
}

static void break_takes(zc_plan *plan)
{
    plan->slots[find_takeover(plan)->store.slot].takes_over = false;
}

static void break_node(zc_plan *plan)
{
    plan->slots[find_takeover(plan)->store.slot].node = NULL;
}

static void break_kind(zc_plan *plan)
{
    find_takeover(plan)->kind = &zc_stage_kind_scan;
    find_takeover(plan)->scan = (zc_scan_part){0};
}

static void break_value(zc_plan *plan)
{
    zc_value *value = &find_takeover(plan)->values[0];
    value->kind = ZC_VALUE_OP;
    value->op = ZC_OP_NEGATIVE;
    value->arity = 0;
}

/* The stage that makes what is asked for reads the input in place of what it has become. */
static void break_read(zc_plan *plan)
{
    const zc_stage *update = find_takeover(plan);
    zc_stage *last = plan->stages[plan->stage_count - 1];
    for (int32_t v = 0; v < last->value_count; v++)
        last->values[v].slot = last->values[v].slot == update->store.slot ? update->store.base : last->values[v].slot;
}

Test(take_over, verification_refuses_what_could_fail_or_is_read_too_late)
{
    static const struct {
        void (*apply)(zc_plan *plan);
        const char *rule;
    } cases[] = {
        {break_taken, "what is updated was written"},   {break_takes, "what is updated was written"},
        {break_node, "what is updated was written"},    {break_kind, "what is updated was written"},
        {break_value, "an operation has its operands"}, {break_read, "was not written over"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = begin(elements_beside, SIZE);
        zc_plan plan;
        zc_reason why;
        cr_assert_eq(plan_of(part(t.updated, 1, 1), ZC_LAYOUT_DENSE, &plan), ZC_OK, "%s", zc_error_text(t.ctx));
        cr_assert_eq(zc_plan_verify(&plan, &why), ZC_OK, "%s", why.text);
        cases[i].apply(&plan);
        cr_expect_eq(zc_plan_verify(&plan, &why), ZC_ERROR_INTERNAL, "case %zu is accepted", i);
        cr_expect_not_null(strstr(why.text, cases[i].rule), "case %zu: %s", i, why.text);
        zc_plan_free(&plan);
        end(&t);
    }
}

/* Positions are checked by a stage before, of the same axis. */
Test(take_over, verification_refuses_positions_that_nothing_checked)
{
    for (int how = 0; how < 4; how++) {
        table t = begin(by_numbers, SIZE);
        zc_plan plan;
        zc_reason why;
        int32_t s = 0;
        cr_assert_eq(plan_of(part(t.updated, 1, 1), ZC_LAYOUT_DENSE, &plan), ZC_OK, "%s", zc_error_text(t.ctx));
        cr_assert_eq(zc_plan_verify(&plan, &why), ZC_OK, "%s", why.text);
        while (zc_stage_result(plan.stages[s])->kind != ZC_VALUE_CHECK)
            s++;
        zc_stage *checker = plan.stages[s], *update = find_takeover(&plan);
        if (how == 0)
            checker->values[checker->value_count - 1].extent++;
        else if (how == 1)
            checker->value_count--; /* it stores the positions as they are */
        else if (how == 2)
            update->values[update->scatter.check[0]].arg[0] = update->scatter.check[0];
        else
            update->values[update->values[update->scatter.check[0]].arg[0]].slot = checker->values[0].slot;
        cr_expect_eq(zc_plan_verify(&plan, &why), ZC_ERROR_INTERNAL, "%d", how);
        if (how != 2) /* which breaks a rule of values, too */
            cr_expect_not_null(strstr(why.text, "what is updated was written"), "%d: %s", how, why.text);
        else
            cr_expect_not(zc_stage_may_continue(&plan, update, update->store.base));
        zc_plan_free(&plan);
        end(&t);
    }
}

/* Elements that are there, into memory of a node that is the update of what ends. */
Test(take_over, puts_nothing_but_what_is_there)
{
    table t = begin(elements_beside, SIZE);
    zc_plan plan;
    cr_assert_eq(plan_of(part(t.updated, 1, 1), ZC_LAYOUT_DENSE, &plan), ZC_OK, "%s", zc_error_text(t.ctx));
    zc_stage *stage = find_takeover(&plan);
    const zc_stage own = *stage;
    zc_value *value = &stage->values[0];
    cr_expect(zc_stage_may_continue(&plan, stage, stage->store.base));
    for (int i = 0; i < 3; i++) {
        value->kind = i == 0 ? ZC_VALUE_PICK : i == 1 ? ZC_VALUE_CHECK : ZC_VALUE_LOAD;
        stage->kind = i == 2 ? &zc_stage_kind_scan : &zc_stage_kind_map;
        cr_expect_not(zc_stage_may_continue(&plan, stage, stage->store.base), "%d", i);
        *stage = own;
    }
    value->kind = ZC_VALUE_CONSTANT;
    cr_expect(zc_stage_may_continue(&plan, stage, stage->store.base));
    value->kind = ZC_VALUE_LOAD;
    zc_plan_free(&plan);
    end(&t);
}

Test(take_over, explain_names_it)
{
    static const char *const told[] = {"in place of input 1", "\"reason\": \"put\"", "label=\"in place\""};
    table t = begin(elements_beside, SIZE);
    for (int format = 0; format < 3; format++) {
        char *text = NULL;
        cr_assert_eq(zc_explain(part(t.updated, 1, 1), (zc_format)format, &text), ZC_OK);
        cr_expect_not_null(strstr(text, told[format]), "%s", text);
        zc_text_free(t.ctx, text);
    }
    end(&t);
}
