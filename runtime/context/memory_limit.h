/*
 * How much memory this process may use: the machine's, or less where a control group says so.
 */
#ifndef ZC_RUNTIME_CONTEXT_MEMORY_LIMIT_H
#define ZC_RUNTIME_CONTEXT_MEMORY_LIMIT_H

#include "zerocast.h"

/* The least of the physical memory and the limits of the control groups (versions 1 and 2) that the process is in.
 * groups_file is /proc/self/cgroup, mount is /sys/fs/cgroup; what cannot be read limits nothing. */
int64_t zc_memory_available(const char *groups_file, const char *mount);

#endif
