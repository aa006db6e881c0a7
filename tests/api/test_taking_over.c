/*
 * Updates that write into the memory of what they update, over calls: programs of updates and readings beside arrays of
 * plain C, in which every tensor that is held keeps its elements. Also where calls fail, are stopped, or share tensors
 * with another thread.
 *
 * Longer than 500 lines because random programs and what each promise says share their steps.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { NAMES = 3, HELD = 4, MOST = 5000 };

/* A tensor with the elements that it has. */
typedef struct known {
    zc_tensor *t;
    int64_t size;
    double *value;
} known;

static known copy_of(const known *from)
{
    known k = {.t = zc_retain(from->t), .size = from->size, .value = malloc((size_t)from->size * sizeof(double))};
    cr_assert_not_null(k.value);
    memcpy(k.value, from->value, (size_t)from->size * sizeof(double));
    return k;
}

static void forget(known *k)
{
    zc_release(k->t);
    free(k->value);
    *k = (known){.t = NULL};
}

static void take(known *k, zc_tensor *t)
{
    cr_assert_not_null(t, "%s", zc_error_text(zc_context_of(k->t)));
    (void)zc_keep(t);
    zc_release(k->t);
    k->t = t;
}

static known random_numbers(zc_context *ctx, int64_t size)
{
    known k = {.size = size, .value = malloc((size_t)size * sizeof(double))};
    cr_assert_not_null(k.value);
    for (int64_t i = 0; i < size; i++)
        k.value[i] = (double)zc_random_range(0, 50);
    k.t = zc_keep(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(size), k.value, (size_t)size * sizeof(double)));
    return k;
}

static void expect_all(const known *k)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(k->t, &out), ZC_OK, "%s", zc_error_text(zc_context_of(k->t)));
    cr_assert_eq(memcmp(zc_data(out), k->value, (size_t)k->size * sizeof(double)), 0);
}

/* ---- Random programs ---- */

typedef struct program {
    zc_context *ctx;
    known name[NAMES], held[HELD]; /* variables, and what else has a name now and then */
    int64_t n;
} program;

/* Some places of an axis of n. */
typedef struct places {
    int64_t first, count, step;
} places;

static places draw_places(int64_t n, int64_t count)
{
    places p = {.count = count > 0 ? count : zc_random_range(1, zc_random_range(0, 3) == 0 ? n : n < 20 ? n : 20)};
    p.step = p.count > 1 && zc_random_range(0, 2) == 0 ? zc_random_range(1, (n - 1) / (p.count - 1)) : 1;
    p.first = zc_random_range(0, n - 1 - (p.count - 1) * p.step);
    return p;
}

static zc_tensor *see(const zc_tensor *t, places p)
{
    return zc_slice(t, 0, p.first, p.first + (p.count - 1) * p.step + 1, p.step);
}

/* x[to] = f(y[from]), where x may be y and the places may meet. */
static void update(program *p, known *x, const known *y)
{
    const places to = draw_places(p->n, 0), from = draw_places(p->n, to.count);
    const int how = (int)zc_random_range(0, 3);
    const double constant = (double)zc_random_range(0, 50);
    double *values = malloc((size_t)to.count * sizeof *values);
    cr_assert_not_null(values);
    for (int64_t i = 0; i < to.count; i++) {
        const double seen = y->value[from.first + i * from.step];
        values[i] = how == 0 ? constant : how == 1 ? seen : seen + 1 < constant ? seen + 1 : constant;
    }
    zc_tensor *seen = see(y->t, from), *one = zc_weak_float(p->ctx, 1), *number = zc_weak_float(p->ctx, constant);
    zc_tensor *made = how == 0   ? zc_astype(number, ZC_FLOAT64)
                      : how == 1 ? seen
                                 : zc_minimum(zc_add(seen, one), number);
    take(x, zc_update(x->t, see(zc_places(x->t), to), made, ZC_UPDATE_SET));
    for (int64_t i = 0; i < to.count; i++)
        x->value[to.first + i * to.step] = values[i];
    free(values);
}

