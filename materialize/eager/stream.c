#include "materialize/eager/stream.h"

#include "materialize/materialize.h"

zc_status zc_stream_begin(zc_blocks *blocks, const zc_tensor *t, const char *function)
{
    zc_need need;
    zc_status status = zc_blocks_begin_in_order(blocks, t, function);
    while (status == ZC_OK) {
        status = zc_blocks_need(blocks, &need);
        if (status != ZC_OK || zc_need_fits(&need))
            return status;
        if (!zc_blocks_shorten(blocks))
            return zc_need_check(&need);
    }
    return status;
}

/* Computes a block. Reports of that would be reports of many small calls: the watcher sees what is handed on. */
static zc_status compute(const zc_blocks *blocks, int64_t k, zc_tensor **out)
{
    const zc_tensor *block = zc_block_take(blocks, k);
    zc_progress *progress = &blocks->x->ctx->progress;
    const int64_t done = atomic_load_explicit(&progress->done, memory_order_relaxed), total = progress->total;
    bool (*report)(void *, int64_t, int64_t) = progress->report;
    if (block == NULL)
        return zc_error_status(blocks->x->ctx);
    progress->report = NULL;
    const zc_status status = zc_materialize_part(block, blocks->function, out);
    progress->report = report;
    progress->total = total;
    atomic_store_explicit(&progress->done, done, memory_order_relaxed);
    zc_release((zc_tensor *)(uintptr_t)block);
    return status;
}

zc_status zc_stream_run(const zc_blocks *blocks, zc_block_visitor *visit, void *user, zc_reason *why)
{
    const int64_t count = zc_blocks_count(blocks);
    zc_status status = ZC_OK;
    for (int64_t k = 0; k < count && status == ZC_OK; k++) {
        zc_box box;
        zc_tensor *elements;
        status = compute(blocks, k, &elements);
        if (status != ZC_OK)
            return status;
        zc_block_box(blocks, k, &box);
        status = visit(user, &box, elements, why);
        zc_release(elements);
    }
    return status;
}
