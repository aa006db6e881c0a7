#include "runtime/context/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/context/machine.h"
#include "runtime/memory/allocator.h"
#include "views/shape.h"

enum { MAX_THREADS = 1024 };

static const int64_t default_node_limit = INT64_C(1) << 24, default_header_limit = INT64_C(4) << 30,
                     least_header_limit = INT64_C(64) << 20;

#define ZC_TEXT_OF(x)                        #x
#define ZC_VERSION_TEXT(major, minor, patch) ZC_TEXT_OF(major) "." ZC_TEXT_OF(minor) "." ZC_TEXT_OF(patch)

const char *zc_version(void)
{
    return ZC_VERSION_TEXT(ZC_VERSION_MAJOR, ZC_VERSION_MINOR, ZC_VERSION_PATCH);
}

/* ZEROCAST_THREADS where it is a number in range, else the processors that the process may use. */
static int default_threads(void)
{
    const char *text = getenv("ZEROCAST_THREADS");
    char *end = NULL;
    long wanted = text != NULL ? strtol(text, &end, 10) : 0;
    if (wanted >= 1 && wanted <= MAX_THREADS && *end == '\0')
        return (int)wanted;
    const int64_t processors = zc_processors_default();
    return processors > MAX_THREADS ? MAX_THREADS : (int)processors; /* LCOV_EXCL_BR_LINE: no such machine */
}

/* ZEROCAST_GROUPS where it is a number in range, else -1. */
static int64_t default_block_length(void)
{
    const char *text = getenv("ZEROCAST_GROUPS");
    char *end = NULL;
    const long wanted = text != NULL ? strtol(text, &end, 10) : -1;
    return text == NULL || end == text || *end != '\0' || wanted < 0 ? -1 : wanted;
}

/* Bytes that a turned temporary saves at least (context.h). */
enum { DEFAULT_LEAST_TURNED = 1 << 20 };

/* Refuses options out of range: true where one is. */
static bool refuse_options(const zc_options *options)
{
    static const char function[] = "context_new";
    const zc_allocator *a = options->allocator;
    const struct {
        const char *name;
        int64_t bytes;
    } limits[] = {{"memory_limit", options->memory_limit},
                  {"node_limit", options->node_limit},
                  {"header_limit", options->header_limit}};
    zc_status status = ZC_OK;
    if (a != NULL && (a->allocate == NULL || a->deallocate == NULL))
        status = zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "the allocator lacks a function");
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i].bytes < 0)
            status = zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "%s is %lld, at least 0", limits[i].name,
                             (long long)limits[i].bytes);
    }
    if (options->threads < 0 || options->threads > MAX_THREADS)
        status = zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "threads is %d, at most %d", options->threads, MAX_THREADS);
    if (options->executor != ZC_EXECUTOR_TILE && options->executor != ZC_EXECUTOR_REFERENCE)
        status = zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "executor %d is none", (int)options->executor);
    return status != ZC_OK;
}

/* Limit for headers: planning is limited wherever data is. */
static int64_t header_limit_beside(int64_t memory_limit)
{
    if (memory_limit == 0)
        return default_header_limit;
    return zc_larger(memory_limit, least_header_limit);
}

zc_context *zc_context_new(const zc_options *options)
{
    zc_options wanted = options != NULL ? *options : (zc_options){0};
    if (refuse_options(&wanted))
        return NULL;
    zc_heap *heap = zc_heap_new(wanted.allocator, wanted.memory_limit);
    zc_context *ctx = heap != NULL ? zc_heap_take(heap, sizeof *ctx) : NULL;
    if (ctx != NULL) {
        memset(ctx, 0, sizeof *ctx);
        ctx->heap = heap;
        ctx->options = wanted;
        ctx->options.allocator = &heap->allocator;
        ctx->block_length = default_block_length();
        ctx->least_turned = DEFAULT_LEAST_TURNED;
        if (wanted.threads == 0)
            ctx->options.threads = default_threads();
        if (wanted.node_limit == 0)
            ctx->options.node_limit = default_node_limit;
        if (wanted.header_limit == 0)
            ctx->options.header_limit = header_limit_beside(wanted.memory_limit);
    }
    if (ctx == NULL && heap != NULL)
        zc_heap_leave(heap, NULL, 0);
    if (ctx == NULL)
        (void)zc_fail_memory(NULL, "context_new");
    return ctx;
}

