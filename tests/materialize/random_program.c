#include "tests/materialize/random_program.h"

#include <math.h>

#include "materialize/planner/planner.h"
#include "runtime/ops/ops.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

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

program draw_program(void)
{
    bool is_large = zc_random_range(0, 9) == 0;
    program p = {.rows = zc_random_range(1, is_large ? MOST_ROWS : 30),
                 .columns = zc_random_range(1, is_large ? MOST_COLUMNS : 50),
                 .count = 2,
                 .full_count = 1};
    for (int64_t i = zc_random_range(1, MOST_DRAWS); i > 0; i--)
        p.full[p.full_count++] = add_drawn(&p);
    return p;
}

program repeat_exponential(void)
{
    program p = {.rows = 30, .columns = 19, .count = 2};
    int first = add_decay(&p, 0);
    int sum = add_neighbors(&p, first), rolled = add(&p, ROLL, 0, -1, 271619);
    int chosen = add_choice(&p, add(&p, ROLL, sum, -1, 735522), rolled);
    int second = add_decay(&p, 0);
    (void)add_neighbors(&p, add(&p, MAXIMUM, add(&p, LARGEST, second, -1, 0), chosen, 0));
    return p;
}

void need_item(program *p, int item)
{
    p->steps[item].is_needed = true;
    for (int i = item; i > 1; i--) {
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

bool is_view_step(const program_step *s)
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

zc_tensor *take_step(const program *p, const program_step *s, zc_tensor *const *items)
{
    zc_tensor *operand[MOST_OPERANDS] = {NULL};
    for (int o = 0; o < MOST_OPERANDS && s->operands[o] >= 0; o++)
        operand[o] = items[s->operands[o]];
    return operand[1] == NULL ? take_unary_step(p, s, operand[0]) : take_binary_step(p, s, operand);
}

/* The input and the positions of rows, in memory. */
void make_inputs(const program *p, zc_context *ctx, zc_tensor **items)
{
    static double values[MOST_ROWS * MOST_COLUMNS];
    int64_t positions[MOST_ROWS];
    for (int64_t i = 0; i < p->rows * p->columns; i++)
        values[i] = sin(1.7 * (double)i);
    for (int64_t i = 0; i < p->rows; i++)
        positions[i] = i * 7919 % p->rows;
    items[0] = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(p->rows, p->columns), values,
                            (size_t)(p->rows * p->columns) * sizeof *values);
    items[1] = zc_from_data(ctx, ZC_INT64, ZC_SHAPE(p->rows), positions, (size_t)p->rows * sizeof *positions);
}

void record_program(const program *p, zc_tensor **items)
{
    for (int i = 2; i < p->count; i++)
        items[i] = p->steps[i].is_needed ? take_step(p, &p->steps[i], items) : NULL;
}

/* ---- What a plan does ---- */

/* A digit of a computed position counts as one, like the load that it is for. */
static int cost_of(const zc_value *value)
{
    bool is_digit = value->op == ZC_OP_FLOOR_DIVIDE || value->op == ZC_OP_REMAINDER;
    return is_digit ? 1 : zc_op_describe((zc_op)value->op)->cost;
}

static void add_stage_work(const zc_stage *stage, effort *e)
{
    double each = 0, elements = (double)zc_stage_extent(stage, 0, stage->rank);
    for (int32_t v = 0; v < stage->value_count; v++) {
        const zc_value *value = &stage->values[v];
        each += zc_value_reads(value) ? 1 : value->kind == ZC_VALUE_OP ? cost_of(value) : 0;
    }
    e->work += elements * each + (double)zc_stage_extent(stage, 0, stage->kept);
    e->stages++;
}

void add_effort(int count, const zc_tensor *const *tensors, effort *e)
{
    zc_plan plan;
    zc_cost cost;
    const zc_plan_request request = {.count = count, .tensors = tensors, .function = "test"};
    cr_assert_eq(zc_plan_make(&request, &plan), ZC_OK, "%s", zc_error_text(zc_context_of(tensors[0])));
    for (int32_t s = 0; s < plan.stage_count; s++)
        add_stage_work(plan.stages[s], e);
    zc_plan_free(&plan);
    cr_assert_eq(zc_cost_of_all(count, tensors, &cost), ZC_OK);
    e->peak_bytes = cost.peak_bytes;
}
