/*
 * Roots of what is never negative, whatever it is made by: where it is zero, the gradient is the least subgradient,
 * zero. Beside each kind stands one like it of which some element could be negative, whose slope is the formula's.
 */
#include <math.h>

#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { COUNT = 4 };

typedef zc_tensor *function(zc_context *ctx, const zc_tensor *x);

#define NUMBER(value)      zc_weak_float(ctx, value)
#define LIST(...)          ((const zc_tensor *const[]){__VA_ARGS__})
#define SQUARE             zc_square(x)
#define RAISED             zc_add(SQUARE, NUMBER(2))
#define POSITIVE           zc_greater(x, NUMBER(-1))
#define PADDED(mode, fill) zc_pad(SQUARE, 1, (const int64_t[]){1}, (const int64_t[]){2}, mode, fill)
#define BACKWARDS          zc_subtract(zc_weak_int(ctx, COUNT - 1), zc_iota(ctx, COUNT))
#define UPDATED(base, op)  zc_update(base, zc_slice(zc_iota(ctx, COUNT), 0, 1, 3, 1), zc_slice(SQUARE, 0, 1, 3, 1), op)

static zc_tensor *computed_sum(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *out = NULL;
    cr_assert_eq(zc_materialize(zc_add(SQUARE, zc_abs(x)), &out), ZC_OK, "%s", zc_error_text(ctx));
    return out;
}

/* More levels than anybody looks down by hand. */
static zc_tensor *tower(zc_context *ctx, const zc_tensor *x)
{
    zc_tensor *t = SQUARE;
    for (int level = 0; level < 100; level++)
        t = zc_add(zc_multiply(t, NUMBER(0.5)), zc_abs(x));
    return t;
}

#define ROOT_KIND(name, always, perhaps)                                                                               \
    static zc_tensor *never_##name(zc_context *ctx, const zc_tensor *x)                                                \
    {                                                                                                                  \
        (void)ctx;                                                                                                     \
        return always;                                                                                                 \
    }                                                                                                                  \
    static zc_tensor *like_##name(zc_context *ctx, const zc_tensor *x)                                                 \
    {                                                                                                                  \
        (void)ctx;                                                                                                     \
        return perhaps;                                                                                                \
    }
#include "tests/api/root_corners.def"
#undef ROOT_KIND

static const struct {
    const char *name;
    function *never, *like;
} kinds[] = {
#define ROOT_KIND(name, always, perhaps) {#name, never_##name, like_##name},
#include "tests/api/root_corners.def"
#undef ROOT_KIND
};

/* The gradient of the root of f at the origin. */
static const double *slopes(zc_context *ctx, function *f, double power, const char *name)
{
    static const double origin[COUNT];
    zc_tensor *x = zc_variable(zc_from_data(ctx, ZC_FLOAT64, ZC_SHAPE(COUNT), origin, sizeof origin)), *out = NULL;
    zc_tensor *inner = f(ctx, x);
    zc_tensor *root = power == 0.5 ? zc_sqrt(inner) : zc_pow(inner, NUMBER(power));
    cr_assert_eq(zc_materialize(zc_grad(root, x), &out), ZC_OK, "%s: %s", name, zc_error_text(ctx));
    return zc_data(out);
}

Test(root_corners, have_slope_zero_where_nothing_is_negative)
{
    zc_context *ctx = zc_context_new(NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int way = 0; way < 2; way++) {
            zc_scope *scope = zc_scope_begin(ctx);
            const double *got = slopes(ctx, kinds[k].never, way == 0 ? 0.5 : 0.25, kinds[k].name);
            for (int i = 0; i < COUNT; i++)
                cr_expect_eq(got[i], 0, "%s: element %d is %g", kinds[k].name, i, got[i]);
            zc_scope_end(scope);
        }
    }
    zc_context_free(ctx);
}

Test(root_corners, keep_the_slope_of_the_formula_where_something_may_be)
{
    zc_context *ctx = zc_context_new(NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        zc_scope *scope = zc_scope_begin(ctx);
        const double *got = slopes(ctx, kinds[k].like, 0.5, kinds[k].name);
        bool is_finite = true;
        for (int i = 0; i < COUNT; i++)
            is_finite = is_finite && isfinite(got[i]);
        cr_expect(!is_finite, "%s: the slope is %g", kinds[k].name, got[0]);
        zc_scope_end(scope);
    }
    zc_context_free(ctx);
}
