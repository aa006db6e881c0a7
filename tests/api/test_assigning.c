/*
 * zc_assign: programs that write a few elements a step, beside arrays of plain C, where everything that is held keeps
 * its elements; when it is done at once; and gradients, which are kept or refused.
 *
 * Longer than 500 lines because random programs and each reason to record have their steps in common.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

/* ---- Random programs ---- */

enum { NAMES = 3, HELD = 3, MOST = 60 };

/* A tensor with the elements that it has. */
typedef struct known {
    zc_tensor *t;
    int64_t value[MOST];
} known;

typedef struct program {
    zc_context *ctx;
    zc_dtype dtype;
    int64_t n;
    known name[NAMES], held[HELD];
    int64_t at_once;
} program;

/* Some places of an axis. */
typedef struct run {
    int64_t first, count, step;
} run;

static run draw_run(int64_t n, int64_t count)
{
    run p = {.count = count};
    p.step = count > 1 && zc_random_range(0, 1) == 0 ? zc_random_range(1, (n - 1) / (count - 1)) : 1;
    p.first = zc_random_range(0, n - 1 - (count - 1) * p.step);
    return p;
}

static zc_tensor *see(const zc_tensor *t, run p, bool is_reversed)
{
    zc_tensor *seen = zc_slice(t, 0, p.first, p.first + (p.count - 1) * p.step + 1, p.step);
    return is_reversed ? zc_flip(seen, ZC_AXES(0)) : seen;
}

static int64_t most_of(zc_dtype dtype)
{
    return dtype == ZC_BOOL ? 1 : 100;
}

static void expect_all(const known *k, int64_t n)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_astype(k->t, ZC_INT64), &out), ZC_OK, "%s", zc_error_text(zc_context_of(k->t)));
    for (int64_t i = 0; i < n; i++)
        cr_assert_eq(((const int64_t *)zc_data(out))[i], k->value[i], "element %lld", (long long)i);
}

/* x[i] = f(y[j]), with y's element read, seen, or computed with; x may be y. Views are released before, as Python's. */
static zc_tensor *draw_element(program *p, const known *y, int64_t *value)
{
    const int64_t from = zc_random_range(0, p->n - 1), number = zc_random_range(0, most_of(p->dtype));
    zc_tensor *seen = zc_index(y->t, 0, from), *made = NULL;
    int64_t element[2];
    *value = y->value[from];
    switch (zc_random_range(0, 3)) {
    case 0:
        *value = number;
        made = p->dtype == ZC_BOOL ? zc_constant(p->ctx, ZC_BOOL, &(char){(char)number}) : zc_weak_int(p->ctx, number);
        break;
    case 1:
        cr_assert_eq(zc_materialize_into(seen, element, zc_dtype_bytes(p->dtype), NULL, 0), ZC_OK);
        made = zc_constant(p->ctx, p->dtype, element);
        break;
    case 2: {
        zc_tensor *constant = zc_weak_int(p->ctx, number), *other = zc_astype(constant, p->dtype);
        made = zc_minimum(seen, other);
        *value = *value < number ? *value : number;
        zc_release(other);
        zc_release(constant);
        break;
    }
    default:
        made = zc_retain(seen);
    }
    zc_release(seen);
    return made;
}

static void assign_element(program *p, known *x, const known *y)
{
    const int64_t to = zc_random_range(0, p->n - 1);
    int64_t value;
    zc_tensor *made = draw_element(p, y, &value), *all = zc_places(x->t), *place = zc_index(all, 0, to);
    const zc_tensor *was = x->t;
    cr_assert_not_null(made, "%s", zc_error_text(p->ctx));
    cr_assert_eq(zc_assign(&x->t, place, made), ZC_OK, "%s", zc_error_text(p->ctx));
    p->at_once += x->t == was;
    x->value[to] = value;
    zc_release(place);
    zc_release(all);
    zc_release(made);
}

