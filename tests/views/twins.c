/* Drawing the twins' steps, and comparing them after each. */
#include "tests/views/twins.h"

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "views/view_ops.h"

#include <string.h>

static const chain_limits small = {.rank = 8, .extent = 7, .size = 300, .huge = false};

void twins_begin_row_major(twins *t, int rank, const int64_t *shape)
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

void twins_begin(twins *t)
{
    int64_t shape[ZC_MAX_RANK];
    int rank = chain_draw_shape(&small, shape);
    if (zc_random_range(0, 3) > 0)
        twins_begin_row_major(t, rank, shape);
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

bool twins_advance(twins *t, call_kind kinds, view_call *c)
{
    char text[600];
    zc_view result;
    zc_reason why = {.text = ""};
    bool affine = true;
    int64_t shape[ZC_MAX_RANK];
    int rank = t->expected.rank;
    memcpy(shape, t->expected.shape, sizeof shape);
    call_kind kind = (call_kind)zc_random_range(0, kinds - 1);
    chain_draw(kind, rank, shape, &small, c);
    chain_text(c, rank, shape, text, sizeof text);
    bool accepted = oracle_apply(&t->expected, c);
    zc_view *out = zc_random_bool() ? &t->view : &result;
    zc_status status = chain_call(c, &t->view, &affine, out, &why);
    cr_assert_eq(accepted, status == ZC_OK, "%s: %s", text, accepted ? why.text : "accepted");
    cr_assert_eq(accepted, why.text[0] == '\0', "%s: a sentence exactly for what is refused", text);
    if (!accepted)
        return false;
    if (!affine)
        cut(t);
    zc_view_copy(out, &t->view);
    cr_assert(oracle_agrees(&t->expected, &t->view), "%s: other elements", text);
    return true;
}

void twins_check_answers(const twins *t)
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
