/*
 * Substitution: nodes recorded anew over other operands.
 *
 * A tensor in a node's place is seen as that node: over its shape, and repeated along its invariant axes. So the
 * node that is recorded anew keeps the invariant axes that it was recorded with, and the axes that it reduces by rule,
 * which the bits of its elements follow from.
 */
#include <string.h>

#include "runtime/graph/keep.h"
#include "runtime/graph/scope.h"
#include "runtime/graph/walk.h"
#include "runtime/record/record.h"
#include "views/compose.h"

static const char function[] = "substitute";

typedef struct substitution {
    zc_context *ctx;
    int n;
    const zc_tensor *const *nodes;
    zc_arena arena;
    zc_walk walk;
    const zc_tensor **shown; /* [walk.count]: what a node is now, over its shape, owned by the scope; NULL: itself */
} substitution;

/* ---- What is put in the place of a node ---- */

/* The axes of a tensor that shows all elements of its node, each once, outermost first in memory: how many have more
 * than one element; -1: it shows others. */
static int order_axes(const zc_tensor *t, int *axes)
{
    int count = 0;
    int64_t dense = 1;
    const int64_t *stride = zc_strides(t);
    for (int a = 0; a < t->rank; a++) {
        int at = count;
        if (t->dims[a] == 1)
            continue;
        for (; at > 0 && stride[axes[at - 1]] < stride[a]; at--)
            axes[at] = axes[at - 1];
        axes[at] = a;
        count++;
    }
    for (int i = count - 1; i >= 0 && t->size > 0; i--) {
        if (stride[axes[i]] != dense)
            return -1;
        dense *= t->dims[axes[i]]; /* proven: at most the size */
    }
    return t->size == t->node->size ? count : -1;
}

/* `by`, which shows what `node` shows, over the shape of its node. */
static const zc_tensor *turn(const zc_tensor *node, const zc_tensor *by)
{
    int axes[ZC_MAX_RANK], count = order_axes(node, axes);
    if (count < 0) {
        (void)zc_fail(node->ctx, ZC_ERROR_ARGUMENT, function,
                      "a tensor to be replaced shows all elements of what was recorded, each once");
        return NULL;
    }
    for (int a = 0; a < node->rank; a++) {
        if (node->dims[a] == 1)
            axes[count++] = a;
    }
    return zc_reshape(zc_permute_dims(by, count, axes), node->node->rank, node->node->shape);
}

/* Repeats the first elements along the invariant axes of a node. */
static const zc_tensor *repeat(const zc_node *node, const zc_tensor *t)
{
    for (int a = 0; a < node->rank; a++)
        t = (node->invariant >> a & 1) != 0 ? zc_slice(t, a, 0, 1, 1) : t;
    return node->invariant == 0 ? t : zc_broadcast_to(t, node->rank, node->shape);
}

static zc_status check_pair(const zc_tensor *node, const zc_tensor *by, int i)
{
    char expected[ZC_SHAPE_TEXT], other[ZC_SHAPE_TEXT];
    if (zc_dtype_of(by) != zc_dtype_of(node))
        return zc_fail(node->ctx, ZC_ERROR_DTYPE, function, "by[%d] is of %s, but nodes[%d] of %s", i,
                       zc_dtype_name(zc_dtype_of(by)), i, zc_dtype_name(zc_dtype_of(node)));
    if (!zc_shape_equal(by->rank, by->dims, node->rank, node->dims))
        return zc_fail(node->ctx, ZC_ERROR_SHAPE, function, "by[%d] has shape %s, but nodes[%d] %s", i,
                       zc_shape_text(other, sizeof other, by->rank, by->dims), i,
                       zc_shape_text(expected, sizeof expected, node->rank, node->dims));
    return ZC_OK;
}

/* Stores positions, which contractions read from memory. */
static const zc_tensor *store_positions(const zc_tensor *by)
{
    const bool is_held = by->node->kind == ZC_NODE_IOTA;
    return is_held ? zc_tensor_of_node(by->ctx, zc_record_copy(by), function) : zc_astype(by, zc_dtype_of(by));
}

static zc_status replace(substitution *s, const zc_tensor *const *by)
{
    for (int i = 0; i < s->n; i++) {
        const zc_tensor *node = s->nodes[i];
        const zc_status status = check_pair(node, by[i], i);
        if (status != ZC_OK)
            return status;
        const zc_tensor *shown = repeat(node->node, turn(node, store_positions(by[i])));
        if (shown == NULL)
            return zc_error_status(s->ctx);
        const int32_t place = zc_walk_place(&s->walk, node->node);
        if (place >= 0)
            s->shown[place] = shown;
    }
    return ZC_OK;
}

/* ---- What is made of it ---- */

