#include "runtime/gradient/gradient_updates.h"

#include "runtime/record/record.h"
#include "runtime/record/reductions.h"
#include "runtime/record/update.h"
#include "views/overlap.h"

static zc_tensor *number(const zc_backward *b, double value)
{
    return zc_weak_float(b->ctx, value);
}

/* The elements of t, of the node's shape, at the places. */
static zc_tensor *at(const zc_backward *b, const zc_tensor *t)
{
    return zc_record_at(b->node, t, "vjp");
}

static zc_tensor *put(const zc_backward *b, zc_update_op op, const zc_tensor *base, const zc_tensor *values)
{
    return zc_record_update(b->node, op, base, values, "vjp");
}

/* A number for each element of the node, or for each value. */
static zc_tensor *full(const zc_backward *b, bool of_values, zc_dtype dtype, double value)
{
    const zc_node *node = b->node;
    return of_values ? zc_full(b->ctx, node->domain_rank, zc_node_domain_shape(node), dtype, value)
                     : zc_full(b->ctx, node->rank, node->shape, dtype, value);
}

static const zc_tensor *base_of(const zc_backward *b)
{
    zc_view view;
    int i = zc_node_base(b->node);
    zc_node_edge_view(b->node, i, &view);
    return zc_tensor_new(b->ctx, zc_node_retain(b->node->edges[i].node), &view, "vjp");
}

/* Tells whether several values may be for one place. */
static bool may_meet(const zc_backward *b)
{
    zc_view place;
    zc_node_place(b->node, &place);
    return b->node->scattered->moved_count > 0 || !zc_view_is_injective(&place);
}

/* The value that stayed is the last one for its place. */
static zc_tensor *of_set(const zc_backward *b, bool of_base)
{
    const zc_node *node = b->node;
    if (of_base)
        return put(b, ZC_UPDATE_SET, b->gradient, full(b, true, (zc_dtype)node->dtype, 0));
    zc_tensor *gradient = at(b, b->gradient);
    if (!may_meet(b))
        return gradient;
    int64_t count = 1;
    for (int a = 0; a < node->domain_rank; a++)
        count *= zc_node_domain_shape(node)[a]; /* proven: a domain */
    zc_tensor *numbers = zc_reshape(zc_iota(b->ctx, count), node->domain_rank, zc_node_domain_shape(node));
    zc_tensor *last = at(b, put(b, ZC_UPDATE_SET, full(b, false, ZC_INT64, 0), numbers));
    return zc_where(zc_equal(last, numbers), gradient, number(b, 0));
}

/* The product of the other values for the place. Zeros are counted and left out, so that only numbers divide. */
static zc_tensor *product_of_others(const zc_backward *b)
{
    const zc_tensor *values = b->operand[0];
    const zc_dtype dtype = (zc_dtype)b->node->dtype;
    zc_tensor *is_zero = zc_equal(values, number(b, 0));
    zc_tensor *zeros = at(b, put(b, ZC_UPDATE_ADD, full(b, false, ZC_INT64, 0), zc_astype(is_zero, ZC_INT64)));
    zc_tensor *nonzero = zc_where(is_zero, number(b, 1), values);
    zc_tensor *product = at(b, put(b, ZC_UPDATE_MULTIPLY, full(b, false, dtype, 1), nonzero));
    zc_tensor *others = zc_subtract(zeros, zc_astype(is_zero, ZC_INT64));
    return zc_where(zc_equal(others, zc_weak_int(b->ctx, 0)), zc_divide(product, nonzero), number(b, 0));
}

static zc_tensor *of_multiply(const zc_backward *b, bool of_base)
{
    if (of_base)
        return put(b, ZC_UPDATE_MULTIPLY, b->gradient, b->operand[0]);
    zc_tensor *gradient = at(b, zc_multiply(b->gradient, base_of(b)));
    return may_meet(b) ? zc_multiply(gradient, product_of_others(b)) : gradient;
}

/* Equals share, as in reductions: each takes as much as the others. */
static zc_tensor *of_extreme(const zc_backward *b, bool of_base)
{
    const zc_tensor *base = base_of(b), *values = b->operand[0];
    const zc_dtype dtype = (zc_dtype)b->node->dtype, wide = zc_sum_dtype(dtype);
    zc_tensor *of_values = zc_astype(zc_logical_or(zc_equal(values, at(b, b->result)), zc_isnan(values)), wide);
    zc_tensor *own = zc_astype(zc_logical_or(zc_equal(base, b->result), zc_isnan(base)), wide);
    zc_tensor *share = zc_divide(zc_astype(b->gradient, wide), put(b, ZC_UPDATE_ADD, own, of_values));
    return zc_astype(of_base ? zc_multiply(share, own) : zc_multiply(at(b, share), of_values), dtype);
}

zc_tensor *zc_gradient_of_scatter(const zc_backward *b, int i)
{
    bool of_base = i == zc_node_base(b->node);
    switch ((zc_update_op)b->node->op) {
    case ZC_UPDATE_SET:
        return of_set(b, of_base);
    case ZC_UPDATE_ADD:
        return of_base ? zc_adopt(b->ctx, b->gradient) : at(b, b->gradient);
    case ZC_UPDATE_MULTIPLY:
        return of_multiply(b, of_base);
    default:
        return of_extreme(b, of_base);
    }
}
