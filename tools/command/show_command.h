/* zerocast show: a result as a picture, on the terminal or as .png. */
#ifndef ZC_TOOLS_COMMAND_SHOW_COMMAND_H
#define ZC_TOOLS_COMMAND_SHOW_COMMAND_H

#include "tools/command/options.h"

bool zc_show_command(const zc_request *request, zc_fault *fault);

#endif
