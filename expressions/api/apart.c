#include "expressions/api/apart.h"

#include <string.h>

/* ---- Memory ---- */

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)alignment; /* at most that of headers */
    return zc_heap_take(user, bytes);
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)alignment;
    zc_heap_give(user, memory, bytes);
}

/* ---- Failures ---- */

/* Records a fault that is none of the library's, but for lines below the first: a caret shows a place there. */
static void record(zc_context *ctx, const zc_fault *fault, const char *function)
{
    zc_error_clear(ctx);
    (void)zc_fail(ctx, fault->status, function, "%.*s", (int)strcspn(fault->text, "\n"), fault->text);
}

/* ---- Begin and end ---- */

void zc_apart_begin(zc_apart *apart, zc_context *ctx)
{
    apart->ctx = ctx;
    apart->scope = ctx->scope;
    apart->before = ctx->failure;
    apart->heap = (zc_allocator){.user = ctx->heap, .allocate = allocate, .deallocate = deallocate};
    apart->fault.allocator = &apart->heap;
    apart->fault.status = ZC_OK;
    apart->fault.is_usage = false;
    apart->fault.is_library = false;
    ctx->scope = NULL;
    zc_error_clear(ctx);
}

zc_status zc_apart_end(zc_apart *apart, const char *function)
{
    zc_context *ctx = apart->ctx;
    const zc_fault *fault = &apart->fault;
    ctx->scope = apart->scope;
    if (apart->before.status != ZC_OK)
        ctx->failure = apart->before;
    else if (fault->status == ZC_OK)
        zc_error_clear(ctx);
    else if (!fault->is_library)
        record(ctx, fault, function);
    return fault->status;
}
