/*
 * Lazy is never worse than eager: random programs of up to sixty heavily shared steps, taken by the library as one
 * graph and, step by step, as an eager runtime would take them: each step computed at once, in the order of recording,
 * only those that the result needs, its operands given back after their last use.
 *
 * Of both, the work is counted alike: for every element of a stage's domain the costs of its operations, a load each
 * and a store. The eager side is measured by the context's own count of bytes, and knows nothing of plans.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "materialize/plan/plan.h"
#include "runtime/ops/ops.h"
#include "tests/materialize/plan_of.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { PROGRAMS = 150, MOST_DRAWS = 60, MOST_PROGRAM_STEPS = 5 * MOST_DRAWS, MOST_OPERANDS = 3 };

/* One function of the library each; some are views, which take no memory on either side. */
typedef enum step_kind {
    ADD,
    SUBTRACT,
    DIVIDE,
    MAXIMUM,
    LESS,
    WHERE,
    HALF,
    PLUS_ONE,
    SINE,
    EXPONENTIAL,
    NEGATIVE,
    ABSOLUTE,
    MEAN,
    LARGEST,
    RUNNING_SUM,
    ROLL,
    PAD,
    JOIN,
    ROWS,
    RESHAPE,
    FLIP,
    TRANSPOSE,
    COLUMNS,
    FIRST_ROWS,
    ROW
} step_kind;

typedef struct program_step {
    step_kind kind;
    int operands[MOST_OPERANDS]; /* items, or -1; item 0 is the input, item 1 the positions of rows */
    int64_t by;
    bool is_needed;
    int last_use;
} program_step;

typedef struct program {
    int64_t rows, columns;
    int count;
    program_step steps[MOST_PROGRAM_STEPS + 2];
    int full[MOST_DRAWS + 1]; /* [full_count]: items of the shape (rows, columns) */
    int full_count;
} program;

static int add(program *p, step_kind kind, int a, int b, int64_t by)
{
    p->steps[p->count] = (program_step){.kind = kind, .operands = {a, b, -1}, .by = by};
    return p->count++;
}

/* Operands are mostly recent: deep graphs, and nodes that many others use. */
static int draw_operand(const program *p)
{
    int64_t back = zc_random_range(0, zc_random_bool() ? 2 : p->full_count - 1);
    return p->full[back < p->full_count ? p->full_count - 1 - back : 0];
}

static int add_decay(program *p, int a)
{
    return add(p, EXPONENTIAL, add(p, NEGATIVE, add(p, ABSOLUTE, a, -1, 0), -1, 0), -1, 0);
}

static int add_choice(program *p, int a, int b)
{
    int less = add(p, LESS, a, b, 0);
    int chosen = add(p, WHERE, less, b, 0);
    p->steps[chosen].operands[2] = a;
    return chosen;
}

static int add_neighbors(program *p, int a)
{
    int wide = add(p, PAD, a, -1, 0);
    int sum = add(p, ADD, add(p, COLUMNS, wide, -1, 0), add(p, COLUMNS, wide, -1, 1), 0);
    return add(p, ADD, sum, add(p, COLUMNS, wide, -1, 2), 0);
}

static int add_standard(program *p, int a, int64_t axis)
{
    int mean = add(p, MEAN, a, -1, axis);
    int scale = add(p, PLUS_ONE, add(p, ABSOLUTE, mean, -1, 0), -1, 0);
    return add(p, DIVIDE, add(p, SUBTRACT, a, mean, 0), scale, 0);
}

static int add_drawn(program *p)
{
    int a = draw_operand(p), b = draw_operand(p);
    int64_t by = zc_random_range(0, 1 << 20);
    switch (zc_random_range(0, 14)) {
    case 0:
        return add(p, ADD, a, b, 0);
    case 1:
        return add(p, HALF, a, -1, 0);
    case 2:
        return add(p, SINE, a, -1, 0);
    case 3:
        return add_decay(p, a);
    case 4:
        return add(p, FLIP, a, -1, by % 2);
    case 5:
        return add(p, ROLL, a, -1, by);
    case 6:
        return add(p, RESHAPE, add(p, TRANSPOSE, a, -1, 0), -1, 0);
    case 7:
        return add_standard(p, a, by % 2);
    case 8:
        return add(p, JOIN, add(p, FIRST_ROWS, a, -1, by % (p->rows + 1)), b, 0);
    case 9:
        return add(p, ROWS, a, 1, 0);
    case 10:
        return add(p, RUNNING_SUM, a, -1, by % 2);
    case 11:
        return add_choice(p, a, b);
    case 12:
        return add_neighbors(p, a);
    case 13:
        return add(p, ADD, add(p, ROW, a, -1, by % p->rows), b, 0);
    default:
        return add(p, MAXIMUM, add(p, LARGEST, a, -1, by % 2), b, 0);
    }
}

