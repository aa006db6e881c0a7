#include "runtime/context/watch.h"

#include "runtime/context/context.h"

/* A signal handler may set the flag. */
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a lock could be held by what the signal has interrupted");

void zc_set_progress(zc_context *ctx, bool (*report)(void *user, int64_t done, int64_t total), void *user)
{
    ctx->watch.report = report;
    ctx->watch.user = user;
}

void zc_cancel(zc_context *ctx)
{
    atomic_store_explicit(&ctx->watch.stops, true, memory_order_relaxed);
}

static void report(zc_watch *watch, int64_t done)
{
    if (!watch->report(watch->user, done < watch->total ? done : watch->total, watch->total))
        atomic_store_explicit(&watch->stops, true, memory_order_relaxed);
}

bool zc_watch_set(zc_watch *watch, int64_t done)
{
    atomic_store_explicit(&watch->done, done, memory_order_relaxed);
    if (watch->report != NULL)
        report(watch, done);
    return !zc_watch_stops(watch);
}

bool zc_watch_begin(zc_watch *watch, int64_t total)
{
    watch->total = total;
    return zc_watch_set(watch, 0);
}

bool zc_thread_progress_look(zc_thread_progress *own)
{
    zc_watch *watch = own->whole;
    if (watch->report != NULL) {
        int64_t before = atomic_fetch_add_explicit(&watch->done, own->steps, memory_order_relaxed);
        if (own->worker == 0)
            report(watch, before + own->steps);
    }
    own->steps = 0;
    own->is_stopped = zc_watch_stops(watch);
    return !own->is_stopped;
}

zc_status zc_fail_cancelled(zc_context *ctx, const char *function)
{
    (void)atomic_exchange_explicit(&ctx->watch.stops, false, memory_order_relaxed);
    return zc_fail(ctx, ZC_CANCELLED, function, "stopped on request");
}
