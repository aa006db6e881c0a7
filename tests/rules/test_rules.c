/*
 * The rules that decide what becomes of a node, each left out: without a choice another rule decides, which explain
 * tells, and the bits are the same; without a forced one there is no plan. And what lowering by one policy tells of the
 * others, so that their plans need not be made.
 */
#include <stdlib.h>
#include <string.h>

#include "materialize/lower/rules.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

/* The rule that is left out, and the policy that is taken instead of the planner's; or -1. */
static int left_out = -1, policy_instead = -1;

bool __real_zc_rule_applies(const zc_rule *rule, zc_lowering *l, zc_needed *needed);
bool __wrap_zc_rule_applies(const zc_rule *rule, zc_lowering *l, zc_needed *needed);
bool __wrap_zc_rule_applies(const zc_rule *rule, zc_lowering *l, zc_needed *needed)
{
    return rule - zc_rules != left_out && __real_zc_rule_applies(rule, l, needed);
}

/* Plans that were lowered, and what the first and the last of them tell. */
typedef struct lowered {
    bool may_be_apart, is_bound;
    int32_t stages, slots;
    int64_t certain_bytes, eager_bytes;
} lowered;

static int plans;
static lowered first, last;

zc_status __real_zc_plan_lower(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function);
zc_status __wrap_zc_plan_lower(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function);
zc_status __wrap_zc_plan_lower(zc_plan *plan, zc_policy policy, zc_layout layout, const char *function)
{
    const zc_status status =
        __real_zc_plan_lower(plan, policy_instead >= 0 ? (zc_policy)policy_instead : policy, layout, function);
    last = (lowered){plan->may_be_apart, plan->is_bound,      plan->stage_count,
                     plan->slot_count,   plan->certain_bytes, plan->eager_bytes};
    first = plans++ == 0 ? last : first;
    return status;
}

/* ---- Expressions, each decided about by one rule ---- */

/* Elements in memory, which no rule decides about. */
static zc_tensor *draw(zc_context *ctx, int64_t rows, int64_t columns)
{
    const zc_tensor *number =
        zc_remainder(zc_multiply(zc_iota(ctx, rows * columns), zc_weak_int(ctx, 7919)), zc_weak_int(ctx, 251));
    const int rule = left_out, policy = policy_instead;
    zc_tensor *out = NULL;
    left_out = policy_instead = -1;
    cr_assert_eq(zc_materialize(zc_astype(zc_reshape(number, ZC_SHAPE(rows, columns)), ZC_FLOAT32), &out), ZC_OK);
    left_out = rule;
    policy_instead = policy;
    return out;
}

static zc_tensor *total(const zc_tensor *x)
{
    return zc_sum(x, ZC_ALL_AXES, false);
}

/* A product with the transposition: x is seen under two views. */
static zc_tensor *by_transposed(const zc_tensor *x)
{
    return zc_multiply(x, zc_matrix_transpose(x));
}

static const char *read_zeros(void *user, const int64_t *start, const int64_t *count, void *elements)
{
    (void)user;
    (void)start;
    memset(elements, 0, (size_t)(count[0] * count[1]) * sizeof(float));
    return NULL;
}

static zc_tensor *from_function(zc_context *ctx)
{
    const zc_source source = {.read = read_zeros};
    return zc_negative(zc_from_source(ctx, ZC_FLOAT32, ZC_SHAPE(5, 7), &source));
}

/* Some rows of all differences, summed. */
static zc_tensor *picked(zc_context *ctx)
{
    zc_tensor *x = draw(ctx, 200, 3), *apart = zc_subtract(zc_expand_dims(x, 1), zc_expand_dims(x, 0));
    static const int64_t list[] = {7, 0, -3};
    const zc_tensor *rows = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(3), list, sizeof list);
    return zc_take(zc_sum(zc_square(apart), ZC_AXES(2), false), rows, 0);
}

static zc_tensor *sum(zc_context *ctx)
{
    return zc_negative(total(draw(ctx, 5, 7)));
}

static zc_tensor *best(zc_context *ctx)
{
    zc_tensor *values, *indices;
    cr_assert_eq(zc_top_k(draw(ctx, 5, 7), 3, 0, true, &values, &indices), ZC_OK);
    return zc_negative(values);
}

