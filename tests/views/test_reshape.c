/* Reshape by hand: where strides can show it, what is inferred for -1, and what is refused. */
#include "tests/support/zc_test.h"
#include "views/view_ops.h"

#include <string.h>

typedef struct reshape_case {
    const char *name;
    int rank;
    int64_t shape[6];
    int64_t stride[6];
    int to_rank;
    int64_t to[6];
    bool affine;
    int64_t expected[6]; /* strides */
} reshape_case;

static const reshape_case cases[] = {
    {"a dense view takes any shape", 2, {4, 6}, {6, 1}, 3, {3, 2, 4}, true, {8, 4, 1}},
    {"to a line", 2, {4, 6}, {6, 1}, 1, {24}, true, {1}},
    {"to itself", 2, {4, 6}, {1, 4}, 2, {4, 6}, true, {1, 4}},
    {"splitting a strided axis", 1, {12}, {-5}, 2, {3, 4}, true, {-20, -5}},
    {"splitting both axes of a transpose", 2, {4, 6}, {1, 4}, 4, {2, 2, 3, 2}, true, {2, 1, 8, 4}},
    {"merging a transpose", 2, {4, 6}, {1, 4}, 1, {24}, false, {1}},
    {"merging repeats with repeats", 2, {4, 6}, {0, 0}, 1, {24}, true, {0}},
    {"merging repeats with elements", 2, {4, 6}, {0, 1}, 1, {24}, false, {1}},
    {"merging elements with repeats", 2, {4, 6}, {1, 0}, 1, {24}, false, {1}},
    {"splitting repeats", 2, {4, 6}, {0, 1}, 3, {2, 2, 6}, true, {0, 0, 1}},
    {"new axes of size 1", 2, {4, 6}, {1, 4}, 5, {1, 4, 1, 6, 1}, true, {0, 1, 0, 4, 0}},
    {"old axes of size 1", 4, {1, 4, 1, 6}, {0, 1, 0, 4}, 2, {4, 6}, true, {1, 4}},
    {"one element of many axes", 3, {1, 1, 1}, {0, 0, 0}, 0, {0}, true, {0}},
    {"one element to many axes", 0, {0}, {0}, 3, {1, 1, 1}, true, {0, 0, 0}},
    {"groups apart", 4, {2, 3, 5, 7}, {3, 1, 6, 30}, 3, {6, 5, 7}, true, {1, 6, 30}},
    {"groups across a break", 3, {2, 3, 4}, {100, 4, 1}, 2, {3, 8}, false, {8, 1}},
    {"groups beside a break", 3, {2, 3, 4}, {100, 4, 1}, 2, {2, 12}, true, {100, 1}},
    {"nothing to nothing", 2, {0, 4}, {0, 0}, 3, {7, 0, 2}, true, {0, 0, 0}},
    {"rows for -1", 2, {4, 6}, {6, 1}, 2, {-1, 8}, true, {8, 1}},
    {"columns for -1", 2, {4, 6}, {6, 1}, 2, {3, -1}, true, {8, 1}},
    {"one for -1", 2, {4, 6}, {6, 1}, 3, {4, -1, 6}, true, {6, 0, 1}},
    {"nothing for -1", 2, {0, 4}, {0, 0}, 2, {-1, 3}, true, {0, 0}},
    {"-1 of a scalar", 0, {0}, {0}, 1, {-1}, true, {0}},
};

