/* Reading one element without a plan. */
#include <string.h>

#include "materialize/materialize.h"
#include "materialize/plan/memory.h"
#include "materialize/run/few.h"
#include "runtime/graph/keep.h"
#include "runtime/graph/pending.h"
#include "runtime/graph/variables.h"

/* Nodes from which on what was computed stays in memory: a chain that is read at each step is not walked to its end. */
enum { KEPT_FROM = 8 };

static void keep(const zc_tensor *t, const zc_scalar *element, const zc_few *known)
{
    if (t->ctx->options.recompute || t->node->size != 1 || !zc_keep_few(t, element, known))
        return;
    zc_kept_add(t->node);
    zc_kept_trim(t->heap);
}

/* ---- Nodes that are read at many places ---- */

/* Visits that a walk takes at most, and of how many nodes; bytes of a node that is computed sooner than a plan is made.
 */
enum { MOST_VISITS = 128, MOST_VISITED = 32, MOST_BYTES = 1 << 18 };

/* Maps without data below an element, each visited as often as an element of it is read. */
typedef struct visits {
    const zc_node *node[MOST_VISITED];
    int count[MOST_VISITED];
    int nodes, all;
} visits;

static bool note_visit(visits *v, const zc_node *node)
{
    int i = 0;
    while (i < v->nodes && v->node[i] != node)
        i++;
    if (i == MOST_VISITED || v->all == MOST_VISITS)
        return false;
    v->node[i] = node;
    v->count[i] = i < v->nodes ? v->count[i] + 1 : 1;
    v->nodes += i == v->nodes;
    v->all++;
    return true;
}

/* False where there are too many, or something else than maps. */
static bool visit(visits *v, const zc_node *node)
{
    if (zc_node_is_given(node) || zc_node_data(node) != NULL)
        return true;
    if (node->kind != ZC_NODE_MAP || !note_visit(v, node))
        return false;
    int i = 0;
    while (i < node->edge_count && visit(v, node->edges[i].node)) /* recursion: at most MOST_VISITS */
        i++;
    return i == node->edge_count;
}

static bool may_be_kept(zc_context *ctx, const zc_node *node)
{
    const int64_t item = (int64_t)zc_dtype_bytes((zc_dtype)node->dtype);
    return node->size > 1 && node->size <= MOST_BYTES / item && node->heap == ctx->heap && !zc_node_varies(node) &&
           zc_plan_may_buy(ctx, node->size * item); /* proven: at most MOST_BYTES */
}

/* Finds the node that is read most, the highest of several, where one is read more than once. Retained, or NULL. In a
 * loop like d = minimum(d, d[:, k, None] + d[k]) each step reads the one before at other places, which no plan moves
 * to: of what is all in memory below, a plan is found again. */
static zc_node *find_most_read(const zc_tensor *t)
{
    visits v = {.nodes = 0};
    int most = 0;
    if (t->ctx->options.recompute || !visit(&v, t->node))
        return NULL;
    for (int i = 1; i < v.nodes; i++)
        most = v.count[i] > v.count[most] ? i : most;
    const bool is_worth_it = v.count[most] > 1 && may_be_kept(t->ctx, v.node[most]);
    return is_worth_it ? zc_node_retain((zc_node *)(uintptr_t)v.node[most]) : NULL;
}

/* Computes an element, and keeps before what it reads at many places. */
static bool compute(const zc_tensor *t, zc_scalar *value, zc_few *known)
{
    enum { MOST_KEPT = 8 };
    bool is_known = false, goes_on = true;
    for (int i = 0; !is_known && goes_on && i <= MOST_KEPT; i++) {
        zc_graph_follow_begin();
        is_known = zc_compute_element(t, NULL, value, known);
        zc_node *node = !is_known && zc_few_are_many(known) ? find_most_read(t) : NULL;
        zc_graph_follow_end();
        goes_on = node != NULL && zc_compute_kept(t->ctx, node);
        zc_node_release(node);
    }
    return is_known;
}

bool zc_peek(const zc_tensor *t, void *element)
{
    zc_scalar value;
    zc_few known;
    if (t == NULL || element == NULL || t->size != 1 || !compute(t, &value, &known))
        return false;
    if (known.computed > 0 && zc_pending_has_grown(t->heap))
        return false;
    memcpy(element, value.bytes, zc_dtype_bytes(zc_dtype_of(t)));
    if (known.computed >= KEPT_FROM)
        keep(t, &value, &known);
    else if (known.computed > 0)
        zc_kept_trim(t->heap);
    return true;
}