/* x[a:b:c] = y[d:e:f], or a number. */
static void assign_run(program *p, known *x, const known *y)
{
    const int64_t count = zc_random_range(1, p->n), number = zc_random_range(0, most_of(p->dtype));
    const run to = draw_run(p->n, count), from = draw_run(p->n, count);
    const bool is_number = zc_random_range(0, 1) == 0, is_reversed = zc_random_range(0, 1) == 0;
    int64_t values[MOST];
    for (int64_t i = 0; i < count; i++)
        values[i] = is_number ? number : y->value[from.first + i * from.step];
    zc_scope *scope = zc_scope_begin(p->ctx);
    const zc_tensor *all = zc_places(x->t), *was = x->t;
    zc_tensor *made = is_number ? zc_astype(zc_weak_int(p->ctx, number), p->dtype) : see(y->t, from, false);
    cr_assert_eq(zc_assign(&x->t, see(all, to, is_reversed), made), ZC_OK, "%s", zc_error_text(p->ctx));
    p->at_once += x->t == was;
    for (int64_t i = 0; i < count; i++)
        x->value[to.first + (is_reversed ? count - 1 - i : i) * to.step] = values[i];
    zc_scope_end(scope);
}

static void step(program *p)
{
    known *x = &p->name[zc_random_range(0, NAMES - 1)], *y = &p->name[zc_random_range(0, NAMES - 1)],
          *held = &p->held[zc_random_range(0, HELD - 1)];
    zc_scope *scope = NULL;
    switch (zc_random_range(0, 9)) {
    case 0: /* another name of the same tensor, or a part of it */
        zc_release(held->t);
        *held = *x;
        held->t = zc_random_range(0, 1) == 0 ? zc_retain(x->t) : zc_slice(x->t, 0, 0, p->n, 1);
        break;
    case 1:
        zc_release(held->t);
        held->t = NULL;
        break;
    case 2:
        scope = zc_scope_begin(p->ctx);
        expect_all(x, p->n);
        break;
    case 3:
        scope = zc_scope_begin(p->ctx);
        if (held->t != NULL)
            expect_all(held, p->n);
        break;
    case 4:
        assign_run(p, x, y);
        break;
    default:
        assign_element(p, x, y);
    }
    zc_scope_end(scope);
}

static int64_t run_program(zc_dtype dtype, zc_options options)
{
    program p = {.ctx = zc_context_new(&options), .dtype = dtype, .n = zc_random_range(2, MOST)};
    zc_scope *scope = zc_scope_begin(p.ctx);
    for (int i = 0; i < NAMES; i++) {
        for (int64_t e = 0; e < p.n; e++)
            p.name[i].value[e] = zc_random_range(0, most_of(dtype));
        zc_tensor *numbers = zc_from_data(p.ctx, ZC_INT64, ZC_SHAPE(p.n), p.name[i].value, (size_t)p.n * 8),
                  *out = NULL;
        cr_assert_eq(zc_materialize(zc_astype(numbers, dtype), &out), ZC_OK);
        p.name[i].t = zc_keep(out);
    }
    zc_scope_end(scope);
    for (int i = 0; i < 150; i++)
        step(&p);
    scope = zc_scope_begin(p.ctx);
    for (int i = 0; i < NAMES + HELD; i++) {
        known *k = i < NAMES ? &p.name[i] : &p.held[i - NAMES];
        if (k->t != NULL)
            expect_all(k, p.n);
    }
    zc_scope_end(scope);
    for (int i = 0; i < NAMES + HELD; i++)
        zc_release(i < NAMES ? p.name[i].t : p.held[i - NAMES].t);
    cr_expect_eq(zc_memory_usage(p.ctx).held_bytes, 0);
    cr_expect_eq(zc_memory_usage(p.ctx).nodes, 0);
    zc_context_free(p.ctx);
    return p.at_once;
}

Test(assigning, programs_have_the_elements_of_arrays)
{
    static const zc_dtype dtypes[] = {ZC_INT64, ZC_FLOAT64, ZC_BOOL, ZC_FLOAT32, ZC_UINT8, ZC_FLOAT16};
    enum { DTYPES = sizeof dtypes / sizeof *dtypes };
    int64_t at_once[DTYPES] = {0};
    zc_random_begin("assigning");
    for (int i = 0; i < zc_test_count(40 * DTYPES); i++) {
        at_once[i % DTYPES] +=
            run_program(dtypes[i % DTYPES], (zc_options){.threads = 1 + i % 2, .recompute = i % 11 == 10});
    }
    for (int i = 0; i < DTYPES; i++)
        cr_expect_gt(at_once[i], (dtypes[i] == ZC_INT64 ? 50 : 5) / zc_test_stride(), "dtype %d: %lld", (int)dtypes[i],
                     (long long)at_once[i]);
}

