/*
 * A context: settings, the heap, the open scopes, and the first failure.
 *
 * Invariant: used by one thread at a time, but for zc_cancel(). Everything in the library hangs from a context; there
 * is no other state but the tables of the build and the allocator's arena.
 */
#ifndef ZC_RUNTIME_CONTEXT_CONTEXT_H
#define ZC_RUNTIME_CONTEXT_CONTEXT_H

#include "runtime/context/progress.h"
#include "runtime/memory/heap.h"
#include "views/reason.h"

enum { ZC_ERROR_TEXT_BYTES = 768 };

typedef struct zc_pool zc_pool;
typedef struct zc_plan_cache zc_plan_cache;

/* A call that failed. */
typedef struct zc_failure {
    zc_status status; /* ZC_OK: none did */
    char text[ZC_ERROR_TEXT_BYTES];
    zc_budget budget; /* of ZC_ERROR_BUDGET */
    int system_error; /* of ZC_ERROR_FILE, or 0 */
} zc_failure;

struct zc_context {
    zc_heap *heap;
    zc_options options; /* defaults filled in; options.allocator is the heap's */
    zc_scope *scope;    /* the innermost open one, or NULL */
    void (*scopes_end)(zc_context *ctx);
    struct {
        zc_scope *first, *last;
        int count;
        void (*forget)(zc_context *ctx);
    } ended;       /* scopes, in the order in which they ended, kept to tell of one that is ended again */
    zc_pool *pool; /* worker threads, made by the first plan that can use them */
    void (*pool_free)(zc_pool *pool);
    zc_plan_cache *plans; /* plans that may be run again, or NULL */
    void (*plans_free)(zc_plan_cache *plans);
    void *scratch; /* zc_context_scratch */
    size_t scratch_bytes;
    int64_t keep_limit;   /* zc_context_keep_limit, or 0 */
    int64_t block_length; /* outer coordinates of a block of every group there can be (materialize/planner/groups.h); 0:
                             no groups; -1: as many as fit into the caches, where that saves memory */
    int64_t least_turned; /* bytes that another order of a temporary's axes saves at least (likewise) */
    zc_progress progress;
    zc_failure failure; /* the first since the context was made or cleared */
};

/* Keeps the failure when it is the first of the context, as "function: sentence"; without a context, as the last of the
 * thread. Returns status: return zc_fail(ctx, ...). */
__attribute__((format(printf, 4, 5), cold)) zc_status zc_fail(zc_context *ctx, zc_status status, const char *function,
                                                              const char *format, ...);

/* The same with the sentence of a refusal. */
__attribute__((cold)) zc_status zc_fail_because(zc_context *ctx, zc_status status, const char *function,
                                                const zc_reason *why);

/* A refusal with ZC_ERROR_BUDGET. */
__attribute__((format(printf, 4, 5), cold)) zc_status zc_fail_budget(zc_context *ctx, const char *function,
                                                                     const zc_budget *budget, const char *format, ...);

/* Header memory for the work at hand, at least so many bytes, aligned like data; what was in it is gone with the next
 * call. The context keeps it. NULL when the allocator fails. */
void *zc_context_scratch(zc_context *ctx, size_t bytes);

/* Refuses a call without a context: true where ctx is NULL. */
static inline bool zc_refuse_no_context(const zc_context *ctx, const char *function)
{
    if (ctx == NULL)
        (void)zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "ctx is NULL");
    return ctx == NULL;
}

/* The sentence for a failed allocation. */
__attribute__((cold)) zc_status zc_fail_memory(zc_context *ctx, const char *function);

/* ZC_OK when the context may take that many bytes of data memory more, else ZC_ERROR_BUDGET. */
zc_status zc_check_limit(const zc_context *ctx, int64_t bytes, zc_reason *why);

/* Bytes of data memory beyond which nothing is kept that was not asked for: the memory limit, or the default one. */
int64_t zc_context_keep_limit(zc_context *ctx);

#endif
