/*
 * Reverse mode over recorded graphs. The nodes between y and what it is differentiated by are visited from y down; each
 * hands the gradient of its elements on to its operands, by its rule and then back through the view of the edge. All of
 * it is recorded, so a gradient is a lazy tensor like any other: it is fused, sliced, differentiated again, and of a
 * broadcast nothing is ever held but the sum.
 *
 * Invariant: the gradient kept for a node has the node's shape.
 */
#include "runtime/gradient/gradient.h"

#include <string.h>

#include "runtime/dtypes/float_environment.h"
#include "runtime/gradient/gradient_contract.h"
#include "runtime/gradient/gradient_nodes.h"
#include "runtime/gradient/gradient_views.h"
#include "runtime/gradient/variable.h"
#include "runtime/graph/history.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/scope.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/table.h"

static const char vjp[] = "vjp";

/* ---- The nodes between ---- */

/* Why elements of a gradient may be zero: nothing was handed to them, which no slope turns into anything else. */
typedef enum zeros {
    NO_ZEROS,
    UNSEEN, /* no consumer's view shows them, or further away a choice was made */
    CHOSEN  /* an operation chose another element */
} zeros;

typedef struct visited {
    const zc_node *node;
    zc_node *origin;     /* a reference, of a leaf that has one (history.h): its only operand, of the same elements */
    zc_tensor *gradient; /* so far, or NULL: nothing has come */
    zeros zeros;         /* of the gradient so far */
    bool is_wanted;      /* it is differentiated by, or one of its operands is, or it is cut */
    bool is_cut;         /* its elements may be computed from what it is differentiated by, but it has no operands */
} visited;

typedef struct visit {
    const zc_node *node;
    zc_node *origin; /* likewise */
    int edge;        /* to look at next */
} visit;

typedef struct walk {
    zc_context *ctx;
    const char *caller; /* the function that errors speak of */
    bool gives_zeros;   /* by what y does not depend on */
    zc_arena arena;
    zc_table table; /* of the nodes, by address */
    visited *nodes; /* operands before their users */
    visit *stack;
    int32_t count, depth;
    int32_t node_room, stack_room;
    uint64_t first; /* serial of the first recorded of those that are differentiated by: what was recorded before cannot
                       depend on any and is not walked, or each step of a loop would walk all steps before it */
} walk;

static int32_t find(const walk *w, const zc_node *node)
{
    size_t cursor = 0;
    int32_t at;
    do {
        at = zc_table_next(&w->table, zc_hash_word(0, (uint64_t)(uintptr_t)node), &cursor);
    } while (at >= 0 && w->nodes[at].node != node); /* LCOV_EXCL_BR_LINE: it differs only where hashes collide */
    return at;
}

static bool push(walk *w, const zc_node *node)
{
    void *stack = w->stack;
    if (!zc_arena_make_room(&w->arena, &stack, w->depth, &w->stack_room, sizeof *w->stack))
        return false;
    w->stack = stack;
    w->stack[w->depth++] = (visit){.node = node, .origin = node->serial > w->first ? zc_history_origin(node) : NULL};
    return true;
}

/* Integers and bool hand nothing on. */
static bool hands_on(const zc_node *node)
{
    return zc_dtype_describe((zc_dtype)node->dtype)->kind >= ZC_KIND_FLOAT;
}

static bool is_float(const zc_node *node)
{
    return zc_dtype_describe((zc_dtype)node->dtype)->kind == ZC_KIND_FLOAT;
}

static bool is_target(const zc_node *node, int count, const zc_tensor *const *x)
{
    for (int i = 0; i < count; i++) {
        if (x[i]->node == node)
            return true;
    }
    return false;
}

/* Number of operands that gradients go on to. */
static int operand_count(const walk *w, const zc_node *node, const zc_node *origin)
{
    if (node->serial <= w->first || node->is_constant || zc_node_gave_up(node))
        return 0;
    return origin != NULL ? 1 : node->edge_count;
}

static const zc_node *operand_of(const zc_node *node, const zc_node *origin, int i)
{
    return origin != NULL ? origin : node->edges[i].node;
}

