/* The strategy that looks elements up in a table: member. */
#include <string.h>

#include "tests/materialize/tile/strategy_case.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

/* Which elements are among others, and the same the other way round. */
static zc_tensor *members(const zc_tensor *x, const zc_tensor *y)
{
    return zc_isin(x, y);
}

static zc_tensor *members_of_transposed(const zc_tensor *x, const zc_tensor *y)
{
    return zc_isin(zc_matrix_transpose(x), zc_flip(y, ZC_ALL_AXES));
}

static zc_tensor *any_equal(const zc_tensor *x, const zc_tensor *y)
{
    return zc_any(zc_equal(zc_expand_dims(y, 1), x), ZC_AXES(0), false);
}

static zc_tensor *any_equal_along(const zc_tensor *x, const zc_tensor *y)
{
    return zc_any(zc_equal(x, y), ZC_AXES(-1), false);
}

static zc_tensor *any_equal_number(const zc_tensor *x, const zc_tensor *y)
{
    (void)y;
    return zc_any(zc_equal(zc_weak_int(zc_context_of(x), 1), x), ZC_AXES(-1), false);
}

static zc_tensor *any_unequal(const zc_tensor *x, const zc_tensor *y)
{
    return zc_any(zc_not_equal(zc_expand_dims(y, 1), x), ZC_AXES(0), false);
}

static const strategy_case memberships[] = {
    {"member", members, {1, {700}}, {1, {40}}},
    {"member", members, {2, {30, 50}}, {1, {32}}},
    {"member", members_of_transposed, {2, {3, 5}}, {1, {5000}}},
    {"member", any_equal, {1, {70}}, {1, {300}}},
    {"member", members, {1, {9000}}, {1, {33}}},
    {"!member", members, {1, {700}}, {1, {31}}},
    {"!member", any_unequal, {1, {70}}, {1, {300}}},
    {"!member", any_equal_along, {2, {70, 300}}, {2, {70, 300}}},
    {"!member", any_equal_number, {2, {70, 300}}, {1, {1}}},
    {"!member", any_equal_along, {2, {70, 300}}, {2, {70, 1}}},
};

Test(strategies, member_looks_elements_up)
{
    EXPECT_STRATEGIES("strategies, member", memberships, REALS);
}

static const strategy_case complex_members[] = {{"!member", members, {1, {70}}, {1, {40}}}};

Test(strategies, member_has_no_table_of_complex_numbers)
{
    EXPECT_STRATEGIES("strategies, complex members", complex_members, COMPLEX);
}

/* More values than one table holds. */
static const strategy_case many_members[] = {
    {"member", members, {1, {5}}, {1, {140000}}},
};

Test(strategies, member_takes_many_values_in_parts)
{
    EXPECT_STRATEGIES("strategies, many members", many_members, BOOLS | 1 << ZC_FLOAT32 | 1 << ZC_INT64);
}

/* ---- Integers that lie close together, or nearly ---- */

enum { VALUES = 40, WANTED = 300 };

static void draw_near(void *to, int64_t count, zc_dtype dtype, uint64_t least, uint64_t width)
{
    const size_t item = zc_dtype_bytes(dtype);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t outside = (uint64_t)zc_random_range(-3, 3), inside = zc_random_u64() % (width + 1);
        const uint64_t number = least + (zc_random_bool() ? inside : zc_random_bool() ? outside : width + outside);
        const uint8_t narrow = (uint8_t)number;
        const uint32_t half = (uint32_t)number;
        memcpy((char *)to + (size_t)i * item,
               item == 1   ? (const void *)&narrow
               : item == 4 ? (const void *)&half
                           : &number,
               item);
    }
}

Test(strategies, member_tells_integers_that_lie_close_together)
{
    static const zc_dtype dtypes[] = {ZC_INT8, ZC_UINT8, ZC_INT32, ZC_UINT32, ZC_INT64, ZC_UINT64};
    static const uint64_t widths[] = {0, 10, 8188, 8191, 8192, 1 << 20, UINT64_MAX / 2};
    static const uint64_t leasts[] = {0, UINT64_C(1) << 63, UINT64_C(1) << 31, 0 - UINT64_C(5), 1000};
    zc_random_begin("strategies, near members");
    for (int round = 0; round < zc_test_count(500); round++) {
        const zc_dtype dtype = dtypes[round % 6];
        const size_t item = zc_dtype_bytes(dtype);
        const int64_t count = VALUES, wanted = WANTED;
        const uint64_t width = widths[zc_random_range(0, 6)], least = leasts[zc_random_range(0, 4)];
        char values[VALUES * sizeof(uint64_t)], x[WANTED * sizeof(uint64_t)];
        draw_near(values, count, dtype, least, width);
        draw_near(x, wanted, dtype, least, width);
        zc_context *ctx = zc_context_new(NULL);
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *found = zc_isin(zc_from_data(ctx, dtype, 1, &wanted, x, (size_t)wanted * item),
                                   zc_from_data(ctx, dtype, 1, &count, values, (size_t)count * item));
        zc_tensor *out = NULL;
        cr_assert_eq(zc_materialize(found, &out), ZC_OK, "%s", zc_error_text(ctx));
        for (int64_t i = 0; i < wanted; i++) {
            bool is_there = false;
            for (int64_t j = 0; j < count; j++)
                is_there |= memcmp(x + (size_t)i * item, values + (size_t)j * item, item) == 0;
            cr_assert_eq(((const uint8_t *)zc_data(out))[i], is_there, "%s, width %lu, number %ld",
                         zc_dtype_name(dtype), (unsigned long)width, (long)i);
        }
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}
