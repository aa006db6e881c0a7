/*
 * What is kept from call to call changes no bit: random programs of recording, reading, asking for gradients, variables
 * and results, in a context that keeps and in one that computes everything again. The data are small numbers and zeros
 * of either sign, which tell an element that was put from one that was added to nothing, and a gradient by a result
 * from one by what the result was made of.
 */
#include <math.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { SLOTS = 5, STEPS = 60, FEW = 5, MOST = 24, NUMBERS = 8 };

typedef struct runtime {
    zc_context *ctx;
    zc_tensor *slot[SLOTS];
} runtime;

typedef struct program {
    runtime kept, again;
    zc_dtype dtype;
    int64_t rows, columns;
} program;

static void begin(runtime *r, const program *p, bool recompute, const double *values)
{
    const int64_t size = p->rows * p->columns;
    r->ctx = zc_context_new(&(zc_options){.threads = 1, .recompute = recompute});
    for (int i = 0; i < SLOTS; i++) {
        zc_scope *scope = zc_scope_begin(r->ctx);
        const zc_tensor *numbers = zc_from_data(r->ctx, ZC_FLOAT64, ZC_SHAPE(p->rows, p->columns), values + i * size,
                                                (size_t)size * sizeof *values);
        r->slot[i] = NULL;
        cr_assert_eq(zc_materialize(zc_copy(zc_astype(numbers, p->dtype)), &r->slot[i]), ZC_OK);
        (void)zc_keep(r->slot[i]);
        zc_scope_end(scope);
    }
}

static void end(runtime *r)
{
    for (int i = 0; i < SLOTS; i++)
        zc_release(r->slot[i]);
    cr_expect_eq(zc_memory_usage(r->ctx).nodes, 0);
    zc_context_free(r->ctx);
}

/* ---- Steps ---- */

static zc_tensor *computed(const zc_tensor *t, bool is_compact)
{
    zc_tensor *out = NULL;
    (void)(is_compact ? zc_compact(t, &out) : zc_materialize(t, &out));
    return out;
}

static zc_tensor *rows_of(const zc_tensor *t, int64_t from, int64_t to)
{
    return zc_slice(t, 0, from, to, 1);
}

static zc_tensor *joined(const zc_tensor *above, const zc_tensor *below)
{
    return zc_concat(zc_context_of(above), 2, (const zc_tensor *const[]){above, below}, 0);
}

/* Rows of x in another order, or some of them several times. */
static zc_tensor *taken(const zc_tensor *x, const int64_t *draw, int64_t rows)
{
    int64_t at[MOST];
    for (int64_t i = 0; i < rows; i++)
        at[i] = (draw[0] * i + draw[1]) % rows;
    return zc_take(x, zc_from_data(zc_context_of(x), ZC_INT64, ZC_SHAPE(rows), at, (size_t)rows * sizeof *at), 0);
}

/* Whatever has the shape of x and y. */
static zc_tensor *operate(const program *p, int what, const zc_tensor *x, const zc_tensor *y, const int64_t *draw)
{
    zc_context *ctx = zc_context_of(x);
    const int64_t at = draw[0] % p->rows, other = draw[1] % p->rows, column = draw[2] % p->columns;
    const zc_update_op op = (zc_update_op)(draw[3] % 5);
    switch (what) {
    case 0:
        return draw[0] % 2 == 0 ? zc_add(x, y) : zc_subtract(x, y);
    case 1:
        return zc_multiply(x, y);
    case 2:
        return zc_multiply(x, zc_weak_float(ctx, draw[0] % 2 == 0 ? 0.0 : -0.0));
    case 3:
        return draw[0] % 2 == 0 ? zc_abs(x) : zc_negative(x);
    case 4:
        return zc_maximum(x, y);
    case 5:
        return zc_where(zc_greater(x, y), x, y);
    case 6:
        return zc_relu(x);
    case 7:
        return zc_update(x, rows_of(zc_places(x), at, at + 1), rows_of(y, other, other + 1), op);
    case 8:
        return zc_update(x, zc_slice(zc_places(x), 1, column, p->columns, 2), zc_slice(y, 1, column, p->columns, 2),
                         op);
    case 9:
        return zc_update(x, taken(zc_places(x), draw, p->rows), y, op);
    case 10:
        return joined(rows_of(x, 0, at), rows_of(y, at, p->rows));
    case 11:
        return taken(x, draw, p->rows);
    case 12:
        return zc_cumulative_sum(x, (int)(draw[0] % 2), false);
    case 13:
        return zc_multiply(zc_sum(x, ZC_AXES(1), true), y);
    case 14:
        return zc_subtract(zc_max(x, ZC_AXES(0), true), y);
    case 15:
        return zc_broadcast_to(rows_of(x, at, at + 1), ZC_SHAPE(p->rows, p->columns));
    case 16:
    case 17:
        return zc_variable(x);
    case 18:
        return zc_stop_gradient(x);
    case 19:
    case 20:
        return computed(x, draw[0] % 2 == 0);
    default:
        return joined(computed(rows_of(x, 0, at), false), rows_of(y, at, p->rows));
    }
}

enum { OPERATIONS = 22 };

static zc_tensor *gradient(const zc_tensor *y, const zc_tensor *delta, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    (void)zc_vjp(y, delta, 1, &x, &out);
    return out;
}

/* A step of both programs. What one of them refuses, since it may know less about how elements were made, is left out
 * of the other, too. */