/* Frees plans, records of ended scopes and scratch, which only make the next run faster. */
static void give_back(zc_context *ctx)
{
    if (ctx->plans != NULL)
        ctx->plans_free(ctx->plans);
    ctx->plans = NULL;
    if (ctx->ended.count > 0)
        ctx->ended.forget(ctx);
    zc_heap_give(ctx->heap, ctx->scratch, ctx->scratch_bytes);
    ctx->scratch = NULL;
    ctx->scratch_bytes = 0;
}

void *zc_context_scratch(zc_context *ctx, size_t bytes)
{
    size_t needed = bytes + ZC_DATA_ALIGNMENT;
    if (ctx->scratch_bytes < needed) {
        zc_heap_give(ctx->heap, ctx->scratch, ctx->scratch_bytes);
        ctx->scratch = zc_heap_take(ctx->heap, needed);
        ctx->scratch_bytes = ctx->scratch != NULL ? needed : 0;
    }
    if (ctx->scratch == NULL)
        return NULL;
    return (char *)ctx->scratch + (ZC_DATA_ALIGNMENT - (uintptr_t)ctx->scratch % ZC_DATA_ALIGNMENT);
}

void zc_context_trim(zc_context *ctx)
{
    if (ctx == NULL)
        return;
    give_back(ctx);
    zc_heap_trim(ctx->heap);
    zc_allocator_trim();
}

zc_status zc_set_cache_limit(zc_context *ctx, int64_t bytes)
{
    if (zc_refuse_no_context(ctx, "set_cache_limit"))
        return ZC_ERROR_ARGUMENT;
    if (bytes < 0)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, "set_cache_limit", "%lld bytes cannot be kept", (long long)bytes);
    zc_heap_keep(ctx->heap, bytes);
    return ZC_OK;
}

void zc_context_free(zc_context *ctx)
{
    if (ctx == NULL)
        return;
    if (ctx->scope != NULL)
        ctx->scopes_end(ctx);
    if (ctx->pool != NULL)
        ctx->pool_free(ctx->pool);
    give_back(ctx);
    zc_heap_leave(ctx->heap, ctx, sizeof *ctx);
}

zc_options zc_context_options(const zc_context *ctx)
{
    return ctx->options;
}

zc_memory zc_memory_usage(const zc_context *ctx)
{
    const zc_heap *heap = ctx->heap;
    return (zc_memory){
        .held_bytes = atomic_load_explicit(&heap->data_bytes, memory_order_relaxed),
        .peak_bytes = atomic_load_explicit(&heap->data_peak_bytes, memory_order_relaxed),
        .header_bytes = atomic_load_explicit(&heap->header_bytes, memory_order_relaxed),
        .nodes = atomic_load_explicit(&heap->nodes, memory_order_relaxed),
        .cached_bytes = zc_heap_kept(heap),
        .kept_bytes = atomic_load_explicit(&heap->kept_bytes, memory_order_relaxed),
    };
}

void zc_memory_reset_peak(zc_context *ctx)
{
    int64_t held = atomic_load_explicit(&ctx->heap->data_bytes, memory_order_relaxed);
    atomic_store_explicit(&ctx->heap->data_peak_bytes, held, memory_order_relaxed);
}

/* ---- Failures ---- */

/* The last failure of this thread that had no context. */
static _Thread_local zc_failure alone;

static zc_failure *failure_of(const zc_context *ctx)
{
    return ctx != NULL ? &((zc_context *)(uintptr_t)ctx)->failure : &alone;
}

zc_status zc_error_status(const zc_context *ctx)
{
    return failure_of(ctx)->status;
}

const char *zc_error_text(const zc_context *ctx)
{
    return failure_of(ctx)->text;
}

int zc_error_errno(const zc_context *ctx)
{
    return failure_of(ctx)->system_error;
}

