/*
 * zc_unshare: programs that move elements which they read, beside arrays of plain C, where every element that was read
 * stays what it was; when it is done; and gradients by such elements, which stay.
 */
#include <string.h>

#include "tests/api/values.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { HELD = 4, MOST = 40 };

typedef struct program {
    zc_context *ctx;
    zc_tensor *x;
    int64_t n, value[MOST];
    zc_tensor *held[HELD]; /* or NULL */
    int64_t held_value[HELD];
    zc_tensor *sum; /* recorded on x as it was, or NULL */
    int64_t sum_value;
    int64_t at_once;
} program;

static int64_t number_of(const zc_tensor *t)
{
    int64_t number = -1;
    zc_scope *scope = zc_scope_begin(zc_context_of(t));
    cr_assert_eq(zc_materialize_into(zc_astype(t, ZC_INT64), &number, sizeof number, NULL, 0), ZC_OK);
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
    (void)zc_unshare(p->x, HELD, p->held);
    const bool is_number = zc_random_bool();
    cr_assert_eq(zc_assign(&p->x, place, is_number ? zc_weak_bool(p->ctx, true) : p->held[k]), ZC_OK);
    p->value[at] = is_number ? 1 : p->held_value[k];
    p->at_once += p->x == before;
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
    case 4: {
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

static int64_t run_program(zc_dtype dtype, zc_options options)
{
    program p = {.ctx = zc_context_new(&options), .n = zc_random_range(2, MOST)};
    zc_scope *scope = zc_scope_begin(p.ctx);
    for (int64_t i = 0; i < p.n; i++)
        p.value[i] = dtype == ZC_BOOL ? zc_random_bool() : zc_random_range(0, 99);
    const zc_tensor *numbers = zc_from_data(p.ctx, ZC_INT64, ZC_SHAPE(p.n), p.value, (size_t)p.n * sizeof *p.value);
    cr_assert_eq(zc_materialize(zc_astype(numbers, dtype), &p.x), ZC_OK);
    (void)zc_keep(p.x);
    zc_scope_end(scope);
    for (int i = 0; i < 200; i++)
        step(&p);
    for (int k = 0; k < HELD; k++)
        zc_release(p.held[k]);
    zc_release(p.sum);
    zc_release(p.x);
    cr_expect_eq(zc_memory_usage(p.ctx).held_bytes, 0);
    cr_expect_eq(zc_memory_usage(p.ctx).nodes, 0);
    zc_context_free(p.ctx);
    return p.at_once;
}

Test(unsharing, programs_have_the_elements_of_arrays)
{
    static const zc_dtype dtypes[] = {ZC_INT64, ZC_FLOAT64, ZC_BOOL, ZC_FLOAT16};
    enum { DTYPES = sizeof dtypes / sizeof *dtypes };
    int64_t at_once[DTYPES] = {0};
    zc_random_begin("unsharing");
    for (int i = 0; i < 40 * DTYPES * zc_test_scale(); i++) {
        at_once[i % DTYPES] +=
            run_program(dtypes[i % DTYPES], (zc_options){.threads = 1 + i % 2, .recompute = i % 11 == 10});
    }
    for (int i = 0; i < DTYPES; i++)
        cr_expect_gt(at_once[i], dtypes[i] == ZC_INT64 || dtypes[i] == ZC_BOOL ? 500 : 5, "dtype %d: %lld",
                     (int)dtypes[i], (long long)at_once[i]);
}

/* ---- By hand ---- */

Test(unsharing, lets_swaps_write_where_elements_are)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 1000), *all = zc_places(x), *held[3] = {NULL};
    const zc_tensor *was = x;
    const void *data = zc_data(x);
    const int64_t bytes = zc_memory_usage(b.ctx).held_bytes;
    held[0] = zc_keep(zc_index(x, 0, 3));
    zc_tensor *element = zc_keep(zc_index(x, 0, 997));
    held[2] = zc_keep(zc_reshape(element, ZC_SHAPE(1, 1)));
    zc_release(element);
    cr_expect_eq(zc_unshare(x, 3, held), 2);
    cr_assert_eq(zc_assign(&x, zc_index(all, 0, 3), zc_reshape(held[2], ZC_SCALAR_SHAPE)), ZC_OK);
    cr_assert_eq(zc_assign(&x, zc_index(all, 0, 997), held[0]), ZC_OK);
    cr_expect(x == was && zc_data(x) == data);
    cr_expect_eq(((const int64_t *)data)[3], 997);
    cr_expect_eq(((const int64_t *)data)[997], 3);
    cr_expect_eq(zc_memory_usage(b.ctx).held_bytes, bytes + 16);
    cr_expect_eq(number_of(held[0]), 3);
    cr_expect_eq(number_of(held[2]), 997);
    cr_expect_eq(zc_rank(held[2]), 2);
    cr_expect_eq(zc_unshare(x, 3, held), 0, "they are no views");
    zc_release(held[0]);
    zc_release(held[2]);
    zc_release(x);
    finish(b);
}

Test(unsharing, leaves_views_beside_others_and_what_others_refer_to)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_INT64, 10), *held = zc_keep(zc_index(x, 0, 3));
    zc_tensor *other = zc_keep(zc_slice(x, 0, 2, 5, 1));
    cr_expect_eq(zc_unshare(x, 1, &held), 0, "there is another view");
    zc_release(other);
    other = zc_retain(held);
    cr_expect_eq(zc_unshare(x, 1, &held), 0, "there is another reference");
    zc_release(other);
    cr_expect_eq(zc_unshare(x, 1, &held), 1);
    zc_tensor *lazy = zc_keep(zc_add(x, x));
    cr_expect_eq(zc_unshare(lazy, 1, &held), 0);
    cr_expect_eq(zc_unshare(NULL, 1, &held), 0);
    cr_expect_eq(zc_unshare(x, 1, NULL), 0);
    zc_release(lazy);
    zc_release(held);
    zc_release(x);
    finish(b);
}

/* Gradients pass through views of floats. */
Test(unsharing, leaves_floats)
{
    bench b = begin();
    zc_tensor *x = numbers_in_memory(b, ZC_FLOAT64, 10), *held = zc_keep(zc_index(x, 0, 3));
    const zc_tensor *y = zc_square(held);
    cr_expect_eq(zc_unshare(x, 1, &held), 0);
    cr_assert_eq(zc_assign(&x, zc_index(zc_places(x), 0, 0), y), ZC_OK);
    const zc_tensor *gradient = zc_grad(y, held);
    cr_assert_not_null(gradient, "%s", zc_error_text(b.ctx));
    cr_expect_eq(number_of(gradient), 6);
    zc_release(held);
    zc_release(x);
    finish(b);
}
