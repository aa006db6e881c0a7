/*
 * zerocast eval: computes an expression and writes, prints or describes the result.
 */
#ifndef ZC_TOOLS_COMMAND_EVAL_COMMAND_H
#define ZC_TOOLS_COMMAND_EVAL_COMMAND_H

#include "tools/command/options.h"

/* False: the fault says why. */
bool zc_eval_command(const zc_request *request, zc_fault *fault);

#endif