static double joined(zc_update_op op, double old, double new)
{
    return op == ZC_UPDATE_SET   ? new
           : op == ZC_UPDATE_ADD ? old + new
           : op == ZC_UPDATE_MIN ? (old < new ? old : new)
                                 : (old > new ? old : new);
}

/* x[list] = f(y[from]), or joined with what is there: positions may be equal, and count from the end. */
static void update_listed(program *p, known *x, const known *y)
{
    static const zc_update_op ops[] = {ZC_UPDATE_SET, ZC_UPDATE_ADD, ZC_UPDATE_MIN, ZC_UPDATE_MAX};
    const zc_update_op op = ops[zc_random_range(0, 3)];
    const places from = draw_places(p->n, 0);
    const size_t count = (size_t)from.count;
    const bool is_seen = zc_random_range(0, 1) == 0;
    int64_t *list = malloc(count * sizeof *list);
    double *values = malloc(count * sizeof *values);
    cr_assert(list != NULL && values != NULL);
    for (int64_t i = 0; i < from.count; i++) {
        list[i] = zc_random_range(-p->n, p->n - 1);
        values[i] = is_seen ? y->value[from.first + i * from.step] : 7;
    }
    zc_tensor *positions = zc_from_data(p->ctx, ZC_INT64, ZC_SHAPE(from.count), list, count * sizeof *list);
    zc_tensor *made = is_seen ? see(y->t, from) : zc_astype(zc_weak_int(p->ctx, 7), ZC_FLOAT64);
    take(x, zc_update(x->t, zc_take(zc_places(x->t), positions, 0), made, op));
    for (int64_t i = 0; i < from.count; i++) {
        double *to = &x->value[list[i] < 0 ? list[i] + p->n : list[i]];
        *to = joined(op, *to, values[i]);
    }
    free(list);
    free(values);
}

/* x[a] = x[b] + total(y), through a sum that needs all of it. */
static void update_by_total(program *p, known *x, const known *y)
{
    const int64_t at = zc_random_range(0, p->n - 1);
    double most = 0;
    for (int64_t i = 0; i < p->n; i++)
        most = y->value[i] > most ? y->value[i] : most;
    take(x,
         zc_update(x->t, zc_slice(zc_places(x->t), 0, at, at + 1, 1), zc_max(y->t, ZC_ALL_AXES, true), ZC_UPDATE_SET));
    x->value[at] = most;
}

static void change_all(program *p, known *x)
{
    take(x, zc_minimum(zc_add(x->t, zc_weak_float(p->ctx, 1)), zc_weak_float(p->ctx, 50)));
    for (int64_t i = 0; i < p->n; i++)
        x->value[i] = x->value[i] + 1 < 50 ? x->value[i] + 1 : 50;
}

/* Reads something of k and looks whether the peak was the predicted one at most. */
static void read_something(program *p, const known *k)
{
    const int64_t at = zc_random_range(0, k->size - 1);
    zc_tensor *asked = zc_random_range(0, 1) == 0 ? zc_slice(k->t, 0, at, at + 1, 1) : zc_max(k->t, ZC_ALL_AXES, false),
              *out = NULL;
    zc_cost cost;
    double most = 0;
    for (int64_t i = 0; i < k->size; i++)
        most = k->value[i] > most ? k->value[i] : most;
    const double wanted = zc_rank(asked) == 1 ? k->value[at] : most;
    cr_assert_eq(zc_cost_of(asked, &cost), ZC_OK, "%s", zc_error_text(p->ctx));
    zc_memory_reset_peak(p->ctx);
    const int64_t before = zc_memory_usage(p->ctx).held_bytes;
    cr_assert_eq(zc_materialize(asked, &out), ZC_OK, "%s", zc_error_text(p->ctx));
    cr_assert_eq(*(const double *)zc_data(out), wanted, "%g, not %g", *(const double *)zc_data(out), wanted);
    cr_expect_eq(zc_memory_usage(p->ctx).peak_bytes - before, cost.peak_bytes);
}

