/*
 * Divisions: made of tensors, or restored of bytes. Both read the graph of the bytes, so that pieces are the same ones.
 *
 * The bytes are words of 64 bits in the machine's own byte order:
 *
 *   ZC_DIVISION_MAGIC, ZC_DIVISION_NUMERICS, the limit, how many tensors, of each its rank and the extents of its
 * blocks, and the graph (serialize/serialize.h)
 */
#include "runtime/split/divide.h"

#include <string.h>

#include "runtime/graph/scope.h"

#define ZC_DIVISION_MAGIC INT64_C(0x31746c7073637a63) /* "czcsplt1" */

/* Counts up where bits of results change (docs/numerics.md), or what pieces there are. */
enum { ZC_DIVISION_NUMERICS = 1, HEAD = 4 };

static const int64_t default_limit = INT64_C(256) << 20;

/* Words that are still to be read. */
typedef struct words {
    const int64_t *at, *end;
} words;

/* ---- Reading ---- */

static zc_status refuse(const zc_division *s, const char *function, const char *why)
{
    return zc_fail(s->ctx, ZC_ERROR_FORMAT, function, "these bytes are no division: %s", why);
}

/* The extents of the blocks of all tensors, which stay where they are. */
static zc_status read_chunks(zc_division *s, words *w, const char *function)
{
    for (int i = 0; i < s->count; i++) {
        if (w->at == w->end || w->at[0] < 0 || w->at[0] > ZC_MAX_RANK || w->at[0] >= w->end - w->at)
            return refuse(s, function, "they end too early");
        s->tensors[i] = (zc_divided){.rank = (int)w->at[0], .chunk = w->at + 1};
        for (int a = 0; a < s->tensors[i].rank; a++) {
            if (s->tensors[i].chunk[a] < 1)
                return refuse(s, function, "a block has no elements");
        }
        w->at += 1 + s->tensors[i].rank;
    }
    return ZC_OK;
}

static zc_status read_head(zc_division *s, words *w, const char *function)
{
    if (w->end - w->at < HEAD || w->at[0] != ZC_DIVISION_MAGIC)
        return refuse(s, function, "of no machine with this byte order");
    if (w->at[1] != ZC_DIVISION_NUMERICS)
        return refuse(s, function, "of a library that computes other bits");
    if (w->at[2] < 1 || w->at[3] < 1 || w->at[3] > w->end - w->at)
        return refuse(s, function, "no limit, or no tensors");
    s->limit = w->at[2];
    s->count = (int)w->at[3]; /* proven: fewer than the words, of which there are no more than an int counts */
    w->at += HEAD;
    s->tensors = zc_arena_take(&s->arena, (size_t)s->count, sizeof *s->tensors);
    if (s->tensors == NULL)
        return zc_fail_memory(s->ctx, function);
    for (int i = 0; i < s->count; i++)
        s->tensors[i].t = NULL;
    return read_chunks(s, w, function);
}

/* Records the graph, whose tensors have the ranks that their blocks have. */
static zc_status read_graph(zc_division *s, const words *w, const char *function)
{
    zc_tensor **out = zc_arena_take(&s->arena, (size_t)s->count, sizeof *out);
    if (out == NULL)
        return zc_fail_memory(s->ctx, function);
    zc_status status = zc_deserialize(s->ctx, w->at, (size_t)(w->end - w->at) * sizeof *w->at, s->input_count,
                                      s->inputs, s->count, out);
    for (int i = 0; i < s->count && status == ZC_OK; i++) {
        s->tensors[i].t = zc_keep(out[i]);
        if (out[i]->rank != s->tensors[i].rank)
            status = refuse(s, function, "blocks of other tensors");
    }
    return status;
}

/* Reads the words that s has, and finds the pieces. */
static zc_status read_all(zc_division *s, const char *function)
{
    words w = {s->words, s->words + s->word_count};
    zc_status status = read_head(s, &w, function);
    if (status == ZC_OK)
        status = read_graph(s, &w, function);
    return status == ZC_OK ? zc_division_divide(s) : status;
}

/* ---- Writing ---- */

/* Extents of blocks as they were asked for, or rows of a sixteenth of the limit. */
static zc_status choose_chunks(const zc_division *s, const zc_tensor *t, const int64_t *asked, int64_t *chunk)
{
    int64_t row = (int64_t)zc_dtype_bytes(zc_dtype_of(t));
    for (int a = 0; a < t->rank; a++) {
        if (asked != NULL && asked[a] < 0)
            return zc_fail(t->ctx, ZC_ERROR_ARGUMENT, "division_make", "a block of %lld elements along axis %d",
                           (long long)asked[a], a);
        chunk[a] =
            asked != NULL && asked[a] > 0 ? zc_smaller(asked[a], zc_larger(t->dims[a], 1)) : zc_larger(t->dims[a], 1);
        if (a > 0 && !zc_checked_multiply(row, chunk[a], &row))
            row = INT64_MAX;
    }
    if (t->rank > 0 && asked == NULL)
        chunk[0] = zc_smaller(chunk[0], zc_larger(s->limit / 16 / row, 1));
    return ZC_OK;
}

