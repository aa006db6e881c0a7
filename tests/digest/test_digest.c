/*
 * One number over the bits of random expressions of every operation, dtype, reduction and view, of gradients, and of
 * each function of floats on many numbers. It is the same for the reference executor and for the tile executor with
 * each table of kernels, and two builds can be compared by it: of the same seed and scale they print the same digest,
 * or one of them gives other results.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "materialize/kernels/tables/dispatch.h"
#include "runtime/ops/ops.h"
#include "runtime/record/record.h"
#include "tests/diff/expression.h"
#include "tests/diff/same.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { EXPRESSIONS = 200, WAYS = ZC_KERNEL_TABLES + 1, NUMBERS = 4096 };

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

/* A number of any size, or one that functions are made for. */
static double draw(void)
{
    const uint64_t bits = zc_random_u64();
    double x;
    memcpy(&x, &bits, sizeof x);
    return zc_random_range(0, 3) == 0 ? x : (zc_random_double() - 0.4) * (double)(INT64_C(1) << zc_random_range(0, 10));
}

/* The operation of floats whose turn it is, on many numbers: one that is rounded otherwise differs in few of them. */
static void add_function(way *ways, int count, int turn)
{
    static double numbers[3][NUMBERS];
    const zc_op op = (zc_op)(turn / 2 % ZC_OP_ROWS);
    const zc_op_info *info = zc_op_describe(op);
    if (info->domain != ZC_DOMAIN_FLOAT && info->domain != ZC_DOMAIN_BLOCKS)
        return;
    for (int i = 0; i < info->arity * NUMBERS; i++)
        numbers[i / NUMBERS][i % NUMBERS] = draw();
    for (int w = 0; w < count; w++) {
        pool p = {.ctx = ways[w].context, .scope = zc_scope_begin(ways[w].context)};
        const zc_tensor *operands[3];
        for (int k = 0; k < info->arity; k++)
            operands[k] =
                zc_astype(zc_from_data(p.ctx, ZC_FLOAT64, 1, (int64_t[]){NUMBERS}, numbers[k], sizeof numbers[k]),
                          turn % 2 == 0 ? ZC_FLOAT32 : ZC_FLOAT64);
        chosen = ways[w].kernels;
        ways[w].digest = add_tensor(ways[w].digest, materialized(&p, zc_record_map(op, operands, info->arity)));
        zc_scope_end(p.scope);
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
        add_function(ways, count, i);
        for (int w = 1; w < count; w++)
            cr_assert_eq(ways[w].digest, ways[0].digest, "way %d parts from the reference at expression %d", w, i);
    }
    fprintf(stderr, "digest of %d expressions by %d ways: %016" PRIx64 "\n", expressions, count, ways[0].digest);
    for (int w = 0; w < count; w++)
        zc_context_free(ways[w].context);
}
