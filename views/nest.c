/*
 * Loop nests: dropping, ordering and merging axes.
 *
 * Invariant: the nest visits the same tuples of operand addresses before and after, each as often; along the axes from
 * `kept` on it visits them in the same order.
 */
#include "views/nest.h"

static int64_t *stride_of(const zc_nest *nest, int operand, int axis)
{
    return &nest->stride[operand * nest->pitch + axis];
}

static void move_axis(zc_nest *nest, int from, int to)
{
    nest->shape[to] = nest->shape[from];
    for (int o = 0; o < nest->operands; o++)
        *stride_of(nest, o, to) = *stride_of(nest, o, from);
}

static void exchange_axes(zc_nest *nest, int a, int b)
{
    int64_t extent = nest->shape[a];
    nest->shape[a] = nest->shape[b];
    nest->shape[b] = extent;
    for (int o = 0; o < nest->operands; o++) {
        int64_t stride = *stride_of(nest, o, a);
        *stride_of(nest, o, a) = *stride_of(nest, o, b);
        *stride_of(nest, o, b) = stride;
    }
}

static bool is_empty(const zc_nest *nest)
{
    for (int a = 0; a < nest->rank; a++)
        if (nest->shape[a] == 0)
            return true;
    return false;
}

static void drop_unit_axes(zc_nest *nest)
{
    int rank = 0;
    int kept = 0;
    for (int a = 0; a < nest->rank; a++) {
        if (nest->shape[a] == 1)
            continue;
        move_axis(nest, a, rank++);
        kept += a < nest->kept;
    }
    nest->rank = rank;
    nest->kept = kept;
}

static uint64_t magnitude(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* Tells whether axis a steps less than axis b for the first operand that tells them apart. */
static bool steps_less(const zc_nest *nest, int a, int b)
{
    for (int o = 0; o < nest->operands; o++) {
        uint64_t step_a = magnitude(*stride_of(nest, o, a));
        uint64_t step_b = magnitude(*stride_of(nest, o, b));
        if (step_a != step_b)
            return step_a < step_b;
    }
    return false;
}

/* By insertion: stable, and nests are short. */
static void sort_kept_axes(zc_nest *nest)
{
    for (int a = 1; a < nest->kept; a++)
        for (int b = a; b > 0 && steps_less(nest, b - 1, b); b--)
            exchange_axes(nest, b - 1, b);
}

/* Tells whether every operand walks axes a and b, in this order, as one. */
static bool continues(const zc_nest *nest, int a, int b)
{
    for (int o = 0; o < nest->operands; o++) {
        int64_t walked;
        if (!zc_checked_multiply(nest->shape[b], *stride_of(nest, o, b), &walked) || walked != *stride_of(nest, o, a))
            return false;
    }
    return true;
}

static void merge_neighbours(zc_nest *nest)
{
    int rank = 0;
    int kept = 0;
    for (int a = 0; a < nest->rank; a++) {
        bool first = a == 0 || a == nest->kept;
        int64_t extent;
        if (!first && continues(nest, rank - 1, a) &&
            zc_checked_multiply(nest->shape[rank - 1], nest->shape[a], &extent)) {
            move_axis(nest, a, rank - 1);
            nest->shape[rank - 1] = extent;
            continue;
        }
        move_axis(nest, a, rank++);
        kept += a < nest->kept;
    }
    nest->rank = rank;
    nest->kept = kept;
}

void zc_nest_simplify(zc_nest *nest)
{
    if (is_empty(nest))
        return;
    drop_unit_axes(nest);
    sort_kept_axes(nest);
    merge_neighbours(nest);
}
