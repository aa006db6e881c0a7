/* Tests with every verdict, for check_plain.sh: what the plain runner makes of them is known. */
#include "tests/support/zc_test.h"

#include <pthread.h>

static int balance;

static void before(void)
{
    balance++;
}

static void after(void)
{
    balance--;
}

Test(sample, assertions_that_hold, .init = before, .fini = after)
{
    cr_assert_eq(balance, 1);
    cr_assert_str_eq("a", "a");
    cr_assert_float_eq(0.1f + 0.2f, 0.3f, 1e-6);
    cr_assert_arr_eq("ab", "ab", 2, "with a %s", "message");
}

Test(sample, runs_after_the_fini_of_another)
{
    cr_assert_eq(balance, 0);
}

Test(sample, a_failed_assertion_ends_the_test)
{
    cr_assert(false);
    cr_skip_test("not reached");
}

Test(sample, a_failed_expectation_does_not)
{
    cr_expect_eq(1, 2, "but counts");
    balance = 5;
}

Test(sample, the_expectation_above_went_on)
{
    cr_assert_eq(balance, 5);
}

static void *fail(void *unused)
{
    (void)unused;
    cr_assert(false, "on another thread");
    return NULL;
}

Test(sample, an_assertion_on_another_thread_counts)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, fail, NULL), 0);
    pthread_join(thread, NULL);
}

Test(sample, skipped)
{
    cr_skip_test("for a reason");
}

Test(sample, disabled, .disabled = true)
{
    cr_assert(false);
}
