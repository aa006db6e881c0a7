#include "runtime/serialize/serialize.h"

#include <string.h>

#include "runtime/graph/invariance.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/memory/table.h"
#include "runtime/serialize/demand.h"

static const char function[] = "serialize";

/* The words of a node. */
typedef struct span {
    int32_t start, count;
} span;

typedef struct writer {
    zc_arena *arena;
    zc_demand demand;
    int32_t written, input_count;
    zc_table equals; /* of nodes that are no inputs, by their words */
    span *spans;     /* [written] */
    int32_t span_room;
    int64_t *words;
    int32_t word_count, word_room;
} writer;

struct zc_serialized {
    zc_heap *heap;
    zc_arena arena;
    const int64_t *words;
    int32_t word_count, input_count;
    zc_tensor **inputs; /* [input_count], a reference to each */
};

/* ---- What is written ---- */

/* Tells a source, which travels as an input: it has its elements elsewhere, in memory too or not. */
static bool is_source(const zc_demanded *of)
{
    return of->node->kind == ZC_NODE_SOURCE;
}

static bool is_input(const zc_demanded *of)
{
    return of->data != NULL || is_source(of);
}

/* The next node that is written, from the one at *n on, of inputs or of the others; NULL: there is none. */
static zc_demanded *next_node(const zc_demand *d, bool are_inputs, int32_t *n)
{
    while (*n < d->walk.count && !(d->nodes[*n].is_used && is_input(&d->nodes[*n]) == are_inputs))
        ++*n;
    return *n < d->walk.count ? &d->nodes[(*n)++] : NULL;
}

/* Tells data of which what is used is less than half of what lies between: it is copied. */
static bool is_packed(const zc_demanded *of)
{
    return of->part != NULL && !of->has_parts && zc_view_size(of->part) <= (of->last - of->first) / 2;
}

/* A view of a node as it is written: over what there is of it. */
static void shown_view(const zc_demanded *of, zc_view *view)
{
    zc_box box;
    zc_view part, shown;
    if (zc_view_size(view) == 0) {
        zc_view_canonicalise(view);
        return;
    }
    zc_view_copy(view, &shown);
    if (is_source(of)) {
        zc_view_copy(&shown, view);
    } else if (of->data == NULL) {
        zc_demand_box(of, &box);
        zc_box_locate(&box, &shown, of->node->shape, view);
    } else {
        zc_invariant_view(of->node, &shown, &shown);
        if (is_packed(of))
            zc_view_part(&shown, &part, view);
        else
            zc_view_copy(&shown, view);
        view->offset -= is_packed(of) ? 0 : of->first; /* proven: the lowest that is used */
    }
    zc_view_canonicalise(view);
}

/* ---- Words ---- */

/* Room for so many words, which the caller sets; NULL when memory is out. */
static int64_t *put(writer *w, int32_t count)
{
    if (w->word_room - w->word_count < count) {
        const int64_t wanted = 2 * ((int64_t)w->word_room + count);
        int64_t *longer = zc_arena_grow(w->arena, w->words, (size_t)w->word_count, (size_t)wanted, sizeof *longer);
        if (longer == NULL || wanted > INT32_MAX) /* LCOV_EXCL_BR_LINE: 16 GiB of words */
            return NULL;
        zc_arena_give_back(w->arena, w->words, (size_t)w->word_room, sizeof *longer);
        w->words = longer;
        w->word_room = (int32_t)wanted;
    }
    w->word_count += count;
    return w->words + w->word_count - count;
}

/* Writes a list. Once memory is out nothing more is written, as the arena tells in the end. */
static void put_list(writer *w, int count, const void *list)
{
    int64_t *at = put(w, count);
    if (at != NULL && count > 0)
        memcpy(at, list, (size_t)count * sizeof *at);
}

static void put_numbers(writer *w, int64_t a, int64_t b)
{
    put_list(w, 2, (const int64_t[]){a, b});
}

static int64_t input_length(const zc_demanded *n)
{
    if (is_source(n))
        return n->node->size;
    return n->last < n->first ? 0 : is_packed(n) ? zc_view_size(n->part) : n->last - n->first + 1;
}

