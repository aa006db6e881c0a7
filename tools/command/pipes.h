/*
 * Standard input and output as files: what cannot be mapped, or be replaced as a whole, is a file of its own first, in
 * TMPDIR or /tmp, which nobody sees or which is removed.
 */
#ifndef ZC_TOOLS_COMMAND_PIPES_H
#define ZC_TOOLS_COMMAND_PIPES_H

#include "tools/command/options.h"

/* Tells a name that stands for standard input or output: "-", or "FORMAT:-". */
bool zc_is_standard(const char *name);

/* Opens a file as zc_open() does, and also standard input, "-" or "csv:-", and pipes of the shell, as <(...) makes
 * them: these are read to their end. NULL with a fault. */
zc_tensor *zc_open_or_read(zc_context *ctx, const char *path, zc_fault *fault);

/* Saves results to the outputs of the request, of which one may be standard output: that is written once all are
 * complete. */
bool zc_save_results(zc_context *ctx, int count, const zc_tensor *const *tensors, const zc_request *request,
                     zc_fault *fault);

#endif