/* ---- When it is done at once ---- */

static bool is_at_once(zc_tensor **x, const zc_tensor *places, const zc_tensor *values)
{
    const zc_tensor *was = *x;
    cr_assert_eq(zc_assign(x, places, values), ZC_OK, "%s", zc_error_text(zc_context_of(was)));
    return *x == was;
}

Test(assigning, is_done_at_once_where_nobody_sees_a_difference)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 100), *seven = zc_weak_int(b.ctx, 7);
    const zc_tensor *all = zc_places(x), *place = zc_index(all, 0, 3);
    const int64_t held = zc_memory_usage(b.ctx).held_bytes, nodes = zc_memory_usage(b.ctx).nodes;
    cr_expect(is_at_once(&x, place, seven));
    cr_expect(is_at_once(&x, place, zc_constant(b.ctx, ZC_INT64, &(int64_t){8})));
    cr_expect(is_at_once(&x, zc_slice(all, 0, ZC_NONE, ZC_NONE, 2), seven), "half of it");
    cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, held);
    cr_expect_eq(zc_memory_usage(b.ctx).nodes, nodes + 1, "the constant");
    cr_expect_not(is_at_once(&x, zc_slice(all, 0, 0, 51, 1), seven), "more than half of it");
    cr_expect_eq(integer_at(x, 3), 7);
    cr_expect_eq(integer_at(x, 97), 97);
    zc_release(x);
    finish(b);
}

Test(assigning, is_recorded_where_somebody_would_see_it)
{
    bench b = begin();
    zc_tensor *seven = zc_weak_int(b.ctx, 7);
    for (int who = 0; who < 5; who++) {
        zc_tensor *x = numbers_in_memory(b, ZC_INT64, 100), *other = NULL;
        zc_context *ctx = who == 4 ? zc_context_new(NULL) : NULL;
        const zc_tensor *place = zc_index(zc_places(x), 0, 3);
        if (who == 0)
            other = zc_retain(x);
        else if (who == 1)
            other = zc_keep(zc_index(x, 0, 3));
        else if (who == 2)
            other = zc_keep(zc_slice(zc_negative(x), 0, 3, 4, 1));
        else if (who == 3)
            place = zc_broadcast_to(place, ZC_SHAPE(2)); /* one element twice */
        else
            other = zc_adopt(ctx, x);
        cr_expect_not(is_at_once(&x, place, seven), "%d", who);
        cr_expect_eq(integer_at(x, 3), 7, "%d", who);
        if (other != NULL) {
            zc_scope *scope = zc_scope_begin(zc_context_of(other));
            const zc_tensor *seen = zc_size(other) == 1 ? other : zc_index(other, 0, 3);
            cr_expect_eq(integer_at(seen, 0), who == 2 ? -3 : 3, "%d", who);
            zc_scope_end(scope);
        }
        zc_release(other);
        zc_release(x);
        zc_context_free(ctx);
    }
    finish(b);
}

/* Elements that stand for more than a handle on memory of ours: x, and what else is held meanwhile. */
typedef zc_tensor *special(bench b, zc_tensor **other);

/* Element i of t, of which no handle is left. */
static double read(const zc_tensor *t, int64_t i)
{
    zc_scope *scope = zc_scope_begin(zc_context_of(t));
    const double value = value_at(t, i);
    zc_scope_end(scope);
    return value;
}

static zc_tensor *computed(zc_tensor *t)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return zc_keep(out);
}

/* The same, of which the expression is not left. */
static zc_tensor *computed_alone(zc_tensor *t)
{
    zc_tensor *out = computed(t);
    zc_release(t);
    return out;
}

static zc_tensor *variable(bench b, zc_tensor **other)
{
    *other = NULL;
    zc_tensor *numbers = numbers_in_memory(b, ZC_FLOAT64, 10), *x = zc_keep(zc_variable(numbers));
    zc_release(numbers);
    return x;
}

