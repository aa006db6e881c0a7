/* A result in blocks for whoever takes them: zc_materialize_to. */
#include "materialize/eager/stream.h"
#include "materialize/materialize.h"
#include "runtime/dtypes/float_environment.h"

static const char function[] = "materialize_to";

/* A sink, and how far it is. */
typedef struct handing {
    const zc_sink *sink;
    zc_progress *progress;
    int64_t item, bytes; /* of an element; handed on */
} handing;

/* Turns what a sink returned into a status. */
static zc_status look(const char *sentence, zc_reason *why)
{
    return sentence == NULL ? ZC_OK : zc_refuse(why, ZC_ERROR_FILE, "%s", sentence);
}

static zc_status stop(zc_reason *why)
{
    return zc_refuse(why, ZC_CANCELLED, "stopped on request");
}

static zc_status hand_on(void *user, const zc_box *box, const void *elements, int64_t count, zc_reason *why)
{
    handing *h = user;
    zc_status status = look(h->sink->write(h->sink->user, box->first, box->count, elements), why);
    h->bytes = zc_saturating_add(h->bytes, count * h->item); /* proven: in memory */
    return status != ZC_OK || zc_progress_set(h->progress, h->bytes) ? status : stop(why);
}

/* Hands all blocks on, between the sink's begin and end. */
static zc_status run(const zc_blocks *blocks, handing *h)
{
    zc_reason why;
    const zc_tensor *t = blocks->x;
    const zc_sink *sink = h->sink;
    zc_status status = ZC_OK;
    if (!zc_progress_begin(h->progress, zc_saturating_multiply(t->size, h->item)))
        status = stop(&why);
    if (status == ZC_OK && sink->begin != NULL)
        status = look(sink->begin(sink->user, zc_dtype_of(t), t->rank, t->dims), &why);
    if (status != ZC_OK)
        return zc_stream_tell(t->ctx, status, function, &why);
    if (t->size > 0)
        status = zc_stream_run(blocks, hand_on, h, &why);
    const char *sentence = sink->end == NULL ? NULL : sink->end(sink->user, status == ZC_OK);
    if (status == ZC_OK)
        status = look(sentence, &why);
    return zc_stream_tell(t->ctx, status, function, &why);
}

/* Computes a tensor that has to be one block, and divides what came of it. */
static zc_status run_whole(const zc_tensor *t, handing *h)
{
    zc_blocks blocks;
    zc_tensor *computed;
    zc_status status = zc_materialize_for(1, &t, function, &computed);
    if (status == ZC_OK)
        status = zc_stream_begin(&blocks, computed, h->sink->chunk, function);
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
    handing h = {.sink = sink, .progress = &t->ctx->progress, .item = (int64_t)zc_dtype_bytes(zc_dtype_of(t))};
    for (int a = 0; sink->chunk != NULL && a < t->rank; a++) {
        if (sink->chunk[a] < 1)
            return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, function, "a chunk has the extent %lld along axis %d",
                           (long long)sink->chunk[a], a);
    }
    zc_status status = zc_stream_begin(&blocks, t, sink->chunk, function);
    if (status != ZC_OK)
        return status;
    return blocks.is_whole && !zc_is_view(t) ? run_whole(t, &h) : run(&blocks, &h);
}