/* Which steps the last one needs, and when each is used last. */
static void find_needed(program *p)
{
    p->steps[p->count - 1].is_needed = true;
    for (int i = p->count - 1; i > 1; i--) {
        for (int o = 0; o < MOST_OPERANDS && p->steps[i].is_needed; o++) {
            int operand = p->steps[i].operands[o];
            if (operand < 0)
                continue;
            program_step *used = &p->steps[operand];
            used->is_needed = true;
            used->last_use = used->last_use > i ? used->last_use : i;
        }
    }
}

static program draw(void)
{
    bool is_large = zc_random_range(0, 9) == 0;
    program p = {.rows = zc_random_range(1, is_large ? 200 : 30),
                 .columns = zc_random_range(1, is_large ? 300 : 50),
                 .count = 2,
                 .full_count = 1};
    for (int64_t i = zc_random_range(1, MOST_DRAWS); i > 0; i--)
        p.full[p.full_count++] = add_drawn(&p);
    find_needed(&p);
    return p;
}

/* An exponential that is recorded twice, far apart: one for both would be alive while the middle takes the most. */
static program repeat_exponential(void)
{
    program p = {.rows = 30, .columns = 19, .count = 2};
    int first = add_decay(&p, 0);
    int sum = add_neighbors(&p, first), rolled = add(&p, ROLL, 0, -1, 271619);
    int chosen = add_choice(&p, add(&p, ROLL, sum, -1, 735522), rolled);
    int second = add_decay(&p, 0);
    (void)add_neighbors(&p, add(&p, MAXIMUM, add(&p, LARGEST, second, -1, 0), chosen, 0));
    find_needed(&p);
    return p;
}

static bool is_view(const program_step *s)
{
    return s->kind >= FLIP;
}

static zc_tensor *join(const program *p, zc_tensor *first, zc_tensor *b)
{
    const zc_tensor *both[] = {first, zc_slice(b, 0, zc_shape(first)[0], p->rows, 1)};
    return zc_concat(zc_context_of(b), 2, both, 0);
}

static zc_tensor *pad(zc_tensor *a)
{
    const int64_t one[] = {0, 1};
    return zc_pad(a, 2, one, one, ZC_PAD_CONSTANT, NULL);
}

static zc_tensor *take_binary_step(const program *p, const program_step *s, zc_tensor *const *operand)
{
    zc_tensor *a = operand[0], *b = operand[1];
    switch (s->kind) {
    case ADD:
        return zc_add(a, b);
    case SUBTRACT:
        return zc_subtract(a, b);
    case DIVIDE:
        return zc_divide(a, b);
    case MAXIMUM:
        return zc_maximum(a, b);
    case LESS:
        return zc_less(a, b);
    case WHERE:
        return zc_where(a, b, operand[2]);
    case JOIN:
        return join(p, a, b);
    default:
        return zc_take(a, b, 0);
    }
}

static zc_tensor *take_unary_step(const program *p, const program_step *s, zc_tensor *a)
{
    zc_context *ctx = zc_context_of(a);
    int axis = (int)(s->by % 2);
    switch (s->kind) {
    case HALF:
        return zc_multiply(a, zc_weak_float(ctx, 0.5));
    case PLUS_ONE:
        return zc_add(a, zc_weak_float(ctx, 1));
    case SINE:
        return zc_sin(a);
    case EXPONENTIAL:
        return zc_exp(a);
    case NEGATIVE:
        return zc_negative(a);
    case ABSOLUTE:
        return zc_abs(a);
    case MEAN:
        return zc_mean(a, ZC_AXES(axis), true);
    case LARGEST:
        return zc_max(a, ZC_AXES(axis), true);
    case RUNNING_SUM:
        return zc_cumulative_sum(a, axis, false);
    case ROLL:
        return zc_roll(a, 1, &s->by, &axis);
    case PAD:
        return pad(a);
    case RESHAPE:
        return zc_reshape(a, ZC_SHAPE(p->rows, p->columns));
    case FLIP:
        return zc_flip(a, ZC_AXES(axis));
    case TRANSPOSE:
        return zc_matrix_transpose(a);
    case COLUMNS:
        return zc_slice(a, 1, s->by, p->columns + s->by, 1);
    case FIRST_ROWS:
        return zc_slice(a, 0, 0, s->by, 1);
    default:
        return zc_index(a, 0, s->by);
    }
}

