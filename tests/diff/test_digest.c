/*
 * One number over the bits of random expressions, which two builds can be compared by: of the same seed and scale they
 * print the same digest, or one of them gives other results.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/diff/expression.h"
#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 200, WAYS = 2 };

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

/* Every tensor of the expression, the last one and the gradients of a smooth one first. */
static void add_expression(zc_context *const *contexts, expression *e, uint64_t *digests)
{
    pool pools[WAYS];
    for (int w = 0; w < WAYS; w++)
        pools[w] = (pool){.ctx = contexts[w], .scope = zc_scope_begin(contexts[w])};
    expression_add_leaves(e, pools, WAYS);
    for (int w = 0; w < WAYS; w++) {
        for (int i = 0; i < e->step_count; i++)
            expression_step(&pools[w], &e->steps[i]);
        if (e->is_smooth)
            add_gradients(&pools[w]);
        for (int i = pools[w].count - 1; i >= 0; i--)
            digests[w] = add_tensor(digests[w], materialized(&pools[w], pools[w].items[i]));
        zc_scope_end(pools[w].scope);
    }
}

Test(digest, is_the_same_for_all_executors)
{
    static const zc_options ways[WAYS] = {{.executor = ZC_EXECUTOR_TILE, .threads = 2},
                                          {.executor = ZC_EXECUTOR_REFERENCE, .threads = 1}};
    zc_context *contexts[WAYS];
    uint64_t digests[WAYS] = {0};
    for (int w = 0; w < WAYS; w++)
        contexts[w] = zc_context_new(&ways[w]);
    zc_random_begin("digest");
    for (int i = 0; i < EXPRESSIONS * zc_test_scale(); i++) {
        expression e = expression_draw(i % 2 == 1);
        add_expression(contexts, &e, digests);
        expression_free(&e);
        cr_assert_eq(digests[0], digests[1], "they part at expression %d", i);
    }
    for (int w = 0; w < WAYS; w++)
        zc_context_free(contexts[w]);
    fprintf(stderr, "digest of %d expressions: %016" PRIx64 "\n", EXPRESSIONS * zc_test_scale(), digests[0]);
}
