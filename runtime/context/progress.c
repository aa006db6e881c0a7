#include "runtime/context/progress.h"

#include "runtime/context/context.h"

/* A signal handler may set the flag. */
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a lock could be held by what the signal has interrupted");

void zc_set_progress(zc_context *ctx, bool (*report)(void *user, int64_t done, int64_t total), void *user)
{
    if (zc_refuse_no_context(ctx, "set_progress"))
        return;
    ctx->progress.report = report;
    ctx->progress.user = user;
}

void zc_cancel(zc_context *ctx)
{
    if (ctx != NULL)
        atomic_store_explicit(&ctx->progress.stops, true, memory_order_relaxed);
}

static void report(zc_progress *progress, int64_t done)
{
    if (!progress->report(progress->user, done < progress->total ? done : progress->total, progress->total))
        atomic_store_explicit(&progress->stops, true, memory_order_relaxed);
}

bool zc_progress_set(zc_progress *progress, int64_t done)
{
    atomic_store_explicit(&progress->done, done, memory_order_relaxed);
    if (progress->report != NULL)
        report(progress, done);
    return !zc_progress_stops(progress);
}

bool zc_progress_begin(zc_progress *progress, int64_t total)
{
    progress->total = total;
    return zc_progress_set(progress, 0);
}

bool zc_thread_progress_look(zc_thread_progress *own)
{
    zc_progress *progress = own->whole;
    if (progress->report != NULL) {
        int64_t before = atomic_fetch_add_explicit(&progress->done, own->steps, memory_order_relaxed);
        if (own->worker == 0 && !zc_progress_stops(progress)) /* what is under way may end after the stop */
            report(progress, before + own->steps);
    }
    own->steps = 0;
    own->is_stopped = zc_progress_stops(progress);
    return !own->is_stopped;
}

zc_status zc_fail_cancelled(zc_context *ctx, const char *function)
{
    (void)atomic_exchange_explicit(&ctx->progress.stops, false, memory_order_relaxed);
    return zc_fail(ctx, ZC_CANCELLED, function, "stopped on request");
}