/* Stops a call at some step; what it would have made is as it was. */
static bool stop(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    int64_t *left = user;
    return (*left)-- > 0;
}

static void stop_reading(program *p, const known *k)
{
    int64_t left = zc_random_range(0, 3);
    zc_tensor *out = NULL;
    zc_set_progress(p->ctx, stop, &left);
    const zc_status status = zc_materialize(zc_sum(k->t, ZC_ALL_AXES, false), &out);
    zc_set_progress(p->ctx, NULL, NULL);
    cr_expect(status == ZC_OK || status == ZC_CANCELLED);
    zc_error_clear(p->ctx);
}

static void step(program *p)
{
    known *x = &p->name[zc_random_range(0, NAMES - 1)], *y = &p->name[zc_random_range(0, NAMES - 1)],
          *held = &p->held[zc_random_range(0, HELD - 1)];
    zc_scope *scope = zc_scope_begin(p->ctx);
    switch (zc_random_range(0, 15)) {
    case 0: /* another name of the same tensor */
        forget(held);
        *held = copy_of(x);
        break;
    case 1:
        forget(held);
        break;
    case 2:
        expect_all(x);
        break;
    case 3:
        change_all(p, x);
        break;
    case 4:
        update_by_total(p, x, y);
        break;
    case 5:
        stop_reading(p, x);
        break;
    case 6:
        if (held->t != NULL)
            read_something(p, held);
        break;
    case 7:
    case 8:
    case 9:
        read_something(p, x);
        break;
    case 10:
    case 11:
    case 12:
        update_listed(p, x, y);
        break;
    default:
        update(p, x, y);
        break;
    }
    zc_scope_end(scope);
}

static void run_program(int64_t n, int steps, zc_options options)
{
    program p = {.ctx = zc_context_new(&options), .n = n};
    for (int i = 0; i < NAMES; i++)
        p.name[i] = random_numbers(p.ctx, n);
    for (int i = 0; i < steps; i++)
        step(&p);
    zc_scope *scope = zc_scope_begin(p.ctx);
    for (int i = 0; i < NAMES; i++)
        expect_all(&p.name[i]);
    for (int i = 0; i < HELD; i++) {
        if (p.held[i].t != NULL)
            expect_all(&p.held[i]);
        forget(&p.held[i]);
    }
    zc_scope_end(scope);
    for (int i = 0; i < NAMES; i++)
        forget(&p.name[i]);
    cr_expect_eq(zc_memory_usage(p.ctx).held_bytes, 0);
    cr_expect_eq(zc_memory_usage(p.ctx).nodes, 0);
    zc_context_free(p.ctx);
}

Test(taking_over, programs_have_the_elements_of_arrays)
{
    zc_skip_of_one_thread();
    const int count = zc_test_count(60);
    zc_random_begin("taking_over");
    for (int i = 0; i < count; i++) {
        const int64_t n = zc_random_range(0, 3) == 0 ? zc_random_range(20, 600) : zc_random_range(600, MOST);
        run_program(n, 200,
                    (zc_options){.threads = 1 + i % 2,
                                 .executor = i % 10 == 9 ? ZC_EXECUTOR_REFERENCE : ZC_EXECUTOR_TILE,
                                 .recompute = i % 7 == 6});
    }
}

