/*
 * Bit casts: elements of another size over the same bytes.
 *
 * Formula: the result shows the bytes of the argument in the same order, an element's worth at a time; it is refused
 * exactly when an element's worth does not follow one another, begins where such an element cannot, crosses the end of
 * the last axis, or when no strides reach all of them.
 */
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/chain.h"
#include "views/view_ops.h"

#include <stdlib.h>
#include <string.h>

enum { CASTS = 40000 };

static const size_t sizes[] = {1, 2, 4, 8};

/* The address of byte b in the order of o's elements. */
static int64_t byte_at(const oracle *o, int64_t from_bytes, int64_t b)
{
    return o->element[b / from_bytes] * from_bytes + b % from_bytes;
}

/* Computes the elements the cast has to show; false when it has to be refused. The caller frees `out` then, too. */
static bool expect_cast(const oracle *in, int64_t from, int64_t to, oracle *out)
{
    *out = (oracle){.rank = in->rank};
    if (from == to || in->rank == 0) {
        oracle_strided(out, in->rank, in->shape, in->shape, 0); /* room */
        memcpy(out->element, in->element, (size_t)in->count * sizeof *in->element);
        return from == to;
    }
    int64_t shape[ZC_MAX_RANK];
    memcpy(shape, in->shape, sizeof shape);
    int64_t row_bytes = shape[in->rank - 1] * from;
    shape[in->rank - 1] = row_bytes / to;
    oracle_strided(out, in->rank, shape, shape, 0); /* room */
    if (row_bytes % to != 0)
        return false;
    for (int64_t k = 0; k < out->count; k++) {
        int64_t first = byte_at(in, from, k * to);
        for (int64_t b = 1; b < to; b++)
            if (byte_at(in, from, k * to + b) != first + b)
                return false;
        if (first % to != 0)
            return false;
        out->element[k] = first / to;
    }
    return oracle_is_affine(out);
}

/* A view with strides that often fit an element of another size, and the elements it shows. */
static void draw(zc_view *view, oracle *elements)
{
    static const chain_limits limits = {.rank = 4, .extent = 8, .size = 200, .huge = false};
    int64_t shape[ZC_MAX_RANK], stride[ZC_MAX_RANK];
    int rank = chain_draw_shape(&limits, shape);
    int64_t offset = zc_random_range(0, 3) * 4, storage = 1, below = 0;
    for (int a = 0; a < rank; a++) {
        stride[a] = zc_random_range(-3, 4) * (zc_random_bool() ? 4 : 2);
        if (a == rank - 1 && zc_random_range(0, 5) > 0)
            stride[a] = 1;
        if (zc_random_range(0, 9) == 0)
            stride[a] = zc_random_range(-2, 2);
        int64_t reach = shape[a] > 0 ? (shape[a] - 1) * stride[a] : 0;
        below -= reach < 0 ? reach : 0;
        storage += reach < 0 ? -reach : reach;
    }
    offset += zc_random_range(0, 9) == 0 ? below : (below + 7) / 8 * 8;
    oracle_strided(elements, rank, shape, stride, offset);
    cr_assert_eq(zc_view_prove(rank, shape, stride, offset, offset + storage, view, NULL), ZC_OK);
}

