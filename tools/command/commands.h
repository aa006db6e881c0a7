/*
 * The subcommands. Each takes the arguments behind its name and returns the exit code, the fault reported.
 */
#ifndef ZC_TOOLS_COMMAND_COMMANDS_H
#define ZC_TOOLS_COMMAND_COMMANDS_H

#include "tools/command/options.h"

bool zc_eval_command(const zc_request *request, zc_fault *fault);
bool zc_explain_command(const zc_request *request, zc_fault *fault);
bool zc_info_command(const zc_request *request, zc_fault *fault);

/* Chooses the subcommand, or answers --help and --version. The exit code. */
int zc_run_command(int count, char **arguments);

#endif