static zc_tensor *take_step(const program *p, const program_step *s, zc_tensor *const *items)
{
    zc_tensor *operand[MOST_OPERANDS] = {NULL};
    for (int o = 0; o < MOST_OPERANDS && s->operands[o] >= 0; o++)
        operand[o] = items[s->operands[o]];
    return operand[1] == NULL ? take_unary_step(p, s, operand[0]) : take_binary_step(p, s, operand);
}

/* The input and the positions of rows, in memory. */
static void make_inputs(const program *p, zc_context *ctx, zc_tensor **items)
{
    static double values[200 * 300];
    int64_t positions[200];
    for (int64_t i = 0; i < p->rows * p->columns; i++)
        values[i] = sin(1.7 * (double)i);
    for (int64_t i = 0; i < p->rows; i++)
        positions[i] = i * 7919 % p->rows;
    items[0] = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(p->rows, p->columns), values,
                            (size_t)(p->rows * p->columns) * sizeof *values);
    items[1] = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(p->rows), positions, (size_t)p->rows * sizeof *positions);
}

static zc_tensor *record(const program *p, zc_tensor **items)
{
    for (int i = 2; i < p->count; i++)
        items[i] = p->steps[i].is_needed ? take_step(p, &p->steps[i], items) : NULL;
    return items[p->count - 1];
}

/* ---- What a plan does ---- */

typedef struct effort {
    double work;
    int64_t peak_bytes;
    int stages;
} effort;

static void add_stage_work(const zc_stage *stage, effort *e)
{
    double each = 0, elements = (double)zc_stage_extent(stage, 0, stage->rank);
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        each += zc_value_reads(value) ? 1 : value->kind == ZC_VALUE_OP ? zc_op_describe((zc_op)value->op)->cost : 0;
    }
    e->work += elements * each + (double)zc_stage_extent(stage, 0, stage->kept);
    e->stages++;
}

static void add_effort(const zc_tensor *t, effort *e)
{
    zc_plan plan;
    zc_cost cost;
    cr_assert_eq(zc_plan_of(t, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    for (int32_t s = 0; s < plan.stage_count; s++)
        add_stage_work(&plan.stages[s], e);
    zc_plan_free(&plan);
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK);
    e->peak_bytes = cost.peak_bytes;
}

/* ---- The eager side ---- */

/* Takes a step at once. A result that is a view is a copy on both sides. */
static zc_tensor *take_eagerly(const program *p, int i, zc_context *ctx, zc_tensor *const *items, effort *e)
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = take_step(p, &p->steps[i], items), *out = t;
    if (!is_view(&p->steps[i]) || i == p->count - 1) {
        add_effort(t, e);
        cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    }
    (void)zc_keep(out);
    zc_scope_end(scope);
    return out;
}

static effort run_eagerly(const program *p, zc_context *ctx)
{
    effort e = {0};
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_PROGRAM_STEPS + 2] = {NULL};
    make_inputs(p, ctx, items);
    int64_t before = zc_memory_usage(ctx).held_bytes;
    zc_memory_reset_peak(ctx);
    for (int i = 2; i < p->count; i++) {
        if (!p->steps[i].is_needed)
            continue;
        items[i] = take_eagerly(p, i, ctx, items, &e);
        for (int k = 2; k <= i; k++) {
            if (items[k] != NULL && p->steps[k].last_use == i) {
                zc_release(items[k]);
                items[k] = NULL;
            }
        }
    }
    e.peak_bytes = zc_memory_usage(ctx).peak_bytes - before;
    zc_release(items[p->count - 1]);
    zc_scope_end(scope);
    return e;
}

/* ---- The law ---- */

