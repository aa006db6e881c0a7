/*
 * Failures of files, as sentences that name the file.
 */
#ifndef ZC_MATERIALIZE_FILES_FILE_ERROR_H
#define ZC_MATERIALIZE_FILES_FILE_ERROR_H

#include "runtime/context/context.h"

/* "path: what: the system's reason", from errno. Returns ZC_ERROR_FILE. */
zc_status zc_file_error(zc_reason *why, const char *path, const char *what);

/* Gives a refusal of a file, which stands in *why, the operating system's number for it, or 0. Returns ZC_ERROR_FILE.
 */
zc_status zc_file_error_number(zc_reason *why, int number);

/* Puts the path in front of a refusal. Returns status. */
zc_status zc_file_refuse(zc_reason *why, zc_status status, const char *path);

/* Hands a refusal to the context, also a stop on request; ZC_OK passes through. Returns status. */
zc_status zc_file_fail(zc_context *ctx, zc_status status, const char *function, const zc_reason *why);

#endif