static bool is_cut(const walk *w, const zc_node *node, int count, const zc_tensor *const *x)
{
    for (int i = 0; i < count && node->serial > w->first && hands_on(node); i++) {
        if (x[i]->node != node && zc_gradient_is_cut(node, x[i]))
            return true;
    }
    return false;
}

/* All operands of the node have been visited. */
static bool add_node(walk *w, const zc_node *node, zc_node **origin, int count, const zc_tensor *const *x)
{
    void *nodes = w->nodes;
    if (!zc_arena_make_room(&w->arena, &nodes, w->count, &w->node_room, sizeof *w->nodes))
        return false;
    w->nodes = nodes;
    if (!zc_table_add(&w->table, zc_hash_word(0, (uint64_t)(uintptr_t)node), w->count))
        return false;
    visited v = {.node = node, .origin = *origin, .is_wanted = is_target(node, count, x)};
    for (int i = 0; i < operand_count(w, node, *origin) && !v.is_wanted && hands_on(node); i++)
        v.is_wanted = w->nodes[find(w, operand_of(node, *origin, i))].is_wanted;
    v.is_cut = (!v.is_wanted || zc_node_gave_up(node)) && *origin == NULL && is_cut(w, node, count, x);
    *origin = NULL;
    v.is_wanted = v.is_wanted || v.is_cut;
    w->nodes[w->count++] = v;
    return true;
}

/* Depth first: the stack is the way down to the node on top, which has not been visited. */
static bool visit_all(walk *w, const zc_node *from, int count, const zc_tensor *const *x)
{
    bool ok = push(w, from);
    while (ok && w->depth > 0) {
        visit *top = &w->stack[w->depth - 1];
        const zc_node *node = top->node;
        if (top->edge < operand_count(w, node, top->origin)) {
            const zc_node *operand = operand_of(node, top->origin, top->edge++);
            ok = find(w, operand) >= 0 || push(w, operand);
        } else {
            ok = add_node(w, node, &top->origin, count, x);
            w->depth -= ok;
        }
    }
    for (int32_t i = 0; i < w->depth; i++) /* after a failure */
        zc_node_release(w->stack[i].origin);
    return ok;
}

/* ---- Going back ---- */

/* Adds to what has come to a node. The handle is kept out of the scopes that come and go. */
static bool gain(visited *v, zc_tensor *more, zeros of_more)
{
    if (more == NULL)
        return false;
    v->zeros = of_more > v->zeros ? of_more : v->zeros;
    zc_tensor *sum = v->gradient == NULL ? more : zc_add(v->gradient, more);
    if (sum == NULL)
        return false;
    (void)zc_keep(sum);
    if (v->gradient != NULL)
        zc_release(v->gradient);
    v->gradient = sum;
    return true;
}

static const zc_tensor *handle(zc_context *ctx, const zc_node *node, const zc_view *view)
{
    return zc_tensor_new(ctx, zc_node_retain((zc_node *)(uintptr_t)node), view, vjp);
}

/* Handles on what the rule of a node speaks of. */
static bool look_at(walk *w, const visited *v, zc_backward *b)
{
    zc_view view;
    *b = (zc_backward){.ctx = w->ctx, .node = v->node, .gradient = v->gradient};
    zc_view_row_major(v->node->rank, v->node->shape, &view);
    b->result = handle(w->ctx, v->node, &view);
    bool ok = b->result != NULL;
    for (int i = 0; i < v->node->edge_count && i < ZC_MAX_ARITY && ok; i++) {
        zc_node_edge_view(v->node, i, &view);
        b->operand[i] = handle(w->ctx, v->node->edges[i].node, &view);
        ok = b->operand[i] != NULL;
    }
    return ok;
}

/* Tells whether a view shows every element of a node. */
static bool shows_all(const zc_view *view, const zc_node *node)
{
    zc_view seen;
    zc_view_drop_axes(view, zc_view_broadcast_axes(view), &seen);
    return zc_view_size(&seen) >= node->size;
}

/* Zeros of a gradient that is handed on through a view, when it has those of `from` before. */
static zeros zeros_through(zeros from, const zc_view *view, const zc_node *operand)
{
    return from == NO_ZEROS && !shows_all(view, operand) ? UNSEEN : from;
}

