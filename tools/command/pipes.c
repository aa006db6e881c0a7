#include "tools/command/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/interrupt.h"
#include "tools/command/session.h"

enum { PIECE_BYTES = 1 << 16, PATH_BYTES = 4096 };

bool zc_is_standard(const char *name)
{
    const size_t length = strlen(name);
    struct stat status;
    return strcmp(name, "-") == 0 ||
           (length > 2 && strcmp(name + length - 2, ":-") == 0 && stat(name, &status) != 0); /* a file wins */
}

static const char *folder(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && named[0] != '\0' ? named : "/tmp";
}

/* ---- Copying ---- */

static bool refuse(zc_fault *fault, const char *name)
{
    return zc_fault_refuse(fault, "%s: %s", name, strerror(errno));
}

/* Reads some bytes, unless a signal came: their number, 0 at the end, -1 with a fault. */
static ssize_t read_some(int from, char *bytes, size_t room, const char *name, zc_fault *fault)
{
    ssize_t got;
    do {
        got = read(from, bytes, room);
    } while (got < 0 && errno == EINTR && zc_interrupt_signal() == 0); /* LCOV_EXCL_BR_LINE: up to when signals come */
    if (got < 0)
        (void)refuse(fault, name);
    return got;
}

static bool write_all(int to, const char *bytes, size_t count, const char *name, zc_fault *fault)
{
    while (count > 0) {
        const ssize_t done = write(to, bytes, count);
        if (done < 0 && errno == EINTR && zc_interrupt_signal() == 0) /* LCOV_EXCL_BR_LINE: likewise */
            continue;                                                 /* LCOV_EXCL_LINE: likewise */
        if (done < 0) {
            fault->is_quiet = errno == EPIPE;
            return refuse(fault, name);
        }
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

static bool copy(int from, const char *from_name, int to, const char *to_name, zc_fault *fault)
{
    char piece[PIECE_BYTES];
    ssize_t got;
    while ((got = read_some(from, piece, sizeof piece, from_name, fault)) > 0) {
        if (!write_all(to, piece, (size_t)got, to_name, fault))
            return false;
    }
    return got == 0;
}

/* ---- In ---- */

/* A file without a name, or -1 with a fault. */
static int open_unnamed(zc_fault *fault)
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/zerocast-XXXXXX", folder()) >= (int)sizeof path) {
        (void)zc_fault_refuse(fault, "TMPDIR: the path is too long");
        return -1;
    }
    const int file = mkstemp(path);
    if (file < 0)
        (void)refuse(fault, path);
    else
        (void)unlink(path);
    return file;
}

/* The failure of zc_open(), about what the user has named. */
static void refuse_spooled(zc_context *ctx, const char *spooled, const char *name, zc_fault *fault)
{
    const char *text = zc_error_text(ctx), *at = strstr(text, spooled);
    if (at == NULL)
        (void)zc_fault_library(fault, ctx);
    else
        (void)zc_fault_refuse(fault, "%.*s%s%s", (int)(at - text), text, name, at + strlen(spooled));
}

/* Opens what a file without a name holds; `format` is "csv:", raw:... or nothing. */
static zc_tensor *open_spooled(zc_context *ctx, int file, const char *format, int format_length, const char *name,
                               zc_fault *fault)
{
    char spooled[32], path[PATH_BYTES];
    (void)snprintf(spooled, sizeof spooled, "/dev/fd/%d", file);
    if (snprintf(path, sizeof path, "%.*s%s", format_length, format, spooled) >= (int)sizeof path) {
        (void)zc_fault_refuse(fault, "open: the name of a format is too long");
        return NULL;
    }
    zc_tensor *tensor = zc_open(ctx, path);
    if (tensor == NULL)
        refuse_spooled(ctx, spooled, name, fault);
    return tensor;
}

