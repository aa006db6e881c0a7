/* The plans that explain shows: those that eval would run, and what was computed before. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/zc_test.h"
#include "tests/tools/spawn.h"

#define DIGITS ZC_TEST_SOURCE_DIR "/examples/data/digits.npy"

static int64_t number_behind(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at == NULL ? -1 : strtoll(at + strlen(key), NULL, 10);
}

/* Memory that explain tells is what eval predicts under the same limit, and keeps to. */
Test(plans, are_those_that_eval_would_run)
{
    static const char expression[] =
        "x = arange(700.); d = abs(x[:, None] - x); e = exp(d / 9); (e / sum(e, axis=0)) @ e";
    static const char *const limits[] = {"64M", "12M", "9M", "1M", NULL};
    int64_t last = INT64_MAX;
    int different = 0;
    zc_enter_folder("command_plans");
    for (int i = 0; i == 0 || limits[i - 1] != NULL; i++) {
        const char *const eval[] = {"eval",        expression,       "-o",      "out.npy", "--json",
                                    "--threads=1", "--memory-limit", limits[i], NULL};
        const char *const plan[] = {"explain", expression, "--format=json", "--threads=1", "--memory-limit",
                                    limits[i], NULL};
        const char *const short_eval[] = {"eval", expression, "-o", "out.npy", "--json", "--threads=1", NULL};
        const char *const short_plan[] = {"explain", expression, "--format=json", "--threads=1", NULL};
        const zc_spawned *s = zc_spawn(limits[i] != NULL ? plan : short_plan, ZC_SPAWN_KEPT);
        cr_assert_eq(s->exit_code, 0, "%s", s->error);
        const int64_t told = number_behind(s->out, "\"peak_bytes\": ");
        cr_expect_gt(told, 0);
        s = zc_spawn(limits[i] != NULL ? eval : short_eval, ZC_SPAWN_KEPT);
        if (s->exit_code == 0)
            cr_expect_eq(told, number_behind(s->out, "\"peak_bytes\": "), "%s", limits[i]);
        else
            cr_expect_not_null(strstr(s->error, "over the limit"), "%s", s->error);
        different += told != last;
        last = told;
    }
    cr_expect_gt(different, 2, "no limit changes the plan");
}

/* Operations that a plan does not show, since they were computed to record what follows. */
Test(plans, name_what_was_computed_before)
{
    static const struct {
        const char *line, *names;
    } cases[] = {
        {"explain\tx = arange(4); sort(x[x > 1])[x[:2]] + 1", "sort, masks in subscripts"},
        {"explain\tx = arange(4); x[x > 1] + 1", "masks in subscripts"},
        {"explain\tx = arange(4); x[:2] + nonzero(x)[0][1]", "nonzero"},
        {"explain\tx = arange(4); sort(x) + sort(x) + argsort(x)", "sort, argsort"},
        {"explain\tarange(4) + 1", NULL},
        {"explain\tx = arange(4); sort(x) + 1\t--format=json", NULL},
    };
    zc_enter_folder("command_computed");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char wanted[128] = "computed when called";
        if (cases[i].names != NULL)
            (void)snprintf(wanted, sizeof wanted, "\n\ncomputed when called, before this plan: %s\n", cases[i].names);
        const zc_spawned *s = zc_spawn_line(cases[i].line, ZC_SPAWN_KEPT);
        cr_expect_eq(strstr(s->out, wanted) != NULL, cases[i].names != NULL, "%s: %s", cases[i].line, s->out);
    }
}

/* A plan that does not fit into the limit says so, in every form, and one that fits does not. Saved, each fits: in
 * blocks, or one result after the other. */
