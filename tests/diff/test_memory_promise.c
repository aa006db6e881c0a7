/*
 * The memory promise: what zc_cost_of predicts is what the allocator is asked for.
 *
 * Formula: zc_cost.peak_bytes = the most data bytes alive while zc_materialize runs, less those alive before. The
 * measuring allocator knows nothing of plans: it counts the blocks that are aligned as data is.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory/heap.h"
#include "tests/diff/graph.h"
#include "tests/support/random.h"
#include "tests/support/zc_test.h"

enum { GRAPHS = 400 };

/* Data bytes alive, and the most of them. Threads of one context may allocate at once. */
typedef struct meter {
    _Atomic int64_t alive_bytes;
    _Atomic int64_t peak_bytes;
} meter;

static void *take(void *user, size_t bytes, size_t alignment)
{
    meter *m = user;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0)
        return NULL;
    if (alignment == ZC_DATA_ALIGNMENT) {
        int64_t alive = atomic_fetch_add(&m->alive_bytes, (int64_t)bytes) + (int64_t)bytes;
        int64_t peak = atomic_load(&m->peak_bytes);
        while (peak < alive && !atomic_compare_exchange_weak(&m->peak_bytes, &peak, alive)) {
        }
    }
    return memory;
}

static void give(void *user, void *memory, size_t bytes, size_t alignment)
{
    meter *m = user;
    if (alignment == ZC_DATA_ALIGNMENT)
        atomic_fetch_sub(&m->alive_bytes, (int64_t)bytes);
    free(memory);
}

/* Measures the memory that zc_materialize adds, as the allocator sees it; the context has to agree. */
static int64_t measure(meter *m, const zc_tensor *t)
{
    zc_context *ctx = zc_context_of(t);
    zc_tensor *out = NULL;
    int64_t before = m->alive_bytes, held = zc_memory_usage(ctx).held_bytes;
    atomic_store(&m->peak_bytes, before);
    zc_memory_reset_peak(ctx);
    cr_assert_eq(zc_materialize(t, &out), ZC_OK, "%s", zc_error_text(ctx));
    int64_t peak = m->peak_bytes - before;
    cr_assert_eq(zc_memory_usage(ctx).peak_bytes - held, peak, "the context and its allocator count differently");
    return peak;
}

/* Windows and whole tensors, the last one first, since it is the deepest. Returns how many were measured. */
static int64_t check_graph(meter *m, graph *g)
{
    int64_t measured = 0;
    for (int k = 0; k < 4; k++) {
        const item *it = k == 0 ? &g->items[g->count - 1] : pick_item(g);
        zc_tensor *t = it->lazy;
        if (it->array.rank > 0 && it->array.shape[0] > 1 && zc_random_bool())
            t = zc_slice(t, 0, 0, zc_random_range(1, it->array.shape[0]), 1);
        zc_cost cost;
        cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(g->ctx));
        int64_t peak = measure(m, t);
        cr_assert_eq(cost.peak_bytes, peak, "%ld bytes predicted, %ld measured", (long)cost.peak_bytes, (long)peak);
        measured += peak > 0;
    }
    return measured;
}

static void check_graphs(zc_executor executor, int threads, const char *name)
{
    meter m = {0};
    zc_allocator allocator = {&m, take, give};
    zc_random_begin(name);
    int64_t graphs = (int64_t)zc_test_count(GRAPHS), measured = 0;
    for (int64_t i = 0; i < graphs; i++) {
        graph g = {
            .ctx = zc_context_new(&(zc_options){.allocator = &allocator, .executor = executor, .threads = threads})};
        g.scope = zc_scope_begin(g.ctx);
        grow(&g, (int)zc_random_range(1, 30));
        measured += check_graph(&m, &g);
        zc_scope_end(g.scope);
        zc_context_free(g.ctx);
        cr_assert_eq(m.alive_bytes, 0, "data memory is left");
        eager_free_all();
    }
    cr_log_info("%ld graphs: %ld peaks are as predicted", (long)graphs, (long)measured);
    cr_assert_gt(measured, graphs);
}

