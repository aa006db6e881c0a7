/*
 * What a call costs before it has done anything: views, five operations on 16 elements, planning of many nodes.
 */
#include "bench/hand.h"

/* ---- Views: a handle made and released, no data memory ---- */

typedef zc_tensor *view(const zc_tensor *x);

static zc_tensor *broadcast(const zc_tensor *x)
{
    return zc_broadcast_to(x, ZC_SHAPE(1000000, 16, 16));
}

static zc_tensor *permute(const zc_tensor *x)
{
    return zc_permute_dims(x, ZC_AXES(1, 0));
}

static zc_tensor *slice(const zc_tensor *x)
{
    return zc_slice(x, 0, 1, ZC_NONE, 2);
}

static zc_tensor *expand(const zc_tensor *x)
{
    return zc_expand_dims(x, 1);
}

static zc_tensor *reshape(const zc_tensor *x)
{
    return zc_reshape_view(x, ZC_SHAPE(4, 4, 16));
}

static zc_tensor *windows(const zc_tensor *x)
{
    return zc_sliding_window_view(x, ZC_SHAPE(3, 3), ZC_ALL_AXES);
}

enum { VIEWS = 20000 };

/* Many of one (16, 16) tensor, one at a time, each released as soon as it is there. */
static bool make_views(bench_work *w, view *make)
{
    int64_t held = zc_memory_usage(w->side->ctx).held_bytes;
    zc_tensor *x = zc_reshape_view(w->side->x, ZC_SHAPE(16, 16));
    bool ok = x != NULL;
    for (int64_t i = 0; ok && i < VIEWS; i++) {
        zc_tensor *v = zc_keep(make(x));
        ok = v != NULL && zc_memory_usage(w->side->ctx).held_bytes == held;
        zc_release(v);
    }
    return ok;
}

#define VIEW(name)                                                                                                     \
    static bool make_##name(bench_work *w)                                                                             \
    {                                                                                                                  \
        return make_views(w, name);                                                                                    \
    }

VIEW(broadcast)
VIEW(permute)
VIEW(slice)
VIEW(expand)
VIEW(reshape)
VIEW(windows)

/* ---- (y - (x + y) * x) squared: five operations ---- */

static zc_tensor *five(const bench_work *w)
{
    const zc_tensor *x = w->side->x, *y = w->side->y;
    return zc_square(zc_add(zc_negative(zc_multiply(zc_add(x, y), x)), y));
}

static bool five_into(bench_work *w)
{
    return bench_into(w, five(w));
}

static bool five_own(bench_work *w)
{
    zc_tensor *out = NULL;
    bool ok = zc_materialize(five(w), &out) == ZC_OK;
    for (int64_t i = 0; ok && i < w->n; i++)
        ((float *)w->ours)[i] = ((const float *)zc_data(out))[i];
    return ok;
}

/* ---- A graph of n nodes ---- */

static zc_tensor *record(const bench_work *w)
{
    zc_tensor *t = zc_keep(zc_negative(w->side->x));
    for (int64_t i = 1; t != NULL && i < w->n; i++) {
        zc_tensor *next = zc_keep(zc_add(t, w->side->y));
        zc_release(t);
        t = next;
    }
    return t;
}

static bool record_only(bench_work *w)
{
    zc_tensor *t = record(w);
    zc_release(t);
    return t != NULL;
}

static bool record_and_plan(bench_work *w)
{
    zc_tensor *t = record(w);
    zc_cost cost;
    bool ok = zc_cost_of(t, &cost) == ZC_OK;
    zc_release(t);
    return ok;
}

/* ---- The table ---- */

static int64_t none(int64_t n)
{
    return n < 0 ? n : 0;
}

static const int64_t of_a_view[] = {256, 0};
static const int64_t sixteen[] = {16, 0};
static const int64_t nodes[] = {1000, 1000000, 0};

static const bench_bound view_bounds[] = {{.against = NANOSECONDS, .most = 100}, {.most = 0}};
static const bench_bound five_bounds[] = {{.against = NANOSECONDS, .most = 300}, {.most = 0}};

#define VIEWS_OF(what, bound)                                                                                          \
    {                                                                                                                  \
        .name = "view " #what, .ours = make_##what, .batch = VIEWS, .results = none, .sizes = of_a_view,               \
        .bounds = (bound)                                                                                              \
    }

const bench_case overhead_cases[] = {
    VIEWS_OF(broadcast, view_bounds),
    VIEWS_OF(permute, NULL),
    VIEWS_OF(slice, NULL),
    VIEWS_OF(expand, NULL),
    VIEWS_OF(reshape, NULL),
    VIEWS_OF(windows, NULL),
    {.name = "five operations, into a buffer",
     .ours = five_into,
     .references = {{"a loop", .run = hand_five}},
     .sizes = sixteen,
     .bounds = five_bounds,
     .peer = "five",
     .xla_tolerance = 1e-6},
    {.name = "five operations, own result",
     .ours = five_own,
     .references = {{"a loop", .run = hand_five}},
     .sizes = sixteen,
     .bounds = five_bounds},
    {.name = "nodes recorded and planned",
     .ours = record_and_plan,
     .references = {{"recorded only", .ours = record_only, .yardstick = true}},
     .results = none,
     .sizes = nodes},
    {.name = NULL},
};
