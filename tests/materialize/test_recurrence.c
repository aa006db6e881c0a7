/*
 * Scans of the elements before, which gradients record: against a loop, over operands of which either may repeat
 * elements along any axis, be computed or be constant; from both ends, of both floats, by all executors.
 */
#include <math.h>

#include "runtime/record/record.h"
#include "runtime/record/scan.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { MOST_ROWS = 70, MOST_LENGTH = 40 };

typedef struct lines {
    int rows, length, axis; /* of the lines */
    bool from_end, is_narrow;
    double x[MOST_ROWS][MOST_LENGTH], factors[MOST_ROWS][MOST_LENGTH];
} lines;

/* Small halves: nothing is rounded, so the order of operations shows in nothing but wrong results. */
static double draw(void)
{
    return (double)zc_random_range(-3, 3) / 2;
}

/* Elements of the lines, of which each row, each column or all may have the same. */
static zc_tensor *draw_operand(zc_context *ctx, const lines *l, double values[MOST_ROWS][MOST_LENGTH])
{
    bool has_rows = zc_random_range(0, 2) > 0, has_columns = zc_random_range(0, 2) > 0;
    int rows = has_rows ? l->rows : 1, columns = has_columns ? l->length : 1, count = 0;
    double flat[MOST_ROWS * MOST_LENGTH];
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < columns; i++)
            flat[count++] = draw();
    }
    for (int r = 0; r < l->rows; r++) {
        for (int i = 0; i < l->length; i++)
            values[r][i] = flat[(has_rows ? r * columns : 0) + (has_columns ? i : 0)];
    }
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(rows, columns), flat, (size_t)count * sizeof *flat);
    if (count == 1 && zc_random_bool())
        t = zc_full(ctx, ZC_SHAPE(1, 1), ZC_FLOAT64, flat[0]);
    if (zc_random_bool()) { /* computed in a chain */
        zc_tensor *half = zc_weak_float(ctx, 0.5);
        t = zc_multiply(zc_add(zc_add(t, half), zc_subtract(t, half)), half);
    }
    t = zc_broadcast_to(t, ZC_SHAPE(l->rows, l->length));
    t = l->axis == 1 ? t : zc_matrix_transpose(zc_random_bool() ? zc_copy(t) : t);
    return zc_astype(t, l->is_narrow ? ZC_FLOAT32 : ZC_FLOAT64);
}

static double element(const zc_tensor *t, const lines *l, int r, int i)
{
    int64_t at = l->axis == 1 ? r * zc_shape(t)[1] + i : i * zc_shape(t)[1] + r;
    return l->is_narrow ? (double)((const float *)zc_data(t))[at] : ((const double *)zc_data(t))[at];
}

static void check_lines(zc_context *ctx, const lines *l, zc_tensor *t, bool is_product, int seen)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_slice(t, l->axis, 0, seen, 1), &out), ZC_OK, "%s", zc_error_text(ctx));
    for (int r = 0; r < l->rows; r++) {
        double wanted = is_product ? 1 : 0;
        for (int k = 0; k < l->length; k++) {
            int i = l->from_end ? l->length - 1 - k : k;
            double got = i < seen ? element(out, l, r, i) : wanted;
            if (l->is_narrow)
                wanted = (double)(float)wanted;
            cr_assert(got == wanted, "%s of (%d, %d) along %d%s: row %d, element %d is %g, not %g",
                      is_product ? "product" : "recurrence", l->rows, l->length, l->axis,
                      l->from_end ? " from the end" : "", r, i, got, wanted);
            wanted = is_product ? wanted * l->x[r][i] : l->x[r][i] + (k == 0 ? 0 : l->factors[r][i] * wanted);
        }
    }
}

Test(recurrences, agree_with_a_loop)
{
    zc_random_begin("recurrences");
    for (int i = 0; i < zc_test_count(600); i++) {
        lines l = {.axis = i % 2, .from_end = i / 2 % 2 != 0, .is_narrow = i / 4 % 3 == 0};
        l.rows = (int)zc_random_range(1, i % 3 == 0 ? MOST_ROWS : 3);
        l.length = (int)zc_random_range(1, l.is_narrow ? 8 : MOST_LENGTH / 2);
        zc_context *ctx = zc_context_new(&(zc_options){.threads = 1 + i % 2, .executor = i % 5 == 0});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *x = draw_operand(ctx, &l, l.x), *factors = draw_operand(ctx, &l, l.factors);
        int seen = zc_random_bool() ? l.length : (int)zc_random_range(1, l.length);
        check_lines(ctx, &l, zc_record_product_before(x, l.axis, l.from_end, "test"), true, seen);
        check_lines(ctx, &l, zc_record_recurrence(x, factors, l.axis, l.from_end, "test"), false, seen);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* The first and the last factor have no effect, whatever they are. */
Test(recurrences, do_not_read_the_first_and_the_last_factor)
{
    static const double x[] = {1, 2, 3}, factors[] = {INFINITY, 5, NAN}, wanted[] = {0, 1, 7};
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    for (int axis = 0; axis < 2; axis++) {
        const int64_t shape[2] = {axis == 0 ? 3 : 1, axis == 0 ? 1 : 3};
        zc_tensor *out = NULL, *a = zc_from_data(ctx, ZC_FLOAT64, 2, shape, x, sizeof x);
        zc_tensor *f = zc_from_data(ctx, ZC_FLOAT64, 2, shape, factors, sizeof factors);
        cr_assert_eq(zc_materialize(zc_record_recurrence(a, f, axis, false, "test"), &out), ZC_OK);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(((const double *)zc_data(out))[i], wanted[i]);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}