static zc_tensor *best_with_places(zc_context *ctx)
{
    zc_tensor *values, *indices;
    cr_assert_eq(zc_top_k(draw(ctx, 5, 7), 3, 0, true, &values, &indices), ZC_OK);
    return zc_add(values, indices);
}

static zc_tensor *scan(zc_context *ctx)
{
    return zc_negative(zc_cumulative_sum(draw(ctx, 5, 7), 1, false));
}

static zc_tensor *scatter(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, 8, 8), *all = zc_reshape(zc_iota(ctx, 64), ZC_SHAPE(8, 8));
    const zc_tensor *places = zc_take(all, zc_iota(ctx, 3), 0);
    return zc_negative(zc_update(x, places, zc_slice(x, 0, 2, 5, 1), ZC_UPDATE_ADD));
}

static zc_tensor *joined(zc_context *ctx)
{
    const zc_tensor *const parts[] = {zc_exp(draw(ctx, 5, 7)), draw(ctx, 4, 7)};
    return zc_concat(ctx, 2, parts, 0);
}

static zc_tensor *part_of_joined(zc_context *ctx)
{
    return zc_negative(zc_slice(joined(ctx), 0, 1, 4, 1));
}

static zc_tensor *over_joined(zc_context *ctx)
{
    return zc_sqrt(joined(ctx));
}

static zc_tensor *shifted(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, 100, 100);
    return zc_add(zc_exp(x), zc_roll(x, 2, (const int64_t[]){1, -3}, (const int[]){0, 1}));
}

static zc_tensor *sum_of_shifted(zc_context *ctx)
{
    return total(zc_tanh(shifted(ctx)));
}

static zc_tensor *copied(zc_context *ctx)
{
    return total(zc_copy(zc_exp(draw(ctx, 30, 30))));
}

enum { READS = 1 };

/* Read before, and a handle stays. */
static zc_tensor *read_again(zc_context *ctx)
{
    zc_tensor *costly = zc_tanh(zc_exp(draw(ctx, 128, 128))), *out = NULL;
    for (int i = 0; i < READS; i++)
        cr_assert_eq(zc_materialize(total(zc_multiply(costly, zc_weak_float(ctx, i))), &out), ZC_OK);
    return total(zc_add(costly, zc_weak_float(ctx, 7)));
}

static zc_tensor *windows_by_matrix(zc_context *ctx)
{
    const zc_tensor *line = zc_reshape(draw(ctx, 1, 400), ZC_SHAPE(400));
    const zc_tensor *windows = zc_sliding_window_view(line, ZC_SHAPE(50), ZC_AXES(0));
    const zc_tensor *blocks = zc_reshape(zc_slice(windows, 0, 0, 350, 1), ZC_SHAPE(175, 100));
    return zc_matmul(blocks, draw(ctx, 100, 9));
}

static zc_tensor *scaled_by_few(zc_context *ctx)
{
    const zc_tensor *weights = zc_multiply(draw(ctx, 400, 500), draw(ctx, 400, 1));
    return zc_matmul(draw(ctx, 8, 500), zc_matrix_transpose(weights));
}

static zc_tensor *taken_by_matrix(zc_context *ctx)
{
    return zc_matmul(zc_take(draw(ctx, 8, 6), zc_iota(ctx, 5), 0), draw(ctx, 6, 3));
}

static zc_tensor *reshaped(zc_context *ctx)
{
    return zc_negative(
        zc_slice(zc_reshape(zc_matrix_transpose(zc_exp(draw(ctx, 6, 4))), ZC_SHAPE(3, 8)), 1, 7, -9, -3));
}

static zc_tensor *small_twice(zc_context *ctx)
{
    return by_transposed(zc_exp(draw(ctx, 9, 9)));
}

static zc_tensor *costly_twice(zc_context *ctx)
{
    return by_transposed(zc_tanh(zc_exp(draw(ctx, 90, 90))));
}

static zc_tensor *repeated(zc_context *ctx)
{
    const zc_tensor *column = zc_tanh(zc_exp(draw(ctx, 90, 1)));
    return zc_add(draw(ctx, 90, 400), column);
}

static zc_tensor *seen_often(zc_context *ctx)
{
    const zc_tensor *x = zc_negative(draw(ctx, 1, 200));
    zc_tensor *sum = NULL;
    for (int i = 0; i < 6; i++) {
        zc_tensor *window = zc_slice(x, 1, i, 20 + i, 1);
        sum = sum == NULL ? window : zc_add(sum, window);
    }
    return sum;
}

