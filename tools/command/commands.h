/* Chooses the subcommand. */
#ifndef ZC_TOOLS_COMMAND_COMMANDS_H
#define ZC_TOOLS_COMMAND_COMMANDS_H

/* Runs the subcommand that the first argument names, or answers --help and --version. The exit code, faults reported.
 */
int zc_run_command(int count, char **arguments);

#endif