static void put_input(writer *w, const zc_demanded *n)
{
    put_numbers(w, ZC_NODE_LEAF | n->node->dtype << 16, 1 | 1 << 8);
    put_numbers(w, input_length(n), n->number); /* they come first */
}

/* The number of a node whose words are those that were put last; or -1. */
static int32_t find_equal(const writer *w, span last, uint64_t hash)
{
    size_t cursor = 0;
    int32_t at = zc_table_next(&w->equals, hash, &cursor);
    /* Other words of that hash: LCOV_EXCL_START: one in 2^32 have it. */
    while (at >= 0 && (w->spans[at].count != last.count || memcmp(w->words + w->spans[at].start, w->words + last.start,
                                                                  (size_t)last.count * sizeof *w->words) != 0))
        at = zc_table_next(&w->equals, hash, &cursor);
    /* LCOV_EXCL_STOP */
    return at;
}

/* Numbers a node whose words were put from `start` on: as an equal one, whose words are there already, or as the next.
 * Where memory is out nothing is numbered any more. */
static void number_node(writer *w, zc_demanded *of, int32_t start)
{
    uint64_t hash = 0;
    void *spans = w->spans;
    const span last = {start, w->word_count - start};
    if (w->arena->failed || !zc_arena_make_room(w->arena, &spans, w->written, &w->span_room, sizeof *w->spans))
        return;
    w->spans = spans;
    for (int32_t i = start; i < w->word_count; i++)
        hash = zc_hash_word(hash, (uint64_t)w->words[i]);
    const int32_t equal = is_input(of) ? -1 : find_equal(w, last, hash);
    of->number = equal < 0 ? w->written : equal;
    if (equal >= 0) {
        w->word_count = start;
        return;
    }
    w->spans[w->written++] = last;
    if (!is_input(of))
        (void)zc_table_add(&w->equals, hash, of->number); /* a failure is the arena's */
}

/* Says where the operands of a concat begin of which the box is made. */
static void put_starts(writer *w, const zc_node *node, const zc_box *box)
{
    zc_view view;
    int64_t start = 0;
    put_list(w, 1, &start);
    for (int i = 0; i < node->edge_count; i++) {
        if (!zc_demand_edge(node, box, i, &view))
            continue;
        start += view.shape[node->op]; /* proven: up to the node's extent */
        put_list(w, 1, &start);
    }
}

/* The axes that are taken, over the operand as it is written. */
static void put_taken(writer *w, const zc_node *node, const zc_box *box)
{
    zc_view view;
    zc_taken_axis taken;
    (void)zc_demand_edge(node, box, 0, &view);
    shown_view(zc_demand_of(&w->demand, node->edges[0].node), &view);
    for (int k = 0; k + 1 < node->edge_count; k++) {
        taken = node->taken[k];
        taken.stride = view.stride[node->rank + k];
        put_list(w, (int)(sizeof taken / sizeof(int64_t)), &taken);
    }
}

static void put_attributes(writer *w, const zc_node *node, const zc_box *box)
{
    zc_box domain;
    zc_words lists[ZC_MOST_ATTRIBUTES];
    int count = zc_node_attributes(node, lists);
    const bool has_axes = node->domain_rank > 0; /* else its shape is where another list is */
    zc_demand_domain(node, box, &domain);
    if (node->kind == ZC_NODE_CONCAT) {
        put_starts(w, node, box);
    } else if (node->kind == ZC_NODE_TAKE) {
        put_taken(w, node, box);
    } else {
        for (int i = 0; i < count; i++)
            put_list(w, lists[i].count,
                     has_axes && lists[i].at == zc_node_domain_shape(node) ? domain.count : lists[i].at);
    }
}

static void put_operand(writer *w, const zc_node *node, int i, zc_view *view)
{
    const zc_demanded *of = zc_demand_of(&w->demand, node->edges[i].node);
    shown_view(of, view);
    put_numbers(w, of->number, view->offset);
    put_list(w, zc_node_edge_rank(node, i), view->stride);
}

