#include "tools/command/convert_command.h"

#include <stdlib.h>
#include <string.h>

#include "expressions/base/memory.h"
#include "tools/base/interrupt.h"
#include "tools/base/member_path.h"
#include "tools/command/pipes.h"

/* The arrays of a file. */
typedef struct arrays {
    zc_tensor **tensors; /* [count] */
    char **names;        /* [count]; NULL: the file has one array, without a name */
    int count, room;
    zc_context *ctx;
    const char *path;
    zc_fault *fault;
} arrays;

static bool make_room(arrays *a)
{
    const int room = a->room > 0 ? 2 * a->room : 16;
    if (a->count < a->room)
        return true;
    zc_tensor **tensors = realloc((void *)a->tensors, (size_t)room * sizeof *tensors);
    if (tensors != NULL)
        a->tensors = tensors;
    char **names = realloc((void *)a->names, (size_t)room * sizeof *names);
    if (names != NULL)
        a->names = names;
    if (tensors == NULL || names == NULL) {
        (void)zc_fault_memory(a->fault);
        return false;
    }
    a->room = room;
    return true;
}

/* Says why an array cannot be opened, as the library does who is asked for it by its name. */
static bool refuse_member(const arrays *a, const char *name)
{
    char *path = zc_member_path(a->fault, a->path, name);
    if (path == NULL)
        return false;
    zc_release(zc_open(a->ctx, path));
    zc_memory_give(path);
    return zc_fault_library(a->fault, a->ctx);
}

static bool copy_name(const arrays *a, char **copy, const char *name)
{
    const size_t bytes = strlen(name) + 1;
    *copy = zc_memory_take(a->fault, bytes);
    if (*copy != NULL)
        memcpy(*copy, name, bytes);
    return *copy != NULL;
}

/* An array that cannot be opened stops it: what is left out of a copy is lost. */
static bool take(void *user, const char *name, zc_tensor *t)
{
    arrays *a = user;
    if (t == NULL)
        return refuse_member(a, name);
    if (!make_room(a)) {
        zc_release(t);
        return false;
    }
    a->tensors[a->count] = t;
    a->names[a->count++] = NULL;
    return name == NULL || copy_name(a, &a->names[a->count - 1], name);
}

static void end(arrays *a)
{
    for (int i = 0; i < a->count; i++) {
        zc_release(a->tensors[i]);
        zc_memory_give(a->names[i]);
    }
    free((void *)a->tensors);
    free((void *)a->names);
}

static bool open_arrays(zc_context *ctx, const char *path, arrays *a)
{
    if (!zc_is_standard(path) && zc_open_members(ctx, path, take, a) == ZC_OK)
        return a->fault->status == ZC_OK;
    if (a->count > 0 || zc_error_status(ctx) == ZC_ERROR_MEMORY)
        return zc_fault_library(a->fault, ctx);
    zc_error_clear(ctx);
    zc_tensor *only = zc_open_or_read(ctx, path, a->fault); /* a pipe; or says why it is no file of arrays */
    if (only == NULL)
        return false;
    return take(a, NULL, only);
}

static bool convert(zc_context *ctx, const zc_request *request, arrays *a, zc_fault *fault)
{
    if (!open_arrays(ctx, request->positional[0], a))
        return false;
    if (a->count == 0)
        return zc_fault_refuse(fault, "convert: %s holds no array", request->positional[0]);
    const char *output = request->outputs[0];
    const zc_tensor *const *tensors = (const zc_tensor *const *)a->tensors;
    if (a->count > 1 && zc_is_standard(output))
        return zc_fault_refuse(fault, "convert: %s holds %d arrays, and standard output takes one",
                               request->positional[0], a->count);
    if (a->names[0] != NULL && !zc_is_standard(output)) {
        const zc_status status = zc_save_members(a->count, tensors, (const char *const *)a->names, output);
        if (status != ZC_ERROR_ARGUMENT || a->count > 1)
            return status == ZC_OK || zc_fault_library(fault, ctx);
        zc_error_clear(ctx); /* the format has one array, without a name */
    }
    return zc_save_results(ctx, 1, tensors, request, fault);
}

bool zc_convert_command(const zc_request *request, zc_fault *fault)
{
    const zc_options options = {.memory_limit =
                                    request->memory_limit > 0 ? request->memory_limit : zc_memory_limit_default()};
    arrays a = {.fault = fault};
    zc_context *ctx = zc_context_new(&options);
    if (ctx == NULL)
        return zc_fault_memory(fault);
    a.ctx = ctx;
    a.path = request->positional[0];
    zc_interrupt_watch(ctx);
    const bool ok = convert(ctx, request, &a, fault);
    zc_interrupt_watch(NULL);
    end(&a);
    zc_context_free(ctx);
    return ok;
}
