/* A graph that was written, recorded anew: its nodes one after the other, then its results. */
#include <string.h>

#include "runtime/graph/scope.h"
#include "runtime/serialize/restore_moves.h"

static const char function[] = "deserialize";

/* ---- All nodes ---- */

static zc_status read_head(zc_reader *r, zc_described *n)
{
    zc_reason why;
    const int64_t *words = zc_read_words(r, ZC_SERIAL_NODE);
    if (words == NULL)
        return ZC_ERROR_FORMAT;
    *n = (zc_described){.kind = (int)(words[0] & 0xff),
                        .op = (int)(words[0] >> 8 & 0xff),
                        .dtype = (zc_dtype)(words[0] >> 16 & 0xff),
                        .is_weak = (words[0] >> 24 & 1) != 0,
                        .is_explicit_copy = (words[0] >> 25 & 1) != 0,
                        .is_constant = (words[0] >> 26 & 1) != 0,
                        .operand_count = words[0] >> 32,
                        .rank = (int)(words[1] & 0xff),
                        .domain_rank = (int)(words[1] >> 8 & 0xff)};
    if (!zc_dtype_is_valid(n->dtype) || n->rank > ZC_MAX_RANK || n->domain_rank > ZC_MAX_RANK || n->operand_count < 0)
        return zc_read_refuse(r, "is no node");
    n->shape = zc_read_words(r, n->rank);
    if (n->shape == NULL)
        return ZC_ERROR_FORMAT;
    return zc_shape_size(n->rank, n->shape, &n->size, &why) == ZC_OK ? ZC_OK : zc_read_refuse_because(r, &why);
}

/* Tells whether the recorded tensor is a node as described, all of it in its own order. Inputs always are. */
static bool is_as_described(const zc_tensor *t, const zc_described *n)
{
    zc_view view;
    const zc_node *node = t->node;
    if (n->kind == ZC_NODE_LEAF)
        return true;
    zc_tensor_view(t, &view);
    return node->kind == n->kind && node->dtype == n->dtype && zc_view_is_identity(&view, node->size) &&
           zc_shape_equal(node->rank, node->shape, n->rank, n->shape);
}

static zc_status read_node(zc_reader *r)
{
    static zc_tensor *(*const restore[])(zc_reader *, const zc_described *) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign) [ZC_NODE_##NAME] = zc_restore_##name,
#define ZC_COMPUTED_NODE                                                 ZC_GIVEN_NODE
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    zc_described n;
    zc_status status = read_head(r, &n);
    if (status != ZC_OK)
        return status;
    if (n.kind >= (int)(sizeof restore / sizeof *restore))
        return zc_read_refuse(r, "is of no kind that there is");
    zc_tensor *t = restore[n.kind](r, &n);
    if (t == NULL)
        return zc_error_status(r->ctx);
    if (!is_as_described(t, &n))
        return zc_read_refuse(r, "is not what its operands make");
    r->nodes[r->node_count++] = (zc_restored){zc_node_retain(t->node), t->offset, n.size};
    return ZC_OK;
}

static zc_status read_nodes(zc_reader *r, int64_t count)
{
    zc_status status = ZC_OK;
    for (r->number = 0; r->number < count && status == ZC_OK; r->number++) {
        zc_scope *scope = zc_scope_begin(r->ctx);
        if (scope == NULL)
            return zc_error_status(r->ctx);
        status = read_node(r);
        zc_scope_end(scope);
    }
    return status;
}

/* ---- Results ---- */

static zc_status read_result(zc_reader *r, zc_tensor **out)
{
    zc_view view;
    zc_node *node = NULL;
    const int64_t *words = zc_read_words(r, 2);
    if (words == NULL)
        return ZC_ERROR_FORMAT;
    if (words[1] < 0 || words[1] > ZC_MAX_RANK)
        return zc_read_refuse(r, "has too many axes");
    const int64_t *shape = zc_read_words(r, 2 * words[1] + 1);
    if (shape == NULL)
        return ZC_ERROR_FORMAT;
    zc_status status = zc_read_view(r, words[0], (int)words[1], shape, shape + words[1], &node, &view);
    if (status != ZC_OK)
        return status;
    *out = zc_tensor_new(r->ctx, zc_node_retain(node), &view, function);
    return *out != NULL ? ZC_OK : zc_error_status(r->ctx);
}

