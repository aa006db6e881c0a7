#include "runtime/graph/attributes.h"

#include <stddef.h>

enum { TAKEN_WORDS = sizeof(zc_taken_axis) / sizeof(int64_t) };
_Static_assert(sizeof(zc_taken_axis) == TAKEN_WORDS * sizeof(int64_t), "all of it is words");

static int attributes_none(const zc_node *node, zc_words *out)
{
    (void)node;
    (void)out;
    return 0;
}

static int attributes_of_constant(const zc_node *node, zc_words *out)
{
    out[0] = (zc_words){&node->constant, sizeof node->constant / sizeof(int64_t)};
    return 1;
}

static int attributes_of_reduce(const zc_node *node, zc_words *out)
{
    out[0] = (zc_words){&node->reduced, 1};
    out[1] = (zc_words){&node->by_rule, 1};
    out[2] = (zc_words){zc_node_domain_shape(node), node->domain_rank};
    return 3;
}

static int attributes_of_concat(const zc_node *node, zc_words *out)
{
    out[0] = (zc_words){node->start, node->edge_count + 1};
    return 1;
}

static int attributes_of_source(const zc_node *node, zc_words *out)
{
    out[0] = (zc_words){&node->sourced->address, 1};
    out[1] = (zc_words){node->sourced->from.chunk, node->rank};
    return 2;
}

static int attributes_of_take(const zc_node *node, zc_words *out)
{
    out[0] = (zc_words){node->taken, TAKEN_WORDS * (node->edge_count - 1)};
    return 1;
}

static int attributes_of_scan(const zc_node *node, zc_words *out)
{
    out[0] = (zc_words){&node->reduced, 1};
    return 1;
}

static int attributes_of_scatter(const zc_node *node, zc_words *out)
{
    const zc_scattered *scattered = node->scattered;
    out[0] = (zc_words){scattered, offsetof(zc_scattered, moved) / sizeof(int64_t)};
    out[1] = (zc_words){scattered->stride, node->domain_rank};
    out[2] = (zc_words){zc_node_domain_shape(node), node->domain_rank};
    out[3] = (zc_words){scattered->moved, TAKEN_WORDS * scattered->moved_count};
    return 4;
}

int zc_node_attributes(const zc_node *node, zc_words out[ZC_MOST_ATTRIBUTES])
{
    static int (*const attributes[])(const zc_node *, zc_words *) = {
#define ZC_GIVEN_NODE(NAME, name, attributes, invariant, gradient, sign) [ZC_NODE_##NAME] = attributes_##attributes,
#define ZC_COMPUTED_NODE                                                 ZC_GIVEN_NODE
#include "runtime/graph/node_kinds.def"
#undef ZC_COMPUTED_NODE
#undef ZC_GIVEN_NODE
    };
    return attributes[node->kind](node, out);
}
