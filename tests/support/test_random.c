/* The seeded numbers: repeatable, different by name and seed, in range and spread over it. */
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

#include <stdlib.h>

static uint64_t first_number(const char *seed, const char *name)
{
    setenv("ZC_TEST_SEED", seed, 1);
    zc_random_begin(name);
    return zc_random_u64();
}

Test(random, the_same_seed_and_name_give_the_same_numbers)
{
    cr_assert_eq(first_number("7", "a"), first_number("7", "a"));
    cr_assert_neq(first_number("7", "a"), first_number("8", "a"));
    cr_assert_neq(first_number("7", "a"), first_number("7", "b"));
}

Test(random, seeds_may_be_written_in_hexadecimal)
{
    cr_assert_eq(first_number("0x10", "a"), first_number("16", "a"));
}

Test(random, a_range_is_reached_evenly_and_not_left)
{
    int seen[7] = {0};
    zc_random_begin("range");
    for (int i = 0; i < 7000; i++) {
        int64_t x = zc_random_range(-3, 3);
        cr_assert(x >= -3 && x <= 3);
        seen[x + 3]++;
    }
    for (int i = 0; i < 7; i++)
        cr_assert(seen[i] > 850 && seen[i] < 1150, "%d of 7000 are %d", seen[i], i - 3);
}

Test(random, ranges_of_one_and_of_everything_work)
{
    uint64_t seen = 0;
    zc_random_begin("extremes");
    cr_assert_eq(zc_random_range(5, 5), 5);
    cr_assert_eq(zc_random_range(INT64_MIN, INT64_MIN), INT64_MIN);
    for (int i = 0; i < 200; i++)
        seen |= (uint64_t)zc_random_range(INT64_MIN, INT64_MAX);
    cr_assert_eq(seen, UINT64_MAX, "some bit is never set");
}

Test(random, doubles_stay_below_one_and_average_to_a_half)
{
    double sum = 0;
    int heads = 0;
    zc_random_begin("double");
    for (int i = 0; i < 10000; i++) {
        double x = zc_random_double();
        cr_assert(x >= 0 && x < 1);
        sum += x;
        heads += zc_random_bool();
    }
    cr_assert_float_eq(sum / 10000, 0.5, 0.02);
    cr_assert(heads > 4800 && heads < 5200, "%d of 10000 are true", heads);
}

Test(random, the_scale_is_one_unless_set)
{
    unsetenv("ZC_TEST_SCALE");
    cr_assert_eq(zc_test_scale(), 1);
    setenv("ZC_TEST_SCALE", "100", 1);
    cr_assert_eq(zc_test_scale(), 100);
    setenv("ZC_TEST_SCALE", "-5", 1);
    cr_assert_eq(zc_test_scale(), 1);
}
