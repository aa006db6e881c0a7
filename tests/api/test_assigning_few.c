/*
 * zc_assign and zc_assign_keeping of a few elements, such as rows: programs that move and change rows at places by
 * strides and at listed ones, beside arrays of plain C, where rows that were read stay what they were; when that is
 * done at once; and gradients, beside those of the same programs that record each write.
 */
#include <math.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { MOST_ROWS = 9, MOST_COLUMNS = 6, HELD = 3, STEPS = 80 };

typedef struct row {
    zc_tensor *t; /* or NULL */
    int64_t value[MOST_COLUMNS];
} row;

typedef struct program {
    zc_context *ctx;
    zc_tensor *x, *ancestor; /* that x was made of at first, or NULL */
    int64_t rows, columns, value[MOST_ROWS][MOST_COLUMNS];
    row held[HELD];
    bool keeps; /* or records, and copies */
    int64_t at_once, gradients;
    double gradient[STEPS]; /* [gradients]: NAN where it is refused */
} program;

static int64_t draw_row(const program *p)
{
    return zc_random_range(0, p->rows - 1);
}

static void expect_row(const zc_tensor *t, int64_t count, const int64_t *value)
{
    int64_t found[MOST_ROWS * MOST_COLUMNS];
    const zc_tensor *real = zc_dtype_of(t) == ZC_COMPLEX64 ? zc_real(t) : t;
    cr_assert_eq(zc_materialize_into(zc_astype(real, ZC_INT64), found, sizeof found, NULL, 0), ZC_OK, "%s",
                 zc_error_text(zc_context_of(t)));
    for (int64_t i = 0; i < count; i++)
        cr_assert_eq(found[i], value[i], "element %lld: %lld, not %lld", (long long)i, (long long)found[i],
                     (long long)value[i]);
}

static void expect_all(const program *p)
{
    for (int64_t r = 0; r < p->rows; r++)
        expect_row(zc_index(p->x, 0, r), p->columns, p->value[r]);
}

static void put(program *p, const zc_tensor *places, const zc_tensor *values)
{
    zc_tensor *held[HELD];
    const zc_tensor *was = p->x;
    zc_status status;
    for (int k = 0; k < HELD; k++)
        held[k] = p->held[k].t;
    if (p->keeps)
        status = zc_assign_keeping(&p->x, places, values, HELD, held);
    else
        status = zc_assign(&p->x, places, values);
    for (int k = 0; k < HELD && p->keeps; k++)
        p->held[k].t = held[k];
    cr_assert_eq(status, ZC_OK, "%s", zc_error_text(p->ctx));
    p->at_once += p->x == was;
}

static void read_row(program *p, row *to, int64_t from)
{
    zc_release(to->t);
    to->t = zc_keep(zc_index(p->x, 0, from));
    for (int64_t c = 0; c < p->columns; c++)
        to->value[c] = p->value[from][c];
}

/* x[to] = what is held, which may have been read before, or is read now. */
static void put_held(program *p)
{
    row *from = &p->held[zc_random_range(0, HELD - 1)];
    const int64_t to = draw_row(p);
    if (from->t == NULL || zc_random_bool())
        read_row(p, from, draw_row(p));
    put(p, zc_index(zc_places(p->x), 0, to), from->t);
    for (int64_t c = 0; c < p->columns; c++)
        p->value[to][c] = from->value[c];
}

static zc_tensor *positions(const program *p, int64_t count, const int64_t *list)
{
    return zc_from_data(p->ctx, ZC_INT64, ZC_SHAPE(count), list, (size_t)count * sizeof *list);
}

/* x[list] = x[other list], or the smaller ones of these and the elements of a row. */
static void put_rows(program *p)
{
    const int64_t count = zc_random_range(1, p->rows), other = draw_row(p);
    const bool is_computed = zc_random_bool();
    int64_t to[MOST_ROWS], from[MOST_ROWS], counted[MOST_ROWS], was[MOST_ROWS][MOST_COLUMNS];
    for (int64_t i = 0; i < count; i++) {
        to[i] = draw_row(p);
        from[i] = draw_row(p);
        counted[i] = zc_random_bool() ? from[i] : from[i] - p->rows; /* from the end */
    }
    memcpy(was, p->value, sizeof was);
    const zc_tensor *values = zc_take(p->x, positions(p, count, counted), 0);
    if (is_computed)
        values = zc_minimum(values, zc_index(p->x, 0, other));
    put(p, zc_take(zc_places(p->x), positions(p, count, to), 0), values);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t c = 0; c < p->columns; c++) {
            const int64_t value = was[from[i]][c];
            p->value[to[i]][c] = is_computed && was[other][c] < value ? was[other][c] : value;
        }
    }
}