Test(memory_promise, of_one_thread)
{
    zc_skip_of_one_thread();
    check_graphs(ZC_EXECUTOR_TILE, 1, "memory_promise/one");
}

Test(memory_promise, of_many_threads)
{
    check_graphs(ZC_EXECUTOR_TILE, 2, "memory_promise/two");
    check_graphs(ZC_EXECUTOR_TILE, 7, "memory_promise/seven");
}

Test(memory_promise, of_the_reference_executor)
{
    zc_skip_of_one_thread();
    check_graphs(ZC_EXECUTOR_REFERENCE, 1, "memory_promise/reference");
}

/* ---- By hand ---- */

static zc_tensor *floats(zc_context *ctx, int64_t n)
{
    float *values = calloc((size_t)n, sizeof *values);
    zc_tensor *t = zc_from_data(ctx, ZC_FLOAT32, ZC_SHAPE(n), values, (size_t)n * sizeof *values);
    free(values);
    return t;
}

/* One float seen 10^15 times over holds a float, also in what is computed from it. */
Test(memory_promise, a_broadcast_of_a_float_holds_a_float)
{
    enum { MOST = 1024 };
    meter m = {0};
    zc_allocator allocator = {&m, take, give};
    zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = 1});
    zc_scope *scope = zc_scope_begin(ctx);
    int64_t before = m.alive_bytes;
    zc_tensor *wide = zc_broadcast_to(floats(ctx, 1), ZC_SHAPE(INT64_C(1000000000000000)));
    zc_tensor *sum = zc_add(zc_multiply(wide, wide), zc_weak_float(ctx, 1)), *out = NULL;
    cr_assert_eq(zc_size(sum), INT64_C(1000000000000000));
    cr_assert_leq(m.peak_bytes - before, MOST);
    cr_assert_leq(zc_memory_usage(ctx).held_bytes, MOST);
    cr_assert_eq(zc_compact(sum, &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(*(const float *)zc_data(out), 1.0F);
    cr_assert_eq(zc_materialize(zc_slice(sum, 0, 17, 18, 1), &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(zc_materialize(zc_max(sum, ZC_ALL_AXES, false), &out), ZC_OK, "%s", zc_error_text(ctx));
    cr_assert_eq(*(const float *)zc_data(out), 1.0F);
    cr_assert_leq(m.peak_bytes - before, MOST, "%ld bytes were alive", (long)(m.peak_bytes - before));
    zc_scope_end(scope);
    zc_context_free(ctx);
}

/* No intermediate result of a chain is held: a * b + c takes its result. */
Test(memory_promise, a_chain_peaks_at_its_output)
{
    const int64_t n = 100000;
    for (int threads = 1; threads <= 8; threads *= 2) {
        meter m = {0};
        zc_allocator allocator = {&m, take, give};
        zc_context *ctx = zc_context_new(&(zc_options){.allocator = &allocator, .threads = threads});
        zc_scope *scope = zc_scope_begin(ctx);
        zc_tensor *t = zc_add(zc_multiply(floats(ctx, n), floats(ctx, n)), floats(ctx, n));
        zc_cost cost;
        cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(ctx));
        cr_assert_eq(cost.peak_bytes, 4 * n);
        cr_assert_eq(measure(&m, t), 4 * n);
        zc_scope_end(scope);
        zc_context_free(ctx);
    }
}

/* ---- Contractions ---- */

/* A product of two random matrices, or of many, of operands seen in any way; some of very many products. */
typedef struct problem {
    int64_t batch, rows, products, columns;
    zc_dtype dtype;
    bool is_turned[2];
} problem;

/* Few enough multiplications for a machine whose fused ones are software, at 100 ns each. */
static problem draw_problem(void)
{
    static const struct {
        zc_dtype dtype;
        int64_t most;
    } kinds[] = {{ZC_FLOAT32, 1 << 20}, {ZC_FLOAT64, 1 << 20}, {ZC_COMPLEX64, 1 << 18}, {ZC_COMPLEX128, 1 << 18},
                 {ZC_INT8, 1 << 23},    {ZC_INT32, 1 << 23},   {ZC_INT64, 1 << 23},     {ZC_UINT16, 1 << 23}};
    const int64_t kind = zc_random_range(0, 7);
    const bool is_long = zc_random_range(0, 3) == 0;
    problem p = {.batch = zc_random_range(1, 3),
                 .rows = zc_random_range(1, is_long ? 60 : 400),
                 .columns = zc_random_range(1, 40),
                 .products = is_long ? zc_random_range(5000, 40000) : zc_random_range(1, 2000),
                 .dtype = kinds[kind].dtype,
                 .is_turned = {zc_random_bool(), zc_random_bool()}};
    while (p.batch * p.rows * p.products * p.columns > kinds[kind].most)
        p.columns > 4 ? (p.columns /= 2) : p.rows > 32 ? (p.rows /= 2) : (p.products /= 2);
    if (zc_random_bool()) {
        const int64_t rows = p.rows;
        p.rows = p.columns;
        p.columns = rows;
    }
    return p;
}

static zc_tensor *draw_operand(zc_context *ctx, zc_dtype dtype, int64_t batch, int64_t rows, int64_t columns)
{
    zc_tensor *made = NULL;
    zc_tensor *t = zc_remainder(zc_iota(ctx, batch * rows * columns), zc_weak_int(ctx, 11));
    t = zc_reshape(zc_astype(t, dtype), ZC_SHAPE(batch, rows, columns));
    cr_assert_eq(zc_materialize(t, &made), ZC_OK, "%s", zc_error_text(ctx));
    return made;
}

/* Both operands in memory, and their product. */
static zc_tensor *record_problem(zc_context *ctx, const problem *p)
{
    const int64_t extent[2][2] = {{p->rows, p->products}, {p->products, p->columns}};
    zc_tensor *of[2];
    for (int i = 0; i < 2; i++) {
        const int turned = p->is_turned[i] ? 1 : 0;
        of[i] = draw_operand(ctx, p->dtype, p->batch, extent[i][turned], extent[i][1 - turned]);
        of[i] = turned == 1 ? zc_matrix_transpose(of[i]) : of[i];
    }
    return zc_matmul(of[0], of[1]);
}

static int64_t bytes_of(const zc_tensor *t)
{
    return zc_size(t) * (int64_t)zc_dtype_bytes(zc_dtype_of(t));
}

static zc_cost cost_of(const zc_tensor *t)
{
    zc_cost cost;
    cr_assert_eq(zc_cost_of(t, &cost), ZC_OK, "%s", zc_error_text(zc_context_of(t)));
    return cost;
}

/* The predicted peak is the measured one, in a new plan and in one that is kept. Returns what it is beyond the result:
 * panels. */
static int64_t check_problem(const problem *p, zc_options options)
{
    meter m = {0};
    zc_allocator allocator = {&m, take, give};
    options.allocator = &allocator;
    options.recompute = true; /* t is measured last, when it could have been kept */
    zc_context *ctx = zc_context_new(&options);
    zc_scope *scope = zc_scope_begin(ctx);
    (void)zc_set_cache_limit(ctx, 0); /* so that every block that is free is the allocator's */
    zc_tensor *t = record_problem(ctx, p);
    const int64_t peak = cost_of(t).peak_bytes;
    for (int i = 0; i < 2; i++) {
        zc_tensor *again = zc_add(zc_matmul(t, zc_matrix_transpose(t)), zc_weak_int(ctx, 1));
        const int64_t second = cost_of(again).peak_bytes;
        cr_expect_eq(measure(&m, again), second, "(%ld, %ld, %ld)", (long)p->rows, (long)p->products, (long)p->columns);
    }
    cr_expect_eq(measure(&m, t), peak, "(%ld, %ld, %ld)", (long)p->rows, (long)p->products, (long)p->columns);
    const int64_t panels = peak - bytes_of(t);
    zc_scope_end(scope);
    zc_context_free(ctx);
    return panels;
}

Test(memory_promise, of_contractions_counts_panels)
{
    static const int threads[] = {1, 2, 3, 7, 64};
    zc_random_begin("memory_promise/contractions");
    int64_t packed = 0;
    for (int i = 0; i < zc_test_count(300) / zc_test_long_step(3); i++) {
        const problem p = draw_problem();
        const int64_t panels = check_problem(&p, (zc_options){.threads = threads[i % 5]});
        cr_expect_geq(panels, 0);
        packed += panels > 0;
        if (p.rows * p.products * p.columns * p.batch < 1 << 16)
            cr_expect_eq(check_problem(&p, (zc_options){.executor = ZC_EXECUTOR_REFERENCE}), 0);
    }
    cr_log_info("%ld with panels in data memory", (long)packed);
    cr_expect_gt(packed, 20 / zc_test_stride() / zc_test_long_step(3));
}

/* The product under a limit, with its elements, what its operands hold and what it takes beside them. */
typedef struct outcome {
    zc_status status;
    int64_t held_bytes, peak_bytes;
    char *elements; /* NULL: refused */
} outcome;

static outcome compute_under(const problem *p, int threads, int64_t limit)
{
    zc_context *ctx = zc_context_new(&(zc_options){.threads = threads, .memory_limit = limit});
    zc_scope *scope = zc_scope_begin(ctx);
    zc_tensor *t = record_problem(ctx, p), *out = NULL;
    outcome o = {.held_bytes = zc_memory_usage(ctx).held_bytes};
    const int64_t predicted = cost_of(t).peak_bytes;
    zc_memory_reset_peak(ctx);
    o.status = zc_materialize(t, &out);
    o.peak_bytes = zc_memory_usage(ctx).peak_bytes - o.held_bytes;
    cr_expect(limit == 0 || o.held_bytes + o.peak_bytes <= limit, "under a limit of %ld", (long)limit);
    if (o.status == ZC_OK) {
        cr_expect_eq(o.peak_bytes, predicted, "under a limit of %ld", (long)limit);
        o.elements = malloc((size_t)bytes_of(out));
        memcpy(o.elements, zc_data(out), (size_t)bytes_of(out));
    } else {
        zc_budget budget;
        cr_expect(zc_error_budget(ctx, &budget) && budget.need == bytes_of(t) && budget.need == predicted);
    }
    zc_scope_end(scope);
    zc_context_free(ctx);
    return o;
}

/* Panels take what a limit leaves, which may be nothing: the result has the same bits, and only where there is no room
 * for itself it is refused, whatever the number of threads. */
Test(memory_promise, a_limit_bounds_panels_and_refuses_nothing_for_them)
{
    static const int threads[] = {1, 2, 7};
    zc_random_begin("memory_promise/limits");
    int64_t smaller = 0;
    for (int i = 0; i < zc_test_count(240) / zc_test_long_step(3); i++) {
        const problem p = draw_problem();
        const int n = threads[i % 3];
        const outcome free_ = compute_under(&p, n, 0);
        const int64_t result = p.batch * p.rows * p.columns * (int64_t)zc_dtype_bytes(p.dtype),
                      least = free_.held_bytes + result;
        const int64_t panels = free_.peak_bytes - result;
        for (int k = panels > 0 ? 0 : 10; k <= 10; k++) {
            const outcome o = compute_under(&p, n, least + panels * k / 10);
            cr_expect_eq(o.status, ZC_OK, "%d of 10 of %ld bytes of panels", k, (long)panels);
            cr_expect(o.elements != NULL && memcmp(o.elements, free_.elements, (size_t)result) == 0);
            cr_expect_eq(o.peak_bytes == free_.peak_bytes, k == 10 || panels == 0);
            smaller += o.peak_bytes > result && o.peak_bytes < free_.peak_bytes;
            free(o.elements);
        }
        const outcome refused = compute_under(&p, n, least - 1);
        cr_expect_eq(refused.status, ZC_ERROR_BUDGET);
        free(free_.elements);
    }
    cr_log_info("%ld with smaller panels", (long)smaller);
    cr_expect_gt(smaller, 20 / zc_test_stride() / zc_test_long_step(3));
}
