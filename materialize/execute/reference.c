/*
 * The reference executor: the definition of what a stage means, element by element in plain C. It shares the meaning of
 * the operations with the tile executor and nothing else: no loop nest, no tiles, no reducer, no threads.
 */
#include <string.h>

#include "materialize/execute/evaluator.h"
#include "materialize/execute/executor.h"
#include "materialize/plan/group.h"

static void make_one(zc_evaluator *e)
{
    const zc_stage *stage = e->stage;
    const zc_store *store = &stage->store;
    int64_t at = store->offset;
    for (int a = 0; a < stage->kept; a++)
        at += e->position[a] * store->stride[a]; /* proven: verified to be inside */
    stage->kind->make_element(e, e->slots[store->slot] + at * (int64_t)zc_dtype_bytes(store->dtype));
}

static zc_preparation prepare(zc_context *ctx, const zc_stage *stage, char *const *slots, zc_arena *arena,
                              void **prepared)
{
    (void)ctx;
    if (zc_stage_absorbs(stage)) /* an element is made in one go */
        return ZC_DECLINED;
    zc_evaluator *e = zc_evaluator_new(stage, slots, arena);
    *prepared = e;
    return e != NULL ? ZC_PREPARED : ZC_NOT_PREPARED;
}

static zc_status run(zc_context *ctx, void *prepared, char *scratch, zc_bad_index *bad)
{
    (void)scratch;
    zc_evaluator *e = prepared;
    e->bad_index = bad;
    e->progress = (zc_thread_progress){.whole = &ctx->progress};
    memset(e->position, 0, (size_t)e->stage->rank * sizeof *e->position);
    const int each = zc_is_combined(e->stage) ? 0 : 1; /* a combined stage counts its elements */
    do {
        make_one(e);
    } while (zc_evaluator_advance(e, 0, e->stage->kept, each));
    if (e->progress.is_stopped)
        return ZC_CANCELLED;
    return bad->check >= 0 ? ZC_ERROR_INDEX : ZC_OK;
}

const zc_stage_executor zc_stage_executor_reference = {
    .name = "reference", .is_reference = true, .prepare = prepare, .run = run};
