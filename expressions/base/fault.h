/*
 * The fault of a program: its status, and the sentence about it.
 *
 * Invariant: the first fault stays. Functions that can fail return a bool and have filled the fault when they return
 * false, so `return zc_fault_refuse(...)` is how a refusal is written. Control characters never reach the terminal.
 */
#ifndef ZC_EXPRESSIONS_BASE_FAULT_H
#define ZC_EXPRESSIONS_BASE_FAULT_H

#include "zerocast.h"

enum { ZC_FAULT_BYTES = 2048 };

typedef struct zc_fault {
    const zc_allocator *allocator; /* source of zc_memory_take(), or NULL: malloc() */
    zc_status status;              /* ZC_OK: nothing went wrong */
    bool is_usage;                 /* a request that is none: options, syntax */
    bool is_library;               /* the failure of a context, which has more to tell of it */
    bool is_quiet;                 /* no reader is left for the message, or it was told before */
    int signal;                    /* the number of the one that stopped the request, or 0 */
    char text[ZC_FAULT_BYTES];
} zc_fault;

/* Each returns false. The sentence (printf's format, cut where it is too long) says "function: what". The status is
 * ZC_ERROR_ARGUMENT, of a wrong request ZC_ERROR_FORMAT. */
__attribute__((format(printf, 2, 3))) bool zc_fault_refuse(zc_fault *fault, const char *format, ...);
__attribute__((format(printf, 2, 3))) bool zc_fault_usage(zc_fault *fault, const char *format, ...);
bool zc_fault_memory(zc_fault *fault);

/* The failure that a call of the library left in its context. */
bool zc_fault_library(zc_fault *fault, const zc_context *ctx);

/* Adds a line to the text of a fault. */
__attribute__((format(printf, 2, 3))) void zc_fault_add_line(zc_fault *fault, const char *format, ...);

#endif
