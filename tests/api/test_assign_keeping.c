/*
 * zc_assign_keeping: programs that move elements which they read, beside arrays of plain C, where every element that
 * was read stays what it was; when it writes at once; and gradients by such elements, beside those that zc_assign
 * leaves.
 */
#include <math.h>
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/failing.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { HELD = 16, MOST = 40, STEPS = 200 };

typedef struct program {
    zc_context *ctx;
    zc_tensor *x, *ancestor; /* that x was made of at first, or NULL */
    int64_t n, value[MOST];
    zc_tensor *held[HELD]; /* or NULL */
    int64_t held_value[HELD];
    zc_tensor *sum; /* recorded on x as it was, or NULL */
    int64_t sum_value;
    bool keeps;         /* or assigns without a word of what is held */
    bool has_gradients; /* and nothing is computed, so that all of them pass */
    int64_t at_once, gradients;
    double gradient[STEPS]; /* [gradients]: NAN where it is refused */
} program;

static int64_t number_of(const zc_tensor *t)
{
    int64_t number = -1;
    zc_scope *scope = zc_scope_begin(zc_context_of(t));
    const zc_tensor *real = zc_dtype_of(t) == ZC_COMPLEX64 ? zc_real(t) : t;
    cr_assert_eq(zc_materialize_into(zc_astype(real, ZC_INT64), &number, sizeof number, NULL, 0), ZC_OK);
    zc_scope_end(scope);
    return number;
}

static void read(program *p, int k)
{
    const int64_t at = zc_random_range(0, p->n - 1);
    zc_release(p->held[k]);
    p->held[k] = zc_keep(zc_index(p->x, 0, at));
    p->held_value[k] = p->value[at];
}

/* x[at] = what was read, or x[from], or a number. */
static void assign(program *p)
{
    const int64_t at = zc_random_range(0, p->n - 1), from = zc_random_range(0, p->n - 1);
    const int k = (int)zc_random_range(0, HELD - 1);
    const zc_tensor *place = zc_index(zc_places(p->x), 0, at), *before = p->x;
    if (p->held[k] == NULL || zc_random_bool()) {
        zc_release(p->held[k]);
        p->held[k] = zc_keep(zc_index(p->x, 0, from));
        p->held_value[k] = p->value[from];
    }
    const zc_tensor *one = zc_astype(zc_weak_bool(p->ctx, true), zc_dtype_of(p->x));
    const zc_tensor *values = p->held[k];
    int64_t value = p->held_value[k];
    switch (zc_random_range(0, 3)) {
    case 0:
        values = zc_weak_bool(p->ctx, true);
        value = 1;
        break;
    case 1: /* computed from what is held and what is there */
        values = zc_maximum(values, zc_minimum(zc_index(p->x, 0, from), one));
        value = value > 1 || p->value[from] < 1 ? value : p->value[from] > 1 ? 1 : p->value[from];
        value = p->held_value[k] > value ? p->held_value[k] : value;
        break;
    default:
        break;
    }
    cr_assert_eq(p->keeps ? zc_assign_keeping(&p->x, place, values, HELD, p->held) : zc_assign(&p->x, place, values),
                 ZC_OK, "%s", zc_error_text(p->ctx));
    p->value[at] = value;
    p->at_once += p->x == before;
}

/* A derivative of sum(x^2) + held[j]^2, or of held[j], by held[k] or by all that x was made of; NAN where it is
 * refused. */
static void ask_for_gradient(program *p)
{
    const int k = (int)zc_random_range(0, HELD - 1), j = (int)zc_random_range(0, HELD - 1);
    const bool is_alone = zc_random_bool(), is_by_ancestor = zc_random_bool();
    if (!p->has_gradients || p->held[k] == NULL)
        return;
    const zc_tensor *y = zc_sum(zc_square(p->x), ZC_ALL_AXES, false);
    if (p->held[j] != NULL)
        y = is_alone ? p->held[j] : zc_add(y, zc_square(p->held[j]));
    const zc_tensor *gradient = zc_grad(y, is_by_ancestor ? p->ancestor : p->held[k]);
    double value = NAN;
    if (gradient != NULL && is_by_ancestor)
        gradient = zc_sum(gradient, ZC_ALL_AXES, false);
    if (gradient != NULL)
        cr_assert_eq(zc_materialize_into(gradient, &value, sizeof value, NULL, 0), ZC_OK);
    zc_error_clear(p->ctx);
    p->gradient[p->gradients++] = value;
}

