/* Long work of the command: its progress bar, and real signals at random moments. */
#define _XOPEN_SOURCE 600 /* pseudo-terminals */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "tests/tools/session_text.h"
#include "tests/tools/spawn.h"
#include "tools/base/interrupt.h"
#include "tools/base/report.h"
#include "tools/command/info_command.h"
#include "tools/output/progress_bar.h"

/* ---- Files ---- */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool is_text(const char *path, const char *text)
{
    char content[64] = "";
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(content, 1, sizeof content - 1, file);
    if (file != NULL)
        fclose(file);
    return length == strlen(text) && strcmp(content, text) == 0;
}

static int count_temporaries(void)
{
    int count = 0;
    DIR *folder = opendir(".");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += strstr(entry->d_name, ".part") != NULL;
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

/* ---- Signals ---- */

static void sleep_for(int64_t microseconds)
{
    (void)nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
}

/* Waits until the process has taken over the signal: one that comes before ends it like any program. */
static void wait_for_handler(pid_t child, int number)
{
    char path[64], line[256];
    (void)snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    for (int tick = 0; tick < 20000; tick++) {
        unsigned long long caught = 0;
        FILE *file = fopen(path, "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL)
            (void)sscanf(line, "SigCgt: %llx", &caught);
        if (file != NULL)
            fclose(file);
        if ((caught >> (number - 1) & 1) != 0)
            return;
        sleep_for(500);
    }
}

/* Each takes some tenths of a second, and writes 16 MB or less. */
static const char *const long_work[] = {
    "cumulative_sum(sin(arange(1e6))) + sum(sin(arange(3e7)))",
    "broadcast_to(1.5, (2000, 1000)) + 1",
    "sort(sin(arange(2000000.)))",
    "unique_values(floor(sin(arange(2000000.)) * 1000))",
    "cumulative_sum(sin(arange(2000000.)))",
};

static const struct {
    int number;
    const char *name;
} ending[] = {
    {SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},         {SIGQUIT, "SIGQUIT"},
    {SIGALRM, "SIGALRM"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},       {SIGXCPU, "SIGXCPU"},
    {SIGPROF, "SIGPROF"}, {SIGIO, "SIGIO"},     {40, "a real-time signal"},
};

enum { ENDING = sizeof ending / sizeof *ending };

/* The old file, or the complete new one; never a temporary. */
static void signal_once(const char *work, int which, const char *executor, int64_t *stopped)
{
    const int number = ending[which].number;
    char said[64];
    (void)snprintf(said, sizeof said, "zerocast: stopped by %s\n", ending[which].name);
    const char *const arguments[] = {"eval", work, "-o", "old.npy", "--executor", executor, NULL};
    write_text("old.npy", "old");
    pid_t child = zc_spawn_begin(arguments, ZC_SPAWN_KEPT, NULL);
    cr_assert_gt(child, 0);
    wait_for_handler(child, number);
    sleep_for(zc_random_range(0, 300000));
    (void)kill(child, number);
    const zc_spawned *s = zc_spawn_end(child);
    cr_expect_eq(count_temporaries(), 0, "%s: a temporary is left", work);
    if (s->exit_code == 0) {
        cr_expect(!is_text("old.npy", "old"), "%s: done, and nothing is written", work);
        return;
    }
    (*stopped)++;
    cr_expect_eq(s->exit_code, 128 + number, "%s: exit code %d, %s", work, s->exit_code, s->error);
    cr_expect_str_eq(s->error, said);
    cr_expect_str_eq(s->out, "");
    cr_expect(is_text("old.npy", "old"), "%s: the old file is gone", work);
}

Test(interrupt, at_random_moments_leaves_files_as_they_were)
{
    zc_random_begin("interrupt, at_random_moments_leaves_files_as_they_were");
    zc_enter_folder("interrupt");
    int64_t stopped = 0, runs = 3 * ENDING * zc_test_scale();
    for (int64_t i = 0; i < runs; i++) {
        const char *work = long_work[zc_random_range(0, sizeof long_work / sizeof *long_work - 1)];
        const char *executor = zc_random_range(0, 4) == 0 ? "reference" : "tile";
        signal_once(work, (int)(i % ENDING), executor, &stopped);
    }
    cr_log_info("%ld of %ld runs stopped", (long)stopped, (long)runs);
    cr_expect_gt(stopped, 0);
}

/* Stops a command whose result would be printed, too. */
Test(interrupt, stops_what_is_printed)
{
    zc_enter_folder("interrupt_printed");
    const char *const arguments[] = {"eval", "sum(sin(arange(4e9)))", NULL};
    pid_t child = zc_spawn_begin(arguments, ZC_SPAWN_KEPT, NULL);
    wait_for_handler(child, SIGINT);
    sleep_for(50000);
    (void)kill(child, SIGINT);
    const zc_spawned *s = zc_spawn_end(child);
    cr_expect_eq(s->exit_code, 128 + SIGINT);
    cr_expect_str_eq(s->out, "");
    cr_expect_str_eq(s->error, "zerocast: stopped by SIGINT\n");
}

static void wait_for_output(void)
{
    struct stat status;
    for (int tick = 0; tick < 40000 && (stat(ZC_SPAWN_OUT, &status) != 0 || status.st_size == 0); tick++)
        sleep_for(500);
}

/* Signals a command that has begun to write its output. */
static void expect_stopped_output(const char *option)
{
    const char *const arguments[] = {"eval", "--all", option, "arange(20000), arange(5000000)", NULL};
    pid_t child = zc_spawn_begin(arguments, ZC_SPAWN_KEPT, NULL);
    cr_assert_gt(child, 0);
    wait_for_output();
    (void)kill(child, SIGTERM);
    const zc_spawned *s = zc_spawn_end(child);
    cr_expect_eq(s->exit_code, 128 + SIGTERM, "exit code %d, %s", s->exit_code, s->error);
    cr_expect_str_eq(s->error, "zerocast: stopped by SIGTERM\n");
}

/* A line that takes long to make, and no time to write; another one, before it, is written when the signal comes. */
Test(interrupt, stops_printing_of_all_elements)
{
    zc_enter_folder("interrupt_printing");
    expect_stopped_output("--precision=8");
}

Test(interrupt, stops_reports_of_all_elements)
{
    zc_enter_folder("interrupt_reporting");
    expect_stopped_output("--json");
}

/* A shell starts what runs in the background with SIGINT ignored: it stays so. */
Test(interrupt, leaves_an_ignored_signal_ignored)
{
    zc_enter_folder("interrupt_ignored");
    const char command[] =
        "trap '' INT; exec \"" ZC_TEST_COMMAND "\" eval 'sum(sin(arange(20000000.))) < 9' >ignored.out";
    pid_t child = fork();
    if (child == 0) {
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    wait_for_handler(child, SIGTERM);
    (void)kill(child, SIGINT);
    const zc_spawned *s = zc_spawn_end(child);
    cr_expect_eq(s->exit_code, 0);
    cr_expect(is_text("ignored.out", "True\n"));
}

/* A signal that comes while nothing is computed stops what is begun next. It is kept for good, and so belongs into a
 * process of its own. */
Test(interrupt, before_the_work_begins)
{
#ifdef ZC_TEST_PLAIN
    cr_skip_test("the tests share one process");
#else
    const char *files[] = {ZC_TEST_SOURCE_DIR "/examples/data/digits.npy"};
    const zc_request request = {.subcommand = ZC_SUBCOMMAND_INFO, .positional = files, .positional_count = 1};
    zc_fault fault = {0}, other = {0};
    zc_dtype dtype;
    zc_interrupt_install();
    cr_assert_eq(raise(SIGTERM), 0);
    cr_expect_not(zc_info_command(&request, &fault));
    cr_expect_str_eq(fault.text, "info: stopped");
    zc_interrupt_explain(&fault);
    cr_expect_str_eq(fault.text, "stopped by SIGTERM");
    cr_expect_eq(zc_exit_code(&fault), 128 + SIGTERM);
    cr_expect_null(zc_text_of_expression("sum(sin(arange(10000000.)))", ZC_EXECUTOR_TILE, &dtype, &other));
    zc_interrupt_explain(&other);
    cr_expect_str_eq(other.text, "stopped by SIGTERM");
#endif
}

/* ---- The bar ---- */

Test(progress, is_a_line_of_cells)
{
    char text[ZC_PROGRESS_BAR_BYTES];
    zc_progress_bar_text(0, 8, text);
    cr_expect_str_eq(text, "\r[                                        ]   0 %");
    zc_progress_bar_text(3, 8, text);
    cr_expect_str_eq(text, "\r[###############                         ]  37 %");
    zc_progress_bar_text(INT64_MAX, INT64_MAX, text);
    cr_expect_str_eq(text, "\r[########################################] 100 %");
    zc_progress_bar_text(0, 0, text);
    cr_expect_str_eq(text, "\r[########################################] 100 %");
}

Test(progress, is_drawn_where_it_is_asked_for)
{
    zc_enter_folder("progress");
    const zc_spawned *s = zc_spawn_line("eval\tsum(arange(10))", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 0 && s->error[0] == '\0', "stderr is no terminal: %s", s->error);
    s = zc_spawn_line("eval\tsum(arange(10))\t--progress", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 0 && strcmp(s->out, "45\n") == 0);
    cr_expect(strncmp(s->error, "\r[", 2) == 0 && s->error[strlen(s->error) - 1] == '\n', "%s", s->error);
    s = zc_spawn_line("eval\tsum(arange(10))\t--progress\t--no-progress", ZC_SPAWN_KEPT);
    cr_expect(s->exit_code == 0 && s->error[0] == '\0', "the last one counts: %s", s->error);
    s = zc_spawn_line("explain\t1\t--progress", ZC_SPAWN_KEPT);
    cr_expect_eq(s->exit_code, 2);
}

/* Stops a command whose stderr is a terminal, and reads what it wrote there. */
static size_t watch_on_terminal(const char *option, int64_t microseconds, char *seen, size_t room)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    int keeps_it_open = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    const char *const arguments[] = {"eval", "sum(sin(arange(4e9)))", option, NULL};
    pid_t child = zc_spawn_begin(arguments, ZC_SPAWN_KEPT, ptsname(terminal));
    wait_for_handler(child, SIGINT);
    sleep_for(microseconds);
    (void)kill(child, SIGINT);
    cr_expect_eq(zc_spawn_end(child)->exit_code, 128 + SIGINT);
    ssize_t got = read(terminal, seen, room - 1);
    size_t length = got > 0 ? (size_t)got : 0;
    seen[length] = '\0';
    (void)close(keeps_it_open);
    (void)close(terminal);
    return length;
}

Test(progress, appears_on_a_terminal_after_a_second)
{
    static const char message[] = "zerocast: stopped by SIGINT\r\n";
    char seen[4096];
    zc_enter_folder("progress_terminal");
    (void)watch_on_terminal("--threads=2", 200000, seen, sizeof seen);
    cr_expect_str_eq(seen, message);
    (void)watch_on_terminal("--no-progress", 1500000, seen, sizeof seen);
    cr_expect_str_eq(seen, message);
    size_t length = watch_on_terminal("--threads=2", 1500000, seen, sizeof seen);
    cr_expect_eq(strncmp(seen, "\r[", 2), 0);
    cr_expect(length > sizeof message && strcmp(seen + length - (sizeof message - 1), message) == 0);
    cr_expect_eq(seen[length - sizeof message], '\r', "the bar is wiped away before the message");
}
