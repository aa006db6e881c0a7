#include "runtime/serialize/serialize.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/graph/invariance.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/leaf.h"
#include "runtime/memory/table.h"

static const char function[] = "serialize";

/* A node that is written. Of one whose elements are in memory those from `first` to `last` are used; first > last: none
 * are. */
typedef struct written {
    const zc_node *node;
    const zc_buffer *data;
    int64_t first, last;
    int32_t number; /* in the order of writing */
} written;

typedef struct writer {
    zc_arena *arena;
    zc_table numbers; /* of nodes by their addresses */
    written *nodes;   /* [count], as they were found */
    int32_t count, room;
    int32_t *order; /* [count]: operands first */
    int32_t input_count;
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

/* The number that a node was found under, or -1. */
static int32_t find(const writer *w, const zc_node *node)
{
    uint64_t hash = zc_hash_word(0, (uintptr_t)node);
    size_t cursor = 0;
    int32_t i = w->nodes == NULL ? -1 : zc_table_next(&w->numbers, hash, &cursor);
    /* Another address of that hash: LCOV_EXCL_START: up to where memory lies. */
    while (i >= 0 && w->nodes[i].node != node)
        i = zc_table_next(&w->numbers, hash, &cursor);
    /* LCOV_EXCL_STOP */
    return i;
}

/* A node that was found. */
static written *known(const writer *w, const zc_node *node)
{
    return &w->nodes[find(w, node)];
}

static bool add_node(writer *w, const zc_node *node)
{
    if (find(w, node) >= 0)
        return true;
    void *nodes = w->nodes;
    if (!zc_arena_make_room(w->arena, &nodes, w->count, &w->room, sizeof *w->nodes))
        return false;
    w->nodes = nodes;
    const zc_buffer *data = zc_node_data(node);
    const bool is_computed = data != NULL && data->is_kept && !zc_node_gave_up(node); /* nobody asked for its data */
    w->nodes[w->count] = (written){.node = node, .data = is_computed ? NULL : data, .first = INT64_MAX, .last = -1};
    w->input_count += w->nodes[w->count].data != NULL;
    return zc_table_add(&w->numbers, zc_hash_word(0, (uintptr_t)node), w->count++);
}

/* All nodes that are needed. False when memory is out. */
static bool find_nodes(writer *w, int count, const zc_tensor *const *tensors)
{
    bool found = true;
    for (int i = 0; i < count && found; i++)
        found = add_node(w, tensors[i]->node);
    for (int32_t n = 0; n < w->count && found; n++) {
        const zc_node *node = w->nodes[n].node;
        for (int i = 0; w->nodes[n].data == NULL && i < node->edge_count && found; i++)
            found = add_node(w, node->edges[i].node);
    }
    return found;
}

/* Inputs first. */
static int compare_serials(const void *a, const void *b)
{
    const written *x = *(const written *const *)a, *y = *(const written *const *)b;
    if ((x->data == NULL) != (y->data == NULL))
        return x->data == NULL ? 1 : -1;
    return x->node->serial < y->node->serial ? -1 : x->node->serial > y->node->serial;
}

/* Numbers the nodes: the inputs, and the others in the order of recording, in which operands come first. False when
 * memory is out. */
static bool number_nodes(writer *w)
{
    written **sorted = zc_arena_take(w->arena, (size_t)w->count, sizeof *sorted);
    w->order = zc_arena_take(w->arena, (size_t)w->count, sizeof *w->order);
    if (sorted == NULL || w->order == NULL)
        return false;
    for (int32_t n = 0; n < w->count; n++)
        sorted[n] = &w->nodes[n];
    qsort(sorted, (size_t)w->count, sizeof *sorted, compare_serials);
    for (int32_t n = 0; n < w->count; n++) {
        sorted[n]->number = n;
        w->order[n] = (int32_t)(sorted[n] - w->nodes);
    }
    return true;
}

/* ---- What is used of data ---- */

/* A view of a node as it is written: over the elements of its input, where it has data. */
static void shown_view(const written *of, zc_view *view)
{
    if (of->data != NULL && zc_view_size(view) > 0) {
        zc_invariant_view(of->node, view, view);
        view->offset -= of->first; /* proven: the lowest that is used */
    }
    zc_view_canonicalise(view);
}

static void use(written *of, const zc_view *view)
{
    zc_view shown;
    int64_t first, last;
    if (of->data == NULL || zc_view_size(view) == 0)
        return;
    zc_invariant_view(of->node, view, &shown);
    zc_view_reach(&shown, &first, &last);
    of->first = zc_smaller(of->first, first);
    of->last = zc_larger(of->last, last);
}

/* The elements that a take or an update moves to are anywhere: all of the node may be used. */
static void use_all(written *of)
{
    if (of->data == NULL)
        return;
    of->first = 0;
    of->last = of->node->size - 1;
}

static void find_used(writer *w, int count, const zc_tensor *const *tensors)
{
    zc_view view;
    for (int i = 0; i < count; i++) {
        zc_tensor_view(tensors[i], &view);
        use(known(w, tensors[i]->node), &view);
    }
    for (int32_t n = 0; n < w->count; n++) {
        const zc_node *node = w->nodes[n].node;
        for (int i = 0; w->nodes[n].data == NULL && i < node->edge_count; i++) {
            zc_node_edge_view(node, i, &view);
            use(known(w, node->edges[i].node), &view);
            if (node->kind == ZC_NODE_TAKE && i == 0)
                use_all(known(w, node->edges[i].node));
        }
    }
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

/* Where memory is out nothing is written any more, as the arena tells in the end. */
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

static void put_input(writer *w, const written *n, int64_t input)
{
    put_numbers(w, ZC_NODE_LEAF | n->node->dtype << 16, 1 | 1 << 8);
    put_numbers(w, n->last < n->first ? 0 : n->last - n->first + 1, input);
}

static void put_node(writer *w, const zc_node *node)
{
    zc_view view;
    zc_words lists[ZC_MOST_ATTRIBUTES];
    const int64_t flags = node->is_weak << 24 | node->is_explicit_copy << 25 | node->is_constant << 26;
    put_numbers(w, node->kind | node->op << 8 | node->dtype << 16 | flags | (int64_t)node->edge_count << 32,
                node->rank | node->domain_rank << 8);
    put_list(w, node->rank, node->shape);
    for (int i = 0, count = zc_node_attributes(node, lists); i < count; i++)
        put_list(w, lists[i].count, lists[i].at);
    for (int i = 0; i < node->edge_count; i++) {
        const written *of = known(w, node->edges[i].node);
        zc_node_edge_view(node, i, &view);
        shown_view(of, &view);
        put_numbers(w, of->number, view.offset);
        put_list(w, view.rank, view.stride);
    }
}

static void put_result(writer *w, const zc_tensor *t)
{
    zc_view view;
    const written *of = known(w, t->node);
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
    const int64_t head[ZC_SERIAL_HEAD] = {ZC_SERIAL_MAGIC, ZC_SERIAL_VERSION, w->count, w->input_count, count};
    put_list(w, ZC_SERIAL_HEAD, head);
    for (int32_t n = 0; n < w->count; n++) {
        const written *of = &w->nodes[w->order[n]];
        if (of->data != NULL)
            put_input(w, of, n); /* they come first */
        else
            put_node(w, of->node);
    }
    for (int i = 0; i < count; i++)
        put_result(w, tensors[i]);
    return !w->arena->failed;
}

/* ---- Inputs ---- */

/* A handle on the elements that are used of a node with data. NULL after a failure. */
static zc_tensor *show_input(zc_context *ctx, const written *n)
{
    zc_view view = {.rank = 1, .shape = {0}};
    if (n->last >= n->first)
        view = (zc_view){.rank = 1, .shape = {n->last - n->first + 1}, .stride = {1}, .offset = n->first};
    zc_view_canonicalise(&view);
    zc_buffer *data = zc_buffer_retain((zc_buffer *)(uintptr_t)n->data);
    zc_tensor *t = zc_leaf_tensor(ctx, data, (zc_dtype)n->node->dtype, &view, function);
    return t == NULL ? NULL : zc_keep(t);
}

static zc_status show_inputs(zc_serialized *s, zc_context *ctx, const writer *w)
{
    s->inputs = zc_arena_take(&s->arena, (size_t)w->input_count, sizeof(zc_tensor *));
    if (s->inputs == NULL)
        return zc_fail_memory(ctx, function);
    for (int32_t n = 0; n < w->count; n++) {
        const written *of = &w->nodes[w->order[n]];
        if (of->data == NULL)
            continue;
        s->inputs[s->input_count] = show_input(ctx, of);
        if (s->inputs[s->input_count] == NULL)
            return zc_error_status(ctx);
        s->input_count++;
    }
    return ZC_OK;
}

/* ---- The calls ---- */

/* Refuses a graph whose elements a function has, unless they are in memory. */
static zc_status refuse_sources(zc_context *ctx, const writer *w)
{
    for (int32_t n = 0; n < w->count; n++) {
        if (w->nodes[n].data == NULL && w->nodes[n].node->kind == ZC_NODE_SOURCE)
            return zc_fail(
                ctx, ZC_ERROR_ARGUMENT, function,
                "a source, whose elements are no part of the graph, cannot be written; materialize it first");
    }
    return ZC_OK;
}

static zc_status write_all(zc_serialized *s, int count, const zc_tensor *const *tensors)
{
    zc_context *ctx = tensors[0]->ctx;
    writer w = {.arena = &s->arena, .numbers.arena = &s->arena};
    if (!find_nodes(&w, count, tensors) || !number_nodes(&w))
        return zc_fail_memory(ctx, function);
    const zc_status status = refuse_sources(ctx, &w);
    if (status != ZC_OK)
        return status;
    find_used(&w, count, tensors);
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