static void step(program *p)
{
    zc_scope *scope = zc_scope_begin(p->ctx);
    switch (zc_random_range(0, 9)) {
    case 0:
    case 1:
        read(p, (int)zc_random_range(0, HELD - 1));
        break;
    case 2:
        zc_release(p->sum);
        p->sum = zc_keep(zc_sum(zc_astype(p->x, ZC_INT64), ZC_ALL_AXES, false));
        p->sum_value = 0;
        for (int64_t i = 0; i < p->n; i++)
            p->sum_value += p->value[i];
        break;
    case 3:
        if (p->sum != NULL)
            cr_assert_eq(number_of(p->sum), p->sum_value);
        zc_release(p->sum);
        p->sum = NULL;
        break;
    case 4:
        ask_for_gradient(p);
        break;
    case 5: {
        if (p->has_gradients)
            break;
        zc_tensor *computed = NULL;
        cr_assert_eq(zc_materialize(p->x, &computed), ZC_OK);
        zc_release(p->x);
        p->x = zc_keep(computed);
        break;
    }
    default:
        assign(p);
    }
    const int k = (int)zc_random_range(0, HELD - 1);
    if (p->held[k] != NULL)
        cr_assert_eq(number_of(p->held[k]), p->held_value[k]);
    const int64_t at = zc_random_range(0, p->n - 1);
    cr_assert_eq(number_of(zc_index(p->x, 0, at)), p->value[at]);
    zc_scope_end(scope);
}

static program run_program(zc_dtype dtype, zc_options options, bool keeps, bool has_gradients)
{
    program p = {
        .ctx = zc_context_new(&options), .n = zc_random_range(2, MOST), .keeps = keeps, .has_gradients = has_gradients};
    zc_scope *scope = zc_scope_begin(p.ctx);
    for (int64_t i = 0; i < p.n; i++)
        p.value[i] = dtype == ZC_BOOL ? zc_random_bool() : zc_random_range(0, 99);
    const zc_tensor *numbers = zc_from_data(p.ctx, ZC_INT64, ZC_SHAPE(p.n), p.value, (size_t)p.n * sizeof *p.value);
    const zc_tensor *first = zc_astype(numbers, dtype);
    if (has_gradients) {
        cr_assert_eq(zc_materialize(first, &p.ancestor), ZC_OK);
        first = zc_multiply(zc_keep(p.ancestor), zc_weak_float(p.ctx, 1));
    }
    cr_assert_eq(zc_materialize(first, &p.x), ZC_OK);
    (void)zc_keep(p.x);
    zc_scope_end(scope);
    for (int i = 0; i < STEPS; i++)
        step(&p);
    for (int k = 0; k < HELD; k++)
        zc_release(p.held[k]);
    zc_release(p.sum);
    zc_release(p.x);
    zc_release(p.ancestor);
    cr_expect_eq(zc_memory_usage(p.ctx).held_bytes, 0);
    cr_expect_eq(zc_memory_usage(p.ctx).nodes, 0);
    zc_context_free(p.ctx);
    return p;
}

Test(assign_keeping, programs_have_the_elements_of_arrays)
{
    static const zc_dtype dtypes[] = {ZC_INT64, ZC_FLOAT64, ZC_BOOL, ZC_FLOAT16};
    enum { DTYPES = sizeof dtypes / sizeof *dtypes };
    int64_t at_once[DTYPES] = {0};
    zc_random_begin("assign_keeping");
    for (int i = 0; i < zc_test_count(40 * DTYPES); i++) {
        const zc_options options = {.threads = 1 + i % 2, .recompute = i % 11 == 10};
        at_once[i % DTYPES] += run_program(dtypes[i % DTYPES], options, true, false).at_once;
    }
    for (int i = 0; i < DTYPES; i++)
        cr_expect_gt(at_once[i], 300 / zc_test_stride(), "dtype %d: %lld", (int)dtypes[i], (long long)at_once[i]);
}

