/*
 * The public functions that read files: one way for all formats, and .npy by its name, for which a path is a path.
 *
 * Invariant: a file is open only during a call, also when it fails.
 */
#include "materialize/files/file_error.h"
#include "materialize/files/members.h"
#include "materialize/files/npy.h"
#include "runtime/graph/leaf.h"

static zc_status open_named(zc_context *ctx, const char *path, zc_file_elements *out, zc_reason *why)
{
    zc_named_file named;
    zc_status status = zc_named_file_open(&named, ctx->heap, path, why);
    if (status != ZC_OK)
        return status;
    status = zc_named_file_choose(&named, why);
    if (status == ZC_OK)
        status = named.format->open(ctx, &named.file, named.member, out, why);
    zc_named_file_close(&named);
    return status;
}

static zc_status open_npy(zc_context *ctx, const char *path, zc_file_elements *out, zc_reason *why)
{
    zc_mapped_file file;
    zc_status status = zc_mapped_file_open(&file, path, why);
    if (status != ZC_OK)
        return status;
    status = zc_npy_format.open(ctx, &file, NULL, out, why);
    zc_mapped_file_close(&file);
    return status;
}

typedef zc_status opener(zc_context *ctx, const char *path, zc_file_elements *out, zc_reason *why);

static zc_tensor *open_by(opener *open, zc_context *ctx, const char *path, const char *function)
{
    if (zc_refuse_no_context(ctx, function))
        return NULL;
    if (path == NULL) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "the path is NULL");
        return NULL;
    }
    zc_file_elements elements;
    zc_reason why;
    zc_status status = open(ctx, path, &elements, &why);
    if (zc_file_fail(ctx, status, function, &why) != ZC_OK)
        return NULL;
    return zc_leaf_tensor(ctx, elements.buffer, elements.dtype, &elements.view, function);
}

zc_tensor *zc_open(zc_context *ctx, const char *path)
{
    return open_by(open_named, ctx, path, "open");
}

zc_tensor *zc_npy_open(zc_context *ctx, const char *path)
{
    return open_by(open_npy, ctx, path, "npy_open");
}

/* ---- Without the data ---- */

static zc_status check_info(zc_context *ctx, const char *path, bool has_place, const char *function)
{
    if (zc_refuse_no_context(ctx, function))
        return ZC_ERROR_ARGUMENT;
    if (path == NULL || !has_place)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "the path or the place for the answer is NULL");
    return ZC_OK;
}

zc_status zc_read_info(zc_context *ctx, const char *path, zc_file_info *info)
{
    zc_reason why;
    zc_named_file named;
    zc_status status = check_info(ctx, path, info != NULL, "read_info");
    if (status != ZC_OK)
        return status;
    status = zc_named_file_open(&named, ctx->heap, path, &why);
    if (status != ZC_OK)
        return zc_file_fail(ctx, status, "read_info", &why);
    status = zc_named_file_choose(&named, &why);
    if (status == ZC_OK)
        status = named.format->describe(ctx->heap, &named.file, named.member, info, &why);
    if (status == ZC_OK)
        info->format = named.format->name;
    zc_named_file_close(&named);
    return zc_file_fail(ctx, status, "read_info", &why);
}

/* ---- What a file holds ---- */

/* A caller's function, and what its members are of. */
typedef struct visitor {
    zc_member_visitor *visit;
    void *user;
    const char *format;
} visitor;

static bool show_member(void *user, const char *name, const zc_file_info *info, const void *member)
{
    (void)member;
    const visitor *v = user;
    if (info == NULL)
        return v->visit(v->user, name, NULL);
    zc_file_info whole = *info;
    whole.format = v->format;
    return v->visit(v->user, name, &whole);
}

