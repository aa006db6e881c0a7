#include "materialize/run/joined.h"

#include "materialize/execute/copy.h"
#include "runtime/graph/keep.h"

/* Nodes above each other that are looked at; bytes of a concat; part of the memory within the limit that it may take.
 */
enum { MOST_LEVELS = 4, MOST_BYTES = 1 << 18, PART = 4 };

static bool has_elements(const zc_node *node)
{
    return zc_node_is_given(node) || zc_node_data(node) != NULL;
}

/* The only operand whose elements are to be computed, or NULL. */
static zc_node *only_missing(const zc_node *node)
{
    zc_node *missing = NULL;
    for (int i = 0; i < node->edge_count; i++) {
        zc_node *operand = node->edges[i].node;
        if (has_elements(operand))
            continue;
        if (missing != NULL)
            return NULL;
        missing = operand;
    }
    return missing;
}

/* The concat below what is asked for, or NULL. */
static zc_node *find_concat(const zc_tensor *t)
{
    zc_node *node = has_elements(t->node) ? NULL : only_missing(t->node);
    for (int level = 1; level < MOST_LEVELS && node != NULL && !has_elements(node); level++) {
        if (node->kind == ZC_NODE_CONCAT)
            return node;
        node = only_missing(node);
    }
    return NULL;
}

/* Tells a concat of which a part is read, or a sum. Bools may be foreign memory, with other bytes than the library
 * stores: they are left to a plan. */
static bool may_join(const zc_tensor *t, const zc_node *node)
{
    const int64_t handles = zc_node_handles(node), edges = zc_node_references(node) - handles;
    if (handles == 0 || edges > 1 || node->heap != t->heap || node->dtype == ZC_BOOL || node->size <= t->size ||
        node->size > MOST_BYTES / (int64_t)zc_dtype_bytes((zc_dtype)node->dtype))
        return false;
    for (int k = 0; k < node->edge_count; k++) {
        if (zc_node_data(node->edges[k].node) == NULL)
            return false;
    }
    return true;
}

static void copy_operands(const zc_node *node, void *memory)
{
    const size_t item = zc_dtype_bytes((zc_dtype)node->dtype);
    zc_view whole;
    zc_view_row_major(node->rank, node->shape, &whole);
    for (int k = 0; k < node->edge_count; k++) {
        const zc_edge *edge = &node->edges[k];
        const char *from = zc_node_data(edge->node)->memory;
        zc_view places = whole;
        places.shape[node->op] = node->start[k + 1] - node->start[k];
        places.offset = node->start[k] * whole.stride[node->op]; /* proven: inside the node */
        if (zc_view_size(&places) > 0)
            zc_copy_to_places(&places, memory, edge->stride, from + (size_t)edge->offset * item, item);
    }
}

/* Buffers and nodes that gradients by the concat would pass to. */
static zc_sources sources_of(const zc_node *node)
{
    zc_sources sources = {.nodes = zc_source_bit(node->serial)};
    for (int k = 0; k < node->edge_count; k++) {
        const zc_node *operand = node->edges[k].node;
        if (!zc_node_has_gradients(operand))
            continue;
        sources.nodes |= zc_source_bit(operand->serial);
        zc_sources_add(&sources, zc_node_data(operand));
    }
    return sources;
}

/* False where there is no memory, or where a plan is to tell that the work stops. */
static bool join(const zc_context *ctx, zc_node *node)
{
    const int64_t bytes = node->size * (int64_t)zc_dtype_bytes((zc_dtype)node->dtype); /* proven: few */
    if (zc_progress_stops(&ctx->progress) || zc_check_limit(ctx, PART * bytes, NULL) != ZC_OK)
        return false;
    zc_buffer *buffer = zc_buffer_new(ctx->heap, bytes);
    if (buffer == NULL)
        return false;
    copy_operands(node, buffer->memory);
    if (zc_node_has_gradients(node))
        buffer->sources = sources_of(node);
    zc_node_keep(node, buffer);
    zc_buffer_release(buffer);
    return true;
}

void zc_join_small(const zc_tensor *t)
{
    const zc_options *options = &t->ctx->options;
    if (options->recompute || options->executor == ZC_EXECUTOR_REFERENCE)
        return;
    zc_graph_follow_begin();
    zc_node *node = find_concat(t);
    const bool is_joined = node != NULL && may_join(t, node) && join(t->ctx, node);
    if (is_joined)
        (void)zc_node_retain(node);
    zc_graph_follow_end();
    if (!is_joined)
        return;
    zc_kept_add(node);
    zc_node_release(node);
    zc_kept_trim(t->heap);
}
