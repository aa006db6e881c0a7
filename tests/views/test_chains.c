/*
 * Chains of view operations against index arrays, element by element.
 *
 * Formula: view(op(x))[i] = oracle(op(x))[i] for every index i, the two agree on what is refused, and
 * compose(inner, outer)[i] = inner[outer[i]], refused exactly when no strides give that.
 */
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/chain.h"
#include "views/compose.h"
#include "views/view_ops.h"

#include <string.h>

enum { CHAINS = 20000, HALVES = 10000, STEPS = 10, LIMIT = 300 };

static const chain_limits small = {.rank = 8, .extent = 7, .size = LIMIT, .huge = false};

/* A view, the index array it should show, and the size of the storage of both. */
typedef struct twins {
    zc_view view;
    oracle expected;
    int64_t storage;
} twins;

static void begin_row_major(twins *t, int rank, const int64_t *shape)
{
    int64_t stride[ZC_MAX_RANK];
    int64_t step = 1;
    for (int a = rank - 1; a >= 0; a--) {
        stride[a] = step;
        step *= shape[a];
    }
    oracle_strided(&t->expected, rank, shape, stride, 0);
    t->storage = t->expected.count;
    zc_view_row_major(rank, shape, &t->view);
}

/* Small strides of any sign, 0 too, over a storage that is just large enough. */
static void begin_strided(twins *t, int rank, const int64_t *shape)
{
    int64_t stride[ZC_MAX_RANK];
    int64_t offset = 0;
    int64_t storage = 1;
    for (int a = 0; a < rank; a++) {
        stride[a] = zc_random_range(-4, 6);
        int64_t reach = shape[a] > 0 ? (shape[a] - 1) * stride[a] : 0;
        offset -= reach < 0 ? reach : 0;
        storage += reach < 0 ? -reach : reach;
    }
    oracle_strided(&t->expected, rank, shape, stride, offset);
    t->storage = storage;
    cr_assert_eq(zc_view_prove(rank, shape, stride, offset, storage, &t->view, NULL), ZC_OK);
    bool has_elements = t->expected.count > 0;
    if (has_elements)
        cr_assert_neq(zc_view_prove(rank, shape, stride, offset, storage - 1, &t->view, NULL), ZC_OK);
}

static void begin(twins *t)
{
    int64_t shape[ZC_MAX_RANK];
    int rank = chain_draw_shape(&small, shape);
    if (zc_random_range(0, 3) > 0)
        begin_row_major(t, rank, shape);
    else
        begin_strided(t, rank, shape);
}

/* Strides cannot show the reshape: it is the row-major view of a dense copy, another storage. */
static void cut(twins *t)
{
    cr_assert_not(oracle_is_affine(&t->expected), "a reshape that strides can show was cut");
    for (int64_t k = 0; k < t->expected.count; k++)
        t->expected.element[k] = k;
    t->storage = t->expected.count;
}

static int dialects_accepted[DIALECTS];
static int dialects_refused[DIALECTS];

/* One call on both; without as_strided and reshape when it is to stay composable. */
static void advance(twins *t, bool composable_only)
{
    char text[600];
    view_call c;
    zc_view result;
    zc_reason why = {""};
    bool affine = true;
    int64_t shape[ZC_MAX_RANK];
    int rank = t->expected.rank;
    memcpy(shape, t->expected.shape, sizeof shape);
    call_kind kind = (call_kind)zc_random_range(0, composable_only ? CALL_AS_STRIDED - 1 : CALL_KINDS - 1);
    chain_draw(kind, rank, shape, &small, &c);
    chain_text(&c, rank, shape, text, sizeof text);
    bool accepted = oracle_apply(&t->expected, &c);
    zc_view *out = zc_random_bool() ? &t->view : &result;
    zc_status status = chain_call(&c, &t->view, &affine, out, &why);
    cr_assert_eq(accepted, status == ZC_OK, "%s: %s", text, accepted ? why.text : "accepted");
    cr_assert_eq(accepted, why.text[0] == '\0', "%s: a sentence exactly for what is refused", text);
    if (kind == CALL_DIALECT)
        (accepted ? dialects_accepted : dialects_refused)[c.dialect]++;
    if (!accepted)
        return;
    if (!affine)
        cut(t);
    zc_view_copy(out, &t->view);
    cr_assert(oracle_agrees(&t->expected, &t->view), "%s: other elements", text);
}

/* Facts that zc_view reports about itself, counted out. */
static void check_answers(const twins *t)
{
    const zc_view *v = &t->view;
    int64_t lowest = INT64_MAX;
    int64_t highest = INT64_MIN;
    bool dense = true;
    int64_t at[ZC_MAX_RANK] = {0};
    for (int64_t k = 0; k < t->expected.count; k++, oracle_next(v->rank, v->shape, at)) {
        int64_t address = (int64_t)oracle_address(v->rank, v->stride, v->offset, at);
        lowest = address < lowest ? address : lowest;
        highest = address > highest ? address : highest;
        dense = dense && address == v->offset + k;
    }
    cr_assert_eq(zc_view_size(v), t->expected.count);
    cr_assert_eq(zc_view_is_dense(v), dense);
    cr_assert_eq(zc_view_is_identity(v, t->storage), dense && v->offset == 0 && t->expected.count == t->storage);
    if (t->expected.count > 0) {
        int64_t low;
        int64_t high;
        zc_view_reach(v, &low, &high);
        cr_assert_eq(low, lowest);
        cr_assert_eq(high, highest);
    }
}

Test(chains, views_show_what_index_arrays_show)
{
    zc_random_begin("chains");
    for (int chain = 0; chain < CHAINS * zc_test_scale(); chain++) {
        twins t;
        begin(&t);
        int steps = (int)zc_random_range(1, STEPS);
        for (int i = 0; i < steps; i++)
            advance(&t, false);
        check_answers(&t);
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
    begin(&inner);
    for (int i = (int)zc_random_range(0, STEPS / 2); i > 0; i--)
        advance(&inner, false);
    read_off(&inner.expected, &inner.view);
    begin_row_major(&outer, inner.view.rank, inner.view.shape);
    for (int i = (int)zc_random_range(0, STEPS / 2); i > 0; i--)
        advance(&outer, !with_cuts);
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
