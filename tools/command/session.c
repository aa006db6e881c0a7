#include "tools/command/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "expressions/language/parser.h"
#include "tools/base/interrupt.h"
#include "tools/command/pipes.h"
#include "tools/output/file_printer.h"

/* ---- The expression ---- */

static bool refuse_file(zc_fault *fault, const char *path, const char *reason)
{
    return zc_fault_refuse(fault, "%s: %s", path, reason);
}

static bool read_all(int file, const char *path, size_t bytes, char *text, zc_fault *fault)
{
    size_t used = 0;
    while (used < bytes) {
        ssize_t got = read(file, text + used, bytes - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return refuse_file(fault, path, got < 0 ? strerror(errno) : "the file became shorter while it was read");
        used += (size_t)got;
    }
    return true;
}

static bool read_text(int file, const char *path, char **text, size_t *length, zc_fault *fault)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return refuse_file(fault, path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return refuse_file(fault, path, "not a regular file");
    if (status.st_size > ZC_MAX_SOURCE_BYTES)
        return refuse_file(fault, path, "too long for an expression");
    *length = (size_t)status.st_size;
    *text = malloc(*length + 1);
    if (*text == NULL)
        return zc_fault_memory(fault);
    (*text)[*length] = '\0';
    return read_all(file, path, *length, *text, fault);
}

static bool read_expression(const char *path, char **text, size_t *length, zc_fault *fault)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO without a writer is not waited for */
    if (file < 0)
        return refuse_file(fault, path, strerror(errno));
    bool ok = read_text(file, path, text, length, fault);
    (void)close(file);
    return ok;
}

static bool parse_expression(zc_session *session, const zc_request *request, zc_fault *fault)
{
    if (request->expression_file == NULL)
        return zc_parse(request->expression, strlen(request->expression), &session->program, fault);
    size_t length = 0;
    return read_expression(request->expression_file, &session->text, &length, fault) &&
           zc_parse(session->text, length, &session->program, fault);
}

/* ---- Context and files ---- */

static bool open_context(zc_session *session, const zc_request *request, zc_fault *fault)
{
    bool computes = request->subcommand != ZC_SUBCOMMAND_EXPLAIN;
    zc_options options = {
        .memory_limit = request->memory_limit, .threads = request->threads, .executor = request->executor};
    if (options.memory_limit == 0) /* explain shows the plan that eval would run */
        options.memory_limit = zc_memory_limit_default();
    session->ctx = zc_context_new(&options);
    if (session->ctx == NULL)
        return zc_fault_memory(fault);
    zc_progress_bar_begin(&session->progress, computes ? request->progress : ZC_PROGRESS_BAR_NEVER, session->ctx);
    zc_interrupt_watch(session->ctx);
    return true;
}

static bool open_files(zc_session *session, const zc_request *request, zc_fault *fault)
{
    for (int i = 0; i < request->positional_count; i++) {
        const char *name = request->positional[i], *sign = strchr(name, '=');
        zc_tensor *tensor = zc_open_or_read(session->ctx, sign + 1, fault);
        if (tensor == NULL)
            return false;
        const size_t length = (size_t)(sign - name);
        const zc_object value = {.kind = ZC_OBJECT_TENSOR, .tensor = tensor};
        if (!zc_evaluator_bind_variable(&session->evaluator, name, length, value))
            return false;
    }
    return true;
}

double zc_session_clock(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Files are open, and the clock begins to run. */
static bool evaluate(zc_session *session)
{
    session->progress.works = false;
    session->begun = zc_session_clock();
    return zc_evaluator_run(&session->evaluator, &session->results);
}

bool zc_session_begin(zc_session *session, const zc_request *request, zc_fault *fault)
{
    *session = (zc_session){0};
    return parse_expression(session, request, fault) && open_context(session, request, fault) &&
           zc_evaluator_begin(&session->evaluator, session->ctx, &session->program, fault) &&
           open_files(session, request, fault) && evaluate(session);
}

void zc_session_end(zc_session *session)
{
    zc_interrupt_watch(NULL);
    zc_progress_bar_end(&session->progress);
    zc_results_free(&session->results);
    zc_evaluator_end(&session->evaluator);
    zc_program_free(&session->program);
    zc_context_free(session->ctx);
    free(session->text);
    *session = (zc_session){0};
}

/* ---- Standard output ---- */

static bool refuse_output(zc_fault *fault)
{
    int error = errno != 0 ? errno : EIO;
    if (fault->status == ZC_OK)
        fault->is_quiet = error == EPIPE;
    return zc_fault_refuse(fault, "standard output: %s", strerror(error));
}

/* Writes text; a text longer than the stream's buffer is written at once, and only now errno tells why that failed. */
bool zc_write_text(const char *text, zc_fault *fault)
{
    errno = 0;
    if (fputs(text, stdout) < 0)
        return refuse_output(fault);
    return true;
}

bool zc_finish_output(zc_fault *fault)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    if (errno == 0) /* the write that failed was an earlier one */
        errno = zc_file_printer_error();
    return refuse_output(fault);
}
