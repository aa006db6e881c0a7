/*
 * Gradients of prod and cumulative_prod, to the bit what the manual defines, and as near as rounding allows to exact
 * values by MPFR wherever the products in their order stay in the range: over vectors with zeros, infinities,
 * subnormal and extreme numbers.
 */
#include <float.h>
#include <math.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

#if defined(ZC_TEST_HAVE_MPFR)
#include <mpfr.h>
#endif

enum { ROWS = 50, BATCHES = 200, LONGEST = 24 };

/* ---- The definition ---- */

/* Products of the elements before and after each. */
static void multiply_around(const double *x, int n, double *before, double *after)
{
    before[0] = after[n - 1] = 1;
    for (int i = 1; i < n; i++)
        before[i] = before[i - 1] * x[i - 1];
    for (int i = n - 2; i >= 0; i--)
        after[i] = after[i + 1] * x[i + 1];
}

static void define_prod(const double *x, int n, double *gradient)
{
    double before[LONGEST], after[LONGEST];
    multiply_around(x, n, before, after);
    for (int i = 0; i < n; i++)
        gradient[i] = before[i] * after[i];
}

static void define_cumulative_prod(const double *x, const double *delta, int n, double *gradient)
{
    double before[LONGEST], unused[LONGEST], later = -0.0;
    multiply_around(x, n, before, unused);
    for (int i = n - 1; i >= 0; i--) {
        gradient[i] = before[i] * (delta[i] + later);
        later = i == n - 1 ? delta[i] * x[i] : x[i] * later + delta[i] * x[i];
    }
}

/* ---- Vectors ---- */

static double draw_size(int kind)
{
    double size = 1 + zc_random_double();
    switch (kind) {
    case 0:
        return 0;
    case 1:
        return INFINITY;
    case 2:
        return ldexp(size, (int)zc_random_range(-1074, -1023));
    case 3:
        return ldexp(size, (int)zc_random_range(-1000, -400));
    case 4:
        return ldexp(size, (int)zc_random_range(400, 1000));
    default:
        return ldexp(size, (int)zc_random_range(-12, 11));
    }
}

/* Draws a vector: most elements of every second one are ordinary; others are dense in special ones. */
static void draw_vector(double *x, int n)
{
    int64_t rarity = zc_random_bool() ? 40 : 6;
    for (int i = 0; i < n; i++) {
        int64_t kind = zc_random_range(0, 4 + rarity);
        x[i] = copysign(draw_size((int)kind), zc_random_bool() ? -1 : 1);
    }
}

typedef struct batch {
    int n;
    double x[ROWS][LONGEST], delta[ROWS][LONGEST];
    double prod[ROWS][LONGEST], cumulative[ROWS][LONGEST]; /* gradients */
} batch;

static void draw_batch(batch *b)
{
    b->n = (int)zc_random_range(1, LONGEST);
    for (int r = 0; r < ROWS; r++) {
        draw_vector(b->x[r], b->n);
        for (int i = 0; i < b->n; i++)
            b->delta[r][i] = 0.5 + zc_random_double();
    }
}

/* Rows of a batch as lines along `axis` of a tensor. */
static zc_tensor *tensor_of(zc_context *ctx, double rows[ROWS][LONGEST], int n, int axis)
{
    double flat[ROWS * LONGEST];
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < n; i++)
            flat[axis == 1 ? r * n + i : i * ROWS + r] = rows[r][i];
    }
    const int64_t shape[2] = {axis == 1 ? ROWS : n, axis == 1 ? n : ROWS};
    return zc_from_data(ctx, ZC_FLOAT64, 2, shape, flat, (size_t)(ROWS * n) * sizeof *flat);
}

static void read_rows(zc_context *ctx, zc_tensor *t, int axis, double rows[ROWS][LONGEST])
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    int n = (int)zc_shape(out)[axis];
    const double *flat = zc_data(out);
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < n; i++)
            rows[r][i] = flat[axis == 1 ? r * n + i : i * ROWS + r];
    }
}

