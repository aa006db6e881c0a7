/*
 * Planning cannot be stopped by zc_cancel() at any point, and may take more memory than the machine can spare; a
 * process can be ended, and what it grew to is known to the system afterwards.
 */
#include "bench/trial.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <signal.h>

#include "bench/timing.h"
#include "bench/work.h"

/* The most memory that the process had at once, in bytes. */
static double most_resident(int who)
{
    struct rusage usage;
    return getrusage(who, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : NAN;
}

/* In the child: what it grows by is what it wrote, as long as it shares the rest with its parent. */
static _Noreturn void run_and_exit(const bench_case *c, const bench_work *w, int threads, int out)
{
    bench_work work = *w;
    bench_side side;
    double before = most_resident(RUSAGE_SELF);
    ssize_t written = write(out, &before, sizeof before);
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads});
    bool ok =
        written == sizeof before && bench_make_side(&side, ctx, &work, work.n) && bench_run(&work, &side, c->ours);
    _exit(!ok);
}

/* Waits for the child until the time is over, then ends it; true when it ended by itself. */
static bool wait_or_end(pid_t child, double limit_seconds, struct rusage *usage)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    double end = seconds() + limit_seconds;
    int status = 0;
    while (wait4(child, &status, WNOHANG, usage) == 0) {
        if (seconds() > end) {
            (void)kill(child, SIGKILL);
            (void)wait4(child, &status, 0, usage);
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
    return !WIFSIGNALED(status);
}

bench_trial bench_try(const bench_case *c, const bench_work *w, int threads, double limit_seconds)
{
    bench_trial trial = {.grown_bytes = NAN};
    struct rusage usage = {.ru_maxrss = 0};
    double before = NAN;
    int up[2];
    (void)fflush(NULL);
    if (pipe(up) != 0)
        return trial;
    pid_t child = fork();
    if (child == 0)
        run_and_exit(c, w, threads, up[1]);
    (void)close(up[1]);
    if (child > 0) {
        trial.over = !wait_or_end(child, limit_seconds, &usage);
        if (read(up[0], &before, sizeof before) == sizeof before)
            trial.grown_bytes = 1024.0 * (double)usage.ru_maxrss - before;
    }
    (void)close(up[0]);
    return trial;
}