Test(plans, say_that_they_are_over_the_limit)
{
    static const struct {
        const char *expression, *limit, *need; /* NULL: it fits */
    } cases[] = {
        {"broadcast_to(1.5, 2000)", "1K", "a result of shape (2000,) needs 16000 bytes"},
        {"ones((40, 50)) * 2", "15999", "needs 16000 bytes of memory with 0 held already, over the limit of 15999"},
        {"ones((40, 50)) * 2", "16000", NULL},
        {"x = ones(1000) + 1; (x, x * 2)\t-o\tmore.npy", "9000", "2 results need 16000 bytes"},
        {"x = ones(1000) + 1; (x, x * 2)\t-o\tmore.npy", "16000", NULL},
        {"sort(arange(1000.))[::-1] + broadcast_to(1., (100, 1000))", "500K", "a result of shape (100, 1000) needs"},
        {"arange(4)", "100", NULL},
    };
    static const char *const formats[] = {"--format=text", "--format=json", "--format=dot"};
    zc_enter_folder("command_over");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        for (int f = 0; f < 3; f++) {
            const int length = (int)strcspn(cases[i].expression, "\t"); /* explain names no files */
            (void)snprintf(line, sizeof line, "explain\t%.*s\t%s\t--memory-limit=%s", length, cases[i].expression,
                           formats[f], cases[i].limit);
            const zc_spawned *s = zc_spawn_line(line, ZC_SPAWN_KEPT);
            cr_assert_eq(s->exit_code, 0, "%s: %s", line, s->error);
            const bool is_said = cases[i].need != NULL && strstr(s->out, cases[i].need) != NULL;
            cr_expect_eq(is_said, cases[i].need != NULL, "%s: %s", line, s->out);
            cr_expect_eq(strstr(s->out, "over the limit") != NULL, cases[i].need != NULL, "%s: %s", line, s->out);
            cr_expect_eq(strstr(s->out, "\"over_limit\": null") != NULL, f == 1 && cases[i].need == NULL, "%s", s->out);
        }
        (void)snprintf(line, sizeof line, "eval\t%s\t-o\tout.npy\t--memory-limit=%s", cases[i].expression,
                       cases[i].limit);
        const zc_spawned *s = zc_spawn_line(line, ZC_SPAWN_KEPT);
        cr_expect_eq(s->exit_code, 0, "%s: %s", line, s->error);
    }
    const zc_spawned *s =
        zc_spawn_line("eval\tcumulative_sum(arange(100000.))[-1]\t--json\t--memory-limit=1000", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 1 && strstr(s->error, "over the limit of 1000") != NULL, "a report: %s", s->error);
}

/* The environment's limit holds where the option is not given. */
Test(plans, keep_to_the_memory_limit_of_the_environment)
{
    static const struct {
        const char *value, *arguments;
        int exit_code;
        const char *error;
    } cases[] = {
        {"1K", "eval\tcumulative_sum(ones(2000))\t-o\tbig.npy", 1, "over the limit of 1024"},
        {"2048", "eval\tcumulative_sum(ones(2000))\t-o\tbig.npy", 1, "over the limit of 2048"},
        {"1K", "eval\tcumulative_sum(ones(2000))\t-o\tbig.npy\t--memory-limit=1M", 0, NULL},
        {"1K", "eval\tbroadcast_to(1.5, 2000)\t-o\tbig.npy", 0, NULL}, /* in blocks */
        {"nonsense", "eval\t1\t--memory-limit=1M", 0, NULL},
        {"nonsense", "eval\t1", 2, "zerocast: ZEROCAST_MEMORY_LIMIT: 'nonsense' is not a number of bytes above 0"},
        {"-1", "eval\t1", 2, "ZEROCAST_MEMORY_LIMIT: '-1'"},
        {"0", "eval\t1", 2, "ZEROCAST_MEMORY_LIMIT: '0'"},
        {"", "eval\t1", 0, NULL},
        {"nonsense", "eval\t--help", 0, NULL},
        {"nonsense", "explain\t1", 2, "ZEROCAST_MEMORY_LIMIT: 'nonsense'"},
        {"nonsense", "help\tsin", 0, NULL},
        {"nonsense", "info\t" DIGITS, 0, NULL},
    };
    zc_enter_folder("command_environment");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(setenv("ZEROCAST_MEMORY_LIMIT", cases[i].value, 1), 0);
        const zc_spawned *s = zc_spawn_line(cases[i].arguments, ZC_SPAWN_KEPT);
        cr_expect_eq(s->exit_code, cases[i].exit_code, "%s with %s: %s", cases[i].arguments, cases[i].value, s->error);
        cr_expect(cases[i].error == NULL ? s->error[0] == '\0' : strstr(s->error, cases[i].error) != NULL, "%s",
                  s->error);
    }
    (void)unsetenv("ZEROCAST_MEMORY_LIMIT");
}
