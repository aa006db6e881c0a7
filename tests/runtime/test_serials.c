/* Serials: the order of recording, also of what meets in one context and was recorded in several. */
#include <pthread.h>

#include "runtime/graph/tensor.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { STEPS = 200 };

/* Operands before their consumers, from a node down; a graph this small is walked path by path. */
static void check_operands(const zc_node *node, int depth)
{
    for (int i = 0; i < node->edge_count && depth > 0; i++) {
        cr_assert_lt(node->edges[i].node->serial, node->serial);
        check_operands(node->edges[i].node, depth - 1);
    }
}

/* Maps, reductions, scans, concats, takes and gradients; the serials of what the calls give. */
static void record(zc_context *ctx, uint64_t serials[STEPS])
{
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *x = zc_astype(zc_iota(ctx, 6), ZC_FLOAT64), *y = x;
    for (int i = 0; i < STEPS; i++) {
        zc_tensor *both[] = {y, x};
        const zc_tensor *const pair[] = {both[0], both[1]};
        switch (i % 5) {
        case 0:
            y = zc_sin(zc_add(y, x));
            break;
        case 1:
            y = zc_slice(zc_concat(ctx, 2, pair, 0), 0, 3, 9, 1);
            break;
        case 2:
            y = zc_subtract(y, zc_sum(y, 1, (const int[]){0}, true));
            break;
        case 3:
            y = zc_take(zc_cumulative_sum(y, 0, false), zc_iota(ctx, 6), 0);
            break;
        default:
            y = i < 5 ? zc_grad(y, x) : zc_negative(y);
        }
        cr_assert_not_null(y, "%s", zc_error_text(ctx));
        serials[i] = y->node->serial;
        check_operands(y->node, 8);
    }
    zc_scope_end(scope);
}

Test(serials, follow_the_order_of_recording)
{
    uint64_t serials[STEPS];
    zc_context *ctx = zc_context_new(NULL);
    record(ctx, serials);
    for (int i = 1; i < STEPS; i++)
        cr_assert_lt(serials[i - 1], serials[i], "step %d", i);
    zc_context_free(ctx);
}

typedef struct recording {
    uint64_t serials[STEPS];
} recording;

static void *record_alone(void *user)
{
    zc_context *ctx = zc_context_new(NULL);
    record(ctx, ((recording *)user)->serials);
    zc_context_free(ctx);
    return NULL;
}

Test(serials, are_the_same_whatever_other_threads_record)
{
    static recording made[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, record_alone, &made[i]), 0);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < STEPS; i++) {
        cr_assert_eq(made[0].serials[i], made[1].serials[i], "step %d", i);
        cr_assert_eq(made[0].serials[i], made[2].serials[i], "step %d", i);
    }
}

/* The other context is far ahead. */
Test(serials, of_consumers_are_larger_than_those_of_adopted_operands)
{
    uint64_t serials[STEPS];
    zc_context *ctx = zc_context_new(NULL), *other = zc_context_new(NULL);
    record(other, serials);
    zc_tensor *far = zc_iota(other, 4), *near = zc_iota(ctx, 4), *adopted = zc_adopt(ctx, far);
    cr_assert_gt(far->node->serial, near->node->serial);
    zc_tensor *sum = zc_add(near, adopted), *next = zc_iota(ctx, 4);
    cr_assert_gt(sum->node->serial, far->node->serial);
    cr_assert_gt(next->node->serial, sum->node->serial);
    zc_release(far);
    zc_release(near);
    zc_release(adopted);
    zc_release(sum);
    zc_release(next);
    zc_context_free(ctx);
    zc_context_free(other);
}