static void differentiate(batch *b, zc_options options, int axis)
{
    zc_context *ctx = zc_context_new(&options);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = tensor_of(ctx, b->x, b->n, axis), *out = NULL;
    read_rows(ctx, zc_grad(zc_prod(x, 1, &axis, false), x), axis, b->prod);
    zc_tensor *delta = tensor_of(ctx, b->delta, b->n, axis);
    cr_assert_eq(zc_vjp(zc_cumulative_prod(x, axis, false), delta, 1, (const zc_tensor *const[]){x}, &out), ZC_OK);
    read_rows(ctx, out, axis, b->cumulative);
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* ---- To the bit ---- */

static bool is_same(double a, double b)
{
    return (a == b && signbit(a) == signbit(b)) || (isnan(a) && isnan(b));
}

static void expect_same(const char *name, const batch *b, int row, const double *got, const double *wanted)
{
    for (int i = 0; i < b->n; i++) {
        cr_assert(is_same(got[i], wanted[i]), "%s, row %d of %d elements: element %d is %a, not %a", name, row, b->n, i,
                  got[i], wanted[i]);
    }
}

static void check_definition(const batch *b)
{
    double wanted[LONGEST];
    for (int r = 0; r < ROWS; r++) {
        define_prod(b->x[r], b->n, wanted);
        expect_same("prod", b, r, b->prod[r], wanted);
        define_cumulative_prod(b->x[r], b->delta[r], b->n, wanted);
        expect_same("cumulative_prod", b, r, b->cumulative[r], wanted);
    }
}

Test(product_gradients, are_what_the_manual_defines)
{
    zc_random_begin("product_gradients/definition");
    for (int i = 0; i < zc_test_count(BATCHES); i++) {
        batch b;
        draw_batch(&b);
        differentiate(&b, (zc_options){.threads = 1 + i % 2, .executor = i % 3 == 0}, i / 2 % 2);
        check_definition(&b);
    }
}

/* ---- Exact values ---- */

#if defined(ZC_TEST_HAVE_MPFR)
enum { PRECISION = 400 };

/* Tells whether a double has the number but for one rounding, and room for the sum of as many as there are elements. */
static bool is_in_range(mpfr_t value)
{
    if (!mpfr_regular_p(value))
        return true; /* so made by zeros and infinities */
    mpfr_t rounded;
    mpfr_init2(rounded, PRECISION);
    (void)mpfr_set_d(rounded, mpfr_get_d(value, MPFR_RNDN), MPFR_RNDN);
    (void)mpfr_sub(rounded, rounded, value, MPFR_RNDN);
    (void)mpfr_div(rounded, rounded, value, MPFR_RNDN);
    double error = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    return fabs(error) <= DBL_EPSILON && fabs(mpfr_get_d(value, MPFR_RNDN)) <= DBL_MAX / (2 * LONGEST);
}

/* The product of x[first] .. x[last] without x[without], in order; *in_range: and all products on the way. */
static void multiply_exactly(mpfr_t out, const double *x, int first, int last, int without, bool *in_range)
{
    (void)mpfr_set_ui(out, 1, MPFR_RNDN);
    for (int k = first; k <= last; k++) {
        if (k != without)
            (void)mpfr_mul_d(out, out, x[k], MPFR_RNDN);
        *in_range = *in_range && is_in_range(out);
    }
}

/* Tells whether every product of neighbours, from any element to any after it, is in the range. */
static bool stays_in_range(const double *x, int n)
{
    bool in_range = true;
    mpfr_t product;
    mpfr_init2(product, PRECISION);
    for (int i = 0; i < n && in_range; i++)
        multiply_exactly(product, x, i, n - 1, -1, &in_range);
    for (int i = n - 1; i >= 0 && in_range; i--) {
        (void)mpfr_set_ui(product, 1, MPFR_RNDN);
        for (int k = i; k >= 0; k--) {
            (void)mpfr_mul_d(product, product, x[k], MPFR_RNDN);
            in_range = in_range && is_in_range(product);
        }
    }
    mpfr_clear(product);
    return in_range;
}

/* Within some roundings of `size`, which is what was added up; an overflow may be one in either. */
static bool is_near(double got, mpfr_t exact, mpfr_t size, int roundings)
{
    double wanted = mpfr_get_d(exact, MPFR_RNDN), most = mpfr_get_d(size, MPFR_RNDN);
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got);
    if (!isfinite(got) || !isfinite(most))
        return got == wanted || most > DBL_MAX / 2;
    return fabs(got - wanted) <= roundings * (DBL_EPSILON * most + DBL_TRUE_MIN);
}

