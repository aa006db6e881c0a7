/*
 * One number over the bits of random expressions of every operation, dtype, reduction and view, and of gradients. It is
 * the same for the reference executor and for the tile executor with each table of kernels, and two builds can be
 * compared by it: of the same seed and scale they print the same digest, or one of them gives other results.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "materialize/kernels/dispatch.h"
#include "tests/diff/expression.h"
#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 200, WAYS = ZC_KERNEL_TABLES + 1 };

/* The table that the library takes for the machine's best. */
static const zc_kernels *chosen;

const zc_kernels *__wrap_zc_kernels_best(void);
const zc_kernels *__wrap_zc_kernels_best(void)
{
    return chosen != NULL ? chosen : &zc_kernels_portable;
}

static uint64_t add_word(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return digest ^ digest >> 29;
}

static uint64_t add_tensor(uint64_t digest, const zc_tensor *t)
{
    const zc_dtype dtype = zc_dtype_of(t);
    const zc_dtype part = part_of(dtype);
    const char *data = zc_data(t);
    digest = add_word(digest, (uint64_t)dtype);
    for (int a = 0; a < zc_rank(t); a++)
        digest = add_word(digest, (uint64_t)zc_shape(t)[a]);
    for (size_t at = 0; at < (size_t)zc_size(t) * zc_dtype_bytes(dtype); at += zc_dtype_bytes(part))
        digest = add_word(digest, part_bits(part, data + at));
    return digest;
}

static void add_gradients(pool *p)
{
    zc_tensor *gradients[LEAVES];
    cr_assert_eq(zc_vjp(p->items[p->count - 1], NULL, LEAVES, (const zc_tensor *const *)p->items, gradients), ZC_OK,
                 "%s", zc_error_text(p->ctx));
    memcpy(p->items, gradients, sizeof gradients);
}

/* A context for each way to compute: the reference first, then each table of kernels. */
typedef struct way {
    zc_context *context;
    const zc_kernels *kernels;
    uint64_t digest;
} way;

static int make_ways(way *ways)
{
    int count = 0;
    ways[count++] = (way){zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_REFERENCE, .threads = 1}), NULL, 0};
    for (int t = 0; t < ZC_KERNEL_TABLES; t++) {
        if (zc_kernel_tables[t].is_supported())
            ways[count++] = (way){zc_context_new(&(zc_options){.executor = ZC_EXECUTOR_TILE, .threads = 2}),
                                  zc_kernel_tables[t].kernels, 0};
    }
    return count;
}

/* Every tensor of the expression, the last one and the gradients of a smooth one first. */
static void add_expression(way *ways, int count, expression *e)
{
    pool pools[WAYS];
    for (int w = 0; w < count; w++)
        pools[w] = (pool){.ctx = ways[w].context, .scope = zc_scope_begin(ways[w].context)};
    expression_add_leaves(e, pools, count);
    for (int w = 0; w < count; w++) {
        chosen = ways[w].kernels;
        for (int i = 0; i < e->step_count; i++)
            expression_step(&pools[w], &e->steps[i]);
        if (e->is_smooth)
            add_gradients(&pools[w]);
        for (int i = pools[w].count - 1; i >= 0; i--)
            ways[w].digest = add_tensor(ways[w].digest, materialized(&pools[w], pools[w].items[i]));
        zc_scope_end(pools[w].scope);
    }
    chosen = NULL;
}

Test(digest, is_the_same_for_all_executors_and_kernels)
{
    way ways[WAYS];
    const int count = make_ways(ways), expressions = EXPRESSIONS * zc_test_scale();
    zc_random_begin("digest");
    for (int i = 0; i < expressions; i++) {
        expression e = expression_draw(i % 2 == 1);
        add_expression(ways, count, &e);
        expression_free(&e);
        for (int w = 1; w < count; w++)
            cr_assert_eq(ways[w].digest, ways[0].digest, "way %d parts from the reference at expression %d", w, i);
    }
    fprintf(stderr, "digest of %d expressions by %d ways: %016" PRIx64 "\n", expressions, count, ways[0].digest);
    for (int w = 0; w < count; w++)
        zc_context_free(ways[w].context);
}
