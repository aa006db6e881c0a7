/*
 * zerocast explain: shows the plan of an expression and runs nothing.
 */
#ifndef ZC_TOOLS_COMMAND_EXPLAIN_COMMAND_H
#define ZC_TOOLS_COMMAND_EXPLAIN_COMMAND_H

#include "tools/command/options.h"

/* False: the fault says why. */
bool zc_explain_command(const zc_request *request, zc_fault *fault);

#endif
