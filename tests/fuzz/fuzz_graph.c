/*
 * Graph programs: leaves and steps chosen by the input, recorded by the library and computed at once by the eager
 * oracle. Every tensor of the graph, and a window of it, has the oracle's elements by both executors, takes the memory
 * that was predicted, and leaves none.
 */
#include "tests/diff/graph.h"
#include "tests/fuzz/drawn.h"
#include "tests/fuzz/target.h"
#include "tests/support/random.h"

#include <stdlib.h>

enum { MOST_STEPS = 20 };

/* The reference executor computes into the target's own memory, so that the node stays lazy for the other one. */
static void check_reference(zc_context *reference, const zc_tensor *t, const eager *array)
{
    zc_tensor *adopted = zc_adopt(reference, t);
    size_t bytes = (size_t)array->size * sizeof(int64_t);
    int64_t *memory = malloc(bytes + 1);
    claim(zc_materialize_into(adopted, memory, bytes, NULL, 0) == ZC_OK);
    for (int64_t i = 0; i < array->size; i++)
        claim(memory[i] == array->data[i]);
    free(memory);
    zc_release(adopted);
}

static void check_item(const graph *g, zc_context *reference, const item *it)
{
    zc_tensor *t = it->lazy, *out = NULL;
    zc_cost cost;
    eager array = it->array;
    for (int a = 0; a < it->array.rank && array.size > 0 && zc_random_bool(); a++) {
        int64_t first = zc_random_range(0, array.shape[a] - 1), count = zc_random_range(1, array.shape[a] - first);
        t = zc_slice(t, a, first, first + count, 1);
        array = eager_slice(&array, a, first, 1, count);
    }
    check_reference(reference, t, &array);
    claim(zc_cost_of(t, &cost) == ZC_OK);
    int64_t held = zc_memory_usage(g->ctx).held_bytes;
    zc_memory_reset_peak(g->ctx);
    claim((zc_random_bool() ? zc_compact : zc_materialize)(t, &out) == ZC_OK);
    claim(zc_memory_usage(g->ctx).peak_bytes - held <= cost.peak_bytes);
    expect_elements(g, out, &array, "window");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    drawn_begin(data, size);
    zc_context *reference = zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_REFERENCE, .threads = 1});
    graph g = {.ctx = zc_context_new(&(zc_options){.threads = 1})};
    g.scope = zc_scope_begin(g.ctx);
    grow(&g, (int)zc_random_range(1, MOST_STEPS));
    for (int i = g.count - 1; i >= 0 && !drawn_is_spent(); i--)
        check_item(&g, reference, &g.items[i]);
    zc_scope_end(g.scope);
    claim(zc_memory_usage(g.ctx).held_bytes == 0 && zc_memory_usage(reference).held_bytes == 0);
    zc_context_free(g.ctx);
    zc_context_free(reference);
    eager_free_all();
    return 0;
}
