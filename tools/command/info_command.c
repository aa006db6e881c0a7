#include "tools/command/info_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "expressions/base/memory.h"
#include "tools/base/interrupt.h"
#include "tools/base/member_path.h"
#include "tools/base/report.h"
#include "tools/output/json.h"

static void print_shape(const zc_file_info *info)
{
    putc('(', stdout);
    for (int i = 0; i < info->rank; i++)
        printf("%s%" PRId64, i > 0 ? ", " : "", info->shape[i]);
    fputs(info->rank == 1 ? ",)" : ")", stdout);
}

/* A file that is described, and who is told. */
typedef struct description {
    const zc_request *request;
    zc_context *ctx;
    zc_fault *fault;
    const char *path;
    zc_json json;
} description;

/* Tells FILE:MEMBER from FILE. */
static bool names_member(const char *path, const char *member)
{
    const size_t length = strlen(path), own = strlen(member);
    return length > own && path[length - own - 1] == ':' && strcmp(path + length - own, member) == 0;
}

/* Prints a name that a file has given: of control characters, which would be the terminal's, question marks. */
static void print_name(const char *name)
{
    for (; *name != '\0'; name++) {
        const unsigned char next = (unsigned char)*name;
        const bool is_c1 = next == 0xc2 && ((unsigned char)name[1] & 0xe0) == 0x80;
        putc(next < ' ' || next == 0x7f || is_c1 ? '?' : next, stdout);
        name += is_c1;
    }
}

static void print_info(const char *path, const char *member, const zc_file_info *info)
{
    fputs(path, stdout);
    if (member != NULL && !names_member(path, member)) {
        putc(':', stdout);
        print_name(member);
    }
    printf(": %s ", zc_dtype_name(info->dtype));
    print_shape(info);
    printf(", %s order%s, ", info->fortran_order ? "Fortran" : "C", info->big_endian ? ", big-endian" : "");
    if (info->version > 0)
        printf("version %d, ", info->version);
    printf("%" PRId64 " bytes\n", info->data_bytes);
}

static void put_info(zc_json *json, const char *path, const char *member, const zc_file_info *info)
{
    zc_json_open(json, '{');
    zc_json_key(json, "file");
    zc_json_string(json, path);
    if (member != NULL) {
        zc_json_key(json, "member");
        zc_json_string(json, member);
    }
    zc_json_key(json, "dtype");
    zc_json_string(json, zc_dtype_name(info->dtype));
    zc_json_key(json, "shape");
    zc_json_integers(json, info->rank, info->shape);
    zc_json_key(json, "fortran_order");
    zc_json_bool(json, info->fortran_order);
    zc_json_key(json, "big_endian");
    zc_json_bool(json, info->big_endian);
    zc_json_key(json, "version");
    zc_json_integer(json, info->version);
    zc_json_key(json, "header_bytes");
    zc_json_integer(json, info->header_bytes);
    zc_json_key(json, "data_bytes");
    zc_json_integer(json, info->data_bytes);
    zc_json_close(json, '}');
}

static void refuse_file(zc_context *ctx, zc_fault *fault)
{
    zc_fault one = {.status = ZC_OK};
    (void)zc_fault_library(&one, ctx);
    zc_report_part(fault, &one);
    zc_error_clear(ctx);
}

/* A member that cannot be opened is asked for by its name, so that the library says why. */
static bool refuse_member(description *d, const char *member)
{
    zc_file_info info;
    char *path = zc_member_path(d->fault, d->path, member);
    if (path == NULL)
        return false;
    if (zc_read_info(d->ctx, path, &info) != ZC_OK)
        refuse_file(d->ctx, d->fault);
    zc_memory_give(path);
    return true;
}

/* A line or an object; false: enough. */
static bool show_member(void *user, const char *member, const zc_file_info *info)
{
    description *d = user;
    if (info == NULL)
        return refuse_member(d, member);
    if (d->request->json)
        put_info(&d->json, d->path, member, info);
    else
        print_info(d->path, member, info);
    return zc_interrupt_signal() == 0;
}

/* Tells of what is no array file, and describes the others. Stops after a signal. */
static bool describe_files(description *d)
{
    const zc_request *request = d->request;
    if (request->json)
        zc_json_open(&d->json, '[');
    for (int i = 0; i < request->positional_count; i++) {
        if (zc_interrupt_signal() != 0)
            return zc_fault_refuse(d->fault, "info: stopped");
        d->path = request->positional[i];
        const zc_status status = zc_read_members(d->ctx, d->path, show_member, d);
        if (status == ZC_ERROR_MEMORY || d->fault->status == ZC_ERROR_MEMORY)
            return zc_fault_library(d->fault, d->ctx);
        if (status != ZC_OK)
            refuse_file(d->ctx, d->fault);
    }
    if (request->json) {
        zc_json_close(&d->json, ']');
        putc('\n', stdout);
    }
    return d->fault->status == ZC_OK;
}

bool zc_info_command(const zc_request *request, zc_fault *fault)
{
    zc_context *ctx = zc_context_new(NULL);
    description d = {.request = request, .ctx = ctx, .fault = fault, .json = {.out = stdout}};
    bool ok = ctx == NULL ? zc_fault_memory(fault) : describe_files(&d);
    zc_context_free(ctx);
    return ok;
}