static void expect_no_worse(const program *p, int number, zc_context *ctx)
{
    enum { STAGE_WORK = 4096 };
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_PROGRAM_STEPS + 2];
    make_inputs(p, ctx, items);
    effort lazy = {0};
    add_effort(record(p, items), &lazy);
    zc_scope_end(scope);
    effort eager = run_eagerly(p, ctx);
    cr_expect_leq(lazy.peak_bytes, eager.peak_bytes, "program %d: %" PRId64 " bytes, not %" PRId64, number,
                  lazy.peak_bytes, eager.peak_bytes);
    /* a step may be repeated where a stage of its own would take longer */
    cr_expect_leq(lazy.work, eager.work + (double)STAGE_WORK * p->count,
                  "program %d: work %g in %d stages, not %g in %d", number, lazy.work, lazy.stages, eager.work,
                  eager.stages);
}

Test(schedule, plans_do_no_more_work_and_take_no_more_memory_than_eager)
{
    zc_random_begin("schedule");
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    program repeated = repeat_exponential();
    expect_no_worse(&repeated, -1, ctx);
    for (int i = 0; i < PROGRAMS * zc_test_scale(); i++) {
        program p = draw();
        expect_no_worse(&p, i, ctx);
    }
    zc_context_free(ctx);
}

/* ---- The same bits ---- */

static void materialize_all_steps(const program *p, zc_tensor **items)
{
    for (int i = 2; i < p->count; i++) {
        zc_tensor *out;
        items[i] = p->steps[i].is_needed ? take_step(p, &p->steps[i], items) : NULL;
        cr_assert(items[i] == NULL || zc_materialize(items[i], &out) == ZC_OK);
    }
}

/* The result in a context of that limit, all at once or after every step. False: the limit does not suffice. */
static bool compute(const program *p, int64_t limit, bool stepwise, double *elements, int64_t *need_bytes)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .memory_limit = limit});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *items[MOST_PROGRAM_STEPS + 2], *out = NULL;
    zc_cost cost;
    make_inputs(p, ctx, items);
    *need_bytes = zc_memory_usage(ctx).held_bytes;
    if (stepwise)
        materialize_all_steps(p, items);
    zc_tensor *result = stepwise ? items[p->count - 1] : record(p, items);
    cr_assert_eq(zc_cost_of(result, &cost), ZC_OK);
    zc_status status = zc_materialize(result, &out);
    cr_assert(status == ZC_OK || (limit > 0 && status == ZC_ERROR_BUDGET), "%s", zc_error_text(ctx));
    if (status == ZC_OK)
        memcpy(elements, zc_data(out), (size_t)zc_size(out) * sizeof *elements);
    *need_bytes += cost.peak_bytes;
    zc_scope_end(scope);
    zc_context_free(ctx);
    return status == ZC_OK;
}

/* Whatever was computed before through the same handles, and under any limit that suffices: which is the one that the
 * plan without a limit needs, and any larger one than a limit that did. */
static void expect_same_bits(const program *p, int number)
{
    static double first[200 * 300], other[200 * 300];
    const size_t bytes = (size_t)(p->rows * p->columns) * sizeof *first;
    int64_t need_bytes, ignored;
    bool sufficed = false;
    (void)compute(p, 0, false, first, &need_bytes);
    (void)compute(p, 0, true, other, &ignored);
    cr_expect_eq(memcmp(first, other, bytes), 0, "program %d, step by step", number);
    for (int64_t limit = need_bytes % (int64_t)bytes + 2 * (int64_t)bytes; limit <= need_bytes;
         limit += (int64_t)bytes) {
        bool suffices = compute(p, limit, false, other, &ignored);
        cr_expect(suffices || !sufficed, "program %d: %" PRId64 " bytes are refused, fewer were not", number, limit);
        cr_expect(suffices || limit < need_bytes, "program %d needs more than was said", number);
        cr_expect(!suffices || memcmp(first, other, bytes) == 0, "program %d within %" PRId64 " bytes", number, limit);
        sufficed = suffices;
    }
}

Test(schedule, results_have_the_same_bits_however_they_are_planned)
{
    zc_random_begin("schedule/bits");
    for (int i = 0; i < PROGRAMS / 3 * zc_test_scale(); i++) {
        program p = draw();
        expect_same_bits(&p, i);
    }
}
