#include "tools/base/member_path.h"

#include <stdio.h>
#include <string.h>

#include "expressions/base/memory.h"

char *zc_member_path(zc_fault *fault, const char *file, const char *member)
{
    const size_t room = strlen(file) + strlen(member) + 2;
    char *path = zc_memory_take(fault, room);
    if (path != NULL)
        (void)snprintf(path, room, "%s:%s", file, member);
    return path;
}
