#include "materialize/lower/equal.h"

#include "materialize/lower/needed.h"
#include "runtime/graph/attributes.h"

#include <string.h>

static bool may_be_equal(const zc_node *node)
{
    return zc_node_data(node) == NULL && !node->is_explicit_copy && node->kind != ZC_NODE_SCATTER;
}

static uint64_t hash_list(uint64_t hash, int count, const void *list)
{
    for (int i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, (const char *)list + (size_t)i * sizeof word, sizeof word);
        hash = zc_hash_word(hash, word);
    }
    return hash;
}

static uint64_t hash_attributes(uint64_t hash, const zc_node *node)
{
    zc_words lists[ZC_MOST_ATTRIBUTES];
    int count = zc_node_attributes(node, lists);
    for (int i = 0; i < count; i++)
        hash = hash_list(hash, lists[i].count, lists[i].at);
    return hash;
}

/* The hash of a node with another operation and dtype. */
static uint64_t hash_as(const zc_lowering *l, const zc_node *node, int32_t operands, unsigned op, zc_dtype dtype)
{
    uint64_t hash = zc_hash_word(node->kind, op | (uint64_t)dtype << 8 | (uint64_t)node->edge_count << 16);
    hash = hash_list(hash, node->rank, node->shape);
    for (int i = 0; i < node->edge_count; i++) {
        const zc_edge *edge = &node->edges[i];
        hash = zc_hash_word(hash, (uint64_t)(uintptr_t)zc_needed_resolve(l, l->operands[operands + i])->node);
        hash = hash_list(zc_hash_word(hash, (uint64_t)edge->offset), node->domain_rank, edge->stride);
    }
    return hash_attributes(hash, node);
}

static bool are_equal_lists(int count, const void *a, const void *b)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof(int64_t)) == 0;
}

/* LCOV_EXCL_BR_START: edges, shapes and dtypes differ only where hashes collide */
static bool have_equal_edges(const zc_lowering *l, const zc_node *a, int32_t operands, const zc_needed *other)
{
    const zc_node *b = other->node;
    for (int i = 0; i < a->edge_count; i++) {
        const zc_edge *x = &a->edges[i], *y = &b->edges[i];
        if (zc_needed_resolve(l, l->operands[operands + i]) != zc_needed_operand(l, other, i) ||
            x->offset != y->offset || !are_equal_lists(a->domain_rank, x->stride, y->stride))
            return false; /* LCOV_EXCL_LINE: likewise */
    }
    return true;
}
/* LCOV_EXCL_BR_STOP */

static bool have_equal_attributes(const zc_node *a, const zc_node *b)
{
    zc_words of_a[ZC_MOST_ATTRIBUTES], of_b[ZC_MOST_ATTRIBUTES];
    int count = zc_node_attributes(a, of_a);
    (void)zc_node_attributes(b, of_b); /* of the same kind, with as many operands and axes */
    for (int i = 0; i < count; i++) {
        if (of_a[i].count != of_b[i].count || !are_equal_lists(of_a[i].count, of_a[i].at, of_b[i].at))
            return false;
    }
    return true;
}

/* LCOV_EXCL_BR_START: likewise */
/* Tells nodes that are equal but for their operation and dtype. */
static bool are_alike(const zc_lowering *l, const zc_node *a, int32_t operands, const zc_needed *other)
{
    const zc_node *b = other->node;
    return a->kind == b->kind && a->edge_count == b->edge_count && a->domain_rank == b->domain_rank &&
           a->invariant == b->invariant && zc_shape_equal(a->rank, a->shape, b->rank, b->shape) &&
           have_equal_attributes(a, b) && have_equal_edges(l, a, operands, other);
}

static bool are_equal(const zc_lowering *l, const zc_node *a, int32_t operands, const zc_needed *other)
{
    return a->op == other->node->op && a->dtype == other->node->dtype && are_alike(l, a, operands, other);
}
/* LCOV_EXCL_BR_STOP */

int32_t zc_find_equal(const zc_lowering *l, const zc_node *node, int32_t operands, uint64_t *hash)
{
    size_t cursor = 0;
    int32_t at;
    *hash = 0;
    if (l->policy == ZC_POLICY_WORK || l->policy == ZC_POLICY_EAGER || !may_be_equal(node))
        return -1;
    *hash = hash_as(l, node, operands, node->op, (zc_dtype)node->dtype);
    while ((at = zc_table_next(&l->equals, *hash, &cursor)) >= 0) {
        if (are_equal(l, node, operands, &l->needed[at])) /* LCOV_EXCL_BR_LINE: it differs only where hashes collide */
            return at;
    }
    return -1;
}

zc_needed *zc_find_numbers(const zc_lowering *l, const zc_needed *values)
{
    const zc_node *node = values->node;
    const unsigned by = node->op == ZC_REDUCTION_MAX ? ZC_REDUCTION_ARGMAX : ZC_REDUCTION_ARGMIN;
    size_t cursor = 0;
    int32_t at;
    if (zc_reduction_is_index((zc_reduction)node->op))
        return NULL;
    const uint64_t hash = hash_as(l, node, values->operands, by, ZC_INT64);
    while ((at = zc_table_next(&l->equals, hash, &cursor)) >= 0) {
        zc_needed *numbers = &l->needed[at];
        /* LCOV_EXCL_BR_START: they differ only where hashes collide */
        if (numbers->node->op == by && are_alike(l, node, values->operands, numbers))
            return numbers->is_made && numbers->serial < values->serial ? numbers : NULL;
        /* LCOV_EXCL_BR_STOP */
    }
    return NULL;
}
