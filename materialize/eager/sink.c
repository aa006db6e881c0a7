/* A result in blocks for whoever takes them: zc_materialize_to. */
#include "materialize/eager/stream.h"
#include "materialize/materialize.h"
#include "runtime/dtypes/float_environment.h"

static const char function[] = "materialize_to";

/* A sink, and how far it is. */
typedef struct handing {
    const zc_sink *sink;
    zc_progress *progress;
    int64_t bytes; /* handed on */
} handing;

/* Turns what a sink returned into a status. */
static zc_status look(const char *sentence, zc_reason *why)
{
    return sentence == NULL ? ZC_OK : zc_refuse(why, ZC_ERROR_FILE, "%s", sentence);
}

static zc_status hand_on(void *user, const zc_box *box, const zc_tensor *elements, zc_reason *why)
{
    handing *h = user;
    const int64_t bytes = elements->size * (int64_t)zc_dtype_bytes(zc_dtype_of(elements)); /* proven: in memory */
    zc_status status = look(h->sink->write(h->sink->user, box->first, box->count, zc_data(elements)), why);
    h->bytes = zc_saturating_add(h->bytes, bytes);
    if (status == ZC_OK && !zc_progress_set(h->progress, h->bytes))
        status = ZC_CANCELLED;
    return status;
}

/* Tells the context of a failure that is a reason, and not yet its own. */
static zc_status tell(zc_context *ctx, zc_status status, const zc_reason *why)
{
    if (status == ZC_CANCELLED)
        return zc_fail_cancelled(ctx, function);
    return status == ZC_OK ? ZC_OK : zc_fail_because(ctx, status, function, why);
}

static zc_status run(const zc_blocks *blocks, handing *h)
{
    zc_reason why;
    const zc_tensor *t = blocks->x;
    why.text[0] = '\0'; /* what fails while blocks are computed is told by itself */
    why.system_error = 0;
    zc_status status =
        zc_progress_begin(h->progress, zc_saturating_multiply(t->size, (int64_t)zc_dtype_bytes(zc_dtype_of(t))))
            ? ZC_OK
            : ZC_CANCELLED;
    if (status == ZC_OK)
        status =
            look(h->sink->begin == NULL ? NULL : h->sink->begin(h->sink->user, zc_dtype_of(t), t->rank, t->dims), &why);
    if (status != ZC_OK)
        return tell(t->ctx, status, &why);
    status = t->size > 0 ? zc_stream_run(blocks, hand_on, h, &why) : ZC_OK;
    const char *sentence = h->sink->end == NULL ? NULL : h->sink->end(h->sink->user, status == ZC_OK);
    if (status == ZC_OK)
        status = look(sentence, &why);
    return tell(t->ctx, status, &why);
}

/* Computes a tensor that has to be one block, and divides what came of it. */
static zc_status run_whole(const zc_tensor *t, handing *h)
{
    zc_blocks blocks;
    zc_tensor *computed;
    zc_status status = zc_materialize_for(1, &t, function, &computed);
    if (status == ZC_OK)
        status = zc_stream_begin(&blocks, computed, function);
    if (status == ZC_OK)
        status = run(&blocks, h);
    zc_release(computed);
    return status;
}

zc_status zc_materialize_to(const zc_tensor *t, const zc_sink *sink)
{
    ZC_DEFAULT_FLOATS();
    zc_blocks blocks;
    if (ZC_REFUSE_LOST(function, t))
        return ZC_ERROR_ARGUMENT;
    if (sink == NULL || sink->write == NULL)
        return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, function, "sink %s", sink == NULL ? "is NULL" : "has no write");
    handing h = {.sink = sink, .progress = &t->ctx->progress};
    zc_status status = zc_stream_begin(&blocks, t, function);
    if (status != ZC_OK)
        return status;
    return blocks.is_whole && !zc_is_view(t) ? run_whole(t, &h) : run(&blocks, &h);
}
