/*
 * The public functions that write files: what can be refused is refused first, then the results are computed, then the
 * files are written, and only then they take their places.
 */
#include <stdlib.h>

#include "materialize/files/file_error.h"
#include "materialize/files/npy.h"
#include "materialize/materialize.h"
#include "runtime/graph/tensor.h"
#include "runtime/memory/arena.h"

/* A tensor on its way into a file. */
typedef struct saving {
    zc_tensor *dense;
    const zc_file_format *format;
    zc_replaced_file file;
    bool is_begun;
} saving;

static zc_status write_file(saving *s, zc_reason *why)
{
    zc_status status = zc_replaced_file_begin(&s->file, &s->dense->ctx->progress, why);
    s->is_begun = status == ZC_OK;
    if (!s->is_begun)
        return status;
    status = s->format->save(s->dense, &s->file, why);
    return zc_replaced_file_close(&s->file, status, why);
}

/* Writes all files, then puts them in their places, or none. */
static zc_status write_files(int count, saving *savings, zc_reason *why)
{
    zc_status status = ZC_OK;
    for (int i = 0; i < count && status == ZC_OK; i++)
        status = write_file(&savings[i], why);
    for (int i = 0; i < count; i++) {
        if (savings[i].is_begun)
            status = zc_replaced_file_end(&savings[i].file, status, why);
    }
    return status;
}

static int compare_paths(const void *a, const void *b)
{
    return zc_replaced_file_compare(&(*(const saving *const *)a)->file, &(*(const saving *const *)b)->file);
}

/* Refuses files that would replace each other. `sorted` has room for all. */
static zc_status check_paths(int count, const saving *savings, const saving **sorted, zc_reason *why)
{
    for (int i = 0; i < count; i++)
        sorted[i] = &savings[i];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_paths);
    for (int i = 1; i < count; i++) {
        if (zc_replaced_file_compare(&sorted[i - 1]->file, &sorted[i]->file) == 0)
            return zc_refuse(why, ZC_ERROR_ARGUMENT, "%s: the file of two tensors", sorted[i]->file.path);
    }
    return ZC_OK;
}

/* Could the tensor be saved? format NULL: it is the one that the path tells. */
static zc_status check_target(const zc_tensor *t, const char *path, const zc_file_format *format, saving *s,
                              zc_reason *why)
{
    *s = (saving){.format = format};
    if (path == NULL)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the path is NULL");
    zc_status status = format != NULL ? ZC_OK : zc_file_format_for(path, &s->format, why);
    if (status == ZC_OK)
        status = s->format->accept(zc_dtype_of(t), why);
    return status == ZC_OK ? zc_replaced_file_check(&s->file, path, why) : status;
}

/* A call that saves, and room for what it works on. */
typedef struct call {
    int count;
    const zc_tensor *const *tensors;
    const char *const *paths;
    const char *function;
    saving *savings;       /* [count] */
    const saving **sorted; /* [count] */
    zc_tensor **dense;     /* [count] */
} call;

static zc_status check_call(const call *c, const zc_file_format *format, zc_reason *why)
{
    zc_status status = ZC_OK;
    for (int i = 0; i < c->count && status == ZC_OK; i++)
        status = check_target(c->tensors[i], c->paths[i], format, &c->savings[i], why);
    return status == ZC_OK ? check_paths(c->count, c->savings, c->sorted, why) : status;
}

static zc_status save(const call *c, const zc_file_format *format)
{
    zc_reason why;
    zc_context *ctx = c->tensors[0]->ctx;
    zc_status status = check_call(c, format, &why);
    if (status != ZC_OK)
        return zc_fail_because(ctx, status, c->function, &why);
    status = zc_materialize_for(c->count, c->tensors, c->function, c->dense);
    if (status != ZC_OK)
        return status;
    for (int i = 0; i < c->count; i++)
        c->savings[i].dense = c->dense[i];
    status = write_files(c->count, c->savings, &why);
    for (int i = 0; i < c->count; i++)
        zc_release(c->dense[i]);
    return zc_file_fail(ctx, status, c->function, &why);
}

static zc_status save_as(int count, const zc_tensor *const *tensors, const char *const *paths,
                         const zc_file_format *format, const char *function)
{
    zc_status status = zc_check_tensors(count, tensors, function);
    if (status != ZC_OK || count == 0)
        return status;
    if (paths == NULL)
        return zc_fail(tensors[0]->ctx, ZC_ERROR_ARGUMENT, function, "there are no paths");
    zc_arena arena;
    zc_arena_init(&arena, tensors[0]->heap);
    call c = {.count = count,
              .tensors = tensors,
              .paths = paths,
              .function = function,
              .savings = zc_arena_take(&arena, (size_t)count, sizeof *c.savings),
              .sorted = zc_arena_take(&arena, (size_t)count, sizeof *c.sorted),
              .dense = zc_arena_take(&arena, (size_t)count, sizeof(zc_tensor *))};
    status = c.savings != NULL && c.sorted != NULL && c.dense != NULL ? save(&c, format)
                                                                      : zc_fail_memory(tensors[0]->ctx, function);
    zc_arena_free(&arena);
    return status;
}

zc_status zc_save_all(int count, const zc_tensor *const *tensors, const char *const *paths)
{
    return save_as(count, tensors, paths, NULL, "save_all");
}

zc_status zc_save(const zc_tensor *t, const char *path)
{
    return save_as(1, &t, &path, NULL, "save");
}

zc_status zc_npy_save(const zc_tensor *t, const char *path)
{
    return save_as(1, &t, &path, &zc_npy_format, "npy_save");
}
