/* The rules of what is not elementwise: reductions, scans, concats, takes, and scatters, which gradients themselves
 * make. */
#include <string.h>

#include "runtime/gradient.h"
#include "runtime/record.h"

static zc_tensor *number(const zc_backward *b, double value)
{
    return zc_weak_float(b->ctx, value);
}

/* ---- Reductions ---- */

/* t, of the result's shape, along the reduced axes again. */
static zc_tensor *expand(const zc_backward *b, const zc_tensor *t)
{
    const zc_node *node = b->node;
    if (t == NULL)
        return NULL;
    zc_view view = {.rank = node->domain_rank, .offset = t->offset};
    for (int a = 0, from = 0; a < node->domain_rank; a++) {
        bool is_reduced = (node->reduced >> a & 1) != 0;
        view.shape[a] = node->domain_shape[a];
        view.stride[a] = is_reduced ? 0 : zc_strides(t)[from++];
    }
    zc_view_canonicalise(&view);
    return zc_tensor_new(b->ctx, zc_node_retain(t->node), &view, "vjp");
}

static zc_tensor *reduce_again(const zc_backward *b, zc_tensor *(*reduce)(const zc_tensor *, int, const int *, bool),
                               const zc_tensor *t)
{
    int axes[ZC_MAX_RANK], count = 0;
    for (int a = 0; a < b->node->domain_rank; a++) {
        if ((b->node->reduced >> a & 1) != 0)
            axes[count++] = a;
    }
    return expand(b, reduce(t, count, axes, false));
}

static zc_tensor *of_sum(const zc_backward *b, int i)
{
    (void)i;
    return expand(b, b->gradient);
}

static zc_tensor *of_mean(const zc_backward *b, int i)
{
    (void)i;
    const zc_node *node = b->node;
    double elements = 1;
    for (int a = 0; a < node->domain_rank; a++)
        elements *= (node->reduced >> a & 1) != 0 ? (double)node->domain_shape[a] : 1;
    return expand(b, zc_divide(b->gradient, number(b, elements)));
}

/* What the other zeros make of a zero's gradient, of which `zeros` are along the axis: the only one has the product of
 * all that are not 0, and of two each has that times the other, which is their sum less itself: 0, but with a gradient
 * of its own. Of three or more it is 0, and so is its gradient. */
static zc_tensor *at_zero(const zc_backward *b, const zc_tensor *zeros, const zc_tensor *one, const zc_tensor *two)
{
    zc_tensor *is_one = zc_equal(zeros, zc_weak_int(b->ctx, 1)), *is_two = zc_equal(zeros, zc_weak_int(b->ctx, 2));
    return zc_where(is_one, one, zc_where(is_two, two, number(b, 0)));
}

/* The product of the others: p / x, which p's own gradient makes right beside zeros, too; at zeros the product of what
 * is not 0. */
static zc_tensor *of_product(const zc_backward *b, int i)
{
    (void)i;
    const zc_tensor *x = b->operand[0];
    zc_tensor *is_zero = zc_equal(x, number(b, 0));
    zc_tensor *others = zc_where(is_zero, number(b, 1), x);
    zc_tensor *rest = reduce_again(b, zc_prod, others);
    zc_tensor *zeros = reduce_again(b, zc_sum, is_zero);
    zc_tensor *sum = reduce_again(b, zc_sum, zc_where(is_zero, x, number(b, 0)));
    zc_tensor *alone = at_zero(b, zeros, rest, zc_multiply(rest, zc_subtract(sum, x)));
    return zc_multiply(expand(b, b->gradient), zc_where(is_zero, alone, zc_divide(expand(b, b->result), others)));
}

/* Equals share: each takes as much as the others. They are counted as sums are, which a float16 could not. */
static zc_tensor *of_extreme(const zc_backward *b, int i)
{
    (void)i;
    const zc_tensor *x = b->operand[0];
    zc_tensor *is_extreme = zc_logical_or(zc_equal(x, expand(b, b->result)), zc_isnan(x));
    zc_dtype dtype = zc_dtype_of(x), wide = zc_sum_dtype(dtype);
    zc_tensor *share = zc_astype(is_extreme, wide);
    zc_tensor *gradient = zc_multiply(expand(b, zc_astype(b->gradient, wide)), share);
    return zc_astype(zc_divide(gradient, reduce_again(b, zc_sum, share)), dtype);
}

/* ---- Scans ---- */

static zc_tensor *sum_from_end(const zc_tensor *t, int axis)
{
    return zc_flip(zc_cumulative_sum(zc_flip(t, 1, &axis), axis, false), 1, &axis);
}

