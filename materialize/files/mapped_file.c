#include "materialize/files/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "materialize/files/file_error.h"
#include "views/shape.h"

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

bool zc_mapped_file_is_missing(const zc_reason *why)
{
    return why->system_error == ENOENT || why->system_error == ENAMETOOLONG;
}

/* Reads from there on; fewer bytes only at the end of the file, or of the part. */
static zc_status read_from(const zc_mapped_file *f, int64_t at, void *bytes, size_t room, size_t *count, zc_reason *why)
{
    *count = 0;
    if ((uint64_t)(f->bytes - at) < room)
        room = (size_t)(f->bytes - at);
    while (*count < room) {
        const off_t from = (off_t)(f->start + at) + (off_t)*count; /* proven: in a file that is as long */
        ssize_t got = pread(f->file, (char *)bytes + *count, room - *count, from);
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

zc_status zc_mapped_file_start(const zc_mapped_file *f, void *bytes, size_t room, size_t *count, zc_reason *why)
{
    return read_from(f, 0, bytes, room, count, why);
}

static zc_status refuse_shortened(const zc_mapped_file *f, zc_reason *why)
{
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s: bytes of data are missing at its end", f->path);
}

zc_status zc_mapped_file_read(const zc_mapped_file *f, int64_t at, void *bytes, size_t count, zc_reason *why)
{
    size_t got;
    zc_status status = read_from(f, at, bytes, count, &got, why);
    return status == ZC_OK && got < count ? refuse_shortened(f, why) : status;
}

zc_status zc_mapped_file_check(const zc_mapped_file *f, int64_t at, int64_t count, zc_reason *why)
{
    if (at <= f->bytes && count <= f->bytes - at)
        return ZC_OK;
    return zc_refuse(why, ZC_ERROR_FORMAT, "%s: %lld bytes of data are missing at its end", f->path,
                     (long long)zc_saturating_add(at - f->bytes, count)); /* proven: neither is negative */
}

/* ---- In memory ---- */

/* Linux gives a process 65,530 mappings where nobody has set another number, and nobody can do without. So once there
 * are many of files, small ones are read: no more is read of them than at the first touch of a mapping. */
enum { MANY = 1 << 14, SMALL_BYTES = 1 << 16 };

static _Atomic int64_t mappings; /* of files, of all contexts */

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
    (void)zc_count(&mappings, -1);
    zc_heap_give(m->heap, m, sizeof *m);
}

static zc_status refuse_memory(zc_reason *why)
{
    return zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
}

/* Counts the lines of one of Linux's files, and reads the number that it begins with; 0 where it cannot be read. */
static int64_t scan(const char *path, int64_t *number)
{
    char text[4096];
    int64_t lines = 0;
    ssize_t got;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    *number = 0;
    while (file >= 0 && (got = read(file, text, sizeof text - 1)) > 0) { /* LCOV_EXCL_BR_LINE: where /proc is */
        text[got] = '\0';
        if (lines == 0)
            *number = strtoll(text, NULL, 10);
        for (ssize_t i = 0; i < got; i++)
            lines += text[i] == '\n';
    }
    if (file >= 0) /* LCOV_EXCL_BR_LINE: likewise */
        (void)close(file);
    return lines;
}

/* Says why there is no mapping, from errno: that memory is out may mean that there are too many. */
static zc_status refuse_mapping(const zc_mapped_file *f, zc_reason *why)
{
    enum { ALMOST = 16 };
    const int number = errno;
    int64_t most, unused;
    (void)scan("/proc/sys/vm/max_map_count", &most);
    /* LCOV_EXCL_BR_START: up to the limits of the system */
    const bool are_all = number == ENOMEM && most > 0 && scan("/proc/self/maps", &unused) + ALMOST >= most;
    /* LCOV_EXCL_BR_STOP */
    errno = number;
    if (!are_all)
        return zc_file_error(why, f->path, "cannot be mapped");
    (void)zc_refuse(why, ZC_ERROR_FILE,
                    "%s: cannot be mapped: Linux gives a process %lld mappings, and there are no more left; sysctl "
                    "vm.max_map_count sets their number",
                    f->path, (long long)most);
    return zc_file_error_number(why, number);
}

/* The bytes of the file in front of `at` in its page, which are mapped too. */
static int64_t bytes_before(const zc_mapped_file *f, int64_t at)
{
    return (f->start + at) % sysconf(_SC_PAGESIZE); /* proven: in the file */
}

/* count: above 0; the bytes are there. */
static zc_status map(const zc_mapped_file *f, zc_heap *heap, int64_t at, int64_t count, zc_buffer **buffer,
                     zc_reason *why)
{
    mapping *m = zc_heap_take(heap, sizeof *m);
    if (m == NULL)
        return refuse_memory(why);
    const int64_t before = bytes_before(f, at), from = f->start + at - before; /* proven: in the file */
    *m = (mapping){.heap = heap, .bytes = (size_t)(before + count)};           /* proven: checked by who calls */
    m->base = mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, f->file, (off_t)from);
    if (m->base == MAP_FAILED) {
        zc_status status = refuse_mapping(f, why);
        zc_heap_give(heap, m, sizeof *m);
        return status;
    }
    (void)zc_count(&mappings, 1);
    *buffer = zc_buffer_wrap(heap, (char *)m->base + before, count, unmap, m);
    if (*buffer != NULL)
        return ZC_OK;
    unmap(m, NULL);
    return refuse_memory(why);
}

/* Tells bytes that are read instead of mapped. */
static bool are_read(const zc_heap *heap, int64_t count)
{
    const int64_t held = atomic_load_explicit(&((zc_heap *)(uintptr_t)heap)->data_bytes, memory_order_relaxed);
    return count <= SMALL_BYTES && atomic_load_explicit(&mappings, memory_order_relaxed) >= MANY &&
           (heap->limit == 0 || count <= heap->limit - held);
}

static zc_status read_all(const zc_mapped_file *f, zc_heap *heap, int64_t at, int64_t count, zc_buffer **buffer,
                          zc_reason *why)
{
    *buffer = zc_buffer_new(heap, count);
    if (*buffer == NULL)
        return refuse_memory(why);
    zc_status status = zc_mapped_file_read(f, at, (*buffer)->memory, (size_t)count, why);
    if (status != ZC_OK) {
        zc_buffer_release(*buffer);
        *buffer = NULL;
    }
    return status;
}

zc_status zc_mapped_file_map(const zc_mapped_file *f, zc_heap *heap, int64_t at, int64_t count, zc_buffer **buffer,
                             zc_reason *why)
{
    zc_status status = zc_mapped_file_check(f, at, count, why);
    if (status != ZC_OK)
        return status;
    if (count > PTRDIFF_MAX - bytes_before(f, at))
        return zc_refuse(why, ZC_ERROR_FILE, "%s: %lld bytes are more than the memory of a process has addresses for",
                         f->path, (long long)count);
    if (count > 0)
        return (are_read(heap, count) ? read_all : map)(f, heap, at, count, buffer, why);
    *buffer = zc_buffer_new(heap, 0); /* nothing cannot be mapped */
    return *buffer != NULL ? ZC_OK : refuse_memory(why);
}