/* Finds what a view over a node shows, over what is in the node's place; false after a failure. */
static bool see(substitution *s, zc_node *node, const zc_view *view, zc_node **now, zc_view *out)
{
    zc_view shown;
    const zc_tensor **t = &s->shown[zc_walk_place(&s->walk, node)];
    *now = node;
    zc_view_copy(view, out);
    if (*t == NULL)
        return true;
    zc_tensor_view(*t, &shown);
    if (!zc_view_compose(&shown, view, out)) {
        *t = zc_tensor_of_node(s->ctx, zc_record_copy(*t), function);
        zc_view_copy(view, out);
    }
    *now = *t == NULL ? NULL : (*t)->node;
    return *t != NULL;
}

/* Along the taken axes, too, which stand behind the others. */
static bool see_operand(substitution *s, const zc_node *node, int i, zc_node **now, zc_view *out)
{
    zc_view view;
    zc_node_edge_view(node, i, &view);
    for (int k = 0; node->kind == ZC_NODE_TAKE && i == 0 && k + 1 < node->edge_count; k++) {
        view.shape[view.rank] = node->taken[k].extent;
        view.stride[view.rank++] = node->taken[k].stride;
    }
    return see(s, node->edges[i].node, &view, now, out);
}

/* A node that is recorded anew. */
typedef struct copy {
    substitution *s;
    const zc_node *node;
    zc_node **operands; /* [edge_count] */
    zc_view *views;     /* [edge_count] */
} copy;

/* zc_edge_source */
static void show_operand(const void *user, int i, zc_node **node, zc_view *view)
{
    const copy *c = user;
    *node = c->operands[i];
    zc_view_copy(&c->views[i], view);
}

static zc_node_spec describe(const zc_node *node)
{
    zc_node_spec spec = {.kind = (zc_node_kind)node->kind,
                         .op = node->op,
                         .dtype = (zc_dtype)node->dtype,
                         .rank = node->rank,
                         .shape = node->shape,
                         .size = node->size,
                         .edge_count = node->edge_count,
                         .is_weak = node->is_weak,
                         .is_explicit_copy = node->is_explicit_copy,
                         .is_constant = node->is_constant};
    if (node->kind == ZC_NODE_SCATTER) {
        const zc_scattered *scattered = node->scattered;
        spec.taken = scattered->moved;
        spec.taken_count = scattered->moved_count;
        spec.named = (zc_take_kind)scattered->named;
        spec.has_base = scattered->has_base != 0;
        spec.is_assigned = scattered->is_assigned;
    } else if (node->kind != ZC_NODE_TAKE && node->kind != ZC_NODE_CONCAT && node->kind != ZC_NODE_MAP) {
        spec.reduced = node->reduced;
    }
    return spec;
}

/* Sets what a node of its kind has besides: NULL after a failure. */
static zc_node *make(const copy *c, zc_edge *edges, zc_taken_axis *taken)
{
    zc_view place;
    const zc_node *node = c->node;
    zc_node_spec spec = describe(node);
    for (int i = 0; i < node->edge_count; i++)
        edges[i] = zc_edge_of(c->operands[i], &c->views[i]);
    spec.edges = edges;
    if (node->kind == ZC_NODE_CONCAT) {
        spec.source = show_operand;
        spec.user = c;
    } else if (node->kind == ZC_NODE_TAKE) {
        for (int k = 0; k + 1 < node->edge_count; k++) {
            taken[k] = node->taken[k];
            taken[k].stride = c->views[0].stride[node->rank + k];
        }
        spec.taken = taken;
        spec.taken_count = node->edge_count - 1;
    } else if (node->kind == ZC_NODE_SCATTER) {
        zc_node_place(node, &place);
        spec.place = spec.domain = &place;
    } else if (zc_node_has_domain((zc_node_kind)node->kind)) {
        spec.domain = &c->views[0];
    }
    zc_node *made = zc_node_new(c->s->ctx->heap, &spec);
    if (made == NULL)
        return NULL;
    made->invariant = node->invariant;
    if (node->kind == ZC_NODE_REDUCE || node->kind == ZC_NODE_CONTRACT)
        made->by_rule = node->by_rule;
    return made;
}

static zc_status record(substitution *s, int32_t place)
{
    const zc_node *node = s->walk.nodes[place];
    const size_t count = (size_t)node->edge_count;
    copy c = {.s = s,
              .node = node,
              .operands = zc_arena_take(&s->arena, count, sizeof *c.operands),
              .views = zc_arena_take(&s->arena, count, sizeof *c.views)};
    zc_edge *edges = zc_arena_take(&s->arena, count, sizeof *edges);
    zc_taken_axis *taken = zc_arena_take(&s->arena, count, sizeof *taken);
    if (s->arena.failed)
        return zc_fail_memory(s->ctx, function);
    for (int i = 0; i < node->edge_count; i++) {
        if (!see_operand(s, node, i, &c.operands[i], &c.views[i]))
            return zc_error_status(s->ctx);
    }
    s->shown[place] = zc_tensor_of_node(s->ctx, make(&c, edges, taken), function);
    zc_arena_give_back(&s->arena, c.views, count, sizeof *c.views);
    return s->shown[place] != NULL ? ZC_OK : zc_error_status(s->ctx);
}