/* A gradient by what is held is what it would be if the array had been copied and nothing were kept, or refused. */
Test(assign_keeping, gradients_are_as_without_or_refused)
{
    zc_skip_of_one_thread();
    int64_t given = 0, refused = 0;
    zc_random_begin("assign_keeping/gradients");
    for (int i = 0; i < zc_test_count(100); i++) {
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
    cr_expect_gt(refused, 20 / zc_test_stride());
}

/* ---- By hand ---- */

/* x[3], x[997] = x[997], x[3] */
static void swap(zc_dtype dtype)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, dtype, 1000), *all = zc_places(x), *held[3] = {NULL};
    const zc_tensor *was = x;
    const void *data = zc_data(x);
    const int64_t bytes = zc_memory_usage(b.ctx).held_bytes;
    held[0] = zc_keep(zc_index(x, 0, 3));
    held[2] = zc_keep(zc_slice(x, 0, 997, 998, 1));
    cr_assert_eq(zc_assign_keeping(&x, zc_slice(all, 0, 3, 4, 1), held[2], 3, held), ZC_OK);
    cr_assert_eq(zc_assign_keeping(&x, zc_index(all, 0, 997), held[0], 3, held), ZC_OK);
    cr_expect(x == was && zc_data(x) == data);
    cr_expect_eq(number_of(zc_index(x, 0, 3)), 997);
    cr_expect_eq(number_of(zc_index(x, 0, 997)), 3);
    cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, bytes + 2 * (int64_t)zc_dtype_bytes(dtype));
    cr_expect_eq(number_of(held[0]), 3);
    cr_expect_eq(number_of(held[2]), 997);
    cr_expect_eq(zc_rank(held[2]), 1);
    zc_release(held[0]);
    zc_release(held[2]);
    zc_release(x);
    finish(b);
}

Test(assign_keeping, lets_swaps_write_where_elements_are)
{
    swap(ZC_INT64);
    swap(ZC_FLOAT64);
    swap(ZC_COMPLEX64);
}

/* Writes at once? */
static bool writes(zc_tensor **x, int count, zc_tensor **held)
{
    const zc_tensor *was = *x;
    cr_assert_eq(
        zc_assign_keeping(x, zc_index(zc_places(*x), 0, 0), zc_weak_bool(zc_context_of(*x), true), count, held), ZC_OK);
    return *x == was;
}

Test(assign_keeping, leaves_views_beside_others_and_what_others_refer_to)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 10), *held = zc_keep(zc_index(x, 0, 3)), *was = held;
    zc_tensor *other = zc_keep(zc_slice(x, 0, 2, 5, 1));
    cr_expect(!writes(&x, 1, &held) && held == was, "there is another view");
    zc_release(other);
    zc_release(held);
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 10);
    held = was = zc_keep(zc_index(x, 0, 3));
    other = zc_retain(held);
    cr_expect(!writes(&x, 1, &held) && held == was, "there is another reference");
    zc_release(other);
    zc_release(held);
    zc_release(x);
    x = numbers_in_memory(b, ZC_INT64, 10);
    held = was = zc_keep(zc_index(x, 0, 3));
    cr_expect(writes(&x, 1, &held) && held != was);
    zc_tensor *copy = held;
    cr_expect(writes(&x, 1, &held) && held == copy, "it is no view any more");
    cr_expect_eq(zc_assign_keeping(&x, zc_places(x), x, 1, NULL), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_assign_keeping(NULL, zc_places(x), x, 1, &held), ZC_ERROR_ARGUMENT);
    zc_release(held);
    zc_release(x);
    finish(b);
}

/* More than it keeps: recorded, and each is what it was. */
Test(assign_keeping, keeps_so_many)
{
    enum { MANY = 17 };
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT32, 40), *held[MANY];
    for (int i = 0; i < MANY; i++)
        held[i] = zc_keep(zc_index(x, 0, i));
    cr_expect(!writes(&x, MANY, held));
    for (int i = 0; i < MANY; i++) {
        cr_expect_eq(number_of(held[i]), i);
        zc_release(held[i]);
    }
    zc_release(x);
    finish(b);
}

