#include "materialize/run/few.h"

#include "materialize/execute/copy.h"
#include "materialize/kernels/tables/dispatch.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"

#include <string.h>

/* Nodes that are computed at most, each as often as it is read; bytes of them and of what kernels read in order, for
 * each element of the tensor. */
enum { MOST_NODES = 16, ROOM_EACH = 64, UNIT = 64 };

typedef struct walk {
    const zc_kernels *kernels;
    zc_few *few;
    int64_t most; /* elements that a computed node may have */
    int left;     /* nodes that may still be computed */
    char *room;
    size_t bytes, used; /* of the room */
} walk;

/* Elements of a node as a view shows them, through which gradients pass or not. */
typedef struct shown {
    const zc_node *node;
    int rank;
    const int64_t *shape, *stride;
    int64_t offset, count;
    bool passes;
} shown;

/* Operand i of all elements of a node. */
static shown operand(const zc_node *node, int i, bool passes)
{
    const zc_edge *edge = &node->edges[i];
    return (shown){edge->node,
                   node->rank,
                   node->shape,
                   edge->stride,
                   edge->offset,
                   node->size,
                   passes && zc_node_has_gradients(edge->node)};
}

/* The same, of which only the element at a place is shown. */
static shown operand_at(const zc_node *node, int i, const int64_t *place, bool passes)
{
    static const int64_t unit = 1;
    const zc_edge *edge = &node->edges[i];
    int64_t offset = edge->offset;
    for (int a = 0; a < node->rank; a++)
        offset += place[a] * edge->stride[a]; /* proven: inside the storage */
    return (shown){edge->node, 1, &unit, &unit, offset, 1, passes && zc_node_has_gradients(edge->node)};
}

/* Room for elements of a dtype, or NULL. */
static void *take(walk *w, int64_t count, zc_dtype dtype)
{
    const size_t bytes = ((size_t)count * zc_dtype_bytes(dtype) + UNIT - 1) / UNIT * UNIT; /* proven: few */
    if (bytes > w->bytes - w->used)
        return NULL;
    w->used += bytes;
    return w->room + w->used - bytes;
}

/* ---- In order ---- */

static bool is_in_order(const shown *s)
{
    int64_t step = 1;
    for (int a = s->rank - 1; a >= 0 && s->count > 1; a--) {
        if (s->shape[a] > 1 && s->stride[a] != step)
            return false;
        step *= s->shape[a]; /* proven: at most the count */
    }
    return true;
}

/* Finds the elements in order: where the storage is, or in room that they are copied to. NULL where there is none. */
static const void *arrange(walk *w, const shown *s, const void *storage)
{
    const zc_dtype dtype = (zc_dtype)s->node->dtype;
    const size_t item = zc_dtype_bytes(dtype);
    const char *first = (const char *)storage + (size_t)s->offset * item;
    zc_view row_major;
    if (is_in_order(s))
        return first;
    void *to = take(w, s->count, dtype);
    zc_view_row_major(s->rank, s->shape, &row_major);
    if (to != NULL)
        zc_copy_to_places(&row_major, to, s->stride, first, item);
    return to;
}

/* Lists the elements of the storage that are shown. */
static void number(const shown *s, int64_t *out)
{
    int64_t place[ZC_MAX_RANK] = {0}, at = s->offset;
    for (int64_t i = 0; i < s->count; i++) {
        out[i] = at;
        for (int a = s->rank - 1; a >= 0; a--) {
            at += s->stride[a]; /* proven: inside the storage, or back at once */
            if (++place[a] < s->shape[a])
                break;
            at -= s->shape[a] * s->stride[a]; /* proven: back to where this axis began */
            place[a] = 0;
        }
    }
}

/* ---- Nodes ---- */

static bool show(walk *w, const shown *s, const void **elements);

/* Elements of memory as the library stores them: a bool that the program has lent may have any byte. */
static const void *as_stored(walk *w, const zc_node *node, int64_t count, const void *elements)
{
    if (node->dtype != ZC_BOOL || elements == NULL)
        return elements;
    void *to = take(w, count, ZC_BOOL);
    if (to != NULL)
        w->kernels->map[ZC_OP_COPY][ZC_BOOL](to, elements, NULL, NULL, count);
    return to;
}

static void note_read(const walk *w, const shown *s, zc_buffer *data)
{
    w->few->reads += s->node == w->few->watched;
    if (s->passes)
        zc_sources_add(&w->few->sources, data);
}

/* Computes all of a map, or the element at a place. */
static bool compute_map(walk *w, const zc_node *node, const int64_t *place, bool passes, void *to)
{
    const void *at[ZC_MAX_ARITY] = {NULL};
    for (int i = 0; i < node->edge_count; i++) {
        const shown from = place == NULL ? operand(node, i, passes) : operand_at(node, i, place, passes);
        if (!show(w, &from, &at[i])) /* recursion: at most MOST_NODES nodes above each other */
            return false;
    }
    /* The last operand has the dtype the operands meet in; `where` has a bool condition before it. */
    const uint8_t from = node->edges[node->edge_count - 1].node->dtype;
    zc_map_kernel *kernel =
        node->op == ZC_OP_CAST ? w->kernels->cast[node->dtype][from] : w->kernels->map[node->op][from];
    kernel(to, at[0], at[1], at[2], place == NULL ? node->size : 1);
    return true;
}