static zc_tensor *chain(zc_context *ctx)
{
    return zc_sqrt(zc_abs(draw(ctx, 30, 30)));
}

/* Two results, of which the second one uses the first one twice. */
static zc_tensor *results(zc_context *ctx)
{
    return zc_tanh(zc_exp(draw(ctx, 90, 90)));
}

/* ---- Running them ---- */

typedef struct outcome {
    zc_status status;
    char *told;
    char bytes[1 << 18];
    size_t used;
} outcome;

static void run(zc_tensor *(*make)(zc_context *), outcome *o)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *asked[2] = {make(ctx)};
    zc_tensor *out[2] = {NULL};
    const int count = make == results ? 2 : 1;
    char *text = NULL;
    asked[1] = count == 2 ? by_transposed(asked[0]) : NULL;
    o->used = 0;
    o->status = zc_explain_all(count, asked, ZC_TEXT, &text);
    o->told = text != NULL ? strdup(text) : NULL;
    zc_text_free(ctx, text);
    const zc_status status = zc_materialize_all(count, asked, out);
    cr_expect_eq(status, o->status, "%s", zc_error_text(ctx));
    for (int i = 0; i < count && status == ZC_OK; i++) {
        const size_t bytes = (size_t)zc_size(out[i]) * zc_dtype_bytes(zc_dtype_of(out[i]));
        cr_assert_leq(o->used + bytes, sizeof o->bytes);
        memcpy(o->bytes + o->used, zc_data(out[i]), bytes);
        o->used += bytes;
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}

typedef struct rule_case {
    int rule;
    zc_tensor *(*make)(zc_context *);
    int policy;       /* or -1 */
    const char *told; /* by explain where the rule decides; NULL: nothing, since it inlines or passes on */
} rule_case;

static const rule_case cases[] = {
    {ZC_RULE_SOURCE, from_function, -1, ", source: "},
    {ZC_RULE_PICKED, picked, -1, ", picked: "},
    {ZC_RULE_REDUCTION, sum, -1, ", reduction: "},
    {ZC_RULE_LOOKED_UP, best_with_places, -1, ", looked up: "},
    {ZC_RULE_SELECTION, best, -1, ", selection: "},
    {ZC_RULE_SCAN, scan, -1, ", scan: "},
    {ZC_RULE_SCATTER, scatter, -1, ", scatter: "},
    {ZC_RULE_PASSED_ON, part_of_joined, -1, NULL},
    {ZC_RULE_ASSEMBLED, joined, -1, ", assembled: "},
    {ZC_RULE_CUT, shifted, -1, ", cut: "},
    {ZC_RULE_PIECE, over_joined, -1, ", piece: "},
    {ZC_RULE_COPY, copied, -1, ", copy: "},
    {ZC_RULE_KEPT, read_again, -1, ", kept: "},
    {ZC_RULE_RESULT, results, -1, ", result: "},
    {ZC_RULE_PACKED_COPY, windows_by_matrix, -1, NULL},
    {ZC_RULE_PACKED, scaled_by_few, -1, NULL},
    {ZC_RULE_OPERAND, taken_by_matrix, -1, ", operand: "},
    {ZC_RULE_NOT_AFFINE, reshaped, -1, ", not affine: "},
    {ZC_RULE_LEAN, costly_twice, ZC_POLICY_LEAN, NULL},
    {ZC_RULE_EAGER, small_twice, ZC_POLICY_EAGER, ", eager: "},
    {ZC_RULE_MANY_VIEWS, seen_often, ZC_POLICY_FAST, ", many views: "},
    {ZC_RULE_CUT_BEFORE, sum_of_shifted, -1, ", cut: "},
    {ZC_RULE_SHARED, costly_twice, -1, ", shared: "},
    {ZC_RULE_HOISTED, repeated, -1, ", hoisted: "},
    {ZC_RULE_INLINED, chain, -1, NULL},
};

