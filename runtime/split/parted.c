#include "runtime/split/parted.h"

#include "runtime/graph/pending.h"
#include "runtime/graph/walk.h"
#include "runtime/ops/order.h"
#include "views/compose.h"

static zc_status refuse(const zc_parted *p, const char *why)
{
    return zc_fail(p->r->ctx, ZC_ERROR_ARGUMENT, p->function, "r is no reduction that is made in parts: %s", why);
}

/* Steps down from a view of conversions to what they convert. */
static zc_status pass_casts(zc_parted *p)
{
    p->node = p->r->node;
    zc_tensor_view(p->r, &p->view);
    while (p->node->kind == ZC_NODE_MAP && p->node->op == ZC_OP_CAST && zc_asked_data(p->node) == NULL) {
        zc_view edge, shown;
        zc_node_edge_view(p->node, 0, &edge);
        if (p->cast_count == ZC_MOST_CASTS || !zc_view_compose(&edge, &p->view, &shown))
            return refuse(p, "it is converted in a way that no strides express");
        p->casts[p->cast_count++] = (zc_dtype)p->node->dtype;
        p->node = p->node->edges[0].node;
        zc_view_copy(&shown, &p->view);
    }
    return ZC_OK;
}

static bool is_float(const zc_node *node)
{
    return zc_dtype_describe((zc_dtype)node->edges[0].node->dtype)->kind >= ZC_KIND_FLOAT;
}

/* Divides what has the same bits in any order anywhere. */
static void find_step(zc_parted *p)
{
    const bool has_order = is_float(p->node) && p->states == 1;
    p->step = !has_order ? 1 : p->node->kind == ZC_NODE_CONTRACT ? ZC_CHAINS_END : ZC_LEAF;
}

static zc_reduction kind_of(const zc_node *node)
{
    if (node->kind == ZC_NODE_CONTRACT)
        return ZC_REDUCTION_SUM;
    if (node->kind == ZC_NODE_REDUCE)
        return (zc_reduction)node->op;
    return node->op == ZC_REDUCTION_MAX || node->op == ZC_REDUCTION_ARGMAX ? ZC_REDUCTION_ARGMAX : ZC_REDUCTION_ARGMIN;
}

/* Sees the domain as a view of the node does. False: no strides express it, or it has too many axes. */
static bool see_domain(zc_parted *p, const zc_view *view)
{
    const zc_node *node = p->node;
    zc_view domain, kept = {.rank = 0};
    zc_view_row_major(node->domain_rank, zc_node_domain_shape(node), &domain);
    for (int a = 0; a < node->domain_rank; a++) {
        if ((node->reduced >> a & 1) != 0)
            continue;
        kept.shape[kept.rank] = domain.shape[a];
        kept.stride[kept.rank++] = domain.stride[a];
    }
    kept.rank -= node->kind == ZC_NODE_SELECT; /* a line is the same at all places */
    if (view == NULL)
        zc_view_copy(&kept, &p->domain);
    else if (!zc_view_compose(&kept, view, &p->domain))
        return false;
    if (p->domain.rank + __builtin_popcountll(p->walked) >= ZC_MAX_RANK)
        return false;
    for (int a = 0; a < node->domain_rank; a++) {
        if ((p->walked >> a & 1) == 0)
            continue;
        p->domain.shape[p->domain.rank] = domain.shape[a];
        p->domain.stride[p->domain.rank++] = domain.stride[a];
    }
    zc_view_canonicalise(&p->domain);
    return true;
}

bool zc_parted_is(const zc_node *node)
{
    const bool are_log_sums = node->kind == ZC_NODE_REDUCE && zc_reduction_has_log_sums((zc_reduction)node->op) &&
                              zc_dtype_is_complex((zc_dtype)node->dtype); /* a part itself */
    return (node->kind == ZC_NODE_REDUCE || node->kind == ZC_NODE_CONTRACT || node->kind == ZC_NODE_SELECT) &&
           !are_log_sums && zc_asked_data(node) == NULL;
}

zc_status zc_parted_read(const zc_tensor *r, const char *function, zc_parted *out)
{
    *out = (zc_parted){.r = r, .function = function, .numbers = 1};
    const zc_status status = pass_casts(out);
    const zc_node *node = out->node;
    if (status != ZC_OK)
        return status;
    if (!zc_parted_is(node))
        return refuse(out, zc_asked_data(node) != NULL ? "it has been computed" : "it is a result of something else");
    out->reduction = kind_of(node);
    out->states = zc_reduction_is_index(out->reduction) ? 2 : 1;
    out->walked = node->reduced & ~node->by_rule;
    for (int a = 0; a < node->domain_rank; a++)
        out->numbers *= (out->walked >> a & 1) != 0 ? zc_node_domain_shape(node)[a] : 1; /* proven: in the domain */
    find_step(out);
    out->is_whole = node->kind == ZC_NODE_SELECT || !see_domain(out, &out->view);
    if (out->is_whole && !see_domain(out, NULL))
        return refuse(out, "it has too many axes");
    zc_pending_forget(node);
    return ZC_OK;
}

int64_t zc_parted_piece_end(const zc_parted *p, int64_t begin, int64_t end)
{
    if (p->step == 1)
        return end;
    const int64_t at = begin / p->step, left = zc_divide_up(end - begin, p->step), aligned = at == 0 ? left : at & -at;
    int64_t steps = 1;
    if (end == p->numbers && left <= aligned)
        return end;
    while (2 * steps <= left && at % (2 * steps) == 0) /* proven: at most the steps that are left */
        steps *= 2;
    return end - begin <= steps * p->step ? end : begin + steps * p->step; /* proven: up to the end */
}

zc_status zc_parted_check_range(const zc_parted *p, int64_t begin, int64_t end)
{
    const bool is_inside = begin >= 0 && begin < end && end <= p->numbers;
    if (is_inside && begin % p->step == 0 && (end % p->step == 0 || end == p->numbers))
        return ZC_OK;
    return zc_fail(p->r->ctx, ZC_ERROR_ARGUMENT, p->function,
                   "numbers %lld to %lld are no range of %lld, which begins at a multiple of %lld and ends at one or "
                   "with the last number",
                   (long long)begin, (long long)end, (long long)p->numbers, (long long)p->step);
}

int zc_parted_shape(const zc_parted *p, int64_t begin, int64_t end, int64_t *shape)
{
    const int rank = p->is_whole ? p->node->rank : p->view.rank;
    zc_copy_list(rank, p->is_whole ? p->node->shape : p->view.shape, shape);
    if (p->node->kind == ZC_NODE_SELECT)
        shape[rank - 1] = zc_smaller(shape[rank - 1], end - begin);
    return rank;
}

zc_dtype zc_parted_dtype(const zc_parted *p, int state)
{
    const zc_dtype dtype = (zc_dtype)p->node->edges[0].node->dtype;
    return state == 1 ? ZC_INT64 : zc_reduction_partial(p->reduction, dtype);
}
