/*
 * The plain runner behind zc_test.h: tests register themselves before main(), which runs them in one process.
 *
 * Invariant: the closing line is "N passed, N failed" (and ", N skipped" when some were), and the exit code is 0
 * exactly when none failed. Arguments, when given, choose the tests whose suite they name.
 */
#include "tests/support/zc_test.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

enum { PASSED, FAILED, SKIPPED };

/* Seconds from which on a test is named with its time. */
#define SLOW 1.0

static zc_plain_test *first_test;
static zc_plain_test **last_link = &first_test;

static jmp_buf test_end;
static _Thread_local bool is_test_thread;
static atomic_bool has_failed;

void zc_plain_register(zc_plain_test *test)
{
    *last_link = test;
    last_link = &test->next;
}

/* A failure on a thread that a test started cannot jump into another thread's stack. */
static __attribute__((noreturn)) void leave_test(int reason)
{
    if (is_test_thread)
        longjmp(test_end, reason);
    pthread_exit(NULL);
}

void zc_plain_check(bool holds, zc_plain_place place, const char *claim, const char *format, ...)
{
    if (holds)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: does not hold: %s:", place.file, place.line, claim);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    atomic_store(&has_failed, true);
    if (place.is_fatal)
        leave_test(FAILED);
}

void zc_plain_skip(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("skipped:", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    leave_test(SKIPPED);
}

void zc_plain_log(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static int run_test(const zc_plain_test *test)
{
    if (test->options.disabled || test->options.signal != 0 || test->options.exit_code != 0)
        return SKIPPED;
    atomic_store(&has_failed, false);
    int end = setjmp(test_end);
    if (end == PASSED) {
        if (test->options.init != NULL)
            test->options.init();
        test->run();
        if (test->options.fini != NULL)
            test->options.fini();
    }
    return atomic_load(&has_failed) ? FAILED : end;
}

/* Names tests that take long, so that the suite stays short. */
static void report_time(const zc_plain_test *test, const struct timespec *start)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start->tv_sec) + (double)(end.tv_nsec - start->tv_nsec) / 1e9;
    if (seconds >= SLOW)
        fprintf(stderr, "%s: %s: %.1f s\n", test->suite, test->name, seconds);
}

static bool is_chosen(const zc_plain_test *test, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], test->suite) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    int count[3] = {0, 0, 0};
    is_test_thread = true;
    for (const zc_plain_test *test = first_test; test != NULL; test = test->next) {
        if (!is_chosen(test, argc, argv))
            continue;
        struct timespec start;
        clock_gettime(CLOCK_MONOTONIC, &start);
        int end = run_test(test);
        count[end]++;
        report_time(test, &start);
        if (end == FAILED)
            fprintf(stderr, "failed: %s: %s\n", test->suite, test->name);
    }
    printf("%d passed, %d failed", count[PASSED], count[FAILED]);
    if (count[SKIPPED] > 0)
        printf(", %d skipped", count[SKIPPED]);
    putchar('\n');
    return count[FAILED] > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