Test(bitcast, shows_the_same_bytes)
{
    zc_random_begin("bitcast");
    int accepted[3] = {0}, refused[3] = {0}; /* to smaller ones, the same, larger ones */
    for (int i = 0; i < CASTS * zc_test_scale(); i++) {
        zc_view in, out;
        oracle elements, expected;
        zc_reason why = {.text = ""};
        char text[ZC_SHAPE_TEXT];
        size_t from = sizes[zc_random_range(0, 3)], to = sizes[zc_random_range(0, 3)];
        draw(&in, &elements);
        bool fits = expect_cast(&elements, (int64_t)from, (int64_t)to, &expected);
        zc_status status = zc_view_bitcast(&in, from, to, &out, &why);
        cr_assert_eq(status == ZC_OK, fits, "%s of %zu bytes to %zu: '%s'",
                     zc_shape_text(text, sizeof text, in.rank, in.shape), from, to, why.text);
        cr_assert_eq(status == ZC_OK, why.text[0] == '\0');
        cr_assert(!fits || oracle_agrees(&expected, &out), "other bytes");
        if (fits) {
            cr_assert_eq(zc_view_bitcast(&in, from, to, &in, NULL), ZC_OK);
            cr_assert(zc_view_equal(&in, &out), "differs in place");
        }
        (fits ? accepted : refused)[(to > from) - (to < from) + 1]++;
        oracle_free(&elements);
        oracle_free(&expected);
    }
    cr_log_info("smaller: %d accepted, %d refused; larger: %d accepted, %d refused", accepted[0], refused[0],
                accepted[2], refused[2]);
    cr_assert(accepted[0] > CASTS / 20 && refused[0] > CASTS / 20 && accepted[2] > CASTS / 40);
    cr_assert(refused[2] > CASTS / 20 && refused[1] == 0);
}

static void expect_refusal(const zc_view *in, size_t from, size_t to, zc_status status, const char *sentence)
{
    zc_view out;
    zc_reason why = {.text = ""};
    cr_expect_eq(zc_view_bitcast(in, from, to, &out, &why), status);
    cr_expect_str_eq(why.text, sentence);
}

Test(bitcast, says_what_is_in_the_way)
{
    zc_view in;
    zc_view_row_major(ZC_SCALAR_SHAPE, &in);
    expect_refusal(&in, 4, 1, ZC_ERROR_SHAPE, "a scalar has no axis that elements of another size could fill");
    zc_view_row_major(ZC_SHAPE(4, 6), &in);
    expect_refusal(&in, 1, 4, ZC_ERROR_SHAPE,
                   "the last axis has 6 elements, which do not make whole elements of 4 times their size");
    cr_assert_eq(zc_view_matrix_transpose(&in, &in, NULL), ZC_OK);
    expect_refusal(&in, 8, 4, ZC_ERROR_SHAPE,
                   "the last axis steps 6 elements, not 1, as elements of another size need it");
    zc_view_row_major(ZC_SHAPE(4, 6), &in);
    cr_assert_eq(zc_view_slice(&in, 1, 1, 5, 1, &in, NULL), ZC_OK);
    expect_refusal(&in, 4, 8, ZC_ERROR_ARGUMENT,
                   "the first element is number 1 of the memory, where none of 2 times its size begins");
    zc_view_row_major(ZC_SHAPE(4, 6), &in);
    cr_assert_eq(zc_view_slice(&in, 1, 0, 4, 1, &in, NULL), ZC_OK);
    expect_refusal(&in, 2, 8, ZC_ERROR_ARGUMENT, "axis 0 steps 6 elements, no multiple of the 4 that become one");
    zc_view_row_major(ZC_SHAPE(INT64_C(1) << 61), &in);
    expect_refusal(&in, 8, 1, ZC_ERROR_OVERFLOW, "elements 8 times smaller reach beyond 64 bits");
    cr_assert_eq(zc_view_broadcast_to(&in, 2, (const int64_t[]){2, INT64_C(1) << 61}, &in, NULL), ZC_OK);
    zc_view out;
    cr_expect_eq(zc_view_bitcast(&in, 4, 2, &out, NULL), ZC_ERROR_OVERFLOW);
    in = (zc_view){.rank = 2, .shape = {2, 2}, .stride = {INT64_C(1) << 61, 1}};
    expect_refusal(&in, 8, 1, ZC_ERROR_OVERFLOW, "elements 8 times smaller reach beyond 64 bits");
    in = (zc_view){.rank = 1, .shape = {2}, .stride = {1}, .offset = INT64_C(1) << 61};
    expect_refusal(&in, 8, 1, ZC_ERROR_OVERFLOW, "elements 8 times smaller reach beyond 64 bits");
}
