/*
 * The public functions that write files: what can be refused is refused first, then the results are computed, then the
 * files are written, and only then they take their places. One result is computed while it is written, in blocks; of
 * several, which may have operands in common, each is where they do not fit into memory together.
 */
#include <stdlib.h>
#include <string.h>

#include "materialize/eager/stream.h"
#include "materialize/files/bytes/utf8.h"
#include "materialize/files/file_error.h"
#include "materialize/files/npy.h"
#include "materialize/files/spans.h"
#include "materialize/materialize.h"
#include "runtime/graph/tensor.h"
#include "runtime/memory/arena.h"

/* A file, and what is on its way there. */
typedef struct saving {
    const zc_file_format *format;
    zc_replaced_file file;
    bool is_begun;
    int count;
    zc_file_array *arrays; /* [count] */
    zc_blocks *blocks;     /* [count] */
} saving;

enum { PIECE_BYTES = 1 << 20, UNDIVIDED = -2 };

static zc_status write_block(void *user, const zc_box *box, const void *elements, int64_t count, zc_reason *why)
{
    zc_file_writer *w = user;
    const int64_t item = (int64_t)zc_dtype_bytes(w->arrays[w->current].dtype), most = PIECE_BYTES / item;
    zc_status status = ZC_OK;
    (void)box; /* blocks come in order */
    for (int64_t at = 0; at < count && status == ZC_OK; at += most) {
        const int64_t next = zc_smaller(most, count - at);
        status = zc_file_writer_write(w, (const char *)elements + at * item, next, why); /* proven: inside the block */
    }
    return status;
}

/* An array that is not divided yet is now: those before it have given their memory back. */
static zc_status write_array(zc_file_writer *w, zc_blocks *blocks, zc_reason *why)
{
    why->text[0] = '\0';
    zc_status status = blocks->axis == UNDIVIDED ? zc_stream_begin(blocks, blocks->x, NULL, blocks->function) : ZC_OK;
    if (status == ZC_OK)
        status = zc_file_writer_begin_array(w, why);
    if (status == ZC_OK)
        status = zc_stream_run(blocks, write_block, w, why);
    return status == ZC_OK ? zc_file_writer_end_array(w, why) : status;
}

static zc_status write_arrays(saving *s, zc_heap *heap, zc_reason *why)
{
    zc_file_writer w = {.format = s->format, .file = &s->file, .heap = heap, .count = s->count, .arrays = s->arrays};
    zc_status status = zc_file_writer_begin(&w, why);
    if (status != ZC_OK)
        return status;
    for (int i = 0; i < s->count && status == ZC_OK; i++)
        status = write_array(&w, &s->blocks[i], why);
    return zc_file_writer_end(&w, status, why);
}

static zc_status write_file(saving *s, zc_context *ctx, zc_reason *why)
{
    zc_status status = zc_replaced_file_begin(&s->file, &ctx->progress, why);
    s->is_begun = status == ZC_OK;
    if (!s->is_begun)
        return status;
    status = write_arrays(s, ctx->heap, why);
    return zc_replaced_file_close(&s->file, status, why);
}

