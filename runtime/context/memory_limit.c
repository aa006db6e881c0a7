#include "runtime/context/memory_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, LINE_BYTES = 4096 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t physical_memory(void)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0 || pages > INT64_MAX / page) /* LCOV_EXCL_BR_LINE: Linux tells */
        return INT64_MAX;                                    /* LCOV_EXCL_LINE: Linux tells */
    return pages * page;                                     /* proven: compared above */
}

/* A limit file holds a number of bytes; "max" or anything else is no limit. */
static int64_t read_limit(const char *path)
{
    FILE *file = fopen(path, "re");
    long long bytes = 0;
    int found = file == NULL ? 0 : fscanf(file, "%lld", &bytes);
    if (file != NULL)
        fclose(file);
    return found == 1 && bytes > 0 ? bytes : INT64_MAX;
}

/* The limit of a group and of all that it lies in. */
static int64_t limit_of_group(const char *mount, const char *group, const char *limit_file)
{
    char folder[PATH_BYTES], path[PATH_BYTES + 64];
    int64_t least = INT64_MAX;
    size_t root = strlen(mount);
    int length = snprintf(folder, sizeof folder, "%s%s", mount, group);
    if ((size_t)length >= sizeof folder)
        return least;
    for (;;) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, limit_file);
        least = smaller(least, read_limit(path));
        char *slash = strrchr(folder + root, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* A line is "number:controllers:/path"; version 2 has number 0 and no controllers. */
static int64_t limit_of_line(char *line, const char *mount)
{
    char memory_mount[PATH_BYTES];
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL)
        return INT64_MAX;
    *group++ = '\0';
    if (line[0] == '0' && controllers[1] == '\0')
        return limit_of_group(mount, group, "memory.max");
    if (strcmp(controllers + 1, "memory") != 0)
        return INT64_MAX;
    (void)snprintf(memory_mount, sizeof memory_mount, "%s/memory", mount);
    return limit_of_group(memory_mount, group, "memory.limit_in_bytes");
}

int64_t zc_memory_available(const char *groups_file, const char *mount)
{
    char line[LINE_BYTES];
    int64_t least = physical_memory();
    FILE *file = fopen(groups_file, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        least = smaller(least, limit_of_line(line, mount));
    if (file != NULL)
        fclose(file);
    return least;
}

int64_t zc_memory_limit_default(void)
{
    return zc_memory_available("/proc/self/cgroup", "/sys/fs/cgroup") / 5 * 4;
}