/* Zero where the gradient is zero and the slope infinite or NaN. What is a number stays as it is, so that it can be
 * differentiated again. */
static zc_tensor *guarded(const visited *v, const zc_backward *b, zc_differentiable kind, zc_tensor *handed)
{
    bool is_needed =
        v->zeros == CHOSEN ? kind != ZC_GRADIENT_PASSED : v->zeros == UNSEEN && kind == ZC_GRADIENT_SINGULAR;
    if (!is_needed || (v->node->kind != ZC_NODE_MAP && v->node->kind != ZC_NODE_REDUCE))
        return handed;
    const zc_tensor *g = v->node->kind == ZC_NODE_REDUCE ? zc_gradient_expand(b, b->gradient) : b->gradient;
    zc_tensor *is_lost = zc_logical_and(zc_equal(g, zc_weak_float(b->ctx, 0)), zc_isnan(handed));
    return zc_where(is_lost, zc_weak_float(b->ctx, 0), handed);
}

static bool hand_on(walk *w, const visited *v, const zc_backward *b, zc_differentiable kind, zc_gradient_rule *rule)
{
    const zc_node *node = v->node;
    const zeros from = kind == ZC_GRADIENT_CHOICE ? CHOSEN : v->zeros;
    bool ok = true;
    for (int i = 0; i < node->edge_count && ok; i++) {
        visited *operand = &w->nodes[find(w, node->edges[i].node)];
        zc_view edge;
        zc_node_edge_view(node, i, &edge);
        if (!operand->is_wanted || zc_view_size(&edge) == 0)
            continue;
        zc_tensor *handed = guarded(v, b, kind, rule(b, i));
        ok = gain(operand, zc_gradient_place(handed, &edge, operand->node, NULL),
                  zeros_through(from, &edge, operand->node));
    }
    return ok;
}

/* Hands the gradient of taken elements to the places they were taken from. Positions are integers and get none; nodes
 * without elements never get here. */
static bool hand_on_taken(walk *w, const visited *v, const zc_backward *b)
{
    const zc_node *node = v->node;
    visited *operand = &w->nodes[find(w, node->edges[0].node)];
    zc_view edge;
    zc_node_edge_view(node, 0, &edge);
    return gain(operand, zc_gradient_place(b->gradient, &edge, operand->node, node),
                v->zeros == CHOSEN ? CHOSEN : UNSEEN);
}

static bool hand_on_contracted(walk *w, const visited *v, const zc_backward *b)
{
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        visited *operand = &w->nodes[find(w, v->node->edges[i].node)];
        zc_view edge;
        zc_node_edge_view(v->node, i, &edge);
        if (operand->is_wanted && zc_view_size(&edge) > 0)
            ok = gain(operand, zc_gradient_of_contract(b, i),
                      zeros_through(v->zeros == NO_ZEROS ? NO_ZEROS : UNSEEN, &edge, operand->node));
    }
    return ok;
}

/* Refuses complex operands: a function of complex numbers has more than one derivative, and the rules are for real
 * ones. */
static bool refuse_complex(walk *w, const visited *v)
{
    for (int i = 0; i < v->node->edge_count; i++) {
        const visited *operand = &w->nodes[find(w, v->node->edges[i].node)];
        zc_dtype dtype = (zc_dtype)operand->node->dtype;
        if (!operand->is_wanted || !zc_dtype_is_complex(dtype))
            continue;
        (void)zc_fail(w->ctx, ZC_ERROR_DTYPE, w->caller, "y depends on x by way of %s; real numbers have gradients",
                      zc_dtype_name(dtype));
        return true;
    }
    return false;
}

/* Refuses elements that were computed without their history: a gradient would be cut in silence. */
static bool refuse_cut(walk *w)
{
    (void)zc_fail(
        w->ctx, ZC_ERROR_ARGUMENT, w->caller,
        "y depends on elements that may have been computed from x and have forgotten it, since a call computed "
        "them at once or wrote to them; make x by variable() before, or hold them constant by "
        "stop_gradient()");
    return false;
}