/* Nothing is written where a position is outside, though an update before it took the memory over. */
Test(taking_over, positions_are_checked_before_anything_is_written)
{
    enum { SIZE = 4000 };
    for (int64_t bad = -SIZE - 1; bad <= SIZE; bad += 2 * SIZE + 1) {
        const bench b = begin();
        const int64_t good[] = {3, -1, 3}, list[] = {5, bad, 6};
        zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE), *out = NULL;
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *ten = zc_weak_float(b.ctx, 10), *all = zc_places(x);
        const zc_tensor *these = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(3), good, sizeof good);
        const zc_tensor *those = zc_from_data(b.ctx, ZC_INT64, ZC_SHAPE(3), list, sizeof list);
        zc_tensor *first = zc_update(x, zc_take(all, these, 0), ten, ZC_UPDATE_ADD);
        zc_tensor *second = zc_keep(zc_update(first, zc_take(all, those, 0), ten, ZC_UPDATE_SET));
        (void)zc_keep(first);
        zc_scope_end(scope);
        zc_release(x);
        cr_expect_eq(value_at(zc_slice(first, 0, 0, 5, 1), 3), 23);
        zc_release(first);
        for (int i = 0; i < 3; i++) {
            scope = zc_scope_begin(b.ctx);
            cr_expect_eq(zc_materialize(zc_slice(second, 0, 5, 6, 1), &out), ZC_ERROR_INDEX);
            cr_expect_not_null(strstr(zc_error_text(b.ctx), "out of bounds"), "%s", zc_error_text(b.ctx));
            zc_error_clear(b.ctx);
            zc_scope_end(scope);
        }
        zc_release(second);
        finish(b);
    }
}

/* ---- What a step costs ---- */

/* Element `at` of a tensor, of which nothing else is computed; of rank 0 the only one. */
static double element_at(const zc_tensor *t, int64_t at)
{
    return value_at(zc_rank(t) == 0 ? t : zc_slice(t, 0, at, at + 1, 1), 0);
}

typedef zc_tensor *loop_step(zc_context *ctx, const zc_tensor *x, int64_t at);

static zc_tensor *one_place(const zc_tensor *x, int64_t at)
{
    return zc_slice(zc_places(x), 0, at, at + 1, 1);
}

static zc_tensor *set_element(zc_context *ctx, const zc_tensor *x, int64_t at)
{
    return zc_update(x, one_place(x, at), zc_astype(zc_weak_float(ctx, 7), ZC_FLOAT64), ZC_UPDATE_SET);
}

static zc_tensor *extend_table(zc_context *ctx, const zc_tensor *x, int64_t at)
{
    zc_tensor *before = zc_slice(x, 0, at - 1, at, 1);
    return zc_update(x, one_place(x, at), zc_add(zc_multiply(before, zc_weak_float(ctx, 0.5)), zc_weak_float(ctx, 1)),
                     ZC_UPDATE_SET);
}

static zc_tensor *center_row(zc_context *ctx, const zc_tensor *x, int64_t at)
{
    (void)ctx;
    zc_tensor *row = zc_slice(x, 0, at - 1, at + 63, 1);
    return zc_update(x, zc_slice(zc_places(x), 0, at - 1, at + 63, 1),
                     zc_subtract(row, zc_mean(row, ZC_ALL_AXES, true)), ZC_UPDATE_SET);
}

static zc_tensor *center_block(zc_context *ctx, const zc_tensor *x, int64_t at)
{
    (void)ctx;
    zc_tensor *square = zc_reshape(x, ZC_SHAPE(100, -1)), *numbers = zc_reshape(zc_places(x), ZC_SHAPE(100, -1));
    zc_tensor *block = zc_slice(zc_slice(square, 0, 10, 18, 1), 1, at - 1, at + 15, 2);
    zc_tensor *place = zc_slice(zc_slice(numbers, 0, 10, 18, 1), 1, at - 1, at + 15, 2);
    return zc_update(x, place, zc_subtract(block, zc_max(block, ZC_ALL_AXES, true)), ZC_UPDATE_SET);
}

/* The first call may copy what the program has lent; no other stores more than what it writes and needs for that. */
Test(taking_over, steps_that_write_and_read_elements_store_what_they_write)
{
    enum { SIZE = 100000, STEPS = 100, WRITTEN = 64 * 8 };
    loop_step *const loops[] = {set_element, extend_table, center_row, center_block};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        bench b = begin();
        zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE);
        for (int64_t s = 0; s < STEPS; s++) {
            zc_scope *scope = zc_scope_begin(b.ctx);
            zc_tensor *next = zc_keep(loops[i](b.ctx, x, 1 + s)), *out = NULL;
            cr_assert_not_null(next, "%s", zc_error_text(b.ctx));
            zc_release(x);
            x = next;
            const zc_tensor *read = zc_slice(x, 0, s, s + 1, 1);
            const zc_cost cost = cost_of(read);
            cr_expect_leq(cost.written_bytes, 2 * WRITTEN + 64, "loop %zu, step %lld", i, (long long)s);
            cr_expect_leq(cost.peak_bytes, 2 * WRITTEN + 64, "loop %zu, step %lld", i, (long long)s);
            cr_expect_eq(cost.kept_bytes, 0);
            cr_assert_eq(zc_materialize(read, &out), ZC_OK, "%s", zc_error_text(b.ctx));
            zc_scope_end(scope);
            cr_expect_lt(zc_memory_usage(b.ctx).held_bytes, 2 * SIZE * 8);
            cr_expect_lt(zc_memory_usage(b.ctx).nodes, 32);
        }
        zc_release(x);
        finish(b);
    }
}