/* zc_walk_ends */
static bool is_replaced(const void *user, const zc_node *node)
{
    const substitution *s = user;
    bool is_one = false;
    for (int i = 0; i < s->n && !is_one; i++)
        is_one = s->nodes[i]->node == node;
    return is_one;
}

static bool has_changed(const substitution *s, const zc_node *node)
{
    bool changed = false;
    if (zc_asked_data(node) != NULL)
        return false;
    for (int i = 0; i < node->edge_count && !changed; i++) {
        changed = s->shown[zc_walk_place(&s->walk, node->edges[i].node)] != NULL;
    }
    return changed;
}

static zc_status find_nodes(substitution *s, int count, const zc_tensor *const *tensors)
{
    const zc_node **from = zc_arena_take(&s->arena, (size_t)count, sizeof *from);
    for (int i = 0; i < count && from != NULL; i++)
        from[i] = tensors[i]->node;
    s->walk = (zc_walk){.arena = &s->arena};
    if (from == NULL || !zc_walk_all(&s->walk, count, from, is_replaced, s))
        return zc_fail_memory(s->ctx, function);
    s->shown = zc_arena_take(&s->arena, (size_t)s->walk.count, sizeof *s->shown);
    if (s->shown == NULL)
        return zc_fail_memory(s->ctx, function);
    for (int32_t n = 0; n < s->walk.count; n++)
        s->shown[n] = NULL;
    return ZC_OK;
}

static zc_status show_results(substitution *s, int count, const zc_tensor *const *tensors, zc_tensor **out)
{
    zc_view view, shown;
    zc_node *node;
    for (int i = 0; i < count; i++) {
        zc_tensor_view(tensors[i], &view);
        zc_tensor *t = see(s, tensors[i]->node, &view, &node, &shown)
                           ? zc_tensor_new(s->ctx, zc_node_retain(node), &shown, function)
                           : NULL;
        if (t == NULL)
            return zc_error_status(s->ctx);
        out[i] = t;
    }
    return ZC_OK;
}

static zc_status substitute(substitution *s, int count, const zc_tensor *const *tensors, const zc_tensor *const *by,
                            zc_tensor **out)
{
    zc_status status = find_nodes(s, count, tensors);
    if (status == ZC_OK)
        status = replace(s, by);
    for (int32_t n = 0; n < s->walk.count && status == ZC_OK; n++) {
        if (s->shown[n] == NULL && has_changed(s, s->walk.nodes[n]))
            status = record(s, n);
    }
    return status == ZC_OK ? show_results(s, count, tensors, out) : status;
}

/* ---- The call ---- */

static zc_status check_arguments(int count, const zc_tensor *const *tensors, int n, const zc_tensor *const *nodes,
                                 const zc_tensor *const *by, zc_tensor **out)
{
    if (count < 1 || n < 0 || out == NULL)
        return zc_fail(NULL, ZC_ERROR_ARGUMENT, function, "there are no tensors, or nowhere to put the results");
    if (zc_refuse_lost_in_list(NULL, function, "tensors", count, tensors))
        return ZC_ERROR_ARGUMENT;
    zc_context *ctx = tensors[0]->ctx;
    if (zc_refuse_lost_in_list(ctx, function, "nodes", n, nodes) || zc_refuse_lost_in_list(ctx, function, "by", n, by))
        return ZC_ERROR_ARGUMENT;
    bool is_one = true;
    for (int i = 0; i < count; i++)
        is_one &= tensors[i]->ctx == ctx;
    for (int i = 0; i < n; i++)
        is_one &= nodes[i]->ctx == ctx && by[i]->ctx == ctx;
    return is_one ? ZC_OK
                  : zc_fail(ctx, ZC_ERROR_ARGUMENT, function,
                            "operands belong to different contexts; zc_adopt brings them together");
}

zc_status zc_substitute(int count, const zc_tensor *const *tensors, int n, const zc_tensor *const *nodes,
                        const zc_tensor *const *by, zc_tensor **out)
{
    for (int i = 0; out != NULL && i < count; i++)
        out[i] = NULL;
    zc_status status = check_arguments(count, tensors, n, nodes, by, out);
    zc_scope *scope = status == ZC_OK ? zc_scope_begin(tensors[0]->ctx) : NULL;
    if (scope == NULL)
        return status == ZC_OK ? zc_error_status(tensors[0]->ctx) : status;
    substitution s = {.ctx = tensors[0]->ctx, .n = n, .nodes = nodes};
    zc_arena_init(&s.arena, s.ctx->heap);
    zc_graph_follow_begin();
    status = substitute(&s, count, tensors, by, out);
    zc_graph_follow_end();
    zc_arena_free(&s.arena);
    for (int i = 0; i < count; i++)
        out[i] = status == ZC_OK ? zc_keep_outside(out[i]) : NULL;
    zc_scope_end(scope);
    return status;
}
