/*
 * What is kept between runs, by counters: random sequences of recording, reading and releasing beside an eager runtime,
 * which computes and stores each operation when it is recorded, and beside one that keeps nothing, which has the bits.
 *
 * The law: counted work is at most twice the eager one's, where planning a node counts as so many elements; and nodes
 * planned are at most twice those recorded, where all are small.
 */
#include <math.h>
#include <string.h>

#include "materialize/planner/plan_key.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"
#include "zerocast.h"

enum { SLOTS = 6, STEPS = 120, PLANNING_WORK = 4096 };

/* One runtime with the same program as the others. */
typedef struct runtime {
    zc_context *ctx;
    zc_tensor *slot[SLOTS];
    bool is_eager;
    double work, planned;
    int64_t recorded;
} runtime;

static void begin(runtime *r, zc_options options, int64_t n)
{
    memset(r, 0, sizeof *r);
    r->ctx = zc_context_new(&options);
    for (int i = 0; i < SLOTS; i++) {
        zc_scope *scope = zc_scope_begin(r->ctx);
        zc_tensor *numbers = zc_add(zc_iota(r->ctx, n * n), zc_weak_int(r->ctx, 10 * i));
        zc_tensor *part = zc_divide(zc_astype(numbers, ZC_FLOAT64), zc_weak_float(r->ctx, (double)(n * n)));
        cr_assert_eq(zc_materialize(zc_reshape(part, ZC_SHAPE(n, n)), &r->slot[i]), ZC_OK);
        (void)zc_keep(r->slot[i]);
        zc_scope_end(scope);
    }
}

static void end(runtime *r)
{
    for (int i = 0; i < SLOTS; i++)
        zc_release(r->slot[i]);
    cr_expect_eq(zc_memory_usage(r->ctx).nodes, 0);
    cr_expect_eq(zc_memory_usage(r->ctx).kept_bytes, 0);
    zc_context_free(r->ctx);
}

static double work_of(const zc_tensor *t)
{
    zc_cost cost;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return (double)cost.work;
}

/* Nodes that are computed by the plan of a tensor. */
static int planned_of(const zc_tensor *t)
{
    zc_plan_key key;
    int count = 0;
    cr_assert(zc_plan_key_make(&(zc_plan_request){.count = 1, .tensors = &t, .buys = true}, &key));
    for (int32_t i = 0; i < key.node_count; i++)
        count += key.nodes[i].data == NULL && !zc_node_is_given(key.nodes[i].node);
    zc_plan_key_free(&key);
    return count;
}

/* The operation of a step, over slots of shape (n, n), which has that shape, too. */
static zc_tensor *operate(zc_context *ctx, int what, const zc_tensor *x, const zc_tensor *y, int64_t n, int64_t at)
{
    switch (what) {
    case 0:
        return zc_multiply(zc_add(x, y), zc_weak_float(ctx, 0.5));
    case 1:
        return zc_tanh(zc_subtract(x, zc_matrix_transpose(y)));
    case 2:
        return zc_multiply(x, zc_reciprocal(zc_add(zc_sum(zc_abs(y), ZC_AXES(1), true), zc_weak_float(ctx, 1))));
    case 3:
        return zc_divide(zc_matmul(x, y), zc_weak_float(ctx, (double)n));
    case 4:
        return zc_subtract(
            zc_expand_dims(zc_slice(zc_squeeze(zc_slice(x, 0, at, at + 1, 1), ZC_AXES(0)), 0, 0, n, 1), 1), y);
    case 5:
        return zc_where(zc_greater(x, y), x, zc_multiply(y, y));
    case 6:
        return zc_concat(ctx, 2, (const zc_tensor *const[]){zc_slice(x, 0, 0, at, 1), zc_slice(y, 0, at, n, 1)}, 0);
    case 7:
        return zc_cumulative_sum(zc_divide(x, zc_weak_float(ctx, (double)n)), 1, false);
    case 8:
        return zc_update(x, zc_slice(zc_places(x), 0, at, at + 1, 1), zc_slice(zc_exp(y), 0, at, at + 1, 1),
                         ZC_UPDATE_SET);
    default:
        return zc_add(zc_flip(x, ZC_AXES(0)), zc_exp(zc_negative(zc_abs(y))));
    }
}

/* Records a step; the eager runtime computes it. */
static void record(runtime *r, const int *draw, int64_t n)
{
    zc_scope *scope = zc_scope_begin(r->ctx);
    const int64_t before = zc_memory_usage(r->ctx).nodes;
    zc_tensor *t = operate(r->ctx, draw[0], r->slot[draw[1]], r->slot[draw[2]], n, draw[4]), *out = NULL;
    cr_assert_not_null(t, "%s", zc_error_text(r->ctx));
    r->recorded += zc_memory_usage(r->ctx).nodes - before;
    if (r->is_eager) {
        r->work += work_of(t);
        cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(r->ctx));
        t = out;
    }
    (void)zc_keep(t);
    zc_scope_end(scope);
    zc_release(r->slot[draw[3]]);
    r->slot[draw[3]] = t;
}

