/*
 * zerocast help: the functions of expressions by topic, or what those that are named do.
 */
#ifndef ZC_TOOLS_COMMAND_HELP_COMMAND_H
#define ZC_TOOLS_COMMAND_HELP_COMMAND_H

#include "tools/command/options.h"

bool zc_help_command(const zc_request *request, zc_fault *fault);

#endif
