/* zerocast convert: the arrays of a file in another format. */
#ifndef ZC_TOOLS_COMMAND_CONVERT_COMMAND_H
#define ZC_TOOLS_COMMAND_CONVERT_COMMAND_H

#include "tools/command/options.h"

bool zc_convert_command(const zc_request *request, zc_fault *fault);

#endif
