#include "runtime/context/machine.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, LINE_BYTES = 4096 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- Control groups ---- */

/* Reads one or two numbers from a file of a group, -1 in the place of a word; returns how many there are. */
static int read_numbers(const char *folder, const char *name, long long *first, long long *second)
{
    char path[PATH_BYTES + 64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    *first = -1;
    int found = fscanf(file, "%lld", first);
    if (found == 0)
        (void)fscanf(file, "%*s"); /* max */
    found = 1 + (fscanf(file, "%lld", second) == 1);
    (void)fclose(file);
    return found;
}

/* A limit of the groups of a process. */
typedef struct controller {
    const char *name;                                       /* and its folder, in version 1 */
    int64_t (*read)(const char *folder, bool is_version_2); /* INT64_MAX: none */
} controller;

static int64_t read_memory(const char *folder, bool is_version_2)
{
    long long bytes = -1, none;
    (void)read_numbers(folder, is_version_2 ? "memory.max" : "memory.limit_in_bytes", &bytes, &none);
    return bytes > 0 ? bytes : INT64_MAX;
}

/* A quota of time in each period. */
static int64_t read_processors(const char *folder, bool is_version_2)
{
    long long quota = -1, period = -1, none;
    if (is_version_2) {
        (void)read_numbers(folder, "cpu.max", &quota, &period);
    } else {
        (void)read_numbers(folder, "cpu.cfs_quota_us", &quota, &none);
        (void)read_numbers(folder, "cpu.cfs_period_us", &period, &none);
    }
    return quota > 0 && period > 0 ? quota / period + (quota % period != 0) : INT64_MAX;
}

/* The limit of a group and of all that it lies in. */
static int64_t limit_of_group(const controller *c, const char *mount, const char *group, bool is_version_2)
{
    char folder[PATH_BYTES];
    int64_t least = INT64_MAX;
    size_t root = strlen(mount);
    int length = snprintf(folder, sizeof folder, "%s%s", mount, group);
    if ((size_t)length >= sizeof folder)
        return least;
    for (;;) {
        least = smaller(least, c->read(folder, is_version_2));
        char *slash = strrchr(folder + root, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* Tells a name of a list between commas. */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    while (strncmp(list, name, length) != 0 || (list[length] != ',' && list[length] != '\0')) {
        list = strchr(list, ',');
        if (list == NULL)
            return false;
        list++;
    }
    return true;
}

/* A line is "number:controllers:/path"; version 2 has number 0 and no controllers. */
static int64_t limit_of_line(const controller *c, char *line, const char *mount)
{
    char own_mount[PATH_BYTES];
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL)
        return INT64_MAX;
    *group++ = '\0';
    if (line[0] == '0' && controllers[1] == '\0')
        return limit_of_group(c, mount, group, true);
    if (!is_listed(controllers + 1, c->name))
        return INT64_MAX;
    (void)snprintf(own_mount, sizeof own_mount, "%s/%s", mount, c->name);
    return limit_of_group(c, own_mount, group, false);
}

static int64_t limit_of_groups(const controller *c, const char *groups_file, const char *mount)
{
    char line[LINE_BYTES];
    int64_t least = INT64_MAX;
    FILE *file = fopen(groups_file, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        least = smaller(least, limit_of_line(c, line, mount));
    if (file != NULL)
        (void)fclose(file);
    return least;
}

/* ---- Memory ---- */

static int64_t physical_memory(void)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0 || pages > INT64_MAX / page) /* LCOV_EXCL_BR_LINE: Linux tells */
        return INT64_MAX;                                    /* LCOV_EXCL_LINE: Linux tells */
    return pages * page;                                     /* proven: compared above */
}

int64_t zc_memory_available(const char *groups_file, const char *mount)
{
    static const controller memory = {"memory", read_memory};
    return smaller(physical_memory(), limit_of_groups(&memory, groups_file, mount));
}

int64_t zc_memory_limit_default(void)
{
    return zc_memory_available("/proc/self/cgroup", "/sys/fs/cgroup") / 5 * 4;
}

/* ---- Processors ---- */

static const controller processors = {"cpu", read_processors};

/* Those of the affinity, or all where there are more than a set has room for. */
static int64_t processors_to_run_on(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) /* LCOV_EXCL_BR_LINE: machines of more than 1,024 processors */
        return CPU_COUNT(&set);
    return sysconf(_SC_NPROCESSORS_ONLN); /* LCOV_EXCL_LINE: likewise */
}

int64_t zc_processors_available(const char *groups_file, const char *mount)
{
    return smaller(processors_to_run_on(), limit_of_groups(&processors, groups_file, mount));
}

int64_t zc_processors_default(void)
{
    static _Atomic int64_t quota; /* 0: not read yet */
    if (atomic_load(&quota) == 0)
        atomic_store(&quota, limit_of_groups(&processors, "/proc/self/cgroup", "/sys/fs/cgroup"));
    return smaller(processors_to_run_on(), atomic_load(&quota));
}