/* x[list, other list] = a number, or one for each. */
static void put_elements(program *p)
{
    const int64_t count = zc_random_range(1, MOST_COLUMNS);
    const bool is_one = zc_random_bool();
    int64_t at[2][MOST_COLUMNS], value[MOST_COLUMNS];
    for (int64_t i = 0; i < count; i++) {
        at[0][i] = draw_row(p);
        at[1][i] = zc_random_range(0, p->columns - 1);
        value[i] = zc_dtype_of(p->x) == ZC_BOOL || is_one ? 1 : zc_random_range(0, 99);
    }
    const zc_tensor *lists[] = {positions(p, count, at[0]), positions(p, count, at[1])};
    const zc_tensor *values = zc_astype(positions(p, count, value), zc_dtype_of(p->x));
    if (is_one)
        values = zc_weak_bool(p->ctx, true);
    put(p, zc_gather(zc_places(p->x), ZC_AXES(0, 1), lists), values);
    for (int64_t i = 0; i < count; i++)
        p->value[at[0][i]][at[1][i]] = value[i];
}

/* A derivative of sum(x^2) + sum(held[j]^2) by held[k], or by all that x was made of; NAN where it is refused. */
static void ask_for_gradient(program *p)
{
    const row *by = &p->held[zc_random_range(0, HELD - 1)], *other = &p->held[zc_random_range(0, HELD - 1)];
    const bool is_by_ancestor = zc_random_bool();
    if (by->t == NULL)
        return;
    const zc_tensor *y = zc_sum(zc_square(p->x), ZC_ALL_AXES, false);
    if (other->t != NULL)
        y = zc_add(y, zc_sum(zc_square(other->t), ZC_ALL_AXES, false));
    const zc_tensor *gradient = zc_grad(y, is_by_ancestor ? p->ancestor : by->t);
    double value = NAN;
    if (gradient != NULL)
        cr_assert_eq(zc_materialize_into(zc_sum(gradient, ZC_ALL_AXES, false), &value, sizeof value, NULL, 0), ZC_OK);
    zc_error_clear(p->ctx);
    p->gradient[p->gradients++] = value;
}

static void compute(program *p)
{
    zc_tensor *computed = NULL;
    cr_assert_eq(zc_materialize(p->x, &computed), ZC_OK);
    zc_release(p->x);
    p->x = zc_keep(computed);
}

static void step(program *p)
{
    zc_scope *scope = zc_scope_begin(p->ctx);
    row *one = &p->held[zc_random_range(0, HELD - 1)];
    switch (zc_random_range(0, 9)) {
    case 0:
        read_row(p, one, draw_row(p));
        break;
    case 1:
        zc_release(one->t);
        one->t = NULL;
        break;
    case 2:
        if (p->ancestor != NULL)
            ask_for_gradient(p);
        else
            compute(p);
        break;
    case 3:
    case 4:
    case 5:
        put_held(p);
        break;
    case 6:
        put_elements(p);
        break;
    default:
        put_rows(p);
    }
    if (one->t != NULL && p->ancestor == NULL)
        expect_row(one->t, p->columns, one->value);
    if (p->ancestor == NULL && zc_random_range(0, 3) == 0)
        expect_all(p);
    zc_scope_end(scope);
}

