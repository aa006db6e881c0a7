/* The rules of what is not elementwise: reductions, scans and concats. */
#include "runtime/gradient/gradient_nodes.h"

#include <string.h>

#include "runtime/gradient/gradient.h"
#include "runtime/gradient/gradient_rules.h"
#include "runtime/gradient/gradient_updates.h"
#include "runtime/record/record.h"
#include "runtime/record/reductions.h"
#include "runtime/record/scan.h"
#include "runtime/record/select.h"

static zc_tensor *number(const zc_backward *b, double value)
{
    return zc_weak_float(b->ctx, value);
}

/* ---- Reductions ---- */

zc_tensor *zc_gradient_expand(const zc_backward *b, const zc_tensor *t)
{
    const zc_node *node = b->node;
    if (t == NULL)
        return NULL;
    zc_view view = {.rank = node->domain_rank, .offset = t->offset};
    for (int a = 0, from = 0; a < node->domain_rank; a++) {
        bool is_reduced = (node->reduced >> a & 1) != 0;
        view.shape[a] = zc_node_domain_shape(node)[a];
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
    return zc_gradient_expand(b, reduce(t, count, axes, false));
}

static zc_tensor *of_sum(const zc_backward *b, int i)
{
    (void)i;
    return zc_gradient_expand(b, b->gradient);
}

static zc_tensor *of_mean(const zc_backward *b, int i)
{
    (void)i;
    const zc_node *node = b->node;
    double elements = 1;
    for (int a = 0; a < node->domain_rank; a++)
        elements *= (node->reduced >> a & 1) != 0 ? (double)zc_node_domain_shape(node)[a] : 1;
    return zc_gradient_expand(b, zc_divide(b->gradient, number(b, elements)));
}

/* x with the axes of `last` behind its others, as one axis, and without those of `dropped`. */
static zc_tensor *gather_lines(const zc_tensor *x, uint64_t last, uint64_t dropped)
{
    zc_view view;
    zc_tensor_view(x, &view);
    zc_view_drop_axes(&view, dropped, &view);
    zc_tensor *kept = zc_tensor_new(x->ctx, zc_node_retain(x->node), &view, "vjp");
    int order[ZC_MAX_RANK], count = 0, lines = 0;
    int64_t shape[ZC_MAX_RANK];
    for (int pass = 0; pass < 2; pass++) {
        for (int a = 0, at = 0; a < x->rank; a++) {
            if ((dropped >> a & 1) != 0)
                continue;
            if ((last >> a & 1) == (uint64_t)pass)
                order[count++] = at;
            if (pass == 0 && (last >> a & 1) == 0)
                shape[lines++] = x->dims[a];
            at++;
        }
    }
    shape[lines] = -1;
    return zc_reshape(zc_permute_dims(kept, count, order), lines + 1, shape);
}

/* Undoes gather_lines: shows t over the node's domain. */
static zc_tensor *spread_lines(const zc_backward *b, const zc_tensor *t, uint64_t last, uint64_t dropped)
{
    const zc_node *node = b->node;
    if (t == NULL)
        return NULL;
    zc_view view = {.rank = node->domain_rank, .offset = t->offset};
    int64_t step = zc_strides(t)[t->rank - 1]; /* along the line, the last axis */
    for (int a = node->domain_rank - 1, from = t->rank - 2; a >= 0; a--) {
        bool is_last = (last >> a & 1) != 0, is_dropped = (dropped >> a & 1) != 0;
        view.shape[a] = zc_node_domain_shape(node)[a];
        view.stride[a] = is_dropped ? 0 : is_last ? step : zc_strides(t)[from--];
        if (is_last)
            step *= view.shape[a]; /* proven: a step inside the line, or the line */
    }
    zc_view_canonicalise(&view);
    return zc_tensor_new(b->ctx, zc_node_retain(t->node), &view, "vjp");
}

/* The product of the elements before times that of those after, along the last axis. */
static zc_tensor *others_of_line(const zc_tensor *lines)
{
    if (lines == NULL)
        return NULL;
    int last = lines->rank - 1;
    return zc_multiply(zc_record_product_before(lines, last, false, "vjp"),
                       zc_record_product_before(lines, last, true, "vjp"));
}

/* The product of a line, as often as it occurs among the others: recorded as a product over a broadcast, so that it
 * takes no more than a power. */
static zc_tensor *other_lines(const zc_tensor *lines, int64_t times)
{
    if (lines == NULL)
        return NULL;
    int last = lines->rank - 1;
    int64_t shape[ZC_MAX_RANK];
    for (int a = 0; a < last; a++)
        shape[a] = lines->dims[a];
    shape[last] = times - 1;
    zc_tensor *line = zc_prod(lines, 1, &last, true);
    return zc_prod(zc_broadcast_to(line, lines->rank, shape), 1, &last, false);
}

/* The product of the others, without dividing by x. Axes along which x repeats its elements are not walked. */
static zc_tensor *of_product(const zc_backward *b, int i)
{
    (void)i;
    const zc_node *node = b->node;
    uint64_t repeated = node->by_rule, walked = node->reduced & ~repeated;
    int64_t times = 1;
    for (int a = 0; a < node->domain_rank; a++)
        times *= (repeated >> a & 1) != 0 ? zc_node_domain_shape(node)[a] : 1; /* proven: a part of the domain */
    zc_tensor *gradient = zc_gradient_expand(b, b->gradient);
    if (node->reduced == 0)
        return gradient;
    zc_tensor *lines = gather_lines(b->operand[0], walked, repeated);
    zc_tensor *others = spread_lines(b, others_of_line(lines), walked, repeated);
    if (times > 1)
        others = zc_multiply(others, zc_gradient_expand(b, other_lines(lines, times)));
    return zc_multiply(gradient, others);
}

/* Equals share: each takes as much as the others. They are counted as sums are, which a float16 could not. */
static zc_tensor *of_extreme(const zc_backward *b, int i)
{
    (void)i;
    const zc_tensor *x = b->operand[0];
    zc_tensor *is_extreme = zc_logical_or(zc_equal(x, zc_gradient_expand(b, b->result)), zc_isnan(x));
    zc_dtype dtype = zc_dtype_of(x), wide = zc_sum_dtype(dtype);
    zc_tensor *share = zc_astype(is_extreme, wide);
    zc_tensor *gradient = zc_multiply(zc_gradient_expand(b, zc_astype(b->gradient, wide)), share);
    return zc_astype(zc_divide(gradient, reduce_again(b, zc_sum, share)), dtype);
}

/* Each element has its share in the sum of exponentials. Those of elements less the result add up to 1 but for what the
 * result is rounded by; the shares are the same for any number instead. */
static zc_tensor *of_logsumexp(const zc_backward *b, int i)
{
    (void)i;
    const zc_tensor *result = zc_gradient_expand(b, zc_stop_gradient(b->result));
    const zc_tensor *power = zc_exp(zc_subtract(b->operand[0], result));
    const zc_tensor *sum = reduce_again(b, zc_sum, power);
    return zc_multiply(zc_divide(zc_gradient_expand(b, b->gradient), sum), power);
}

/* ---- Scans ---- */

static int axis_of(const zc_backward *b)
{
    return __builtin_ctzll(b->node->reduced);
}

static zc_tensor *sum_from_end(const zc_tensor *t, int axis)
{
    return zc_flip(zc_cumulative_sum(zc_flip(t, 1, &axis), axis, false), 1, &axis);
}

static zc_tensor *of_cumulative_sum(const zc_backward *b, int i)
{
    (void)i;
    return sum_from_end(b->gradient, axis_of(b));
}

/* result[i] = x[i+1] + factors[i+1] * result[i+1], and 0 at the end. */
static zc_tensor *recur_from_end(const zc_backward *b, const zc_tensor *x, const zc_tensor *factors)
{
    return zc_record_recurrence(x, factors, axis_of(b), true, "vjp");
}

/* t at positions first, first + 1 ... along the axis but for the last one, else 0, whatever t is there. */
static zc_tensor *inside(const zc_backward *b, const zc_tensor *t, int64_t first)
{
    int64_t shape[ZC_MAX_RANK];
    int axis = axis_of(b);
    for (int a = 0; a < b->node->rank; a++)
        shape[a] = a == axis ? b->node->shape[a] : 1;
    zc_tensor *at = zc_reshape(zc_iota(b->ctx, shape[axis]), b->node->rank, shape);
    zc_tensor *is_before_last = zc_less(at, zc_weak_int(b->ctx, shape[axis] - 1));
    zc_tensor *is_inside = zc_logical_and(is_before_last, zc_greater_equal(at, zc_weak_int(b->ctx, first)));
    return zc_where(is_inside, t, number(b, 0));
}

/* With p[i] the product of the elements before x[i], and g[i] the gradient, result[i] = p[i] x[i]: x[i] gains p[i]
 * times the sum of g[i], g[i+1] x[i+1], g[i+2] x[i+1] x[i+2] and so on. */
static zc_tensor *of_cumulative_product(const zc_backward *b, int i)
{
    (void)i;
    const zc_tensor *x = b->operand[0], *g = b->gradient;
    zc_tensor *sum = zc_add(g, recur_from_end(b, zc_multiply(g, x), x));
    return zc_multiply(zc_record_product_before(x, axis_of(b), false, "vjp"), sum);
}

/* Likewise p[i] times the sum of g[i+1], g[i+2] x[i+1] and so on. The last element counts for none. */
static zc_tensor *of_product_before(const zc_backward *b, int i)
{
    (void)i;
    return inside(b, zc_multiply(b->result, recur_from_end(b, b->gradient, b->operand[0])), 0);
}

/* Gradient of a recurrence: a recurrence from the end sums up the effects on later elements. The first and the last
 * factor have none. */
static zc_tensor *of_recurrence(const zc_backward *b, int i)
{
    zc_tensor *after = recur_from_end(b, b->gradient, b->operand[1]);
    return i == 0 ? after : inside(b, zc_multiply(after, b->result), 1);
}

/* ---- Concats ---- */

static zc_tensor *of_concat(const zc_backward *b, int i)
{
    const zc_node *node = b->node;
    return zc_slice(b->gradient, node->op, node->start[i], node->start[i + 1], 1);
}

/* ---- Selections ---- */

/* Hands all on to where a selected element stands in its line, the domain's last axis, whose places are the one
 * before. */
static zc_tensor *of_selected(const zc_backward *b, int i)
{
    (void)i;
    const int line = b->node->rank;
    const int64_t *domain = zc_node_domain_shape(b->node);
    const zc_tensor *x = zc_squeeze(zc_slice(b->operand[0], line - 1, 0, 1, 1), ZC_AXES(line - 1));
    const zc_reduction by = b->node->op == ZC_REDUCTION_MAX ? ZC_REDUCTION_ARGMAX : ZC_REDUCTION_ARGMIN;
    const zc_tensor *at = x == NULL ? NULL : zc_record_select(x, line - 1, domain[line - 1], by, "vjp");
    const zc_tensor *is_selected = zc_equal(zc_iota(b->ctx, domain[line]), zc_gradient_expand(b, at));
    return zc_where(is_selected, zc_gradient_expand(b, b->gradient), number(b, 0));
}

/* ---- The table ---- */

static zc_differentiable find_none(const zc_node *node, zc_gradient_rule **rule)
{
    (void)node;
    (void)rule;
    return ZC_GRADIENT_ZERO;
}

static zc_differentiable find_of_map(const zc_node *node, zc_gradient_rule **rule)
{
    return zc_gradient_of_op((zc_op)node->op, rule);
}

static zc_differentiable find_of_reduce(const zc_node *node, zc_gradient_rule **rule)
{
    switch ((zc_reduction)node->op) {
    case ZC_REDUCTION_SUM:
        *rule = of_sum;
        return ZC_GRADIENT_PASSED;
    case ZC_REDUCTION_MEAN:
        *rule = of_mean;
        return ZC_GRADIENT_PASSED;
    case ZC_REDUCTION_PROD:
        *rule = of_product;
        return ZC_GRADIENT_RULE;
    case ZC_REDUCTION_LOGSUMEXP:
        *rule = of_logsumexp;
        return ZC_GRADIENT_RULE;
    default: /* maxima and minima: indices and truth values hand nothing on */
        *rule = of_extreme;
        return ZC_GRADIENT_CHOICE;
    }
}

static zc_differentiable find_of_select(const zc_node *node, zc_gradient_rule **rule)
{
    *rule = of_selected;
    return zc_reduction_is_index((zc_reduction)node->op) ? ZC_GRADIENT_ZERO : ZC_GRADIENT_CHOICE;
}

static zc_differentiable find_of_contract(const zc_node *node, zc_gradient_rule **rule)
{
    (void)node;
    (void)rule;
    return ZC_GRADIENT_CONTRACTED;
}

static zc_differentiable find_of_concat(const zc_node *node, zc_gradient_rule **rule)
{
    (void)node;
    *rule = of_concat;
    return ZC_GRADIENT_PASSED;
}

static zc_differentiable find_of_take(const zc_node *node, zc_gradient_rule **rule)
{
    (void)node;
    (void)rule;
    return ZC_GRADIENT_TAKEN;
}

static zc_differentiable find_of_scan(const zc_node *node, zc_gradient_rule **rule)
{
    static zc_gradient_rule *const rules[] = {[ZC_SCAN_SUM] = of_cumulative_sum,
                                              [ZC_SCAN_PRODUCT] = of_cumulative_product,
                                              [ZC_SCAN_PRODUCT_BEFORE] = of_product_before,
                                              [ZC_SCAN_RECURRENCE] = of_recurrence};
    *rule = rules[node->op];
    return ZC_GRADIENT_PASSED;
}

static zc_differentiable find_of_scatter(const zc_node *node, zc_gradient_rule **rule)
{
    *rule = zc_gradient_of_scatter;
    return node->op == ZC_UPDATE_ADD ? ZC_GRADIENT_PASSED : ZC_GRADIENT_CHOICE;
}

zc_differentiable zc_gradient_find(const zc_node *node, zc_gradient_rule **rule)
{
    static zc_differentiable (*const finders[])(const zc_node *, zc_gradient_rule **) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign) [ZC_NODE_##NAME] = find_##gradient,
#define ZC_COMPUTED_NODE                                                 ZC_GIVEN_NODE
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    *rule = NULL;
    return finders[node->kind](node, rule);
}