static void step(program *p, const int64_t *draw)
{
    runtime *both[] = {&p->kept, &p->again};
    zc_tensor *t[2];
    const bool is_gradient = draw[4] % 3 == 0;
    for (int k = 0; k < 2; k++) {
        zc_tensor *const *slot = both[k]->slot;
        zc_scope *scope = zc_scope_begin(both[k]->ctx);
        const zc_tensor *x = slot[draw[5] % SLOTS], *y = slot[draw[6] % SLOTS];
        t[k] = is_gradient ? gradient(y, slot[draw[3] % SLOTS], x)
                           : operate(p, (int)(draw[4] / 3 % OPERATIONS), x, y, draw);
        if (t[k] != NULL)
            (void)zc_keep(t[k]);
        zc_error_clear(both[k]->ctx);
        zc_scope_end(scope);
    }
    for (int k = 0; k < 2; k++) {
        if (t[0] != NULL && t[1] != NULL) {
            zc_release(both[k]->slot[draw[7] % SLOTS]);
            both[k]->slot[draw[7] % SLOTS] = t[k];
        } else {
            zc_release(t[k]);
        }
    }
}

/* ---- Reading ---- */

static zc_tensor *seen(const zc_tensor *t, const program *p, const int64_t *draw)
{
    const int64_t at = draw[0] % p->rows, column = draw[1] % p->columns;
    switch (draw[2] % 5) {
    case 0:
        return rows_of(t, at, at + 1);
    case 1:
        return zc_slice(t, 1, column, p->columns, 1);
    case 2:
        return zc_index(zc_index(t, 0, at), 0, column);
    case 3:
        return zc_matrix_transpose(t);
    default:
        return zc_copy(t);
    }
}

/* The same elements, but for what tells one NaN from another. */
static void expect_equal_bits(const program *p, const int64_t *draw, int number, int at)
{
    double bits[2][MOST * MOST]; /* of elements of any float, widened */
    int64_t size = 0;
    for (int k = 0; k < 2; k++) {
        const runtime *r = k == 0 ? &p->kept : &p->again;
        zc_scope *scope = zc_scope_begin(r->ctx);
        const zc_tensor *t = zc_astype(seen(r->slot[draw[7] % SLOTS], p, draw), ZC_FLOAT64);
        size = zc_size(t);
        cr_assert_eq(zc_materialize_into(t, bits[k], sizeof bits[k], NULL, 0), ZC_OK, "%s", zc_error_text(r->ctx));
        zc_scope_end(scope);
    }
    for (int64_t i = 0; i < size; i++) {
        const double got = bits[0][i], wanted = bits[1][i];
        cr_assert((isnan(got) && isnan(wanted)) || memcmp(&got, &wanted, sizeof got) == 0,
                  "program %d, step %d, %s of (%lld, %lld): element %lld is %g, not %g", number, at,
                  zc_dtype_name(p->dtype), (long long)p->rows, (long long)p->columns, (long long)i, got, wanted);
    }
}

static void run_program(int number)
{
    static const double numbers[] = {0.0, -0.0, 1, -1, 2, -0.5, -0.0, 3};
    static const zc_dtype dtypes[] = {ZC_FLOAT64, ZC_FLOAT64, ZC_FLOAT32, ZC_FLOAT16};
    double values[SLOTS * MOST * MOST];
    const bool takes_over = zc_random_range(0, 9) == 0; /* where updates are small against what they update */
    program p = {.dtype = dtypes[zc_random_range(0, 3)],
                 .rows = takes_over ? MOST : zc_random_range(1, FEW),
                 .columns = takes_over ? MOST : zc_random_range(1, FEW)};
    for (int i = 0; i < SLOTS * MOST * MOST; i++)
        values[i] = numbers[zc_random_range(0, NUMBERS - 1)];
    begin(&p.kept, &p, false, values);
    begin(&p.again, &p, true, values);
    for (int at = 0; at < STEPS; at++) {
        int64_t draw[8];
        for (int i = 0; i < 8; i++)
            draw[i] = zc_random_range(0, 1 << 20);
        step(&p, draw);
        for (int i = 0; i < 3; i++)
            draw[i] = zc_random_range(0, 1 << 20);
        if (zc_random_bool())
            expect_equal_bits(&p, draw, number, at);
    }
    end(&p.kept);
    end(&p.again);
}

Test(kept_bits, are_those_that_are_computed_again)
{
    zc_random_begin("kept_bits");
    for (int i = 0; i < zc_test_count(600); i++)
        run_program(i);
}

/* ---- By hand ---- */

/* Element 0 of the gradient of a square by a result, where what that is made of was read before, or was not. */
static double gradient_by_result(zc_tensor *make(const zc_tensor *), bool is_read)
{
    static const double values[] = {3, 5};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *y = zc_negative(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(2), values, sizeof values));
    for (int i = 0; i < 2 && is_read; i++)
        (void)computed(zc_sum(y, ZC_ALL_AXES, false), false);
    cr_expect_eq(zc_memory_usage(ctx).kept_bytes > 0, is_read);
    const zc_tensor *made = make(y), *out = computed(made, false);
    zc_tensor *g = NULL;
    cr_assert_eq(zc_vjp(zc_square(made), NULL, 1, &out, &g), ZC_OK, "%s", zc_error_text(ctx));
    const double slope = *(const double *)zc_data(computed(g, false));
    zc_scope_end(scope);
    zc_context_free(ctx);
    return slope;
}

static zc_tensor *variable_of(const zc_tensor *t)
{
    return zc_variable(t);
}

static zc_tensor *part_of_variable(const zc_tensor *t)
{
    return zc_slice(zc_variable(t), 0, 0, 1, 1);
}

/* A result is made of its tensor, not the other way around. */
Test(kept_bits, a_result_is_no_operand_of_its_tensor)
{
    for (int is_read = 0; is_read < 2; is_read++) {
        cr_expect_eq(gradient_by_result(variable_of, is_read), 0);
        cr_expect_eq(gradient_by_result(part_of_variable, is_read), 0);
    }
}