/* Adds the positions along an axis to the numbers of elements. False where one is outside, which a plan tells. */
static bool add_positions(const zc_taken_axis *axis, int64_t count, const int64_t *positions, int64_t *numbers)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = positions[i] < 0 ? positions[i] + axis->extent : positions[i]; /* proven: the signs differ */
        if (at < 0 || at >= axis->extent)
            return false;
        numbers[i] += at * axis->stride; /* proven: inside the storage */
    }
    return true;
}

/* The storage of a node, all of it computed where it has no data; NULL where that is left to a plan. */
static const void *store(walk *w, const shown *s)
{
    const zc_node *node = s->node;
    zc_buffer *data = zc_node_data(node);
    const int64_t unit = 1;
    const shown whole = {node, 1, &node->size, &unit, 0, node->size, s->passes};
    const void *elements;
    w->few->sources.nodes |= s->passes ? zc_source_bit(node->serial) : 0;
    if (data != NULL) {
        note_read(w, s, data);
        return data->memory;
    }
    return node->size <= w->most && show(w, &whole, &elements) ? elements : NULL; /* recursion: as in a map */
}

static bool compute_take(walk *w, const shown *s, void *to)
{
    const zc_node *node = s->node;
    const shown first = operand(node, 0, s->passes);
    int64_t *numbers = take(w, node->size, ZC_INT64);
    const void *positions;
    if (numbers == NULL)
        return false;
    number(&first, numbers);
    for (int i = 1; i < node->edge_count; i++) {
        const shown at = operand(node, i, false);
        if (!show(w, &at, &positions) || /* recursion: as in a map */
            !add_positions(&node->taken[i - 1], node->size, positions, numbers))
            return false;
    }
    if (first.node->kind == ZC_NODE_IOTA) {
        memcpy(to, numbers, (size_t)node->size * sizeof *numbers);
        return true;
    }
    const void *storage = first.node->kind == ZC_NODE_CONSTANT ? NULL : store(w, &first);
    if (storage == NULL)
        return false;
    zc_copy_numbered(to, storage, numbers, node->size, zc_dtype_bytes((zc_dtype)node->dtype));
    const void *stored = as_stored(w, first.node, node->size, to);
    if (stored != NULL && stored != to)
        memcpy(to, stored, (size_t)node->size);
    return stored != NULL;
}

/* Computes all of a node, and finds what is shown of it. */
static bool compute(walk *w, const shown *s, const void **elements)
{
    void *to = s->node->size <= w->most && w->left-- > 0 ? take(w, s->node->size, (zc_dtype)s->node->dtype) : NULL;
    if (to == NULL)
        return false;
    if (!(s->node->kind == ZC_NODE_MAP ? compute_map(w, s->node, NULL, s->passes, to)
                                       : compute_take(w, s, to))) /* recursion: as in a map */
        return false;
    *elements = arrange(w, s, to);
    return *elements != NULL;
}

/* ---- One element ---- */

/* Coordinates of an element of a node. */
static void find_place(const zc_node *node, int64_t element, int64_t *place)
{
    for (int a = node->rank - 1; a >= 0; a--) {
        place[a] = element % node->shape[a];
        element /= node->shape[a];
    }
}

static bool take_element(walk *w, const zc_node *node, const int64_t *place, bool passes, const void **element)
{
    shown from = operand_at(node, 0, place, passes);
    for (int i = 1; i < node->edge_count; i++) {
        const shown position = operand_at(node, i, place, false);
        const void *at;
        if (!show(w, &position, &at) || /* recursion: as in a map */
            !add_positions(&node->taken[i - 1], 1, at, &from.offset))
            return false;
    }
    return show(w, &from, element); /* recursion: as in a map */
}

/* Computes one element of a node. */
static bool compute_one(walk *w, const shown *s, const void **element)
{
    const zc_node *node = s->node;
    int64_t place[ZC_MAX_RANK] = {0};
    if (w->left-- <= 0)
        return false;
    find_place(node, s->offset, place);
    if (node->kind == ZC_NODE_TAKE)
        return take_element(w, node, place, s->passes, element); /* recursion: as in a map */
    void *to = take(w, 1, (zc_dtype)node->dtype);
    *element = to;
    return to != NULL && compute_map(w, node, place, s->passes, to); /* recursion: as in a map */
}

static bool show_numbers(walk *w, const shown *s, const void **elements)
{
    int64_t *numbers = take(w, s->count, ZC_INT64);
    *elements = numbers;
    if (numbers != NULL)
        number(s, numbers);
    return numbers != NULL;
}

