#include "tools/command/info_command.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/command/interrupt.h"
#include "tools/output/json.h"

static void print_shape(const zc_file_info *info)
{
    putc('(', stdout);
    for (int i = 0; i < info->rank; i++)
        printf("%s%" PRId64, i > 0 ? ", " : "", info->shape[i]);
    fputs(info->rank == 1 ? ",)" : ")", stdout);
}

static void print_info(const char *path, const zc_file_info *info)
{
    printf("%s: %s ", path, zc_dtype_name(info->dtype));
    print_shape(info);
    printf(", %s order%s, version %d, %" PRId64 " bytes\n", info->fortran_order ? "Fortran" : "C",
           info->big_endian ? ", big-endian" : "", info->version, info->data_bytes);
}

static void put_info(zc_json *json, const char *path, const zc_file_info *info)
{
    zc_json_open(json, '{');
    zc_json_key(json, "file");
    zc_json_string(json, path);
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
    zc_fault one = {.exit_code = ZC_EXIT_DONE};
    (void)zc_fault_library(&one, ctx);
    zc_fault_tell(fault, &one);
    zc_error_clear(ctx);
}

/* Tells of what is no array file, and describes the others. Stops after a signal. */
static bool describe_files(const zc_request *request, zc_context *ctx, zc_fault *fault)
{
    zc_json json = {.out = stdout};
    zc_file_info info;
    if (request->json)
        zc_json_open(&json, '[');
    for (int i = 0; i < request->positional_count; i++) {
        if (zc_interrupt_signal() != 0)
            return zc_fault_refuse(fault, "info: stopped");
        const zc_status status = zc_read_info(ctx, request->positional[i], &info);
        if (status == ZC_ERROR_MEMORY)
            return zc_fault_library(fault, ctx);
        if (status != ZC_OK)
            refuse_file(ctx, fault);
        else if (request->json)
            put_info(&json, request->positional[i], &info);
        else
            print_info(request->positional[i], &info);
    }
    if (request->json) {
        zc_json_close(&json, ']');
        putc('\n', stdout);
    }
    return fault->exit_code == ZC_EXIT_DONE;
}

bool zc_info_command(const zc_request *request, zc_fault *fault)
{
    zc_context *ctx = zc_context_new(NULL);
    bool ok = ctx == NULL ? zc_fault_memory(fault) : describe_files(request, ctx, fault);
    zc_context_free(ctx);
    return ok;
}