static void put_node(writer *w, const zc_demanded *of)
{
    zc_box box;
    zc_view view;
    int operands = 0;
    const zc_node *node = of->node;
    const int64_t flags = node->is_weak << 24 | node->is_explicit_copy << 25 | node->is_constant << 26;
    zc_demand_box(of, &box);
    for (int i = 0; i < node->edge_count; i++)
        operands += zc_demand_edge(node, &box, i, &view);
    put_numbers(w, node->kind | node->op << 8 | node->dtype << 16 | flags | (int64_t)operands << 32,
                node->rank | node->domain_rank << 8);
    put_list(w, node->rank, box.count);
    put_attributes(w, node, &box);
    for (int i = 0; i < node->edge_count; i++) {
        if (zc_demand_edge(node, &box, i, &view))
            put_operand(w, node, i, &view);
    }
}

static void put_result(writer *w, const zc_tensor *t)
{
    zc_view view;
    const zc_demanded *of = zc_demand_of(&w->demand, t->node);
    zc_tensor_view(t, &view);
    shown_view(of, &view);
    put_numbers(w, of->number, view.rank);
    put_list(w, view.rank, view.shape);
    put_list(w, 1, &view.offset);
    put_list(w, view.rank, view.stride);
}

/* False when memory is out. */
static bool put_all(writer *w, int count, const zc_tensor *const *tensors)
{
    const int64_t head[ZC_SERIAL_HEAD] = {ZC_SERIAL_MAGIC, ZC_SERIAL_VERSION, 0, 0, count};
    put_list(w, ZC_SERIAL_HEAD, head);
    for (int pass = 0; pass < 2; pass++) {
        int32_t at = 0;
        for (zc_demanded *n; (n = next_node(&w->demand, pass == 0, &at)) != NULL;) {
            const int32_t start = w->word_count;
            n->number = w->written;
            if (pass == 0)
                put_input(w, n);
            else
                put_node(w, n);
            number_node(w, n, start);
        }
        w->input_count = pass == 0 ? w->written : w->input_count;
    }
    for (int i = 0; i < count; i++)
        put_result(w, tensors[i]);
    if (!w->arena->failed) {
        w->words[2] = w->written;
        w->words[3] = w->input_count;
    }
    return !w->arena->failed;
}

/* ---- Inputs ---- */

/* Copies what a view shows of a buffer, several elements of so many bytes, row by row. */
static void pack(const zc_view *part, const char *from, size_t item, char *to)
{
    const int last = part->rank - 1;
    const int64_t size = zc_view_size(part), row = part->shape[last], step = part->stride[last];
    const int64_t run = step == 1 ? row : 1;
    int64_t at[ZC_MAX_RANK] = {0}, offset = part->offset;
    for (int64_t done = 0; done < size; done += row) {
        for (int64_t i = 0; i < row; i += run, to += (size_t)run * item)
            memcpy(to, from + (size_t)(offset + i * step) * item, (size_t)run * item); /* proven: in the buffer */
        for (int a = last - 1; a >= 0; a--) {
            offset += part->stride[a]; /* proven: one step beyond the view's reach at most */
            if (++at[a] < part->shape[a])
                break;
            offset -= at[a] * part->stride[a]; /* proven: likewise */
            at[a] = 0;
        }
    }
}

/* The elements that are used, one after the other in memory of their own. NULL after a failure. */
static zc_tensor *copy_input(zc_context *ctx, const zc_demanded *n)
{
    zc_view view;
    zc_reason why;
    const zc_dtype dtype = (zc_dtype)n->node->dtype;
    const int64_t size = zc_view_size(n->part), bytes = size * (int64_t)zc_dtype_bytes(dtype); /* proven: in memory */
    const zc_status status = zc_check_limit(ctx, bytes, &why);
    if (status != ZC_OK)
        return (void)zc_fail_because(ctx, status, function, &why), NULL;
    zc_buffer *copy = zc_buffer_new(ctx->heap, bytes);
    if (copy != NULL)
        pack(n->part, n->data->memory, zc_dtype_bytes(dtype), copy->memory);
    zc_view_row_major(1, &size, &view);
    return zc_leaf_tensor(ctx, copy, dtype, &view, function);
}

