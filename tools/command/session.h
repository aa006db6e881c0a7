/*
 * A session: from a request to the tensors that its expression stands for, before anything is computed.
 *
 * Invariant: wrong usage is found before files are opened; zc_session_end() gives back everything, however far the
 * session came.
 */
#ifndef ZC_TOOLS_COMMAND_SESSION_H
#define ZC_TOOLS_COMMAND_SESSION_H

#include "expressions/evaluate/evaluator.h"
#include "tools/command/options.h"

typedef struct zc_session {
    char *text; /* of the expression's file */
    zc_program program;
    zc_evaluator evaluator;
    zc_context *ctx;
    zc_progress_bar progress;
    double begun; /* seconds: when the evaluation began, and with it what is computed when it is called */
    zc_results results;
} zc_session;

/* Opens a context with the limits of the request, maps its files and evaluates its expression. */
bool zc_session_begin(zc_session *session, const zc_request *request, zc_fault *fault);

void zc_session_end(zc_session *session);

/* Seconds of a clock that never goes back. */
double zc_session_clock(void);

/* Writes a text to stdout. */
bool zc_write_text(const char *text, zc_fault *fault);

/* Tells whether everything written to stdout has arrived; a closed pipe makes a quiet fault. */
bool zc_finish_output(zc_fault *fault);

#endif
