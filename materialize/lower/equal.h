/*
 * Equal nodes: the same operation on the same elements, recorded twice. One of them stands for all, so that the mean in
 * (x - mean(x)) / std(x) is computed once.
 *
 * Nodes are equal when all that lowering asks of them is, and their operands are equal; so equality is found in one
 * pass from operands to consumers. Never equal to another one is a node with data, a copy that was asked for, and a
 * scatter. One that stands for others is alive from the first of their consumers to the last, which may take more
 * memory than computing it twice: under ZC_POLICY_WORK and
 * ZC_POLICY_EAGER no node stands for another.
 */
#ifndef ZC_MATERIALIZE_LOWER_EQUAL_H
#define ZC_MATERIALIZE_LOWER_EQUAL_H

#include "materialize/lower/lower.h"

/* Looks for a needed node that is equal to one whose operands are needed already: its index, or -1. *hash is what the
 * node is to be listed under in l->equals. */
int32_t zc_find_equal(const zc_lowering *l, const zc_node *node, int32_t operands, uint64_t *hash);

/* The numbers of the elements whose values a selection selects, if they are needed, too, and decided on later; or NULL.
 */
zc_needed *zc_find_numbers(const zc_lowering *l, const zc_needed *values);

#endif
