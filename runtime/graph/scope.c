#include "runtime/graph/scope.h"

struct zc_scope {
    zc_context *ctx;
    zc_scope *outer; /* of one that has ended: the one that ended after it */
    zc_tensor *first;
    bool has_ended;
};

/* ---- Scopes that have ended ---- */

/* Builds for debugging keep those that ended last, to tell of one that is ended again. */
#if defined(ZC_KEEP_ENDED_SCOPES)
enum { MOST_ENDED = 1024 };
#else
enum { MOST_ENDED = 0 };
#endif

static void free_first_ended(zc_context *ctx)
{
    zc_scope *scope = ctx->ended.first;
    ctx->ended.first = scope->outer;
    ctx->ended.count--;
    zc_heap_give(ctx->heap, scope, sizeof *scope);
}

static void forget_ended(zc_context *ctx)
{
    while (ctx->ended.count > 0)
        free_first_ended(ctx);
}

static void keep_ended(zc_context *ctx, zc_scope *scope)
{
    zc_scope **place = ctx->ended.count > 0 ? &ctx->ended.last->outer : &ctx->ended.first;
    *place = scope;
    ctx->ended.last = scope;
    ctx->ended.count++;
    ctx->ended.forget = forget_ended;
    scope->has_ended = true;
    scope->outer = NULL;
    if (ctx->ended.count > MOST_ENDED)
        free_first_ended(ctx);
}

/* ---- Begin and end ---- */

static void end_innermost(zc_context *ctx)
{
    zc_scope *scope = ctx->scope;
    while (scope->first != NULL)
        zc_release(zc_keep(scope->first));
    ctx->scope = scope->outer;
    keep_ended(ctx, scope);
}

static void end_all(zc_context *ctx)
{
    while (ctx->scope != NULL)
        end_innermost(ctx);
}

zc_scope *zc_scope_begin(zc_context *ctx)
{
    if (zc_refuse_no_context(ctx, "scope_begin"))
        return NULL;
    zc_scope *scope = zc_heap_take(ctx->heap, sizeof *scope);
    if (scope == NULL) {
        (void)zc_fail_memory(ctx, "scope_begin");
        return NULL;
    }
    *scope = (zc_scope){.ctx = ctx, .outer = ctx->scope};
    ctx->scope = scope;
    ctx->scopes_end = end_all;
    return scope;
}

void zc_scope_end(zc_scope *scope)
{
    if (scope == NULL)
        return;
    zc_context *ctx = scope->ctx;
    if (MOST_ENDED > 0 && scope->has_ended) {
        (void)zc_fail(ctx, ZC_ERROR_ARGUMENT, "scope_end", "the scope has ended");
        return;
    }
    zc_scope *outer = scope->outer;
    while (ctx->scope != outer)
        end_innermost(ctx);
}

zc_tensor *zc_scope_end_with(zc_scope *scope, zc_tensor *result)
{
    zc_context *ctx = scope->ctx;
    (void)zc_keep(result);
    zc_scope_end(scope);
    if (result != NULL && ctx->scope != NULL)
        zc_scope_join(ctx->scope, result);
    return result;
}

void zc_scope_join(zc_scope *scope, zc_tensor *t)
{
    t->scope = scope;
    t->previous = NULL;
    t->next = scope->first;
    if (t->next != NULL)
        t->next->previous = t;
    scope->first = t;
}

void zc_scope_leave(zc_tensor *t)
{
    if (t->previous != NULL)
        t->previous->next = t->next;
    else
        t->scope->first = t->next;
    if (t->next != NULL)
        t->next->previous = t->previous;
    t->scope = NULL;
}

zc_tensor *zc_keep(zc_tensor *t)
{
    if (t != NULL && t->scope != NULL)
        zc_scope_leave(t);
    return t;
}

zc_tensor *zc_keep_outside(zc_tensor *t)
{
    if (t == NULL || t->scope == NULL)
        return t;
    zc_scope *outer = t->scope->outer;
    zc_scope_leave(t);
    if (outer != NULL)
        zc_scope_join(outer, t);
    return t;
}
