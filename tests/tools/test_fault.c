/* Messages of the command on stderr when it fails. */
#include "tests/support/zc_test.h"

#include <string.h>

#include "expressions/base/fault.h"
#include "tools/base/report.h"

Test(fault, keeps_the_first)
{
    zc_fault fault = {0};
    cr_expect_not(zc_fault_refuse(&fault, "first %d", 1));
    cr_expect_not(zc_fault_usage(&fault, "second"));
    cr_expect_not(zc_fault_memory(&fault));
    cr_expect_eq(zc_exit_code(&fault), ZC_EXIT_REFUSED);
    cr_expect_str_eq(fault.text, "first 1");
    zc_fault other = {0};
    cr_expect_not(zc_fault_usage(&other, "usage"));
    cr_expect_not(zc_fault_usage(&other, "more usage"));
    cr_expect_eq(zc_exit_code(&other), ZC_EXIT_USAGE);
    cr_expect_str_eq(other.text, "usage");
}

Test(fault, takes_the_librarys_sentence)
{
    zc_fault fault = {0};
    zc_context *ctx = zc_context_new(NULL);
    cr_expect_null(zc_iota(ctx, -1));
    cr_expect_not(zc_fault_library(&fault, ctx));
    cr_expect_eq(zc_exit_code(&fault), ZC_EXIT_REFUSED);
    cr_expect_str_eq(fault.text, zc_error_text(ctx));
    zc_context_free(ctx);
}

/* Long texts are cut, and adding to a full one changes nothing. */
Test(fault, cuts_and_cleans)
{
    char longest[2 * ZC_FAULT_BYTES];
    zc_fault fault = {0};
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    (void)zc_fault_usage(&fault, "\t\x1b\n\x7f%s", longest);
    cr_expect_eq(strlen(fault.text), ZC_FAULT_BYTES - 1);
    cr_expect(memcmp(fault.text, " ???x", 5) == 0, "%.8s", fault.text);
    zc_fault_add_line(&fault, "a line");
    cr_expect_eq(strlen(fault.text), ZC_FAULT_BYTES - 1);
    cr_expect_null(strchr(fault.text, '\n'));
}