/* Every third element from `at` on becomes the number. */
static zc_tensor *set_thirds(zc_context *ctx, const zc_tensor *x, int64_t at, double number)
{
    const zc_tensor *thirds = zc_slice(zc_places(x), 0, at, ZC_NONE, 3);
    return zc_update(x, thirds, zc_astype(zc_weak_float(ctx, number), zc_dtype_of(x)), ZC_UPDATE_SET);
}

/* Elements of each size are written in their own way. */
Test(taking_over, elements_of_every_size_are_written)
{
    static const zc_dtype dtypes[] = {ZC_BOOL, ZC_INT8, ZC_FLOAT16, ZC_INT32, ZC_FLOAT64, ZC_COMPLEX128};
    enum { SIZE = 1000 };
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        const bench b = begin();
        zc_tensor *numbers = numbers_in_memory(b, ZC_FLOAT64, SIZE), *x = NULL;
        zc_scope *scope = zc_scope_begin(b.ctx);
        cr_assert_eq(zc_materialize(zc_astype(zc_remainder(numbers, zc_weak_float(b.ctx, 5)), dtypes[d]), &x), ZC_OK);
        (void)zc_keep(x);
        zc_scope_end(scope);
        for (int step = 0; step < 4; step++) {
            scope = zc_scope_begin(b.ctx); /* what it has recorded would hold the elements */
            zc_tensor *next = zc_keep(set_thirds(b.ctx, x, step, step));
            zc_release(x);
            x = next;
            const zc_cost cost = cost_of(zc_slice(x, 0, 0, 1, 1));
            const int64_t written = (SIZE / 3 + 2) * (int64_t)zc_dtype_bytes(dtypes[d]);
            cr_expect_leq(cost.written_bytes, written, "dtype %zu, step %d", d, step);
            zc_tensor *read = NULL;
            cr_assert_eq(zc_materialize(zc_slice(x, 0, 0, 1, 1), &read), ZC_OK, "%s", zc_error_text(b.ctx));
            zc_scope_end(scope);
        }
        for (int i = 0; i < SIZE; i++) {
            const int wanted = i % 3 != 0 ? i % 3 : i > 0 ? 3 : 0;
            double found = 0;
            scope = zc_scope_begin(b.ctx);
            const zc_tensor *element = zc_slice(x, 0, i, i + 1, 1);
            element = zc_astype(dtypes[d] == ZC_COMPLEX128 ? zc_real(element) : element, ZC_FLOAT64);
            cr_assert_eq(zc_materialize_into(element, &found, sizeof found, NULL, 0), ZC_OK);
            cr_expect_eq(found, dtypes[d] == ZC_BOOL ? wanted != 0 : wanted, "dtype %zu, element %d", d, i);
            zc_scope_end(scope);
        }
        zc_release(x);
        zc_release(numbers);
        finish(b);
    }
}

/* Values of one operand that are not its elements: a scan, and reductions that nobody walks. */
static zc_tensor *values_of_line(const zc_tensor *line, int how)
{
    const zc_tensor *repeated = zc_broadcast_to(zc_slice(line, 0, 2, 3, 1), ZC_SHAPE(5, 1));
    switch (how) {
    case 0:
        return zc_cumulative_sum(line, 0, false);
    case 1:
        return zc_cumulative_prod(line, 0, false);
    case 2:
        return zc_sum(repeated, ZC_AXES(0), false);
    case 3:
        return zc_prod(repeated, ZC_AXES(0), false);
    default:
        return zc_mean(repeated, ZC_AXES(0), false);
    }
}