/* Finds the elements in order, in memory or in room that they are computed in. */
static bool show(walk *w, const shown *s, const void **elements)
{
    static const int64_t still[ZC_MAX_RANK];
    zc_buffer *data = zc_node_data(s->node);
    w->few->sources.nodes |= s->passes ? zc_source_bit(s->node->serial) : 0;
    if (data != NULL) {
        note_read(w, s, data);
        *elements = as_stored(w, s->node, s->count, arrange(w, s, data->memory));
        return *elements != NULL;
    }
    switch (s->node->kind) {
    case ZC_NODE_CONSTANT:
        *elements = arrange(w, &(shown){s->node, s->rank, s->shape, still, 0, s->count, false}, &s->node->constant);
        return *elements != NULL;
    case ZC_NODE_IOTA:
        return show_numbers(w, s, elements);
    case ZC_NODE_MAP:
    case ZC_NODE_TAKE:
        return s->count == 1 ? compute_one(w, s, elements) : compute(w, s, elements); /* recursion: as in a map */
    default:
        return false;
    }
}

/* ---- Tensors ---- */

static bool compute_in(char *room, size_t bytes, const zc_tensor *t, int64_t most, const zc_node *watched,
                       void *elements, zc_few *few)
{
    const zc_node_kind kind = (zc_node_kind)t->node->kind;
    const void *at;
    if (kind != ZC_NODE_MAP && kind != ZC_NODE_TAKE && !zc_node_is_given(t->node) && zc_node_data(t->node) == NULL)
        return false; /* no other kind is made alone */
    walk w = {.kernels = zc_kernels_best(), .few = few, .most = most, .left = MOST_NODES, .room = room, .bytes = bytes};
    ZC_DEFAULT_FLOATS();
    few->watched = watched;
    few->reads = 0;
    few->sources = (zc_sources){.count = 0};
    const shown all = {t->node, t->rank, t->dims, zc_strides(t), t->offset, t->size, zc_node_has_gradients(t->node)};
    const bool is_computed = show(&w, &all, &at);
    few->computed = MOST_NODES - w.left;
    if (is_computed)
        memcpy(elements, at, (size_t)t->size * zc_dtype_bytes(zc_dtype_of(t)));
    return is_computed;
}

static bool compute_all(const zc_tensor *t, int64_t most, const zc_node *watched, void *elements, zc_few *few)
{
    const zc_context *ctx = t->ctx;
    _Alignas(UNIT) char room[ZC_FEW_ON_STACK * ROOM_EACH];
    if (t->size > most || t->size == 0 || ctx->options.executor == ZC_EXECUTOR_REFERENCE ||
        zc_progress_stops(&ctx->progress))
        return false;
    if (t->size <= ZC_FEW_ON_STACK)
        return compute_in(room, sizeof room, t, most, watched, elements, few);
    const size_t bytes = (size_t)t->size * ROOM_EACH; /* proven: few */
    char *more = zc_check_limit(ctx, (int64_t)bytes, NULL) == ZC_OK ? zc_heap_take_data(ctx->heap, bytes) : NULL;
    const bool is_computed = more != NULL && compute_in(more, bytes, t, most, watched, elements, few);
    zc_heap_give_data(ctx->heap, more, bytes);
    return is_computed;
}

bool zc_compute_element(const zc_tensor *t, const zc_node *watched, zc_scalar *element, zc_few *few)
{
    return compute_all(t, 1, watched, element, few);
}

bool zc_compute_few(const zc_tensor *t, const zc_node *watched, void *elements, zc_few *few)
{
    return compute_all(t, ZC_FEW, watched, elements, few);
}

zc_buffer *zc_few_buffer(const zc_tensor *t, const zc_few *few)
{
    const int64_t bytes = t->size * (int64_t)zc_dtype_bytes(zc_dtype_of(t)); /* proven: few */
    zc_buffer *buffer = zc_check_limit(t->ctx, bytes, NULL) == ZC_OK ? zc_buffer_new(t->ctx->heap, bytes) : NULL;
    if (buffer != NULL && zc_node_has_gradients(t->node))
        buffer->sources = few->sources;
    return buffer;
}

zc_buffer *zc_store_few(const zc_tensor *t, const void *elements, const zc_few *few)
{
    zc_buffer *buffer = zc_few_buffer(t, few);
    if (buffer != NULL)
        memcpy(buffer->memory, elements, (size_t)t->size * zc_dtype_bytes(zc_dtype_of(t)));
    return buffer;
}

bool zc_keep_few(const zc_tensor *t, const void *elements, const zc_few *few)
{
    zc_buffer *buffer = zc_store_few(t, elements, few);
    if (buffer == NULL)
        return false;
    zc_node_keep(t->node, buffer);
    zc_buffer_release(buffer);
    return zc_node_data(t->node) != NULL;
}