/* Reads a number of a slot: an element, a sum, or the largest of a row. */
static double read_number(runtime *r, int slot, int how, int64_t at)
{
    zc_scope *scope = zc_scope_begin(r->ctx);
    const zc_tensor *row = zc_slice(r->slot[slot], 0, at, at + 1, 1);
    zc_tensor *t = how == 0   ? zc_slice(row, 1, at, at + 1, 1)
                   : how == 1 ? zc_sum(r->slot[slot], ZC_ALL_AXES, false)
                              : zc_max(row, ZC_ALL_AXES, false),
              *out = NULL;
    r->work += work_of(t);
    r->planned += planned_of(t);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(r->ctx));
    const double number = *(const double *)zc_data(out);
    zc_scope_end(scope);
    return number;
}

/* The same bits, but for what tells one NaN from another. */
static bool are_same(double got, double wanted)
{
    return (isnan(got) && isnan(wanted)) || memcmp(&got, &wanted, sizeof got) == 0;
}

static void expect_law(int64_t n, int number)
{
    runtime keeping, forgetting, eager;
    begin(&keeping, (zc_options){.threads = 1}, n);
    begin(&forgetting, (zc_options){.threads = 1, .recompute = true}, n);
    begin(&eager, (zc_options){.threads = 1, .recompute = true}, n);
    eager.is_eager = true;
    int reads = 0;
    for (int step = 0; step < STEPS; step++) {
        const int draw[] = {(int)zc_random_range(0, 9), (int)zc_random_range(0, SLOTS - 1),
                            (int)zc_random_range(0, SLOTS - 1), (int)zc_random_range(0, SLOTS - 1),
                            (int)zc_random_range(0, n - 1)};
        record(&keeping, draw, n);
        record(&eager, draw, n);
        if (step < 40) /* what keeps nothing takes a time that grows as the square */
            record(&forgetting, draw, n);
        if (zc_random_range(0, 2) > 0)
            continue;
        const int slot = (int)zc_random_range(0, SLOTS - 1), how = (int)zc_random_range(0, 2);
        const double got = read_number(&keeping, slot, how, draw[4]), wanted = read_number(&eager, slot, how, draw[4]);
        cr_assert(are_same(got, wanted), "program %d, step %d: %g, not %g", number, step, got, wanted);
        if (step < 40) {
            const double bits = read_number(&forgetting, slot, how, draw[4]);
            cr_assert(are_same(got, bits), "program %d, step %d: %g, not %g", number, step, got, bits);
        }
        reads++;
    }
    const double nodes = (double)keeping.recorded;
    cr_expect_leq(keeping.work, 2 * eager.work + PLANNING_WORK * (nodes + reads), "program %d of %lld: %g, not %g",
                  number, (long long)n, keeping.work, eager.work);
    if (n * n <= PLANNING_WORK)
        cr_expect_leq(keeping.planned, 2 * nodes + 4 * reads, "program %d of %lld: %g nodes planned of %g", number,
                      (long long)n, keeping.planned, nodes);
    cr_log_info("n %lld: work %.2f of eager's, %.2f planned per node, %d reads", (long long)n,
                keeping.work / eager.work, keeping.planned / nodes, reads);
    end(&keeping);
    end(&forgetting);
    end(&eager);
}

Test(keeping, takes_no_more_than_twice_the_work_of_an_eager_runtime)
{
    zc_random_begin("keeping/law");
    static const int64_t sizes[] = {4, 20, 60, 150};
    for (int i = 0; i < zc_test_count(12); i++)
        expect_law(sizes[i % 4], i);
}

/* ---- What updates leave ---- */

/* An update that the base of a larger one is computed of has elements of its own shape: it stays as these. */
Test(keeping, an_update_below_another_stays_in_its_own_shape)
{
    static const float column[] = {2.5F, 3.5F}, row[] = {1, 2};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    const zc_tensor *x = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(2, 1), column, sizeof column);
    const zc_tensor *y = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(1, 2), row, sizeof row);
    const zc_tensor *first = zc_iota(ctx, 1), *zero = zc_full(ctx, ZC_SHAPE(1), ZC_FLOAT32, 0);
    const zc_tensor *below = zc_update(x, first, zero, ZC_UPDATE_SET);
    const zc_tensor *wide = zc_update(zc_add(below, y), first, zero, ZC_UPDATE_SET);
    const zc_tensor *flat = zc_update(zc_reshape(zc_exp(below), ZC_SHAPE(2)), first, zero, ZC_UPDATE_SET);
    zc_tensor *out = NULL, *read = NULL;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(zc_materialize(i == 0 ? wide : flat, &out), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert_eq(zc_materialize(below, &read), ZC_OK, "%s", zc_error_text(ctx));
        const float *elements = zc_data(read);
        cr_expect(elements[0] == 0 && elements[1] == 3.5F, "%g %g", (double)elements[0], (double)elements[1]);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
}
