/* Reports of the command on its results: files by name, times, and pipes that nobody reads any more. */
#include "tests/support/zc_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tools/spawn.h"

#define DIGITS ZC_TEST_SOURCE_DIR "/examples/data/digits.npy"

static const zc_spawned *eval_to(const char *path)
{
    char line[256];
    (void)snprintf(line, sizeof line, "eval\tarange(3)\t-o\t%s", path);
    return zc_spawn_line(line, ZC_SPAWN_KEPT);
}

Test(output, endings_that_name_another_format_are_refused)
{
    static const char *const refused[] = {"out.xml",     "out.XLSX",   "a.b/out.xls", "out.npy.gz",
                                          "./out.gif",   "out.json",   ".hidden.h5",  "out.hdf5",
                                          "out.parquet", "out.x.jpeg", "out.zarr",    "out.pdf"};
    zc_enter_folder("output_refused");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        (void)remove(refused[i]);
        const zc_spawned *s = eval_to(refused[i]);
        cr_expect_eq(s->exit_code, 1, "%s: %d", refused[i], s->exit_code);
        cr_expect(strncmp(s->error, "zerocast: --output: ", 20) == 0 && strstr(s->error, refused[i]) != NULL &&
                      strstr(s->error, ": results are written as .npy, ") != NULL,
                  "%s: %s", refused[i], s->error);
        cr_expect(access(refused[i], F_OK) != 0, "%s was written", refused[i]);
    }
    const zc_spawned *s = zc_spawn_line("eval\tunknown(\t--output=out.xls", ZC_SPAWN_KEPT);
    cr_expect_eq(s->exit_code, 1, "the name is looked at first");
}

/* Names without an ending, with one of no format in particular, and what scripts write to before they rename. */
Test(output, other_names_hold_npy)
{
    static const char *const written[] = {"out.npy",  "out.NPY", "out", "out.new", "mean.0.5", "out.npy.tmp",
                                          "out.npy~", ".csv",    "./-", "csv",     "out.",     "a.csv.npy"};
    zc_enter_folder("output_written");
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        (void)remove(written[i]);
        const zc_spawned *s = eval_to(written[i]);
        cr_expect(s->exit_code == 0 && s->error[0] == '\0', "%s: %d, %s", written[i], s->exit_code, s->error);
        FILE *file = fopen(written[i], "r");
        char magic[6] = "";
        cr_assert_not_null(file, "%s", written[i]);
        cr_expect(fread(magic, 1, 6, file) == 6 && memcmp(magic, "\x93NUMPY", 6) == 0, "%s", written[i]);
        cr_expect_eq(fclose(file), 0);
    }
}

/* ---- Times ---- */

/* The number behind "seconds"; -1: null, -2: there is none. */
static double seconds_of(const char *expression, const char *more)
{
    char line[256];
    (void)snprintf(line, sizeof line, "eval\t%s\tx=" DIGITS "\t--json%s%s", expression, more[0] == '\0' ? "" : "\t",
                   more);
    const zc_spawned *s = zc_spawn_line(line, ZC_SPAWN_KEPT);
    cr_expect_eq(s->exit_code, 0, "%s: %s", expression, s->error);
    const char *at = strstr(s->out, "\"seconds\": ");
    if (at == NULL)
        return -2;
    at += strlen("\"seconds\": ");
    return strncmp(at, "null", 4) == 0 ? -1 : strtod(at, NULL);
}

Test(output, seconds_are_null_where_nothing_was_computed)
{
    zc_enter_folder("output_seconds");
    static const char *const lazy[] = {"x",    "x + 1",          "x.T", "broadcast_to(x[0], (10**6, 10**6, 64))",
                                       "x[0]", "mean(x, axis=1)"};
    for (size_t i = 0; i < sizeof lazy / sizeof *lazy; i++)
        cr_expect_eq(seconds_of(lazy[i], ""), -1, "%s", lazy[i]);
    static const char *const shown[] = {"x[0] + 1", "sum(x)", "x[:3].T", "unique_values(x)", "sort(x)[0]"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        cr_expect_gt(seconds_of(shown[i], ""), 0, "%s", shown[i]);
    /* Nothing of the result is shown, and sorting was done for it. */
    cr_expect_gt(seconds_of("sort(x)", ""), 0);
    cr_expect_gt(seconds_of("x + argsort(x)", "--quiet"), 0);
    /* Written results were at least copied. */
    cr_expect_gt(seconds_of("x", "-oseconds.npy"), 0);
}

/* Sorting 4 million elements takes much longer than showing 3 of them. */
Test(output, seconds_count_what_is_computed_when_it_is_called)
{
    zc_enter_folder("output_eager");
    double sorted = seconds_of("sort(sin(arange(4 * 10**6)))[:3]", ""), plain = seconds_of("sin(arange(3))", "");
    cr_expect(sorted > 0.01 && sorted > 10 * plain, "%g seconds for sorting, %g without", sorted, plain);
}

/* ---- Pipes ---- */

/* Plans are one long text, which reaches the pipe at once: what the system said then counts. */
Test(output, long_plans_tell_why_they_are_lost)
{
    char line[4096] = "explain\tsum(arange(1))";
    zc_enter_folder("output_plan");
    for (int i = 2; i < 150; i++)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " + sum(arange(%d))", i);
    const zc_spawned *s = zc_spawn_line(line, ZC_SPAWN_KEPT);
    cr_assert(s->exit_code == 0 && strlen(s->out) > 16384, "a plan of %zu bytes", strlen(s->out));
    s = zc_spawn_line(line, ZC_SPAWN_BROKEN_PIPE);
    cr_expect(s->exit_code == 1 && s->error[0] == '\0', "%d, %s", s->exit_code, s->error);
    s = zc_spawn_line(line, ZC_SPAWN_FULL);
    cr_expect(s->exit_code == 1 && strcmp(s->error, "zerocast: standard output: No space left on device\n") == 0,
              "%d, %s", s->exit_code, s->error);
    s = zc_spawn_line(line, ZC_SPAWN_CLOSED);
    cr_expect(s->exit_code == 1 && strcmp(s->error, "zerocast: standard output: Bad file descriptor\n") == 0, "%d, %s",
              s->exit_code, s->error);
}