Test(rules, decide_and_others_do_without_them)
{
    static outcome with, without;
    cr_assert_eq(sizeof cases / sizeof *cases, ZC_RULES);
    for (int i = 0; i < ZC_RULES; i++) {
        const rule_case *c = &cases[i];
        cr_assert_eq(c->rule, i, "the cases stand in the order of the rules");
        policy_instead = c->policy;
        left_out = -1;
        run(c->make, &with);
        cr_assert_eq(with.status, ZC_OK, "rule %d", i);
        cr_expect(c->told == NULL || strstr(with.told, c->told) != NULL, "rule %d: no '%s' in %s", i, c->told,
                  with.told);
        left_out = i;
        run(c->make, &without);
        left_out = policy_instead = -1;
        if (zc_rules[i].is_forced) {
            cr_expect_eq(without.status, ZC_ERROR_INTERNAL, "rule %d is not missed: %s", i, without.told);
        } else {
            cr_expect_eq(without.status, ZC_OK, "rule %d", i);
            cr_expect(without.told == NULL || strcmp(with.told, without.told) != 0, "rule %d decides nothing: %s", i,
                      with.told);
            cr_expect_eq(with.used, without.used, "rule %d", i);
            cr_expect_eq(memcmp(with.bytes, without.bytes, with.used), 0, "rule %d: other bits", i);
        }
        free(with.told);
        free(without.told);
    }
}

/* ---- Plans that need not be made ---- */

/* Has equal nodes, which one policy keeps for each other and the next one does not. */
static zc_tensor *standardized(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, 40, 12);
    return zc_divide(zc_subtract(x, zc_mean(x, ZC_AXES(0), true)), zc_std(x, ZC_AXES(0), 0, true));
}

static zc_tensor *standardized_transposed(zc_context *ctx)
{
    return zc_matrix_transpose(standardized(ctx));
}

/* Large ones, under one view and under two. */
static zc_tensor *large(zc_context *ctx)
{
    const zc_tensor *x = draw(ctx, 1500, 1);
    return zc_exp(zc_subtract(x, zc_matrix_transpose(x)));
}

static zc_tensor *large_chain(zc_context *ctx)
{
    return zc_multiply(large(ctx), draw(ctx, 1500, 1));
}

static zc_tensor *large_twice(zc_context *ctx)
{
    const zc_tensor *rows = zc_slice(large(ctx), 0, 0, 100, 1);
    return zc_add(by_transposed(zc_tanh(large(ctx))), zc_sum(rows, ZC_AXES(0), true));
}

/* Plans what is recorded anew by a policy, or as the planner does: -1. */
static void plan_by(zc_tensor *(*make)(zc_context *), int policy)
{
    zc_cost cost;
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *asked = make(ctx);
    plans = 0;
    policy_instead = policy;
    cr_assert_eq(zc_cost_of(asked, &cost), ZC_OK, "%s", zc_error_text(ctx));
    policy_instead = -1;
    zc_scope_end(scope);
    zc_context_free(ctx);
}

Test(rules, fast_plans_tell_of_others)
{
    static zc_tensor *(*const more[])(zc_context *) = {standardized, standardized_transposed, large, large_chain,
                                                       large_twice};
    enum { MORE = sizeof more / sizeof *more };
    int certain = 0, apart = 0;
    for (int i = 0; i < ZC_RULES + MORE; i++) {
        zc_tensor *(*make)(zc_context *) = i < ZC_RULES ? cases[i].make : more[i - ZC_RULES];
        plan_by(make, ZC_POLICY_FAST);
        const lowered fast = first;
        plan_by(make, ZC_POLICY_WORK);
        cr_expect_leq(fast.certain_bytes, first.eager_bytes, "case %d", i);
        plan_by(make, ZC_POLICY_APART);
        cr_expect(fast.may_be_apart || (fast.stages == first.stages && fast.slots == first.slots), "case %d", i);
        certain += fast.certain_bytes > 0;
        apart += fast.may_be_apart;
    }
    cr_expect_geq(certain, 5);
    cr_expect_eq(apart, 1, "one of the large ones is seen under two views");
}

Test(rules, plans_are_made_where_they_may_be_taken)
{
    plan_by(standardized, -1);
    cr_expect_eq(plans, 1, "it is certain that the next policy needs more");
    cr_expect_gt(last.certain_bytes, last.eager_bytes);
    plan_by(standardized_transposed, -1);
    cr_expect_eq(plans, 2);
    cr_expect_eq(first.certain_bytes, 0);
    cr_expect(last.is_bound && last.stages == 0, "no more is made of the next plan than what it needs");
    plan_by(chain, -1);
    cr_expect_eq(plans, 1);
}