static bool step_back(walk *w, const visited *v)
{
    if (v->is_cut)
        return refuse_cut(w);
    if (operand_count(w, v->node, v->origin) == 0) /* what is differentiated by */
        return true;
    if (v->origin != NULL)
        return gain(&w->nodes[find(w, v->origin)], zc_reshape(v->gradient, v->origin->rank, v->origin->shape),
                    v->zeros);
    if (refuse_complex(w, v))
        return false;
    zc_gradient_rule *rule;
    zc_differentiable kind = zc_gradient_find(v->node, &rule);
    if (kind == ZC_GRADIENT_NONE) { /* only an operation has none */
        (void)zc_fail(w->ctx, ZC_ERROR_ARGUMENT, w->caller, "%s has no gradient",
                      zc_op_describe((zc_op)v->node->op)->name);
        return false;
    }
    if (kind == ZC_GRADIENT_ZERO)
        return true;
    zc_scope *scope = zc_scope_begin(w->ctx);
    zc_backward b;
    bool ok = scope != NULL && look_at(w, v, &b);
    if (ok && kind == ZC_GRADIENT_TAKEN)
        ok = hand_on_taken(w, v, &b);
    else if (ok && kind == ZC_GRADIENT_CONTRACTED)
        ok = hand_on_contracted(w, v, &b);
    else if (ok)
        ok = hand_on(w, v, &b, kind, rule);
    zc_scope_end(scope);
    return ok;
}

/* ---- The calls ---- */

static zc_status check_operands(const char *caller, const zc_tensor *y, const zc_tensor *delta, int count,
                                const zc_tensor *const *x)
{
    zc_context *ctx = y->ctx;
    char own[ZC_SHAPE_TEXT], other[ZC_SHAPE_TEXT];
    if (!is_float(y->node))
        return zc_fail(ctx, ZC_ERROR_DTYPE, caller, "y is %s; floats have gradients", zc_dtype_name(zc_dtype_of(y)));
    bool is_foreign = delta != NULL && delta->ctx != ctx;
    for (int i = 0; i < count; i++)
        is_foreign = is_foreign || x[i]->ctx != ctx;
    if (is_foreign)
        return zc_fail(ctx, ZC_ERROR_ARGUMENT, caller,
                       "operands belong to different contexts; zc_adopt brings them together");
    if (delta != NULL && !zc_shape_equal(delta->rank, delta->dims, y->rank, y->dims))
        return zc_fail(ctx, ZC_ERROR_SHAPE, caller, "delta has shape %s, but y has %s",
                       zc_shape_text(other, sizeof other, delta->rank, delta->dims),
                       zc_shape_text(own, sizeof own, y->rank, y->dims));
    for (int i = 0; i < count; i++) {
        zc_view view;
        zc_tensor_view(x[i], &view);
        if (!is_float(x[i]->node))
            return zc_fail(ctx, ZC_ERROR_DTYPE, caller, "x is %s; floats have gradients",
                           zc_dtype_name(zc_dtype_of(x[i])));
        if (zc_view_broadcast_axes(&view) != 0 && x[i]->size > 0)
            return zc_fail(ctx, ZC_ERROR_ARGUMENT, caller,
                           "x of shape %s repeats elements, as constants do; take variable() of it, or what it was "
                           "broadcast from",
                           zc_shape_text(own, sizeof own, x[i]->rank, x[i]->dims));
    }
    return ZC_OK;
}

/* The gradient that y itself begins with. */
static bool begin(walk *w, const zc_tensor *y, const zc_tensor *delta)
{
    visited *last = &w->nodes[w->count - 1];
    zc_view view;
    if (!last->is_wanted || y->size == 0)
        return true;
    zc_scope *scope = zc_scope_begin(w->ctx);
    if (scope == NULL)
        return false;
    zc_tensor *start =
        delta == NULL ? zc_full(w->ctx, y->rank, y->dims, zc_dtype_of(y), 1) : zc_astype(delta, zc_dtype_of(y));
    zc_tensor_view(y, &view);
    bool ok = gain(last, zc_gradient_place(start, &view, y->node, NULL),
                   zeros_through(delta == NULL ? NO_ZEROS : UNSEEN, &view, y->node));
    zc_scope_end(scope);
    return ok;
}

