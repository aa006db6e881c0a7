/*
 * What went wrong in the command: an exit code and the text for stderr.
 *
 * Invariant: the first fault stays. Functions that can fail return a bool and have filled the fault when they return
 * false, so `return zc_fault_refuse(...)` is how a refusal is written. Control characters never reach the terminal.
 */
#ifndef ZC_TOOLS_BASE_FAULT_H
#define ZC_TOOLS_BASE_FAULT_H

#include "zerocast.h"

/* The exit codes of the command, part of its contract. */
enum {
    ZC_EXIT_DONE = 0,
    ZC_EXIT_REFUSED = 1, /* the request cannot be met: shapes, dtypes, values, budget, files */
    ZC_EXIT_USAGE = 2,   /* the request is not one: options, syntax */
    ZC_EXIT_SIGNAL = 128 /* and the signal's number: stopped by it */
};

enum { ZC_FAULT_BYTES = 2048 };

typedef struct zc_fault {
    int exit_code; /* ZC_EXIT_DONE: nothing went wrong */
    bool is_quiet; /* nobody is left to read a message: the reader of our output has gone */
    char text[ZC_FAULT_BYTES];
} zc_fault;

/* Each returns false. The sentence (printf's format, cut where it is too long) says "function: what". */
__attribute__((format(printf, 2, 3))) bool zc_fault_refuse(zc_fault *fault, const char *format, ...);
__attribute__((format(printf, 2, 3))) bool zc_fault_usage(zc_fault *fault, const char *format, ...);
bool zc_fault_memory(zc_fault *fault);

/* The failure that a call of the library left in its context. */
bool zc_fault_library(zc_fault *fault, const zc_context *ctx);

/* Adds a line to the text of a fault. */
__attribute__((format(printf, 2, 3))) void zc_fault_add_line(zc_fault *fault, const char *format, ...);

/* Of a request for several things: tells what is wrong with one of them, and leaves a fault of which all is said. */
void zc_fault_tell(zc_fault *all, const zc_fault *one);

/* Writes "zerocast: text" to stderr, unless quiet or nothing went wrong. Returns the exit code. */
int zc_fault_report(const zc_fault *fault);

#endif
