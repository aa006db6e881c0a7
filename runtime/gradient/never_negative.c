#include "runtime/gradient/never_negative.h"

#include <math.h>
#include <string.h>

#include "runtime/graph/history.h"
#include "runtime/graph/keep.h"

enum { MOST_LEVELS = 12 };

static bool look(const zc_node *node, int levels);

/* Of a constant, which is real, as everything below a root is. */
static double value_of(const zc_node *constant)
{
    return zc_scalar_convert(constant->constant, (zc_dtype)constant->dtype, ZC_FLOAT64).float64;
}

/* Both operands show the same elements. */
static bool is_product_with_itself(const zc_node *node)
{
    const zc_edge *x = &node->edges[0], *y = &node->edges[1];
    return x->node == y->node && x->offset == y->offset &&
           (node->domain_rank == 0 || memcmp(x->stride, y->stride, (size_t)node->domain_rank * sizeof *x->stride) == 0);
}

static bool is_even(const zc_node *exponent)
{
    return exponent->kind == ZC_NODE_CONSTANT && fmod(value_of(exponent), 2) == 0;
}

static bool look_at_operands(const zc_node *node, int levels)
{
    for (int i = 0; i < node->edge_count; i++) {
        if (!look(node->edges[i].node, levels)) /* recursion: MOST_LEVELS deep */
            return false;
    }
    return true;
}

static bool look_at_map(const zc_node *node, int levels)
{
    switch ((zc_op)node->op) {
    case ZC_OP_SQUARE:
    case ZC_OP_ABS:
    case ZC_OP_HYPOT:
        return true;
    case ZC_OP_MULTIPLY:
        return is_product_with_itself(node) || look_at_operands(node, levels);
    case ZC_OP_POW:
        if (is_even(node->edges[1].node))
            return true;
        return look(node->edges[0].node, levels); /* recursion: MOST_LEVELS deep */
    case ZC_OP_ADD:
    case ZC_OP_DIVIDE:
    case ZC_OP_SQRT:
    case ZC_OP_CAST:
    case ZC_OP_COPY:
        return look_at_operands(node, levels);
    default:
        return false;
    }
}

/* Elements that were computed at once are what they were computed from. */
static bool look_at_origin(const zc_node *node, int levels)
{
    zc_node *origin = zc_history_origin(node);
    const bool found = origin != NULL && look(origin, levels); /* recursion: MOST_LEVELS deep */
    zc_node_release(origin);
    return found;
}

static bool look(const zc_node *node, int levels)
{
    if (levels == 0 || zc_node_gave_up(node))
        return false;
    switch (node->kind) {
    case ZC_NODE_LEAF:
        return look_at_origin(node, levels - 1);
    case ZC_NODE_CONSTANT:
        return value_of(node) >= 0;
    case ZC_NODE_MAP:
        return look_at_map(node, levels - 1);
    case ZC_NODE_REDUCE:
    case ZC_NODE_TAKE:
        return look(node->edges[0].node, levels - 1); /* recursion: MOST_LEVELS deep */
    case ZC_NODE_CONTRACT:
        return is_product_with_itself(node);
    default:
        return false;
    }
}

bool zc_is_never_negative(const zc_node *node)
{
    return look(node, MOST_LEVELS);
}