/* Writes all files, then puts them in their places, or none. */
static zc_status write_files(int count, saving *savings, zc_context *ctx, zc_reason *why)
{
    zc_status status = ZC_OK;
    for (int i = 0; i < count && status == ZC_OK; i++)
        status = write_file(&savings[i], ctx, why);
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

/* A call that saves, and room for what it works on. */
typedef struct call {
    int count;
    const zc_tensor *const *tensors;
    const char *const *names;     /* of all of them in one file; NULL: each has a file of its own */
    const char *const *paths;     /* of each file */
    const zc_file_format *format; /* NULL: those that the paths tell */
    const char *function;
    int files;
    saving *savings;       /* [files] */
    const saving **sorted; /* [files] */
    zc_file_array *arrays; /* [count] */
    zc_tensor **dense;     /* [count]; NULL: computed while it is written */
    zc_blocks *blocks;     /* [count] */
} call;

/* ---- What can be refused ---- */

static zc_status describe(const call *c, int i, const char *name, zc_reason *why)
{
    const zc_tensor *t = c->tensors[i];
    zc_file_array *array = &c->arrays[i];
    *array = (zc_file_array){.name = name, .dtype = zc_dtype_of(t), .rank = t->rank, .shape = t->dims, .size = t->size};
    return zc_shape_bytes(t->size, zc_dtype_bytes(array->dtype), &array->bytes, why);
}

/* Finds the format of a file, and sees that it takes its arrays and may be replaced. */
static zc_status check_file(const call *c, int file, saving *s, zc_reason *why)
{
    const int first = c->names == NULL ? file : 0;
    const char *path = c->paths[file];
    *s = (saving){.format = c->format,
                  .count = c->names == NULL ? 1 : c->count,
                  .arrays = c->arrays + first,
                  .blocks = c->blocks + first};
    if (path == NULL)
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "the path is NULL");
    zc_status status = s->format != NULL ? ZC_OK : zc_file_format_for(&path, &s->format, why);
    if (status == ZC_OK && c->names != NULL && s->format->member == NULL)
        status = zc_refuse(why, ZC_ERROR_ARGUMENT, "%s: a .%s file is one array without a name", path, s->format->name);
    for (int i = 0; i < s->count && status == ZC_OK; i++) {
        status = describe(c, first + i, c->names == NULL ? s->format->member : c->names[i], why);
        if (status == ZC_OK)
            status = s->format->accept(&s->arrays[i], why);
    }
    return status == ZC_OK ? zc_replaced_file_check(&s->file, path, why) : status;
}

static zc_status check_call(const call *c, zc_reason *why)
{
    zc_status status = ZC_OK;
    for (int i = 0; i < c->files && status == ZC_OK; i++)
        status = check_file(c, i, &c->savings[i], why);
    return status == ZC_OK ? check_paths(c->files, c->savings, c->sorted, why) : status;
}

/* ---- Computing ---- */

/* Computes the results together where they are several, and all of one that has to be one block. Several that do not
 * fit are divided one by one, when they are written. */
static zc_status compute(const call *c)
{
    zc_context *ctx = c->tensors[0]->ctx;
    const bool had_failed = ctx->failure.status != ZC_OK;
    memset(c->dense, 0, (size_t)c->count * sizeof(zc_tensor *));
    zc_status status = c->count == 1 ? zc_stream_begin(&c->blocks[0], c->tensors[0], NULL, c->function) : ZC_OK;
    if (status != ZC_OK || (c->count == 1 && !c->blocks[0].is_whole))
        return status;
    status = zc_materialize_for(c->count, c->tensors, c->function, c->dense);
    const bool is_refused = status == ZC_ERROR_BUDGET && c->count > 1;
    if (is_refused && !had_failed)
        zc_error_clear(ctx);
    for (int i = 0; i < c->count; i++)
        c->blocks[i] = (zc_blocks){.x = is_refused ? c->tensors[i] : c->dense[i],
                                   .function = c->function,
                                   .axis = UNDIVIDED,
                                   .is_whole = true};
    return is_refused ? ZC_OK : status;
}

/* ---- The calls ---- */

static zc_status save(const call *c)
{
    zc_reason why;
    zc_context *ctx = c->tensors[0]->ctx;
    zc_status status = check_call(c, &why);
    if (status != ZC_OK)
        return zc_fail_because(ctx, status, c->function, &why);
    why.system_error = 0;
    status = compute(c);
    if (status == ZC_OK)
        status = zc_stream_tell(ctx, write_files(c->files, c->savings, ctx, &why), c->function, &why);
    for (int i = 0; i < c->count; i++)
        zc_release(c->dense[i]);
    return status;
}

/* Puts arrays of larger elements before others, where the format wants that. */
static bool order_arrays(call *c, zc_arena *arena)
{
    enum { LARGEST = 16 };
    const zc_file_format *format;
    const char *path = c->paths[0];
    if (c->names == NULL || path == NULL || zc_file_format_for(&path, &format, NULL) != ZC_OK || !format->largest_first)
        return true;
    const zc_tensor **tensors = zc_arena_take(arena, (size_t)c->count, sizeof(zc_tensor *));
    const char **names = zc_arena_take(arena, (size_t)c->count, sizeof(char *));
    if (tensors == NULL || names == NULL)
        return false;
    int used = 0;
    for (size_t item = LARGEST; item > 0; item /= 2) {
        for (int i = 0; i < c->count; i++) {
            if (zc_dtype_bytes(zc_dtype_of(c->tensors[i])) != item)
                continue;
            tensors[used] = c->tensors[i];
            names[used++] = c->names[i];
        }
    }
    c->tensors = tensors;
    c->names = names;
    return true;
}