void zc_error_clear(zc_context *ctx)
{
    zc_failure *failure = failure_of(ctx);
    failure->status = ZC_OK;
    failure->system_error = 0;
    failure->text[0] = '\0';
}

bool zc_error_budget(const zc_context *ctx, zc_budget *budget)
{
    const zc_failure *failure = failure_of(ctx);
    if (failure->status != ZC_ERROR_BUDGET)
        return false;
    *budget = failure->budget;
    return true;
}

/* The place of a failure: of the first in a context, of the last without one; NULL where there is another one. */
static zc_failure *begin_failure(zc_context *ctx, zc_status status)
{
    zc_failure *failure = failure_of(ctx);
    if (ctx == NULL)
        zc_error_clear(NULL);
    if (failure->status != ZC_OK)
        return NULL;
    failure->status = status;
    return failure;
}

__attribute__((format(printf, 5, 0))) static void keep_failure(zc_context *ctx, zc_status status, const char *function,
                                                               const zc_budget *budget, const char *format,
                                                               va_list arguments)
{
    zc_failure *failure = begin_failure(ctx, status);
    if (failure == NULL)
        return;
    if (status == ZC_ERROR_BUDGET)
        failure->budget = *budget;
    (void)snprintf(failure->text, sizeof failure->text, "%s: ", function);
    const size_t used = strlen(failure->text);
    (void)vsnprintf(failure->text + used, sizeof failure->text - used, format, arguments);
}

zc_status zc_error_record(zc_context *ctx, zc_status status, const char *sentence)
{
    static const zc_budget unknown = {.window_axis = -1};
    zc_failure *failure = status != ZC_OK ? begin_failure(ctx, status) : NULL;
    if (failure == NULL)
        return status;
    failure->budget = unknown;
    (void)snprintf(failure->text, sizeof failure->text, "%s", sentence != NULL ? sentence : "");
    return status;
}

zc_status zc_fail(zc_context *ctx, zc_status status, const char *function, const char *format, ...)
{
    static const zc_budget unknown = {.window_axis = -1};
    va_list arguments;
    va_start(arguments, format);
    keep_failure(ctx, status, function, &unknown, format, arguments);
    va_end(arguments);
    return status;
}

zc_status zc_fail_budget(zc_context *ctx, const char *function, const zc_budget *budget, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep_failure(ctx, ZC_ERROR_BUDGET, function, budget, format, arguments);
    va_end(arguments);
    return ZC_ERROR_BUDGET;
}

zc_status zc_fail_because(zc_context *ctx, zc_status status, const char *function, const zc_reason *why)
{
    if (status == ZC_ERROR_BUDGET)
        return zc_fail_budget(ctx, function, &why->budget, "%s", why->text);
    if (ctx != NULL && ctx->failure.status == ZC_OK && status == ZC_ERROR_FILE)
        ctx->failure.system_error = why->system_error;
    return zc_fail(ctx, status, function, "%s", why->text);
}

zc_status zc_check_limit(const zc_context *ctx, int64_t bytes, zc_reason *why)
{
    int64_t limit = ctx->options.memory_limit, held = zc_memory_usage(ctx).held_bytes;
    if (limit == 0 || bytes <= limit - held) /* neither is negative */
        return ZC_OK;
    if (why != NULL)
        why->budget = (zc_budget){.need = bytes, .held = held, .limit = limit, .window_axis = -1};
    return zc_refuse(why, ZC_ERROR_BUDGET,
                     "%lld bytes of memory are needed with %lld held already, over the limit of %lld", (long long)bytes,
                     (long long)held, (long long)limit);
}

zc_status zc_fail_memory(zc_context *ctx, const char *function)
{
    return zc_fail(ctx, ZC_ERROR_MEMORY, function, "out of memory");
}

int64_t zc_context_keep_limit(zc_context *ctx)
{
    if (ctx->keep_limit == 0)
        ctx->keep_limit = ctx->options.memory_limit > 0 ? ctx->options.memory_limit : zc_memory_limit_default();
    return ctx->keep_limit;
}
