/*
 * Broadcasting by hand: NumPy's and TensorFlow's own cases, and where they are refused, with what words.
 *
 * Expected strides are those over a row-major operand.
 */
#include "views/broadcast.h"

#include "tests/support/zc_test.h"
#include "views/dialects/dialects.h"

#include <string.h>

typedef struct shape {
    int rank;
    int64_t extent[16];
} shape;

#define S(...)                                                                                                         \
    {                                                                                                                  \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                                                            \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define SCALAR                                                                                                         \
    {                                                                                                                  \
        0,                                                                                                             \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

/* from -> to: the strides of the result, or a part of the sentence that refuses it. */
typedef struct broadcast_case {
    shape from;
    shape to;
    int64_t stride[16];
    const char *refusal;
} broadcast_case;

static const broadcast_case numpy_cases[] = {
    {SCALAR, SCALAR, {0}, NULL},
    {SCALAR, S(0), {0}, NULL},
    {SCALAR, S(1), {0}, NULL},
    {SCALAR, S(3), {0}, NULL},
    {SCALAR, S(2, 3), {0, 0}, NULL},
    {S(1), S(1), {0}, NULL},
    {S(1), S(2), {0}, NULL},
    {S(1), S(0), {0}, NULL},
    {S(3), S(3), {1}, NULL},
    {S(3), S(1, 3), {0, 1}, NULL},
    {S(3), S(2, 3), {0, 1}, NULL},
    {S(1), S(1, 2, 3), {0, 0, 0}, NULL},
    {S(1, 2), S(0, 2), {0, 0}, NULL},
    {S(2, 1), S(2, 0), {0, 0}, NULL},
    {S(0), S(0), {0}, NULL},
    {S(0), S(3, 0), {0, 0}, NULL},
    {S(1, 3), S(4, 3), {0, 1}, NULL},
    {S(3, 1), S(3, 4), {1, 0}, NULL},
    {S(3, 1), S(2, 3, 4), {0, 1, 0}, NULL},
    {S(2, 1, 4), S(2, 5, 4), {4, 0, 1}, NULL},
    {S(2, 3), S(5, 1, 2, 3), {0, 0, 3, 1}, NULL},
    {S(1, 1), S(INT64_C(1) << 31, INT64_C(1) << 31), {0, 0}, NULL},
    {S(1), S(INT64_MAX), {0}, NULL},
    {S(1, 1), S(INT64_MAX, 0), {0, 0}, NULL},
    {S(0), SCALAR, {0}, "(0,) is not a scalar's"},
    {S(1), SCALAR, {0}, "(1,) is not a scalar's"},
    {S(3), S(1), {0}, "(3,) cannot be broadcast to (1,): axis 0 of size 3 cannot become 1"},
    {S(3), S(2), {0}, "(3,) cannot be broadcast to (2,): axis 0 of size 3 cannot become 2"},
    {S(3), S(0), {0}, "(3,) cannot be broadcast to (0,)"},
    {S(0), S(5), {0}, "(0,) cannot be broadcast to (5,)"},
    {S(0), S(1), {0}, "(0,) cannot be broadcast to (1,)"},
    {S(3), S(3, 1), {0}, "(3,) cannot be broadcast to (3, 1)"},
    {S(1, 2), S(2, 1), {0}, "(1, 2) cannot be broadcast to (2, 1): axis 1 of size 2 cannot become 1"},
    {S(1, 1), S(1), {0}, "(1, 1) has more axes than the shape (1,)"},
    {S(2, 3), S(3), {0}, "(2, 3) has more axes than the shape (3,)"},
    {S(4), S(1), {0}, "(4,) cannot be broadcast to (1,)"},
    {S(1), S(-1), {0}, "size -1 of axis 0 of shape (-1,) is negative"},
    {SCALAR, S(-1), {0}, "negative"},
    {S(1, 2), S(-1, 2), {0}, "size -1 of axis 0 of shape (-1, 2) is negative"},
    {S(3), S(-1, 3), {0}, "negative"},
    {S(3, 1), S(-1, 4), {0}, "negative"},
    {S(1, 1), S(INT64_C(1) << 32, INT64_C(1) << 31), {0}, "shape (4294967296, 2147483648) multiply to more than"},
    {S(1, 1, 1), S(0, INT64_MAX, 2), {0}, "shape (0, 9223372036854775807, 2) multiply to more than"},
    {S(1), S(INT64_MIN), {0}, "size -9223372036854775808 of axis 0"},
};

static const broadcast_case tensorflow_cases[] = {
    {S(3), S(2, 3), {0, 1}, NULL},
    {S(1, 3), S(2, 3), {0, 1}, NULL},
    {SCALAR, S(3, 3), {0, 0}, NULL},
    {SCALAR, SCALAR, {0}, NULL},
    {S(2, 1, 3), S(2, 5, 3), {3, 0, 1}, NULL},
    {S(2, 1, 3, 2, 2, 2, 1, 1, 1), S(1, 1, 1, 2, 5, 3, 2, 2, 2, 3, 3, 3), {0, 0, 0, 24, 0, 8, 4, 2, 1, 0, 0, 0}, NULL},
    {S(2, 1, 3, 2, 2, 2),
     S(1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 15, 3, 2, 2, 2),
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 0, 8, 4, 2, 1},
     NULL},
    {S(1), S(0), {0}, NULL},
    {S(2), S(2, 1), {0}, "Unable to broadcast tensor of shape [2] to tensor of shape [2,1]"},
    {S(3), S(4), {0}, "Incompatible shapes: [3] vs. [4]"},
    {S(3), S(1), {0}, "Unable to broadcast tensor of shape [3] to tensor of shape [1]"},
    {S(2, 2), S(2), {0}, "Rank of input (2) must be no greater than rank of output shape (1)"},
    {S(1), SCALAR, {0}, "Rank of input (1) must be no greater than rank of output shape (0)"},
    {S(3), S(0), {0}, "Incompatible shapes: [3] vs. [0]"},
    {S(0), S(5), {0}, "Incompatible shapes: [0] vs. [5]"},
    {S(1, 1), S(-1, 1), {0}, "Dimension -1 must be >= 0"},
    {S(1), S(2, -7), {0}, "Dimension -7 must be >= 0"},
    {S(1), S(0, -7), {0}, "Dimension -7 must be >= 0"},
    {S(3), S(110, 53, 104, 147, 157, 123, 5, 24, 188, 40, 5, 2), {0}, "[110,53,104,147,157,123,5,24,188,40,5,2]"},
};

typedef zc_status broadcast_function(const zc_view *in, int rank, const int64_t *shape, zc_view *out, zc_reason *why);

static void check_case(const broadcast_case *c, broadcast_function *broadcast)
{
    zc_view in;
    zc_view out;
    zc_reason why = {.text = ""};
    char from[ZC_SHAPE_TEXT];
    char to[ZC_SHAPE_TEXT];
    zc_shape_text(from, sizeof from, c->from.rank, c->from.extent);
    zc_shape_text(to, sizeof to, c->to.rank, c->to.extent);
    zc_view_row_major(c->from.rank, c->from.extent, &in);
    zc_status status = broadcast(&in, c->to.rank, c->to.extent, &out, &why);
    cr_expect_eq(status == ZC_OK, c->refusal == NULL, "%s to %s: %s", from, to, why.text);
    if (status != ZC_OK && c->refusal != NULL)
        cr_expect(strstr(why.text, c->refusal) != NULL, "%s to %s: '%s' lacks '%s'", from, to, why.text, c->refusal);
    if (status != ZC_OK)
        return;
    cr_expect(zc_shape_equal(out.rank, out.shape, c->to.rank, c->to.extent), "%s to %s: another shape", from, to);
    cr_expect(zc_shape_equal(out.rank, out.stride, c->to.rank, c->stride), "%s to %s: other strides", from, to);
    cr_expect_eq(broadcast(&in, c->to.rank, c->to.extent, &in, NULL), ZC_OK);
    cr_expect(zc_view_equal(&in, &out), "%s to %s: differs in place", from, to);
}

Test(broadcast, numpy_cases)
{
    for (size_t i = 0; i < sizeof numpy_cases / sizeof *numpy_cases; i++)
        check_case(&numpy_cases[i], zc_view_broadcast_to);
}

Test(broadcast, tensorflow_cases)
{
    for (size_t i = 0; i < sizeof tensorflow_cases / sizeof *tensorflow_cases; i++)
        check_case(&tensorflow_cases[i], zc_view_tf_broadcast_to);
}

/* The dialects give the same verdicts here; only their words differ. */
Test(broadcast, tensorflow_gives_numpys_verdicts)
{
    for (size_t i = 0; i < sizeof numpy_cases / sizeof *numpy_cases; i++) {
        const broadcast_case *c = &numpy_cases[i];
        zc_view in;
        zc_view out;
        zc_view_row_major(c->from.rank, c->from.extent, &in);
        zc_status status = zc_view_tf_broadcast_to(&in, c->to.rank, c->to.extent, &out, NULL);
        cr_expect_eq(status == ZC_OK, c->refusal == NULL, "case %zu", i);
    }
}

Test(broadcast, bad_ranks_and_missing_shapes_are_refused)
{
    zc_view in;
    zc_view out;
    zc_reason why;
    int64_t ones[ZC_MAX_RANK + 1];
    for (int a = 0; a <= ZC_MAX_RANK; a++)
        ones[a] = 1;
    zc_view_row_major(1, ones, &in);
    cr_expect_eq(zc_view_broadcast_to(&in, ZC_MAX_RANK, ones, &out, NULL), ZC_OK);
    cr_expect_eq(out.rank, ZC_MAX_RANK);
    cr_expect_eq(zc_view_broadcast_to(&in, ZC_MAX_RANK + 1, ones, &out, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "rank 65 is outside 0 to 64 (operand shape: (1,), target rank: 65)");
    cr_expect_eq(zc_view_tf_broadcast_to(&in, ZC_MAX_RANK + 1, ones, &out, &why), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_view_broadcast_to(&in, -1, ones, &out, &why), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_view_tf_broadcast_to(&in, -1, ones, &out, &why), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_view_broadcast_to(&in, 2, NULL, &out, &why), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_view_tf_broadcast_to(&in, 2, NULL, &out, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "the shape is NULL (operand shape: [1], target shape: NULL)");
}

/* XLA and StableHLO name the axes; StableHLO may even transpose. */
Test(broadcast, the_constructor_takes_any_distinct_axes)
{
    zc_view in;
    zc_view out;
    zc_view_row_major(ZC_SHAPE(1, 3), &in);
    zc_view_broadcast(&in, ZC_SHAPE(2, 3, 2), (const int[]){2, 1}, &out);
    cr_expect(zc_shape_equal(out.rank, out.shape, ZC_SHAPE(2, 3, 2)));
    cr_expect(zc_shape_equal(out.rank, out.stride, ZC_SHAPE(0, 1, 0)));
    zc_view_row_major(ZC_SHAPE(4, 2), &in);
    in.offset = 5;
    zc_view_broadcast(&in, ZC_SHAPE(2, 4), (const int[]){1, 0}, &out);
    cr_expect(zc_shape_equal(out.rank, out.stride, ZC_SHAPE(1, 2)));
    cr_expect_eq(out.offset, 5);
    zc_view_broadcast(&in, ZC_SHAPE(4, 0, 2), (const int[]){0, 2}, &out);
    cr_expect(zc_shape_equal(out.rank, out.stride, ZC_SHAPE(0, 0, 0)));
    cr_expect_eq(out.offset, 0, "a view without elements is canonical");
}

/* NumPy's broadcast_shapes, folded over any number of operands. */
typedef struct shapes_case {
    shape in[4];
    int count;
    shape result;
    const char *refusal;
} shapes_case;

static const shapes_case shapes_cases[] = {
    {{SCALAR, SCALAR}, 2, SCALAR, NULL},
    {{S(1), SCALAR}, 2, S(1), NULL},
    {{S(6, 7), S(5, 6, 1), S(7), S(5, 1, 7)}, 4, S(5, 6, 7), NULL},
    {{S(1, 0), S(0, 1)}, 2, S(0, 0), NULL},
    {{S(1, 1), S(0)}, 2, S(1, 0), NULL},
    {{S(0), S(0, 1)}, 2, S(0, 0), NULL},
    {{S(3, 1), S(1, 4)}, 2, S(3, 4), NULL},
    {{S(2, 3), SCALAR}, 2, S(2, 3), NULL},
    {{S(1, 3, 4), S(2, 3, 3)}, 2, SCALAR, "(1, 3, 4) and (2, 3, 3) cannot be broadcast together: sizes 4 and 3"},
    {{S(3), S(3), S(4)}, 3, SCALAR, "(3,) and (4,) cannot be broadcast together: sizes 3 and 4 at axis 0"},
    {{S(0), S(2)}, 2, SCALAR, "sizes 0 and 2 at axis 0"},
    {{S(2, 1), S(8, 4, 3)}, 2, SCALAR, "sizes 2 and 4 at axis 1"},
};

Test(broadcast, shapes_meet_as_in_numpy)
{
    for (size_t i = 0; i < sizeof shapes_cases / sizeof *shapes_cases; i++) {
        const shapes_case *c = &shapes_cases[i];
        zc_reason why = {.text = ""};
        int64_t met[ZC_MAX_RANK];
        int64_t other[ZC_MAX_RANK];
        int rank = c->in[0].rank;
        int other_rank = 0;
        memcpy(met, c->in[0].extent, sizeof c->in[0].extent);
        zc_status status = ZC_OK;
        for (int k = 1; k < c->count && status == ZC_OK; k++) {
            /* once into a third array, from the other side, once in place */
            status = zc_shape_broadcast(c->in[k].rank, c->in[k].extent, rank, met, &other_rank, other, NULL);
            cr_expect_eq(zc_shape_broadcast(rank, met, c->in[k].rank, c->in[k].extent, &rank, met, &why), status);
            if (status == ZC_OK)
                cr_expect(zc_shape_equal(rank, met, other_rank, other), "case %zu depends on the order", i);
        }
        cr_expect_eq(status, c->refusal == NULL ? ZC_OK : ZC_ERROR_SHAPE, "case %zu: %s", i, why.text);
        if (c->refusal != NULL)
            cr_expect(strstr(why.text, c->refusal) != NULL, "case %zu: '%s'", i, why.text);
        else
            cr_expect(zc_shape_equal(rank, met, c->result.rank, c->result.extent), "case %zu", i);
    }
}

Test(broadcast, no_operand_limit)
{
    int64_t met[2] = {1, 2};
    int rank = 2;
    for (int i = 0; i < 100; i++)
        cr_expect_eq(zc_shape_broadcast(rank, met, ZC_SHAPE(1, 2), &rank, met, NULL), ZC_OK);
    cr_expect(zc_shape_equal(rank, met, ZC_SHAPE(1, 2)));
}

/* Nobody has to ask for the sentence. */
Test(broadcast, refuses_without_a_place_for_the_reason)
{
    zc_view in = {.rank = 1, .offset = 0, .shape = {3}, .stride = {1}}, out;
    cr_expect_eq(zc_view_xla_broadcast(&in, 1, (const int64_t[]){-1}, &out, NULL), ZC_ERROR_ARGUMENT);
    cr_expect_eq(zc_view_tf_broadcast_to(&in, 1, (const int64_t[]){-1}, &out, NULL), ZC_ERROR_ARGUMENT);
    const int64_t huge[] = {INT64_C(1) << 62, 4};
    cr_expect_eq(zc_view_xla_broadcast(&in, 2, huge, &out, NULL), ZC_ERROR_OVERFLOW);
    cr_expect_neq(zc_view_xla_broadcast_in_dim(&in, 2, huge, 1, (const int[]){0}, &out, NULL), ZC_OK);
}
