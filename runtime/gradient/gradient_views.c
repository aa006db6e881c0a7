#include "runtime/gradient/gradient_views.h"

#include "runtime/record/diagonals.h"
#include "runtime/record/record.h"
#include "runtime/record/reductions.h"
#include "views/compose.h"

static const char vjp[] = "vjp";

zc_tensor *zc_gradient_see(const zc_tensor *t, const zc_view *view)
{
    zc_view own, shown;
    zc_tensor_view(t, &own);
    if (zc_view_compose(&own, view, &shown))
        return zc_tensor_new(t->ctx, zc_node_retain(t->node), &shown, vjp);
    zc_node *copy = zc_record_copy(t);
    if (copy == NULL) {
        (void)zc_fail_memory(t->ctx, vjp);
        return NULL;
    }
    return zc_tensor_new(t->ctx, copy, view, vjp);
}

/* The order in which a view that shows every element of a dense storage once has its axes there, the slowest first, and
 * which of them run backwards. False when it is no such view. */
static bool find_order(const zc_view *view, int64_t storage, int *order, uint64_t *backward)
{
    int64_t step = 1;
    uint64_t left = 0;
    *backward = 0;
    for (int a = 0; a < view->rank; a++)
        left |= (uint64_t)(view->shape[a] > 1) << a;
    int count = view->rank;
    for (int a = 0, at = 0; a < view->rank; a++) {
        if ((left >> a & 1) == 0)
            order[at++] = a; /* axes of one element may stand anywhere: in front */
    }
    while (left != 0) {
        int found = -1;
        for (int a = 0; a < view->rank && found < 0; a++) {
            bool is_next = (left >> a & 1) != 0 && (view->stride[a] == step || view->stride[a] == -step);
            found = is_next ? a : -1;
        }
        if (found < 0)
            return false;
        left &= ~(UINT64_C(1) << found);
        order[--count] = found;
        *backward |= (uint64_t)(view->stride[found] < 0) << found;
        step *= view->shape[found]; /* proven: at most the storage */
    }
    return step == storage;
}

/* g turned into the storage's own order. */
static zc_tensor *reorder(const zc_tensor *g, const int *order, uint64_t backward, const zc_node *node)
{
    int axes[ZC_MAX_RANK], count = 0;
    for (int a = 0; a < g->rank; a++) {
        if ((backward >> a & 1) != 0)
            axes[count++] = a;
    }
    zc_tensor *forward = count > 0 ? zc_flip(g, count, axes) : zc_adopt(g->ctx, g);
    return zc_reshape(zc_permute_dims(forward, g->rank, order), node->rank, node->shape);
}

/* Positions of a take are edges over its shape, which is g's. */
static zc_tensor *record_scatter(const zc_tensor *g, const zc_view *view, const zc_node *node, const zc_node *taken)
{
    zc_view shown;
    zc_edge edges[1 + ZC_MAX_RANK];
    zc_tensor_view(g, &shown);
    edges[0] = zc_edge_of(g->node, &shown);
    zc_node_spec spec = {.kind = ZC_NODE_SCATTER,
                         .op = ZC_UPDATE_ADD,
                         .dtype = zc_dtype_of(g),
                         .rank = node->rank,
                         .shape = node->shape,
                         .size = node->size,
                         .edge_count = 1,
                         .edges = edges,
                         .domain = &shown,
                         .place = view};
    for (int i = 1; taken != NULL && i < taken->edge_count; i++)
        edges[spec.edge_count++] = taken->edges[i];
    if (taken != NULL) {
        spec.named = (zc_take_kind)taken->op;
        spec.taken = taken->taken;
        spec.taken_count = taken->edge_count - 1;
    }
    return zc_tensor_of_node(g->ctx, zc_node_new(g->heap, &spec), vjp);
}

/* Sums are of the dtype that sums have, rounded once in the end. */
static zc_tensor *scatter(const zc_tensor *g, const zc_view *view, const zc_node *node, const zc_node *taken)
{
    zc_dtype dtype = zc_dtype_of(g), wide = zc_sum_dtype(dtype);
    if (wide == dtype)
        return record_scatter(g, view, node, taken);
    zc_tensor *widened = zc_astype(g, wide);
    return widened == NULL ? NULL : zc_astype(record_scatter(widened, view, node, taken), dtype);
}

/* g on a diagonal of zeros. NULL where it is something else, or a failure: *is_so. */
static zc_tensor *place_on_diagonal(const zc_tensor *g, const zc_view *view, const zc_node *node, bool *is_so)
{
    zc_diagonal_place place;
    *is_so = zc_find_diagonal(view, node->rank, node->shape, &place);
    if (!*is_so)
        return NULL;
    zc_tensor *zeros = zc_full(g->ctx, node->rank, node->shape, zc_dtype_of(g), 0);
    zc_tensor *result = zeros == NULL ? NULL : zc_record_on_diagonal(&place, g, zeros, is_so, vjp);
    zc_release(zeros);
    return result;
}

/* Sums g along the axes where the view repeats elements; *view is what is left of it. */
static zc_tensor *sum_repeated(const zc_tensor *g, uint64_t repeated, zc_view *view)
{
    int axes[ZC_MAX_RANK], count = 0;
    for (int a = 0; a < view->rank; a++) {
        if ((repeated >> a & 1) == 0)
            continue;
        axes[count++] = a;
        view->shape[a] = 1;
    }
    return count == 0 ? zc_adopt(g->ctx, g) : zc_sum(g, count, axes, true);
}

zc_tensor *zc_gradient_place(const zc_tensor *g, const zc_view *view, const zc_node *node, const zc_node *taken)
{
    int order[ZC_MAX_RANK];
    uint64_t backward;
    if (g == NULL)
        return NULL;
    if (taken != NULL)
        return scatter(g, view, node, taken);
    zc_view left;
    zc_view_copy(view, &left);
    zc_tensor *sum = sum_repeated(g, zc_view_broadcast_axes(view), &left);
    if (sum != NULL && find_order(&left, node->size, order, &backward))
        return reorder(sum, order, backward, node);
    bool is_diagonal = false;
    zc_tensor *placed = sum == NULL ? NULL : place_on_diagonal(sum, &left, node, &is_diagonal);
    return sum == NULL || is_diagonal ? placed : scatter(sum, &left, node, NULL);
}
