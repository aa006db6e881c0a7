#include "tools/base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* A process has one set of signal handlers, so what they see is global. */
static volatile sig_atomic_t last_signal;
static zc_context *_Atomic watched;

static void stop(int number)
{
    last_signal = number;
    zc_context *ctx = atomic_load(&watched);
    if (ctx != NULL)
        zc_cancel(ctx);
}

/* Signals that end a process by default, but for those that tell of its faults (SIGSEGV), of writing (main.c), and
 * SIGKILL. */
static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGINT, "SIGINT"},       {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"},
    {SIGALRM, "SIGALRM"},     {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGPROF, "SIGPROF"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGXCPU, "SIGXCPU"},
#if defined(SIGIO)
    {SIGIO, "SIGIO"},
#endif
#if defined(SIGPWR)
    {SIGPWR, "SIGPWR"},
#endif
#if defined(SIGSTKFLT)
    {SIGSTKFLT, "SIGSTKFLT"},
#endif
};

enum { SIGNALS = sizeof signals / sizeof *signals };

/* Signals that are ignored stay so, and those that somebody else handles stay theirs. */
static void take_over(int number)
{
    struct sigaction before, ours = {.sa_handler = stop};
    (void)sigemptyset(&ours.sa_mask);
    (void)sigaction(number, NULL, &before); /* fails for what is no signal */
    if (before.sa_handler == SIG_DFL)
        (void)sigaction(number, &ours, NULL); /* without SA_RESTART: a write that waits ends */
}

void zc_interrupt_install(void)
{
    for (int i = 0; i < SIGNALS; i++)
        take_over(signals[i].number);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        take_over(number);
}

void zc_interrupt_watch(zc_context *ctx)
{
    atomic_store(&watched, ctx);
    if (ctx != NULL && last_signal != 0)
        zc_cancel(ctx);
}

int zc_interrupt_signal(void)
{
    return last_signal;
}

void zc_interrupt_explain(zc_fault *fault)
{
    if (fault->status == ZC_OK || last_signal == 0)
        return;
    const char *name = "a real-time signal";
    for (int i = 0; i < SIGNALS; i++)
        name = signals[i].number == last_signal ? signals[i].name : name;
    *fault = (zc_fault){.signal = (int)last_signal};
    (void)zc_fault_refuse(fault, "stopped by %s", name);
}
