#include "materialize/lower/packed.h"

#include "materialize/lower/region.h"
#include "materialize/lower/steps.h"
#include "materialize/stages/contract.h"
#include "runtime/graph/keep.h"

/* The axes of the domain along which the step moves. */
static uint64_t axes_of(const zc_step *step)
{
    zc_view view;
    uint64_t axes = 0;
    zc_step_view(step, &view);
    for (int a = 0; a < view.rank; a++)
        axes |= (uint64_t)(view.shape[a] > 1 && view.stride[a] != 0) << a;
    return axes;
}

static uint64_t long_axes(const zc_stage *stage)
{
    uint64_t axes = 0;
    for (int a = 0; a < stage->rank; a++)
        axes |= (uint64_t)(stage->shape[a] != 1) << a;
    return axes;
}

/* Tells whether a value that moves along `axes` is computed once per element: these are the axes of the operand `own`
 * that it belongs to, those of the products are among them, and `other` has no more indices of its own, which fit into
 * a block. */
static bool is_packed_once(const zc_stage *stage, uint64_t axes, uint64_t own, uint64_t other)
{
    const uint64_t kept = (UINT64_C(1) << stage->kept) - 1, all = long_axes(stage); /* it walks a product's axis */
    const int64_t across = zc_stage_extent_along(stage, kept & other & ~own);
    return axes == own && (own | other) == all && (all & ~kept & ~own) == 0 &&
           across <= ZC_MOST_CONTRACTED_LINE / (int64_t)zc_dtype_bytes(stage->store.dtype) &&
           across <= zc_stage_extent_along(stage, kept & own & ~other);
}

/* Tells whether the step is computed for each element of the node that it sees, and for no other. */
static bool is_seen_by_strides(const zc_needed *needed, uint64_t axes)
{
    zc_view view;
    zc_step_view(needed->steps, &view);
    return zc_can_see_operands(needed->node, &view) &&
           needed->demanded == zc_stage_extent_along(needed->steps->draft->stage, axes);
}

/* Tells whether a node makes integers of 32 bits of bytes that are in memory. */
static bool is_cast_of_bytes(const zc_node *node)
{
    if (node->kind != ZC_NODE_MAP || zc_node_gave_up(node) || node->op != ZC_OP_CAST ||
        (node->dtype != ZC_INT32 && node->dtype != ZC_UINT32))
        return false;
    const zc_node *from = node->edges[0].node;
    return from->kind == ZC_NODE_LEAF && (from->dtype == ZC_INT8 || from->dtype == ZC_UINT8);
}

/* Tells whether both operands of the contraction that sees a factor are cast from bytes, and are large enough for
 * kernels that multiply bytes. */
static bool multiplies_bytes(const zc_step *factor)
{
    if (!zc_is_factor_step(factor))
        return false;
    const zc_stage *stage = factor->draft->stage;
    const zc_step *product = zc_step_resolve(factor->draft->result);
    const zc_node *contraction = product->value.node;
    const uint64_t kept = (UINT64_C(1) << stage->kept) - 1;
    const uint64_t x = axes_of(zc_step_resolve(product->arg[0])), y = axes_of(zc_step_resolve(product->arg[1]));
    return is_cast_of_bytes(contraction->edges[0].node) && is_cast_of_bytes(contraction->edges[1].node) &&
           zc_stage_extent_along(stage, kept & x & ~y) >= ZC_LEAST_TILE_SIDE &&
           zc_stage_extent_along(stage, kept & y & ~x) >= ZC_LEAST_TILE_SIDE &&
           zc_stage_extent_along(stage, ~kept & x & y) >= ZC_LEAST_TILE_PRODUCTS;
}

/* Tells whether all that sees a node multiplies bytes, of which it casts some. Casting them again for each block takes
 * about as long as reading four times as many. */
static bool is_cast_for_tiles(const zc_needed *needed)
{
    zc_view view;
    for (const zc_step *step = needed->steps; step != NULL; step = step->next) {
        zc_step_view(step, &view);
        if (step->draft->step_count + needed->step_count > ZC_MOST_CONTRACTED_VALUES || !multiplies_bytes(step) ||
            !zc_can_see_operands(needed->node, &view))
            return false;
    }
    return true;
}

bool zc_is_computed_when_packed(const zc_lowering *l, zc_needed *needed)
{
    const zc_node *node = needed->node;
    const zc_draft *draft = needed->steps->draft;
    if (l->policy != ZC_POLICY_EAGER && is_cast_of_bytes(node) && is_cast_for_tiles(needed))
        return true;
    if (l->policy == ZC_POLICY_EAGER || needed->step_count > 1 || node->kind != ZC_NODE_MAP || node->op == ZC_OP_COPY ||
        draft->step_count + node->edge_count > ZC_MOST_CONTRACTED_VALUES)
        return false;
    const zc_step *product = zc_step_resolve(draft->result);
    const uint64_t x = axes_of(zc_step_resolve(product->arg[0])), y = axes_of(zc_step_resolve(product->arg[1]));
    const uint64_t axes = axes_of(needed->steps);
    if (x == y && needed->consumers > 1) /* perhaps of both */
        return false;
    needed->demanded = zc_find_shown(needed);
    return (is_packed_once(draft->stage, axes, x, y) || is_packed_once(draft->stage, axes, y, x)) &&
           is_seen_by_strides(needed, axes);
}
