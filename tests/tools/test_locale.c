/* Numbers are written and read with a point, whatever the locale of the process and of its environment. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/zc_test.h"
#include "tests/tools/spawn.h"
#include "tools/command/session.h"

/* A locale whose numbers have commas, made here, so that the machine need not have one. */
static void make_locale(void)
{
    FILE *file = fopen("commas", "w");
    cr_assert_not_null(file);
    (void)fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n", file);
    (void)fclose(file);
    char folder[4096];
    cr_assert(getcwd(folder, sizeof folder) != NULL && setenv("LOCPATH", folder, 1) == 0);
    (void)!system(
        "localedef -c -i commas -f ANSI_X3.4-1968 ./xx_XX >localedef.log 2>&1"); /* warns of what is left out */
    if (setlocale(LC_ALL, "xx_XX") == NULL && setlocale(LC_NUMERIC, "xx_XX") == NULL)
        cr_skip_test("localedef makes no locale here");
    char number[16];
    (void)snprintf(number, sizeof number, "%g", 1.5);
    cr_assert_str_eq(number, "1,5");
}

/* The tests may share one process: those that follow print and read in the locale they know. */
static void restore_locale(void)
{
    (void)setlocale(LC_ALL, "C");
    cr_assert(unsetenv("LC_ALL") == 0 && unsetenv("LOCPATH") == 0);
}

static const char *const lines[] = {
    "eval\t1.5 + 2.25e-3",
    "eval\tarange(3) / 7 * 1e10",
    "eval\t(1.5j, float32(2.5))",
    "eval\tasarray([1.5, 2.25e300, nan])\t--json",
    "eval\tones(3) * 1.5j\t--json",
    "explain\tones(3) * 1.5 + arange(3)",
    "explain\tones(3) * 1.5j + arange(3)\t--format=json",
    "explain\tx = arange(500.) / 3; sum(x[:, None] * x * 0.5, axis=0)\t--format=json",
    "explain\tx = arange(500.) / 3; sum(x[:, None] * x * 0.5, axis=0)",
    "explain\tones(3) * 1.5\t--format=dot",
};

/* Without the time that a JSON object tells. */
static const char *without_time(char *text)
{
    char *time = strstr(text, "\"seconds\": ");
    if (time != NULL)
        memmove(time, strchr(time, ','), strlen(strchr(time, ',')) + 1);
    return text;
}

Test(locale, of_the_environment_is_not_the_commands, .fini = restore_locale)
{
    zc_enter_folder("locale_command");
    make_locale();
    (void)setlocale(LC_ALL, "C");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        static char plain[ZC_SPAWN_TEXT_BYTES], other[ZC_SPAWN_TEXT_BYTES];
        cr_assert_eq(setenv("LC_ALL", "C", 1), 0);
        (void)snprintf(plain, sizeof plain, "%s", zc_spawn_line(lines[i], ZC_SPAWN_KEPT)->out);
        cr_assert_eq(setenv("LC_ALL", "xx_XX", 1), 0);
        (void)snprintf(other, sizeof other, "%s", zc_spawn_line(lines[i], ZC_SPAWN_KEPT)->out);
        cr_expect_str_eq(without_time(other), without_time(plain), "%s", lines[i]);
    }
}

/* The plan of an expression as the library tells it. */
static char *explain(zc_context *ctx, zc_format format)
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_divide(zc_iota(ctx, 500), zc_weak_float(ctx, 2.75));
    zc_tensor *pairs = zc_multiply(zc_multiply(zc_expand_dims(x, 1), x), zc_weak_complex(ctx, 0.5, -1.25));
    char *text = NULL;
    cr_assert_eq(zc_explain(zc_sum(pairs, ZC_AXES(0), false), format, &text), ZC_OK);
    zc_scope_end(scope);
    return text;
}

/* Expects the library to refuse q, with the number that is told. */
static void check_refusal(zc_context *ctx, double q, const char *told)
{
    zc_tensor *x = zc_iota(ctx, 3), *part = zc_weak_float(ctx, q), *out = NULL;
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "quantile: q is %s; it lies between 0 and 1", told);
    cr_expect_eq(zc_quantile(x, part, ZC_ALL_AXES, false, false, &out), ZC_ERROR_ARGUMENT);
    cr_expect_str_eq(zc_error_text(ctx), wanted);
    zc_error_clear(ctx);
    zc_release(part);
    zc_release(x);
}

Test(locale, of_the_process_is_not_the_messages, .fini = restore_locale)
{
    zc_enter_folder("locale_messages");
    make_locale();
    zc_context *ctx = zc_context_new(NULL);
    check_refusal(ctx, 1.5, "1.5");
    check_refusal(ctx, -0.1, "-0.1");
    check_refusal(ctx, 1 + 0x1p-52, "1.0000000000000002");
    check_refusal(ctx, -1e-300, "-1e-300");
    check_refusal(ctx, 1234567.25, "1234567.25");
    check_refusal(ctx, INFINITY, "inf");
    check_refusal(ctx, NAN, "nan");
    zc_context_free(ctx);
}

Test(locale, of_the_process_is_not_the_plans, .fini = restore_locale)
{
    zc_enter_folder("locale_plan");
    make_locale();
    zc_context *ctx = zc_context_new(NULL);
    for (int format = ZC_TEXT; format <= ZC_BRIEF; format++) {
        char *other = explain(ctx, (zc_format)format);
        char host[8];
        (void)snprintf(host, sizeof host, "%g", 1.5);
        cr_expect_str_eq(host, "1,5", "the host's locale is another");
        (void)setlocale(LC_ALL, "C");
        char *plain = explain(ctx, (zc_format)format);
        cr_expect_str_eq(other, plain);
        cr_expect(format >= ZC_DOT || strstr(plain, "2.75") != NULL, "%s", plain);
        zc_text_free(ctx, plain);
        zc_text_free(ctx, other);
        cr_assert(setlocale(LC_ALL, "xx_XX") != NULL || setlocale(LC_NUMERIC, "xx_XX") != NULL);
    }
    zc_context_free(ctx);
}