/* x's gradient is what x shows of its node's. */
static zc_tensor *finish(const walk *w, const zc_tensor *x)
{
    int32_t at = find(w, x->node);
    zc_view view;
    zc_tensor_view(x, &view);
    if (at >= 0 && w->nodes[at].gradient != NULL)
        return zc_gradient_see(w->nodes[at].gradient, &view);
    if (w->gives_zeros || at >= 0) /* the derivative of an operation between them is 0 */
        return zc_full(w->ctx, x->rank, x->dims, zc_dtype_of(x), 0);
    (void)zc_fail(w->ctx, ZC_ERROR_ARGUMENT, w->caller,
                  "y does not depend on x, or through stop_gradient() alone; vjp() gives zeros");
    return NULL;
}

static bool run(walk *w, const zc_tensor *y, const zc_tensor *delta, int count, const zc_tensor *const *x,
                zc_tensor **out)
{
    w->first = UINT64_MAX;
    for (int i = 0; i < count; i++)
        w->first = x[i]->node->serial < w->first ? x[i]->node->serial : w->first;
    if (!visit_all(w, y->node, count, x)) {
        (void)zc_fail_memory(w->ctx, w->caller);
        return false;
    }
    bool ok = begin(w, y, delta);
    for (int32_t at = w->count - 1; at >= 0 && ok; at--) {
        const visited *v = &w->nodes[at];
        if (v->is_wanted && v->gradient != NULL && v->node->serial > w->first)
            ok = step_back(w, v);
    }
    for (int i = 0; i < count && ok; i++) {
        out[i] = finish(w, x[i]);
        ok = out[i] != NULL;
    }
    return ok;
}

static zc_status differentiate(const char *caller, const zc_tensor *y, const zc_tensor *delta, int count,
                               const zc_tensor *const *x, zc_tensor **out)
{
    ZC_DEFAULT_FLOATS();
    for (int i = 0; i < count; i++)
        out[i] = NULL;
    const zc_tensor *others[] = {y, delta, count > 0 ? x[0] : y};
    if (delta == NULL)
        others[1] = y;
    const bool is_lost =
        zc_refuse_lost(caller, "y, delta, x[0]", others, 3) || zc_refuse_lost_in_list(y->ctx, caller, "x", count, x);
    if (is_lost)
        return ZC_ERROR_ARGUMENT;
    zc_status status = check_operands(caller, y, delta, count, x);
    if (status != ZC_OK)
        return status;
    walk w = {.ctx = y->ctx, .caller = caller, .gives_zeros = caller == vjp};
    zc_arena_init(&w.arena, y->ctx->heap);
    w.table.arena = &w.arena;
    zc_graph_follow_begin();
    bool ok = run(&w, y, delta, count, x, out);
    zc_graph_follow_end();
    for (int32_t at = 0; at < w.count; at++) {
        zc_release(w.nodes[at].gradient);
        zc_node_release(w.nodes[at].origin);
    }
    zc_arena_free(&w.arena);
    for (int i = 0; i < count && !ok; i++) {
        zc_release(out[i]);
        out[i] = NULL;
    }
    return ok ? ZC_OK : zc_error_status(y->ctx);
}

zc_status zc_vjp(const zc_tensor *y, const zc_tensor *delta, int count, const zc_tensor *const *x, zc_tensor **out)
{
    if (count < 0 || (count > 0 && (x == NULL || out == NULL)))
        return zc_fail(y != NULL ? y->ctx : NULL, ZC_ERROR_ARGUMENT, vjp, "a list is missing");
    return differentiate(vjp, y, delta, count, x, out);
}

zc_tensor *zc_grad(const zc_tensor *y, const zc_tensor *x)
{
    zc_tensor *gradient = NULL;
    if (ZC_REFUSE_LOST("grad", y, x))
        return NULL;
    return differentiate("grad", y, NULL, 1, &x, &gradient) == ZC_OK ? gradient : NULL;
}