static zc_tensor *of_variable(bench b, zc_tensor **other)
{
    *other = variable(b, other);
    return computed_alone(zc_flip(zc_square(*other), ZC_AXES(0)));
}

static zc_tensor *stopped(bench b, zc_tensor **other)
{
    *other = numbers_in_memory(b, ZC_FLOAT64, 10);
    return computed_alone(zc_stop_gradient(zc_square(*other)));
}

static zc_tensor *lent(bench b, zc_tensor **other)
{
    static const double numbers[10];
    *other = NULL;
    return zc_keep(zc_import(b.ctx, ZC_FLOAT64, ZC_SHAPE(10), NULL, 0, numbers, sizeof numbers, NULL, NULL));
}

static zc_tensor *part(bench b, zc_tensor **other)
{
    *other = NULL;
    zc_tensor *numbers = numbers_in_memory(b, ZC_FLOAT64, 20), *x = zc_keep(zc_slice(numbers, 0, 0, 20, 2));
    zc_release(numbers);
    return x;
}

Test(assigning, is_recorded_of_what_is_more_than_memory)
{
    special *const all[] = {variable, of_variable, stopped, lent, part};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bench b = begin();
        zc_tensor *other, *x = all[i](b, &other);
        const double before = read(x, 4);
        cr_expect_not(is_at_once(&x, zc_index(zc_places(x), 0, 3), zc_weak_float(b.ctx, 7)), "%zu", i);
        cr_expect_eq(read(x, 3), 7, "%zu", i);
        cr_expect_eq(read(x, 4), before, "%zu", i);
        zc_release(other);
        zc_release(x);
        finish(b);
    }
}

/* Values that more is known of than their elements, or less. */
Test(assigning, is_recorded_by_values_that_are_read_elsewhere)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 10), *three = zc_weak_int(b.ctx, 3);
    const zc_tensor *all = zc_places(x), *place = zc_index(all, 0, 3);
    cr_expect_not(is_at_once(&x, zc_slice(all, 0, 0, 0, 1), three), "no place");
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 10);
    cr_expect_not(is_at_once(&x, place, zc_astype(three, ZC_INT32)), "another dtype");
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 10);
    cr_expect_eq(
        zc_assign(&x, zc_slice(all, 0, 0, 3, 1), zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(2), LENGTHS(1, 2), 16)),
        ZC_ERROR_SHAPE);
    zc_error_clear(b.ctx);
    zc_tensor *negative = zc_negative(zc_astype(three, ZC_INT64));
    zc_release(computed(negative));
    cr_expect(is_at_once(&x, place, negative), "it is in memory");
    zc_tensor *seen = zc_index(x, 0, 2), *inner = zc_multiply(seen, three), *value = zc_add(inner, three);
    cr_expect_not(is_at_once(&x, place, seen), "it is the tensor's own");
    zc_release(seen);
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 10);
    seen = zc_index(x, 0, 2);
    zc_tensor *product = zc_multiply(seen, three);
    zc_release(seen);
    cr_expect_not(is_at_once(&x, place, zc_add(product, three)), "the product reads it, too");
    cr_expect_eq(read(x, 3), 9);
    cr_expect_eq(read(product, 0), 6);
    cr_expect_eq(read(value, 0), 9);
    zc_release(x);
    finish(b);
}

/* Writes a value into x[3] at once, and expects that a gradient of x by it, or by what it is made of, is refused. */
static void expect_forgotten(bench b, zc_tensor *value, double wanted, const zc_tensor *by)
{
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 10);
    cr_expect(is_at_once(&x, zc_index(zc_places(x), 0, 3), value));
    cr_expect_eq(read(x, 3), wanted);
    const zc_tensor *y = zc_sum(x, ZC_ALL_AXES, false);
    cr_expect_null(zc_grad(y, value));
    cr_expect_null(zc_grad(y, by));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_ARGUMENT);
    cr_expect(strstr(zc_error_text(b.ctx), "variable()") != NULL, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    const zc_tensor *own = zc_grad(y, x);
    cr_assert_not_null(own, "%s", zc_error_text(b.ctx));
    cr_expect_eq(value_at(own, 3), 1);
    zc_release(x);
}