Test(taking_over, values_are_those_that_are_computed)
{
    enum { SIZE = 1000 };
    static const double line[] = {2, 3, 5, 7};
    static const double wanted[][4] = {{2, 5, 10, 17}, {2, 6, 30, 210}, {25}, {3125}, {5}};
    for (int how = 0; how < 5; how++) {
        const bench b = begin();
        zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE);
        zc_tensor *first = zc_from_data(b.ctx, ZC_FLOAT64, ZC_SHAPE(4), line, sizeof line);
        zc_scope *scope = zc_scope_begin(b.ctx);
        const zc_tensor *made = values_of_line(first, how);
        const int64_t count = zc_size(made);
        zc_tensor *next = zc_update(x, zc_slice(zc_places(x), 0, 10, 10 + count, 1), made, ZC_UPDATE_SET);
        (void)zc_keep(next);
        zc_scope_end(scope);
        zc_release(x);
        for (int64_t i = 0; i < count; i++)
            cr_expect_eq(value_at(zc_slice(next, 0, 0, 900, 1), 10 + i), wanted[how][i], "%d", how);
        zc_release(next);
        finish(b);
    }
}

/* An update of few elements that may take over is lost below one of most of them, which may not. */
Test(taking_over, is_not_for_an_update_behind_the_one_that_may)
{
    enum { SIZE = 1000 };
    const bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE), *y = numbers_in_memory(b, ZC_FLOAT64, SIZE);
    zc_scope *scope = zc_scope_begin(b.ctx);
    const zc_tensor *seven = zc_astype(zc_weak_float(b.ctx, 7), ZC_FLOAT64);
    zc_tensor *few = zc_update(x, zc_slice(zc_places(x), 0, 5, 10, 1), seven, ZC_UPDATE_SET);
    zc_tensor *most =
        zc_keep(zc_update(few, zc_slice(zc_places(x), 0, 0, 990, 1), zc_slice(y, 0, 10, 1000, 1), ZC_UPDATE_SET));
    zc_scope_end(scope);
    cr_expect_eq(value_at(zc_slice(most, 0, 0, 4, 1), 3), 13);
    zc_release(x);
    for (int i = 0; i < 2; i++) /* bought, and read where it is */
        cr_expect_eq(value_at(zc_slice(most, 0, 990, 1000, 1), 8), 998, "%s", zc_error_text(b.ctx));
    zc_release(y);
    zc_release(most);
    finish(b);
}

/* Elements that are put and put anew before anybody reads them are lost, and the update with them that would hand the
 * memory on. */
Test(taking_over, is_not_for_an_update_behind_one_that_is_lost)
{
    enum { SIZE = 1000 };
    static const double wanted[] = {996, 7, 7, 7};
    const bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE);
    zc_scope *scope = zc_scope_begin(b.ctx);
    const zc_tensor *one = zc_slice(zc_exp(x), 0, 10, 11, 1), *seven = zc_astype(zc_weak_float(b.ctx, 7), ZC_FLOAT64);
    zc_tensor *lost = zc_update(x, zc_slice(zc_places(x), 0, 998, 999, 1), one, ZC_UPDATE_SET);
    zc_tensor *last = zc_keep(zc_update(lost, zc_slice(zc_places(x), 0, 997, 1000, 1), seven, ZC_UPDATE_SET));
    zc_scope_end(scope);
    zc_release(x);
    cr_expect_eq(value_at(zc_slice(last, 0, 990, 996, 1), 3), 993);
    for (int64_t i = 0; i < 4; i++)
        cr_expect_eq(value_at(zc_slice(last, 0, 990, 1000, 1), 6 + i), wanted[i]);
    zc_release(last);
    finish(b);
}