static zc_status read_results(zc_reader *r, int count, zc_tensor **out)
{
    zc_status status = ZC_OK;
    r->what = "result";
    for (r->number = 0; r->number < count && status == ZC_OK; r->number++)
        status = read_result(r, &out[r->number]);
    if (status == ZC_OK && r->at != r->end)
        status = zc_fail(r->ctx, ZC_ERROR_FORMAT, function, "there is more after the last result");
    for (int i = 0; i < count && status != ZC_OK; i++) {
        zc_release(out[i]);
        out[i] = NULL;
    }
    return status;
}

/* ---- The call ---- */

static zc_status read_counts(zc_reader *r, int count, int64_t *nodes)
{
    const int64_t *head = r->at;
    if (r->end - r->at < ZC_SERIAL_HEAD || head[0] != ZC_SERIAL_MAGIC)
        return zc_fail(r->ctx, ZC_ERROR_FORMAT, function, "these bytes are no graph of a machine with this byte order");
    if (head[1] != ZC_SERIAL_VERSION)
        return zc_fail(r->ctx, ZC_ERROR_FORMAT, function, "the graph is of version %lld, not of %d", (long long)head[1],
                       ZC_SERIAL_VERSION);
    if (head[2] < 1 || head[2] > r->end - r->at)
        return zc_fail(r->ctx, ZC_ERROR_FORMAT, function, "%lld nodes are more than the bytes hold",
                       (long long)head[2]);
    if (head[3] != r->input_count || head[4] != count)
        return zc_fail(r->ctx, ZC_ERROR_ARGUMENT, function, "the graph has %lld inputs and %lld results, not %d and %d",
                       (long long)head[3], (long long)head[4], r->input_count, count);
    *nodes = head[2];
    r->at += ZC_SERIAL_HEAD;
    return ZC_OK;
}

static zc_status read_all(zc_reader *r, int count, zc_tensor **out)
{
    int64_t nodes = 0;
    zc_status status = read_counts(r, count, &nodes);
    if (status != ZC_OK)
        return status;
    const size_t bytes = (size_t)nodes * sizeof *r->nodes; /* proven: at most as many as words */
    r->nodes = zc_heap_take(r->ctx->heap, bytes);
    if (r->nodes == NULL)
        return zc_fail_memory(r->ctx, function);
    status = read_nodes(r, nodes);
    if (status == ZC_OK)
        status = read_results(r, count, out);
    for (int64_t i = 0; i < r->node_count; i++)
        zc_node_release(r->nodes[i].node);
    zc_heap_give(r->ctx->heap, r->nodes, bytes);
    return status;
}

static zc_status check_arguments(zc_context *ctx, const void *bytes, size_t size, int input_count,
                                 const zc_tensor *const *inputs, int count, zc_tensor **out)
{
    if (bytes == NULL || size == 0 || size % sizeof(int64_t) != 0 || input_count < 0 ||
        (input_count > 0 && inputs == NULL) || count < 1 || out == NULL)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, function, "%zu bytes with %d inputs make no %d results", size,
                       input_count, count);
    return zc_refuse_lost_in_list(ctx, function, "inputs", input_count, inputs) ? ZC_ERROR_ARGUMENT : ZC_OK;
}

zc_status zc_deserialize(zc_context *ctx, const void *bytes, size_t size, int input_count,
                         const zc_tensor *const *inputs, int count, zc_tensor **out)
{
    for (int i = 0; out != NULL && i < count; i++)
        out[i] = NULL;
    if (zc_refuse_no_context(ctx, function))
        return ZC_ERROR_ARGUMENT;
    zc_status status = check_arguments(ctx, bytes, size, input_count, inputs, count, out);
    if (status != ZC_OK)
        return status;
    int64_t *words = zc_heap_take(ctx->heap, size); /* a copy, which is aligned and nobody changes */
    if (words == NULL)
        return zc_fail_memory(ctx, function);
    memcpy(words, bytes, size);
    zc_reader r = {.ctx = ctx,
                   .what = "node",
                   .at = words,
                   .end = words + size / sizeof *words,
                   .input_count = input_count,
                   .inputs = inputs};
    status = read_all(&r, count, out);
    zc_heap_give(ctx->heap, words, size);
    return status;
}
