/*
 * Memory and processors that this process may use: the machine's, or fewer where a control group or the affinity says
 * so.
 */
#ifndef ZC_RUNTIME_CONTEXT_MACHINE_H
#define ZC_RUNTIME_CONTEXT_MACHINE_H

#include "zerocast.h"

/* The least of the physical memory, in bytes, and the limits of the control groups (versions 1 and 2) that the process
 * is in. groups_file is /proc/self/cgroup, mount is /sys/fs/cgroup; what cannot be read limits nothing. */
int64_t zc_memory_available(const char *groups_file, const char *mount);

/* The least of the processors that the calling thread may run on and the quotas of its control groups, rounded up; 1 or
 * more. */
int64_t zc_processors_available(const char *groups_file, const char *mount);

/* The same of the machine's own control groups, which are read once in a process. */
int64_t zc_processors_default(void);

#endif
