/*
 * Loop nests before and after simplification.
 *
 * Formula: the multiset of operand address tuples over the kept axes is the same, and so is, in order, the sequence
 * over the reduced axes that starts at each of them. (Addresses are sums, so that sequence is the same everywhere, and
 * the two can be looked at apart.)
 */
#include "views/nest.h"

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/views/oracle.h"

#include <stdlib.h>
#include <string.h>

enum { NESTS = 20000, RANK = 6, OPERANDS = 3, PITCH = 8, MOST = 4096 };

typedef struct tuple {
    int64_t address[OPERANDS];
} tuple;

typedef struct fixture {
    zc_nest nest;
    int64_t shape[PITCH];
    int64_t stride[OPERANDS * PITCH];
} fixture;

static int64_t draw_stride(const fixture *f, const int64_t *row, int axis, int rank)
{
    bool continues = axis + 1 < rank && zc_random_bool();
    return continues ? row[axis + 1] * f->shape[axis + 1] : zc_random_range(-3, 12);
}

static void draw_nest(fixture *f)
{
    int rank = (int)zc_random_range(0, RANK);
    memset(f, 0x5a, sizeof *f);
    f->nest = (zc_nest){.rank = rank,
                        .kept = (int)zc_random_range(0, rank),
                        .operands = (int)zc_random_range(0, OPERANDS),
                        .pitch = PITCH,
                        .shape = f->shape,
                        .stride = f->stride};
    for (int a = 0; a < rank; a++)
        f->shape[a] = zc_random_range(0, 40) == 0 ? 0 : zc_random_range(1, 4);
    bool all_continue = zc_random_bool();
    for (int a = rank - 1; a >= 0; a--)
        for (int o = 0; o < f->nest.operands; o++) {
            int64_t *row = f->stride + o * PITCH;
            row[a] = all_continue && a + 1 < rank ? row[a + 1] * f->shape[a + 1] : draw_stride(f, row, a, rank);
        }
}

/* The tuples over axes from..to-1, in order. */
static int64_t walk(const zc_nest *nest, int from, int to, tuple *out)
{
    int64_t count = (int64_t)oracle_size(to - from, nest->shape + from);
    cr_assert_leq(count, MOST);
    for (int64_t k = 0; k < count; k++) {
        int64_t at[PITCH];
        memset(&out[k], 0, sizeof out[k]);
        oracle_unravel(k, to - from, nest->shape + from, at);
        for (int o = 0; o < nest->operands; o++)
            out[k].address[o] = (int64_t)oracle_address(to - from, nest->stride + o * nest->pitch + from, 0, at);
    }
    return count;
}

static int compare_tuples(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(tuple));
}

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Checks the axes of a simplified nest: none of size 1, strides that do not grow inwards, none left to merge. */
static void check_order(const zc_nest *nest)
{
    for (int a = 0; a < nest->rank; a++) {
        cr_assert_neq(nest->shape[a], 1, "an axis of size 1 is left");
        if (a + 1 >= nest->kept || nest->operands == 0)
            continue;
        cr_assert_geq(magnitude(nest->stride[a]), magnitude(nest->stride[a + 1]), "strides grow inwards");
    }
    for (int a = 0; a + 1 < nest->rank; a++) {
        bool merges = a + 1 != nest->kept;
        for (int o = 0; o < nest->operands; o++)
            merges = merges && nest->stride[o * PITCH + a] == nest->stride[o * PITCH + a + 1] * nest->shape[a + 1];
        cr_assert_not(merges, "axes %d and %d could have been merged", a, a + 1);
    }
}

static bool has_elements(const zc_nest *nest)
{
    return oracle_size(nest->rank, nest->shape) > 0;
}

Test(nest, simplified_nests_visit_the_same)
{
    static tuple before[MOST];
    static tuple after[MOST];
    static tuple reduced_before[MOST];
    static tuple reduced_after[MOST];
    zc_random_begin("nest");
    for (int i = 0; i < NESTS * zc_test_scale(); i++) {
        fixture f;
        draw_nest(&f);
        fixture original = f;
        zc_nest *nest = &f.nest;
        original.nest.shape = original.shape;
        original.nest.stride = original.stride;
        zc_nest_simplify(nest);
        if (!has_elements(&original.nest)) {
            cr_assert_eq(nest->rank, original.nest.rank);
            cr_assert_arr_eq(f.shape, original.shape, sizeof f.shape);
            continue;
        }
        int64_t count = walk(&original.nest, 0, original.nest.kept, before);
        cr_assert_eq(walk(nest, 0, nest->kept, after), count);
        qsort(before, (size_t)count, sizeof *before, compare_tuples);
        qsort(after, (size_t)count, sizeof *after, compare_tuples);
        cr_assert_arr_eq(before, after, (size_t)count * sizeof *before, "nest %d visits others", i);
        count = walk(&original.nest, original.nest.kept, original.nest.rank, reduced_before);
        cr_assert_eq(walk(nest, nest->kept, nest->rank, reduced_after), count);
        cr_assert_arr_eq(reduced_before, reduced_after, (size_t)count * sizeof(tuple), "nest %d reorders", i);
        check_order(nest);
        fixture once = f;
        zc_nest_simplify(nest);
        cr_assert_eq(nest->rank, once.nest.rank, "a second time changes nothing");
        cr_assert_arr_eq(f.stride, once.stride, sizeof f.stride);
    }
}

