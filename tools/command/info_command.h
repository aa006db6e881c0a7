/*
 * zerocast info: what files hold, from their headers alone.
 */
#ifndef ZC_TOOLS_COMMAND_INFO_COMMAND_H
#define ZC_TOOLS_COMMAND_INFO_COMMAND_H

#include "tools/command/options.h"

/* False: the fault says why. */
bool zc_info_command(const zc_request *request, zc_fault *fault);

#endif