/* Integers, read into the program's memory. */
Test(taking_over, works_beside_memory_of_the_program)
{
    enum { SIZE = 4096 };
    bench b = begin();
    zc_tensor *x = NULL;
    int64_t read = -1;
    zc_scope *scope = zc_scope_begin(b.ctx);
    cr_assert_eq(zc_materialize(zc_add(zc_iota(b.ctx, SIZE), zc_weak_int(b.ctx, 1)), &x), ZC_OK);
    (void)zc_keep(x);
    zc_scope_end(scope);
    for (int64_t s = 1; s < 20; s++) {
        scope = zc_scope_begin(b.ctx);
        zc_tensor *before = zc_slice(x, 0, s - 1, s, 1);
        zc_tensor *next = zc_keep(zc_update(x, one_place(x, s), zc_multiply(before, before), ZC_UPDATE_SET));
        zc_scope_end(scope);
        zc_release(x);
        x = next;
        scope = zc_scope_begin(b.ctx);
        const int64_t held = zc_memory_usage(b.ctx).held_bytes;
        zc_memory_reset_peak(b.ctx);
        cr_assert_eq(zc_materialize_into(zc_slice(x, 0, s, s + 1, 1), &read, sizeof read, NULL, 0), ZC_OK);
        cr_expect_eq(read, 1, "%lld", (long long)read);
        cr_expect_lt(zc_memory_usage(b.ctx).peak_bytes, held + SIZE);
        cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, SIZE * 8);
        zc_scope_end(scope);
    }
    zc_release(x);
    finish(b);
}

/* Who still has the tensor that was updated keeps its elements, in whatever way it is held. */
Test(taking_over, what_is_held_stays_as_it_is)
{
    enum { SIZE = 4096 };
    for (int how = 0; how < 4; how++) {
        bench b = begin();
        zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE), *out = NULL;
        zc_tensor *held = how == 0   ? zc_retain(x)
                          : how == 1 ? zc_keep(zc_slice(x, 0, 3, 9, 2))
                          : how == 2 ? zc_keep(zc_add(x, x))
                                     : zc_keep(zc_sum(x, ZC_ALL_AXES, false));
        zc_tensor *y = set_element(b.ctx, x, 3);
        zc_release(x);
        const double first = element_at(held, 0), wanted[] = {0, 3, 0, SIZE * (SIZE - 1) / 2.0};
        cr_expect_eq(element_at(y, 3), 7);
        cr_expect_eq(element_at(y, 4), 4);
        cr_assert_eq(zc_materialize(held, &out), ZC_OK);
        cr_expect_eq(first, wanted[how]);
        cr_expect_eq(element_at(held, 0), wanted[how]);
        zc_release(held);
        finish(b);
    }
}

/* A caller that reads the same memory through a tensor of its own, and one that keeps nothing, are not written into. */
Test(taking_over, memory_of_the_program_is_never_written)
{
    enum { SIZE = 4096 };
    static double numbers[SIZE];
    for (int i = 0; i < SIZE; i++)
        numbers[i] = i;
    bench b = begin();
    zc_tensor *x = zc_keep(zc_import(b.ctx, ZC_FLOAT64, ZC_SHAPE(SIZE), NULL, 0, numbers, sizeof numbers, NULL, NULL));
    for (int64_t s = 0; s < 100; s++) {
        zc_tensor *next = zc_keep(set_element(b.ctx, x, s));
        zc_release(x);
        x = next;
        cr_expect_eq(element_at(x, s), 7);
        cr_expect_eq(element_at(x, SIZE - 1), SIZE - 1);
    }
    zc_release(x);
    for (int i = 0; i < SIZE; i++)
        cr_assert_eq(numbers[i], i);
    finish(b);
}

