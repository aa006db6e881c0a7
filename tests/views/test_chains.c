/*
 * Chains of view operations against index arrays, element by element.
 *
 * Formula: view(op(x))[i] = oracle(op(x))[i] for every index i, the two agree on what is refused, and
 * compose(inner, outer)[i] = inner[outer[i]], refused exactly when no strides give that.
 */
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/twins.h"
#include "views/compose.h"

enum { CHAINS = 20000, HALVES = 10000, STEPS = 10 };

Test(chains, views_show_what_index_arrays_show)
{
    int dialects_accepted[DIALECTS] = {0}, dialects_refused[DIALECTS] = {0};
    zc_random_begin("chains");
    for (int chain = 0; chain < CHAINS * zc_test_scale(); chain++) {
        twins t;
        twins_begin(&t);
        int steps = (int)zc_random_range(1, STEPS);
        for (int i = 0; i < steps; i++) {
            view_call c;
            bool accepted = twins_advance(&t, CALL_KINDS, &c);
            if (c.kind == CALL_DIALECT)
                (accepted ? dialects_accepted : dialects_refused)[c.dialect]++;
        }
        twins_check_answers(&t);
        oracle_free(&t.expected);
    }
    for (dialect d = 0; d < DIALECTS; d++) {
        cr_log_info("%s: %d accepted, %d refused", dialect_names[d], dialects_accepted[d], dialects_refused[d]);
        cr_expect(dialects_accepted[d] > CHAINS / 200 && dialects_refused[d] > 0, "%s is hardly tested",
                  dialect_names[d]);
    }
}

/* The elements that a view shows, whatever it was made from. */
static void read_off(oracle *o, const zc_view *view)
{
    oracle_free(o);
    oracle_strided(o, view->rank, view->shape, view->stride, view->offset);
}

/* Two chains built apart, the second over the first's row-major order, then put together. False when refused. */
static bool compose_halves(bool with_cuts, bool *affine)
{
    twins inner;
    twins outer;
    zc_view composed;
    view_call c;
    twins_begin(&inner);
    for (int i = (int)zc_random_range(0, STEPS / 2); i > 0; i--)
        (void)twins_advance(&inner, CALL_KINDS, &c);
    read_off(&inner.expected, &inner.view);
    twins_begin_row_major(&outer, inner.view.rank, inner.view.shape);
    for (int i = (int)zc_random_range(0, STEPS / 2); i > 0; i--)
        (void)twins_advance(&outer, with_cuts ? CALL_KINDS : CALL_AS_STRIDED, &c);
    *affine = true;
    bool done = true;
    if (outer.storage == inner.expected.count) { /* a cut may have left another storage under outer */
        read_off(&outer.expected, &outer.view);
        oracle_compose(&inner.expected, &outer.expected);
        *affine = oracle_is_affine(&outer.expected);
        done = zc_view_compose(&inner.view, &outer.view, &composed);
        cr_assert(!done || oracle_agrees(&outer.expected, &composed), "the composition shows other elements");
    }
    oracle_free(&inner.expected);
    oracle_free(&outer.expected);
    return done;
}

Test(chains, halves_compose_exactly_when_strides_exist)
{
    zc_random_begin("halves");
    int count = HALVES * zc_test_scale();
    int cuts = 0;
    int refused = 0;
    for (int chain = 0; chain < count; chain++) {
        bool affine;
        bool done = compose_halves(true, &affine);
        cuts += !affine;
        refused += affine && !done;
        cr_assert(!done || affine);
    }
    cr_log_info("of %d compositions %d are not affine, %d are affine and refused", count, cuts, refused);
    cr_assert_eq(refused, 0);
}

Test(chains, halves_without_reshape_always_compose)
{
    zc_random_begin("halves without reshape");
    for (int chain = 0; chain < HALVES * zc_test_scale(); chain++) {
        bool affine;
        cr_assert(compose_halves(false, &affine));
        cr_assert(affine);
    }
}