static program run_program(zc_dtype dtype, zc_options options, bool keeps, bool has_gradients)
{
    program p = {.ctx = zc_context_new(&options),
                 .rows = zc_random_range(2, MOST_ROWS),
                 .columns = zc_random_range(1, MOST_COLUMNS),
                 .keeps = keeps};
    int64_t numbers[MOST_ROWS * MOST_COLUMNS];
    for (int64_t i = 0; i < p.rows * p.columns; i++)
        numbers[i] = p.value[i / p.columns][i % p.columns] =
            dtype == ZC_BOOL ? zc_random_bool() : zc_random_range(0, 99);
    zc_scope *scope = zc_scope_begin(p.ctx);
    const zc_tensor *first =
        zc_astype(zc_reshape(positions(&p, p.rows * p.columns, numbers), 2, (int64_t[]){p.rows, p.columns}), dtype);
    if (has_gradients) {
        cr_assert_eq(zc_materialize(first, &p.ancestor), ZC_OK);
        first = zc_multiply(zc_keep(p.ancestor), zc_weak_float(p.ctx, 1));
    }
    cr_assert_eq(zc_materialize(first, &p.x), ZC_OK);
    (void)zc_keep(p.x);
    zc_scope_end(scope);
    for (int i = 0; i < STEPS; i++)
        step(&p);
    scope = zc_scope_begin(p.ctx);
    expect_all(&p);
    zc_scope_end(scope);
    for (int k = 0; k < HELD; k++)
        zc_release(p.held[k].t);
    zc_release(p.x);
    zc_release(p.ancestor);
    cr_expect_eq(zc_memory_usage(p.ctx).held_bytes, 0);
    cr_expect_eq(zc_memory_usage(p.ctx).nodes, 0);
    zc_context_free(p.ctx);
    return p;
}

Test(assigning_few, programs_have_the_elements_of_arrays)
{
    static const zc_dtype dtypes[] = {ZC_INT64, ZC_FLOAT64, ZC_BOOL, ZC_FLOAT16, ZC_UINT8};
    enum { DTYPES = sizeof dtypes / sizeof *dtypes };
    int64_t at_once[DTYPES] = {0};
    zc_random_begin("assigning_few");
    for (int i = 0; i < zc_test_count(25 * DTYPES); i++) {
        const zc_options options = {.threads = 1 + i % 2, .recompute = i % 11 == 10};
        at_once[i % DTYPES] += run_program(dtypes[i % DTYPES], options, i % 3 != 0, false).at_once;
    }
    for (int i = 0; i < DTYPES; i++)
        cr_expect_gt(at_once[i], 100 / zc_test_stride(), "dtype %d: %lld", (int)dtypes[i], (long long)at_once[i]);
}

/* A gradient is what it would be if each write were recorded on copies, or refused. */
Test(assigning_few, gradients_are_as_recorded_or_refused)
{
    zc_skip_of_one_thread();
    int64_t given = 0, refused = 0;
    zc_random_begin("assigning_few/gradients");
    for (int i = 0; i < zc_test_count(60); i++) {
        const zc_random_place place = zc_random_mark();
        const program without = run_program(ZC_FLOAT64, (zc_options){.threads = 1, .recompute = true}, false, true);
        zc_random_return(&place);
        const program with = run_program(ZC_FLOAT64, (zc_options){.threads = 1}, true, true);
        cr_assert_eq(with.gradients, without.gradients);
        for (int64_t g = 0; g < with.gradients; g++) {
            const bool is_refused = isnan(with.gradient[g]);
            cr_assert(is_refused || with.gradient[g] == without.gradient[g], "program %d, gradient %lld: %g, %g", i,
                      (long long)g, with.gradient[g], without.gradient[g]);
            given += !is_refused;
            refused += is_refused && !isnan(without.gradient[g]);
        }
    }
    cr_expect_gt(given, 20 / zc_test_stride());
    cr_expect_gt(refused, zc_test_stride() > 1 ? -1 : 5, "%lld given, %lld refused", (long long)given,
                 (long long)refused);
}

/* ---- By hand ---- */

static zc_tensor *list(bench b, int64_t count, const int64_t *numbers)
{
    return zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(count), numbers, (size_t)count * sizeof *numbers);
}

Test(assigning_few, of_equal_places_the_last_value_stays)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 100);
    const zc_tensor *places = zc_take(zc_places(x), list(b, 4, (int64_t[]){7, 9, 7, -1}), 0);
    const zc_tensor *values = list(b, 4, (int64_t[]){1, 2, 3, 4});
    cr_expect(writes_at_once(&x, places, values));
    cr_expect_eq(integer_at(x, 7), 3);
    cr_expect_eq(integer_at(x, 9), 2);
    cr_expect_eq(integer_at(x, 99), 4);
    zc_release(x);
    finish(b);
}

