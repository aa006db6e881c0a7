/*
 * What the operating system said about a file, as a sentence.
 */
#ifndef ZC_RUNTIME_FILE_H
#define ZC_RUNTIME_FILE_H

#include "views/reason.h"

/* "path: what: the system's reason", from errno. Returns ZC_ERROR_FILE. */
zc_status zc_file_error(zc_reason *why, const char *path, const char *what);

#endif