static zc_status show_members(zc_context *ctx, const zc_named_file *named, visitor *v, zc_reason *why)
{
    if (named->member == NULL && named->format->list != NULL)
        return named->format->list(ctx->heap, &named->file, show_member, v, why);
    zc_file_info info;
    zc_status status = named->format->describe(ctx->heap, &named->file, named->member, &info, why);
    if (status == ZC_OK)
        (void)show_member(v, named->format->details > 0 ? NULL : named->member, &info, NULL);
    return status;
}

zc_status zc_read_members(zc_context *ctx, const char *path, zc_member_visitor *visit, void *user)
{
    zc_reason why;
    zc_named_file named;
    zc_status status = check_info(ctx, path, visit != NULL, "read_members");
    if (status != ZC_OK)
        return status;
    status = zc_named_file_open(&named, ctx->heap, path, &why);
    if (status != ZC_OK)
        return zc_file_fail(ctx, status, "read_members", &why);
    status = show_members(ctx, &named, &(visitor){visit, user, named.format->name}, &why);
    zc_named_file_close(&named);
    return zc_file_fail(ctx, status, "read_members", &why);
}

/* ---- All arrays of a file ---- */

/* A caller's function, and the first failure. */
typedef struct opening {
    zc_context *ctx;
    const zc_named_file *named;
    zc_array_visitor *visit;
    void *user;
    zc_status status;
    zc_reason *why;
} opening;

/* Hands on what was opened, with its reference. */
static bool hand_on(opening *o, const char *name, const zc_file_elements *elements)
{
    zc_tensor *t = zc_leaf_tensor(o->ctx, elements->buffer, elements->dtype, &elements->view, "open");
    if (t != NULL)
        return o->visit(o->user, name, t);
    o->status = zc_refuse(o->why, ZC_ERROR_MEMORY, "out of memory");
    return false;
}

static bool open_member(void *user, const char *name, const zc_file_info *info, const void *member)
{
    opening *o = user;
    zc_file_elements elements;
    if (info == NULL)
        return o->visit(o->user, name, NULL);
    o->status = o->named->format->open_listed(o->ctx, &o->named->file, member, &elements, o->why);
    return o->status == ZC_OK && hand_on(o, name, &elements);
}

static zc_status open_members(opening *o)
{
    const zc_named_file *n = o->named;
    zc_file_elements elements;
    if (n->member == NULL && n->format->list != NULL) {
        const zc_status status = n->format->list(o->ctx->heap, &n->file, open_member, o, o->why);
        return o->status != ZC_OK ? o->status : status;
    }
    const zc_status status = n->format->open(o->ctx, &n->file, n->member, &elements, o->why);
    if (status != ZC_OK)
        return status;
    (void)hand_on(o, n->format->details > 0 ? NULL : n->member, &elements);
    return o->status;
}

zc_status zc_open_members(zc_context *ctx, const char *path, zc_array_visitor *visit, void *user)
{
    static const char function[] = "open"; /* in sentences: what failed is to open an array */
    zc_reason why;
    zc_named_file named;
    zc_status status = check_info(ctx, path, visit != NULL, function);
    if (status != ZC_OK)
        return status;
    status = zc_named_file_open(&named, ctx->heap, path, &why);
    if (status != ZC_OK)
        return zc_file_fail(ctx, status, function, &why);
    status = open_members(&(opening){ctx, &named, visit, user, ZC_OK, &why});
    zc_named_file_close(&named);
    return zc_file_fail(ctx, status, function, &why);
}

zc_status zc_npy_read_info(zc_context *ctx, const char *path, zc_npy_info *info)
{
    zc_reason why;
    zc_mapped_file file;
    zc_status status = check_info(ctx, path, info != NULL, "npy_read_info");
    if (status != ZC_OK)
        return status;
    status = zc_mapped_file_open(&file, path, &why);
    if (status != ZC_OK)
        return zc_file_fail(ctx, status, "npy_read_info", &why);
    status = zc_npy_describe(ctx->heap, &file, info, &why);
    zc_mapped_file_close(&file);
    return zc_file_fail(ctx, status, "npy_read_info", &why);
}
