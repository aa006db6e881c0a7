#include "runtime/graph/never_negative.h"

#include <math.h>
#include <string.h>

#include "runtime/dtypes/float_environment.h"

static bool holds(const zc_node *node, int edge)
{
    return node->edges[edge].node->is_never_negative;
}

/* Value of a real constant. */
static double value_of(const zc_node *constant)
{
    return zc_scalar_convert(constant->constant, (zc_dtype)constant->dtype, ZC_FLOAT64).float64;
}

/* The first two operands show the same elements. */
static bool is_product_with_itself(const zc_node *node)
{
    const zc_edge *x = &node->edges[0], *y = &node->edges[1];
    return x->node == y->node && x->offset == y->offset &&
           (node->domain_rank == 0 || memcmp(x->stride, y->stride, (size_t)node->domain_rank * sizeof *x->stride) == 0);
}

/* ---- The rules ---- */

static bool never_negative_none(const zc_node *node)
{
    (void)node;
    return false;
}

static bool never_negative_always(const zc_node *node)
{
    (void)node;
    return true;
}

static bool never_negative_first(const zc_node *node)
{
    return holds(node, 0);
}

static bool never_negative_second(const zc_node *node)
{
    return holds(node, 1);
}

/* Not the logarithm of a sum: that of no elements is -infinity. */
static bool never_negative_reduced(const zc_node *node)
{
    return holds(node, 0) && node->op != ZC_REDUCTION_LOGSUMEXP;
}

/* Numbers, or elements of the operand. */
static bool never_negative_selected(const zc_node *node)
{
    return zc_reduction_is_index((zc_reduction)node->op) || holds(node, 0);
}

static bool never_negative_all(const zc_node *node)
{
    for (int i = 0; i < node->edge_count; i++) {
        if (!holds(node, i))
            return false;
    }
    return true;
}

static bool never_negative_some(const zc_node *node)
{
    return holds(node, 0) || holds(node, 1);
}

static bool never_negative_product(const zc_node *node)
{
    return is_product_with_itself(node) || never_negative_all(node);
}

/* x * y + z */
static bool never_negative_fma(const zc_node *node)
{
    return (is_product_with_itself(node) || (holds(node, 0) && holds(node, 1))) && holds(node, 2);
}

/* x**y */
static bool never_negative_power(const zc_node *node)
{
    ZC_DEFAULT_FLOATS();
    const zc_node *exponent = node->edges[1].node;
    const bool is_even = exponent->kind == ZC_NODE_CONSTANT && fmod(value_of(exponent), 2) == 0;
    return is_even || holds(node, 0);
}

/* min(max(x, y), z) */
static bool never_negative_clip(const zc_node *node)
{
    return never_negative_some(node) && holds(node, 2);
}

/* Compares the number's bits: in the process's environment the smallest negative numbers could be 0. */
static bool never_negative_constant(const zc_node *node)
{
    static const uint64_t infinity = UINT64_C(0x7ff) << 52, negative_zero = UINT64_C(1) << 63;
    const uint64_t bits = (zc_scalar){.float64 = value_of(node)}.words[0];
    return bits <= infinity || bits == negative_zero;
}

/* Tells whether the values put and the base, which is zero where there is none, are never negative. Positions do not
 * count. */
static bool never_negative_scatter(const zc_node *node)
{
    const int base = zc_node_base(node);
    return holds(node, 0) && (base < 0 || holds(node, base));
}

static bool never_negative_map(const zc_node *node)
{
    static bool (*const rules[ZC_OP_COUNT])(const zc_node *) = {
#define ZC_OP(NAME, name, arity, domain, result, complex, cost, gradient, sign, meaning)                               \
    [ZC_OP_##NAME] = never_negative_##sign,
#include "runtime/ops/ops.def"
#undef ZC_OP
        [ZC_OP_CAST] = never_negative_all,     [ZC_OP_BITCAST] = never_negative_none,
        [ZC_OP_COPY] = never_negative_all,     [ZC_OP_REAL] = never_negative_none,
        [ZC_OP_IMAG] = never_negative_none,    [ZC_OP_CONJ] = never_negative_none,
        [ZC_OP_COMPLEX] = never_negative_none,
    };
    return rules[node->op](node);
}

/* ---- The call ---- */

void zc_never_negative_set(zc_node *node)
{
    static bool (*const rules[])(const zc_node *) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign) [ZC_NODE_##NAME] = never_negative_##sign,
#define ZC_COMPUTED_NODE                                                 ZC_GIVEN_NODE
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    switch (zc_dtype_describe((zc_dtype)node->dtype)->kind) {
    case ZC_KIND_BOOL:
    case ZC_KIND_UNSIGNED:
        node->is_never_negative = true;
        break;
    case ZC_KIND_SIGNED:
        node->is_never_negative = zc_node_is_given(node) && rules[node->kind](node);
        break;
    case ZC_KIND_FLOAT:
        node->is_never_negative = rules[node->kind](node);
        break;
    default: /* ZC_KIND_COMPLEX */
        node->is_never_negative = false;
        break;
    }
}