/* Gradients by a variable pass what was read, and what was updated after that; those by others are refused there. */
Test(taking_over, gradients_by_variables_pass)
{
    enum { SIZE = 4096 };
    bench b = begin();
    for (int varies = 0; varies < 2; varies++) {
        zc_tensor *numbers = numbers_in_memory(b, ZC_FLOAT64, SIZE);
        zc_tensor *x = varies ? zc_keep(zc_variable(numbers)) : zc_retain(numbers);
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *y = zc_keep(zc_multiply(x, x));
        for (int i = 0; i < 4; i++)
            (void)value_at(zc_sum(y, ZC_ALL_AXES, false), 0);
        zc_tensor *z = zc_keep(set_element(b.ctx, y, 1));
        zc_scope_end(scope);
        zc_release(y);
        for (int i = 0; i < 3; i++)
            cr_expect_eq(element_at(z, 2), 4);
        scope = zc_scope_begin(b.ctx);
        const zc_tensor *gradient = zc_grad(zc_sum(z, ZC_ALL_AXES, false), x);
        cr_expect_eq(gradient != NULL, varies);
        if (gradient != NULL) {
            cr_expect_eq(element_at(gradient, 5), 10);
            cr_expect_eq(element_at(gradient, 1), 0);
        }
        cr_expect_eq(zc_error_status(b.ctx), varies ? ZC_OK : ZC_ERROR_ARGUMENT, "%s", zc_error_text(b.ctx));
        zc_error_clear(b.ctx);
        zc_scope_end(scope);
        zc_release(z);
        zc_release(x);
        zc_release(numbers);
    }
    finish(b);
}

/* ---- Failures, and threads ---- */

/* The second of two updates takes from a place that is none: who asks for another element gets it, and who asks for
 * that one is told each time. */
Test(taking_over, a_failure_between_two_updates_is_told_again)
{
    enum { SIZE = 4096 };
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE), *out = NULL;
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *first = extend_table(b.ctx, x, 5);
    zc_tensor *lost = zc_take(first, OF(b.ctx, ZC_INT64, SIZE), 0);
    zc_tensor *second = zc_keep(zc_update(first, one_place(x, 9), lost, ZC_UPDATE_SET));
    zc_scope_end(scope);
    zc_release(x);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(element_at(second, 5), 3);
        cr_expect_eq(zc_materialize(zc_slice(second, 0, 9, 10, 1), &out), ZC_ERROR_INDEX);
        zc_error_clear(b.ctx);
    }
    zc_release(second);
    finish(b);
}

typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_asked, is_answered;
    zc_tensor *x, *adopted;
    zc_context *other;
} meeting;

static void *adopt(void *user)
{
    meeting *m = user;
    pthread_mutex_lock(&m->lock);
    while (!m->is_asked)
        pthread_cond_wait(&m->changed, &m->lock);
    m->adopted = zc_adopt(m->other, m->x);
    m->is_answered = true;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

static bool let_adopt(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    meeting *m = user;
    pthread_mutex_lock(&m->lock);
    m->is_asked = true;
    pthread_cond_broadcast(&m->changed);
    while (!m->is_answered)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
    return true;
}

/* Another thread gets hold of the updated tensor after the run was planned, and before the update. */
Test(taking_over, a_thread_that_comes_in_between_sees_the_same)
{
    enum { SIZE = 4096 };
    meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    bench b = begin();
    pthread_t thread;
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, SIZE), *out = NULL;
    m.other = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(m.other);
    zc_scope *inner = zc_scope_begin(b.ctx);
    m.x = zc_keep(extend_table(b.ctx, x, 5));
    zc_scope_end(inner);
    zc_release(x);
    cr_assert_eq(pthread_create(&thread, NULL, adopt, &m), 0);
    zc_set_progress(b.ctx, let_adopt, &m);
    cr_expect_eq(zc_materialize(zc_slice(m.x, 0, 5, 6, 1), &out), ZC_OK, "%s", zc_error_text(b.ctx));
    zc_set_progress(b.ctx, NULL, NULL);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_expect_eq(*(const double *)zc_data(out), 3);
    cr_expect_eq(element_at(m.adopted, 5), 3);
    cr_expect_eq(element_at(m.adopted, 4), 4);
    cr_expect_eq(element_at(m.x, 6), 6);
    zc_release(m.x);
    zc_scope_end(scope);
    zc_context_free(m.other);
    finish(b);
}
