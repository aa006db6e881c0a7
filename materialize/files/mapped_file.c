#include "materialize/files/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "materialize/files/file_error.h"

zc_status zc_mapped_file_open(zc_mapped_file *f, const char *path, zc_reason *why)
{
    struct stat status;
    *f = (zc_mapped_file){.path = path, .file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (f->file < 0)
        return zc_file_error(why, path, "cannot be opened");
    zc_status result = ZC_OK;
    if (fstat(f->file, &status) != 0)
        result = zc_file_error(why, path, "cannot be examined");
    else if (!S_ISREG(status.st_mode)) {
        (void)zc_refuse(why, ZC_ERROR_FILE, "%s: not a regular file", path);
        result = zc_file_error_number(why, S_ISDIR(status.st_mode) ? EISDIR : 0);
    } else
        f->bytes = (int64_t)status.st_size;
    if (result != ZC_OK)
        zc_mapped_file_close(f);
    return result;
}

void zc_mapped_file_close(zc_mapped_file *f)
{
    (void)close(f->file);
    f->file = -1;
}

zc_status zc_mapped_file_start(const zc_mapped_file *f, void *bytes, size_t room, size_t *count, zc_reason *why)
{
    *count = 0;
    while (*count < room) {
        ssize_t got = pread(f->file, (char *)bytes + *count, room - *count, (off_t)*count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return zc_file_error(why, f->path, "cannot be read");
        if (got == 0)
            break;
        *count += (size_t)got;
    }
    return ZC_OK;
}

zc_status zc_mapped_file_check(const zc_mapped_file *f, int64_t at, int64_t count, zc_reason *why)
{
    if (count <= f->bytes - at)
        return ZC_OK;
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s: %lld bytes of data are missing at its end", f->path,
                     (long long)(count - (f->bytes - at)));
}

/* ---- In memory ---- */

typedef struct mapping {
    zc_heap *heap;
    void *base;
    size_t bytes;
} mapping;

static void unmap(void *user, void *memory)
{
    (void)memory;
    mapping *m = user;
    (void)munmap(m->base, m->bytes);
    zc_heap_give(m->heap, m, sizeof *m);
}

static zc_status refuse_memory(zc_reason *why)
{
    return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
}

/* count: above 0; the bytes are there. */
static zc_status map(const zc_mapped_file *f, zc_heap *heap, int64_t at, int64_t count, zc_buffer **buffer,
                     zc_reason *why)
{
    mapping *m = zc_heap_take(heap, sizeof *m);
    if (m == NULL)
        return refuse_memory(why);
    *m = (mapping){.heap = heap, .bytes = (size_t)(at + count)}; /* not above the file's */
    m->base = mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, f->file, 0);
    if (m->base == MAP_FAILED) {
        zc_heap_give(heap, m, sizeof *m);
        return zc_file_error(why, f->path, "cannot be mapped");
    }
    *buffer = zc_buffer_wrap(heap, (char *)m->base + at, count, unmap, m);
    if (*buffer != NULL)
        return ZC_OK;
    unmap(m, NULL);
    return refuse_memory(why);
}

zc_status zc_mapped_file_map(const zc_mapped_file *f, zc_heap *heap, int64_t at, int64_t count, zc_buffer **buffer,
                             zc_reason *why)
{
    zc_status status = zc_mapped_file_check(f, at, count, why);
    if (status != ZC_OK)
        return status;
    if (count > 0)
        return map(f, heap, at, count, buffer, why);
    *buffer = zc_buffer_new(heap, 0); /* nothing cannot be mapped */
    return *buffer != NULL ? ZC_OK : refuse_memory(why);
}
