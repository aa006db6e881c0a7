#include "tests/tools/failing_read.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static zc_read_fault wanted;

ssize_t __real_read(int file, void *bytes, size_t count);
int __real_fstat(int file, struct stat *status);
ssize_t __wrap_read(int file, void *bytes, size_t count);
int __wrap_fstat(int file, struct stat *status);

void zc_read_fail(zc_read_fault fault)
{
    wanted = fault;
}

ssize_t __wrap_read(int file, void *bytes, size_t count)
{
    switch (wanted) {
    case ZC_READ_INTERRUPTED:
        wanted = ZC_READS;
        errno = EINTR;
        return -1;
    case ZC_READ_BROKEN:
        errno = EIO;
        return -1;
    case ZC_READ_SHORT:
        return 0;
    default:
        return __real_read(file, bytes, count);
    }
}

int __wrap_fstat(int file, struct stat *status)
{
    if (wanted != ZC_STAT_BROKEN)
        return __real_fstat(file, status);
    errno = EIO;
    return -1;
}