Test(assigning_few, positions_outside_are_refused_as_recorded_ones_are)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 100), *out = NULL;
    const zc_tensor *outside = list(b, 2, (int64_t[]){7, 100}), *inside = list(b, 2, (int64_t[]){7, 8});
    cr_expect(!writes_at_once(&x, zc_take(zc_places(x), outside, 0), zc_weak_int(b.ctx, 5)));
    cr_expect_eq(zc_materialize(x, &out), ZC_ERROR_INDEX);
    zc_error_clear(b.ctx);
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 100);
    cr_expect(!writes_at_once(&x, zc_take(zc_places(x), inside, 0), zc_take(x, outside, 0)));
    cr_expect_eq(zc_materialize(x, &out), ZC_ERROR_INDEX);
    zc_error_clear(b.ctx);
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 100);
    cr_expect(!writes_at_once(&x, list(b, 1, (int64_t[]){-1}), zc_weak_int(b.ctx, 5)), "no number of an element");
    zc_release(x);
    finish(b);
}

Test(assigning_few, more_than_few_or_what_needs_a_plan_is_recorded)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 10000), *y = numbers_in_memory(b, ZC_INT64, 10000);
    const zc_tensor *numbers = zc_iota(b.ctx, 10000), *halves = zc_floor_divide(numbers, zc_weak_int(b.ctx, 2));
    zc_tensor *few = NULL, *more = NULL;
    cr_assert_eq(zc_materialize(zc_slice(halves, 0, 0, 4097, 1), &more), ZC_OK);
    for (int64_t count = 511; count <= 4096; count += count < 513 ? 1 : 3583) {
        cr_assert_eq(zc_materialize(zc_slice(halves, 0, 0, count, 1), &few), ZC_OK);
        const zc_tensor *seen = zc_add(zc_take(y, few, 0), zc_weak_int(b.ctx, 5));
        const int64_t last = (count - 1) / 2;
        const int64_t wanted = ((const int64_t *)zc_data(y))[last] + 5;
        cr_expect(writes_at_once(&x, zc_take(zc_places(x), few, 0), seen), "%lld places", (long long)count);
        cr_expect_eq(((const int64_t *)zc_data(x))[last], wanted);
    }
    cr_expect(!writes_at_once(&x, zc_take(zc_places(x), more, 0), zc_take(y, more, 0)), "4,097 places");
    cr_assert_eq(zc_materialize(x, &more), ZC_OK);
    zc_release(x);
    x = zc_keep(more);
    cr_expect(!writes_at_once(&x, zc_take(zc_places(x), few, 0), zc_sum(y, ZC_ALL_AXES, false)), "a sum");
    zc_release(x);
    zc_release(y);
    finish(b);
}

/* The program's bools, which may have any byte, arrive as truths. */
Test(assigning_few, bools_are_none_or_one)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_BOOL, 100);
    const zc_tensor *lent = zc_from_data(b.ctx, ZC_UINT8, ZC_SHAPE(4), (unsigned char[]){2, 0, 255, 7}, 4);
    const zc_tensor *other = zc_bitcast(lent, ZC_BOOL), *at = list(b, 4, (int64_t[]){10, 20, 30, 40});
    cr_expect(writes_at_once(&x, zc_take(zc_places(x), at, 0), zc_take(other, list(b, 4, (int64_t[]){3, 2, 1, 0}), 0)));
    const unsigned char *bytes = zc_data(x);
    cr_expect(bytes[10] == 1 && bytes[20] == 1 && bytes[30] == 0 && bytes[40] == 1);
    cr_expect(writes_at_once(&x, zc_slice(zc_places(x), 0, 50, 54, 1), other));
    cr_expect(bytes[50] == 1 && bytes[51] == 0 && bytes[52] == 1 && bytes[53] == 1);
    zc_release(x);
    finish(b);
}

/* A computed tensor stands for its elements as soon as nothing needs its operands. */
Test(assigning_few, computed_tensors_are_written_where_no_gradient_passes)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 100), *out = NULL, *made = zc_keep(zc_add(x, zc_weak_int(b.ctx, 1)));
    cr_assert_eq(zc_materialize(made, &out), ZC_OK);
    zc_release(zc_keep(out));
    cr_expect(writes_at_once(&made, zc_index(zc_places(made), 0, 3), zc_weak_int(b.ctx, 7)));
    cr_expect_eq(integer_at(made, 3), 7);
    cr_expect_eq(integer_at(x, 3), 3);
    zc_release(made);
    zc_release(x);
    finish(b);
}