/* c: what the caller gives. */
static zc_status save_with_room(call *c)
{
    zc_arena arena;
    zc_context *ctx = c->tensors[0]->ctx;
    zc_arena_init(&arena, c->tensors[0]->heap);
    c->files = c->names == NULL ? c->count : 1;
    c->savings = zc_arena_take(&arena, (size_t)c->files, sizeof *c->savings);
    c->sorted = zc_arena_take(&arena, (size_t)c->files, sizeof *c->sorted);
    c->arrays = zc_arena_take(&arena, (size_t)c->count, sizeof *c->arrays);
    c->dense = zc_arena_take(&arena, (size_t)c->count, sizeof(zc_tensor *));
    c->blocks = zc_arena_take(&arena, (size_t)c->count, sizeof *c->blocks);
    const bool has_room = order_arrays(c, &arena) && c->savings != NULL && c->sorted != NULL && c->arrays != NULL &&
                          c->dense != NULL && c->blocks != NULL;
    zc_status status = has_room ? save(c) : zc_fail_memory(ctx, c->function);
    zc_arena_free(&arena);
    return status;
}

static zc_status save_as(call c)
{
    zc_status status = zc_check_tensors(c.count, c.tensors, c.function);
    if (status != ZC_OK || c.count == 0)
        return status;
    if (c.paths == NULL)
        return zc_fail(c.tensors[0]->ctx, ZC_ERROR_ARGUMENT, c.function, "there are no paths");
    return save_with_room(&c);
}

zc_status zc_save_all(int count, const zc_tensor *const *tensors, const char *const *paths)
{
    return save_as((call){.count = count, .tensors = tensors, .paths = paths, .function = "save_all"});
}

static zc_status check_name(const char *name, zc_reason *why)
{
    if (name == NULL || name[0] == '\0')
        return zc_refuse(why, ZC_ERROR_ARGUMENT, "an array has no name");
    return zc_utf8_is_valid(name, strlen(name)) ? ZC_OK : zc_refuse(why, ZC_ERROR_ARGUMENT, "a name is not UTF-8");
}

/* Refuses names that no format takes, and one that is there twice. */
static zc_status check_names(zc_heap *heap, int count, const char *const *names, zc_reason *why)
{
    zc_arena arena;
    zc_arena_init(&arena, heap);
    zc_span *spans = zc_arena_take(&arena, (size_t)count, sizeof *spans);
    zc_status status = spans != NULL ? ZC_OK : zc_refuse(why, ZC_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < count && status == ZC_OK; i++) {
        const char *name = names == NULL ? NULL : names[i];
        status = check_name(name, why);
        spans[i] = (zc_span){.name = name};
    }
    if (status == ZC_OK && zc_spans_check(count, spans, why) != ZC_OK)
        status = ZC_ERROR_ARGUMENT;
    zc_arena_free(&arena);
    return status;
}

zc_status zc_save_members(int count, const zc_tensor *const *tensors, const char *const *names, const char *path)
{
    static const char function[] = "save_members";
    zc_status status = count == 0 ? ZC_ERROR_ARGUMENT : zc_check_tensors(count, tensors, function);
    if (status != ZC_OK)
        return status;
    zc_reason why;
    status = check_names(tensors[0]->heap, count, names, &why);
    if (status != ZC_OK)
        return zc_fail_because(tensors[0]->ctx, status, function, &why);
    return save_as((call){.count = count, .tensors = tensors, .names = names, .paths = &path, .function = function});
}

zc_status zc_save(const zc_tensor *t, const char *path)
{
    return save_as((call){.count = 1, .tensors = &t, .paths = &path, .function = "save"});
}

zc_status zc_npy_save(const zc_tensor *t, const char *path)
{
    return save_as((call){.count = 1, .tensors = &t, .paths = &path, .format = &zc_npy_format, .function = "npy_save"});
}
