/*
 * Why something was refused: a status and a sentence without the function's name, which the caller puts in front.
 *
 * The views room has no context, so it hands its refusals up in one of these. A function that returns a zc_status
 * fills `why` exactly when it returns something other than ZC_OK; `why` may be NULL.
 */
#ifndef ZC_VIEWS_REASON_H
#define ZC_VIEWS_REASON_H

#include "zerocast.h"

/* Room for a system's words with a shape in them, and two shapes behind them. */
enum { ZC_REASON_BYTES = 704 };

typedef struct zc_reason {
    char text[ZC_REASON_BYTES];
    zc_budget budget; /* of a refusal with ZC_ERROR_BUDGET, whose figures whoever refuses puts here */
    int system_error; /* the operating system's number, which whoever refuses because of it puts here afterwards; or 0
                       */
} zc_reason;

/* Writes the sentence (printf's format, cut at the buffer's end) and returns `status`: return zc_refuse(why, ...). */
__attribute__((format(printf, 3, 4), cold)) zc_status zc_refuse(zc_reason *why, zc_status status, const char *format,
                                                                ...);

#endif
