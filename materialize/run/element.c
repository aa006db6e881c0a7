#include "materialize/run/element.h"

#include "materialize/kernels/tables/dispatch.h"
#include "runtime/dtypes/float_environment.h"
#include "runtime/graph/keep.h"

#include <string.h>

/* Nodes that are computed at most, each as often as it is read. */
enum { MOST_NODES = 16 };

typedef struct walk {
    const zc_kernels *kernels;
    zc_element *element;
    int left; /* nodes that may still be computed */
} walk;

/* An operand: the element of a node at that place of its storage, through which gradients pass or not. */
typedef struct operand {
    const zc_node *node;
    int64_t at;
    bool passes;
} operand;

static bool compute(walk *w, operand from, zc_scalar *value);

/* Reads an element from memory. A bool that the program has lent may have any byte. */
static void read(const walk *w, operand from, zc_buffer *data, zc_scalar *value)
{
    const zc_dtype dtype = (zc_dtype)from.node->dtype;
    const char *at = (const char *)data->memory + (size_t)from.at * zc_dtype_bytes(dtype);
    w->kernels->map[ZC_OP_COPY][dtype](value->bytes, at, NULL, NULL, 1);
    w->element->reads += from.node == w->element->watched;
    if (from.passes)
        zc_sources_add(&w->element->sources, data);
}

/* Computes a map of one element, whose operands' elements are where their edges begin. */
static bool compute_map(walk *w, operand map, zc_scalar *value)
{
    const zc_node *node = map.node;
    zc_scalar element[ZC_MAX_ARITY];
    const void *at[ZC_MAX_ARITY] = {NULL};
    if (node->size != 1 || w->left-- == 0)
        return false;
    for (int i = 0; i < node->edge_count; i++) {
        const zc_edge *edge = &node->edges[i];
        const operand from = {edge->node, edge->offset, map.passes && zc_node_has_gradients(edge->node)};
        if (!compute(w, from, &element[i])) /* recursion: at most MOST_NODES maps above each other */
            return false;
        at[i] = element[i].bytes;
    }
    /* The last operand has the dtype the operands meet in; `where` has a bool condition before it. */
    const uint8_t from = node->edges[node->edge_count - 1].node->dtype;
    zc_map_kernel *kernel =
        node->op == ZC_OP_CAST ? w->kernels->cast[node->dtype][from] : w->kernels->map[node->op][from];
    kernel(value->bytes, at[0], at[1], at[2], 1);
    return true;
}

static bool compute(walk *w, operand from, zc_scalar *value)
{
    zc_buffer *data = zc_node_data(from.node);
    w->element->sources.nodes |= from.passes ? zc_source_bit(from.node->serial) : 0;
    if (data != NULL) {
        read(w, from, data, value);
        return true;
    }
    switch (from.node->kind) {
    case ZC_NODE_CONSTANT:
        *value = from.node->constant;
        return true;
    case ZC_NODE_IOTA:
        value->int64 = from.at;
        return true;
    case ZC_NODE_MAP:
        return compute_map(w, from, value);
    default:
        return false;
    }
}

bool zc_compute_element(const zc_tensor *t, const zc_node *watched, zc_element *element)
{
    const zc_context *ctx = t->ctx;
    const zc_node_kind kind = (zc_node_kind)t->node->kind;
    if (kind != ZC_NODE_MAP && !zc_node_is_given(t->node) &&
        zc_node_data(t->node) == NULL) /* no other kind is made alone */
        return false;
    walk w = {.kernels = zc_kernels_best(), .element = element, .left = MOST_NODES};
    if (t->size != 1 || ctx->options.executor == ZC_EXECUTOR_REFERENCE || zc_progress_stops(&ctx->progress))
        return false;
    ZC_DEFAULT_FLOATS();
    element->watched = watched;
    element->reads = 0;
    element->sources = (zc_sources){.count = 0};
    const bool is_computed =
        compute(&w, (operand){t->node, t->offset, zc_node_has_gradients(t->node)}, &element->value);
    element->computed = MOST_NODES - w.left;
    return is_computed;
}

zc_buffer *zc_store_element(const zc_tensor *t, const zc_element *element)
{
    const size_t item = zc_dtype_bytes(zc_dtype_of(t));
    if (zc_check_limit(t->ctx, (int64_t)item, NULL) != ZC_OK)
        return NULL;
    zc_buffer *buffer = zc_buffer_new(t->ctx->heap, (int64_t)item);
    if (buffer == NULL)
        return NULL;
    memcpy(buffer->memory, element->value.bytes, item);
    if (zc_node_has_gradients(t->node))
        buffer->sources = element->sources;
    return buffer;
}

bool zc_keep_element(const zc_tensor *t, const zc_element *element)
{
    zc_buffer *buffer = zc_store_element(t, element);
    if (buffer == NULL)
        return false;
    zc_node_keep(t->node, buffer);
    zc_buffer_release(buffer);
    return zc_node_data(t->node) != NULL;
}