static zc_tensor *of_cumulative_sum(const zc_backward *b, int i)
{
    (void)i;
    return sum_from_end(b->gradient, __builtin_ctzll(b->node->reduced));
}

/* The same for each of the products that x is part of, which are those from it on: their sum divided by x; at zeros,
 * the sums of the products of what is not 0, where it is the only zero so far, and where it is one of two. */
static zc_tensor *of_cumulative_product(const zc_backward *b, int i)
{
    (void)i;
    const zc_tensor *x = b->operand[0];
    int axis = __builtin_ctzll(b->node->reduced);
    zc_tensor *is_zero = zc_equal(x, number(b, 0));
    zc_tensor *others = zc_where(is_zero, number(b, 1), x);
    zc_tensor *rest = zc_multiply(b->gradient, zc_cumulative_prod(others, axis, false));
    zc_tensor *zeros = zc_cumulative_sum(is_zero, axis, false);
    zc_tensor *sum = zc_cumulative_sum(zc_where(is_zero, x, number(b, 0)), axis, false);
    zc_tensor *first = sum_from_end(at_zero(b, zeros, rest, zc_multiply(rest, sum)), axis);
    zc_tensor *second = sum_from_end(at_zero(b, zeros, number(b, 0), rest), axis);
    zc_tensor *alone = zc_subtract(first, zc_multiply(x, second));
    zc_tensor *ahead = zc_divide(sum_from_end(zc_multiply(b->gradient, b->result), axis), others);
    return zc_where(is_zero, alone, ahead);
}

/* ---- Concats, scatters ---- */

static zc_tensor *of_concat(const zc_backward *b, int i)
{
    const zc_node *node = b->node;
    return zc_slice(b->gradient, node->op, node->start[i], node->start[i + 1], 1);
}

/* What was added comes from where it was added. */
static zc_tensor *of_scatter(const zc_backward *b, int i)
{
    (void)i;
    const zc_node *node = b->node;
    zc_view place;
    zc_node_place(node, &place);
    if (node->edge_count == 1)
        return zc_gradient_see(b->gradient, &place);
    zc_node *dense = zc_record_copy(b->gradient); /* so that the positions move along an axis of it */
    zc_node *taken = NULL;
    if (dense != NULL) {
        zc_node_spec spec = {.kind = ZC_NODE_TAKE,
                             .op = ZC_TAKE,
                             .dtype = zc_dtype_of(b->gradient),
                             .rank = place.rank,
                             .shape = place.shape,
                             .size = zc_view_size(&place),
                             .edge_count = 2,
                             .edges = (zc_edge[]){zc_edge_of(dense, &place), node->edges[1]},
                             .taken = node->scattered->moved};
        taken = zc_node_new(dense->heap, &spec);
    }
    zc_node_release(dense);
    return zc_tensor_of_node(b->ctx, taken, "vjp");
}

/* ---- The table ---- */

static zc_differentiable of_reduction(zc_reduction reduction, zc_gradient_rule **rule)
{
    switch (reduction) {
    case ZC_REDUCTION_SUM:
        *rule = of_sum;
        return ZC_GRADIENT_RULE;
    case ZC_REDUCTION_MEAN:
        *rule = of_mean;
        return ZC_GRADIENT_RULE;
    case ZC_REDUCTION_PROD:
        *rule = of_product;
        return ZC_GRADIENT_RULE;
    default: /* maxima and minima: indices and truth values hand nothing on */
        *rule = of_extreme;
        return ZC_GRADIENT_RULE;
    }
}

zc_differentiable zc_gradient_find(const zc_node *node, zc_gradient_rule **rule)
{
    *rule = NULL;
    switch (node->kind) {
    case ZC_NODE_MAP:
        return zc_gradient_of_op((zc_op)node->op, rule);
    case ZC_NODE_REDUCE:
        return of_reduction((zc_reduction)node->op, rule);
    case ZC_NODE_SCAN:
        *rule = node->op == ZC_OP_MULTIPLY ? of_cumulative_product : of_cumulative_sum;
        return ZC_GRADIENT_RULE;
    case ZC_NODE_CONCAT:
        *rule = of_concat;
        return ZC_GRADIENT_RULE;
    case ZC_NODE_SCATTER:
        *rule = of_scatter;
        return ZC_GRADIENT_RULE;
    default: /* leaves have no operands; a take's is in gradient.c */
        return ZC_GRADIENT_ZERO;
    }
}