/* The sum over the results j from `first` on, weighted. False where infinities meet zeros or those of the other sign in
 * it: then no value is right. */
static bool add_exactly(mpfr_t sum, mpfr_t size, const double *x, const double *delta, int n, int i, int first)
{
    bool unused = true, is_number = true, has_infinity[2] = {false, false};
    mpfr_t term;
    mpfr_init2(term, PRECISION);
    (void)mpfr_set_zero(sum, 1);
    (void)mpfr_set_zero(size, 1);
    for (int j = first; j < n; j++) {
        multiply_exactly(term, x, 0, j, i, &unused);
        (void)mpfr_mul_d(term, term, delta == NULL ? 1 : delta[j], MPFR_RNDN);
        has_infinity[mpfr_signbit(term) != 0] |= mpfr_inf_p(term) != 0;
        is_number = is_number && mpfr_nan_p(term) == 0;
        (void)mpfr_add(sum, sum, term, MPFR_RNDN);
        (void)mpfr_abs(term, term, MPFR_RNDN);
        (void)mpfr_add(size, size, term, MPFR_RNDN);
    }
    mpfr_clear(term);
    return is_number && (!has_infinity[0] || !has_infinity[1]);
}

/* Checks the gradients of vectors whose products stay in range, and returns the number of these. */
static int check_exactly(const batch *b)
{
    int compared = 0;
    mpfr_t sum, size;
    mpfr_inits2(PRECISION, sum, size, (mpfr_ptr)0);
    for (int r = 0; r < ROWS; r++) {
        if (!stays_in_range(b->x[r], b->n))
            continue;
        compared++;
        for (int i = 0; i < b->n; i++) {
            (void)add_exactly(sum, size, b->x[r], NULL, b->n, i, b->n - 1);
            cr_assert(is_near(b->prod[r][i], sum, size, 2 * b->n), "prod, row %d, element %d of %d: %a, not %a", r, i,
                      b->n, b->prod[r][i], mpfr_get_d(sum, MPFR_RNDN));
            if (add_exactly(sum, size, b->x[r], b->delta[r], b->n, i, i))
                cr_assert(is_near(b->cumulative[r][i], sum, size, 4 * b->n),
                          "cumulative_prod, row %d, element %d of %d: %a, not %a", r, i, b->n, b->cumulative[r][i],
                          mpfr_get_d(sum, MPFR_RNDN));
        }
    }
    mpfr_clears(sum, size, (mpfr_ptr)0);
    return compared;
}

Test(product_gradients, agree_with_exact_values_where_products_stay_in_range)
{
    zc_skip_of_one_thread();
    int batches = zc_test_count(BATCHES), compared = 0;
    zc_random_begin("product_gradients/exact");
    for (int i = 0; i < batches; i++) {
        batch b;
        draw_batch(&b);
        differentiate(&b, (zc_options){.threads = 1}, i % 2);
        compared += check_exactly(&b);
    }
    cr_assert_geq(compared, batches * ROWS / 4, "only %d of %d vectors stay in range", compared, batches * ROWS);
}
#endif

/* ---- Axes ---- */

/* Reduced axes are one line in row-major order, wherever they are; windows show what the whole shows. */
Test(product_gradients, walk_several_axes_as_one)
{
    enum { A = 3, B = 4, C = 5 };
    double x[A][B][C], wanted[A][B][C];
    zc_random_begin("product_gradients/axes");
    for (int j = 0; j < B; j++) {
        double line[LONGEST], slope[LONGEST];
        draw_vector(line, A * C);
        define_prod(line, A * C, slope);
        for (int k = 0; k < A * C; k++) {
            x[k / C][j][k % C] = line[k];
            wanted[k / C][j][k % C] = slope[k];
        }
    }
    zc_context *ctx = zc_context_new(NULL);
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(A, B, C), x, sizeof x), *out = NULL;
    zc_tensor *gradient = zc_grad(zc_prod(t, ZC_AXES(0, 2), false), t);
    for (int from = 0; from < A; from++) {
        cr_assert_eq(zc_materialize(zc_slice(gradient, 0, from, from + 1, 1), &out), ZC_OK);
        for (int i = 0; i < B * C; i++) {
            double got = ((const double *)zc_data(out))[i], right = wanted[from][i / C][i % C];
            cr_assert(is_same(got, right), "%d, %d: %a, not %a", from, i, got, right);
        }
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}