/* A gradient that passed through a view is refused where the view has become a copy, and stays where it has not. */
Test(assign_keeping, refuses_gradients_by_what_was_held)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 10), *held = zc_keep(zc_index(x, 0, 3));
    const zc_tensor *square = zc_square(held);
    cr_expect(!writes(&x, 1, &held), "an expression reads the elements of before");
    const zc_tensor *gradient = zc_grad(square, held);
    cr_assert_not_null(gradient, "%s", zc_error_text(b.ctx));
    cr_expect_eq(number_of(gradient), 6);
    zc_release(x);
    zc_release(held);
    x = numbers_in_memory(b, ZC_FLOAT64, 10);
    held = zc_keep(zc_index(x, 0, 3));
    cr_expect(writes(&x, 1, &held));
    cr_expect_null(zc_grad(zc_sum(x, ZC_ALL_AXES, false), held));
    cr_expect_eq(zc_error_status(b.ctx), ZC_ERROR_ARGUMENT, "%s", zc_error_text(b.ctx));
    zc_error_clear(b.ctx);
    gradient = zc_grad(zc_square(held), held);
    cr_assert_not_null(gradient, "%s", zc_error_text(b.ctx));
    cr_expect_eq(number_of(gradient), 6);
    zc_release(held);
    zc_release(x);
    finish(b);
}

/* Elements that were computed before are made of the copy, too; those that were computed from others are not. */
Test(assign_keeping, copies_stand_for_what_was_read)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 10), *other = numbers_in_memory(b, ZC_FLOAT64, 3);
    zc_scope *scope = zc_scope_begin(b.ctx);
    zc_tensor *before = zc_keep(result_of(zc_square(x))), *besides = zc_keep(result_of(zc_square(other)));
    zc_scope_end(scope);
    zc_tensor *held = zc_keep(zc_index(x, 0, 3));
    cr_expect(writes(&x, 1, &held));
    cr_expect_null(zc_grad(sum_of_all(before), held));
    zc_error_clear(b.ctx);
    cr_expect_eq(number_of(zc_grad(sum_of_all(zc_multiply(besides, held)), held)), 5);
    expect_refused(b, zc_grad(sum_of_all(zc_multiply(besides, other)), held), ZC_ERROR_ARGUMENT,
                   "grad: y does not depend on x, or through stop_gradient() alone; vjp() gives zeros");
    zc_release(held);
    zc_release(before);
    zc_release(besides);
    zc_release(other);
    zc_release(x);
    finish(b);
}

/* x[i] = (x[i] + what x[i - 1] was) / 2, without a copy of x. */
Test(assign_keeping, values_of_what_is_held_are_computed_at_once)
{
    enum { SIZE = 1000 };
    zc_context *ctx = zc_context_new(NULL);
    zc_tensor *x = numbers_in_memory((bench){.ctx = ctx}, ZC_FLOAT64, SIZE), *held[2] = {zc_keep(zc_index(x, 0, 0))};
    const zc_tensor *was = x;
    for (int i = 1; i < SIZE; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        held[1] = zc_keep(zc_index(x, 0, i));
        zc_tensor *sum = zc_keep(zc_add(held[0], held[1])), *half = zc_multiply(sum, zc_weak_float(ctx, 0.5));
        zc_release(sum); /* nobody asks for its gradients */
        cr_assert_eq(zc_assign_keeping(&x, zc_index(zc_places(x), 0, i), half, 2, held), ZC_OK);
        cr_assert_eq(x, was, "%d", i);
        cr_assert_eq(((const double *)zc_data(x))[i], i - 0.5);
        zc_release(held[0]);
        held[0] = held[1];
        zc_scope_end(scope);
    }
    zc_scope *scope = zc_scope_begin(ctx);
    cr_expect_null(zc_grad(sum_of_all(x), held[0]), "some is made of it");
    zc_scope_end(scope);
    zc_release(held[0]);
    zc_release(x);
    zc_context_free(ctx);
}

/* Copies of however many elements are made of what the array was made of. */
Test(assign_keeping, copies_are_made_of_what_the_array_was_made_of)
{
    enum { MOST_COPIES = 16 };
    for (int count = 1; count <= MOST_COPIES; count++) {
        bench b = begin();
        zc_tensor *a = numbers_in_memory(b, ZC_FLOAT64, 40), *held[MOST_COPIES];
        zc_scope *scope = zc_scope_begin(b.ctx);
        zc_tensor *x = zc_keep(result_of(zc_square(a)));
        zc_scope_end(scope);
        for (int i = 0; i < count; i++)
            held[i] = zc_keep(zc_index(x, 0, i + 2));
        cr_expect(writes(&x, count, held), "%d", count);
        for (int i = 0; i < count; i++) {
            cr_expect_null(zc_grad(held[i], a), "%d of %d", i, count);
            zc_error_clear(b.ctx);
            zc_release(held[i]);
        }
        zc_release(x);
        zc_release(a);
        finish(b);
    }
}