/* A handle on the elements that are used of a node with data. NULL after a failure. */
static zc_tensor *show_input(zc_context *ctx, const zc_demanded *n)
{
    zc_view view = {.rank = 1, .shape = {0}};
    if (n->last >= n->first)
        view = (zc_view){.rank = 1, .shape = {n->last - n->first + 1}, .stride = {1}, .offset = n->first};
    zc_view_canonicalise(&view);
    zc_buffer *data = zc_buffer_retain((zc_buffer *)(uintptr_t)n->data);
    return zc_leaf_tensor(ctx, data, (zc_dtype)n->node->dtype, &view, function);
}

/* A handle on all elements of a source. NULL after a failure. */
static zc_tensor *show_source(zc_context *ctx, const zc_demanded *n)
{
    zc_view view;
    zc_view_row_major(1, &n->node->size, &view);
    return zc_tensor_new(ctx, zc_node_retain((zc_node *)(uintptr_t)n->node), &view, function);
}

static zc_status show_inputs(zc_serialized *s, zc_context *ctx, const writer *w)
{
    s->inputs = zc_arena_take(&s->arena, (size_t)w->input_count, sizeof(zc_tensor *));
    if (s->inputs == NULL)
        return zc_fail_memory(ctx, function);
    int32_t at = 0;
    for (const zc_demanded *n; (n = next_node(&w->demand, true, &at)) != NULL;) {
        zc_tensor *t = is_source(n) ? show_source(ctx, n) : is_packed(n) ? copy_input(ctx, n) : show_input(ctx, n);
        s->inputs[s->input_count] = t == NULL ? NULL : zc_keep(t);
        if (t == NULL)
            return zc_error_status(ctx);
        s->input_count++;
    }
    return ZC_OK;
}

/* ---- The calls ---- */

static zc_status write_all(zc_serialized *s, int count, const zc_tensor *const *tensors)
{
    zc_context *ctx = tensors[0]->ctx;
    writer w = {.arena = &s->arena, .demand.arena = &s->arena};
    if (!zc_demand_find(&w.demand, count, tensors))
        return zc_fail_memory(ctx, function);
    w.equals.arena = &s->arena;
    if (!put_all(&w, count, tensors))
        return zc_fail_memory(ctx, function);
    s->words = w.words;
    s->word_count = w.word_count;
    return show_inputs(s, ctx, &w);
}

zc_status zc_serialize(int count, const zc_tensor *const *tensors, zc_serialized **out)
{
    if (out != NULL)
        *out = NULL;
    if (count < 1)
        return zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "there are no tensors");
    if (zc_refuse_lost_in_list(NULL, function, "tensors", count, tensors))
        return ZC_ERROR_ARGUMENT;
    zc_context *ctx = tensors[0]->ctx;
    for (int i = 1; i < count; i++) {
        if (tensors[i]->ctx != ctx)
            return zc_fail(ctx, ZC_ERROR_ARGUMENT, function,
                           "operands belong to different contexts; zc_adopt brings them together");
    }
    if (out == NULL)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "there is nowhere to put the result");
    zc_serialized *s = zc_heap_take(ctx->heap, sizeof *s);
    if (s == NULL)
        return zc_fail_memory(ctx, function);
    *s = (zc_serialized){.heap = ctx->heap};
    zc_arena_init(&s->arena, ctx->heap);
    zc_graph_follow_begin();
    zc_status status = write_all(s, count, tensors);
    zc_graph_follow_end();
    if (status == ZC_OK)
        *out = s;
    else
        zc_serialized_free(s);
    return status;
}

const void *zc_serialized_bytes(const zc_serialized *s, size_t *bytes)
{
    if (bytes != NULL)
        *bytes = s == NULL ? 0 : (size_t)s->word_count * sizeof *s->words;
    return s == NULL ? NULL : s->words;
}

int zc_serialized_inputs(const zc_serialized *s, const zc_tensor *const **inputs)
{
    if (inputs != NULL)
        *inputs = s == NULL ? NULL : (const zc_tensor *const *)s->inputs;
    return s == NULL ? 0 : s->input_count;
}

void zc_serialized_free(zc_serialized *s)
{
    if (s == NULL)
        return;
    for (int32_t i = 0; i < s->input_count; i++)
        zc_release(s->inputs[i]);
    zc_heap *heap = s->heap;
    zc_arena_free(&s->arena);
    zc_heap_give(heap, s, sizeof *s);
}