Test(reshape, strides_where_they_exist)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const reshape_case *c = &cases[i];
        zc_view in;
        zc_view out;
        zc_reason why = {.text = ""};
        bool affine = !c->affine;
        int64_t offset = c->stride[0] < 0 ? -(c->shape[0] - 1) * c->stride[0] : 0;
        cr_assert_eq(zc_view_prove(c->rank, c->shape, c->stride, offset, 10000, &in, NULL), ZC_OK, "%s", c->name);
        cr_expect_eq(zc_view_reshape(&in, c->to_rank, c->to, &affine, &out, &why), ZC_OK, "%s: %s", c->name, why.text);
        cr_expect_eq(affine, c->affine, "%s", c->name);
        cr_expect(zc_shape_equal(out.rank, out.stride, c->to_rank, c->expected), "%s", c->name);
        cr_expect_eq(out.offset, affine ? in.offset : 0, "%s", c->name);
        cr_expect_eq(zc_view_size(&out), zc_view_size(&in), "%s", c->name);
        cr_expect_eq(zc_view_reshape(&in, c->to_rank, c->to, &affine, &in, NULL), ZC_OK);
        cr_expect(zc_view_equal(&in, &out), "%s: differs in place", c->name);
    }
}

typedef struct refused_case {
    int rank;
    int64_t shape[3];
    int to_rank;
    int64_t to[4];
    zc_status status;
    const char *sentence;
} refused_case;

static const refused_case refused[] = {
    {2, {2, 3}, 2, {4, 2}, ZC_ERROR_SHAPE, "shape (2, 3) of 6 elements cannot be reshaped to (4, 2)"},
    {2, {2, 3}, 2, {-1, 4}, ZC_ERROR_SHAPE, "shape (2, 3) of 6 elements cannot be reshaped to (-1, 4)"},
    {2, {2, 3}, 2, {-1, 0}, ZC_ERROR_SHAPE, "shape (2, 3) of 6 elements cannot be reshaped to (-1, 0)"},
    {2, {0, 3}, 2, {0, -1}, ZC_ERROR_SHAPE, "shape (0, 3) of 0 elements cannot be reshaped to (0, -1)"},
    {2, {0, 3}, 1, {1}, ZC_ERROR_SHAPE, "shape (0, 3) of 0 elements cannot be reshaped to (1,)"},
    {2, {2, 3}, 0, {0}, ZC_ERROR_SHAPE, "shape (2, 3) of 6 elements cannot be reshaped to ()"},
    {0, {0}, 1, {0}, ZC_ERROR_SHAPE, "shape () of 1 elements cannot be reshaped to (0,)"},
    {2, {2, 3}, 3, {-1, 3, -1}, ZC_ERROR_ARGUMENT, "only one size of shape (-1, 3, -1) can be -1"},
    {2, {2, 3}, 2, {-1, -2}, ZC_ERROR_ARGUMENT, "size -2 of axis 1 of shape (-1, -2) is negative"},
    {1,
     {6},
     3,
     {INT64_MAX, 2, 3},
     ZC_ERROR_OVERFLOW,
     "the sizes of shape (9223372036854775807, 2, 3) multiply to more than 2^63 - 1"},
    {1, {6}, -1, {0}, ZC_ERROR_ARGUMENT, "rank -1 is outside 0 to 64"},
    {1, {6}, 65, {0}, ZC_ERROR_ARGUMENT, "rank 65 is outside 0 to 64"},
};

Test(reshape, refusals_name_both_shapes)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const refused_case *c = &refused[i];
        zc_view in;
        zc_view out;
        zc_reason why = {.text = ""};
        bool affine;
        zc_view_row_major(c->rank, c->shape, &in);
        cr_expect_eq(zc_view_reshape(&in, c->to_rank, c->to, &affine, &out, &why), c->status, "%s", c->sentence);
        cr_expect_str_eq(why.text, c->sentence);
    }
    zc_view in;
    zc_reason why;
    bool affine;
    zc_view_row_major(ZC_SHAPE(6), &in);
    cr_expect_eq(zc_view_reshape(&in, 1, NULL, &affine, &in, &why), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(why.text, "the shape is NULL");
}

/* Two steps that would only meet beyond int64 are no one walk. */
Test(reshape, steps_beyond_int64_do_not_continue)
{
    zc_view in = {.rank = 2, .shape = {2, 4}, .stride = {1, INT64_C(1) << 61}}, out;
    bool affine = true;
    cr_assert_eq(zc_view_reshape(&in, ZC_SHAPE(8), &affine, &out, NULL), ZC_OK);
    cr_expect_not(affine);
}