static zc_status write_words(zc_division *s, int count, const zc_tensor *const *tensors,
                             const zc_division_options *options)
{
    size_t size;
    const void *graph = zc_serialized_bytes(s->written, &size);
    size_t head = HEAD;
    for (int i = 0; i < count; i++)
        head += 1 + (size_t)tensors[i]->rank;
    s->word_count = head + size / sizeof(int64_t);
    int64_t *all = zc_arena_take(&s->arena, s->word_count, sizeof *all), *at = all;
    if (all == NULL)
        return zc_fail_memory(s->ctx, "division_make");
    *at++ = ZC_DIVISION_MAGIC;
    *at++ = ZC_DIVISION_NUMERICS;
    *at++ = s->limit = options == NULL || options->limit < 1 ? default_limit : options->limit;
    *at++ = count;
    for (int i = 0; i < count; i++) {
        const int64_t *asked = options == NULL || options->chunks == NULL ? NULL : options->chunks[i];
        const zc_status status = choose_chunks(s, tensors[i], asked, at + 1);
        if (status != ZC_OK)
            return status;
        *at = tensors[i]->rank;
        at += 1 + tensors[i]->rank;
    }
    memcpy(at, graph, size);
    s->words = all;
    return ZC_OK;
}

/* ---- The calls ---- */

static zc_division *new_division(zc_context *ctx, const char *function)
{
    zc_division *s = zc_heap_take(ctx->heap, sizeof *s);
    if (s == NULL)
        return (void)zc_fail_memory(ctx, function), NULL;
    *s = (zc_division){.ctx = ctx};
    zc_arena_init(&s->arena, ctx->heap);
    return s;
}

/* References of its own to the inputs. */
static zc_status keep_inputs(zc_division *s, int count, const zc_tensor *const *inputs, const char *function)
{
    s->inputs = zc_arena_take(&s->arena, (size_t)count + 1, sizeof *s->inputs); /* proven: an int and one */
    if (s->inputs == NULL)
        return zc_fail_memory(s->ctx, function);
    for (int i = 0; i < count; i++) {
        zc_tensor *t = zc_adopt(s->ctx, inputs[i]);
        if (t == NULL)
            return zc_error_status(s->ctx);
        s->inputs[s->input_count++] = zc_keep(t);
    }
    return ZC_OK;
}

static zc_status give(zc_division *s, zc_status status, zc_division **out)
{
    if (status == ZC_OK)
        *out = s;
    else
        zc_division_free(s);
    return status;
}

zc_status zc_division_make(int count, const zc_tensor *const *tensors, const zc_division_options *options,
                           zc_division **out)
{
    static const char function[] = "division_make";
    const zc_tensor *const *inputs;
    zc_serialized *written = NULL;
    if (out != NULL)
        *out = NULL;
    zc_status status = zc_serialize(count, tensors, &written);
    if (status != ZC_OK)
        return status;
    zc_context *ctx = tensors[0]->ctx;
    zc_division *s = out == NULL ? NULL : new_division(ctx, function);
    if (s == NULL) {
        zc_serialized_free(written);
        return out != NULL ? zc_error_status(ctx)
                           : zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the result");
    }
    s->written = written;
    const int input_count = zc_serialized_inputs(written, &inputs);
    status = write_words(s, count, tensors, options);
    if (status == ZC_OK)
        status = keep_inputs(s, input_count, inputs, function);
    return give(s, status == ZC_OK ? read_all(s, function) : status, out);
}

zc_status zc_division_restore(zc_context *ctx, const void *bytes, size_t size, int input_count,
                              const zc_tensor *const *inputs, zc_division **out)
{
    static const char function[] = "division_restore";
    if (out != NULL)
        *out = NULL;
    if (zc_refuse_no_context(ctx, function))
        return ZC_ERROR_ARGUMENT;
    if (bytes == NULL || size == 0 || size % sizeof(int64_t) != 0 || size / sizeof(int64_t) > INT32_MAX ||
        input_count < 0 || out == NULL)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "%zu bytes with %d inputs make no division", size,
                       input_count);
    if (zc_refuse_lost_in_list(ctx, function, "inputs", input_count, inputs))
        return ZC_ERROR_ARGUMENT;
    zc_division *s = new_division(ctx, function);
    if (s == NULL)
        return zc_error_status(ctx);
    int64_t *copy = zc_arena_take(&s->arena, size / sizeof *copy, sizeof *copy); /* aligned, and nobody changes it */
    if (copy == NULL)
        return give(s, zc_fail_memory(ctx, function), out);
    memcpy(copy, bytes, size);
    s->words = copy;
    s->word_count = size / sizeof *copy;
    const zc_status status = keep_inputs(s, input_count, inputs, function);
    return give(s, status == ZC_OK ? read_all(s, function) : status, out);
}

const void *zc_division_bytes(const zc_division *s, size_t *bytes)
{
    if (bytes != NULL)
        *bytes = s == NULL ? 0 : s->word_count * sizeof *s->words;
    return s == NULL ? NULL : s->words;
}

int zc_division_inputs(const zc_division *s, const zc_tensor *const **inputs)
{
    if (inputs != NULL)
        *inputs = s == NULL ? NULL : s->inputs;
    return s == NULL ? 0 : s->input_count;
}

int64_t zc_division_count(const zc_division *s)
{
    return s == NULL ? 0 : s->pieces;
}

void zc_division_free(zc_division *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < s->shared_count; i++)
        zc_release(s->shared[i].t);
    for (int i = 0; i < s->count && s->tensors != NULL; i++)
        zc_release(s->tensors[i].t);
    for (int i = 0; i < s->input_count; i++)
        zc_release((zc_tensor *)(uintptr_t)s->inputs[i]);
    zc_serialized_free(s->written);
    zc_heap *heap = s->ctx->heap;
    zc_arena_free(&s->arena);
    zc_heap_give(heap, s, sizeof *s);
}
