/* The strategy that looks elements up in a table: member. */
#include "tests/materialize/tile/strategy_case.h"
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