/* Floats that somebody has, computed or not, are no reason to record a write: gradients by them are refused. */
Test(assigning, is_done_by_floats_that_are_held)
{
    bench b = begin();
    zc_tensor *w = numbers_in_memory(b, ZC_FLOAT64, 10);
    zc_tensor *square = zc_square(zc_sum(w, ZC_ALL_AXES, false)), *third = zc_index(w, 0, 3);
    zc_release(computed(square));
    expect_forgotten(b, square, 45.0 * 45, w);
    expect_forgotten(b, third, 3, w);
    expect_forgotten(b, zc_multiply(third, zc_weak_float(b.ctx, 5)), 15, w);
    const zc_tensor *by = zc_grad(zc_square(third), w); /* what was not written to keeps it */
    cr_assert_not_null(by, "%s", zc_error_text(b.ctx));
    cr_expect_eq(value_at(by, 3), 6);
    zc_release(w);
    finish(b);
}

/* A tensor that was computed of one that somebody has is its own memory, once it is written to. */
Test(assigning, of_computed_floats_is_done_at_once)
{
    bench b = begin();
    zc_tensor *w = numbers_in_memory(b, ZC_FLOAT64, 10), *x = zc_keep(zc_square(w));
    cr_expect_eq(read(x, 4), 16);
    cr_expect(is_at_once(&x, zc_index(zc_places(x), 0, 3), zc_weak_float(b.ctx, 7)));
    cr_expect_eq(read(x, 3), 7);
    cr_expect_eq(read(x, 4), 16);
    cr_expect_null(zc_grad(zc_sum(x, ZC_ALL_AXES, false), w));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    zc_release(w);
    zc_release(x);
    finish(b);
}

/* Without memory for what the value keeps, the update is recorded; and of other contexts it is refused. */
Test(assigning, is_recorded_without_memory_for_the_value)
{
    bench b = begin_with((zc_options){.memory_limit = 40 * 8});
    zc_context *others = zc_context_new(NULL);
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 10), *rest = numbers_in_memory(b, ZC_INT64, 30);
    zc_tensor *three = zc_weak_int(b.ctx, 3), *seen = zc_index(x, 0, 2);
    const zc_tensor *place = zc_index(zc_places(x), 0, 3), *value = zc_multiply(seen, three);
    zc_release(seen);
    cr_expect_not(is_at_once(&x, place, value));
    zc_release(rest);
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 4);
    zc_scope *scope = zc_scope_begin(others);
    zc_tensor *all = zc_iota(others, 4);
    cr_expect_eq(zc_assign(&x, zc_index(all, 0, 3), three), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_assign(&x, zc_index(zc_places(x), 0, 3), zc_weak_int(others, 3)), ZC_ERROR_ARGUMENT);
    zc_error_clear(b.ctx);
    zc_scope_end(scope);
    zc_context_free(others);
    zc_release(x);
    finish(b);
}

/* An integer that is not the dtype's, a place outside, and nothing at all: the tensor stays. */
Test(assigning, refuses_as_updates_do_and_leaves_the_tensor)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_UINT8, 10), *none = NULL;
    const zc_tensor *was = x, *place = zc_index(zc_places(x), 0, 3), *one = zc_weak_int(b.ctx, 1);
    cr_expect_eq(zc_assign(&x, place, zc_weak_int(b.ctx, 300)), ZC_ERROR_OVERFLOW);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_assign(&x, place, zc_weak_float(b.ctx, 1.5)), ZC_ERROR_DTYPE);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_assign(&x, zc_index(zc_iota(b.ctx, 11), 0, 10), one), ZC_ERROR_INDEX);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_assign(&x, place, zc_broadcast_to(zc_astype(one, ZC_UINT8), ZC_SHAPE(2))), ZC_ERROR_SHAPE);
    zc_error_clear(b.ctx);
    cr_expect_eq(zc_assign(NULL, place, one), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_assign(&none, place, one), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_assign(&x, NULL, one), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_assign(&x, place, NULL), ZC_ERROR_ARGUMENT);
    cr_expect_eq(x, was);
    cr_expect_eq(integer_at(x, 3), 3);
    zc_release(x);
    finish(b);
}

/* ---- Gradients ---- */

