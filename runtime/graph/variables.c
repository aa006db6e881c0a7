#include "runtime/graph/variables.h"

static bool has_handles(zc_heap *heap, unsigned place)
{
    return atomic_load_explicit(&heap->handles[place], memory_order_relaxed) > 0;
}

/* The next place whose variables have no handle; the next one where all have. */
static unsigned find_place(zc_heap *heap)
{
    const uint64_t first = (uint64_t)zc_count(&heap->variables, 1);
    uint64_t place = first;
    while (place < first + ZC_VARIABLE_PLACES && has_handles(heap, place % ZC_VARIABLE_PLACES))
        place++;
    return place % ZC_VARIABLE_PLACES;
}

uint64_t zc_variables_held(const zc_node *node)
{
    uint64_t held = zc_variables_of(node);
    for (uint64_t left = node->is_foreign ? 0 : held; left != 0; left &= left - 1) {
        if (!has_handles(node->heap, (unsigned)__builtin_ctzll(left)))
            held &= ~(left & -left);
    }
    return held;
}

/* A place without handles is left out: the next variable there is none of the node's. Which variables those of another
 * context are is not known here: any, and some that always count as held. */
void zc_variables_inherit(zc_node *node, const zc_node *operand)
{
    uint64_t places = zc_variables_held(operand);
    if (places != 0 && (operand->is_foreign || operand->heap != node->heap)) {
        places = UINT64_MAX;
        node->is_foreign = true;
    }
    atomic_store_explicit(&node->variables, zc_variables_of(node) | places, memory_order_relaxed);
}

void zc_variable_place(zc_node *node)
{
    node->place = (uint8_t)find_place(node->heap);
    atomic_init(&node->variables, UINT64_C(1) << node->place);
}

bool zc_node_is_made_of(const zc_node *node, const zc_node *variable)
{
    if (node->heap != variable->heap && !node->is_foreign)
        return false;
    return (zc_variables_of(node) >> variable->place & 1) != 0;
}
