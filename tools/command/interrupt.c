#include "tools/command/interrupt.h"

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

static void take_over(int number)
{
    struct sigaction before, ours = {.sa_handler = stop};
    (void)sigemptyset(&ours.sa_mask);
    (void)sigaction(number, NULL, &before); /* fails for what is no signal */
    if (before.sa_handler != SIG_IGN)
        (void)sigaction(number, &ours, NULL); /* without SA_RESTART: a write that waits ends */
}

void zc_interrupt_install(void)
{
    take_over(SIGINT);
    take_over(SIGTERM);
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
    if (fault->exit_code == ZC_EXIT_DONE || last_signal == 0)
        return;
    *fault = (zc_fault){.exit_code = ZC_EXIT_DONE};
    (void)zc_fault_refuse(fault, "stopped by %s", last_signal == SIGINT ? "SIGINT" : "SIGTERM");
    fault->exit_code = ZC_EXIT_SIGNAL + (int)last_signal;
}