Test(assigning, gradients_pass_through_variables_that_are_assigned)
{
    bench b = begin();
    zc_tensor *w = zc_variable(zc_from_data(b.ctx, ZC_FLOAT64, 0, NULL, &(double){2}, 8));
    zc_tensor *values[] = {w, zc_multiply(w, zc_weak_float(b.ctx, 3))};
    for (int i = 0; i < 2; i++) {
        zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 10);
        cr_expect_not(is_at_once(&x, zc_index(zc_places(x), 0, 3), values[i]), "%d", i);
        const zc_tensor *y = zc_sum(zc_square(x), ZC_ALL_AXES, false);
        const zc_tensor *by_value = zc_grad(y, values[i]), *by = zc_grad(y, w);
        cr_assert(by_value != NULL && by != NULL, "%s", zc_error_text(b.ctx));
        cr_expect_eq(value_at(by_value, 0), i == 0 ? 4 : 12, "%d", i);
        cr_expect_eq(value_at(by, 0), i == 0 ? 4 : 36, "%d", i);
        zc_release(x);
    }
    finish(b);
}

Test(assigning, variables_that_are_assigned_to_keep_their_gradients)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 10), *v = zc_keep(zc_variable(x)), *y = zc_retain(v);
    const zc_tensor *place = zc_index(zc_places(x), 0, 3);
    cr_expect_not(is_at_once(&y, place, zc_weak_float(b.ctx, 7)));
    const zc_tensor *by = zc_grad(zc_sum(zc_square(y), ZC_ALL_AXES, false), v);
    cr_assert_not_null(by, "%s", zc_error_text(b.ctx));
    EXPECT(by, 0, 2, 4, 0, 8, 10, 12, 14, 16, 18);
    zc_release(y);
    zc_release(v);
    zc_release(x);
    finish(b);
}

/* The value was computed for the assignment, and forgot what it was made of: by that nothing is zero in silence. */
Test(assigning, gradients_by_what_was_computed_are_refused)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 10);
    zc_tensor *seen = zc_index(x, 0, 2), *value = zc_multiply(seen, zc_weak_float(b.ctx, 3));
    zc_release(seen);
    cr_expect(is_at_once(&x, zc_index(zc_places(x), 0, 3), value));
    cr_expect_eq(value_at(x, 3), 6);
    cr_expect_eq(value_at(value, 0), 6);
    cr_expect_null(zc_grad(zc_sum(x, ZC_ALL_AXES, false), value));
    cr_expect_not_null(strstr(zc_error_text(b.ctx), "variable()"), "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    zc_release(x);
    finish(b);
}

/* Forgets that squares are never negative. */
Test(assigning, elements_may_be_below_zero_afterwards)
{
    bench b = begin();
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *x = zc_keep(zc_square(zc_astype(zc_iota(b.ctx, 10), ZC_FLOAT64))), *out = NULL;
    cr_assert_eq(zc_materialize(x, &out), ZC_OK);
    for (int i = 0; i < 100; i++) /* until it has given up its operands */
        cr_assert_eq(zc_materialize(zc_sum(zc_exp(zc_weak_float(b.ctx, i)), ZC_ALL_AXES, false), &out), ZC_OK);
    zc_scope_end(scope);
    cr_expect(is_at_once(&x, zc_index(zc_places(x), 0, 3), zc_weak_float(b.ctx, -4)));
    cr_expect_eq(value_at(zc_abs(x), 3), 4);
    cr_expect_eq(value_at(zc_min(zc_maximum(x, zc_weak_float(b.ctx, -9)), ZC_ALL_AXES, false), 0), -4);
    zc_release(x);
    finish(b);
}