/* c = a + b with a dense, b transposed: nothing merges, c's order decides. */
Test(nest, the_first_operand_orders_the_rest_follow)
{
    int64_t shape[] = {4, 1, 3};
    int64_t stride[] = {1, 9, 4, /* */ 3, 7, 1};
    zc_nest nest = {.rank = 3, .kept = 3, .operands = 2, .pitch = 3, .shape = shape, .stride = stride};
    zc_nest_simplify(&nest);
    cr_expect(zc_shape_equal(nest.rank, nest.shape, ZC_SHAPE(3, 4)));
    cr_expect_eq(nest.kept, 2);
    cr_expect(zc_shape_equal(2, stride, ZC_SHAPE(4, 1)));
    cr_expect(zc_shape_equal(2, stride + 3, ZC_SHAPE(1, 3)));
}

Test(nest, dense_operands_become_one_axis)
{
    int64_t shape[] = {2, 3, 4};
    int64_t stride[] = {12, 4, 1, 0, 0, 0};
    zc_nest nest = {.rank = 3, .kept = 3, .operands = 2, .pitch = 3, .shape = shape, .stride = stride};
    zc_nest_simplify(&nest);
    cr_expect(zc_shape_equal(nest.rank, nest.shape, ZC_SHAPE(24)));
    cr_expect_eq(stride[0], 1);
    cr_expect_eq(stride[3], 0);
}

/* Axes whose steps are too far apart for a product that fits are walked one after the other. */
Test(nest, steps_whose_product_overflows_stay_apart)
{
    const int64_t far = INT64_C(1) << 62;
    int64_t shape[] = {3, 4};
    int64_t stride[] = {far, far};
    zc_nest nest = {.rank = 2, .kept = 0, .operands = 1, .pitch = 2, .shape = shape, .stride = stride};
    zc_nest_simplify(&nest);
    cr_expect(zc_shape_equal(nest.rank, nest.shape, ZC_SHAPE(3, 4)));
    cr_expect(zc_shape_equal(2, stride, ZC_SHAPE(far, far)));
}

Test(nest, ties_fall_to_later_operands_then_to_the_old_order)
{
    int64_t shape[] = {2, 3, 5};
    int64_t stride[] = {0, 0, 0, /* */ 1, -40, 1};
    zc_nest nest = {.rank = 3, .kept = 3, .operands = 2, .pitch = 3, .shape = shape, .stride = stride};
    zc_nest_simplify(&nest);
    cr_expect(zc_shape_equal(nest.rank, nest.shape, ZC_SHAPE(3, 2, 5)));
}

Test(nest, nothing_crosses_the_kept_boundary)
{
    int64_t shape[] = {2, 3};
    int64_t stride[] = {3, 1};
    zc_nest nest = {.rank = 2, .kept = 1, .operands = 1, .pitch = 2, .shape = shape, .stride = stride};
    zc_nest_simplify(&nest);
    cr_expect_eq(nest.rank, 2);
    cr_expect_eq(nest.kept, 1);
    nest.kept = 0;
    zc_nest_simplify(&nest);
    cr_expect_eq(nest.rank, 1, "reduced axes merge among themselves");
    cr_expect_eq(nest.kept, 0);
}

Test(nest, merging_never_overflows)
{
    int64_t shape[] = {INT64_C(1) << 32, INT64_C(1) << 32};
    int64_t stride[] = {0, 0};
    zc_nest nest = {.rank = 2, .kept = 2, .operands = 1, .pitch = 2, .shape = shape, .stride = stride};
    zc_nest_simplify(&nest);
    cr_expect_eq(nest.rank, 2);
    stride[0] = stride[1] = INT64_MIN;
    zc_nest_simplify(&nest);
    cr_expect_eq(nest.rank, 2);
}
