/*
 * How the command says what went wrong: a line on stderr and its exit code.
 */
#ifndef ZC_TOOLS_BASE_REPORT_H
#define ZC_TOOLS_BASE_REPORT_H

#include "expressions/base/fault.h"

/* The exit codes of the command, part of its contract. */
enum {
    ZC_EXIT_DONE = 0,
    ZC_EXIT_REFUSED = 1, /* the request cannot be met: shapes, dtypes, values, budget, files */
    ZC_EXIT_USAGE = 2,   /* the request is not one: options, syntax */
    ZC_EXIT_SIGNAL = 128 /* and the signal's number: stopped by it */
};

/* The exit code that stands for a fault. */
int zc_exit_code(const zc_fault *fault);

/* Tells what is wrong with one of several things that are asked for, and leaves a fault of which all is said. */
void zc_report_part(zc_fault *all, const zc_fault *one);

/* Writes "zerocast: text" to stderr, unless quiet or nothing went wrong. Returns the exit code. */
int zc_report(const zc_fault *fault);

#endif