/* Floats below a comparison are no sources of what it selects; nor is a tensor its own. */
Test(assigning, gradients_by_others_stay)
{
    bench b = begin();
    zc_tensor *w = numbers_in_memory(b, ZC_FLOAT64, 30), *x = numbers_in_memory(b, ZC_FLOAT64, 30);
    int at_once = is_at_once(&x, zc_index(zc_places(x), 0, 0), zc_weak_float(b.ctx, 1));
    (void)value_at(zc_sum(w, ZC_ALL_AXES, false), 0); /* which makes it a source of what is computed from it */
    for (int i = 1; i < 25; i++) {
        zc_tensor *before = zc_index(x, 0, i - 1), *one = zc_index(w, 0, i), *half = zc_weak_float(b.ctx, 0.5);
        zc_tensor *value =
            i % 2 == 0 ? zc_multiply(before, half) : zc_where(zc_greater(one, zc_weak_int(b.ctx, 0)), before, half);
        zc_release(half);
        zc_release(before);
        at_once += is_at_once(&x, zc_index(zc_places(x), 0, i), value);
    }
    cr_expect_eq(at_once, 25);
    const zc_tensor *by = zc_grad(zc_sum(zc_multiply(x, w), ZC_ALL_AXES, false), w);
    cr_assert_not_null(by, "%s", zc_error_text(b.ctx));
    cr_expect_eq(value_at(by, 1), 1);
    cr_expect_eq(value_at(by, 2), 0.5);
    cr_expect_eq(value_at(by, 29), 29);
    zc_release(x);
    zc_release(w);
    finish(b);
}

/* ---- Calls that come in between ---- */

typedef struct replaced {
    zc_context *ctx;
    zc_tensor *x;
    bool is_ended;    /* and nothing comes in its place, */
    zc_tensor **held; /* or it only gets another reference, or NULL */
} replaced;

/* Puts another tensor in the place of the one that is assigned to. */
static void replace(void *user, void *memory)
{
    (void)memory;
    replaced *r = user;
    zc_scope *scope = zc_scope_begin(r->ctx);
    zc_tensor *next = zc_keep(zc_from_data(r->ctx, ZC_FLOAT64, ZC_SHAPE(4), (double[]){7, 7, 7, 7}, 32));
    zc_scope_end(scope);
    if (r->held != NULL)
        *r->held = zc_retain(r->x);
    zc_release(r->held != NULL ? next : r->x);
    if (r->held == NULL)
        r->x = r->is_ended ? NULL : next;
    if (r->is_ended)
        zc_release(next);
}

/* The value is the last to hold memory that the program has lent. */
Test(assigning, what_ends_with_the_value_may_replace_the_tensor)
{
    static const double lent[] = {5, 6};
    for (int how = 0; how < 3; how++) {
        bench b = begin();
        zc_tensor *held = NULL;
        replaced r = {b.ctx, numbers_in_memory(b, ZC_FLOAT64, 4), how == 1, how == 2 ? &held : NULL};
        const zc_tensor *place = zc_index(zc_places(r.x), 0, 3);
        zc_tensor *seen = zc_import(b.ctx, ZC_FLOAT64, ZC_SHAPE(2), NULL, 0, lent, sizeof lent, replace, &r);
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *square = zc_square(zc_index(seen, 0, 0));
        zc_tensor *value = zc_keep(zc_add(square, zc_subtract(zc_index(r.x, 0, 2), zc_weak_float(b.ctx, 2))));
        zc_scope_end(scope);
        zc_release(seen);
        cr_assert_eq(zc_assign(&r.x, place, value), how == 1 ? ZC_ERROR_ARGUMENT : ZC_OK, "%s", zc_error_text(b.ctx));
        cr_expect_eq(value_at(value, 0), 25);
        if (how != 1)
            cr_expect_eq(value_at(r.x, 3), 25);
        if (how == 2)
            cr_expect_eq(value_at(held, 3), 3);
        zc_release(value);
        zc_release(held);
        zc_release(r.x);
        finish(b);
    }
}

/* Any byte of a bool stands for true, also where the memory is not lent. */
Test(assigning, bools_are_none_or_one)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_BOOL, 8);
    const zc_tensor *bytes = zc_from_data(b.ctx, ZC_UINT8, ZC_SHAPE(3), (unsigned char[]){0, 2, 255}, 3);
    cr_assert_eq(zc_assign(&x, zc_slice(zc_places(x), 0, 0, 3, 1), zc_bitcast(bytes, ZC_BOOL)), ZC_OK);
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(x, &out), ZC_OK);
    cr_expect_eq(memcmp(zc_data(out), (unsigned char[]){0, 1, 1, 1, 1, 1, 1, 1}, 8), 0);
    zc_release(x);
    finish(b);
}
