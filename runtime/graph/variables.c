#include "runtime/graph/variables.h"

#include "runtime/graph/history.h"

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

/* Which variables those of another context are is not known here: any. */
void zc_variables_inherit(zc_node *node, const zc_node *operand)
{
    unsigned places = zc_variables_of(operand);
    if (places != 0 && operand->heap != node->heap)
        places = UINT16_MAX;
    atomic_store_explicit(&node->variables, (uint16_t)(zc_variables_of(node) | places), memory_order_relaxed);
}

void zc_variables_set(zc_node *node)
{
    unsigned own = 0;
    node->place = 0;
    if (node->is_variable) {
        const unsigned place = find_place(node->heap);
        node->place = place & (ZC_VARIABLE_PLACES - 1);
        own = 1U << place;
    }
    atomic_init(&node->variables, (uint16_t)own);
    for (int i = 0; i < node->edge_count && !node->is_constant; i++)
        zc_variables_inherit(node, node->edges[i].node);
}

void zc_variable_drop(zc_node *node)
{
    if (node->is_variable && zc_count(&node->heap->handles[node->place], -1) == 1)
        zc_history_forget(node->heap);
}

bool zc_node_varies(const zc_node *node)
{
    for (unsigned left = zc_variables_of(node); left != 0; left &= left - 1) {
        if (has_handles(node->heap, (unsigned)__builtin_ctz(left)))
            return true;
    }
    return false;
}
