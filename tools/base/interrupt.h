/*
 * Signals that end a process: the computation that runs is stopped, and the command ends as after any other refusal, so
 * that no temporary of a file is left.
 *
 * Invariant: the handler sets flags and nothing else. It runs on the command's own thread, since the library's threads
 * block all signals, so a context that is no longer watched is not touched.
 */
#ifndef ZC_TOOLS_BASE_INTERRUPT_H
#define ZC_TOOLS_BASE_INTERRUPT_H

#include "expressions/base/fault.h"

/* Takes the signals over; one that the process was started with ignored stays so. */
void zc_interrupt_install(void);

/* From now on a signal stops the work of ctx, also one that has come already; NULL: nobody's. */
void zc_interrupt_watch(zc_context *ctx);

/* The signal that came last; 0: none. */
int zc_interrupt_signal(void);

/* After a signal, that becomes the reason why the request was not met. */
void zc_interrupt_explain(zc_fault *fault);

#endif