/* x[0] = 1 while two elements are held and one allocation fails. Tells whether it was reached. */
static bool assign_once(int64_t fail_at)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_tensor *x = numbers_in_memory((bench){.ctx = ctx}, ZC_FLOAT64, 100);
    zc_tensor *held[] = {zc_keep(zc_index(x, 0, 3)), NULL, zc_keep(zc_index(x, 0, 5))};
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *place = zc_index(zc_places(x), 0, 0), *one = zc_weak_float(ctx, 1);
    cr_assert(place != NULL && one != NULL);
    state.fail_at = state.calls + fail_at;
    const zc_status status = zc_assign_keeping(&x, place, one, 3, held);
    const bool is_reached = state.calls >= state.fail_at;
    state.fail_at = 0;
    cr_expect(status == ZC_OK || (is_reached && status == ZC_ERROR_MEMORY), "%lld: %d", (long long)fail_at, status);
    cr_expect_eq(zc_error_status(ctx), status);
    zc_error_clear(ctx);
    cr_expect_eq(number_of(zc_index(x, 0, 0)), status == ZC_OK ? 1 : 0);
    cr_expect_eq(number_of(held[0]), 3);
    cr_expect_eq(number_of(held[2]), 5);
    zc_scope_end(scope);
    zc_release(held[0]);
    zc_release(held[2]);
    zc_release(x);
    zc_context_free(ctx);
    cr_expect(state.blocks == 0 && state.faults == 0, "%lld", (long long)fail_at);
    return is_reached;
}

Test(assign_keeping, survives_failing_allocations)
{
    int64_t k = 1;
    while (assign_once(k))
        k++;
    cr_expect_gt(k, 2);
}

/* Leaves an earlier error told, and records what cannot be copied. */
Test(assign_keeping, leaves_errors_of_before)
{
    zc_failing state = {0};
    zc_allocator allocator = zc_failing_allocator(&state);
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_tensor *x = numbers_in_memory((bench){.ctx = ctx}, ZC_INT64, 100), *held = zc_keep(zc_index(x, 0, 3));
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *place = zc_index(zc_places(x), 0, 0), *one = zc_weak_int(ctx, 1);
    cr_expect_null(zc_index(x, 0, 200));
    state.fail_at = state.calls + 1;
    state.is_sticky = true;
    (void)zc_assign_keeping(&x, place, one, 1, &held);
    state.fail_at = 0;
    state.is_sticky = false;
    cr_expect_eq(zc_error_status(ctx), ZC_ERROR_INDEX, "%s", zc_error_text(ctx));
    zc_error_clear(ctx);
    cr_expect_eq(number_of(held), 3);
    zc_scope_end(scope);
    zc_release(held);
    zc_release(x);
    zc_context_free(ctx);
    cr_expect(state.blocks == 0 && state.faults == 0);
}

/* Only views of up to 4,096 elements of the same tensor are replaced. */
Test(assign_keeping, leaves_what_are_not_few_elements)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 20000), *other = numbers_in_memory(b, ZC_INT64, 10);
    zc_tensor *held[] = {zc_keep(zc_index(other, 0, 3)), zc_keep(zc_slice(x, 0, 2, 4099, 1))};
    const zc_tensor *was[] = {held[0], held[1]};
    cr_expect(!writes(&x, 2, held), "a view of 4,097 elements is held");
    cr_expect(held[0] == was[0] && held[1] == was[1]);
    cr_expect_eq(zc_assign_keeping(&x, NULL, x, 2, held), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_assign_keeping(&x, zc_places(x), NULL, 2, held), ZC_ERROR_ARGUMENT);
    zc_tensor *none = NULL;
    cr_expect_eq(zc_assign_keeping(&none, zc_places(x), x, 2, held), ZC_ERROR_ARGUMENT);
    zc_release(held[0]);
    zc_release(held[1]);
    zc_release(other);
    zc_release(x);
    finish(b);
}
