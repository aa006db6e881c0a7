/*
 * Plans of a million nodes, recorded and planned, not run. A size counts nodes, numbers among them; what is reported is
 * the time of one node. Beside it stands the header memory that the plan was made in.
 */
#include "bench/programs.h"

enum { LENGTH = 1000 };

typedef zc_tensor *plan_step(const bench_work *w, int64_t i, const zc_tensor *x, const zc_tensor *y);

static bool plan(bench_work *w, plan_step *step, int64_t nodes_each)
{
    static const double data[LENGTH];
    const int64_t shape[] = {LENGTH};
    zc_context *ctx = zc_context_new(&(zc_options){.threads = 1, .header_limit = INT64_C(1) << 40});
    const bench_side *given = w->side, own = {.ctx = ctx};
    zc_tensor *x = zc_import(ctx, ZC_FLOAT64, 1, shape, NULL, 0, data, sizeof data, NULL, NULL), *y = zc_retain(x);
    zc_cost cost;
    w->side = &own;
    for (int64_t i = 0; i < w->n / nodes_each; i++) {
        zc_scope *scope = zc_scope_begin(ctx);
        bench_carry(&y, step(w, i, x, y));
        zc_scope_end(scope);
    }
    bool ok = zc_cost_of(y, &cost) == ZC_OK;
    w->side = given;
    w->plan_bytes = ok ? (double)cost.plan_bytes : 0;
    zc_release(y);
    zc_release(x);
    zc_context_free(ctx);
    return ok;
}

static zc_tensor *link_of(const bench_work *w, int64_t i, const zc_tensor *x, const zc_tensor *y)
{
    (void)i;
    (void)x;
    return zc_add(bench_scaled(w, y, 0.5), bench_weak(w, 0.1));
}

static zc_tensor *fan_of(const bench_work *w, int64_t i, const zc_tensor *x, const zc_tensor *y)
{
    return zc_add(y, bench_scaled(w, x, (double)i));
}

static zc_tensor *diamond_of(const bench_work *w, int64_t i, const zc_tensor *x, const zc_tensor *y)
{
    (void)i;
    (void)x;
    return bench_scaled(w, zc_add(y, zc_sin(y)), 0.5);
}

static zc_tensor *ring_of(const bench_work *w, int64_t i, const zc_tensor *x, const zc_tensor *y)
{
    (void)i;
    (void)x;
    return bench_scaled(w, zc_add(y, bench_roll(y, 0, 1)), 0.5);
}

static zc_tensor *residual_of(const bench_work *w, int64_t i, const zc_tensor *x, const zc_tensor *y)
{
    (void)i;
    (void)w;
    (void)x;
    zc_tensor *e = zc_exp(zc_subtract(y, zc_max(y, ZC_ALL_AXES, true)));
    return zc_add(y, zc_divide(e, zc_sum(e, ZC_ALL_AXES, true)));
}

static bool chain(bench_work *w)
{
    return plan(w, link_of, 4);
}

static bool fan_in(bench_work *w)
{
    return plan(w, fan_of, 3);
}

static bool diamonds(bench_work *w)
{
    return plan(w, diamond_of, 4);
}

static bool ring(bench_work *w)
{
    return plan(w, ring_of, 4);
}

static bool residual(bench_work *w)
{
    return plan(w, residual_of, 6);
}

/* ---- The table ---- */

enum { NODES = 1000000 };

static const int64_t sizes[] = {NODES, 0};
static const bench_bound bounds[] = {{.elements = NODES, .against = NANOSECONDS, .most = 2000}, {.most = 0}};

#define PLAN(case_name, function)                                                                                      \
    .name = (case_name), .ours = (function), .sizes = sizes, .bounds = bounds, .batch = NODES

const bench_case plan_cases[] = {
    {PLAN("a chain", chain)},      {PLAN("fan-in", fan_in)},      {PLAN("diamonds", diamonds)},
    {PLAN("a rolled ring", ring)}, {PLAN("residuals", residual)}, {.name = NULL},
};
