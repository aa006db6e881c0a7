/*
 * Names of arrays in files, as the library opens them.
 */
#ifndef ZC_TOOLS_BASE_MEMBER_PATH_H
#define ZC_TOOLS_BASE_MEMBER_PATH_H

#include "expressions/base/fault.h"

/* Joins FILE:MEMBER, which zc_memory_give() takes back. NULL with a fault where memory is out. */
char *zc_member_path(zc_fault *fault, const char *file, const char *member);

#endif