/* ---- Failures ---- */

/* Two rows change places while one allocation fails. Tells whether it was reached. */
static bool swap_rows(int64_t fail_at)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = NULL;
    const zc_tensor *numbers = zc_reshape(zc_iota(ctx, 40), 2, (int64_t[]){8, 5});
    cr_assert_eq(zc_materialize(zc_astype(numbers, ZC_FLOAT64), &x), ZC_OK);
    (void)zc_keep(x);
    zc_tensor *held[] = {zc_keep(zc_index(x, 0, 3)), zc_keep(zc_index(x, 0, 6))};
    const zc_tensor *third = zc_index(zc_places(x), 0, 3), *listed = list((bench){.ctx = ctx}, 1, (int64_t[]){6});
    const zc_tensor *sixth = zc_take(zc_places(x), listed, 0);
    cr_assert(third != NULL && sixth != NULL);
    state.fail_at = state.calls + fail_at;
    zc_status status = zc_assign_keeping(&x, third, held[1], 2, held);
    const bool is_first = status == ZC_OK;
    if (is_first)
        status = zc_assign_keeping(&x, sixth, held[0], 2, held);
    const bool is_reached = state.calls >= state.fail_at;
    state.fail_at = 0;
    cr_expect(status == ZC_OK || (is_reached && status == ZC_ERROR_MEMORY), "%lld: %d", (long long)fail_at, status);
    zc_error_clear(ctx);
    expect_row(held[0], 5, (int64_t[]){15, 16, 17, 18, 19});
    expect_row(held[1], 5, (int64_t[]){30, 31, 32, 33, 34});
    expect_row(zc_index(x, 0, 3), 5, is_first ? (int64_t[]){30, 31, 32, 33, 34} : (int64_t[]){15, 16, 17, 18, 19});
    expect_row(zc_index(x, 0, 6), 5,
               status == ZC_OK ? (int64_t[]){15, 16, 17, 18, 19} : (int64_t[]){30, 31, 32, 33, 34});
    zc_release(held[0]);
    zc_release(held[1]);
    zc_release(x);
    zc_scope_end(scope);
    zc_context_free(ctx);
    cr_expect(state.blocks == 0 && state.faults == 0, "%lld", (long long)fail_at);
    return is_reached;
}

/* The same of a row that takes room in the heap. */
static bool write_long_row(int64_t fail_at)
{
    enum { COLUMNS = 600 };
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = NULL;
    const zc_tensor *numbers = zc_reshape(zc_iota(ctx, 8 * COLUMNS), 2, (int64_t[]){8, COLUMNS});
    cr_assert_eq(zc_materialize(zc_astype(numbers, ZC_FLOAT64), &x), ZC_OK);
    (void)zc_keep(x);
    const zc_tensor *listed = list((bench){.ctx = ctx}, 1, (int64_t[]){6});
    const zc_tensor *sixth = zc_take(zc_places(x), listed, 0), *values = zc_negative(zc_slice(x, 0, 3, 4, 1));
    state.fail_at = state.calls + fail_at;
    const zc_status status = zc_assign(&x, sixth, values);
    const bool is_reached = state.calls >= state.fail_at;
    state.fail_at = 0;
    cr_expect(status == ZC_OK || (is_reached && status == ZC_ERROR_MEMORY), "%lld: %d", (long long)fail_at, status);
    zc_error_clear(ctx);
    cr_expect_eq(value_at(zc_index(x, 0, 6), 1), status == ZC_OK ? -3 * COLUMNS - 1 : 6 * COLUMNS + 1);
    zc_scope_end(scope);
    zc_release(x);
    zc_context_free(ctx);
    cr_expect(state.blocks == 0 && state.faults == 0, "%lld", (long long)fail_at);
    return is_reached;
}

Test(assigning_few, survives_failing_allocations)
{
    int64_t k = 1;
    while (swap_rows(k))
        k++;
    cr_expect_gt(k, 3);
    k = 1;
    while (write_long_row(k))
        k++;
    cr_expect_gt(k, 3);
}
