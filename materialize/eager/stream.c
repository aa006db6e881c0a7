#include "materialize/eager/stream.h"

#include "materialize/materialize.h"
#include "runtime/graph/keep.h"

/* Adds the copy of a block that exists, but not as it is handed on. */
static void add_copy(void *user, const zc_blocks *blocks, zc_need *need)
{
    zc_view view;
    (void)user;
    zc_tensor_view(blocks->x, &view);
    if (zc_is_view(blocks->x) && !zc_view_is_dense(&view))
        zc_need_add(need, zc_blocks_elements(blocks), zc_dtype_bytes(zc_dtype_of(blocks->x)));
}

/* Refuses a tensor of which no block fits: as a whole, with the window of it that would. */
static zc_status refuse(const zc_tensor *t, const zc_need *need)
{
    zc_tensor *whole = NULL;
    const zc_status status = zc_materialize_for(1, &t, need->function, &whole);
    zc_release(whole);
    return status == ZC_OK ? zc_need_check(need) : status; /* LCOV_EXCL_BR_LINE: it was found too large */
}

zc_status zc_stream_begin(zc_blocks *blocks, const zc_tensor *t, const int64_t *chunk, const char *function)
{
    zc_need need;
    zc_status status = zc_blocks_begin(blocks, t, 0, chunk, function);
    if (status == ZC_OK)
        status = zc_blocks_fit(blocks, add_copy, NULL, &need);
    return status != ZC_OK || zc_need_fits(&need) ? status : refuse(t, &need);
}

/* The watcher of a visitor, and how far that was, which it sees while a block is computed. */
typedef struct standstill {
    bool (*report)(void *user, int64_t done, int64_t total);
    void *user;
    int64_t done, total;
} standstill;

static bool report_again(void *user, int64_t done, int64_t total)
{
    const standstill *s = user;
    (void)done;
    (void)total;
    return s->report(s->user, zc_smaller(s->done, s->total), s->total);
}

/* Computes a block, or copies it. */
static zc_status compute(const zc_blocks *blocks, const zc_tensor *block, zc_tensor **out)
{
    zc_progress *progress = &blocks->x->ctx->progress;
    standstill s = {.report = progress->report,
                    .user = progress->user,
                    .done = atomic_load_explicit(&progress->done, memory_order_relaxed),
                    .total = progress->total};
    if (s.report != NULL) {
        progress->report = report_again;
        progress->user = &s;
    }
    const zc_status status = zc_materialize_part(block, blocks->function, out);
    progress->report = s.report;
    progress->user = s.user;
    progress->total = s.total;
    atomic_store_explicit(&progress->done, s.done, memory_order_relaxed);
    return status;
}

/* Shows the elements of a block that is in memory. */
static zc_status show(const zc_blocks *blocks, int64_t k, const zc_tensor *block, const zc_buffer *data,
                      zc_block_visitor *visit, void *user, zc_reason *why)
{
    zc_box box;
    const size_t at = (size_t)block->offset * zc_dtype_bytes(zc_dtype_of(block)); /* proven: inside the memory */
    zc_block_box(blocks, k, &box);
    return visit(user, &box, (const char *)data->memory + at, block->size, why);
}

/* Makes a block dense where it is not, and shows it. */
static zc_status run_block(const zc_blocks *blocks, int64_t k, zc_block_visitor *visit, void *user, zc_reason *why)
{
    zc_view view;
    zc_tensor *computed = NULL, *block = zc_block_take(blocks, k);
    if (block == NULL)
        return zc_error_status(blocks->x->ctx);
    zc_tensor_view(block, &view);
    zc_buffer *data = zc_view_is_dense(&view) ? zc_node_share(block->node) : NULL;
    zc_status status = data == NULL ? compute(blocks, block, &computed) : ZC_OK;
    if (data != NULL)
        status = show(blocks, k, block, data, visit, user, why);
    else if (status == ZC_OK)
        status = show(blocks, k, computed, zc_node_data(computed->node), visit, user, why);
    zc_buffer_release(data);
    zc_release(computed);
    zc_release(block);
    return status;
}

zc_status zc_stream_run(const zc_blocks *blocks, zc_block_visitor *visit, void *user, zc_reason *why)
{
    const int64_t count = zc_blocks_count(blocks);
    zc_status status = ZC_OK;
    why->text[0] = '\0';
    why->system_error = 0;
    for (int64_t k = 0; k < count && status == ZC_OK; k++)
        status = run_block(blocks, k, visit, user, why);
    return status;
}

zc_status zc_stream_tell(zc_context *ctx, zc_status status, const char *function, const zc_reason *why)
{
    if (status == ZC_OK || why->text[0] == '\0')
        return status;
    return status == ZC_CANCELLED ? zc_fail_cancelled(ctx, function) : zc_fail_because(ctx, status, function, why);
}