static zc_tensor *read_and_open(zc_context *ctx, int from, const char *format, int format_length, const char *name,
                                zc_fault *fault)
{
    zc_tensor *tensor = NULL;
    const int file = open_unnamed(fault);
    if (file < 0)
        return NULL;
    if (copy(from, name, file, "TMPDIR", fault))
        tensor = open_spooled(ctx, file, format, format_length, name, fault);
    (void)close(file); /* the mapping stays */
    return tensor;
}

/* Tells a pipe that the shell has opened. */
static bool is_shell_pipe(const char *path)
{
    struct stat status;
    return strncmp(path, "/dev/fd/", 8) == 0 && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

zc_tensor *zc_open_or_read(zc_context *ctx, const char *path, zc_fault *fault)
{
    const int length = (int)strlen(path);
    zc_tensor *tensor;
    if (zc_is_standard(path))
        return read_and_open(ctx, STDIN_FILENO, path, length - 1, "standard input", fault);
    if (is_shell_pipe(path)) {
        const int pipe = open(path, O_RDONLY | O_CLOEXEC);
        if (pipe < 0)                               /* LCOV_EXCL_BR_LINE: unless the shell's pipe may not be read */
            return (void)refuse(fault, path), NULL; /* LCOV_EXCL_LINE: likewise */
        tensor = read_and_open(ctx, pipe, "", 0, path, fault);
        (void)close(pipe);
        return tensor;
    }
    tensor = zc_open(ctx, path);
    if (tensor == NULL)
        (void)zc_fault_library(fault, ctx);
    return tensor;
}

/* ---- Out ---- */

/* The file that standard output is written from, in a folder of its own. */
typedef struct spool {
    char folder[PATH_BYTES], path[PATH_BYTES + 64];
} spool;

static bool begin_spool(spool *s, const char *output, zc_fault *fault)
{
    const int format = (int)strlen(output) - 2; /* of "csv:-"; negative of "-" */
    if (snprintf(s->folder, sizeof s->folder, "%s/zerocast-XXXXXX", folder()) >= (int)sizeof s->folder)
        return zc_fault_refuse(fault, "TMPDIR: the path is too long");
    if (mkdtemp(s->folder) == NULL)
        return refuse(fault, s->folder);
    (void)snprintf(s->path, sizeof s->path, "%s/out.%.*s", s->folder, format > 0 ? format : 3,
                   format > 0 ? output : "npy");
    return true;
}

static bool send_spool(const spool *s, zc_fault *fault)
{
    const int file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)                      /* LCOV_EXCL_BR_LINE: unless somebody has removed it meanwhile */
        return refuse(fault, s->path); /* LCOV_EXCL_LINE: likewise */
    const bool ok = copy(file, s->path, STDOUT_FILENO, "standard output", fault);
    (void)close(file);
    return ok;
}

static void end_spool(const spool *s)
{
    (void)unlink(s->path);
    (void)rmdir(s->folder);
}

static bool save(zc_context *ctx, int count, const zc_tensor *const *tensors, const char *const *paths, zc_fault *fault)
{
    const zc_status status = count == 1 ? zc_save(tensors[0], paths[0]) : zc_save_all(count, tensors, paths);
    if (status != ZC_OK)
        return zc_fault_library(fault, ctx);
    return true;
}

bool zc_save_results(zc_context *ctx, int count, const zc_tensor *const *tensors, const zc_request *request,
                     zc_fault *fault)
{
    int standard = 0;
    spool s;
    while (standard < count && !zc_is_standard(request->outputs[standard]))
        standard++;
    if (standard == count)
        return save(ctx, count, tensors, request->outputs, fault);
    const char *output = request->outputs[standard];
    if (!begin_spool(&s, output, fault))
        return false;
    request->outputs[standard] = s.path;
    const bool ok = save(ctx, count, tensors, request->outputs, fault) && send_spool(&s, fault);
    request->outputs[standard] = output;
    end_spool(&s);
    return ok;
}
